//! How one connection serves a session: requests of it, its own stream, and streams that are taken up again.

use super::replay::EventId;
use super::sessions::Sessions;
use crate::frame::http::{BodyKind, RequestEnd};
use crate::http::server::connection::{Connection, Phase};
use crate::http::server::headers::{LAST_EVENT, SESSION, Verb};
use crate::http::server::refusal::Refusal;
use crate::http::server::reply::{Line, Shape};
use crate::http::server::site::Site;
use crate::json::Value;
use crate::json::scan::Span;
use crate::mcp::{Era, Method, Notification, Revision, slot};
use crate::rpc::{Arrival, Id};
use crate::server::deferred::Question;
use crate::server::event::Happened;
use crate::server::legacy::Session;
use crate::server::request::Source;
use crate::server::{Endpoint, Ignored};

/// How a connection is tied to a session at present.
#[derive(Clone, Copy, Debug)]
pub(in crate::http::server) struct Tie {
    role: Role,
    session: u32,
    /// The stream that can be taken up again; 0 if it cannot.
    stream: u32,
    /// The event of it that leaves next.
    number: u32,
    /// The client is gone, or was sent away to ask again later: what is said is kept for it.
    detached: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// The request at hand is of no session.
    None,
    /// It is an `initialize`: there will be a session if it succeeds.
    New,
    /// It is a request of the session.
    Reply,
    /// The stream on which a server speaks unasked.
    Listen,
    /// The rest of an earlier reply.
    Resume,
}

impl Tie {
    pub(in crate::http::server) const NONE: Tie =
        Tie { role: Role::None, session: 0, stream: 0, number: 1, detached: false };

    /// Whether more may be said, though no call is open here.
    pub(in crate::http::server) fn is_stream(&self) -> bool {
        matches!(self.role, Role::Listen | Role::Resume)
    }

    pub(in crate::http::server) fn keeps_events(&self) -> bool {
        self.stream != 0
    }

    pub(in crate::http::server) fn is_detached(&self) -> bool {
        self.detached
    }

    /// The stream can be taken up again, so the client is told its name at once.
    pub(in crate::http::server) fn beginning(&self) -> Option<EventId> {
        (self.role == Role::Reply && self.stream != 0).then_some(EventId { stream: self.stream, number: 0 })
    }

    /// The session whose id the reply to `initialize` bears.
    pub(in crate::http::server) fn new_session(&self) -> Option<u32> {
        (self.role == Role::New && self.session != 0).then_some(self.session)
    }
}

