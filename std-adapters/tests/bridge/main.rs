//! The bridge, from outside: what each side hears, and how it comes through what goes wrong.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod chain;
mod faults;
mod http;
mod legacy;
mod rig;
mod serial;
mod stdio;
#[path = "../support/mod.rs"]
mod support;
