//! What comes from the server: answers, questions, and lines that are neither.

use umcp::rpc::code;
use umcp::time::Instant;

use super::super::message::{Kind, Malformed, Message, Unread, slot};
use super::call::{CallKind, Key};
use super::words::{error, refusal};
use super::{Channel, Router, Sort};

/// What a message of most servers begins with.
const BEGINNING: &[u8] = br#"{"jsonrpc""#;
/// In how many places of a line it is looked for: a message may have another in it.
const CANDIDATES: usize = 8;

impl Router {
    /// Takes a line of the server's. What is no message is passed over.
    pub(crate) fn hear(&mut self, line: Vec<u8>, now: Instant) {
        self.now = now;
        match Message::read(line.clone()) {
            Err(Unread::NotJson) => {
                // What a board says when it starts, perhaps.
                self.doubt |= self.may_reset;
                if let Some(message) = after_noise(&line) {
                    self.take(Ok(message), now);
                }
            }
            read => self.take(read, now),
        }
    }

    fn take(&mut self, read: Result<Message, Unread>, now: Instant) {
        match read {
            Ok(message) => match message.kind {
                Kind::Answer => self.answered(message, now),
                Kind::Request => self.question(message),
                Kind::Notification => self.news(message, now),
            },
            Err(Unread::Invalid(Malformed { answer: Some(message), .. })) => self.answered(*message, now),
            Err(Unread::Invalid(Malformed { spoilt: Some(id), why, .. })) => {
                let why = why.strip_prefix("Invalid Request: ").unwrap_or(why);
                self.spoilt(&id, &format!("has answered with what is no message: {why}"), now);
            }
            // A question that cannot be passed on.
            Err(Unread::Invalid(malformed)) if malformed.id.is_some() && !malformed.silent => {
                self.tell(refusal(&malformed), None);
            }
            Err(Unread::Batch(items)) => items.into_iter().for_each(|item| self.take(item, now)),
            Err(Unread::Blank | Unread::NotJson | Unread::Invalid(_)) => {}
        }
    }

    fn answered(&mut self, message: Message, now: Instant) {
        let Some(id) = message.id() else {
            return self.error_without_id(message);
        };
        // One that is not known has been cancelled, or its time was up.
        let Some(key) = Key::parse(id) else { return };
        let Some(call) = self.calls.remove(key) else { return };
        match (&call.kind, call.client) {
            (CallKind::Replay, _) => return self.replayed(key, &message, now),
            (CallKind::Initialize, _) => self.initialized(key, &message, now),
            (CallKind::Subscribe(uri), Some(client)) if message.has(slot::RESULT) => {
                self.subscribed(client, uri.clone());
            }
            (CallKind::Unsubscribe(uri), Some(client)) if message.has(slot::RESULT) => {
                self.unsubscribed(client, uri);
            }
            _ => {}
        }
        let mut changes = vec![(slot::ID, call.id.as_slice())];
        if message.raw(slot::RESULT_SUBSCRIPTION) == key.text().as_bytes() {
            changes.push((slot::RESULT_SUBSCRIPTION, call.id.as_slice()));
        }
        let text = message.with(&changes);
        self.finish(key, &call, text, message.error_code());
    }

    /// The answer to this id was longer than the limit.
    pub(crate) fn too_long(&mut self, id: Option<Vec<u8>>, now: Instant) {
        if let Some(id) = id {
            self.spoilt(&id, &format!("has answered with more than {} bytes", self.limits.message), now);
        }
    }

    /// A question of the server's was longer than the limit.
    pub(crate) fn question_too_long(&mut self, id: &[u8]) {
        let why = format!("Invalid Request: longer than {} bytes", self.limits.message);
        self.tell(error(Some(id), code::INVALID_REQUEST, &why), None);
    }

    /// What answers to this id is not to be passed on.
    fn spoilt(&mut self, id: &[u8], why: &str, now: Instant) {
        let Some(key) = Key::parse(id) else { return };
        let Some(call) = self.calls.remove(key) else { return };
        self.ended_without_result(key, now);
        let message = format!("{} {why}", self.server);
        self.fail(key, call, &message);
    }

    /// What the server could not read: whose it was is known where there is only one.
    fn error_without_id(&mut self, message: Message) {
        if let Some((id, client)) = self.clients.iter().next()
            && self.clients.len() == 1
            && client.channel == Channel::Line
        {
            let (id, code) = (*id, message.error_code().unwrap_or(code::INVALID_REQUEST));
            debug_assert_ne!(code, 0);
            self.post(id, None, Sort::News, message.into_text());
        }
    }
}

/// The message at the end of a line that begins with something else: what a board says when it is switched on, or the first half of a
/// message that it was reset in.
fn after_noise(line: &[u8]) -> Option<Message> {
    let begins = |at: &usize| line.get(*at..).is_some_and(|rest| rest.starts_with(BEGINNING));
    let candidates = (1..line.len()).rev().filter(begins).take(CANDIDATES);
    candidates.filter_map(|at| Message::read(line.get(at..)?.to_vec()).ok()).last()
}
