//! Programs to copy, each one file:
//!
//! - `server.rs`: the shortest useful server, on standard input and output.
//! - `client.rs`: the shortest useful client, of a server that it starts.
//! - `pair.rs`: a client and a server in one process, in memory, with a clock that stands still: for unit tests.
//! - `super_loop.rs`: a server on a serial line that is polled, with a tool that answers later: the shape of firmware.
//! - `two_sockets.rs`: HTTP on a board with two sockets, without threads: the same for the network.
//! - `large.rs`: lists, texts, resources and arguments that are larger than memory, at both ends.
//! - `workflow.rs`: a tool that keeps state from call to call behind a handle that expires and belongs to its caller.
//!
//! `cargo run -p umcp-examples --example server` runs one.
