//! One request being answered: what every handler can ask and say, whatever it handles.

use crate::json::{Decimal, Value, Writer};
use crate::mcp::slot::server;
use crate::mcp::{CLIENT_INFO, ClientCapabilities, Era, Fault, Level, List, Notification, Revision};
use crate::rpc::{Id, Pen};

use super::catalog::CacheHint;
use super::changes::Changes;
use super::deferred::{CallHandle, CannotDefer, Opener, Opening};
use super::info::ServerInfo;
use super::request::{Parts, Request};

/// What a handler returns: proof that it has answered, or why it refuses. `?` works on the errors of everything a call offers.
pub type Outcome = Result<Done, Fault>;

/// Proof that a request was answered, or deferred. Only what a call offers makes one.
#[derive(Debug)]
pub struct Done(());

impl Done {
    pub(crate) const YES: Done = Done(());
}

/// Who the caller is, as the `authorize` hook found out: a number of the application's own. Without a hook, [`Principal::ANONYMOUS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Principal(pub u32);

impl Principal {
    /// Nobody in particular.
    pub const ANONYMOUS: Principal = Principal(0);
}

/// One request being answered. Everything that hands out a reply ([`Call`](super::Call), [`Read`](super::Read), [`Get`](super::Get),
/// [`Complete`](super::Complete)) dereferences to it.
#[derive(Debug)]
pub struct Exchange<'a> {
    pub(crate) pen: Pen<'a>,
    pub(crate) limit: usize,
    pub(crate) id: Id<'a>,
    pub(crate) request: Request,
    pub(crate) token: Option<Id<'a>>,
    /// The message, unless the request was deferred and its message is gone.
    pub(crate) parts: Option<Parts<'a>>,
    /// What a legacy client declared; a modern one declares it with each request.
    pub(crate) declared: ClientCapabilities,
    pub(crate) info: &'static ServerInfo,
    pub(crate) changes: &'a mut Changes,
    pub(crate) deferred: Option<Opener<'a>>,
    pub(crate) progress: Option<Decimal>,
    /// Notifications cannot be sent now: the reply is part of a batch.
    pub(crate) quiet: bool,
    pub(crate) cache: Option<CacheHint>,
    /// The request has been answered or deferred: whatever the handler returns after that changes nothing.
    pub(crate) answered: &'a mut bool,
    /// The reply is of the kind that the request asks for.
    pub(crate) fits: bool,
}

