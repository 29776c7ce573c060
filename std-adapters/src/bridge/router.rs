//! Who is told what: the core of a bridge. It does no I/O; it is given messages and the time, and says what is to be sent where.
//!
//! - Requests of all clients share the server, so each gets an id of the bridge's own, counted from 1 and never used twice, and so does its
//!   progress token; what comes back is given the client's own again.
//! - Eras are not translated: a message keeps the one it was written in. The server sees one legacy handshake, the first; later clients are told its result.
//! - Nothing else of a message is read, and nothing else is changed.

mod answers;
mod call;
mod clients;
mod handshake;
mod news;
mod words;

use std::collections::{BTreeMap, VecDeque};

use umcp::time::Instant;

pub(crate) use call::Key;
use call::{Call, CallKind, Calls};
use handshake::Handshake;
pub(crate) use words::{error, refusal};

use super::limits::Limits;

/// A client: who shares one channel, or, over modern HTTP, one exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ClientId(u64);

/// How a client is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    /// It has a wire of its own, for as long as it is there.
    Line,
    /// It has a legacy HTTP session.
    Session,
    /// It is one modern HTTP request, and what belongs to it.
    Exchange,
}

#[derive(Debug)]
struct Client {
    channel: Channel,
    /// It has shaken hands.
    legacy: bool,
    /// It may send batches: it negotiated 2025-03-26.
    batches: bool,
    /// The resources it is subscribed to, as it wrote them.
    subscriptions: Vec<Vec<u8>>,
}

/// What is to be sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Out {
    /// To the server. `call` is the request it is: the router wants to be told when it [has left](Router::left).
    Server {
        text: Vec<u8>,
        call: Option<Key>,
    },
    Client(Letter),
}

/// A message to a client.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Letter {
    pub(crate) to: ClientId,
    /// The request of this client that it belongs to.
    pub(crate) about: Option<Key>,
    pub(crate) sort: Sort,
    /// Empty: nothing is to be said, and yet the request is over, since it has been cancelled.
    pub(crate) text: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// It ends the request; with the code of the error, if it is one.
    Answer(Option<i32>),
    /// The server asks this client (legacy).
    Question,
    /// A notification.
    News,
}

/// The answers to a batch, which leave together.
#[derive(Debug)]
struct Batch {
    client: ClientId,
    left: usize,
    gathered: Vec<Vec<u8>>,
}

/// A request of the server to a client that is open (legacy). Its id is the server's, and stays as it is.
#[derive(Debug)]
struct Question {
    id: Vec<u8>,
    client: ClientId,
}

pub(crate) struct Router {
    limits: Limits,
    /// What the server is called in errors.
    server: String,
    /// Why the server cannot be reached now.
    down: Option<String>,
    clients: BTreeMap<ClientId, Client>,
    next_client: u64,
    calls: Calls,
    batches: BTreeMap<Key, Batch>,
    questions: Vec<Question>,
    handshake: Handshake,
    /// The server may be reset without a sign: it is on a line.
    may_reset: bool,
    /// It may have been.
    doubt: bool,
    /// The time that was told last.
    now: Instant,
    /// What legacy clients have sent while the handshake is repeated.
    held: Vec<(Vec<u8>, Option<Key>)>,
    out: VecDeque<Out>,
}

impl Router {
    /// `may_reset`: the server may be reset without a sign, since it is on a line.
    pub(crate) fn new(server: String, limits: Limits, may_reset: bool) -> Router {
        Router {
            may_reset,
            doubt: false,
            now: Instant::ZERO,
            limits,
            server,
            down: None,
            clients: BTreeMap::new(),
            next_client: 0,
            calls: Calls::new(limits.answer),
            batches: BTreeMap::new(),
            questions: Vec::new(),
            handshake: Handshake::None,
            held: Vec::new(),
            out: VecDeque::new(),
        }
    }

    /// What is to be sent next.
    pub(crate) fn next(&mut self) -> Option<Out> {
        self.out.pop_front()
    }

    /// How many requests wait for an answer; subscriptions do not.
    pub(crate) fn waiting(&self) -> usize {
        self.calls.waiting()
    }

    /// The server is there: from the beginning, or again. A legacy handshake that was made before is repeated.
    pub(crate) fn opened(&mut self, now: Instant) {
        self.down = None;
        self.now = now;
        self.replay(true);
    }

    /// The server has gone. What was in flight is lost, and each of its clients is told once.
    pub(crate) fn lost(&mut self, why: &str) {
        self.down = Some(why.to_owned());
        self.held.clear();
        for question in std::mem::take(&mut self.questions) {
            let text = words::cancelled(&question.id, "the server has gone");
            self.post(question.client, None, Sort::News, text);
        }
        for (key, call) in self.calls.take_all() {
            let message = format!("{}: {why}; whether the request was carried out is not known", self.server);
            self.fail(key, call, &message);
        }
        self.handshake.lost();
        self.doubt = false;
        self.out.retain(|out| matches!(out, Out::Client(_)));
    }

