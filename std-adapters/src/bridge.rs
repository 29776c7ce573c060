//! Many clients, one server: a bridge between what a client speaks (standard input and output, or HTTP) and what a server speaks (pipes, a serial
//! line, a socket).
//!
//! What passes is not translated. Members of messages, their order and their numbers stay as they are, also those that this library does not know;
//! what changes is the white space between them, escapes that need not be, ids and progress tokens. Those are given back as they were: `"0"` is not
//! `0`. The eras are kept apart: a modern client needs a server that speaks 2026-07-28, and a legacy client one that shakes hands.
//!
//! A server has one legacy session on one wire. So it sees the first client's `initialize`; clients that come later are told the same
//! result, with an older revision in it if that is what they ask for. What a server
//! says without an owner goes to all legacy clients, what it asks to the client that it knows or the one that waits for something.
//!
//! A server that goes (a cable is pulled, a board is reset, a process ends) costs each request in flight one error, and is reached again as soon as it is back: a
//! legacy handshake is repeated then, subscriptions have to be opened again by whoever had them.
//!
//! Every bound has a name: [`Limits`].

mod front;
mod http;
mod limits;
mod lines;
mod message;
mod outlet;
mod router;
mod run;
mod stdio;
mod wait;

pub use http::{Allowed, PATH};
pub use limits::Limits;
pub use outlet::Server;
pub use run::{Bridge, BridgeError};
