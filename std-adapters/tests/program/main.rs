//! The program, from outside: what it prints, how it ends, and that nothing of it is left behind.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod endings;
mod http;
mod interrupts;
mod items;
mod lines;
mod listen;
mod misuse;
mod rig;
mod serve_http;
mod several;
#[path = "../support/mod.rs"]
mod support;
mod trace;
mod upload;
mod verbs;
