//! Drivers: they move bytes between a connection and a stream. Everything else in this crate is without I/O.

#[cfg(feature = "client")]
mod client;
mod link;
pub mod nb;
#[cfg(feature = "server")]
mod server;
mod wire;

#[cfg(feature = "client")]
pub use client::{Client, Failure, Reply};
pub use link::Link;
#[cfg(feature = "server")]
pub use server::serve;
pub use wire::{Moved, Polled, Wire};
