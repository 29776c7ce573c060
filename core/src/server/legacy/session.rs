//! What a legacy connection keeps between its messages.

use crate::mcp::{ClientCapabilities, Level, Revision};

/// The state of a legacy connection: nothing until `initialize`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Session {
    negotiated: Option<Revision>,
    capabilities: ClientCapabilities,
    level: Option<Level>,
}

impl Session {
    pub(crate) fn open(&mut self, revision: Revision, capabilities: ClientCapabilities) {
        self.negotiated = Some(revision);
        self.capabilities = capabilities;
        self.level = None;
    }

    pub(crate) fn is_open(&self) -> bool {
        self.negotiated.is_some()
    }

    /// The negotiated revision; before that, the newest.
    pub(crate) fn revision(&self) -> Revision {
        self.negotiated.unwrap_or(Revision::LATEST_LEGACY)
    }

    pub(crate) fn allows_batches(&self) -> bool {
        self.negotiated == Some(Revision::V2025_03_26)
    }

    pub(crate) fn capabilities(&self) -> ClientCapabilities {
        self.capabilities
    }

    pub(crate) fn level(&self) -> Option<Level> {
        self.level
    }

    pub(crate) fn set_level(&mut self, level: Level) {
        self.level = Some(level);
    }
}
