//! The one legacy handshake that a server sees.
//!
//! A server on one wire has one legacy session. So the first `initialize` goes to it, and whoever comes later is told the same result: the
//! server's capabilities, its name, the revision that was agreed on. Only whoever asks for an older revision is told that one, since it may know no other:
//! the server goes on speaking that of the first, which differs in what older clients do not read. What the later ones can do themselves the server does not learn; it asks the
//! client that it knows. When the wire has been opened again, the bridge repeats the handshake, since the server has forgotten it; and where
//! a server may have been reset without a sign, it does so before the next legacy message.

use umcp::json::Value;
use umcp::mcp::Revision;
use umcp::time::Instant;

use super::super::message::{Message, slot};
use super::call::{Call, CallKind, Key};
use super::{Channel, ClientId, Router};

#[derive(Debug)]
pub(super) enum Handshake {
    None,
    /// It is under way.
    Asked {
        key: Key,
        by: ClientId,
        request: Message,
        waiting: Vec<(Key, Message)>,
    },
    /// It has been made.
    Done(Made),
}

#[derive(Debug)]
pub(super) struct Made {
    /// Whose it was: the client that the server asks.
    by: ClientId,
    request: Message,
    /// The server's answer to it.
    answer: Message,
    /// `notifications/initialized` has been sent.
    initialized: bool,
    /// It is being repeated.
    replay: Option<Replay>,
}

impl Made {
    /// What the client that sent this request, with this id, is told; and whether it may send batches then.
    fn told(&self, id: &[u8], request: &Message) -> (Vec<u8>, bool) {
        let negotiated = revision(Value::new(self.answer.raw(slot::NEGOTIATED)));
        let asked = Value::new(request.raw(slot::PARAMS)).get("protocolVersion").and_then(revision);
        let older = asked.filter(|asked| negotiated.is_some_and(|negotiated| *asked < negotiated));
        let mut changes = vec![(slot::ID, id)];
        let name = older.map(|older| format!("\"{older}\""));
        changes.extend(name.as_ref().map(|name| (slot::NEGOTIATED, name.as_bytes())));
        (self.answer.with(&changes), older.or(negotiated) == Some(Revision::V2025_03_26))
    }
}

fn revision(name: Value<'_>) -> Option<Revision> {
    name.as_str().and_then(Revision::parse)
}

#[derive(Clone, Copy, Debug)]
struct Replay {
    key: Key,
    /// The server has surely forgotten. Otherwise one that refuses may just be right.
    needed: bool,
}

impl Handshake {
    /// The server has gone. What was made is kept, to be repeated.
    pub(super) fn lost(&mut self) {
        match self {
            Handshake::Done(made) => made.replay = None,
            _ => *self = Handshake::None,
        }
    }

    /// Whether this `notifications/initialized` is the first.
    pub(super) fn is_first_initialized(&mut self) -> bool {
        match self {
            Handshake::Done(made) => !std::mem::replace(&mut made.initialized, true),
            // Out of turn: it is for the server to judge.
            _ => true,
        }
    }
}

impl Router {
    pub(super) fn initialize(&mut self, key: Key, call: Call, request: Message) {
        let Some(by) = call.client else { return };
        match &mut self.handshake {
            Handshake::Asked { waiting, .. } => {
                waiting.push((key, request));
                self.calls.insert(key, Call { kind: CallKind::Waiting, ..call });
            }
            Handshake::Done(made) if made.by != by => {
                let (text, batches) = made.told(&call.id, &request);
                self.shaken(by, batches);
                self.finish(key, &call, text, None);
            }
            // Whoever made it may make it again.
            Handshake::None | Handshake::Done(_) => self.ask(key, call, by, request, Vec::new()),
        }
    }

    fn ask(&mut self, key: Key, call: Call, by: ClientId, request: Message, waiting: Vec<(Key, Message)>) {
        self.doubt = false;
        self.pass(key, call, &request);
        self.handshake = Handshake::Asked { key, by, request, waiting };
    }

    fn shaken(&mut self, client: ClientId, batches: bool) {
        if let Some(client) = self.clients.get_mut(&client) {
            (client.legacy, client.batches) = (true, batches);
        }
    }

    /// The server has answered an `initialize` of a client's.
    pub(super) fn initialized(&mut self, key: Key, answer: &Message, now: Instant) {
        if !answer.has(slot::RESULT) {
            return self.ended_without_result(key, now);
        }
        let Handshake::Asked { key: asked, by, request, waiting } =
            std::mem::replace(&mut self.handshake, Handshake::None)
        else {
            return;
        };
        debug_assert_eq!(asked, key);
        let made = Made { by, request, answer: answer.clone(), initialized: false, replay: None };
        let batches = revision(Value::new(answer.raw(slot::NEGOTIATED))) == Some(Revision::V2025_03_26);
        self.shaken(by, batches);
        for (key, request) in waiting {
            let Some(call) = self.calls.remove(key) else { continue };
            let (text, batches) = made.told(&call.id, &request);
            if let Some(client) = call.client {
                self.shaken(client, batches);
            }
            self.finish(key, &call, text, None);
        }
        self.handshake = Handshake::Done(made);
    }

