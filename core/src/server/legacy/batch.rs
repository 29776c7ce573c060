//! Batches: arrays of messages, which only revision 2025-03-26 has (2025-03-26, *Overview: Batching*).

use crate::json::scan::{Scanner, Window};
use crate::json::value_len;
use crate::rpc::{Affixes, Inbox, Invalid, classify};
use crate::server::connection::LINE;
use crate::server::event::Happened;
use crate::server::request::Source;
use crate::server::serve::Core;
use crate::server::{Connection, Endpoint};

/// A batch that is being answered, item by item. The array stays in the receive buffer meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    /// Where the next item begins.
    next: u32,
    end: u32,
    /// A reply has been written.
    answered: bool,
}

impl Batch {
    /// A batch whose array is held. `None`: it is empty.
    pub(crate) fn new(inbox: &Inbox<'_>) -> Option<Batch> {
        let (text, (start, end)) = (inbox.text(), inbox.bounds());
        let is_empty = text.get(start..end).is_none_or(|array| array == b"[]");
        let (start, end) = (u32::try_from(start).ok()?, u32::try_from(end).ok()?);
        (!is_empty).then_some(Batch { next: start.saturating_add(1), end: end.saturating_sub(1), answered: false })
    }

    /// Scans the next item, in place: canonical text stays as it is. `false`: it is no object.
    fn next(&mut self, text: &mut [u8], scanner: &mut Scanner) -> Option<bool> {
        let next = self.next as usize;
        let rest = text.get(next..self.end as usize)?;
        let length = value_len(rest)?;
        let item_end = next.saturating_add(length);
        let is_object = rest.first() == Some(&b'{');
        let mut window = Window { start: next, out: next, read: next, end: item_end };
        // It has been scanned before as part of the array, of which no spans are needed.
        scanner.reset();
        let scanned = scanner.feed(text, &mut window);
        self.next = u32::try_from(item_end).unwrap_or(u32::MAX).saturating_add(1);
        Some(is_object && scanned.is_ok())
    }

    /// Serves the next item, whose reply is not accompanied by notifications. `None`: there is no other.
    pub(crate) fn serve_next<A>(
        &mut self,
        core: &mut Core<'_>,
        inbox: &mut Inbox<'_>,
        endpoint: &mut Endpoint<A>,
        app: &mut A,
    ) -> Option<Happened> {
        let (text, scanner) = inbox.parts_mut();
        let is_object = self.next(text, scanner)?;
        let kind = if is_object { classify(scanner, text) } else { Err(Invalid::NotAnObject) };
        let mut source = Source::new(text, scanner);
        core.quiet = true;
        core.noise = false;
        let happened = core.handle_message(kind, &mut source, endpoint, app);
        core.quiet = false;
        Some(happened)
    }

    /// What stands around the next reply.
    fn affixes(&self) -> &'static Affixes {
        match self.answered {
            true => &Affixes { before: ",", after: "" },
            false => &Affixes { before: "[", after: "" },
        }
    }
}

impl Connection<'_> {
    /// Begins with the array that has arrived. `false`: it is empty, or no batch is allowed.
    pub(crate) fn begin_batch(&mut self) -> bool {
        if self.core.session.allows_batches() {
            self.batch = Batch::new(&self.inbox);
        }
        self.batch.is_some()
    }

    /// Serves the next item. Its reply is an item of the array that goes back. `None`: there is no other.
    #[inline(never)]
    pub(crate) fn continue_batch<A>(&mut self, endpoint: &mut Endpoint<A>, app: &mut A) -> Option<Happened> {
        let mut batch = self.batch?;
        self.core.outbox.set_affixes(batch.affixes());
        let Some(happened) = batch.serve_next(&mut self.core, &mut self.inbox, endpoint, app) else {
            self.end_batch(batch);
            return None;
        };
        batch.answered |= !self.core.outbox.is_empty();
        self.batch = Some(batch);
        Some(happened)
    }

    fn end_batch(&mut self, batch: Batch) {
        self.batch = None;
        self.core.outbox.set_affixes(&LINE);
        if batch.answered {
            // The buffer is empty: there is room for two bytes.
            self.core.outbox.part(0, |w| {
                w.literal("]\n");
            });
        }
    }
}
