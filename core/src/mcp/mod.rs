//! What the protocol says, whoever speaks: revisions and eras, methods, `_meta`, capabilities, content, and the one table of faults.

pub mod capabilities;
pub mod content;
pub mod faults;
mod keys;
mod level;
mod method;
mod revision;

pub use capabilities::ClientCapabilities;
pub use faults::Fault;
#[cfg(feature = "http")]
pub use faults::{HeaderFault, HeaderName};
#[cfg(feature = "client")]
pub(crate) use keys::CLIENT_KEYS;
#[cfg(feature = "server")]
pub(crate) use keys::SERVER_KEYS;
pub(crate) use keys::slot;
pub use level::Level;
pub use method::{InputKind, List, Method, Notification};
pub use revision::{Era, Revision};

/// The member of `_meta` that holds a subscription's id (2026-07-28, *Subscriptions*).
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// The member of `_meta` that holds a request's protocol version (2026-07-28, *Overview: `_meta`*).
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The member of `_meta` that names the client.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// The member of `_meta` that declares what the client can do.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The member of `_meta` that asks for log messages.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// The member of a result's `_meta` that names the server.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
