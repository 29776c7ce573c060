//! Sending: requests, and what is said about them afterwards.

use serde::Serialize;

use super::config::Options;
use super::engine::{Engine, Phase};
use super::error::{Lost, Refused};
use super::event::Happened;
use super::inlet::Inlet;
use super::input::InputRequired;
use super::kind::Kind;
use super::params::{self, Reference};
use crate::json::{Value, Writer};
use crate::mcp::{Era, Level, List, Method, slot};
use crate::rpc::{Patience, RequestHandle};
use crate::time::Instant;

/// Requests. Each is in the transmit buffer as a whole, or refused and nothing has changed.
impl Engine<'_> {
    /// `tools/call`.
    ///
    /// # Errors
    /// [`Refused`] says why it was not sent, and what to do.
    pub fn call<T: Serialize + ?Sized>(
        &mut self,
        name: &str,
        arguments: &T,
        options: Options,
        now: Instant,
    ) -> Result<RequestHandle, Refused> {
        self.request(Method::CallTool.as_str(), params::call(name, arguments), options, now)
    }

    /// `tools/call` with arguments that are JSON text already; [`arguments`](super::arguments) checks text that comes from outside.
    ///
    /// # Errors
    /// As [`call`](Engine::call); [`Refused::Arguments`] if they are no object, or contain a newline.
    pub fn call_raw(
        &mut self,
        name: &str,
        arguments: Value<'_>,
        options: Options,
        now: Instant,
    ) -> Result<RequestHandle, Refused> {
        if !arguments.is_object() || arguments.raw().contains(&b'\n') {
            return Err(Refused::Arguments);
        }
        self.request(Method::CallTool.as_str(), params::call_raw(name, arguments), options, now)
    }

    /// The first page of a list, or the one at `cursor`. For the pages after it, see [`next_page`](Engine::next_page).
    ///
    /// # Errors
    /// As [`call`](Engine::call).
    pub fn list(
        &mut self,
        list: List,
        cursor: Option<&str>,
        options: Options,
        now: Instant,
    ) -> Result<RequestHandle, Refused> {
        let params = |w: &mut Writer<'_>| {
            if let Some(cursor) = cursor {
                w.member_str("cursor", cursor);
            }
        };
        self.request(Method::List(list).as_str(), params, options, now)
    }

    /// The page after the one that the latest event came with; `None`: that was the last. The cursor is returned as it came;
    /// the list may have no end, so keep a budget.
    ///
    /// # Errors
    /// As [`call`](Engine::call).
    pub fn next_page(&mut self, list: List, options: Options, now: Instant) -> Result<Option<RequestHandle>, Refused> {
        if self.next_cursor().is_none() {
            return Ok(None);
        }
        let kind = Kind::PLAIN.with(options);
        self.check()?;
        self.send(kind, Method::List(list).as_str(), options.patience(), now, |w, inlet| {
            if let Some(cursor) = inlet.member(slot::client::NEXT_CURSOR) {
                w.member_raw("cursor", cursor.raw());
            }
            Ok(())
        })
        .map(Some)
    }

    /// The cursor in the latest event's result.
    #[must_use]
    pub fn next_cursor(&self) -> Option<Value<'_>> {
        self.inlet.member(slot::client::NEXT_CURSOR).filter(|cursor| !cursor.is_null())
    }

    /// `resources/read`.
    ///
    /// # Errors
    /// As [`call`](Engine::call).
    pub fn read_resource(&mut self, uri: &str, options: Options, now: Instant) -> Result<RequestHandle, Refused> {
        self.request(Method::ReadResource.as_str(), params::read(uri), options, now)
    }

    /// `prompts/get`.
    ///
    /// # Errors
    /// As [`call`](Engine::call).
    pub fn prompt<T: Serialize + ?Sized>(
        &mut self,
        name: &str,
        arguments: &T,
        options: Options,
        now: Instant,
    ) -> Result<RequestHandle, Refused> {
        self.request(Method::GetPrompt.as_str(), params::prompt(name, arguments), options, now)
    }

    /// `completion/complete`; see [`params::complete`].
    ///
    /// # Errors
    /// As [`call`](Engine::call).
    pub fn complete(
        &mut self,
        of: Reference<'_>,
        (name, value): (&str, &str),
        known: &[(&str, &str)],
        options: Options,
        now: Instant,
    ) -> Result<RequestHandle, Refused> {
        self.request(Method::Complete.as_str(), params::complete(of, name, value, known), options, now)
    }

    /// `server/discover`, modern: what the server says about itself now.
    ///
    /// # Errors
    /// As [`call`](Engine::call).
    pub fn discover(&mut self, options: Options, now: Instant) -> Result<RequestHandle, Refused> {
        self.request(Method::Discover.as_str(), |_| {}, options, now)
    }

    /// `ping`, legacy: is the server there?
    ///
    /// # Errors
    /// As [`call`](Engine::call).
    pub fn ping(&mut self, options: Options, now: Instant) -> Result<RequestHandle, Refused> {
        self.request(Method::Ping.as_str(), |_| {}, options, now)
    }

    /// `logging/setLevel`, legacy: which messages the server is to log from now on. (A modern server is asked with each
    /// request: [`Config::log_level`](super::Config::log_level).)
    ///
    /// # Errors
    /// As [`call`](Engine::call).
    pub fn set_level(&mut self, level: Level, options: Options, now: Instant) -> Result<RequestHandle, Refused> {
        let params = |w: &mut Writer<'_>| {
            w.member_str("level", level.as_str());
        };
        self.request(Method::SetLevel.as_str(), params, options, now)
    }

    /// Any request. `params` writes the members of `params`, except `_meta`, which is added.
    ///
    /// # Errors
    /// As [`call`](Engine::call); [`Refused::Unsupported`] for a method that belongs to the other era, for `initialize`,
    /// and for those that open or close a subscription, which [`listen`](Engine::listen) does.
    pub fn request(
        &mut self,
        method: &str,
        params: impl FnOnce(&mut Writer<'_>),
        options: Options,
        now: Instant,
    ) -> Result<RequestHandle, Refused> {
        self.check()?;
        if !self.is_offered(method) {
            return Err(Refused::Unsupported);
        }
        let kind = Kind::of_method(method).with(options);
        self.send(kind, method, options.patience(), now, |w, _| {
            params(w);
            Ok(())
        })
    }

    /// Gives a request up: the server is told, an answer that crosses is ignored, and [`Happened::Cancelled`] follows.
    /// `false`: it is not in flight (any longer).
    pub fn cancel(&mut self, handle: RequestHandle, reason: Option<&str>) -> bool {
        let Some(tag) = self.pending.tag(handle) else {
            return false;
        };
        if Kind::from_tag(tag).sort() != Kind::PLAIN || !self.pending.cancel(handle, true) {
            return false;
        }
        if self.is_uploading() {
            // Nothing else may leave, and if it is this one, the server has not heard of it.
            self.mind_upload();
            return true;
        }
        #[cfg(feature = "http")]
        if self.notices_are_closes() {
            self.pending.notice_given(handle);
            return true;
        }
        if !self.ended && self.write_cancelled(handle, reason).is_ok() {
            self.pending.notice_given(handle);
        }
        true
    }

    /// May requests be sent?
    pub(super) fn check(&mut self) -> Result<(), Refused> {
        match self.phase {
            _ if self.ended => Err(Refused::Closed),
            _ if self.is_uploading() => Err(Refused::Busy),
            Phase::Ready => Ok(()),
            #[cfg(feature = "legacy")]
            Phase::Initialized => {
                let was_empty = self.outbox.is_empty();
                self.write_initialized().map_err(|capacity| Refused::room(capacity, was_empty))
            }
            Phase::Failed | Phase::Closing | Phase::Closed => Err(Refused::Closed),
            _ => Err(Refused::NotReady),
        }
    }

    fn is_offered(&self, method: &str) -> bool {
        let era = self.revision.era();
        let of_one_era = [Method::Discover, Method::Ping, Method::SetLevel];
        let own = [Method::Initialize, Method::Listen, Method::Subscribe, Method::Unsubscribe];
        let is = |one: &Method| one.as_str() == method;
        !own.iter().any(is) && of_one_era.iter().find(|one| is(one)).is_none_or(|one| one.exists_in(era))
    }

    pub(super) fn send(
        &mut self,
        kind: Kind,
        method: &str,
        patience: Patience,
        now: Instant,
        params: impl FnOnce(&mut Writer<'_>, &Inlet<'_>) -> Result<(), Refused>,
    ) -> Result<RequestHandle, Refused> {
        self.now = self.now.max(now);
        let handle = self.reserve(kind, patience)?;
        let written = self.write(|w, parts| parts.letter(kind).write(w, handle, method, |w| params(w, parts.inlet)));
        match written {
            Ok(()) => Ok(handle),
            Err(refused) => {
                self.pending.remove(handle);
                Err(refused)
            }
        }
    }

    /// A place in the table, under an id that no subscription uses.
    pub(super) fn reserve(&mut self, kind: Kind, patience: Patience) -> Result<RequestHandle, Refused> {
        self.give_notices();
        loop {
            let Some(handle) = self.pending.insert(kind.tag(), patience, self.now) else {
                // A place whose notice waits for room becomes free once there is room.
                return Err(if self.pending.notice_due().is_some() { Refused::Busy } else { Refused::TableFull });
            };
            if !self.listens.iter().any(|listen| listen.handle == handle) {
                return Ok(handle);
            }
            self.pending.remove(handle);
        }
    }
}