// What arrives.
impl Connection<'_> {
    /// The id of the session that has just begun.
    pub(in crate::http::server) fn new_session_id<'s>(&self, site: &'s Site<'_>) -> Option<&'s str> {
        let id = site.sessions.as_ref()?.id(self.tie.new_session()?)?;
        core::str::from_utf8(id).ok()
    }

    /// Before a message is served: which session is it of? What the engine keeps of its client is then on loan here.
    pub(in crate::http::server) fn enter_session(
        &mut self,
        arrival: Arrival,
        site: &mut Site<'_>,
    ) -> Result<(), Refusal> {
        self.tie = Tie::NONE;
        self.core.session = Session::default();
        let Some(sessions) = &mut site.sessions else { return Ok(()) };
        let mirror = self.headers.mirror(&self.facts);
        let (text, scanner) = self.inbox.parts();
        let source = Source::new(text, scanner);
        if !matches!(arrival, Arrival::Object | Arrival::Array) || mirror.is_modern() || source.describes_itself() {
            return Ok(());
        }
        if source.is(slot::METHOD, Method::Initialize.as_str()) && source.id().is_some() {
            if !sessions.has_room(self.now) {
                return Err(Refusal::Sessions);
            }
            self.tie.role = Role::New;
            return Ok(());
        }
        let revision = legacy_revision(mirror.version)?;
        let Some(id) = self.headers.get(SESSION) else {
            let is_request = arrival == Arrival::Array || (source.envelope.method && source.envelope.id);
            // A request that says nothing of itself is told what is missing by the engine.
            return if revision.is_some() || !is_request { Err(Refusal::SessionMissing) } else { Ok(()) };
        };
        let session = sessions.find(id, self.now).ok_or(Refusal::SessionUnknown)?;
        self.tie = Tie { role: Role::Reply, session: session.serial, ..Tie::NONE };
        self.core.session = session.state;
        if let Some(subscription) = session.subscription.take() {
            self.core.subscriptions.put_back(subscription);
        }
        Ok(())
    }

    /// Before a message is whole: what its session has agreed upon, if it has one.
    pub(in crate::http::server) fn peek_session(&mut self, site: &mut Site<'_>) {
        let session = self.headers.get(SESSION).and_then(|id| site.sessions.as_mut()?.find(id, self.now));
        self.core.session = session.map_or(Session::default(), |session| session.state);
    }

    /// Behind it: what was on loan goes back, and what concerns other connections of the session is noted.
    pub(in crate::http::server) fn leave_session(&mut self, site: &mut Site<'_>, happened: Happened) -> Happened {
        let Some(sessions) = &mut site.sessions else { return happened };
        match self.tie.role {
            Role::New if self.core.session.is_open() => {
                self.tie.session = sessions.open(self.core.session, self.now).unwrap_or(0);
            }
            Role::Reply => {}
            _ => return happened,
        }
        let subscription = self.core.subscriptions.take_legacy();
        let Some(session) = sessions.get(self.tie.session) else { return happened };
        session.state = self.core.session;
        session.subscription = subscription;
        let happened = match happened {
            Happened::Ignored(Ignored::Response) => self.answer_elsewhere(site),
            Happened::Ignored(Ignored::Notification) => self.cancel_elsewhere(site, happened),
            happened => happened,
        };
        self.open_stream(site);
        happened
    }

    /// An answer to what was asked on another connection.
    fn answer_elsewhere(&mut self, site: &mut Site<'_>) -> Happened {
        let (text, scanner) = self.inbox.parts();
        let source = Source::new(text, scanner);
        let id = source.get(slot::ID).unwrap_or(Value::new(b""));
        self.core.status = 202;
        let session = site.sessions.as_mut().and_then(|sessions| sessions.get(self.tie.session));
        let call = session.zip(Question::parse(id)).and_then(|(session, question)| session.answer(question));
        let Some(call) = call else { return Happened::Ignored(Ignored::Response) };
        let error = source.span(slot::ERROR);
        let is_error = error.is_present() && !source.span(slot::RESULT).is_present();
        let answer: Span = if is_error { error } else { source.span(slot::RESULT) };
        Happened::Answered { call, answer, is_error }
    }

    /// The client no longer wants a request that is open on another connection.
    fn cancel_elsewhere(&mut self, site: &mut Site<'_>, happened: Happened) -> Happened {
        let (text, scanner) = self.inbox.parts();
        let source = Source::new(text, scanner);
        let session = site.sessions.as_mut().and_then(|sessions| sessions.get(self.tie.session));
        if source.is(slot::METHOD, Notification::Cancelled.as_str())
            && let Some(session) = session
            && let Some(id) = source.param("requestId").and_then(Id::new)
        {
            session.cancel(id);
        }
        happened
    }

    /// A call has been deferred: the stream of its reply may be taken up again.
    fn open_stream(&mut self, site: &mut Site<'_>) {
        let resumes = self.core.session.revision() >= Revision::V2025_11_25;
        let Some(sessions) = &mut site.sessions else { return };
        if self.core.deferred.len() == 0 || !resumes || !sessions.keeps_events() {
            return;
        }
        let stream = sessions.next_stream();
        if let Some(session) = sessions.get(self.tie.session) {
            session.open_stream(stream);
            self.tie.stream = stream;
            self.core.stream_may_end = true;
        }
    }

    /// `GET` and `DELETE`, which a client of a session may send. `None`: it is none of that.
    pub(in crate::http::server) fn serve_session(
        &mut self,
        end: RequestEnd,
        site: &mut Site<'_>,
    ) -> Option<Result<(), Refusal>> {
        let sessions = site.sessions.as_mut()?;
        let mirror = self.headers.mirror(&self.facts);
        if mirror.is_modern() || !matches!(self.facts.verb, Verb::Get | Verb::Delete) {
            return None;
        }
        let revision = match legacy_revision(mirror.version) {
            Ok(revision) => revision,
            Err(refusal) => return Some(Err(refusal)),
        };
        let Some(id) = self.headers.get(SESSION) else {
            return revision.map(|_| Err(Refusal::SessionMissing));
        };
        let Some(session) = sessions.find(id, self.now) else { return Some(Err(Refusal::SessionUnknown)) };
        let serial = session.serial;
        self.keep_alive = end.keep_alive && matches!(end.body, BodyKind::Empty | BodyKind::Length(0));
        self.core.status = 200;
        if self.facts.verb == Verb::Delete {
            sessions.close(serial);
            self.tie = Tie::NONE;
            self.enter(Phase::Reply);
            return Some(Ok(()));
        }
        if !self.facts.accepts_events() {
            return Some(Err(Refusal::NotAcceptable));
        }
        let last = self.headers.get(LAST_EVENT).and_then(EventId::parse);
        self.tie = match last {
            Some(EventId { stream, number }) if session.has_stream(stream) || sessions.knows(serial, stream) => {
                let number = number.saturating_add(1);
                Tie { role: Role::Resume, session: serial, stream, number, detached: false }
            }
            _ => Tie { role: Role::Listen, session: serial, ..Tie::NONE },
        };
        self.enter(Phase::Reply);
        self.begin_stream(site);
        Some(Ok(()))
    }
}

