//! Streamable HTTP: the binding of both engines to HTTP/1.1, without I/O (2026-07-28, *Streamable HTTP*).

#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "server")]
pub mod server;
