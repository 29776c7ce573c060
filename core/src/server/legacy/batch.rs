//! Batches: arrays of messages, which only revision 2025-03-26 has (2025-03-26, *Overview: Batching*).

use crate::json::scan::{Scanner, Window};
use crate::json::value_len;
use crate::mcp::SERVER_KEYS;
use crate::rpc::{Affixes, Invalid, classify};
use crate::server::connection::{Happened, LINE};
use crate::server::request::Source;
use crate::server::{Connection, Endpoint};

/// A batch that is being answered, item by item. The array stays in the receive buffer meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    /// Where the next item begins.
    next: usize,
    end: usize,
    /// A reply has been written.
    answered: bool,
}

/// One item of a batch.
struct Item {
    scanner: Scanner,
    is_object: bool,
}

impl Batch {
    /// A batch whose array is `start..end` of the buffer. `None`: it is empty.
    fn new(text: &[u8], start: usize, end: usize) -> Option<Batch> {
        let is_empty = text.get(start..end).is_none_or(|array| array == b"[]");
        (!is_empty).then_some(Batch { next: start.saturating_add(1), end: end.saturating_sub(1), answered: false })
    }

    /// Scans the next item, in place: canonical text stays as it is.
    fn next(&mut self, text: &mut [u8]) -> Option<Item> {
        let rest = text.get(self.next..self.end)?;
        let length = value_len(rest)?;
        let item_end = self.next.saturating_add(length);
        let is_object = rest.first() == Some(&b'{');
        let mut scanner = Scanner::new(&SERVER_KEYS, Scanner::DEFAULT_DEPTH);
        let mut window = Window { start: self.next, out: self.next, read: self.next, end: item_end };
        // It has been scanned before as part of the array.
        let scanned = scanner.feed(text, &mut window);
        self.next = item_end.saturating_add(1);
        Some(Item { scanner, is_object: is_object && scanned.is_ok() })
    }

    /// What stands around the next reply.
    fn affixes(&self) -> Affixes {
        Affixes { before: if self.answered { "," } else { "[" }, after: "" }
    }
}

impl Connection<'_> {
    /// Begins with the array that has arrived. `false`: it is empty, or no batch is allowed.
    pub(crate) fn begin_batch(&mut self) -> bool {
        if self.core.session.allows_batches() {
            let (start, end) = self.inbox.bounds();
            self.batch = Batch::new(self.inbox.text(), start, end);
        }
        self.batch.is_some()
    }

    /// Serves the next item. Its reply is an item of the array that goes back. `None`: there is no other.
    pub(crate) fn continue_batch<A>(&mut self, endpoint: &mut Endpoint<A>, app: &mut A) -> Option<Happened> {
        let mut batch = self.batch?;
        let (text, _) = self.inbox.parts();
        let Some(Item { scanner, is_object }) = batch.next(text) else {
            self.end_batch(batch);
            return None;
        };
        let kind = if is_object { classify(&scanner, text) } else { Err(Invalid::NotAnObject) };
        let mut source = Source::new(text, &scanner);
        self.core.quiet = true;
        self.core.noise = false;
        self.core.outbox.set_affixes(batch.affixes());
        let happened = self.core.handle_message(kind, &mut source, endpoint, app);
        self.core.quiet = false;
        batch.answered |= !self.core.outbox.is_empty();
        self.batch = Some(batch);
        Some(happened)
    }

    fn end_batch(&mut self, batch: Batch) {
        self.batch = None;
        self.core.outbox.set_affixes(LINE);
        if batch.answered {
            // The buffer is empty: there is room for two bytes.
            self.core.outbox.part(0, |w| {
                w.literal("]\n");
            });
        }
    }
}
