//! The client's book: what was begun, and how it ended.

use std::collections::{BTreeMap, BTreeSet};

use umcp::client::{Content, Contents, Event, Failed, Ignored, ListenEnd, Lost};
use umcp::json::Decimal;
use umcp::rpc::RequestHandle;
use umcp::time::Instant;

use crate::board::answer;

/// What was begun.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// A call of a tool, with the number its answer begins with.
    Call(u32),
    /// Any other request.
    Other,
    Listen,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) handle: RequestHandle,
    pub(crate) kind: Kind,
    /// It may time out from here on.
    pub(crate) due: Instant,
    pub(crate) wants_progress: bool,
    latest: Option<Decimal>,
    /// The caller has given it up: nothing but that may be reported.
    pub(crate) cancelled: bool,
    acknowledged: bool,
}

/// The rules that a schedule plays by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rules {
    /// Everything fits everywhere.
    pub(crate) roomy: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Book {
    rules: Rules,
    open: BTreeMap<u32, Entry>,
    ended: BTreeSet<u32>,
    pub(crate) connected: bool,
    pub(crate) failed: bool,
    pub(crate) closed: bool,
    exited: bool,
    /// The stream has ended, on the client's side.
    pub(crate) eof: bool,
    /// How often each event has happened.
    pub(crate) seen: BTreeMap<&'static str, u64>,
}

impl Book {
    pub(crate) fn new(rules: Rules) -> Book {
        Book { rules, ..Book::default() }
    }

    /// Something was begun.
    pub(crate) fn begin(&mut self, handle: RequestHandle, kind: Kind, wants_progress: bool, due: Instant) {
        let entry = Entry { handle, kind, due, wants_progress, latest: None, cancelled: false, acknowledged: false };
        let new = self.open.insert(handle.id(), entry).is_none() && !self.ended.contains(&handle.id());
        assert!(new, "id {} is used again", handle.id());
    }

    pub(crate) fn entry(&mut self, id: u32) -> Option<&mut Entry> {
        self.open.get_mut(&id)
    }

    /// The ids of what is open: subscriptions, or requests.
    pub(crate) fn open(&self, listens: bool) -> Vec<u32> {
        let is_one = |entry: &Entry| matches!(entry.kind, Kind::Listen) == listens;
        self.open.iter().filter(|(_, entry)| is_one(entry)).map(|(&id, _)| id).collect()
    }

    /// Everything that must have ended once nothing moves any longer: all but subscriptions that run.
    pub(crate) fn assert_settled(&self) {
        let waiting: Vec<_> = self.open.iter().filter(|(_, entry)| !entry.acknowledged).collect();
        assert!(waiting.is_empty(), "these never ended: {waiting:?}");
        assert!(self.connected || self.failed || self.closed, "the handshake never ended");
    }

    pub(crate) fn assert_closed(&self) {
        assert!(self.open.is_empty(), "these never ended: {:?}", self.open);
        assert!(self.closed, "`Closed` was not reported");
    }

    /// Notes an event, which must be one that may happen now.
    pub(crate) fn take(&mut self, event: &Event<'_>, now: Instant) {
        *self.seen.entry(name(event)).or_default() += 1;
        assert!(!self.closed, "{event:?} after the last event");
        match *event {
            Event::Connected(_) => assert!(!std::mem::replace(&mut self.connected, true), "connected twice"),
            Event::Failed { why, .. } => self.fail(why),
            Event::ProbeExited => {
                assert!(self.eof && !std::mem::replace(&mut self.exited, true) && !self.connected);
            }
            Event::Closed => {
                assert!(self.eof && self.open.is_empty(), "closed with {:?}", self.open);
                self.closed = true;
            }
            Event::Response { handle, result } => {
                let entry = self.end(handle);
                if let (Kind::Call(number), None) = (entry.kind, result.get("isError")) {
                    let text = Contents::of(result.get("content")).find_map(|content| match content {
                        Content::Text(text) => Some(text.to_string()),
                        _ => None,
                    });
                    assert!(text.unwrap_or_default().starts_with(&answer(number)), "{result:?} answers {number}");
                }
            }
            Event::InputRequired { handle, .. } => assert!(matches!(self.end(handle).kind, Kind::Call(_))),
            Event::Error { handle, .. } => drop(self.end(handle)),
            Event::Lost { handle, why } => {
                self.end(handle);
                let expected = match why {
                    Lost::Closed => self.eof,
                    Lost::TooLong { .. } => !self.rules.roomy,
                    _ => false,
                };
                assert!(expected, "lost {} by {why:?}", handle.id());
            }
            Event::TimedOut { handle } => {
                let entry = self.end(handle);
                assert!(entry.due <= now && entry.due != Instant::NEVER, "timed out too early: {entry:?}");
            }
            Event::Cancelled { handle } => {
                let entry = self.open.remove(&handle.id());
                assert!(entry.is_some_and(|entry| entry.cancelled), "{} was not cancelled", handle.id());
                self.ended.insert(handle.id());
            }
            Event::Progress { handle, progress, .. } => self.progress(handle, progress),
            Event::Acknowledged { handle, .. } => {
                let entry = self.listen(handle);
                assert!(!std::mem::replace(&mut entry.acknowledged, true), "acknowledged twice");
            }
            Event::Changed { handle: Some(handle), .. } | Event::Updated { handle: Some(handle), .. } => {
                assert!(self.listen(handle).acknowledged, "news before the acknowledgement");
            }
            Event::ListenEnded { handle, end } => {
                let entry = *self.listen(handle);
                self.open.remove(&handle.id());
                self.ended.insert(handle.id());
                let expected = match end {
                    ListenEnd::Closed => entry.cancelled,
                    ListenEnd::Graceful | ListenEnd::TornDown => entry.acknowledged && !entry.cancelled,
                    ListenEnd::Lost => self.eof && !entry.cancelled,
                };
                assert!(expected, "{end:?}: {entry:?}");
            }
            Event::Ignored { why, text } => {
                let expected = match why {
                    Ignored::Late | Ignored::Unmatched | Ignored::UnknownToken | Ignored::UnknownSubscription => true,
                    Ignored::Torso => self.eof,
                    Ignored::TooLong { .. } | Ignored::Unanswerable | Ignored::Anonymous => !self.rules.roomy,
                    _ => false,
                };
                assert!(expected, "ignored by {why:?}: {}", String::from_utf8_lossy(text));
            }
            _ => {}
        }
    }

