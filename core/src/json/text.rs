//! The text of a JSON string: finding, undoing and choosing escapes.
//!
//! Reading expects canonical text (valid UTF-8, the shortest escapes) and answers `None` to anything else. A lone surrogate
//! (`\udxxx`), which no Rust string can hold, reads as U+FFFD.

use core::cmp::Ordering;
use core::fmt::{self, Write as _};

use super::writer::{Capacity, Writer};

/// The decoded view of one JSON string (a value or a key), still escaped underneath.
///
/// Obtained from [`Value::as_text`](super::Value::as_text) or as the key of [`Value::members`](super::Value::members).
/// `Display` writes the decoded characters.
#[derive(Clone, Copy)]
pub struct Text<'a>(&'a [u8]);

impl<'a> Text<'a> {
    /// `content` is what stands between the quotes.
    pub(super) const fn new(content: &'a [u8]) -> Text<'a> {
        Text(content)
    }

    /// The bytes between the quotes, escapes and all.
    pub const fn raw(self) -> &'a [u8] {
        self.0
    }

    /// The text, borrowed, if nothing in it is escaped; `None` otherwise (then use [`chars`](Text::chars) or [`decode`](Text::decode)).
    pub fn as_str(self) -> Option<&'a str> {
        if is_special_in(self.0) {
            return None;
        }
        core::str::from_utf8(self.0).ok()
    }

    /// Whether the decoded text is exactly `expected`. Needs no buffer.
    #[inline]
    #[expect(clippy::manual_contains, reason = "`contains` links a search that is made for long texts")]
    pub fn is(self, expected: &str) -> bool {
        let expected = expected.as_bytes();
        match self.0.len().cmp(&expected.len()) {
            // An escape is longer than what it stands for.
            Ordering::Less => false,
            Ordering::Equal => self.0 == expected && !expected.iter().any(|&byte| byte == b'\\'),
            Ordering::Greater => self.is_escaped(expected),
        }
    }

    fn is_escaped(self, expected: &[u8]) -> bool {
        let (mut raw, mut expected) = (self.0, expected);
        loop {
            (raw, expected) = match (raw, expected) {
                ([], []) => return true,
                ([b'\\', ..], _) => {
                    let Some((char, len)) = unescape(raw) else { return false };
                    let Some(expected) = expected.strip_prefix(Utf8::new(char).as_bytes()) else { return false };
                    (raw.get(len..).unwrap_or_default(), expected)
                }
                ([a, raw @ ..], [b, expected @ ..]) if a == b => (raw, expected),
                _ => return false,
            };
        }
    }

    /// The decoded characters; a lone surrogate is U+FFFD.
    pub fn chars(self) -> Chars<'a> {
        Chars { rest: core::str::from_utf8(self.0).unwrap_or_default() }
    }

    /// The decoded text: borrowed from the message if nothing is escaped, else written into `buf`.
    ///
    /// # Errors
    /// [`TextError::Capacity`] if it is escaped and longer than `buf`, [`TextError::Malformed`] if it is not canonical text.
    pub fn decode<'b>(self, buf: &'b mut [u8]) -> Result<&'b str, TextError>
    where
        'a: 'b,
    {
        if !is_special_in(self.0) {
            return core::str::from_utf8(self.0).map_err(|_| TextError::Malformed);
        }
        let mut out = Writer::new(buf);
        let mut rest = self.0;
        loop {
            let (plain, special) = split_plain(rest);
            out.put(plain);
            rest = match special {
                [] => break,
                [b'\\', ..] => {
                    let (char, len) = unescape(special).ok_or(TextError::Malformed)?;
                    out.put_char(char);
                    special.get(len..).unwrap_or_default()
                }
                _ => return Err(TextError::Malformed),
            };
        }
        let len = out.finish().map_err(TextError::Capacity)?;
        core::str::from_utf8(buf.get(..len).unwrap_or_default()).map_err(|_| TextError::Malformed)
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_str() {
            Some(plain) => f.write_str(plain),
            None => self.chars().try_for_each(|char| f.write_char(char)),
        }
    }
}

/// Prints the escaped text in its quotes.
impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match core::str::from_utf8(self.0) {
            Ok(raw) => write!(f, "\"{raw}\""),
            Err(_) => f.write_str("<not UTF-8>"),
        }
    }
}

