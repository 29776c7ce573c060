//! The HTTP server byte for byte: every exchange whole, at every split, by single bytes, and with another request behind it.
#![cfg(all(feature = "http", feature = "server"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod agreement;
mod app;
mod clock;
mod limits;
mod refusals;
mod replies;
#[allow(unreachable_pub, reason = "other tests have it in a library")]
#[path = "../../../tests/src/http_reply.rs"]
mod reply;
mod request;
mod rig;
mod serial;
mod streams;
mod uploads;
mod wire;
