//! Clients that come in over Streamable HTTP, of both eras.
//!
//! A modern request is a client of its own: what belongs to it goes back on its own connection, and closing that cancels it. A legacy client has a session,
//! its own stream for what the server says by itself, and goes when it deletes the session or has to make room for another.

mod connection;
mod enter;
mod front;
mod peer;
mod policy;
mod request;
mod sessions;
#[cfg(test)]
mod tests;

pub(super) use front::{HttpFront, Slots};
pub use policy::{Allowed, PATH};