impl Options {
    pub(super) fn patience(self) -> Patience {
        Patience { timeout: self.timeout, limit: self.max_timeout.unwrap_or(self.timeout) }
    }
}

/// Results.
impl Engine<'_> {
    /// What a result that answers a request of the caller's is worth (2026-07-28, *Overview: Result Responses*).
    pub(super) fn check_result(&mut self, handle: RequestHandle, kind: Kind) -> Happened {
        if kind.is_told() && !self.is_whole(handle) {
            return Happened::Lost(handle, Lost::Broken);
        }
        let Some(result) = super::advance::object(self.inlet.member(slot::RESULT)) else {
            return Happened::Lost(handle, Lost::Malformed);
        };
        if self.revision.era() == Era::Legacy {
            return Happened::Response(handle);
        }
        match self.inlet.member(slot::client::RESULT_TYPE) {
            None => Happened::Response(handle),
            Some(name) if name.is_str("complete") => Happened::Response(handle),
            Some(name) if name.is_str("input_required") => {
                let valid = InputRequired::new(result).is_valid(self.config.capabilities);
                if !kind.may_require_input() || !valid {
                    return Happened::Lost(handle, Lost::Input);
                }
                self.input_held = true;
                Happened::InputRequired(handle)
            }
            Some(_) => Happened::Lost(handle, Lost::ResultType),
        }
    }
}
