//! Framings: which bytes of a wire are payload, and where a message ends. They know no JSON.
//!
//! [`Line`] is one message a line. [`http`] reads and writes the heads and bodies of HTTP/1.1; in a body, a message is the whole of it, or,
//! where it is an event stream ([`sse`]), one event.
//!
//! They all name [runs](Run) of raw bytes, in the order in which they arrive, and copy nothing. The bytes that a run of a body or of an event
//! stream names are taken by it: the next run begins behind them. So a reader that has to see the end of a run's payload again (half an escape,
//! half a character) keeps it, and closes the gap if framing comes between it and its continuation.

#[cfg(feature = "http")]
pub mod http;
mod line;
#[cfg(feature = "http")]
pub mod sse;

pub use line::{Line, Run};