/// The decoded characters of a string: [`Text::chars`].
#[derive(Clone, Debug)]
pub struct Chars<'a> {
    rest: &'a str,
}

impl Iterator for Chars<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let mut plain = self.rest.chars();
        let first = plain.next()?;
        if first != '\\' {
            self.rest = plain.as_str();
            return Some(first);
        }
        let Some((char, len)) = unescape(self.rest.as_bytes()) else {
            self.rest = "";
            return None;
        };
        self.rest = self.rest.get(len..).unwrap_or_default();
        Some(char)
    }
}

impl core::iter::FusedIterator for Chars<'_> {}

/// Why the text of a value could not be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum TextError {
    /// The value is not a string.
    NotString,
    /// The string is not canonical JSON; cannot happen to what the scanner has passed.
    Malformed,
    /// The buffer is shorter than the decoded text: lend a larger one, or use [`Text::chars`].
    Capacity(Capacity),
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextError::NotString => f.write_str("the value is not a string"),
            TextError::Malformed => f.write_str("the string is not canonical JSON"),
            TextError::Capacity(capacity) => capacity.fmt(f),
        }
    }
}

impl core::error::Error for TextError {}

/// Splits before the first byte that cannot stand in a JSON string as it is: a quote, a backslash, or a control character.
pub(super) fn split_plain(bytes: &[u8]) -> (&[u8], &[u8]) {
    bytes.split_at_checked(plain_len(bytes)).unwrap_or((bytes, &[]))
}

/// Is anything escaped? (In canonical text nothing else is special.)
pub(super) fn is_special_in(bytes: &[u8]) -> bool {
    plain_len(bytes) < bytes.len()
}

/// How many bytes stand before the first quote, backslash or control character.
pub(super) fn plain_len(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    while let Some((word, after)) = rest.split_first_chunk::<WORD>() {
        if let Some(index) = first_special(word) {
            return bytes.len() - rest.len() + index;
        }
        rest = after;
    }
    if let Some(word) = bytes.last_chunk::<WORD>() {
        // What of the last word has been looked at already is plain.
        return bytes.len() - first_special(word).map_or(0, |index| WORD - index);
    }
    rest.iter().position(|&byte| is_special(byte)).unwrap_or(rest.len())
}

const WORD: usize = size_of::<usize>();

