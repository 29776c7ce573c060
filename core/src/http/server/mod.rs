//! A server over HTTP: one endpoint, one request at a time on each connection, any number of connections.
//!
//! ```text
//! bytes → head → Site: may it be? → body → the engine of crate::server → one JSON text, or a stream of events → bytes
//! ```
//! [`Connection`] is the state machine of one socket, in memory that the caller lends; it reads no clock and opens nothing. [`Site`] is what all
//! the connections of one server share: the path, who may ask, the limits. The catalog, the handlers and deferred calls are those of
//! [`crate::server`]: a handler does not know which wire its request came over.
//!
//! ```
//! use umcp::http::server::{Connection, Memory, Site};
//! use umcp::server::{Catalog, Endpoint};
//! use umcp::time::Instant;
//! use umcp::tool;
//!
//! static CATALOG: Catalog<()> =
//!     Catalog::new("example", "1.0").tools(&[tool!("hello", "Greets.", |(), call| call.text("hello"))]);
//!
//! let mut memory = Memory::<1024, 2048, 2048>::new();
//! let mut conn = Connection::new(memory.lend());
//! let mut site = Site::new("/mcp");
//! let mut endpoint = Endpoint::new(&CATALOG);
//!
//! let request = b"GET /elsewhere HTTP/1.1\r\nHost: localhost\r\n\r\n";
//! conn.receive_buffer()[..request.len()].copy_from_slice(request);
//! conn.commit(request.len());
//! conn.serve(&mut site, &mut endpoint, &mut (), Instant::ZERO);
//! assert!(conn.transmit().starts_with(b"HTTP/1.1 404 Not Found\r\n"));
//! ```
//!
//! # What it answers besides the engine's replies
//!
//! | what | status |
//! |---|---|
//! | a head that is none | 400, 414, 431, 501, 505: [`HeadError::status`](crate::frame::http::HeadError::status) |
//! | what the `authorize` hook refuses | 401, 403 |
//! | another path | 404 |
//! | an `Origin` that is not on the list; a `Host` that is not this machine, on a [local](Site::local) site | 403 |
//! | another method than `POST` | 405 |
//! | an unknown or ended `Mcp-Session-Id`, of a legacy client | 404 |
//! | none, where it needs one; a revision that is none | 400 |
//! | an `Accept` that takes neither JSON nor events | 406 |
//! | a head or a body that does not come to its end in time | 408 |
//! | no length, and no chunks | 411 |
//! | a body longer than [`Site::max_body`] | 413 |
//! | a body that is not declared as JSON | 415 |
//! | a legacy client, while all sessions are in use | 503 |
//!
//! `Origin` keeps a web page from using a server that its visitor can reach. It says nothing about who asks: that is what the
//! [`authorize`](crate::server::Catalog::authorize) hook is for, which sees `Authorization`.

mod connection;
mod headers;
mod incoming;
#[cfg(feature = "legacy")]
mod legacy;
#[cfg(not(feature = "legacy"))]
#[path = "no_legacy.rs"]
mod legacy;
mod link;
mod memory;
mod outgoing;
mod refusal;
mod reply;
mod site;

pub use connection::Connection;
#[cfg(feature = "legacy")]
pub use legacy::{HttpSession, MAX_OPEN_STREAMS, Random, Sessions};
pub use memory::{Lent, MIN_HEAD, Memory};
pub use site::Site;
