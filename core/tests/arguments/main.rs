//! `arguments!` and `tool!`: the schemas that are written, what is read, and what is refused.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod declared;
mod reading;
mod schemas;
mod tools;
