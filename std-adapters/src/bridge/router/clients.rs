//! What comes from the clients.

use umcp::rpc::code;
use umcp::time::Instant;

use super::super::message::{Kind, Malformed, Message, Unread, slot};
use super::call::{Call, CallKind, Key};
use super::{Batch, Channel, Client, ClientId, Question, Router, Sort, words};

impl Router {
    pub(crate) fn join(&mut self, channel: Channel) -> ClientId {
        self.next_client += 1;
        let id = ClientId(self.next_client);
        self.clients.insert(id, Client { channel, legacy: false, batches: false, subscriptions: Vec::new() });
        id
    }

    /// This client may send batches.
    pub(crate) fn takes_batches(&self, client: ClientId) -> bool {
        self.clients.get(&client).is_some_and(|client| client.batches)
    }

    /// The client has gone: what it waited for is cancelled, and what it was asked is answered for it.
    pub(crate) fn leave(&mut self, client: ClientId) {
        if self.clients.remove(&client).is_none() {
            return;
        }
        let keys: Vec<Key> =
            self.calls.iter().filter(|(_, call)| call.client == Some(client)).map(|(key, _)| key).collect();
        for key in keys {
            // Others may wait for the end of its handshake.
            if self.calls.get(key).is_some_and(Call::may_be_cancelled)
                && let Some(call) = self.calls.remove(key)
            {
                self.withdraw(key, &call, "the client has gone");
            }
        }
        self.batches.retain(|_, batch| batch.client != client);
        let asked = |question: &Question| question.client == client;
        for question in self.questions.extract_if(.., |question| asked(question)).collect::<Vec<_>>() {
            let text = words::error(Some(&question.id), code::INTERNAL_ERROR, "the client has gone");
            self.tell(text, None);
        }
    }

    /// Passes on one message of a client. `Some`: it is a request, and exactly one answer about this key will come.
    pub(crate) fn message(&mut self, from: ClientId, message: Message, now: Instant) -> Option<Key> {
        self.now = now;
        match message.kind {
            Kind::Request => {
                let key = self.calls.next_key();
                self.request(key, from, message, None, now);
                Some(key)
            }
            Kind::Notification => {
                self.notification(from, message);
                None
            }
            Kind::Answer => {
                self.answer(from, message, now);
                None
            }
        }
    }

    /// Passes on the messages of a batch one by one. `Some`: exactly one answer about this key will come, with all of theirs.
    pub(crate) fn batch(&mut self, from: ClientId, items: Vec<Result<Message, Unread>>, now: Instant) -> Option<Key> {
        let batch = self.calls.next_key();
        let answered = |item: &Result<Message, Unread>| item.as_ref().map_or(true, |item| item.kind == Kind::Request);
        let left = items.iter().filter(|item| answered(item)).count();
        if left == 0 {
            items.into_iter().flatten().for_each(|item| {
                self.message(from, item, now);
            });
            return None;
        }
        // One more, so that it is not closed before all have been taken.
        self.batches.insert(batch, Batch { client: from, left: left + 1, gathered: Vec::new() });
        for item in items {
            match item {
                Ok(item) if item.kind == Kind::Request => {
                    let key = self.calls.next_key();
                    self.request(key, from, item, Some(batch), now);
                }
                Ok(item) => {
                    self.message(from, item, now);
                }
                Err(unread) => self.gather_refusal(batch, unread),
            }
        }
        if let Some(open) = self.batches.get_mut(&batch) {
            open.left -= 1;
        }
        self.close_batch(batch);
        Some(batch)
    }

    fn gather_refusal(&mut self, batch: Key, unread: Unread) {
        let text = match unread {
            Unread::Invalid(malformed) => words::refusal(&malformed),
            _ => words::refusal(&Malformed {
                answer: None,
                id: None,
                spoilt: None,
                why: "Invalid Request: not a message",
                silent: false,
            }),
        };
        if let Some(batch) = self.batches.get_mut(&batch) {
            batch.gathered.push(text);
            batch.left = batch.left.saturating_sub(1);
        }
    }

    fn request(&mut self, key: Key, from: ClientId, message: Message, batch: Option<Key>, now: Instant) {
        let id = message.id().unwrap_or_default().to_vec();
        let token = message.raw_id(slot::META_TOKEN).map(<[u8]>::to_vec);
        let logs = message.has(slot::VERSION) && message.has(slot::LOG_LEVEL);
        let kind = kind_of(&message);
        let is_open = self.calls.find(from, &id).is_some();
        let call = Call { client: Some(from), id, token, kind, logs, batch, since: now, has_left: false };
        if is_open {
            let code = code::INVALID_REQUEST;
            let text = words::error(Some(&call.id), code, "Invalid Request: the id of a request that is still open");
            return self.finish(key, &call, text, Some(code));
        }
        if self.calls.len() >= self.limits.requests {
            let limit = self.limits.requests;
            let message = format!("too many requests are in flight: at most {limit}; try again when one has ended");
            return self.refuse(key, &call, &message, limit);
        }
        if let Some(why) = &self.down {
            let message = format!("{}: {why}", self.server);
            return self.fail(key, call, &message);
        }
        match call.kind.clone() {
            CallKind::Initialize => return self.initialize(key, call, message),
            CallKind::Subscribe(uri) if !self.may_subscribe(from, &uri) => {
                let limit = self.limits.subscriptions;
                let message = format!("too many subscriptions: at most {limit}");
                return self.refuse(key, &call, &message, limit);
            }
            // The server knows of one subscriber, so it is not told as long as there is another.
            CallKind::Unsubscribe(uri) if self.subscribers(&uri).any(|client| client != from) => {
                self.unsubscribed(from, &uri);
                let text = words::result(&call.id, b"{}");
                return self.finish(key, &call, text, None);
            }
            _ => {}
        }
        self.pass(key, call, &message);
    }

