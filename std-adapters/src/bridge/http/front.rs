//! All connections, and what their requests have to do with the router.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read};
use std::net::TcpListener;
use std::ops::Range;
use std::os::fd::AsFd;

use umcp::time::{Duration, Instant};

use super::connection::Connection;
use super::enter::{Taken, no_session};
use super::peer::{Peer, PeerId};
use super::policy::{Allowed, Policy, Refusal, status};
use super::sessions::Sessions;
use crate::bridge::limits::Limits;
use crate::bridge::router::{ClientId, Key, Letter, Router, Sort};
use crate::bridge::wait::{Ends, Fired};

/// What is read at once.
const CHUNK: usize = 16 << 10;
/// Connections beyond the limit that are told so. More are closed without a word.
const REFUSED: usize = 16;
/// How long who has just come may take before it makes room for others.
const GRACE: Duration = Duration::from_millis(50);

/// Where what is waited for is found again.
pub(in crate::bridge) struct Slots {
    listening: Range<usize>,
    peers: Vec<(PeerId, Range<usize>)>,
}

pub(in crate::bridge) struct HttpFront {
    listener: TcpListener,
    pub(super) peers: BTreeMap<PeerId, Peer>,
    next: u64,
    pub(super) exchanges: BTreeMap<Key, PeerId>,
    pub(super) sessions: Sessions,
    policy: Policy,
    pub(super) limits: Limits,
}

impl HttpFront {
    /// Serves what this listener accepts.
    pub(in crate::bridge) fn new(listener: TcpListener, allowed: Allowed, limits: Limits) -> io::Result<HttpFront> {
        listener.set_nonblocking(true)?;
        let policy = Policy::new(listener.local_addr()?, allowed);
        Ok(HttpFront {
            listener,
            peers: BTreeMap::new(),
            next: 0,
            exchanges: BTreeMap::new(),
            sessions: Sessions::default(),
            policy,
            limits,
        })
    }

