//! What a request asks for: which era it is of, whose it is, and whether it is let through.

use umcp::mcp::Revision;
use umcp::rpc::code;
use umcp::time::Instant;

use super::front::HttpFront;
use super::peer::{Doing, PeerId};
use super::policy::{Refusal, agree, is_modern};
use super::request::Request;
use crate::bridge::message::{Kind, Malformed, Message, Unread, slot};
use crate::bridge::router::{Channel, ClientId, Router, error, refusal};

/// What becomes of a request.
pub(super) enum Taken {
    /// It is answered later.
    Waits,
    Accepted,
    Replied(u16, Vec<u8>),
}

impl HttpFront {
    pub(super) fn request(
        &mut self,
        id: PeerId,
        request: &Request,
        router: &mut Router,
        now: Instant,
    ) -> Result<Taken, Refusal> {
        let modern = is_modern(&request.version);
        match request.method.as_str() {
            "POST" if !request.is_json() => {
                Err(Refusal::new(415, "Unsupported Media Type: Content-Type must be application/json"))
            }
            "POST" => self.post(id, request, modern, router, now),
            _ if modern => Err(Refusal::new(405, "Method Not Allowed: this revision has only POST")),
            "GET" if !request.takes_events() => {
                Err(Refusal::new(406, "Not Acceptable: Accept must list text/event-stream"))
            }
            "GET" => self.open_stream(id, request, router, now),
            _ => {
                let client = self.session(request, now)?;
                self.end_session(client, router, now);
                Ok(Taken::Replied(200, Vec::new()))
            }
        }
    }

    fn post(
        &mut self,
        id: PeerId,
        request: &Request,
        modern: bool,
        router: &mut Router,
        now: Instant,
    ) -> Result<Taken, Refusal> {
        let message = match Message::read(request.body.clone()) {
            Ok(message) => message,
            Err(Unread::Batch(items)) if !items.is_empty() && !modern => {
                return self.batch(id, request, items, router, now);
            }
            Err(unread) => return Ok(Taken::Replied(400, refused(unread))),
        };
        if modern || message.has(slot::VERSION) {
            self.modern(id, request, message, router, now)
        } else {
            self.legacy(id, request, message, router, now)
        }
    }

    fn modern(
        &mut self,
        id: PeerId,
        request: &Request,
        message: Message,
        router: &mut Router,
        now: Instant,
    ) -> Result<Taken, Refusal> {
        let refuse = |refusal: Refusal| {
            let text = error(message.id(), refusal.code, &refusal.message);
            Ok(Taken::Replied(refusal.status, text))
        };
        if message.kind == Kind::Answer {
            return Err(Refusal::new(400, "Invalid Request: a client of this revision sends no responses"));
        }
        if message.kind == Kind::Request && !message.has(slot::VERSION) {
            let member = umcp::mcp::PROTOCOL_VERSION;
            let message = format!("Invalid params: _meta lacks a required member: {member}");
            return refuse(Refusal { status: 400, code: code::INVALID_PARAMS, message });
        }
        if let Err(refusal) = agree(request, &message) {
            return refuse(refusal);
        }
        if message.is("notifications/cancelled") {
            // Here a request is cancelled by closing its stream; whose id this might be, nobody knows.
            return Ok(Taken::Accepted);
        }
        let client = router.join(Channel::Exchange);
        match router.message(client, message, now) {
            Some(key) => Ok(self.wait(id, Doing::call(client, key, true, request))),
            None => {
                router.leave(client);
                Ok(Taken::Accepted)
            }
        }
    }

    fn legacy(
        &mut self,
        id: PeerId,
        request: &Request,
        message: Message,
        router: &mut Router,
        now: Instant,
    ) -> Result<Taken, Refusal> {
        let shakes_hands = message.kind == Kind::Request && message.is("initialize");
        let (client, session) = match shakes_hands {
            true => match self.new_session(router, now) {
                Some((client, session)) => (client, Some(session)),
                None => {
                    let text = format!("too many sessions: at most {}; try again later", self.limits.sessions);
                    let text = error(message.id(), code::INTERNAL_ERROR, &text);
                    return Ok(Taken::Replied(503, text));
                }
            },
            false => (self.session(request, now)?, None),
        };
        match router.message(client, message, now) {
            Some(key) => Ok(self.wait(id, Doing { session, ..Doing::call(client, key, false, request) })),
            None => Ok(Taken::Accepted),
        }
    }

