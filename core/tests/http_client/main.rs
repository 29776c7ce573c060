//! The client over HTTP: transcripts whole and at every split, and every position at which a reply may break off.
#![cfg(all(feature = "client", feature = "http"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each feature list uses a part of it")]

#[path = "../client_support/mod.rs"]
mod client_support;
mod drops;
mod headers;
mod items;
#[cfg(feature = "legacy")]
mod legacy;
mod modern;
mod replies;
mod rig;
mod wire;
