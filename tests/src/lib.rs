//! How umcp is proven: what the tests of the whole share.
//!
//! [`board`] is a server that uses everything a server can do; [`script`] plays transcripts against it and [`player`] drives one
//! connection; [`schema`] holds every emitted message to the official schema of its revision; [`shared`] finds the recorded
//! sessions, the schemas and the examples; [`rng`] makes accidents repeatable.

pub mod board;
pub mod http_player;
pub mod http_reply;
pub mod http_request;
pub mod matching;
pub mod player;
pub mod rng;
#[cfg(feature = "schema")]
pub mod schema;
#[cfg(feature = "schema")]
pub mod script;
pub mod shared;
