//! What stands at the front of the transmit buffer and has its head.

use super::exchange::Purpose;
use crate::rpc::{narrow, widen};

/// A message with its head, or what is left of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Framed {
    length: u32,
    whose: Whose,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    /// Of the exchange under way.
    Own,
    /// Of the one that will be next.
    Next(Purpose),
    /// Of none: it leaves on a stream of its own.
    Errand,
}

impl Framed {
    pub(super) const NOTHING: Framed = Framed { length: 0, whose: Whose::Own };

    pub(super) fn next(length: usize, purpose: Purpose) -> Framed {
        Framed { length: narrow(length), whose: Whose::Next(purpose) }
    }

    pub(super) fn errand(length: usize) -> Framed {
        Framed { length: narrow(length), whose: Whose::Errand }
    }

    pub(super) fn is_nothing(self) -> bool {
        self.length == 0
    }

    /// Its exchange has not begun.
    pub(super) fn is_next(self) -> bool {
        matches!(self.whose, Whose::Next(_))
    }

    /// How much of it belongs to the exchange under way.
    pub(super) fn own(self) -> usize {
        if self.whose == Whose::Own { widen(self.length) } else { 0 }
    }

    /// How much of it leaves on a stream of its own.
    pub(super) fn errands(self) -> usize {
        if self.whose == Whose::Errand { widen(self.length) } else { 0 }
    }

    /// Its exchange begins: for what.
    pub(super) fn begin(&mut self) -> Option<Purpose> {
        let Whose::Next(purpose) = self.whose else { return None };
        self.whose = Whose::Own;
        Some(purpose)
    }

    /// So many bytes have been put behind it that belong to it.
    pub(super) fn grown(self, count: u32) -> Framed {
        Framed { length: self.length.saturating_add(count), whose: self.whose }
    }

    /// So many bytes of it have left.
    pub(super) fn left(&mut self, count: usize) {
        self.length = self.length.saturating_sub(narrow(count));
        if self.length == 0 {
            *self = Framed::NOTHING;
        }
    }
}