    /// A request has ended without a result. If it was the handshake, the next who waits may try.
    pub(super) fn ended_without_result(&mut self, key: Key, now: Instant) {
        match &mut self.handshake {
            Handshake::Asked { key: asked, waiting, .. } if *asked == key => {
                let waiting = std::mem::take(waiting);
                self.handshake = Handshake::None;
                self.next_in_line(waiting, now);
            }
            Handshake::Done(made) if made.replay.is_some_and(|replay| replay.key == key) => {
                if made.replay.take().is_some_and(|replay| replay.needed) {
                    self.handshake = Handshake::None;
                }
                self.release();
            }
            _ => {}
        }
    }

    fn next_in_line(&mut self, waiting: Vec<(Key, Message)>, now: Instant) {
        let mut waiting = waiting.into_iter();
        for (key, request) in waiting.by_ref() {
            let Some(call) = self.calls.remove(key) else { continue };
            let Some(by) = call.client.filter(|client| self.clients.contains_key(client)) else { continue };
            let call = Call { kind: CallKind::Initialize, since: now, ..call };
            return self.ask(key, call, by, request, waiting.collect());
        }
    }

    /// The server is there again, and has forgotten; or, unless it is `needed`, may have.
    pub(super) fn replay(&mut self, needed: bool) {
        self.doubt = false;
        let Handshake::Done(made) = &mut self.handshake else { return };
        let key = self.calls.next_key();
        let text = made.request.with(&[(slot::ID, key.text().as_bytes())]);
        made.replay = Some(Replay { key, needed });
        let call = Call {
            client: None,
            id: Vec::new(),
            token: None,
            kind: CallKind::Replay,
            logs: false,
            batch: None,
            since: self.now,
            has_left: false,
        };
        self.calls.insert(key, call);
        self.tell(text, Some(key));
    }

    /// The server has answered the handshake that was repeated.
    pub(super) fn replayed(&mut self, key: Key, answer: &Message, now: Instant) {
        let Handshake::Done(made) = &mut self.handshake else { return };
        if !answer.has(slot::RESULT) {
            return self.ended_without_result(key, now);
        }
        made.replay = None;
        made.answer = answer.clone();
        if made.initialized {
            self.tell(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_vec(), None);
        }
        self.release();
    }

    /// What was held back meanwhile goes on.
    fn release(&mut self) {
        for (text, call) in std::mem::take(&mut self.held) {
            self.tell(text, call);
        }
    }

    /// Sends what a client has to say, unless it has to wait for the handshake to be repeated.
    pub(super) fn tell_for(&mut self, client: Option<ClientId>, text: Vec<u8>, call: Option<Key>) {
        let is_legacy = client.and_then(|client| self.clients.get(&client)).is_some_and(|client| client.legacy);
        if is_legacy && self.doubt {
            self.replay(false);
        }
        let replays = matches!(&self.handshake, Handshake::Done(Made { replay: Some(_), .. }));
        if !(is_legacy && replays) {
            return self.tell(text, call);
        }
        // Requests are bounded; of notifications, what is more than that is lost, as it would have been a moment before.
        if call.is_some() || self.held.len() < 2 * self.limits.requests {
            self.held.push((text, call));
        }
    }

    /// The client that the server may ask: of the legacy ones the only one that waits for something, or else the one whose handshake it was, or
    /// any that is left; without a handshake, whoever is alone on a line.
    pub(super) fn asked(&self) -> Option<ClientId> {
        let is_legacy = |id: &ClientId| self.clients.get(id).is_some_and(|client| client.legacy);
        let mut waiting: Vec<ClientId> =
            self.calls.iter().filter_map(|(_, call)| call.client).filter(|id| is_legacy(id)).collect();
        waiting.dedup();
        waiting.sort();
        waiting.dedup();
        if let [only] = waiting.as_slice() {
            return Some(*only);
        }
        let made_it = match &self.handshake {
            Handshake::Done(made) => Some(made.by).filter(is_legacy),
            _ => None,
        };
        let any = || self.clients.keys().copied().find(is_legacy);
        let alone = || match self.clients.iter().next() {
            Some((id, client)) if client.channel == Channel::Line && self.clients.len() == 1 => Some(*id),
            _ => None,
        };
        made_it.or_else(any).or_else(alone)
    }
}