const fn is_special(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

/// The first byte of `word` that is special, found for all of them at once.
#[inline]
fn first_special(word: &[u8; WORD]) -> Option<usize> {
    const ONES: usize = usize::MAX / 0xff;
    const TOPS: usize = ONES * 0x80;
    let word = usize::from_le_bytes(*word);
    // With this bit turned over, a quote (0x22) follows the control characters, and no other byte comes between.
    let controls_and_quote = (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
    let backslash = (word ^ (ONES * 0x5c)).wrapping_sub(ONES);
    // A subtraction has set the top bit of each byte that was less. It may do so wrongly above such a one (a borrow runs upwards), but not below.
    let found = (controls_and_quote | backslash) & !word & TOPS;
    (found != 0).then_some(found.trailing_zeros() as usize / 8)
}

/// The length of the string content at the start of `bytes`, which ends before its closing quote.
pub(super) fn content_len(bytes: &[u8]) -> Option<usize> {
    let mut len = plain_len(bytes);
    loop {
        match bytes.get(len)? {
            b'"' => return Some(len),
            b'\\' => len += 2,
            _ => return None,
        }
        len += plain_len(bytes.get(len..)?);
    }
}

/// The character that the escape at the start of `bytes` stands for, and the length of the escape.
pub(super) fn unescape(bytes: &[u8]) -> Option<(char, usize)> {
    let char = match bytes {
        [b'\\', b'u', a, b, c, d, ..] => {
            let mut code = 0;
            for digit in [a, b, c, d] {
                code = code << 4 | char::from(*digit).to_digit(16)?;
            }
            return Some((char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 6));
        }
        [b'\\', b'b', ..] => '\x08',
        [b'\\', b't', ..] => '\t',
        [b'\\', b'n', ..] => '\n',
        [b'\\', b'f', ..] => '\x0c',
        [b'\\', b'r', ..] => '\r',
        [b'\\', same @ (b'"' | b'\\' | b'/'), ..] => char::from(*same),
        _ => return None,
    };
    Some((char, 2))
}

/// How many bytes a text has inside a JSON string, escaped as [`Writer`] does it: for a length that has to be known first.
///
/// ```
/// assert_eq!(umcp::json::escaped_len("a \"b\"\n"), 9);
/// ```
#[must_use]
pub fn escaped_len(text: &str) -> usize {
    let extra = |byte: u8| escape(byte).len.saturating_sub(1);
    text.bytes().filter(|&byte| is_special(byte)).fold(text.len(), |len, byte| len.saturating_add(extra(byte)))
}

/// Undoes every escape of `content` where it stands and returns what is left of it; `None` (and garbled) if an escape is no escape.
pub(super) fn unescape_in_place(content: &mut [u8]) -> Option<&mut [u8]> {
    let mut read = plain_len(content);
    let mut write = read;
    // An escape is never shorter than its character, so `write` never overtakes `read`.
    while let Some(rest) = content.get(read..) {
        if let Some(word) = rest.first_chunk::<WORD>().copied()
            && first_special(&word).is_none()
        {
            *content.get_mut(write..)?.first_chunk_mut()? = word;
            read += WORD;
            write += WORD;
            continue;
        }
        match rest {
            [] => break,
            [b'\\', ..] => {
                let (char, len) = unescape(rest)?;
                read += len;
                for byte in Utf8::new(char).as_bytes() {
                    *content.get_mut(write)? = *byte;
                    write += 1;
                }
            }
            [byte, ..] => {
                *content.get_mut(write)? = *byte;
                read += 1;
                write += 1;
            }
        }
    }
    content.get_mut(..write)
}

/// A character as UTF-8. `char::encode_utf8` does the same, but keeps a panic where the optimizer is told to save space.
pub(crate) struct Utf8 {
    bytes: [u8; 4],
    len: usize,
}

impl Utf8 {
    pub(crate) fn new(char: char) -> Utf8 {
        let code = u32::from(char);
        let six = |shift: u32| 0x80 | (code >> shift & 0x3f) as u8;
        let (bytes, len) = match code {
            0..0x80 => ([code as u8, 0, 0, 0], 1),
            0x80..0x800 => ([0xc0 | (code >> 6) as u8, six(0), 0, 0], 2),
            0x800..0x10000 => ([0xe0 | (code >> 12) as u8, six(6), six(0), 0], 3),
            _ => ([0xf0 | (code >> 18) as u8, six(12), six(6), six(0)], 4),
        };
        Utf8 { bytes, len }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    #[cfg(feature = "client")]
    pub(crate) fn into_bytes(self) -> impl Iterator<Item = u8> + Clone {
        self.bytes.into_iter().take(self.len)
    }
}

/// How a byte that cannot stand in a string as it is gets written.
pub(super) struct Escape {
    text: [u8; 6],
    len: usize,
}

impl Escape {
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.text.get(..self.len).unwrap_or_default()
    }
}

/// The escape `\uXXXX` of a code of 16 bits.
pub(super) const fn long_escape(code: u32) -> [u8; 6] {
    [b'\\', b'u', hex(code >> 12), hex(code >> 8), hex(code >> 4), hex(code)]
}

/// The shortest escape of a quote, a backslash, or a control character.
pub(super) fn escape(byte: u8) -> Escape {
    // What has a letter of its own begins with the backspace; among them the vertical tab has none.
    let letter = match byte {
        b'"' | b'\\' => Some(byte),
        _ => b"btn\0fr".get(usize::from(byte.wrapping_sub(0x08))).copied().filter(|&letter| letter != 0),
    };
    match letter {
        Some(letter) => Escape { text: [b'\\', letter, 0, 0, 0, 0], len: 2 },
        None => Escape { text: long_escape(u32::from(byte)), len: 6 },
    }
}

/// The digit for the lowest four bits, in lower case.
const fn hex(bits: u32) -> u8 {
    match (bits & 0xf) as u8 {
        digit @ 0..=9 => b'0' + digit,
        letter => b'a' + letter - 10,
    }
}
