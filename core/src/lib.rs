//! The Model Context Protocol for devices with kilobytes of memory, as client and as server.
//!
//! `umcp` (say "micro-MCP") never allocates, never blocks by itself, does no I/O, reads no clock, and never panics on anything a peer
//! can send. It speaks revision 2026-07-28, in which every request describes itself, and, with the feature `legacy`, the four handshake
//! revisions before it, 2024-11-05 to 2025-11-25. Blocking adapters for a host, and the program `umcp`, are in the crate `umcp-std`.
//!
//! # Where to begin
//!
//! - To offer tools: [`tool!`], [`server::Catalog`], and [`server::Connection`] in a super-loop or [`io::serve`] on a blocking stream.
//! - To use them: [`io::Client`], which reads like ordinary synchronous Rust; underneath it is [`client::Connection`].
//!
//! # One contract
//!
//! Every connection has the same surface, in the words of h11 and smoltcp: bytes go in by `receive_buffer` and `commit`, come out of
//! `transmit` and `transmitted`, and what they mean comes out of `next_event`.
//!
//! > After any call that takes `&mut self`, drain `next_event` until `NeedData`, and `transmit` until it is empty.
//!
//! Spurious calls are harmless; time that goes back is ignored; a short read or write is normal. Memory is lent by the caller: buffers and
//! bounded tables. Every bound has a name, and a defined outcome when it is hit: the peer is told wherever its request's id is known, and the
//! connection goes on.
//!
//! # The layers
//!
//! An arrow only ever points down.
//!
//! | module | knows | of |
//! |---|---|---|
//! | [`io`] | byte streams | drivers over `embedded_io` and `nb`, and the blocking [`io::Client`] |
//! | [`http`] | Streamable HTTP | the binding of both engines to HTTP/1.1, without I/O |
//! | [`client`], [`server`] | MCP, each from its side | engines without I/O; what only the handshake revisions have is in a folder of its own |
//! | [`mod@arguments`] | what a tool takes | its type, the reading of it, and its JSON Schema, from one declaration |
//! | [`mcp`] | the protocol's words | revisions, methods, capabilities, content, and the one table of faults |
//! | [`rpc`] | JSON-RPC 2.0 | ids, envelopes, buffers, requests in flight |
//! | [`frame`] | where a message ends | lines; the heads, bodies and event streams of HTTP/1.1 |
//! | [`json`] | JSON | one canonicalising scanner at the door, views, typed reading, one writer |
//!
//! # Not here
//!
//! Validating against a JSON Schema other than those that [`arguments!`] makes; the extensions of the protocol (tasks, apps); OAuth flows (a token's
//! holder and checker are the caller's); compression; TLS (a host's adapters have it, for clients).
//!
//! # Features
//!
//! `client`, `server`, `legacy` and `http` are on by default; every combination builds. `defmt` derives `defmt::Format`.
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(
    not(all(feature = "client", feature = "server", feature = "legacy")),
    allow(dead_code, unused_imports, reason = "one side alone leaves unused what only the other side needs")
)]

#[cfg(test)]
extern crate std;

#[cfg(feature = "server")]
pub mod arguments;
#[cfg(feature = "client")]
pub mod client;
mod digits;
pub mod frame;
#[cfg(feature = "http")]
pub mod http;
pub mod io;
pub mod json;
pub mod mcp;
pub mod rpc;
#[cfg(feature = "server")]
pub mod server;
mod split;
pub mod time;