    /// What to wait for. `reads`: what clients say can be passed on.
    pub(in crate::bridge) fn ends<'a>(&'a self, reads: bool, ends: &mut Ends<'a>) -> Slots {
        let listening = ends.add((reads.then_some(self.listener.as_fd()), None));
        let of_peer = |(id, Peer { stream, connection, .. }): (&PeerId, &'a Peer)| {
            let read = connection.takes_input() && (reads || connection.is_busy() || connection.is_lingering());
            let write = connection.pending() > 0;
            (*id, ends.add((read.then_some(stream.as_fd()), write.then_some(stream.as_fd()))))
        };
        Slots { listening, peers: self.peers.iter().map(of_peer).collect() }
    }

    /// When [`tick`](HttpFront::tick) wants to be called.
    pub(in crate::bridge) fn wakes_at(&self) -> Instant {
        self.peers.values().map(|peer| peer.wakes_at(&self.limits)).min().unwrap_or(Instant::NEVER)
    }

    /// Moves what can move.
    pub(in crate::bridge) fn transfer(&mut self, slots: &Slots, fired: &Fired, router: &mut Router, now: Instant) {
        for (id, _) in slots.peers.iter().filter(|(_, range)| fired.any(range)) {
            self.receive(*id, router, now);
        }
        if fired.any(&slots.listening) {
            self.accept(now);
        }
    }

    fn accept(&mut self, now: Instant) {
        // What goes wrong with one that is not accepted yet is between it and the system.
        while let Ok((stream, _)) = self.listener.accept() {
            let is_ready = stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true)).is_ok();
            if !is_ready || self.peers.len() >= self.limits.connections + REFUSED {
                continue;
            }
            if self.peers.len() >= self.limits.connections
                && let Some(id) = self.replaceable(now)
            {
                self.peers.remove(&id);
            }
            let connection = match self.peers.len() < self.limits.connections {
                true => Connection::new(now),
                false => Connection::refused(503, "Service Unavailable: too many connections", now),
            };
            self.next += 1;
            let mut peer = Peer::new(stream, connection);
            // If this fails, so does the next attempt to read.
            let _ = peer.send();
            self.peers.insert(PeerId(self.next), peer);
        }
    }

    /// The connection that makes room for another: the one that has been idle for longest, or else has taken longest over a request.
    fn replaceable(&self, now: Instant) -> Option<PeerId> {
        let at_rest = self.peers.iter().filter(|(_, peer)| peer.doing.is_none() && peer.connection.pending() == 0);
        let rank = |peer: &Peer| match &peer.connection {
            one if now.since(one.since) < GRACE => None,
            one if one.is_idle() => Some(0),
            one if one.is_arriving() => Some(1),
            _ => None,
        };
        let candidates = at_rest.filter_map(|(id, peer)| Some((rank(peer)?, peer.connection.since, *id)));
        candidates.min_by_key(|&(rank, since, _)| (rank, since)).map(|(.., id)| id)
    }

    fn receive(&mut self, id: PeerId, router: &mut Router, now: Instant) {
        let Some(peer) = self.peers.get_mut(&id) else { return };
        let mut chunk = [0; CHUNK];
        let closed = match peer.stream.read(&mut chunk) {
            Ok(0) => true,
            Ok(count) => {
                peer.connection.receive(chunk.get(..count).unwrap_or_default(), now);
                false
            }
            Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
        };
        if closed || peer.send().is_err() {
            return self.close(id, router);
        }
        self.requests(id, router, now);
        self.send(id, router);
    }

    /// Takes the requests that are whole, one after the other.
    fn requests(&mut self, id: PeerId, router: &mut Router, now: Instant) {
        loop {
            let Some(peer) = self.peers.get_mut(&id) else { return };
            let Some(request) = peer.connection.next(&self.policy, &self.limits, now) else { return };
            match self.request(id, &request, router, now) {
                Ok(Taken::Waits) => {}
                Ok(Taken::Accepted) => self.reply(id, 202, &[], now),
                Ok(Taken::Replied(status, text)) => self.reply(id, status, &text, now),
                Err(refusal) => {
                    if let Some(peer) = self.peers.get_mut(&id) {
                        peer.connection.refuse(&refusal, now);
                    }
                }
            }
        }
    }

    fn reply(&mut self, id: PeerId, status: u16, text: &[u8], now: Instant) {
        if let Some(peer) = self.peers.get_mut(&id) {
            peer.connection.reply(status, &[], text, now);
        }
    }

    /// The connection has gone. A modern request goes with it; a legacy one does not.
    fn close(&mut self, id: PeerId, router: &mut Router) {
        let Some(peer) = self.peers.remove(&id) else { return };
        self.sessions.closed(id);
        let Some(doing) = peer.doing else { return };
        if let Some(key) = doing.key {
            self.exchanges.remove(&key);
        }
        if doing.modern {
            router.leave(doing.client);
        } else if doing.session.is_some() {
            // Nobody will ever know its name.
            self.end_session(doing.client, router, Instant::ZERO);
        }
    }

    /// Sends what can leave. A client that does not read is given up.
    pub(super) fn send(&mut self, id: PeerId, router: &mut Router) {
        let Some(peer) = self.peers.get_mut(&id) else { return };
        let stalled = peer.connection.pending() > self.limits.backlog + self.limits.message;
        if peer.send().is_err() || stalled {
            self.close(id, router);
        }
    }

    /// What only time brings.
    pub(in crate::bridge) fn tick(&mut self, router: &mut Router, now: Instant) {
        let due: Vec<PeerId> = self
            .peers
            .iter()
            .filter(|(_, peer)| peer.wakes_at(&self.limits) <= now || peer.connection.pending() > 0)
            .map(|(id, _)| *id)
            .collect();
        for id in due {
            let Some(peer) = self.peers.get_mut(&id) else { continue };
            let is_due = peer.wakes_at(&self.limits) <= now;
            let connection = &mut peer.connection;
            match (is_due, &peer.doing) {
                (false, _) => {}
                (true, Some(doing)) => {
                    if !connection.is_streaming() {
                        connection.begin_stream(doing.session.as_deref(), now);
                    }
                    connection.comment(now);
                }
                (true, None) if connection.is_lingering() || connection.is_idle() => {
                    self.close(id, router);
                    continue;
                }
                (true, None) => connection.refuse(&Refusal::new(408, "Request Timeout"), now),
            }
            self.send(id, router);
        }
    }

    /// A message of the router's to one of the clients here.
    pub(in crate::bridge) fn deliver(&mut self, letter: &Letter, router: &mut Router, now: Instant) {
        let exchange = letter.about.and_then(|key| self.exchanges.get(&key)).copied();
        match (letter.sort, exchange) {
            (Sort::Answer(error), Some(id)) => self.answer(id, letter, error, router, now),
            // Its connection has gone, and there is no other on which an answer may come.
            (Sort::Answer(_), None) => {}
            (_, Some(id)) if self.peers.get(&id).is_some_and(Peer::takes_events) => {
                self.event(id, &letter.text, router, now);
            }
            _ => self.by_itself(letter, router, now),
        }
    }

    fn answer(&mut self, id: PeerId, letter: &Letter, error: Option<i32>, router: &mut Router, now: Instant) {
        if let Some(key) = letter.about {
            self.exchanges.remove(&key);
        }
        let Some(peer) = self.peers.get_mut(&id) else { return };
        let Some(doing) = peer.doing.take() else { return };
        let connection = &mut peer.connection;
        if connection.is_streaming() {
            if !letter.text.is_empty() {
                connection.event(&letter.text, now);
            }
            connection.end_stream(now);
        } else if letter.text.is_empty() {
            connection.reply(202, &[], &[], now);
        } else {
            let session = doing.session.as_deref().filter(|_| error.is_none());
            let header = session.map(|session| ("Mcp-Session-Id", session));
            connection.reply(status(doing.modern, error), header.as_slice(), &letter.text, now);
        }
        if doing.modern {
            router.leave(doing.client);
        } else if doing.session.is_some() && error.is_some() {
            self.end_session(doing.client, router, now);
        }
        self.send(id, router);
        self.requests(id, router, now);
        self.send(id, router);
    }

    fn event(&mut self, id: PeerId, text: &[u8], router: &mut Router, now: Instant) {
        let Some(peer) = self.peers.get_mut(&id) else { return };
        if !peer.connection.is_streaming() {
            let session = peer.doing.as_ref().and_then(|doing| doing.session.as_deref());
            peer.connection.begin_stream(session, now);
        }
        peer.connection.event(text, now);
        self.send(id, router);
    }

    /// What belongs to no request, or to one whose connection takes no events: it goes to the stream of the session, as soon as there is one. A question
    /// may also go to any request that is open.
    fn by_itself(&mut self, letter: &Letter, router: &mut Router, now: Instant) {
        let open = || {
            let mut peers = self.peers.iter().rev();
            let is_open = |peer: &Peer| peer.is_doing(letter.to) && peer.takes_events();
            peers.find(|(_, peer)| is_open(peer)).map(|(id, _)| *id)
        };
        let open = if letter.sort == Sort::Question { open() } else { None };
        let Some(session) = self.sessions.of(letter.to) else { return };
        match session.stream.or(open) {
            Some(id) => self.event(id, &letter.text, router, now),
            None => session.keep(&letter.text),
        }
    }

    /// Ends all streams.
    pub(in crate::bridge) fn finish(&mut self, router: &mut Router, now: Instant) {
        for (_, mut peer) in std::mem::take(&mut self.peers) {
            if peer.connection.is_streaming() {
                peer.connection.end_stream(now);
            }
            // Nobody waits for one that does not read.
            let _ = peer.send();
            if let Some(doing) = peer.doing {
                router.leave(doing.client);
            }
        }
        while let Some(client) = self.sessions.idlest(umcp::time::Duration::ZERO, now, |_| false) {
            self.end_session(client, router, now);
        }
    }

    /// The session is over: its requests are cancelled, its streams end.
    pub(super) fn end_session(&mut self, client: ClientId, router: &mut Router, now: Instant) {
        self.sessions.remove(client);
        router.leave(client);
        let ended: Vec<PeerId> =
            self.peers.iter().filter(|(_, peer)| peer.is_doing(client)).map(|(id, _)| *id).collect();
        for id in ended {
            let Some(peer) = self.peers.get_mut(&id) else { continue };
            if let Some(key) = peer.doing.take().and_then(|doing| doing.key) {
                self.exchanges.remove(&key);
            }
            match peer.connection.is_streaming() {
                true => peer.connection.end_stream(now),
                false => peer.connection.refuse(&no_session(), now),
            }
            self.send(id, router);
        }
    }
}
