//! How a request is written: what stands around its parameters.

use super::config::Config;
use super::engine::Engine;
use super::error::Refused;
use super::inlet::Inlet;
use super::kind::Kind;
use crate::json::Writer;
use crate::mcp::{CLIENT_CAPABILITIES, CLIENT_INFO, Era, LOG_LEVEL, Method, PROTOCOL_VERSION, Revision};
use crate::rpc::RequestHandle;

impl Engine<'_> {
    /// Writes a message, or several, as a whole or not at all.
    pub(super) fn write(
        &mut self,
        write: impl FnOnce(&mut Writer<'_>, Parts<'_, '_>) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        if self.is_uploading() {
            return Err(Refused::Busy);
        }
        let was_empty = self.outbox.is_empty();
        let parts = Parts { config: &self.config, revision: self.revision, inlet: &self.inlet };
        let mut pen = self.outbox.pen();
        let written = write(pen.writer(), parts);
        if written.is_err() || pen.writer().failed() {
            pen.abandon();
            return written.and(Err(Refused::Arguments));
        }
        pen.seal().map_err(|capacity| Refused::room(capacity, was_empty))
    }
}

/// What a message is written from.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a, 'b> {
    pub(super) config: &'a Config<'b>,
    pub(super) revision: Revision,
    pub(super) inlet: &'a Inlet<'b>,
}

impl<'a, 'b> Parts<'a, 'b> {
    pub(super) fn letter(&self, kind: Kind) -> Letter<'a, 'b> {
        Letter::new(self.config, self.revision, kind)
    }
}

/// How a request is written: what stands around its parameters.
#[derive(Clone, Copy)]
pub(super) struct Letter<'a, 'b> {
    config: &'a Config<'b>,
    revision: Revision,
    kind: Kind,
}

impl<'a, 'b> Letter<'a, 'b> {
    pub(super) fn new(config: &'a Config<'b>, revision: Revision, kind: Kind) -> Letter<'a, 'b> {
        Letter { config, revision, kind }
    }

    /// The envelope of a `tools/call` up to its name, `_meta` first: what a receiver needs who takes the rest as it passes.
    pub(super) fn open(self, w: &mut Writer<'_>, handle: RequestHandle) {
        w.literal(r#"{"jsonrpc":"2.0","id":"#).uint(u64::from(handle.id()));
        w.member_str("method", Method::CallTool.as_str()).key("params").begin_object();
        let before = w.total();
        self.write_own_meta(w, handle);
        if w.total() > before {
            w.literal(",");
        }
    }

    pub(super) fn write(
        self,
        w: &mut Writer<'_>,
        handle: RequestHandle,
        method: &str,
        params: impl FnOnce(&mut Writer<'_>) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        w.literal(r#"{"jsonrpc":"2.0","id":"#).uint(u64::from(handle.id()));
        w.member_str("method", method).key("params").begin_object();
        params(w)?;
        match (self.kind.sort(), self.revision.era()) {
            #[cfg(feature = "legacy")]
            (Kind::INITIALIZE, _) => super::legacy::write_initialize(w, self.config),
            _ => self.write_own_meta(w, handle),
        }
        w.end_object().end_object();
        Ok(())
    }

    /// What there is to say in `_meta`, if there is anything.
    fn write_own_meta(self, w: &mut Writer<'_>, handle: RequestHandle) {
        match (self.kind.sort(), self.revision.era()) {
            (Kind::PROBE, _) | (_, Era::Modern) => self.write_meta(w, handle),
            (_, Era::Legacy) if self.kind.has_progress() => {
                w.key("_meta").begin_object().member_uint("progressToken", u64::from(handle.id())).end_object();
            }
            (_, Era::Legacy) => {}
        }
    }

    /// By which a modern request describes itself (2026-07-28, *Overview: `_meta`*).
    fn write_meta(self, w: &mut Writer<'_>, handle: RequestHandle) {
        w.key("_meta").begin_object();
        w.member_str(PROTOCOL_VERSION, Revision::LATEST.as_str());
        w.key(CLIENT_INFO);
        write_implementation(w, self.config);
        w.key(CLIENT_CAPABILITIES);
        self.config.capabilities.write(w, Revision::LATEST);
        if self.kind.has_progress() {
            w.member_uint("progressToken", u64::from(handle.id()));
        }
        if let Some(level) = self.config.log_level {
            w.member_str(LOG_LEVEL, level.as_str());
        }
        w.end_object();
    }
}

pub(super) fn write_implementation(w: &mut Writer<'_>, config: &Config<'_>) {
    w.begin_object().member_str("name", config.name).member_str("version", config.version);
    if let Some(title) = config.title {
        w.member_str("title", title);
    }
    w.end_object();
}