// What leaves.
impl Connection<'_> {
    /// What concerns a session in the course of a reply. `None`: the reply goes on as any other.
    pub(in crate::http::server) fn go_on_in_session<A>(
        &mut self,
        site: &mut Site<'_>,
        endpoint: &Endpoint<A>,
    ) -> Option<Option<Happened>> {
        match self.tie.role {
            Role::None | Role::New => None,
            Role::Reply => self.go_on_replying(site, endpoint),
            Role::Listen => Some(self.go_on_listening(site, endpoint)),
            Role::Resume => Some(self.go_on_resuming(site)),
        }
    }

    fn go_on_replying<A>(&mut self, site: &mut Site<'_>, endpoint: &Endpoint<A>) -> Option<Option<Happened>> {
        let patience = site.keep_alive + site.keep_alive;
        let session = site.sessions.as_mut().and_then(|sessions| sessions.get(self.tie.session));
        if session.is_none()
            && let Some(call) = self.core.deferred.drain()
        {
            // The session has been ended, and what was open in it with it.
            return Some(Some(Happened::Cancelled(call)));
        }
        if let Some(session) = session {
            if self.core.deferred.len() > 0 {
                session.busy_until = self.now + patience;
            }
            let mut cancelled = None;
            for call in self.core.deferred.iter_mut() {
                if session.take_cancelled(call.id.id()) {
                    cancelled = Some(call.handle());
                }
                match (call.asking, call.told) {
                    (true, true) if session.is_answered(call.question()) => {
                        call.asking = false;
                        call.told = false;
                    }
                    (true, false) => {
                        session.ask(call.question());
                        call.told = true;
                    }
                    _ => {}
                }
            }
            if let Some(call) = cancelled {
                self.core.deferred.close(call);
                return Some(Some(Happened::Cancelled(call)));
            }
        }
        if self.tie.detached {
            return Some(self.go_on_detached(site, endpoint));
        }
        if core::mem::take(&mut self.core.stream_ends) && self.core.outbox.is_empty() && self.core.deferred.len() > 0 {
            self.send_away(site);
            return Some(None);
        }
        None
    }

    /// Ends the stream before the reply has come: the client asks for the rest of it when it is time.
    fn send_away(&mut self, site: &mut Site<'_>) {
        if self.shape == Shape::Undecided {
            self.begin_stream(site);
        } else {
            self.unit.begin();
        }
        self.end_stream_text();
        self.tie.detached = true;
    }

    /// Nobody listens: what is said is kept.
    fn go_on_detached<A>(&mut self, site: &mut Site<'_>, endpoint: &Endpoint<A>) -> Option<Happened> {
        loop {
            let out = self.core.outbox.transmit();
            let line = Line::first(out);
            if !line.ends {
                break;
            }
            let event = out.get(..line.len).unwrap_or_default();
            keep(&mut self.tie, site.sessions.as_mut(), event);
            self.core.outbox.transmitted(line.len.saturating_add(1));
        }
        // A piece of a reply that does not fit is lost, and the rest of it with it.
        self.core.outbox.clear();
        if self.core.job.is_some() {
            self.core.continue_job(self.inbox.text(), endpoint.catalog());
            return None;
        }
        if self.core.deferred.len() > 0 {
            return Some(Happened::Nothing);
        }
        self.untie(site);
        self.tie = Tie::NONE;
        Some(self.lose())
    }

    fn go_on_listening<A>(&mut self, site: &mut Site<'_>, endpoint: &Endpoint<A>) -> Option<Happened> {
        if !self.core.outbox.is_empty() {
            self.next_piece(None);
            return None;
        }
        let patience = site.keep_alive + site.keep_alive;
        let session = site.sessions.as_mut().and_then(|sessions| sessions.get(self.tie.session));
        let Some(session) = session.filter(|_| !self.closing) else {
            self.tie = Tie::NONE;
            self.end_reply(site);
            return None;
        };
        if self.eof {
            self.tie = Tie::NONE;
            return Some(self.lose());
        }
        session.last_used = self.now;
        session.busy_until = self.now + patience;
        let told = session.subscription.as_mut().is_some_and(|one| one.tell(&endpoint.changes, &mut self.core.outbox));
        if told { None } else { Some(Happened::Nothing) }
    }

    fn go_on_resuming(&mut self, site: &mut Site<'_>) -> Option<Happened> {
        if !self.core.outbox.is_empty() {
            let id = EventId { stream: self.tie.stream, number: self.tie.number.saturating_sub(1) };
            self.next_piece(Some(id));
            return None;
        }
        if self.eof {
            self.tie = Tie::NONE;
            return Some(self.lose());
        }
        let sessions = site.sessions.as_mut();
        let id = EventId { stream: self.tie.stream, number: self.tie.number };
        if let Some((number, event)) = sessions.as_ref().and_then(|sessions| sessions.replay.from(self.tie.session, id))
        {
            self.tie.number = number.saturating_add(1);
            // One that does not fit this connection's buffer cannot be told here.
            let _ = self.core.outbox.message(|w| {
                w.raw(event);
            });
            return None;
        }
        let session = sessions.and_then(|sessions| sessions.get(self.tie.session));
        if session.is_some_and(|session| session.has_stream(self.tie.stream)) && !self.closing {
            return Some(Happened::Nothing);
        }
        self.tie = Tie::NONE;
        self.end_reply(site);
        None
    }

    /// The name of the event that leaves next, which is kept; `None` if its stream cannot be taken up again.
    pub(in crate::http::server) fn name_event(&mut self, site: &mut Site<'_>) -> Option<EventId> {
        let line = Line::first(self.core.outbox.transmit());
        if self.tie.stream == 0 || self.mid_line || !line.ends || self.shape != Shape::Events {
            return None;
        }
        let event = self.core.outbox.transmit().get(..line.len).unwrap_or_default();
        Some(keep(&mut self.tie, site.sessions.as_mut(), event))
    }

    /// The reply is complete: nothing will be added to its stream.
    pub(in crate::http::server) fn untie(&mut self, site: &mut Site<'_>) {
        let session = site.sessions.as_mut().and_then(|sessions| sessions.get(self.tie.session));
        if let Some(session) = session
            && self.tie.role == Role::Reply
        {
            session.close_stream(self.tie.stream);
        }
    }

    /// The application has ended the stream of the reply.
    pub(in crate::http::server) fn stream_is_to_end(&self) -> bool {
        self.core.stream_ends
    }

    /// Nothing is known of the request that comes next.
    pub(in crate::http::server) fn forget_stream(&mut self) {
        self.tie = Tie::NONE;
        self.batch = None;
        self.core.stream_may_end = false;
        self.core.stream_ends = false;
    }

    /// The client is gone. In these revisions that does not cancel the call: `true`, if one is open.
    pub(in crate::http::server) fn detach(&mut self) -> bool {
        if self.tie.role != Role::Reply || self.core.deferred.len() == 0 {
            return false;
        }
        self.unit.drop_payload(&mut self.core.outbox);
        self.tie.detached = true;
        true
    }
}

/// Keeps an event of the stream, and names it.
fn keep(tie: &mut Tie, sessions: Option<&mut Sessions<'_>>, event: &[u8]) -> EventId {
    let id = EventId { stream: tie.stream, number: tie.number };
    tie.number = tie.number.saturating_add(1);
    if let Some(sessions) = sessions
        && tie.stream != 0
    {
        sessions.keep(tie.session, id, event);
    }
    id
}

/// The revision that a header names, if there is one (2025-11-25, *Protocol Version Header*).
fn legacy_revision(version: Option<&[u8]>) -> Result<Option<Revision>, Refusal> {
    let Some(version) = version else { return Ok(None) };
    let revision = core::str::from_utf8(version).ok().and_then(Revision::parse);
    match revision.filter(|revision| revision.era() == Era::Legacy) {
        Some(revision) => Ok(Some(revision)),
        None => Err(Refusal::Version),
    }
}
