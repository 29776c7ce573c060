//! Any text as the value of a header: `=?base64?…?=` (2026-07-28, *Streamable HTTP*, "Value Encoding").

use core::fmt;

use super::chars::{is_plain_byte, is_space};

const BEFORE: &[u8] = b"=?base64?";
const AFTER: &[u8] = b"?=";

/// Whether a text cannot be the value of a header as it is: it has other than printable ASCII characters, spaces and tabs in it, or white
/// space at either end, or it could be taken for an encoded one.
#[must_use]
pub fn needs_encoding(text: impl Iterator<Item = u8>) -> bool {
    let mut index = 0_usize;
    let mut is_lookalike = true;
    let mut last = [0, 0];
    for byte in text {
        if !is_plain_byte(byte) || (index == 0 && is_space(byte)) {
            return true;
        }
        is_lookalike &= BEFORE.get(index).is_none_or(|expected| *expected == byte);
        let [_, before] = last;
        last = [before, byte];
        index = index.saturating_add(1);
    }
    // No beginning of the first mark ends like the second, so a lookalike has the whole of the first.
    let [_, end] = last;
    is_space(end) || (is_lookalike && last == AFTER)
}

/// Encodes a text, in pieces.
pub(super) fn encode(mut text: impl Iterator<Item = u8>, mut put: impl FnMut(&[u8])) {
    put(BEFORE);
    while let Some(a) = text.next() {
        let (b, c) = (text.next(), text.next());
        let [first, second, third, fourth] = letters([a, b.unwrap_or(0), c.unwrap_or(0)]);
        let third = if b.is_some() { third } else { b'=' };
        let fourth = if c.is_some() { fourth } else { b'=' };
        put(&[first, second, third, fourth]);
    }
    put(AFTER);
}

/// A value between `=?base64?` and `?=` that is not base64: RFC 4648, section 4, padded, with no other bytes and no bits left over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the value of a header is marked as base64 and is not")
    }
}

impl core::error::Error for Malformed {}

/// The text that the value of a header stands for. The marks are case-sensitive: in another case, the value is a literal one.
///
/// ```
/// use umcp::frame::http::HeaderText;
/// let text = HeaderText::new(b"=?base64?SGVsbG8sIOS4lueVjA==?=")?;
/// assert!(text.bytes().eq("Hello, 世界".bytes()));
/// # Ok::<(), umcp::frame::http::Malformed>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderText<'r> {
    /// The value as it is.
    Literal(&'r [u8]),
    /// Base64, known to be well-formed.
    Encoded(Encoded<'r>),
}

/// Well-formed base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoded<'r>(&'r [[u8; 4]]);

impl<'r> HeaderText<'r> {
    /// The text of this value, which has no white space around it.
    ///
    /// # Errors
    /// [`Malformed`]: the value says that it is encoded, and is not.
    pub fn new(value: &'r [u8]) -> Result<HeaderText<'r>, Malformed> {
        let Some(inner) = value.strip_prefix(BEFORE).and_then(|rest| rest.strip_suffix(AFTER)) else {
            return Ok(HeaderText::Literal(value));
        };
        let (groups, []) = inner.as_chunks::<4>() else { return Err(Malformed) };
        let well_formed = match groups.split_last() {
            Some((last, others)) => others.iter().all(|group| whole(*group).is_some()) && decode(*last).is_some(),
            None => true,
        };
        if well_formed { Ok(HeaderText::Encoded(Encoded(groups))) } else { Err(Malformed) }
    }

    /// The bytes of the text. That they are UTF-8 has not been checked.
    pub fn bytes(self) -> impl Iterator<Item = u8> + Clone + 'r {
        let (literal, encoded): (&[u8], &[[u8; 4]]) = match self {
            HeaderText::Literal(value) => (value, &[]),
            HeaderText::Encoded(Encoded(groups)) => (&[], groups),
        };
        let decoded = encoded.iter().flat_map(|group| {
            let (bytes, count) = decode(*group).unwrap_or_default();
            bytes.into_iter().take(count)
        });
        literal.iter().copied().chain(decoded)
    }
}

/// Whether the value of a header stands for this text.
///
/// # Errors
/// [`Malformed`]: it says that it is encoded, and is not.
pub fn header_equals(value: &[u8], text: &[u8]) -> Result<bool, Malformed> {
    match HeaderText::new(value)? {
        HeaderText::Literal(literal) => Ok(literal == text),
        encoded => Ok(encoded.bytes().eq(text.iter().copied())),
    }
}

/// Four letters as three bytes.
fn whole([a, b, c, d]: [u8; 4]) -> Option<[u8; 3]> {
    let [a, b, c, d] = [six(a)?, six(b)?, six(c)?, six(d)?];
    Some([a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d])
}

/// The bytes in a group that may be the last: how many there are is said by its padding.
fn decode(group: [u8; 4]) -> Option<([u8; 3], usize)> {
    match group {
        [a, b, b'=', b'='] => match whole([a, b, b'A', b'A'])? {
            [byte, 0, _] => Some(([byte, 0, 0], 1)),
            _ => None,
        },
        [a, b, c, b'='] => match whole([a, b, c, b'A'])? {
            [first, second, 0] => Some(([first, second, 0], 2)),
            _ => None,
        },
        letters => whole(letters).map(|bytes| (bytes, 3)),
    }
}

fn six(letter: u8) -> Option<u8> {
    match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

fn letters([a, b, c]: [u8; 3]) -> [u8; 4] {
    [a >> 2, (a & 0x03) << 4 | b >> 4, (b & 0x0F) << 2 | c >> 6, c & 0x3F].map(|six| match six {
        0..=25 => b'A' + six,
        26..=51 => b'a' + (six - 26),
        52..=61 => b'0' + (six - 52),
        62 => b'+',
        _ => b'/',
    })
}
