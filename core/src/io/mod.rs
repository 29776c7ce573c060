//! Drivers: they move bytes between a connection and a stream. Everything else in this crate is without I/O.

#[cfg(feature = "client")]
mod client;
pub mod nb;
#[cfg(feature = "server")]
mod server;
mod wire;

pub use crate::rpc::Link;
#[cfg(feature = "client")]
pub use client::{Client, Explained, Failure, Flow, Piece, Reply};
#[cfg(feature = "server")]
pub use server::serve;
pub use wire::{Moved, Polled, Wire};