    /// This request has left.
    pub(crate) fn left(&mut self, key: Key, now: Instant) {
        self.calls.left(key, now);
    }

    /// Bytes have moved. `arriving`: a message of the server has begun and not ended.
    pub(crate) fn moved(&mut self, sent: bool, received: bool, arriving: bool, now: Instant) {
        self.calls.moved(sent, received, arriving, now);
    }

    /// When [`expire`](Router::expire) wants to be called.
    pub(crate) fn expires_at(&self) -> Instant {
        let waits = |client: ClientId| self.questions.iter().any(|question| question.client == client);
        self.calls.iter().map(|(_, call)| self.calls.expires_at(call, &waits)).min().unwrap_or(Instant::NEVER)
    }

    /// Gives up the requests whose time is up.
    pub(crate) fn expire(&mut self, now: Instant) {
        self.now = now;
        let waits = |client: ClientId| self.questions.iter().any(|question| question.client == client);
        let over = |call: &Call| self.calls.expires_at(call, &waits) <= now;
        let keys: Vec<Key> = self.calls.iter().filter(|(_, call)| over(call)).map(|(key, _)| key).collect();
        for key in keys {
            let Some(call) = self.calls.remove(key) else { continue };
            if call.kind == CallKind::Ending {
                self.finish(key, &call, Vec::new(), None);
                continue;
            }
            let limit = self.limits.answer.unwrap_or_default().as_millis();
            let message = format!("{} has not answered within {limit} ms; the request was cancelled", self.server);
            self.doubt |= self.may_reset && call.kind != CallKind::Replay;
            self.withdraw(key, &call, "no answer in time");
            self.ended_without_result(key, now);
            self.fail(key, call, &message);
        }
    }

    /// No answer to this will come, for this reason. Nothing, if there has been one.
    pub(crate) fn give_up(&mut self, key: Key, why: &str, now: Instant) {
        self.now = now;
        let Some(call) = self.calls.remove(key) else { return };
        self.ended_without_result(key, now);
        let message = format!("{}: {why}", self.server);
        if !matches!(call.kind, CallKind::Ending) {
            return self.fail(key, call, &message);
        }
        self.finish(key, &call, Vec::new(), None);
    }

    /// The server has forgotten the legacy handshake.
    pub(crate) fn forgotten(&mut self) {
        self.doubt = true;
    }

    fn tell(&mut self, text: Vec<u8>, call: Option<Key>) {
        if self.down.is_none() {
            self.out.push_back(Out::Server { text, call });
        }
    }

    fn post(&mut self, to: ClientId, about: Option<Key>, sort: Sort, text: Vec<u8>) {
        if self.clients.contains_key(&to) {
            self.out.push_back(Out::Client(Letter { to, about, sort, text }));
        }
    }

    /// Answers a request, by itself or as part of its batch.
    fn finish(&mut self, key: Key, call: &Call, text: Vec<u8>, code: Option<i32>) {
        let Some(client) = call.client else { return };
        let Some(batch_key) = call.batch else {
            return self.post(client, Some(key), Sort::Answer(code), text);
        };
        let Some(batch) = self.batches.get_mut(&batch_key) else { return };
        batch.left = batch.left.saturating_sub(1);
        if !text.is_empty() {
            batch.gathered.push(text);
        }
        self.close_batch(batch_key);
    }

    /// Sends a batch's answers if none is missing.
    fn close_batch(&mut self, key: Key) {
        if self.batches.get(&key).is_none_or(|batch| batch.left > 0) {
            return;
        }
        let Some(batch) = self.batches.remove(&key) else { return };
        let text = if batch.gathered.is_empty() { Vec::new() } else { words::array(&batch.gathered) };
        self.post(batch.client, Some(key), Sort::Answer(None), text);
    }

    /// Answers a request with an error of the bridge's own.
    fn fail(&mut self, key: Key, call: Call, message: &str) {
        let code = umcp::rpc::code::INTERNAL_ERROR;
        let text = words::error(Some(&call.id), code, message);
        self.finish(key, &call, text, Some(code));
    }

    /// Tells the server that nobody waits for this any longer. A handshake is not cancelled.
    fn withdraw(&mut self, key: Key, call: &Call, reason: &str) {
        if call.may_be_cancelled() {
            self.tell(words::cancelled(key.text().as_bytes(), reason), None);
        }
    }
}

#[cfg(test)]
mod schedules;
#[cfg(test)]
mod tests;
