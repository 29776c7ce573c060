//! What happens next: one function, top to bottom.

use super::engine::{Engine, Phase};
use super::error::Lost;
use super::event::{Happened, Ignored, ListenEnd};
use super::kind::Kind;
#[cfg(feature = "legacy")]
use super::legacy::Owed;
use crate::json::{Capacity, Value};
use crate::mcp::{Notification, slot};
use crate::rpc::{Answered, Arrival, Envelope, Inbox, Invalid, RequestHandle};
use crate::time::Instant;

impl Engine<'_> {
    /// What happens next; `pull` takes the next message off the wire.
    pub(crate) fn advance(&mut self, now: Instant, mut pull: impl FnMut(&mut Inbox<'_>) -> Arrival) -> Happened {
        self.begin(now);
        loop {
            let blocked = match self.pay() {
                Ok(()) => false,
                // What is due to the server waits for room, and what has arrived waits behind it. Time waits for nobody.
                Err(Happened::NeedData) => true,
                Err(happened) => return happened,
            };
            if let Some(happened) = self.take_report() {
                return happened;
            }
            self.greeted = false;
            self.input_held = false;
            let happened = if blocked {
                self.expire()
            } else if let Some(arrival) = self.inlet.next(&mut pull) {
                self.read(arrival)
            } else if self.begin_early() {
                None
            } else if self.inlet.is_closed() {
                Some(self.end())
            } else {
                self.expire()
            };
            if let Some(happened) = happened {
                // It may be the end of what is on its way.
                self.mind_upload();
                return happened;
            }
        }
    }

    fn begin(&mut self, now: Instant) {
        self.now = self.now.max(now);
        #[cfg(feature = "legacy")]
        self.owed.not_answered();
    }

    /// Writes what the server is due. `Err`: first this; [`NeedData`](Happened::NeedData), if there is no room.
    fn pay(&mut self) -> Result<(), Happened> {
        if self.ended {
            self.open = None;
            #[cfg(feature = "legacy")]
            self.owed.forget();
            return Ok(());
        }
        if self.mind_upload() {
            #[cfg(feature = "legacy")]
            if self.inlet.parked || self.owed.is_due() {
                return Err(Happened::NeedData);
            }
            return Ok(());
        }
        match self.phase {
            Phase::Probe => self.send_probe()?,
            #[cfg(feature = "legacy")]
            Phase::Initialize => self.send_initialize()?,
            #[cfg(feature = "legacy")]
            Phase::Initialized => self.send_initialized()?,
            _ => {}
        }
        #[cfg(feature = "legacy")]
        self.pay_answer()?;
        self.give_notices();
        Ok(())
    }

    /// Tells the server which requests were given up, as far as there is room. What can never fit is dropped.
    pub(super) fn give_notices(&mut self) {
        if self.is_uploading() {
            return;
        }
        #[cfg(feature = "http")]
        if self.notices_are_closes() {
            while let Some(handle) = self.pending.notice_due() {
                self.pending.notice_given(handle);
            }
            while let Some(handle) = self.listens.iter().find(|listen| listen.notice_due).map(|listen| listen.handle) {
                self.listen_notice_given(handle);
            }
            return;
        }
        while let Some(handle) = self.pending.notice_due() {
            match self.write_cancelled(handle, None) {
                Err(_) if !self.outbox.is_empty() => return,
                _ => self.pending.notice_given(handle),
            }
        }
        while let Some(handle) = self.listens.iter().find(|listen| listen.notice_due).map(|listen| listen.handle) {
            match self.write_cancelled(handle, None) {
                Err(_) if !self.outbox.is_empty() => return,
                _ => self.listen_notice_given(handle),
            }
        }
    }

    pub(super) fn write_cancelled(&mut self, handle: RequestHandle, reason: Option<&str>) -> Result<(), Capacity> {
        self.outbox.message(|w| {
            w.literal(r#"{"jsonrpc":"2.0","method":""#).literal(Notification::Cancelled.as_str());
            w.literal(r#"","params":{"requestId":"#).uint(u64::from(handle.id()));
            if let Some(reason) = reason {
                w.member_str("reason", reason);
            }
            w.literal("}}");
        })
    }

    /// What the caller is due, whatever comes in.
    fn take_report(&mut self) -> Option<Happened> {
        if let Some(handle) = self.pending.take_report() {
            return Some(Happened::Cancelled(handle));
        }
        if self.phase == Phase::Known {
            self.phase = Phase::Ready;
            return Some(Happened::Connected);
        }
        self.take_listen_report()
    }

    /// A message has arrived. `None`: nothing that the caller needs to know.
    #[inline(never)] // so that its frame is not on the stack of what else happens
    fn read(&mut self, arrival: Arrival) -> Option<Happened> {
        if self.phase == Phase::Failed {
            return None;
        }
        if let Some(told) = self.read_pieces(arrival) {
            return told;
        }
        match arrival {
            Arrival::Object => match self.inlet.envelope() {
                Ok(Envelope::Result) => self.read_result(),
                Ok(Envelope::Error) => self.read_error(),
                Ok(Envelope::Notification) => self.read_notification(),
                Ok(Envelope::Request) => self.read_request(),
                Err(invalid) => self.read_invalid(invalid),
            },
            Arrival::Array => self.read_array(),
            Arrival::Scalar => ignored(Ignored::NotAMessage(Invalid::NotAnObject)),
            Arrival::NotJson => {
                self.noise = self.noise.saturating_add(1);
                ignored(Ignored::Noise)
            }
            Arrival::TooLong => {
                let limit = self.inlet.limit();
                self.lose_by_id(Lost::TooLong { limit }, Ignored::TooLong { limit })
            }
            Arrival::TooDeep => self.lose_by_id(Lost::TooDeep, Ignored::TooDeep),
            Arrival::Nothing | Arrival::Full | Arrival::Item | Arrival::TextEnd => None,
        }
    }

    fn read_result(&mut self) -> Option<Happened> {
        match self.take_answered() {
            Answered::Waiting(handle, tag) => {
                let kind = Kind::from_tag(tag);
                match kind.sort() {
                    Kind::PROBE => self.discovered(),
                    #[cfg(feature = "legacy")]
                    Kind::INITIALIZE => self.initialized(),
                    Kind::LISTEN => self.listen_answered(handle),
                    Kind::UNSUBSCRIBE => None,
                    _ => Some(self.check_result(handle, kind)),
                }
            }
            Answered::Abandoned(tag) => late(tag),
            Answered::Unknown => self.listen_finished(),
        }
    }

    fn read_error(&mut self) -> Option<Happened> {
        let has_id = self.inlet.member(slot::ID).is_some_and(|id| !id.is_null());
        let answered = if has_id { self.take_answered() } else { self.answer_without_id() };
        let (handle, kind) = match answered {
            Answered::Waiting(handle, tag) => (handle, Kind::from_tag(tag)),
            Answered::Abandoned(tag) => return late(tag),
            Answered::Unknown if has_id => return ignored(Ignored::Unmatched),
            Answered::Unknown => return ignored(Ignored::Anonymous),
        };
        if self.inlet.member(slot::ERROR).and_then(|error| error.get("code")?.as_i64()).is_none() {
            return self.lose(handle, kind, Lost::Malformed);
        }
        match kind.sort() {
            Kind::PROBE => self.probe_refused(),
            #[cfg(feature = "legacy")]
            Kind::INITIALIZE => self.initialize_refused(),
            Kind::LISTEN => self.listen_refused(handle),
            Kind::UNSUBSCRIBE => None,
            _ => Some(Happened::Error(handle)),
        }
    }

    fn take_answered(&mut self) -> Answered {
        match self.inlet.member(slot::ID) {
            Some(id) => self.pending.answer(id),
            None => Answered::Unknown,
        }
    }

    /// Not a message. If it bears the id of a request and is none itself, it is what became of the answer.
    fn read_invalid(&mut self, invalid: Invalid) -> Option<Happened> {
        let why = Ignored::NotAMessage(invalid);
        if self.inlet.member(slot::METHOD).is_none() {
            return self.lose_by_id(Lost::NotAnAnswer(invalid), why);
        }
        #[cfg(feature = "legacy")]
        self.refuse_unread(Owed::Invalid(invalid));
        ignored(why)
    }

    /// A message that is too long or too deep. If it bears the id of a request, that request has lost its answer. (Of one
    /// that is too long only the id is known: a legacy server's own request that is too long, under an id of ours, is
    /// taken for our answer.)
    fn lose_by_id(&mut self, lost: Lost, otherwise: Ignored) -> Option<Happened> {
        if self.inlet.member(slot::METHOD).is_some() {
            #[cfg(feature = "legacy")]
            self.refuse_unread(Owed::TooDeep);
            return ignored(otherwise);
        }
        match self.take_answered() {
            Answered::Waiting(handle, tag) => self.lose(handle, Kind::from_tag(tag), lost),
            Answered::Abandoned(tag) => late(tag),
            Answered::Unknown => ignored(otherwise),
        }
    }

    /// A request that has been taken off the table ends without a usable answer.
    pub(super) fn lose(&mut self, handle: RequestHandle, kind: Kind, why: Lost) -> Option<Happened> {
        match kind.sort() {
            // Harmless, and it goes out on a stream of its own now.
            #[cfg(feature = "http")]
            Kind::PROBE if why == Lost::Unanswered => self.again(Phase::Probe),
            #[cfg(all(feature = "http", feature = "legacy"))]
            Kind::INITIALIZE if why == Lost::Unanswered => self.again(Phase::Initialize),
            Kind::PROBE => self.probe_lost(why),
            // A modern server that was slow to answer the probe may have said so at length.
            #[cfg(feature = "legacy")]
            Kind::INITIALIZE
                if self.probe_sent && matches!(why, Lost::TooLong { .. } | Lost::TooDeep) && !self.probe_settled =>
            {
                self.initialize_refused()
            }
            #[cfg(feature = "legacy")]
            Kind::INITIALIZE => self.fail(super::Failed::Handshake(why)),
            Kind::LISTEN => {
                let handle = self.forget_listen(handle);
                Some(Happened::Lost(handle, why))
            }
            Kind::UNSUBSCRIBE => None,
            _ => Some(Happened::Lost(handle, why)),
        }
    }

    /// Nothing has arrived: is a deadline over?
    fn expire(&mut self) -> Option<Happened> {
        let Some((handle, tag)) = self.pending.overdue(self.now) else {
            return Some(Happened::NeedData);
        };
        match Kind::from_tag(tag).sort() {
            // Not cancelled: a legacy server would not know what is meant. A late answer is ignored.
            Kind::PROBE => {
                self.pending.abandon(handle);
                self.fall_back()
            }
            #[cfg(feature = "legacy")]
            Kind::INITIALIZE => {
                self.pending.abandon(handle);
                self.fail(super::Failed::HandshakeTimedOut)
            }
            Kind::LISTEN => {
                self.pending.cancel(handle, false);
                let handle = self.forget_listen(handle);
                self.give_notices();
                Some(Happened::TimedOut(handle))
            }
            Kind::UNSUBSCRIBE => {
                self.pending.abandon(handle);
                None
            }
            _ => {
                self.pending.cancel(handle, false);
                self.give_notices();
                Some(Happened::TimedOut(handle))
            }
        }
    }

    /// The stream has ended, and all that came has been read.
    fn end(&mut self) -> Happened {
        if !self.torso_told {
            self.torso_told = true;
            if self.inlet.has_torso() {
                return Happened::Ignored(Ignored::Torso);
            }
        }
        if self.phase == Phase::Closed {
            return Happened::NeedData;
        }
        let left_at_the_probe = self.phase.is_handshake() && self.probe_sent;
        self.phase = Phase::Closing;
        if left_at_the_probe {
            return Happened::ProbeExited;
        }
        while let Some((handle, tag)) = self.pending.drain() {
            if Kind::from_tag(tag).sort() == Kind::PLAIN.sort() {
                return Happened::Lost(handle, Lost::Closed);
            }
        }
        self.listens.retain(|listen| !listen.told);
        if let Some(listen) = self.listens.pop() {
            return Happened::ListenEnded(listen.handle, listen.ended.unwrap_or(ListenEnd::Lost));
        }
        self.phase = Phase::Closed;
        Happened::Closed
    }
}

pub(super) fn ignored(why: Ignored) -> Option<Happened> {
    Some(Happened::Ignored(why))
}

/// The answer to something given up. Nobody ever waited for some of those.
fn late(tag: u8) -> Option<Happened> {
    if Kind::from_tag(tag).sort() == Kind::UNSUBSCRIBE { None } else { ignored(Ignored::Late) }
}

/// Checks that a value is an object.
pub(super) fn object(value: Option<Value<'_>>) -> Option<Value<'_>> {
    value.filter(|value| value.is_object())
}