    fn fail(&mut self, why: Failed) {
        let expected = match why {
            Failed::HandshakeTimedOut => true,
            Failed::HandshakeRefused | Failed::ProbeRefused => !self.rules.roomy,
            Failed::Handshake(Lost::TooLong { .. }) | Failed::Capacity { .. } => !self.rules.roomy,
            _ => false,
        };
        assert!(expected && !self.connected && !std::mem::replace(&mut self.failed, true), "failed by {why:?}");
    }

    fn end(&mut self, handle: RequestHandle) -> Entry {
        let id = handle.id();
        let Some(entry) = self.open.remove(&id) else {
            panic!("{id} ended, {}", if self.ended.contains(&id) { "again" } else { "and was never begun" });
        };
        self.ended.insert(id);
        assert!(!entry.cancelled && !entry.acknowledged, "{id} did not end as it had to: {entry:?}");
        entry
    }

    fn progress(&mut self, handle: RequestHandle, value: Decimal) {
        let entry = self.open.get_mut(&handle.id()).expect("progress on nothing that is open");
        assert!(entry.wants_progress && !entry.cancelled, "progress unasked for: {entry:?}");
        assert!(entry.latest.is_none_or(|latest| value > latest), "progress from {:?} to {value}", entry.latest);
        entry.latest = Some(value);
    }

    fn listen(&mut self, handle: RequestHandle) -> &mut Entry {
        let entry = self.open.get_mut(&handle.id()).expect("a subscription that is not open");
        assert!(matches!(entry.kind, Kind::Listen), "{entry:?} is no subscription");
        entry
    }
}

/// Every name that some schedule must have seen.
pub(crate) const EVENTS: [&str; 26] = [
    "acknowledged",
    "cancelled",
    "changed",
    "closed",
    "connected",
    "ended Closed",
    "ended Graceful",
    "ended Lost",
    "error",
    "failed",
    "ignored late",
    "ignored too long",
    "ignored torso",
    "ignored unknown subscription",
    "ignored unknown token",
    "ignored unmatched",
    "input required",
    "log",
    "lost: closed",
    "lost: too long",
    "probe exited",
    "progress",
    "request",
    "response",
    "timed out",
    "updated",
];

fn name(event: &Event<'_>) -> &'static str {
    match event {
        Event::Connected(_) => "connected",
        Event::Response { .. } => "response",
        Event::InputRequired { .. } => "input required",
        Event::Error { .. } => "error",
        Event::TimedOut { .. } => "timed out",
        Event::Cancelled { .. } => "cancelled",
        Event::Lost { why: Lost::Closed, .. } => "lost: closed",
        Event::Lost { why: Lost::TooLong { .. }, .. } => "lost: too long",
        Event::Progress { .. } => "progress",
        Event::Log { .. } => "log",
        Event::Acknowledged { .. } => "acknowledged",
        Event::Changed { .. } => "changed",
        Event::Updated { .. } => "updated",
        Event::ListenEnded { end: ListenEnd::Closed, .. } => "ended Closed",
        Event::ListenEnded { end: ListenEnd::Graceful, .. } => "ended Graceful",
        Event::ListenEnded { end: ListenEnd::TornDown, .. } => "ended TornDown",
        Event::ListenEnded { end: ListenEnd::Lost, .. } => "ended Lost",
        Event::Request(_) => "request",
        Event::Ignored { why: Ignored::Late, .. } => "ignored late",
        Event::Ignored { why: Ignored::Unmatched, .. } => "ignored unmatched",
        Event::Ignored { why: Ignored::UnknownToken, .. } => "ignored unknown token",
        Event::Ignored { why: Ignored::UnknownSubscription, .. } => "ignored unknown subscription",
        Event::Ignored { why: Ignored::Torso, .. } => "ignored torso",
        Event::Ignored { why: Ignored::TooLong { .. }, .. } => "ignored too long",
        Event::ProbeExited => "probe exited",
        Event::Failed { .. } => "failed",
        Event::Closed => "closed",
        _ => "something else",
    }
}
