//! Blocking adapters for `umcp` on a host: process pipes, standard input and output, and the configuration file
//! that names servers.
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test fails by panicking"))]

mod client;
pub mod config;
mod interrupt;
#[cfg(unix)]
mod poll;
#[cfg(not(unix))]
#[path = "poll_threads.rs"]
mod poll;
#[cfg(all(unix, test))]
#[expect(dead_code, reason = "only tested here")]
mod poll_threads;
pub mod process;
mod serve;
mod stdio;

pub use client::{Borrowed, Client, Entry, Error, Settings};
pub use config::Config;
pub use interrupt::Interrupter;
pub use process::{Process, ProcessWire};
pub use serve::{OPEN_CALLS, OPEN_SUBSCRIPTIONS, RECEIVE_BUFFER, TRANSMIT_BUFFER, serve_stdio, serve_stdio_with};
pub use stdio::Stdio;
