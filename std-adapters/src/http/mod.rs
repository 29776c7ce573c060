//! Streamable HTTP on a host.

pub mod server;
