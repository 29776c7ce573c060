//! The handshake revisions over HTTP (2025-11-25, *Transports: Streamable HTTP*): sessions, the stream that a client opens by `GET`, questions in
//! the stream of a reply, and streams that are taken up again.
//!
//! A session is what one client and this server have agreed upon; it outlives connections, so it is in a table of the [`Site`](super::Site).
//! While a connection serves a request of it, what the engine keeps of a legacy client is on loan there.

mod batch;
mod replay;
mod session;
mod sessions;
mod stream;

pub(super) use crate::server::legacy::Batch;
pub(super) use replay::EventId;
pub use session::HttpSession;
pub use sessions::{MAX_OPEN_STREAMS, Random, Sessions};
pub(super) use stream::Tie;
