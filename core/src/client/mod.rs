//! The client: it finds out which era a server is of, sends requests and matches what comes back. Without I/O;
//! [`io::Client`](crate::io::Client) is the comfortable way to use it.
//!
//! ```
//! use umcp::client::{Config, Connection, Event, Memory, Options};
//! use umcp::time::Instant;
//!
//! let mut memory: Memory<1024, 1024> = Memory::new();
//! let mut conn = Connection::line(memory.lend(), Config::new("example", "1.0"));
//! let now = Instant::ZERO;
//!
//! assert!(matches!(conn.next_event(now), Event::NeedData)); // it has begun: the probe waits to leave
//! let sent = conn.transmit().len();
//! assert!(conn.transmit().starts_with(br#"{"jsonrpc":"2.0","id":1,"method":"server/discover""#));
//! conn.transmitted(sent);
//!
//! let answer = br#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}"#;
//! conn.receive_buffer()[..answer.len()].copy_from_slice(answer);
//! conn.receive_buffer()[answer.len()] = b'\n';
//! conn.commit(answer.len() + 1);
//! assert!(matches!(conn.next_event(now), Event::Connected(server) if server.features().tools));
//!
//! let handle = conn.call("temperature_read", &(), Options::DEFAULT, now);
//! assert!(handle.is_ok());
//! ```

mod advance;
mod arguments;
mod config;
mod connection;
mod content;
pub(crate) mod engine;
mod error;
mod event;
#[cfg(feature = "http")]
mod exchanges;
mod handshake;
mod host;
mod inlet;
mod input;
mod items;
mod kind;
#[cfg(feature = "legacy")]
mod legacy;
mod letter;
mod listen;
mod memory;
mod notify;
mod opening;
pub mod params;
mod pieces;
mod request;
mod retry;
mod server;
mod upload;
mod uploading;

pub use arguments::{NotArguments, arguments};
pub use config::{Config, Options, Verdict};
pub use connection::Connection;
pub use content::{Content, Contents, Embedded};
pub use engine::Engine;
pub use error::{Failed, Lost, Refused, RemoteError};
pub use event::{Event, Happened, Ignored, ListenEnd};
pub use host::Host;
pub use input::{Input, InputRequired};
pub use items::{Argument, Prompt, Resource, Template, Tool};
#[cfg(feature = "legacy")]
pub use legacy::{Deferred, ServerRequest};
pub use listen::{Listen, ListenFilter};
pub use memory::{Lent, Memory};
pub use params::Reference;
pub use pieces::Chunk;
pub use server::{Features, Server};
pub use upload::Upload;
pub use uploading::{NotTaken, Uploading};
