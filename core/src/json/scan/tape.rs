//! The buffer while it is read and rewritten at the same time.

/// The part of a buffer that one message occupies while it is scanned.
///
/// `buf[start..out]` is canonical text and `buf[read..end]` raw bytes that are not read yet; what lies between
/// (`out <= read` always) is free. The caller appends at `end`. Between two calls it may also
///
/// - move the raw bytes down to `out` to close the gap, if nothing else lies behind them, and
/// - move all of `start..end` towards the front of the buffer, telling [`Scanner::shift`](super::Scanner::shift).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Where the message's canonical text starts.
    pub start: usize,
    /// Where it ends so far.
    pub out: usize,
    /// The first raw byte that was not read yet.
    pub read: usize,
    /// Just behind the last raw byte.
    pub end: usize,
}

impl Window {
    /// The same window with the order of its offsets enforced, within a buffer of `len` bytes.
    pub(super) fn within(self, len: usize) -> Window {
        let end = self.end.min(len);
        let read = self.read.min(end);
        let out = self.out.min(read);
        let start = self.start.min(out);
        Window { start, out, read, end }
    }
}

/// A head that reads raw bytes at `pos` and writes canonical ones behind itself.
///
/// Bytes that are canonical as they stand are not copied one by one. They gather in a *run*, `buf[run..pos]`, which
/// moves down to `out` as a whole when something has to be removed behind it; it never moves while nothing has been.
pub(super) struct Tape<'a> {
    buf: &'a mut [u8],
    out: usize,
    run: usize,
    pos: usize,
    /// While discarding: where to go back to when what was written is not wanted,
    pub(super) floor: usize,
    /// and how long an id that is kept may be.
    pub(super) limit: usize,
}

impl<'a> Tape<'a> {
    /// A tape over what `w` says of `buf`.
    pub(super) fn new(buf: &'a mut [u8], w: Window, floor: usize, limit: usize) -> Tape<'a> {
        let buf = buf.get_mut(..w.end).unwrap_or_default();
        Tape { buf, out: w.out, run: w.read, pos: w.read, floor, limit }
    }

    /// The bytes not read yet.
    pub(super) fn rest(&self) -> &[u8] {
        self.buf.get(self.pos..).unwrap_or(&[])
    }

    /// The next byte.
    pub(super) fn peek(&self) -> Option<u8> {
        self.buf.get(self.pos).copied()
    }

    /// Reads `count` bytes, of those in `rest`, that are canonical as they stand.
    pub(super) fn keep(&mut self, count: usize) {
        self.pos += count;
    }

    /// Reads `count` bytes, of those in `rest`, and drops them.
    pub(super) fn skip(&mut self, count: usize) {
        self.settle();
        self.pos += count;
        self.run = self.pos;
    }

    /// Reads white space and drops it. Says whether there was some.
    #[inline(always)]
    pub(super) fn skip_space(&mut self) -> bool {
        if !matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            return false;
        }
        let count = self.rest().iter().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t')).count();
        self.skip(count);
        true
    }

    /// Reads `count` bytes, of those in `rest`, and writes `text`, which is no longer, in their place.
    pub(super) fn replace(&mut self, count: usize, text: &[u8]) {
        self.skip(count);
        let end = self.out + text.len();
        if let Some(place) = self.buf.get_mut(self.out..end) {
            for (to, from) in place.iter_mut().zip(text) {
                *to = *from;
            }
            self.out = end;
        }
    }

    /// The offset in the canonical text of what is read next.
    pub(super) fn offset(&self) -> usize {
        self.out + (self.pos - self.run)
    }

    /// The canonical text from offset `from` to the present one.
    pub(super) fn since(&mut self, from: usize) -> &[u8] {
        if from < self.out {
            self.settle();
            self.buf.get(from..self.out).unwrap_or(&[])
        } else {
            let gap = self.run - self.out;
            self.buf.get(from.saturating_add(gap)..self.pos).unwrap_or(&[])
        }
    }

    /// The last byte of the canonical text.
    pub(super) fn last(&self) -> Option<u8> {
        let end = if self.run < self.pos { self.pos } else { self.out };
        self.buf.get(end.wrapping_sub(1)).copied()
    }

    /// Takes back a comma that ends the canonical text.
    pub(super) fn drop_comma(&mut self) {
        if self.last() == Some(b',') {
            self.rewind(self.offset() - 1);
        }
    }

    /// Takes back the byte that was read last, and kept.
    pub(super) fn unread(&mut self) {
        self.pos = self.pos.saturating_sub(1).max(self.run);
    }

    /// Takes back the canonical text from offset `floor` on.
    pub(super) fn rewind(&mut self, floor: usize) {
        if floor > self.out {
            self.settle();
        }
        self.out = self.out.min(floor);
        self.run = self.pos;
    }

    /// Where the canonical text and the bytes read end: the tape's last act.
    pub(super) fn finish(mut self) -> (usize, usize) {
        self.settle();
        (self.out, self.pos)
    }

    /// Moves the run down to where it belongs.
    #[inline(always)]
    fn settle(&mut self) {
        let (gap, len) = (self.run - self.out, self.pos - self.run);
        if gap > 0
            && len > 0
            && let Some(region) = self.buf.get_mut(self.out..self.pos)
        {
            move_down(region, gap);
        }
        self.out += len;
        self.run = self.pos;
    }
}

/// Moves what is behind the first `gap` bytes of `region` to its front.
#[cfg(target_pointer_width = "64")]
#[inline(always)]
fn move_down(region: &mut [u8], gap: usize) {
    if gap <= region.len() {
        region.copy_within(gap.., 0);
    }
}

/// The same without `copy_within`, which has a panic in it that is not optimised away where size is all.
#[cfg(not(target_pointer_width = "64"))]
fn move_down(region: &mut [u8], gap: usize) {
    let cells = core::cell::Cell::from_mut(region).as_slice_of_cells();
    for (to, from) in cells.iter().zip(cells.iter().skip(gap)) {
        to.set(from.get());
    }
}
