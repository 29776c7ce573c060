//! Which era? The probe, and what follows from its answer (2026-07-28, *stdio: Backward Compatibility*).

use super::advance::object;
use super::config::Verdict;
use super::engine::{Engine, Phase};
use super::error::{Failed, Lost, Refused};
use super::event::Happened;
use super::kind::Kind;
use super::server::Features;
#[cfg(feature = "http")]
use crate::frame::http::HeadFault;
use crate::json::Value;
use crate::mcp::{Method, Revision, faults, slot};
use crate::rpc::{Answered, Patience};
use crate::time::Duration;

impl Phase {
    pub(super) const fn first(verdict: Option<Verdict>) -> Phase {
        match verdict {
            None => Phase::Probe,
            Some(Verdict::Modern) => Phase::Known,
            #[cfg(feature = "legacy")]
            Some(Verdict::Legacy) => Phase::Initialize,
            // The probe tells whether the verdict still holds; if it does, that is the reason for the failure.
            #[cfg(not(feature = "legacy"))]
            Some(Verdict::Legacy) => Phase::Probe,
        }
    }

    /// The server is not known yet.
    pub(super) const fn is_handshake(self) -> bool {
        match self {
            Phase::Probe | Phase::Probing => true,
            #[cfg(feature = "legacy")]
            Phase::Initialize | Phase::Initializing => true,
            _ => false,
        }
    }
}

impl Engine<'_> {
    pub(super) fn send_probe(&mut self) -> Result<(), Happened> {
        let timeout = self.config.probe_timeout;
        self.send_handshake(Kind::PROBE, Method::Discover, timeout)?;
        self.phase = Phase::Probing;
        self.probe_sent = true;
        Ok(())
    }

    /// `Err`: it has to wait, or can never be sent. Its time begins with the first try.
    pub(super) fn send_handshake(&mut self, kind: Kind, method: Method, timeout: Duration) -> Result<(), Happened> {
        let patience = Patience { timeout, limit: timeout };
        let reserved = match self.pending.with_tag(kind.tag()) {
            Some(waiting) => Ok(waiting),
            None => self.reserve(kind, patience),
        };
        let sent = reserved
            .and_then(|handle| self.write(|w, parts| parts.letter(kind).write(w, handle, method.as_str(), |_| Ok(()))));
        let needed = match sent {
            Ok(()) => return Ok(()),
            Err(Refused::Busy) => return Err(Happened::NeedData),
            Err(Refused::Capacity { needed }) => needed,
            // Nothing else is in flight: the table that was lent has no places.
            Err(_) => 0,
        };
        self.pending.remove_where(|_, tag| tag == kind.tag());
        Err(self.give_up(Failed::Capacity { needed }))
    }

    /// The probe was answered.
    pub(super) fn discovered(&mut self) -> Option<Happened> {
        let result = object(self.inlet.member(slot::RESULT));
        let complete = self.inlet.member(slot::client::RESULT_TYPE).is_none_or(|kind| kind.is_str("complete"));
        match result
            .and_then(|result| result.get("supportedVersions"))
            .filter(|versions| complete && versions.is_array())
        {
            None => self.not_modern(),
            Some(versions) if names(versions, Revision::LATEST) => {
                self.phase = Phase::Ready;
                Some(self.welcome(Revision::LATEST))
            }
            Some(_) => self.fail(Failed::NoCommonVersion),
        }
    }

    /// The probe was answered by an error. A modern one shows a modern server, with which there is no falling back.
    pub(super) fn probe_refused(&mut self) -> Option<Happened> {
        let error = self.inlet.member(slot::ERROR);
        let code = error.and_then(|error| error.get("code")?.as_i64()).and_then(|code| i32::try_from(code).ok());
        if !code.is_some_and(faults::is_modern_code) {
            return self.not_modern();
        }
        let supported = error.and_then(|error| error.at(&["data", "supported"])).filter(|list| list.is_array());
        match supported {
            Some(list) if names(list, Revision::LATEST) && !self.probe_settled => {
                self.probe_settled = true;
                self.phase = Phase::Probe;
                None
            }
            Some(list) if !names(list, Revision::LATEST) => self.fail(Failed::NoCommonVersion),
            _ => self.fail(Failed::ProbeRefused),
        }
    }

    /// The probe was answered by something that cannot be read. One that is merely too long comes from a server that knows the method.
    pub(super) fn probe_lost(&mut self, why: Lost) -> Option<Happened> {
        match why {
            Lost::TooLong { .. } | Lost::TooDeep => self.fail(Failed::Handshake(why)),
            // A server that is not there, that wants to know who asks, that is elsewhere, or broken, is of neither era.
            #[cfg(feature = "http")]
            Lost::Unsendable(HeadFault::Capacity { needed }) => self.fail(Failed::Capacity { needed }),
            #[cfg(feature = "http")]
            Lost::Closed | Lost::Head(_) | Lost::Body(_) | Lost::Unsendable(_) => self.fail(Failed::Handshake(why)),
            #[cfg(feature = "http")]
            Lost::Status(300..=399 | 401 | 403 | 500..) => self.fail(Failed::Handshake(why)),
            _ => self.not_modern(),
        }
    }

    /// The probe was answered, and not as a modern server would.
    fn not_modern(&mut self) -> Option<Happened> {
        self.probe_settled = true;
        self.fall_back()
    }

    /// The server does not seem to be modern.
    pub(super) fn fall_back(&mut self) -> Option<Happened> {
        #[cfg(feature = "legacy")]
        {
            self.phase = Phase::Initialize;
            None
        }
        #[cfg(not(feature = "legacy"))]
        self.fail(Failed::NotModern)
    }

    /// An error that names no request belongs to the handshake, if nothing else can be meant.
    pub(super) fn answer_without_id(&mut self) -> Answered {
        #[cfg(feature = "http")]
        let others_may_be_meant = !self.exchanges;
        #[cfg(not(feature = "http"))]
        let others_may_be_meant = true;
        if others_may_be_meant && !self.phase.is_handshake() {
            return Answered::Unknown;
        }
        self.pending.take_only()
    }

    /// The server is known.
    pub(super) fn welcome(&mut self, revision: Revision) -> Happened {
        self.revision = revision;
        self.greeted = true;
        let capabilities = self.inlet.member(slot::RESULT).and_then(|result| result.get("capabilities"));
        self.features = capabilities.map_or(Features::UNKNOWN, Features::read);
        Happened::Connected
    }

    pub(super) fn fail(&mut self, why: Failed) -> Option<Happened> {
        Some(self.give_up(why))
    }

    fn give_up(&mut self, why: Failed) -> Happened {
        self.phase = Phase::Failed;
        Happened::Failed(why)
    }
}

fn names(versions: Value<'_>, revision: Revision) -> bool {
    versions.items().any(|version| version.is_str(revision.as_str()))
}