    fn batch(
        &mut self,
        id: PeerId,
        request: &Request,
        items: Vec<Result<Message, Unread>>,
        router: &mut Router,
        now: Instant,
    ) -> Result<Taken, Refusal> {
        let client = self.session(request, now).ok().filter(|client| router.takes_batches(*client));
        let Some(client) = client else {
            return Ok(Taken::Replied(400, refused(Unread::Batch(items))));
        };
        match router.batch(client, items, now) {
            Some(key) => Ok(self.wait(id, Doing::call(client, key, false, request))),
            None => Ok(Taken::Accepted),
        }
    }

    fn wait(&mut self, id: PeerId, doing: Doing) -> Taken {
        if let Some(key) = doing.key {
            self.exchanges.insert(key, id);
        }
        if let Some(peer) = self.peers.get_mut(&id) {
            peer.doing = Some(doing);
        }
        Taken::Waits
    }

    fn open_stream(
        &mut self,
        id: PeerId,
        request: &Request,
        router: &mut Router,
        now: Instant,
    ) -> Result<Taken, Refusal> {
        let client = self.session(request, now)?;
        let Some(session) = self.sessions.of(client) else { return Err(no_session()) };
        let (before, backlog) = (session.stream.replace(id), session.take_backlog());
        // The client has opened another: the one before is dead, or not wanted any longer.
        if let Some(peer) = before.and_then(|before| self.peers.get_mut(&before)) {
            peer.doing = None;
            peer.connection.end_stream(now);
        }
        if let Some(before) = before {
            self.send(before, router);
        }
        let doing = Doing { client, key: None, modern: false, takes_events: true, session: None };
        if let Some(peer) = self.peers.get_mut(&id) {
            peer.doing = Some(doing);
            peer.connection.begin_stream(None, now);
            peer.connection.comment(now);
            backlog.iter().for_each(|text| peer.connection.event(text, now));
        }
        Ok(Taken::Waits)
    }

    /// The client whose session a legacy request names.
    fn session(&mut self, request: &Request, now: Instant) -> Result<ClientId, Refusal> {
        let version = request.version.text().map(|version| Revision::parse(version).is_some());
        if request.version.conflicts() || version == Some(false) {
            return Err(Refusal::new(400, "Bad Request: unsupported MCP-Protocol-Version"));
        }
        let Some(id) = request.session.get().filter(|_| !request.session.conflicts()) else {
            return Err(Refusal::new(
                400,
                "Bad Request: one Mcp-Session-Id header is required; send `initialize` first",
            ));
        };
        self.sessions.find(id, now).map(|session| session.client).ok_or_else(no_session)
    }

    fn new_session(&mut self, router: &mut Router, now: Instant) -> Option<(ClientId, String)> {
        if self.sessions.len() >= self.limits.sessions {
            let busy = |client: ClientId| self.peers.values().any(|peer| peer.is_doing(client));
            let idlest = self.sessions.idlest(self.limits.session_idle, now, busy)?;
            self.end_session(idlest, router, now);
        }
        let client = router.join(Channel::Session);
        match self.sessions.add(client, now) {
            Ok(id) => Some((client, id)),
            Err(_) => {
                router.leave(client);
                None
            }
        }
    }
}

pub(super) fn no_session() -> Refusal {
    Refusal::new(404, "Not Found: there is no such session; send `initialize` again")
}

/// The answer to a body that is no message.
fn refused(unread: Unread) -> Vec<u8> {
    match unread {
        Unread::Invalid(malformed) => refusal(&malformed),
        Unread::Batch(_) => {
            let why = umcp::rpc::Invalid::Batch.message();
            refusal(&Malformed { answer: None, id: None, spoilt: None, why, silent: false })
        }
        Unread::NotJson | Unread::Blank => error(None, code::PARSE_ERROR, "Parse error: not a JSON text in UTF-8"),
    }
}
