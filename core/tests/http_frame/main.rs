//! Heads, bodies and event streams: byte for byte, at every split, beside `httparse`, and as recorded.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod body;
mod events;
mod message;
mod oracle;
mod request;
mod response;
mod rig;
mod sentinel;
mod wire;
mod writer;
