//! `initialize` and `notifications/initialized` (2025-11-25, *Lifecycle*).

use crate::client::advance::object;
use crate::client::config::Config;
use crate::client::engine::{Engine, Phase};
use crate::client::error::{Failed, Lost};
use crate::client::event::Happened;
use crate::client::kind::Kind;
use crate::client::letter::write_implementation;
use crate::json::{Capacity, Writer};
use crate::mcp::{Era, Method, Notification, Revision, slot};

/// The parameters of `initialize`.
pub(in crate::client) fn write_initialize(w: &mut Writer<'_>, config: &Config<'_>) {
    let revision = offered(config);
    w.member_str("protocolVersion", revision.as_str()).key("capabilities");
    config.capabilities.write(w, revision);
    w.key("clientInfo");
    write_implementation(w, config);
}

/// A modern revision has no handshake.
fn offered(config: &Config<'_>) -> Revision {
    match config.legacy_revision.era() {
        Era::Legacy => config.legacy_revision,
        Era::Modern => Revision::LATEST_LEGACY,
    }
}

impl Engine<'_> {
    pub(in crate::client) fn send_initialize(&mut self) -> Result<(), Happened> {
        let timeout = self.config.timeout;
        self.send_handshake(Kind::INITIALIZE, Method::Initialize, timeout)?;
        self.phase = Phase::Initializing;
        Ok(())
    }

    /// `initialize` was answered.
    pub(in crate::client) fn initialized(&mut self) -> Option<Happened> {
        let result = object(self.inlet.member(slot::RESULT));
        let Some(version) =
            result.and_then(|result| result.get("protocolVersion")).filter(|version| version.is_string())
        else {
            return self.fail(Failed::Handshake(Lost::Malformed));
        };
        let Some(revision) = version.as_str().and_then(Revision::parse).filter(|one| one.era() == Era::Legacy) else {
            return self.fail(Failed::NoCommonVersion);
        };
        self.phase = Phase::Initialized;
        let connected = self.welcome(revision);
        // If there is no room now, it leaves before anything else.
        let _ = self.write_initialized();
        Some(connected)
    }

    /// `initialize` was answered by an error. Where only an old verdict said that the server is of this era, or its silence, it is asked
    /// (again): a modern one may have been too busy starting to answer in time.
    pub(in crate::client) fn initialize_refused(&mut self) -> Option<Happened> {
        if self.probe_settled {
            return self.fail(Failed::HandshakeRefused);
        }
        self.probe_settled = self.probe_sent;
        self.phase = Phase::Probe;
        None
    }

    pub(in crate::client) fn write_initialized(&mut self) -> Result<(), Capacity> {
        self.outbox.message(|w| {
            w.literal(r#"{"jsonrpc":"2.0","method":""#).literal(Notification::Initialized.as_str()).literal("\"}");
        })?;
        self.phase = Phase::Ready;
        Ok(())
    }

    pub(in crate::client) fn send_initialized(&mut self) -> Result<(), Happened> {
        match self.write_initialized() {
            Ok(()) => Ok(()),
            Err(capacity) if self.outbox.is_empty() => {
                self.phase = Phase::Failed;
                Err(Happened::Failed(Failed::Capacity { needed: capacity.needed }))
            }
            Err(_) => Err(Happened::NeedData),
        }
    }
}
