//! The receive half of a connection: one message at a time, or one element of a batch, held until the next is asked for.

use crate::json::Value;
use crate::mcp::CLIENT_KEYS;
use crate::rpc::{Arrival, Envelope, Inbox, Invalid, classify};
#[cfg(feature = "legacy")]
use batch::Batch;

/// Containers nested deeper than this are refused.
const MAX_DEPTH: u8 = crate::json::scan::Scanner::DEFAULT_DEPTH;

pub(crate) struct Inlet<'b> {
    inbox: Inbox<'b>,
    held: bool,
    /// The held message is to be read once more, as one that is too long.
    pub(super) once_more: bool,
    /// What is held is a request of a legacy server's, and waits until nothing is on its way piece by piece.
    #[cfg(feature = "legacy")]
    pub(super) parked: bool,
    #[cfg(feature = "legacy")]
    batch: Batch,
}

impl<'b> Inlet<'b> {
    pub(super) fn new(buf: &'b mut [u8]) -> Inlet<'b> {
        Inlet {
            inbox: Inbox::new(buf, &CLIENT_KEYS, MAX_DEPTH),
            held: false,
            once_more: false,
            #[cfg(feature = "legacy")]
            parked: false,
            #[cfg(feature = "legacy")]
            batch: Batch::NONE,
        }
    }

    pub(crate) fn inbox(&mut self) -> &mut Inbox<'b> {
        &mut self.inbox
    }

    pub(super) fn arrived(&self) -> &Inbox<'b> {
        &self.inbox
    }

    /// The longest message, in bytes.
    pub(crate) fn limit(&self) -> usize {
        self.inbox.limit()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.inbox.is_closed()
    }

    /// Lets go of what is held and takes what comes next, if it is there: from what is held, or by `pull`. What had to wait comes again.
    #[inline]
    pub(super) fn next(&mut self, pull: &mut impl FnMut(&mut Inbox<'_>) -> Arrival) -> Option<Arrival> {
        #[cfg(feature = "legacy")]
        if core::mem::take(&mut self.parked) {
            return Some(Arrival::Object);
        }
        #[cfg(feature = "legacy")]
        if let Some(arrival) = self.next_element() {
            return Some(arrival);
        }
        if core::mem::take(&mut self.once_more) {
            return Some(Arrival::TooLong);
        }
        self.inbox.release();
        let arrival = pull(&mut self.inbox);
        self.held = arrival != Arrival::Nothing;
        self.held.then_some(arrival)
    }

    /// Holds what there is of the message at hand, so that its members can be looked at. `false`: there is nothing, or it is held already.
    pub(super) fn hold_beginning(&mut self) -> bool {
        self.held = self.inbox.is_scanning();
        self.held
    }

    /// The message goes on.
    pub(super) fn let_go(&mut self) {
        self.held = false;
    }

    /// What kind of message the held object is.
    pub(super) fn envelope(&mut self) -> Result<Envelope, Invalid> {
        #[cfg(feature = "legacy")]
        if self.batch.element().is_present() {
            return self.element_envelope();
        }
        classify(self.inbox.scanner(), self.inbox.text())
    }

    /// The member of the held message in this slot.
    pub(crate) fn member(&self, slot: usize) -> Option<Value<'_>> {
        if !self.held {
            return None;
        }
        let text = self.inbox.scanner().spans().get(slot)?.of(self.inbox.text());
        (!text.is_empty()).then_some(Value::new(text))
    }

    /// Has its key been read, whether or not its value has?
    pub(super) fn has_seen(&self, slot: usize) -> bool {
        self.inbox.scanner().has_seen(slot)
    }

    /// Was something of the held message told, or passed over where it could have been?
    pub(super) fn has_told(&self) -> bool {
        self.inbox.scanner().has_told()
    }

    /// Is it an element of a batch that is held?
    pub(super) fn is_element(&self) -> bool {
        #[cfg(feature = "legacy")]
        return self.batch.element().is_present();
        #[cfg(not(feature = "legacy"))]
        false
    }

    /// The bytes of that member, to be read by a reader that undoes escapes in place.
    pub(super) fn member_mut(&mut self, slot: usize) -> &mut [u8] {
        let Some(text) = self.member(slot) else {
            return &mut [];
        };
        // The buffer is borrowed anew, mutably: the place is remembered as an offset.
        let start = text.raw().as_ptr().addr().wrapping_sub(self.inbox.text().as_ptr().addr());
        let range = start..start.wrapping_add(text.raw().len());
        self.inbox.parts().0.get_mut(range).unwrap_or_default()
    }

    /// The canonical text of what is held, as far as it was kept.
    pub(crate) fn text(&self) -> &[u8] {
        if !self.held {
            return &[];
        }
        #[cfg(feature = "legacy")]
        if self.batch.element().is_present() {
            return self.batch.element().of(self.inbox.text());
        }
        let (start, end) = self.inbox.bounds();
        self.inbox.text().get(start..end).unwrap_or_default()
    }

    /// A message is held.
    #[cfg(feature = "http")]
    pub(crate) fn is_held(&self) -> bool {
        self.held
    }

    /// The stream has ended, and left the beginning of a message behind.
    pub(crate) fn has_torso(&self) -> bool {
        let (start, end) = self.inbox.bounds();
        !self.held && start < end
    }
}

