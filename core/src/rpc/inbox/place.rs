//! Where in the buffer a message stands, in half the room.

use crate::json::scan::Window;
use crate::rpc::{narrow, widen};

/// A [`Window`] in a buffer of at most 4 GB.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    start: u32,
    out: u32,
    read: u32,
    end: u32,
}

impl Place {
    /// An empty one, at the front of the buffer.
    pub(super) const FRONT: Place = Place { start: 0, out: 0, read: 0, end: 0 };

    pub(super) fn of(window: Window) -> Place {
        let Window { start, out, read, end } = window;
        Place { start: narrow(start), out: narrow(out), read: narrow(read), end: narrow(end) }
    }

    pub(super) fn wide(self) -> Window {
        Window { start: widen(self.start), out: widen(self.out), read: widen(self.read), end: widen(self.end) }
    }

    pub(super) fn read(self) -> usize {
        widen(self.read)
    }

    pub(super) fn end(self) -> usize {
        widen(self.end)
    }

    pub(super) fn set_read(&mut self, read: usize) {
        self.read = narrow(read).min(self.end);
    }

    pub(super) fn set_end(&mut self, end: usize) {
        self.end = narrow(end);
    }

    /// Is there no canonical text?
    pub(super) fn is_empty(self) -> bool {
        self.start == self.out
    }

    /// Drops the canonical text.
    pub(super) fn empty(&mut self) {
        self.out = self.start;
    }

    /// Drops all that has been read: what follows is the beginning of a message.
    pub(super) fn begin(&mut self) {
        (self.start, self.out) = (self.read, self.read);
    }
}
