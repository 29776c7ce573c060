//! Base64 (RFC 4648, the standard alphabet, padded) inside a string.

use super::Writer;

/// Encodes bytes that come in parts into a string that is written in parts.
///
/// ```
/// use umcp::json::{Base64, Writer};
/// let mut buf = [0; 16];
/// let mut w = Writer::new(&mut buf);
/// let mut base64 = Base64::new();
/// w.begin_string();
/// base64.part(&mut w, b"fo").part(&mut w, b"ob").end(&mut w);
/// w.end_string();
/// assert_eq!(w.written(), b"\"Zm9vYg==\"");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Base64 {
    /// Up to two bytes that wait for the rest of their group of three.
    waiting: [u8; 2],
    count: u8,
}

impl Base64 {
    /// Nothing encoded yet.
    pub const fn new() -> Base64 {
        Base64 { waiting: [0; 2], count: 0 }
    }

    /// How many bytes so many are once they are encoded.
    #[must_use]
    pub const fn encoded_len(bytes: u64) -> u64 {
        bytes.div_ceil(3).saturating_mul(4)
    }

    /// Encodes the next bytes.
    pub fn part(&mut self, w: &mut Writer<'_>, bytes: &[u8]) -> &mut Self {
        let mut rest = bytes;
        while let (1.., [byte, after @ ..]) = (self.count, rest) {
            self.push(w, *byte);
            rest = after;
        }
        let (groups, rest) = rest.as_chunks();
        let groups = w.pass_over_groups(groups);
        groups.iter().for_each(|group| w.put(&encode(*group)));
        for byte in rest {
            self.push(w, *byte);
        }
        self
    }

    /// Encodes what still waits, with its padding. The encoder is as new.
    pub fn end(&mut self, w: &mut Writer<'_>) {
        let [a, b] = self.waiting;
        match self.count {
            0 => {}
            1 => {
                let [first, second, ..] = encode([a, 0, 0]);
                w.put(&[first, second, b'=', b'=']);
            }
            _ => {
                let [first, second, third, _] = encode([a, b, 0]);
                w.put(&[first, second, third, b'=']);
            }
        }
        *self = Base64::new();
    }

    fn push(&mut self, w: &mut Writer<'_>, byte: u8) {
        let [a, b] = self.waiting;
        match self.count {
            0 => *self = Base64 { waiting: [byte, 0], count: 1 },
            1 => *self = Base64 { waiting: [a, byte], count: 2 },
            _ => {
                w.put(&encode([a, b, byte]));
                *self = Base64::new();
            }
        }
    }
}

impl Writer<'_> {
    /// Counts, without encoding them, the groups that lie before the window, and all if the buffer is full. Returns the others.
    fn pass_over_groups<'g>(&mut self, groups: &'g [[u8; 3]]) -> &'g [[u8; 3]] {
        if self.overflowed() {
            self.lost = self.lost.saturating_add(groups.len().saturating_mul(4));
            return &[];
        }
        let passed = groups.len().min(self.skip_left / 4);
        self.skip_left -= passed * 4;
        groups.get(passed..).unwrap_or_default()
    }
}

fn encode([a, b, c]: [u8; 3]) -> [u8; 4] {
    [a >> 2, (a & 0x03) << 4 | b >> 4, (b & 0x0f) << 2 | c >> 6, c & 0x3f].map(letter)
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn letter(six: u8) -> u8 {
    ALPHABET[usize::from(six & 0x3f)]
}
