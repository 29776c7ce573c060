//! JSON-RPC 2.0 in fixed memory: ids, envelopes, what arrives, what leaves, and the table of requests in flight. It knows no MCP.

pub mod code;
mod id;
mod inbox;
mod message;
mod outbox;
#[cfg(feature = "client")]
mod pending;

pub use id::{Id, KeptId, MAX_KEPT_ID};
pub(crate) use inbox::{Arrival, Inbox};
pub use message::{Envelope, Invalid, slot};
pub(crate) use message::classify;
pub(crate) use outbox::{Affixes, Outbox, Pen};
#[cfg(feature = "client")]
pub use pending::{Pending, RequestHandle};
#[cfg(feature = "client")]
pub(crate) use pending::{Answered, Patience, PendingTable};