    /// Sends a request to the server, under its key.
    pub(super) fn pass(&mut self, key: Key, call: Call, message: &Message) {
        let number = key.text();
        let mut changes = vec![(slot::ID, number.as_bytes())];
        if call.token.is_some() {
            changes.push((slot::META_TOKEN, number.as_bytes()));
        }
        let text = message.with(&changes);
        let client = call.client;
        self.calls.insert(key, call);
        self.tell_for(client, text, Some(key));
    }

    fn refuse(&mut self, key: Key, call: &Call, message: &str, limit: usize) {
        let text = words::too_many(&call.id, message, limit);
        self.finish(key, call, text, Some(code::INTERNAL_ERROR));
    }

    fn notification(&mut self, from: ClientId, message: Message) {
        if message.is("notifications/cancelled") {
            return self.cancel(from, &message);
        }
        if message.is("notifications/initialized") && !self.handshake.is_first_initialized() {
            return;
        }
        // The server asks one of them, and may ask again.
        if message.is("notifications/roots/list_changed") && self.asked() != Some(from) {
            return;
        }
        let text = message.into_text();
        self.tell_for(Some(from), text, None);
    }

    fn cancel(&mut self, from: ClientId, message: &Message) {
        let key = message.raw_id(slot::REQUEST_ID).and_then(|id| self.calls.find(from, id));
        let Some(key) = key.filter(|key| self.calls.get(*key).is_some_and(Call::may_be_cancelled)) else {
            return;
        };
        let Some(call) = self.calls.remove(key) else { return };
        let text = message.with(&[(slot::REQUEST_ID, key.text().as_bytes())]);
        self.tell_for(Some(from), text, None);
        self.finish(key, &call, Vec::new(), None);
    }

    fn answer(&mut self, from: ClientId, message: Message, now: Instant) {
        let answers = |question: &Question| question.client == from && message.id().is_some_and(|id| id == question.id);
        let Some(index) = self.questions.iter().position(answers) else { return };
        self.questions.remove(index);
        self.calls.answered_by(from, now);
        self.tell(message.into_text(), None);
    }

    fn may_subscribe(&self, client: ClientId, uri: &Vec<u8>) -> bool {
        let Some(client) = self.clients.get(&client) else { return false };
        client.subscriptions.contains(uri) || client.subscriptions.len() < self.limits.subscriptions
    }

    pub(super) fn subscribers<'a>(&'a self, uri: &'a [u8]) -> impl Iterator<Item = ClientId> + 'a {
        let subscribed = move |client: &Client| client.subscriptions.iter().any(|other| other == uri);
        self.clients.iter().filter(move |(_, client)| subscribed(client)).map(|(id, _)| *id)
    }

    pub(super) fn subscribed(&mut self, client: ClientId, uri: Vec<u8>) {
        if let Some(client) = self.clients.get_mut(&client)
            && !client.subscriptions.contains(&uri)
        {
            client.subscriptions.push(uri);
        }
    }

    pub(super) fn unsubscribed(&mut self, client: ClientId, uri: &[u8]) {
        if let Some(client) = self.clients.get_mut(&client) {
            client.subscriptions.retain(|other| other != uri);
        }
    }

    /// Sends a question of the server's to the client that is asked, if there is one.
    pub(super) fn question(&mut self, message: Message) {
        let id = message.id().unwrap_or_default().to_vec();
        let refusal = match self.asked() {
            Some(client) if self.questions.len() < self.limits.questions => {
                let about = self.calls.iter().rev().find(|(_, call)| call.client == Some(client));
                let about = about.map(|(key, call)| call.about(key));
                self.questions.push(Question { id, client });
                return self.post(client, about, Sort::Question, message.into_text());
            }
            Some(_) => "too many requests to clients are open",
            None if message.is("ping") => return self.tell(words::result(&id, b"{}"), None),
            None => "there is no client that could be asked",
        };
        self.tell(words::error(Some(&id), code::INTERNAL_ERROR, refusal), None);
    }
}

fn kind_of(message: &Message) -> CallKind {
    // A modern request is never a handshake, whatever its method.
    let legacy = !message.has(slot::VERSION);
    let uri = || message.raw(slot::URI).to_vec();
    match () {
        () if !legacy && message.is("subscriptions/listen") => CallKind::Listen,
        () if legacy && message.is("initialize") => CallKind::Initialize,
        () if legacy && message.is("resources/subscribe") => CallKind::Subscribe(uri()),
        () if legacy && message.is("resources/unsubscribe") => CallKind::Unsubscribe(uri()),
        () => CallKind::Plain,
    }
}
