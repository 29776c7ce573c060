//! `umcp`: the Model Context Protocol in fixed memory.
#![no_std]

#[cfg(test)]
extern crate std;

#[cfg(feature = "client")]
pub mod client;
pub mod frame;
pub mod io;
pub mod json;
pub mod mcp;
pub mod rpc;
#[cfg(feature = "server")]
mod schema;
#[cfg(feature = "server")]
pub mod server;
pub mod time;
