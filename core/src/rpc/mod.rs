//! JSON-RPC 2.0 in fixed memory: ids, envelopes, what arrives, what leaves, and the table of requests in flight. It knows no MCP.

pub mod code;
mod id;
mod inbox;
mod link;
mod message;
mod outbox;
#[cfg(feature = "client")]
mod pending;

pub use id::{Id, KeptId, MAX_KEPT_ID};
pub(crate) use inbox::{Arrival, Inbox};
pub use link::Link;
pub use message::{Envelope, Invalid, classify, slot};
pub(crate) use outbox::{Affixes, Outbox, Pen};
#[cfg(feature = "client")]
pub(crate) use pending::{Answered, Patience, PendingTable};
#[cfg(feature = "client")]
pub use pending::{Pending, RequestHandle};

/// A length or an offset in half the room: no buffer of more than 4 GB is lent to anybody.
pub(crate) fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

pub(crate) fn widen(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// Moves the bytes of `from` down to `to`, as far as both lie inside the buffer. In this shape the compiler sees that it cannot panic.
pub(crate) fn move_down(buf: &mut [u8], from: core::ops::Range<usize>, to: usize) {
    if let Some(gap) = from.start.checked_sub(to)
        && let Some(region) = buf.get_mut(to..from.end)
        && gap <= region.len()
    {
        region.copy_within(gap.., 0);
    }
}

/// Moves the bytes of `from`, a few, up by `count`, as far as the buffer reaches: one by one, since `copy_within` keeps a panic here.
fn move_up(buf: &mut [u8], from: core::ops::Range<usize>, count: usize) {
    for at in from.rev() {
        if let Some(&byte) = buf.get(at)
            && let Some(place) = buf.get_mut(at.saturating_add(count))
        {
            *place = byte;
        }
    }
}
