//! Base64 that is read (RFC 4648, the standard alphabet; padding may be missing).

/// Decodes Base64 that comes in parts.
///
/// ```
/// use umcp::json::Base64Decoder;
/// let mut decoded = heapless::Vec::<u8, 8>::new();
/// let mut put = |bytes: &[u8]| decoded.extend_from_slice(bytes).is_ok();
/// let mut decoder = Base64Decoder::new();
/// for part in ["Zm", "9vY", "g=="] {
///     decoder.part(part.bytes(), &mut put)?;
/// }
/// decoder.end(&mut put)?;
/// assert_eq!(decoded, b"foob");
/// # Ok::<(), umcp::json::NotBase64>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Base64Decoder {
    /// The bits that wait for the rest of their group, and how many characters they came from.
    bits: u32,
    count: u8,
    /// The padding has begun.
    padded: bool,
}

/// What is no Base64: another character, something behind the padding, or an end in the middle of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct NotBase64;

impl core::fmt::Display for NotBase64 {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("not Base64 (RFC 4648, section 4)")
    }
}

impl core::error::Error for NotBase64 {}

/// How many bytes are given out at a time.
const PART: usize = 192;

impl Base64Decoder {
    /// Nothing decoded yet.
    #[must_use]
    pub const fn new() -> Base64Decoder {
        Base64Decoder { bits: 0, count: 0, padded: false }
    }

    /// Decodes the next characters. `put` is given bytes, at most 192 at a time, and says whether more are wanted; if not, the answer is `false` at once.
    ///
    /// # Errors
    /// It is no Base64. What was given out before is the beginning of something else.
    pub fn part(
        &mut self,
        chars: impl Iterator<Item = u8>,
        put: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<bool, NotBase64> {
        let mut part = heapless::Vec::<u8, PART>::new();
        for char in chars {
            if char == b'=' {
                self.padded = true;
                continue;
            }
            let value = value_of(char).filter(|_| !self.padded).ok_or(NotBase64)?;
            self.bits = self.bits << 6 | u32::from(value);
            self.count += 1;
            if self.count < 4 {
                continue;
            }
            self.count = 0;
            let [_, decoded @ ..] = self.bits.to_be_bytes();
            if part.extend_from_slice(&decoded).is_err() {
                if !put(&part) {
                    return Ok(false);
                }
                part.clear();
                // It is empty.
                let _ = part.extend_from_slice(&decoded);
            }
        }
        Ok(part.is_empty() || put(&part))
    }

    /// The text has ended: decodes the group that is not full. The decoder is as new.
    ///
    /// # Errors
    /// It ends in the middle of a byte.
    pub fn end(&mut self, put: &mut dyn FnMut(&[u8]) -> bool) -> Result<bool, NotBase64> {
        let Base64Decoder { bits, count, .. } = core::mem::take(self);
        match count {
            0 => Ok(true),
            2 => Ok(put((bits << 4).to_be_bytes().get(2..3).unwrap_or_default())),
            3 => Ok(put((bits << 6).to_be_bytes().get(1..3).unwrap_or_default())),
            _ => Err(NotBase64),
        }
    }
}

fn value_of(char: u8) -> Option<u8> {
    Some(match char {
        b'A'..=b'Z' => char - b'A',
        b'a'..=b'z' => char - b'a' + 26,
        b'0'..=b'9' => char - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Base64, Writer};

    /// Decodes it in parts of this length.
    fn decode(text: &[u8], len: usize) -> Option<heapless::Vec<u8, 1024>> {
        let mut decoded = heapless::Vec::new();
        let mut decoder = Base64Decoder::new();
        let mut put = |bytes: &[u8]| decoded.extend_from_slice(bytes).is_ok();
        for part in text.chunks(len) {
            assert!(decoder.part(part.iter().copied(), &mut put).ok()?);
        }
        assert!(decoder.end(&mut put).ok()?);
        Some(decoded)
    }

    #[test]
    fn what_is_encoded_is_decoded_however_it_is_cut() {
        let source: heapless::Vec<u8, 600> = (0..600u32).map(|n| (n * 7 + n / 256) as u8).collect();
        for end in (0..20).chain([191, 192, 193, 599, 600]) {
            let mut buf = [0; 1024];
            let mut w = Writer::new(&mut buf);
            let source = &source[..end];
            Base64::new().part(&mut w, source).end(&mut w);
            for len in [1, 2, 3, 5, 64, 1024] {
                assert_eq!(decode(w.written(), len).as_deref(), Some(source), "{end}, {len}");
            }
            let bare = w.written().iter().take_while(|&&byte| byte != b'=').count();
            assert_eq!(decode(&w.written()[..bare], 1024).as_deref(), Some(source), "{end} without padding");
        }
    }

    #[test]
    fn what_is_no_base64_is_refused() {
        for text in ["A", "AAAAA", "AA=A", "A A", "AA\n", "-_-_", "é"] {
            assert_eq!(decode(text.as_bytes(), 64), None, "{text}");
        }
    }
}
