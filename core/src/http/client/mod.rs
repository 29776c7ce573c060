//! The client over HTTP: the [`Engine`](crate::client::Engine) of any client, framed by one exchange at a time.
//!
//! ```
//! use umcp::client::{Config, Event, Options};
//! use umcp::http::client::{Connection, Endpoint, Memory, Stream};
//! use umcp::time::Instant;
//!
//! let mut memory: Memory<1024, 1024> = Memory::new();
//! let target = Endpoint { host: "board.local:8080", path: "/mcp" };
//! let mut conn = Connection::new(memory.lend(), Config::new("example", "1.0"), &target);
//! let now = Instant::ZERO;
//!
//! assert!(matches!(conn.next_event(now), Event::NeedData)); // it has begun: the probe waits to leave
//! assert_eq!(conn.stream(), Stream::Open); // so open a socket, and say so
//! conn.opened();
//! let sent = conn.transmit().len();
//! assert!(conn.transmit().starts_with(b"POST /mcp HTTP/1.1\r\nHost: board.local:8080\r\n"));
//! conn.transmitted(sent);
//!
//! let answer = br#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}"#;
//! let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", answer.len());
//! let reply = [head.as_bytes(), answer].concat();
//! conn.receive_buffer()[..reply.len()].copy_from_slice(&reply);
//! conn.commit(reply.len());
//! assert!(matches!(conn.next_event(now), Event::Connected(server) if server.features().tools));
//!
//! let handle = conn.send(|engine| engine.call("temperature_read", &(), Options::DEFAULT, now));
//! assert!(handle.is_ok());
//! ```

mod advance;
mod annotations;
mod connection;
mod exchange;
mod framed;
#[cfg(feature = "legacy")]
mod legacy;
mod memory;
mod post;
mod reply;
mod sending;
mod target;
mod tools;
mod upload;

pub use annotations::AnnotationFault;
pub use connection::{Connection, Stream};
#[cfg(feature = "legacy")]
pub use legacy::Idle;
pub use memory::{Lent, MAX_SAID, MAX_SESSION, Memory};
pub use reply::Reply;
pub use target::{Endpoint, Target};
