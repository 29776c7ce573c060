//! The legacy era (2024-11-05 to 2025-11-25): the handshake, what a server asks, subscriptions by URI, batches.

mod handshake;
mod requests;
mod subscribe;

pub(super) use handshake::write_initialize;
pub(super) use requests::Owed;
pub use requests::{Deferred, ServerRequest};

use super::engine::{Engine, Phase};
use crate::mcp::{Era, Revision};

impl Engine<'_> {
    /// Is the server a legacy one, as far as is known?
    pub(super) fn is_legacy(&self) -> bool {
        match self.phase {
            Phase::Initialize | Phase::Initializing => true,
            _ => self.revision.era() == Era::Legacy,
        }
    }

    pub(super) fn takes_batches(&self) -> bool {
        self.revision == Revision::V2025_03_26
    }
}
