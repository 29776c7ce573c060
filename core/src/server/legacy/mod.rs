//! The handshake revisions, 2024-11-05 to 2025-11-25: what a connection keeps between messages, and the methods that only they have.

mod ask;
mod batch;
mod methods;
mod session;

pub(crate) use ask::the_answer;
pub use ask::{Answered, AskError};
pub(crate) use batch::Batch;
pub(crate) use session::Session;