impl<'a> Exchange<'a> {
    /// The revision of the protocol in which the request is answered.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.request.revision
    }

    /// Who the caller is, as the `authorize` hook found out.
    #[must_use]
    pub fn principal(&self) -> Principal {
        self.request.principal
    }

    /// What the client declared that it can do.
    #[must_use]
    pub fn capabilities(&self) -> ClientCapabilities {
        match self.request.era() {
            Era::Modern => self.member(server::CAPABILITIES).map(ClientCapabilities::read).unwrap_or_default(),
            Era::Legacy => self.declared,
        }
    }

    /// The request's `_meta`, where there is one.
    #[must_use]
    pub fn meta(&self) -> Option<Value<'a>> {
        self.member(server::META)
    }

    /// Who the client says it is: self-reported, for display and logs.
    #[must_use]
    pub fn client_info(&self) -> Option<Value<'a>> {
        self.meta()?.get(CLIENT_INFO)
    }

    /// The client's answer to the question that an earlier reply asked under this key (2026-07-28, *Multi Round-Trip Requests*).
    #[must_use]
    pub fn input_response(&self, key: &str) -> Option<Value<'a>> {
        self.member(server::INPUT_RESPONSES)?.get(key)
    }

    /// The state that an earlier reply to this request gave the client to keep. It comes from the client: believe it only if its
    /// integrity is protected, for example by a signature over it, its caller, and a time.
    #[must_use]
    pub fn request_state(&self) -> Option<Value<'a>> {
        self.member(server::REQUEST_STATE)
    }

    /// Has the caller asked to be told of progress?
    #[must_use]
    pub fn wants_progress(&self) -> bool {
        self.token.is_some() && !self.quiet
    }

    /// Is this earlier call, deferred on this connection, still open? A call that was cancelled is not, even if the application has not
    /// been told yet.
    #[must_use]
    pub fn is_open(&self, call: CallHandle) -> bool {
        self.deferred.as_ref().is_some_and(|deferred| deferred.is_open(call))
    }

    /// What is to be read at `uri` has changed: those who listen are told, on every connection of this endpoint.
    pub fn updated(&mut self, uri: &str) {
        self.changes.resource(uri);
    }

    /// A list has changed: those who listen are told.
    pub fn list_changed(&mut self, list: List) {
        self.changes.list(list);
    }

    fn is_modern(&self) -> bool {
        self.revision() >= Revision::V2026_07_28
    }

    /// A member beside the arguments.
    pub(crate) fn member(&self, slot: usize) -> Option<Value<'a>> {
        self.parts.and_then(|parts| parts.get(slot))
    }

    /// Begins the reply, up to and including the brace of `result` and, in the modern era, its `resultType`.
    pub(crate) fn begin_result(&mut self, result_type: &'static str) -> &mut Writer<'a> {
        let modern = self.is_modern();
        let id = self.id;
        let w = self.pen.writer();
        begin_result(w, id);
        if modern {
            w.literal(r#""resultType":""#).literal(result_type).literal("\"");
        }
        w
    }

    /// Ends the reply. It is whole now, or nothing has been written. A reply of the wrong kind, such as contents for a tool call, is not sent.
    pub(crate) fn end_result(&mut self) -> Outcome {
        if !self.fits {
            return Err(Fault::Internal);
        }
        let (modern, info, cache) = (self.is_modern(), self.info, self.cache);
        let w = self.pen.writer();
        if modern {
            if let Some(cache) = cache {
                w.member_uint("ttlMs", u64::from(cache.ttl_ms)).member_str("cacheScope", cache.scope.as_str());
            }
            write_server_meta(w, info);
        }
        w.literal("}}");
        let failed = w.failed();
        match self.pen.seal() {
            Ok(()) => {
                *self.answered = true;
                Ok(Done::YES)
            }
            Err(_) if failed => Err(Fault::Internal),
            Err(_) => Err(Fault::ReplyTooLong { limit: self.limit }),
        }
    }

    /// Tells how far the work has come, where the caller asked for it (2026-07-28, *Progress*). `false`: it was not told, because nobody
    /// asked, the value does not increase, the reply has begun, or there is no room.
    pub fn progress(&mut self, progress: Decimal, total: Option<Decimal>, message: Option<&str>) -> bool {
        let Some(token) = self.token.filter(|_| !self.quiet && self.pen.is_at_start()) else {
            return false;
        };
        if self.progress.is_some_and(|last| progress <= last) {
            return false;
        }
        write_progress(self.pen.writer(), token, self.request.revision, progress, total, message);
        let told = self.pen.seal().is_ok();
        if told {
            self.progress = Some(progress);
        }
        told
    }

    /// Writes a log message, where the request asked for messages of this level (2026-07-28, *Logging*). `false`: it was not written,
    /// because nobody asked, the reply has begun, or there is no room.
    pub fn log(&mut self, level: Level, logger: &str, text: &str) -> bool {
        self.log_with(level, logger, |w| {
            w.string(text);
        })
    }

    /// As [`log`](Exchange::log), with any JSON value for its data.
    pub fn log_with(&mut self, level: Level, logger: &str, data: impl FnOnce(&mut Writer<'_>)) -> bool {
        let asked = self.request.level.is_some_and(|least| level >= least);
        if !asked || self.quiet || !self.pen.is_at_start() {
            return false;
        }
        write_log(self.pen.writer(), level, logger, data);
        self.pen.seal().is_ok()
    }

    /// Keeps the request open.
    pub(crate) fn defer(mut self, keep: impl FnOnce(CallHandle)) -> Outcome {
        self.pen.abandon();
        let opening = Opening {
            id: self.id,
            token: self.token,
            method: self.request.method,
            revision: self.request.revision,
            level: self.request.level,
            principal: self.request.principal,
            cache: self.cache,
            progress: self.progress,
        };
        let table = self.deferred.ok_or(Fault::Busy)?;
        match table.open(&opening) {
            Ok(handle) => {
                *self.answered = true;
                keep(handle);
                Ok(Done::YES)
            }
            Err(CannotDefer::TableFull) => Err(Fault::Busy),
            Err(CannotDefer::IdTooLong) => Err(Fault::IdTooLong),
        }
    }
}

/// The envelope of a result, up to and including the brace of `result`.
pub(crate) fn begin_result(w: &mut Writer<'_>, id: Id<'_>) {
    w.literal(r#"{"jsonrpc":"2.0","id":"#).raw(id.raw()).literal(r#","result":{"#);
}

/// The `_meta` member of every modern result.
pub(crate) fn write_server_meta(w: &mut Writer<'_>, info: &ServerInfo) {
    w.literal(r#","_meta":{"io.modelcontextprotocol/serverInfo":"#);
    info.write_short(w);
    w.literal("}");
}

pub(crate) fn write_progress(
    w: &mut Writer<'_>,
    token: Id<'_>,
    revision: Revision,
    progress: Decimal,
    total: Option<Decimal>,
    message: Option<&str>,
) {
    begin_notification(w, Notification::Progress);
    w.literal(r#""progressToken":"#).raw(token.raw()).member_decimal("progress", progress);
    if let Some(total) = total {
        w.member_decimal("total", total);
    }
    if let Some(message) = message
        && revision >= Revision::V2025_03_26
    {
        w.member_str("message", message);
    }
    w.literal("}}");
}

pub(crate) fn write_log(w: &mut Writer<'_>, level: Level, logger: &str, data: impl FnOnce(&mut Writer<'_>)) {
    begin_notification(w, Notification::Message);
    w.member_str("level", level.as_str()).member_str("logger", logger).key("data");
    data(w);
    w.literal("}}");
}

/// The envelope of a notification, up to and including the brace of `params`.
pub(crate) fn begin_notification(w: &mut Writer<'_>, notification: Notification) {
    w.literal(r#"{"jsonrpc":"2.0","method":""#).literal(notification.as_str()).literal(r#"","params":{"#);
}
