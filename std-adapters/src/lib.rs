//! Blocking adapters for `umcp` on a host: process pipes, serial lines, sockets, standard input and output, several servers at once, the configuration file
//! that names servers, and a bridge by which many clients share one server.
//!
//! A server is its catalog and one line:
//!
//! ```no_run
//! use umcp::server::{Call, Catalog, Outcome};
//! use umcp::tool;
//!
//! fn hello(_: &mut (), call: Call<'_>) -> Outcome {
//!     call.text("hello")
//! }
//!
//! static CATALOG: Catalog<()> =
//!     Catalog::new("greeter", "1.0.0").tools(&[tool!("hello", "Say hello.", hello)]);
//!
//! fn main() -> std::process::ExitCode {
//!     umcp_std::serve_stdio(&CATALOG, ())
//! }
//! ```
//!
//! A client starts its server:
//!
//! ```no_run
//! # fn main() -> Result<(), umcp_std::Error> {
//! let mut agent = umcp_std::Process::new("greeter").connect("my-agent", "1.0.0")?;
//! for tool in agent.tools()? {
//!     println!("{}  {}", tool.name(), tool.description());
//! }
//! let reply = agent.call("hello", &())?;
//! # Ok(())
//! # }
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test fails by panicking"))]

#[cfg(unix)]
pub mod bridge;
mod client;
pub mod config;
pub mod http;
mod interrupt;
pub mod line;
pub mod manager;
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

/// The programs of the README compile.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// And those of the chapter on HTTP.
#[cfg(doctest)]
#[doc = include_str!("../../docs/http.md")]
struct Http;

/// And those of the chapter on what is larger than memory.
#[cfg(doctest)]
#[doc = include_str!("../../docs/large.md")]
struct Large;

pub use client::{Borrowed, Client, Entry, Error, ServerWire, Settings};
pub use config::Config;
pub use interrupt::Interrupter;
pub use line::{Address, LineWire};
pub use manager::{Manager, ManagerError};
pub use process::{Process, ProcessWire};
pub use serve::{OPEN_CALLS, OPEN_SUBSCRIPTIONS, RECEIVE_BUFFER, TRANSMIT_BUFFER, serve_stdio, serve_stdio_with};
pub use stdio::Stdio;
