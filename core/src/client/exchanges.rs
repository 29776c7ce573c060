//! What is different where each message is an exchange of its own: an answer comes in the reply to its request, or not at all.

use super::engine::{Engine, Phase};
#[cfg(feature = "legacy")]
use super::error::Failed;
use super::error::Lost;
use super::event::{Happened, ListenEnd};
use super::kind::Kind;
use crate::mcp::Era;
#[cfg(feature = "legacy")]
use crate::mcp::Revision;
use crate::rpc::RequestHandle;

impl Engine<'_> {
    /// Has no answer been found for this request, nor was it given up?
    pub(crate) fn waits_for(&self, handle: RequestHandle) -> bool {
        self.pending.tag(handle).is_some() || (self.revision.era() == Era::Modern && self.is_listening(handle))
    }

    /// Is any request waited for, or any subscription open that is one?
    pub(crate) fn waits(&self) -> bool {
        self.pending.is_waiting() || (self.revision.era() == Era::Modern && !self.listens.is_empty())
    }

    /// Will there be no connection?
    pub(crate) fn has_failed(&self) -> bool {
        self.phase == Phase::Failed
    }

    /// The exchange of this request is over, and there was no answer in it.
    pub(crate) fn unanswered(&mut self, handle: RequestHandle, why: Lost) -> Option<Happened> {
        if let Some(tag) = self.pending.tag(handle) {
            self.pending.remove(handle);
            return self.lose(handle, Kind::from_tag(tag), why);
        }
        if self.is_listening(handle) {
            self.remove_listen(handle);
            return Some(Happened::ListenEnded(handle, ListenEnd::Lost));
        }
        None
    }

    /// Takes a step of the handshake again.
    pub(super) fn again(&mut self, phase: Phase) -> Option<Happened> {
        self.phase = phase;
        None
    }

    /// The stream is closed on which a late answer could still have come.
    pub(crate) fn forget(&mut self, handle: RequestHandle) {
        // A legacy server has still to be told.
        if self.pending.tag(handle).is_none() && self.revision.era() == Era::Modern {
            self.pending.remove(handle);
        }
    }

    /// Takes back the requests that are waited for: they could not be sent.
    pub(crate) fn unsend(&mut self) {
        while let Some((handle, _)) = self.pending.any_waiting() {
            self.pending.remove(handle);
            self.remove_listen(handle);
        }
    }

    /// The handshake cannot be finished.
    #[cfg(feature = "legacy")]
    pub(crate) fn handshake_failed(&mut self, why: Lost) -> Option<Happened> {
        self.fail(Failed::Handshake(why))
    }

    /// `initialize` has been refused where it was sent, and waits until it is known where it should be.
    #[cfg(feature = "legacy")]
    pub(crate) fn put_off(&mut self, handle: RequestHandle) {
        self.pending.remove(handle);
    }

    /// `false`: it was not put off.
    #[cfg(feature = "legacy")]
    pub(crate) fn take_up(&mut self) -> bool {
        let was_put_off = self.phase == Phase::Initializing && !self.pending.is_waiting();
        if was_put_off {
            self.phase = Phase::Initialize;
        }
        was_put_off
    }

    /// The session is gone: everything begins anew, and the subscriptions in it have ended.
    #[cfg(feature = "legacy")]
    pub(crate) fn begin_anew(&mut self) {
        self.phase = Phase::Initialize;
        for listen in self.listens.iter_mut().filter(|listen| listen.ended.is_none()) {
            (listen.begun, listen.ended) = (false, Some(ListenEnd::Lost));
        }
    }

    /// Takes over what the handshake of another connection has found out.
    #[cfg(feature = "legacy")]
    pub(crate) fn join(&mut self, revision: Revision) {
        self.phase = Phase::Ready;
        self.revision = revision;
    }

    /// The only stream there is has ended.
    #[cfg(feature = "legacy")]
    pub(crate) fn ends(&mut self) {
        self.ended = true;
        self.inlet.inbox().eof();
    }

    /// On HTTP, closing the stream tells a modern server that a request was given up.
    pub(super) fn notices_are_closes(&self) -> bool {
        self.exchanges && self.revision.era() == Era::Modern
    }
}
