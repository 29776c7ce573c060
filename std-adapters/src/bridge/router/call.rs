//! The requests in flight.

use std::collections::BTreeMap;

use umcp::time::{Duration, Instant};

use super::ClientId;

/// Names a request, to the server and to whoever brought it. It is used once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(u64);

impl Key {
    /// As it stands on the wire: an integer.
    pub(crate) fn text(self) -> String {
        self.0.to_string()
    }

    /// The key that an id or token of the server's is, to the digit: `"7"` is not 7, and 07 or 7.0 is no id.
    pub(super) fn parse(raw: &[u8]) -> Option<Key> {
        let number = std::str::from_utf8(raw).ok()?.parse().ok()?;
        (Key(number).text().as_bytes() == raw).then_some(Key(number))
    }
}

/// A request in flight.
#[derive(Debug)]
pub(super) struct Call {
    /// `None`: it is the bridge's own.
    pub(super) client: Option<ClientId>,
    /// Its id as the client wrote it.
    pub(super) id: Vec<u8>,
    /// Its progress token, likewise.
    pub(super) token: Option<Vec<u8>>,
    pub(super) kind: CallKind,
    /// It asked for log messages, as modern requests do.
    pub(super) logs: bool,
    /// The batch it is part of.
    pub(super) batch: Option<Key>,
    /// From when on its time is counted.
    pub(super) since: Instant,
    /// It has left, and is not on its way any longer.
    pub(super) has_left: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CallKind {
    Plain,
    /// `subscriptions/listen`: it is open until somebody ends it.
    Listen,
    /// The same, when the server has said that it ends it. A final result may follow.
    Ending,
    /// `initialize`, on its way to the server.
    Initialize,
    /// `initialize`, until that of another client has been answered.
    Waiting,
    /// `initialize`, repeated by the bridge.
    Replay,
    /// `resources/subscribe`, with the URI.
    Subscribe(Vec<u8>),
    /// `resources/unsubscribe`, with the URI.
    Unsubscribe(Vec<u8>),
}

impl Call {
    pub(super) fn may_be_cancelled(&self) -> bool {
        !matches!(self.kind, CallKind::Initialize | CallKind::Waiting | CallKind::Replay | CallKind::Ending)
    }

    /// Where a message about it goes.
    pub(super) fn about(&self, key: Key) -> Key {
        self.batch.unwrap_or(key)
    }
}

/// How long a server may take over a handshake that is repeated.
const REPLAY: Duration = Duration::from_secs(5);

/// How long a server may take from the end of a subscription to its final result.
const ENDING: Duration = Duration::from_secs(1);

/// All of them, and how their time is counted.
pub(super) struct Calls {
    open: BTreeMap<Key, Call>,
    next: u64,
    limit: Option<Duration>,
    /// When bytes have left last.
    sent: Instant,
    /// When bytes have arrived last, while a message was arriving.
    received: Instant,
    arriving: bool,
}

impl Calls {
    pub(super) fn new(limit: Option<Duration>) -> Calls {
        let never_yet = Instant::ZERO;
        Calls { open: BTreeMap::new(), next: 0, limit, sent: never_yet, received: never_yet, arriving: false }
    }

    pub(super) fn next_key(&mut self) -> Key {
        self.next += 1;
        Key(self.next)
    }

    pub(super) fn insert(&mut self, key: Key, call: Call) {
        self.open.insert(key, call);
    }

    pub(super) fn get(&self, key: Key) -> Option<&Call> {
        self.open.get(&key)
    }

    pub(super) fn remove(&mut self, key: Key) -> Option<Call> {
        self.open.remove(&key)
    }

    pub(super) fn take_all(&mut self) -> BTreeMap<Key, Call> {
        std::mem::take(&mut self.open)
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (Key, &Call)> {
        self.open.iter().map(|(key, call)| (*key, call))
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    pub(super) fn waiting(&self) -> usize {
        self.open.values().filter(|call| !matches!(call.kind, CallKind::Listen | CallKind::Ending)).count()
    }

    /// The request of this client with this id.
    pub(super) fn find(&self, client: ClientId, id: &[u8]) -> Option<Key> {
        self.iter().find(|(_, call)| call.client == Some(client) && call.id == id).map(|(key, _)| key)
    }

    pub(super) fn left(&mut self, key: Key, now: Instant) {
        if let Some(call) = self.open.get_mut(&key) {
            (call.has_left, call.since) = (true, call.since.max(now));
        }
    }

    /// The server ends this subscription.
    pub(super) fn ends(&mut self, key: Key, now: Instant) {
        if let Some(call) = self.open.get_mut(&key) {
            (call.kind, call.since) = (CallKind::Ending, now);
        }
    }

    /// It is being worked on.
    pub(super) fn progressed(&mut self, key: Key, now: Instant) {
        if let Some(call) = self.open.get_mut(&key) {
            call.since = call.since.max(now);
        }
    }

    /// The client has answered a question: the server can go on with what it asked for.
    pub(super) fn answered_by(&mut self, client: ClientId, now: Instant) {
        let of_client = self.open.values_mut().filter(|call| call.client == Some(client));
        of_client.for_each(|call| call.since = call.since.max(now));
    }

    pub(super) fn moved(&mut self, sent: bool, received: bool, arriving: bool, now: Instant) {
        if sent {
            self.sent = now;
        }
        if received {
            self.received = now;
        }
        self.arriving = arriving;
    }

    /// When its time is up. What has not left yet waits for what goes before it, as long as that moves; and what is arriving may be its answer.
    /// `waits`: whether the server waits for this client.
    pub(super) fn expires_at(&self, call: &Call, waits: &impl Fn(ClientId) -> bool) -> Instant {
        let limit = match call.kind {
            CallKind::Listen => None,
            CallKind::Ending => Some(ENDING),
            CallKind::Replay => Some(REPLAY),
            _ => self.limit,
        };
        let Some(limit) = limit else { return Instant::NEVER };
        if call.client.is_some_and(waits) {
            return Instant::NEVER;
        }
        let mut since = call.since;
        if !call.has_left {
            since = since.max(self.sent);
        }
        if self.arriving {
            since = since.max(self.received);
        }
        since + limit
    }
}
