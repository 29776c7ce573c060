//! The notifications of the server, and who they are for.

use umcp::mcp::Notification;
use umcp::time::Instant;

use super::super::message::{Message, slot};
use super::call::{CallKind, Key};
use super::{Channel, ClientId, Router, Sort};

impl Router {
    pub(super) fn news(&mut self, message: Message, now: Instant) {
        let is = |notification: Notification| message.is(notification.as_str());
        if message.has(slot::SUBSCRIPTION) {
            return self.on_subscription(&message, now);
        }
        if is(Notification::Progress) {
            return self.progress(&message, now);
        }
        if is(Notification::Cancelled) {
            return self.cancelled_by_server(&message, now);
        }
        if is(Notification::Message) {
            return self.log(message);
        }
        let told: Vec<ClientId> = match is(Notification::ResourceUpdated) {
            true => self.subscribers(message.raw(slot::URI)).collect(),
            false => Vec::new(),
        };
        // A server may tell of what lies below the resource that was subscribed to: then all are told.
        let told = if told.is_empty() { self.everybody() } else { told };
        for client in told {
            self.post(client, None, Sort::News, message.text().to_vec());
        }
    }

    /// Whoever has a channel on which messages without an owner may come: legacy clients, and whoever is alone on a line.
    fn everybody(&self) -> Vec<ClientId> {
        let hears = |client: &super::Client| client.legacy || client.channel == Channel::Line;
        self.clients.iter().filter(|(_, client)| hears(client)).map(|(id, _)| *id).collect()
    }

    fn progress(&mut self, message: &Message, now: Instant) {
        let Some(key) = Key::parse(message.raw(slot::TOKEN)) else { return };
        self.calls.progressed(key, now);
        let Some(call) = self.calls.get(key) else { return };
        if let (Some(client), Some(token)) = (call.client, &call.token) {
            let text = message.with(&[(slot::TOKEN, token)]);
            let about = call.about(key);
            self.post(client, Some(about), Sort::News, text);
        }
    }

    fn on_subscription(&mut self, message: &Message, now: Instant) {
        let Some(key) = Key::parse(message.raw(slot::SUBSCRIPTION)) else { return };
        let Some(call) = self.calls.get(key).filter(|call| call.kind == CallKind::Listen) else { return };
        let Some(client) = call.client else { return };
        if message.is(Notification::Cancelled.as_str()) {
            return self.torn_down(key, message, now);
        }
        let changes = [(slot::SUBSCRIPTION, call.id.as_slice())];
        let text = message.with(&changes);
        let about = call.about(key);
        self.post(client, Some(about), Sort::News, text);
    }

    /// A question of its own is taken back (legacy), or a subscription is torn down (modern).
    fn cancelled_by_server(&mut self, message: &Message, now: Instant) {
        let id = message.raw(slot::REQUEST_ID);
        if let Some(index) = self.questions.iter().position(|question| question.id == id) {
            let question = self.questions.remove(index);
            return self.post(question.client, None, Sort::News, message.text().to_vec());
        }
        if let Some(key) = Key::parse(id) {
            self.torn_down(key, message, now);
        }
    }

    /// Over HTTP, the end of its stream says the same.
    fn torn_down(&mut self, key: Key, message: &Message, now: Instant) {
        let Some(call) = self.calls.get(key).filter(|call| call.kind == CallKind::Listen) else { return };
        let is_on_a_line =
            |client: &ClientId| self.clients.get(client).is_some_and(|client| client.channel == Channel::Line);
        if let Some(client) = call.client.filter(is_on_a_line) {
            let changes = [(slot::REQUEST_ID, call.id.as_slice()), (slot::SUBSCRIPTION, call.id.as_slice())];
            let text = message.with(&changes);
            let about = call.about(key);
            self.post(client, Some(about), Sort::News, text);
        }
        self.calls.ends(key, now);
    }

    /// A log message does not say which request it belongs to: whoever has asked for such messages gets it, once.
    fn log(&mut self, message: Message) {
        let mut told: Vec<(ClientId, Option<Key>)> = Vec::new();
        for (key, call) in self.calls.iter().filter(|(_, call)| call.logs) {
            if let Some(client) = call.client.filter(|client| told.iter().all(|(other, _)| other != client)) {
                told.push((client, Some(call.about(key))));
            }
        }
        for client in self.everybody() {
            if told.iter().all(|(other, _)| *other != client) {
                told.push((client, None));
            }
        }
        for (client, about) in told {
            self.post(client, about, Sort::News, message.text().to_vec());
        }
    }
}
