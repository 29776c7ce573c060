//! Calls with an argument of any length: whatever the buffer and however it drains, the message is the one that `serde_json` writes; and what
//! becomes of one that does not come to its end.
#![cfg(feature = "client")]
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each feature list uses a part of it")]

#[path = "../client_support/mod.rs"]
mod client_support;
mod content;
mod faults;
#[cfg(feature = "http")]
mod http;
mod line;
#[cfg(feature = "http")]
#[path = "../http_client/rig.rs"]
mod rig;
