//! One message a line: the framing of pipes, serial lines and plain sockets.

const BOM: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// What the next raw bytes of a wire are, in this order: `skip` bytes to pass over, `payload` bytes of the message,
/// and, where the message ends behind them, the length of its `terminator`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Bytes of the framing, to be dropped.
    pub skip: usize,
    /// Bytes of the message.
    pub payload: usize,
    /// `Some(n)`: the message ends here, and `n` bytes of framing follow; `None`: it goes on.
    pub terminator: Option<usize>,
}

/// Newline-delimited messages (2026-07-28, *stdio*): `\n` ends a message, and one byte-order mark at the very start of the
/// stream is passed over. The `\r` of a CRLF stays in the payload, where it is JSON white space.
#[derive(Clone, Copy, Debug, Default)]
pub struct Line {
    begun: bool,
}

impl Line {
    /// What a line is ended with on the way out.
    pub const TERMINATOR: &'static str = "\n";

    /// At the start of a stream.
    #[must_use]
    pub const fn new() -> Line {
        Line { begun: false }
    }

    /// Splits the raw bytes not consumed yet. `None`: more bytes are needed before anything can be said.
    ///
    /// It may be asked again about bytes that were not consumed.
    pub fn split(&mut self, raw: &[u8]) -> Option<Run> {
        let skip = if self.begun { 0 } else { self.skip_bom(raw)? };
        let body = raw.get(skip..).unwrap_or_default();
        match find_newline(body) {
            Some(payload) => Some(Run { skip, payload, terminator: Some(1) }),
            None if body.is_empty() && skip == 0 => None,
            None => Some(Run { skip, payload: body.len(), terminator: None }),
        }
    }

    fn skip_bom(&mut self, raw: &[u8]) -> Option<usize> {
        if raw.len() < BOM.len() && BOM.starts_with(raw) {
            return None;
        }
        self.begun = true;
        Some(if raw.starts_with(&BOM) { BOM.len() } else { 0 })
    }
}

const WORD: usize = size_of::<usize>();
/// Bytes looked at at once on a machine with vectors.
const BLOCK: usize = 32;

/// The position of the first `\n`: by the block, then by the word, then by the byte.
fn find_newline(bytes: &[u8]) -> Option<usize> {
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    // A small machine has no vectors: a word is all it can look at.
    let clean = if WORD < 8 { 0 } else { blocks.iter().take_while(|block| !has_newline(block)).count() * BLOCK };
    let (words, tail) = bytes.get(clean..).unwrap_or_default().as_chunks::<WORD>();
    for (index, word) in words.iter().enumerate() {
        let newlines = newlines(word);
        if newlines != 0 {
            return Some(clean + index * WORD + newlines.trailing_zeros() as usize / 8);
        }
    }
    let within = tail.iter().position(|&byte| byte == b'\n')?;
    Some(clean + words.len() * WORD + within)
}

/// Looks at all of the block whatever it finds: without a branch in it, the loop becomes a few vector instructions.
#[inline]
fn has_newline(block: &[u8; BLOCK]) -> bool {
    block.iter().fold(false, |found, &byte| found | (byte == b'\n'))
}

/// The top bit of each byte that is a newline. (Bytes above the first one may be marked wrongly: a borrow runs upwards.)
#[inline]
fn newlines(word: &[u8; WORD]) -> usize {
    const ONES: usize = usize::MAX / 0xff;
    const TOPS: usize = ONES * 0x80;
    let difference = usize::from_le_bytes(*word) ^ (ONES * 0x0a);
    difference.wrapping_sub(ONES) & !difference & TOPS
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn run(skip: usize, payload: usize, terminator: Option<usize>) -> Option<Run> {
        Some(Run { skip, payload, terminator })
    }

    #[test]
    fn a_stream_begins() {
        let table: &[(&[u8], Option<Run>)] = &[
            (b"", None),
            (b"\xEF", None),
            (b"\xEF\xBB", None),
            (b"\xEF\xBB\xBF", run(3, 0, None)),
            (b"\xEF\xBB\xBF{}\n", run(3, 2, Some(1))),
            (b"\xEF\xBB{}\n", run(0, 4, Some(1))),
            (b"\xEFx", run(0, 2, None)),
            (b"{}", run(0, 2, None)),
            (b"{}\r\n", run(0, 3, Some(1))),
            (b"\n", run(0, 0, Some(1))),
            (b"\n{}\n", run(0, 0, Some(1))),
        ];
        for &(raw, expected) in table {
            assert_eq!(Line::new().split(raw), expected, "{raw:?}");
        }
    }

    #[test]
    fn a_second_mark_is_payload() {
        let mut line = Line::new();
        assert_eq!(line.split(b"\xEF\xBB\xBF"), run(3, 0, None));
        assert_eq!(line.split(b"\xEF\xBB\xBF{}\n"), run(0, 5, Some(1)));
        assert_eq!(line.split(b""), None);
    }

    #[test]
    fn newlines_are_found_wherever_they_stand() {
        for length in 0..100 {
            let mut bytes = [b'x'; 100];
            assert_eq!(find_newline(&bytes[..length]), None);
            for at in 0..length {
                bytes[at] = b'\n';
                assert_eq!(find_newline(&bytes[..length]), Some(at), "length {length}");
                bytes[at] = b'x';
            }
        }
    }
}
