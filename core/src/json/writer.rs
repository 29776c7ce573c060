//! [`Writer`]: compact JSON into a lent buffer.

mod again;
mod base64;
mod error;
mod ser;
mod start;
mod structure;

use core::fmt;

pub use base64::Base64;
pub use error::Capacity;

use super::text::{self, Utf8};

/// Writes compact, canonical JSON into a buffer the caller lends.
///
/// Commas and colons are placed by the writer; that begin and end match, and that keys stand in objects only, is the caller's business.
/// Nothing has to be checked on the way: what does not fit is counted, [`overflowed`](Writer::overflowed) stays set, and the bytes kept are
/// always the beginning of the text.
///
/// ```
/// use umcp::json::Writer;
/// let mut buf = [0; 64];
/// let mut w = Writer::new(&mut buf);
/// w.begin_object().member_str("unit", "°C").key("readings").begin_array().int(21).int(22).end_array().end_object();
/// assert_eq!(w.written(), r#"{"unit":"°C","readings":[21,22]}"#.as_bytes());
/// ```
///
/// # Three uses
/// - **Transactional**: [`new`](Writer::new), with [`mark`](Writer::mark) and [`rollback`](Writer::rollback) around what may not fit.
/// - **A text longer than the buffer**: [`window`](Writer::window). The same text is written again, from the start, for each window.
/// - **Measuring**: [`counting`](Writer::counting), for a length that has to be known before the first byte leaves.
#[derive(Debug)]
pub struct Writer<'a> {
    buf: &'a mut [u8],
    /// Bytes kept, at the start of `buf`. Once something has not fitted, this is all of `buf`, so that nothing fits any more.
    len: usize,
    /// Bytes to be dropped before the first one kept, and how many of them are still to come.
    skip: usize,
    skip_left: usize,
    /// Bytes that came after the buffer was full.
    lost: usize,
    /// Whether the next key or value is preceded by a comma.
    comma: bool,
    failed: bool,
}

/// A place in what has been written: [`Writer::mark`].
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    len: usize,
    skip_left: usize,
    lost: usize,
    comma: bool,
    failed: bool,
}

impl<'a> Writer<'a> {
    /// Writes from the start of `buf`.
    pub const fn new(buf: &'a mut [u8]) -> Writer<'a> {
        Writer::window(buf, 0)
    }

    /// Drops the first `skip` bytes of all that is written and keeps what follows, as far as `buf` reaches: the bytes kept are exactly
    /// `text[skip..][..len()]`, cut without regard to characters. So a text of any length leaves through a small buffer, by writing it again with
    /// `skip` moved on by `len()` until nothing [`overflowed`](Writer::overflowed). Each window costs the time of writing everything before it.
    pub const fn window(buf: &'a mut [u8], skip: usize) -> Writer<'a> {
        Writer { buf, len: 0, skip, skip_left: skip, lost: 0, comma: false, failed: false }
    }

    /// Keeps nothing and counts: [`total`](Writer::total) is the length of the text. Never overflows.
    pub const fn counting() -> Writer<'static> {
        Writer::window(&mut [], usize::MAX)
    }

    /// Bytes kept.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing has been kept.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes written in all, whether kept, dropped before the window, or lost behind it.
    pub const fn total(&self) -> usize {
        (self.skip - self.skip_left).saturating_add(self.len).saturating_add(self.lost)
    }

    /// Whether something did not fit into the buffer. Nothing after it has been kept.
    pub const fn overflowed(&self) -> bool {
        self.lost > 0
    }

    /// Whether a value refused to be written (see [`value`](Writer::value)); a `null` stands in its place. Not a matter of room: it would fail again.
    pub const fn failed(&self) -> bool {
        self.failed
    }

    /// How many bytes more there is room for.
    pub const fn room(&self) -> usize {
        self.buf.len() - self.len
    }

    /// The bytes kept.
    pub fn written(&self) -> &[u8] {
        self.buf.get(..self.len).unwrap_or_default()
    }

    /// The number of bytes kept, if all that was written (less what was to be dropped) has been kept.
    ///
    /// # Errors
    /// [`Capacity`] if it did not fit. Whether a value [`failed`](Writer::failed) is a question of its own.
    pub const fn finish(self) -> Result<usize, Capacity> {
        match self.lost {
            0 => Ok(self.len),
            lost => Err(Capacity { needed: self.len.saturating_add(lost) }),
        }
    }

    /// Remembers this place, to return to it with [`rollback`](Writer::rollback).
    pub const fn mark(&self) -> Mark {
        let Writer { len, skip_left, lost, comma, failed, .. } = *self;
        Mark { len, skip_left, lost, comma, failed }
    }

    /// How many bytes have been kept since `mark`.
    pub(crate) fn since(&self, mark: &Mark) -> usize {
        self.len.saturating_sub(mark.len)
    }

    /// Forgets everything written since `mark`, overflow and failure included. The mark must be this writer's own.
    pub fn rollback(&mut self, mark: Mark) {
        self.len = mark.len.min(self.buf.len());
        self.skip_left = mark.skip_left.min(self.skip);
        self.lost = mark.lost;
        self.comma = mark.comma;
        self.failed = mark.failed;
    }

    /// Appends bytes as they are.
    #[inline]
    pub(super) fn put(&mut self, bytes: &[u8]) {
        let room = self.buf.get_mut(self.len..).unwrap_or_default();
        match room.split_at_mut_checked(bytes.len()) {
            Some((room, _)) if self.skip_left == 0 => {
                copy(room, bytes);
                self.len += bytes.len();
            }
            _ => self.put_partly(bytes),
        }
    }

    /// Appends what of `bytes` lies inside the window, and counts the rest.
    #[cold]
    fn put_partly(&mut self, bytes: &[u8]) {
        let skipped = bytes.len().min(self.skip_left);
        self.skip_left -= skipped;
        let bytes = bytes.get(skipped..).unwrap_or_default();
        let room = self.buf.get_mut(self.len..).unwrap_or_default();
        let kept = bytes.len().min(room.len());
        copy(room, bytes);
        self.len += kept;
        self.lost = self.lost.saturating_add(bytes.len() - kept);
    }

    pub(super) fn put_char(&mut self, char: char) {
        self.put(Utf8::new(char).as_bytes());
    }

    /// Appends the content of a string, which is UTF-8, escaped.
    fn put_escaped(&mut self, text: &[u8]) {
        let mut rest = text;
        loop {
            let (plain, special) = text::split_plain(rest);
            self.put(plain);
            let [byte, after @ ..] = special else { return };
            self.put(text::escape(*byte).as_bytes());
            rest = after;
        }
    }
}

/// Copies as much of `from` as fits. A `memcpy`; `copy_from_slice` would keep its panic where the optimizer is told to save space.
#[inline]
fn copy(to: &mut [u8], from: &[u8]) {
    for (slot, byte) in to.iter_mut().zip(from) {
        *slot = *byte;
    }
}

/// Formats into the content of a string, escaped.
struct Escaped<'w, 'a>(&'w mut Writer<'a>);

impl fmt::Write for Escaped<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.put_escaped(text.as_bytes());
        Ok(())
    }

    fn write_char(&mut self, char: char) -> fmt::Result {
        self.0.put_escaped(Utf8::new(char).as_bytes());
        Ok(())
    }
}

/// Formats as it is.
struct Plain<'w, 'a>(&'w mut Writer<'a>);

impl fmt::Write for Plain<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.put(text.as_bytes());
        Ok(())
    }

    fn write_char(&mut self, char: char) -> fmt::Result {
        self.0.put_char(char);
        Ok(())
    }
}
