//! Clients over HTTP against servers of every kind: our own, scripted ones, ones behind TLS, and none.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod legacy;
mod modern;
mod script;
#[cfg(feature = "tls")]
mod tls;
