//! The bytes of a resource, as its pieces arrive.

use super::pieces::Piece;
use crate::json::{Text, Utf8, Value};

/// Decodes Base64 (RFC 4648, the standard alphabet; padding may be missing) that comes in parts.
pub(super) struct Decoder {
    /// The bits that wait for the rest of their group, and how many characters they came from.
    bits: u32,
    count: u8,
    /// The padding has begun.
    padded: bool,
}

/// What is no Base64.
pub(super) struct NotBase64;

/// Takes decoded bytes; `false`: no more.
type Put<'p> = &'p mut dyn FnMut(&[u8]) -> bool;

/// How many bytes are given out at a time.
const PART: usize = 192;

impl Decoder {
    pub(super) const fn new() -> Decoder {
        Decoder { bits: 0, count: 0, padded: false }
    }

    /// Gives out the bytes of a piece of a resource's contents. `false`: no more are wanted.
    pub(super) fn piece(&mut self, piece: Piece<'_>, put: Put<'_>) -> Result<bool, NotBase64> {
        match piece {
            Piece::Chunk(chunk) if chunk.path == ["text"] => Ok(put(chunk.text.as_bytes())),
            Piece::Chunk(chunk) if chunk.path == ["blob"] => {
                Ok(self.decode(chunk.text.bytes(), put)? && (!chunk.is_last || self.end(put)?))
            }
            Piece::Chunk(_) => Ok(true),
            Piece::Item { item, .. } => self.item(item, put),
        }
    }

    fn item(&mut self, item: Value<'_>, put: Put<'_>) -> Result<bool, NotBase64> {
        let text = |name: &str| item.get(name).and_then(Value::as_text);
        match (text("text"), text("blob")) {
            (Some(text), _) => Ok(write(text, put)),
            (None, Some(blob)) => Ok(self.decode(bytes(blob), put)? && self.end(put)?),
            (None, None) => Ok(true),
        }
    }

    fn decode(&mut self, chars: impl Iterator<Item = u8>, put: Put<'_>) -> Result<bool, NotBase64> {
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

    /// The string has ended: the group that is not full.
    fn end(&mut self, put: Put<'_>) -> Result<bool, NotBase64> {
        let Decoder { bits, count, .. } = core::mem::replace(self, Decoder::new());
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

fn bytes(text: Text<'_>) -> impl Iterator<Item = u8> {
    text.chars().flat_map(|char| Utf8::new(char).into_bytes())
}

/// Gives out a text in UTF-8.
fn write(text: Text<'_>, put: Put<'_>) -> bool {
    let mut part = heapless::Vec::<u8, PART>::new();
    for byte in bytes(text) {
        if part.push(byte).is_err() {
            if !put(&part) {
                return false;
            }
            part.clear();
            // It is empty.
            let _ = part.push(byte);
        }
    }
    part.is_empty() || put(&part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Base64, Writer};

    /// Decodes it in parts of this length.
    fn decode(text: &[u8], len: usize) -> Option<heapless::Vec<u8, 1024>> {
        let mut decoded = heapless::Vec::new();
        let mut decoder = Decoder::new();
        let mut put = |bytes: &[u8]| decoded.extend_from_slice(bytes).is_ok();
        for part in text.chunks(len) {
            assert!(decoder.decode(part.iter().copied(), &mut put).ok()?);
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