#[cfg(feature = "legacy")]
mod batch {
    use super::*;
    use crate::json::scan::{Outcome, Span, Window};
    use crate::rpc::{narrow, widen};

    /// How much of a held array has been taken apart.
    pub(super) struct Batch {
        /// The element that is held, instead of the whole message, begins here, and ends where the rest begins.
        element: u32,
        /// What is left, the text of an array, begins here.
        rest: u32,
        end: u32,
    }

    impl Batch {
        pub(super) const NONE: Batch = Batch { element: 0, rest: 0, end: 0 };

        pub(super) fn element(&self) -> Span {
            Span { start: self.element, end: self.rest }
        }

        fn rest(&self) -> Span {
            Span { start: self.rest, end: self.end }
        }
    }

    impl Inlet<'_> {
        /// Takes the held array apart, one element at each [`next`](Inlet::next). `false`: it is empty.
        pub(in crate::client) fn open_batch(&mut self) -> bool {
            let (start, end) = self.inbox.bounds();
            let (start, end) = (narrow(start), narrow(end));
            self.batch = Batch { element: start, rest: start, end };
            self.first_of_batch().is_some()
        }

        fn first_of_batch(&self) -> Option<Value<'_>> {
            Value::new(self.batch.rest().of(self.inbox.text())).items().next()
        }

        pub(super) fn next_element(&mut self) -> Option<Arrival> {
            let Some(element) = self.first_of_batch() else {
                self.batch = Batch::NONE;
                return None;
            };
            let arrival = if element.is_object() { Arrival::Object } else { Arrival::Scalar };
            let start = self.batch.rest.saturating_add(1);
            let end = start.saturating_add(narrow(element.raw().len()));
            // What is left is an array again once its comma has become a bracket.
            if let Some(byte) = self.inbox.parts().0.get_mut(widen(end))
                && *byte == b','
            {
                *byte = b'[';
            }
            (self.batch.element, self.batch.rest) = (start, end);
            self.inbox.parts_mut().1.reset();
            Some(arrival)
        }

        /// The scanner has done with the array, of which no spans are needed. The element is canonical already, so nothing in it moves.
        pub(super) fn element_envelope(&mut self) -> Result<Envelope, Invalid> {
            let Span { start, end } = self.batch.element();
            let (start, end) = (widen(start), widen(end));
            let (buf, scanner) = self.inbox.parts_mut();
            // It may have been read before, and have had to wait.
            scanner.reset();
            let mut window = Window { start, out: start, read: start, end };
            match scanner.finish(buf, &mut window) {
                Ok(Outcome::Object) => classify(scanner, buf),
                _ => Err(Invalid::NotAnObject),
            }
        }
    }
}
