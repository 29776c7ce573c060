//! The link: it keeps every byte, and their order, and nothing else. What crosses is read along the way.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

/// One direction.
#[derive(Debug)]
pub(crate) struct Pipe {
    bytes: VecDeque<u8>,
    capacity: usize,
    /// The writer will write no more.
    pub(crate) shut: bool,
    /// Nobody reads any longer: what is written vanishes.
    pub(crate) broken: bool,
    /// Nothing moves in it.
    pub(crate) stalled: bool,
    line: Vec<u8>,
}

impl Pipe {
    pub(crate) fn new(capacity: usize) -> Pipe {
        Pipe { bytes: VecDeque::new(), capacity, shut: false, broken: false, stalled: false, line: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Takes up to `most` bytes, as far as there is room; how many, and the lines that they complete.
    pub(crate) fn write(&mut self, from: &[u8], most: usize) -> (usize, Vec<Value>) {
        if self.broken || self.shut {
            return (from.len().min(most), Vec::new());
        }
        let room = if self.stalled { 0 } else { self.capacity.saturating_sub(self.bytes.len()) };
        let count = from.len().min(most).min(room);
        let mut lines = Vec::new();
        for &byte in &from[..count] {
            self.bytes.push_back(byte);
            if byte == b'\n' {
                let line = serde_json::from_slice(&self.line);
                lines.push(line.unwrap_or_else(|_| panic!("not JSON: {}", String::from_utf8_lossy(&self.line))));
                self.line.clear();
            } else {
                self.line.push(byte);
            }
        }
        (count, lines)
    }

    /// Gives up to `most` bytes; how many.
    pub(crate) fn read(&mut self, into: &mut [u8], most: usize) -> usize {
        let count = if self.stalled { 0 } else { into.len().min(most).min(self.bytes.len()) };
        for (place, byte) in into.iter_mut().zip(self.bytes.drain(..count)) {
            *place = byte;
        }
        count
    }
}

/// An id, as it stands in the message.
fn id_of(value: &Value) -> Option<String> {
    (!value.is_null()).then(|| value.to_string())
}

/// What has crossed, and the rules that it has to keep whatever happens at the ends.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    /// The client's requests by id: the method.
    requests: BTreeMap<String, String>,
    /// The id under which a numbered call was sent last.
    numbered: BTreeMap<u64, String>,
    answered: BTreeSet<String>,
    given_up: BTreeSet<String>,
    progress: BTreeMap<String, f64>,
    subscribed: BTreeSet<String>,
    /// Requests that the server knows to be cancelled.
    dead: BTreeSet<String>,
    questions: BTreeSet<String>,
    replies: BTreeSet<String>,
}

impl Traffic {
    /// The server has been told that this numbered call is cancelled.
    pub(crate) fn bury(&mut self, number: u32) {
        let id = self.numbered.get(&u64::from(number)).expect("a call that was sent");
        self.dead.insert(id.clone());
    }

    /// The client has sent this.
    pub(crate) fn sent(&mut self, message: &Value) {
        let params = &message["params"];
        match (id_of(&message["id"]), message["method"].as_str()) {
            (Some(id), Some(method)) => {
                if let Some(number) = params["arguments"]["n"].as_u64() {
                    self.numbered.insert(number, id.clone());
                }
                let before = self.requests.insert(id, method.to_owned());
                assert!(before.is_none(), "the id is used again: {message}");
            }
            (Some(id), None) => {
                assert!(self.questions.contains(&id) && self.replies.insert(id), "an answer to nothing: {message}");
            }
            (None, Some("notifications/cancelled")) => {
                let id = id_of(&params["requestId"]).expect("an id");
                let method = self.requests.get(&id).expect("a request that was sent");
                assert!(method != "initialize" && self.given_up.insert(id), "{message}");
            }
            (None, method) => assert_eq!(method, Some("notifications/initialized"), "{message}"),
        }
    }

    /// The server has sent this.
    pub(crate) fn received(&mut self, message: &Value) {
        let params = &message["params"];
        let subscription = id_of(&params["_meta"]["io.modelcontextprotocol/subscriptionId"]);
        match (id_of(&message["id"]), message["method"].as_str()) {
            (Some(id), None) => {
                assert!(self.requests.contains_key(&id), "an answer to nothing: {message}");
                assert!(!self.dead.contains(&id), "answered although cancelled: {message}");
                self.subscribed.remove(&id);
                assert!(self.answered.insert(id), "answered twice: {message}");
            }
            (Some(id), Some(_)) => assert!(self.questions.insert(id), "the id is used again: {message}"),
            (None, Some("notifications/progress")) => {
                let id = id_of(&params["progressToken"]).expect("a token");
                let value = params["progress"].as_f64().expect("a number");
                assert!(!self.answered.contains(&id) && !self.dead.contains(&id), "progress too late: {message}");
                let before = self.progress.insert(id, value);
                assert!(before.is_none_or(|before| before < value), "progress does not increase: {message}");
            }
            (None, Some("notifications/subscriptions/acknowledged")) => {
                let id = subscription.expect("a subscription");
                assert!(!self.answered.contains(&id) && self.subscribed.insert(id), "acknowledged twice: {message}");
            }
            (None, Some("notifications/message" | "notifications/cancelled")) => {}
            (None, Some(_)) => {
                assert!(subscription.is_none_or(|id| self.subscribed.contains(&id)), "not subscribed: {message}");
            }
            // Of a message that was too long to be read, not even the id may be known.
            (None, None) => assert!(message["error"]["data"]["limit"].is_u64(), "the server sent {message}"),
        }
    }
}
