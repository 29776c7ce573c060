//! Streamable HTTP on a host.

pub mod client;
pub mod server;
