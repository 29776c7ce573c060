//! Messages a line, of bounded length, out of bytes as they come.

use umcp::frame::Line;
use umcp::json::scan::{Scanner, Window};

use super::message::{KEYS, slot};

/// What a line turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A line within the limit, without its end.
    Line(Vec<u8>),
    /// A line beyond it, of which only this was kept: its id, if it has one, and whether its beginning shows it to be one or the other.
    TooLong { id: Option<Vec<u8>>, is_call: bool, is_answer: bool },
}

/// Splits a stream into lines. It holds one line at most, and of that no more than the limit.
pub(crate) struct Lines {
    framing: Line,
    limit: usize,
    /// What may be the beginning of a byte-order mark.
    start: Vec<u8>,
    line: Vec<u8>,
    long: Option<Long>,
}

impl Lines {
    /// At the start of a stream. `limit` is the longest line, in bytes without its end.
    pub(crate) fn new(limit: usize) -> Lines {
        Lines { framing: Line::new(), limit, start: Vec::new(), line: Vec::new(), long: None }
    }

    /// Whether a line has begun and not ended.
    pub(crate) fn is_inside(&self) -> bool {
        self.long.is_some() || !self.line.is_empty()
    }

    /// Takes bytes that have arrived; `each` is given what they complete.
    pub(crate) fn take(&mut self, bytes: &[u8], mut each: impl FnMut(Piece)) {
        if self.start.is_empty() {
            return self.split(bytes, &mut each);
        }
        let mut whole = std::mem::take(&mut self.start);
        whole.extend_from_slice(bytes);
        self.split(&whole, &mut each);
    }

    fn split(&mut self, mut bytes: &[u8], each: &mut impl FnMut(Piece)) {
        while !bytes.is_empty() {
            let Some(run) = self.framing.split(bytes) else {
                self.start = bytes.to_vec();
                return;
            };
            let payload = bytes.get(run.skip..run.skip + run.payload).unwrap_or(bytes);
            self.put(payload);
            let taken = run.skip + payload.len() + run.terminator.unwrap_or(0);
            bytes = bytes.get(taken..).unwrap_or_default();
            if run.terminator.is_some() {
                each(self.end());
            }
        }
    }

    /// The stream has ended; what of a line there is, is one.
    pub(crate) fn finish(&mut self) -> Option<Piece> {
        self.is_inside().then(|| self.end())
    }

    fn put(&mut self, payload: &[u8]) {
        if let Some(long) = &mut self.long {
            long.put(payload);
        } else if self.line.len() + payload.len() <= self.limit {
            self.line.extend_from_slice(payload);
        } else {
            let mut long = Long::new();
            long.put(&std::mem::take(&mut self.line));
            long.put(payload);
            self.long = Some(long);
        }
    }

    fn end(&mut self) -> Piece {
        match self.long.take() {
            Some(long) => long.end(),
            None => Piece::Line(std::mem::take(&mut self.line)),
        }
    }
}

/// The window through which a long line passes, in bytes.
const WINDOW: usize = 4096;

/// A line that is too long: it is followed to its end, and only its id is kept.
struct Long {
    scanner: Scanner,
    buffer: Box<[u8; WINDOW]>,
    window: Window,
    /// The window has been full: from then on only the id is looked for.
    discards: bool,
    failed: bool,
}

impl Long {
    fn new() -> Long {
        let scanner = Scanner::new(&KEYS, Scanner::MAX_DEPTH);
        Long { scanner, buffer: Box::new([0; WINDOW]), window: Window::default(), discards: false, failed: false }
    }

    fn put(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.failed {
            if self.window.end == WINDOW && !self.discards {
                self.scanner.discard(&mut self.window);
                self.discards = true;
            }
            if self.discards {
                self.make_room();
            }
            let room = self.buffer.get_mut(self.window.end..).unwrap_or_default();
            let count = room.len().min(bytes.len());
            let Some((now, later)) = bytes.split_at_checked(count).filter(|_| count > 0) else {
                self.failed = true;
                return;
            };
            room.iter_mut().zip(now).for_each(|(slot, byte)| *slot = *byte);
            self.window.end += count;
            self.failed = self.scanner.feed(&mut self.buffer[..], &mut self.window).is_err();
            bytes = later;
        }
    }

    /// What is kept moves to the front, and what is not read yet behind it.
    fn make_room(&mut self) {
        let Window { start, out, read, end } = self.window;
        self.buffer.copy_within(read..end, out);
        let end = out + (end - read);
        self.buffer.copy_within(start..end, 0);
        self.scanner.shift(start);
        self.window = Window { start: 0, out: out - start, read: out - start, end: end - start };
    }

    fn end(mut self) -> Piece {
        let id = self.id();
        let has = |slot| self.scanner.has_seen(slot);
        Piece::TooLong { id, is_call: has(slot::METHOD), is_answer: has(slot::RESULT) || has(slot::ERROR) }
    }

    fn id(&mut self) -> Option<Vec<u8>> {
        if self.failed
            || self.scanner.finish(&mut self.buffer[..], &mut self.window).is_err()
            || self.scanner.duplicate()
        {
            return None;
        }
        let id = self.scanner.spans().get(slot::ID)?.of(&self.buffer[..]);
        umcp::rpc::Id::new(umcp::json::Value::new(id)).map(|id| id.raw().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(stream: &[u8], limit: usize, step: usize) -> Vec<Piece> {
        let mut lines = Lines::new(limit);
        let mut pieces = Vec::new();
        stream.chunks(step).for_each(|bytes| lines.take(bytes, |piece| pieces.push(piece)));
        pieces.extend(lines.finish());
        pieces
    }

    fn line(text: &str) -> Piece {
        Piece::Line(text.as_bytes().to_vec())
    }

    #[test]
    fn lines_are_the_same_at_every_split() {
        let long = format!(r#"{{"jsonrpc":"2.0","params":"{}","id":"läte"}}"#, "x".repeat(20_000));
        let long = long.replace("\"params\"", "\"method\":5,\"params\"");
        let first = format!(r#"{{"id":12345,"result":"{}"}}"#, "y\\u0041".repeat(3_000));
        let stream =
            format!("\u{feff}{{}}\n\r\n0123456789\n01234567890\n{long}\nnoise{}\n{first}\nlast", "z".repeat(9_000));
        let expected = [
            line("{}"),
            line("\r"),
            line("0123456789"),
            Piece::TooLong { id: None, is_call: false, is_answer: false },
            Piece::TooLong { id: Some("\"läte\"".as_bytes().to_vec()), is_call: true, is_answer: false },
            Piece::TooLong { id: None, is_call: false, is_answer: false },
            Piece::TooLong { id: Some(b"12345".to_vec()), is_call: false, is_answer: true },
            line("last"),
        ];
        for step in [1, 2, 3, 5, 7, 64, 1000, 4095, 4096, 4097, 100_000] {
            assert_eq!(pieces(stream.as_bytes(), 10, step), expected, "{step} bytes at a time");
        }
    }
}
