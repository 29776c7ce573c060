//! Requests from the server to the client, which only the handshake revisions have (2025-11-25, *Sampling*, *Elicitation*, *Roots*).

use crate::json::Writer;
use crate::mcp::{Era, InputKind};
use crate::server::deferred::CallHandle;
use crate::server::serve::Core;
use crate::server::{Calls, Connection};

/// Why the client was not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum AskError {
    /// The call was cancelled, or completed before: forget it.
    Ended,
    /// Earlier bytes have not left yet, or a question is open on this call: try again later.
    Busy,
    /// The client did not declare that it can answer this, or the call is of the modern era, where a handler answers
    /// with `input_required` instead.
    Unsupported,
    /// The question is longer than the transmit buffer.
    TooLong,
}

impl core::fmt::Display for AskError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            AskError::Ended => "the call was cancelled or completed before: forget it",
            AskError::Busy => "earlier bytes have not left yet, or a question is open on this call: try again later",
            AskError::Unsupported => "the client did not declare that it can answer this",
            AskError::TooLong => "the question is longer than the transmit buffer",
        })
    }
}

impl core::error::Error for AskError {}

impl Connection<'_> {
    /// [`Calls::ask`].
    ///
    /// # Errors
    /// [`AskError`] says why nothing was asked.
    pub fn ask(
        &mut self,
        call: CallHandle,
        kind: InputKind,
        params: impl FnOnce(&mut Writer<'_>),
    ) -> Result<(), AskError> {
        Calls::ask(self, call, kind, params)
    }
}

impl Core<'_> {
    pub(crate) fn ask(
        &mut self,
        call: CallHandle,
        kind: InputKind,
        idle: bool,
        params: impl FnOnce(&mut Writer<'_>),
    ) -> Result<(), AskError> {
        let entry = self.deferred.get(call).ok_or(AskError::Ended)?;
        if entry.revision.era() == Era::Modern || !self.session.capabilities().allow(kind) {
            return Err(AskError::Unsupported);
        }
        if !idle || entry.asking {
            return Err(AskError::Busy);
        }
        entry.asked = entry.asked.saturating_add(1);
        let question = entry.question();
        self.send(|w| {
            w.literal(r#"{"jsonrpc":"2.0","id":"#);
            question.write_id(w);
            w.key("method").string(kind.as_str());
            if kind != InputKind::Roots {
                w.key("params").begin_object();
                params(w);
                w.end_object();
            }
            w.literal("}");
        })
        .map_err(|_| AskError::TooLong)?;
        if let Some(entry) = self.deferred.get(call) {
            entry.asking = true;
        }
        Ok(())
    }
}
