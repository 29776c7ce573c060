//! Requests in flight: which ids are out, until when, and whether anyone still waits for them.

use heapless::VecView;

use super::Id;
use crate::json::{Decimal, Value};
use crate::time::{Duration, Instant};

/// Ids count from 1 and start again before they need a 32nd bit.
const LAST_ID: u32 = i32::MAX as u32;

/// Names one request for as long as the connection lives: ids are not reused while an answer is possible,
/// so a handle whose request has ended is merely unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct RequestHandle(u32);

impl RequestHandle {
    /// The id on the wire, which is also the request's progress token and, for a subscription, its subscription id.
    #[must_use]
    pub fn id(self) -> u32 {
        self.0
    }
}

/// One request in flight. The caller lends a vector of these; its capacity bounds how many may be out at once.
#[derive(Clone, Debug)]
pub struct Pending {
    id: u32,
    tag: u8,
    /// Nobody waits any longer, but an answer may still come.
    abandoned: bool,
    /// The peer has not been told so yet.
    notice_due: bool,
    /// The caller, who gave it up, has not been told so yet.
    report_due: bool,
    /// The latest progress.
    latest: Option<Decimal>,
    patience: Patience,
    deadline: Instant,
    /// With progress, the deadline moves on, but never past this.
    limit: Instant,
}

impl Pending {
    fn handle(&self) -> RequestHandle {
        RequestHandle(self.id)
    }

    fn extend(&mut self, now: Instant) {
        if self.patience.limit > self.patience.timeout {
            self.deadline = (now + self.patience.timeout).min(self.limit);
        }
    }

    /// Nobody waits for it, and everybody knows.
    fn is_done(&self) -> bool {
        self.abandoned && !self.notice_due && !self.report_due
    }
}

/// How long to wait for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience {
    /// From now, or from the latest progress.
    pub(crate) timeout: Duration,
    /// From now, whatever the progress; equal to `timeout` where progress extends nothing.
    pub(crate) limit: Duration,
}

/// What an answer belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answered {
    /// A request that is waited for. It has been taken off the table.
    Waiting(RequestHandle, u8),
    /// One with this tag that was given up before. It has been taken off the table.
    Abandoned(u8),
    /// Nothing that is in flight.
    Unknown,
}

/// The table of requests in flight.
#[derive(Debug)]
pub(crate) struct PendingTable<'b> {
    entries: &'b mut VecView<Pending>,
    last_id: u32,
    /// So many made room for others, having been given up, and their answers may still come.
    forgotten: u16,
}

impl<'b> PendingTable<'b> {
    pub(crate) fn new(entries: &'b mut VecView<Pending>) -> PendingTable<'b> {
        entries.clear();
        PendingTable { entries, last_id: 0, forgotten: 0 }
    }

    /// How many more requests there is room for. One that was given up makes room for a new one.
    #[cfg(feature = "legacy")]
    pub(crate) fn room(&self) -> usize {
        let free = self.entries.capacity().saturating_sub(self.entries.len());
        free + self.entries.iter().filter(|entry| entry.is_done()).count()
    }

    /// Notes a request that is about to leave. `tag` comes back with the answer. `None`: the table is full.
    pub(crate) fn insert(&mut self, tag: u8, patience: Patience, now: Instant) -> Option<RequestHandle> {
        if self.entries.is_full() {
            let oldest = self.entries.iter().find(|entry| entry.is_done())?.handle();
            self.remove(oldest);
            self.forgotten = self.forgotten.saturating_add(1);
        }
        let id = self.free_id();
        let entry = Pending {
            id,
            tag,
            abandoned: false,
            notice_due: false,
            report_due: false,
            latest: None,
            patience,
            deadline: until(now, patience.timeout),
            limit: until(now, patience.limit),
        };
        self.entries.push(entry).ok()?;
        self.last_id = id;
        Some(RequestHandle(id))
    }

    /// The request with this number, if it is waited for, and its tag.
    pub(crate) fn waiting(&self, id: u32) -> Option<(RequestHandle, u8)> {
        let entry = self.entries.iter().find(|entry| entry.id == id && !entry.abandoned)?;
        Some((entry.handle(), entry.tag))
    }

    /// Takes back a request that did not leave.
    pub(crate) fn remove(&mut self, handle: RequestHandle) {
        self.entries.retain(|entry| entry.id != handle.0);
    }

    /// An answer has arrived for the request with this id, as it stands in the message.
    pub(crate) fn answer(&mut self, id: Value<'_>) -> Answered {
        let Some(entry) = self.entry(id) else {
            self.forgotten = self.forgotten.saturating_sub(1);
            return Answered::Unknown;
        };
        let (handle, tag, abandoned) = (entry.handle(), entry.tag, entry.abandoned);
        self.remove(handle);
        if abandoned { Answered::Abandoned(tag) } else { Answered::Waiting(handle, tag) }
    }

    /// The request with this id, if it is still waited for.
    pub(crate) fn find(&self, id: Value<'_>) -> Option<(RequestHandle, u8)> {
        let entry = self.entry(id)?;
        (!entry.abandoned).then_some((entry.handle(), entry.tag))
    }

    /// A request with this tag that is waited for.
    pub(crate) fn with_tag(&self, tag: u8) -> Option<RequestHandle> {
        self.entries.iter().find(|entry| entry.tag == tag && !entry.abandoned).map(Pending::handle)
    }

    /// Is any request waited for?
    #[cfg(feature = "http")]
    pub(crate) fn is_waiting(&self) -> bool {
        self.any_waiting().is_some()
    }

    /// A request that is waited for, and its tag.
    #[cfg(feature = "http")]
    pub(crate) fn any_waiting(&self) -> Option<(RequestHandle, u8)> {
        self.entries.iter().find(|entry| !entry.abandoned).map(|entry| (entry.handle(), entry.tag))
    }

    /// The tag of a request that is waited for.
    pub(crate) fn tag(&self, handle: RequestHandle) -> Option<u8> {
        self.entries.iter().find(|entry| entry.id == handle.0 && !entry.abandoned).map(|entry| entry.tag)
    }

    /// An answer has arrived that names no request. It can only be meant for the one in flight, if there is but one.
    pub(crate) fn take_only(&mut self) -> Answered {
        match self.entries.as_slice() {
            [only] if !only.abandoned => {
                let answered = Answered::Waiting(only.handle(), only.tag);
                self.entries.clear();
                answered
            }
            _ => Answered::Unknown,
        }
    }

    /// Is there one that is waited for, with such a tag?
    pub(crate) fn any_tag(&self, is_one: impl Fn(u8) -> bool) -> bool {
        self.entries.iter().any(|entry| !entry.abandoned && is_one(entry.tag))
    }

    /// The only one to which an answer can come, if that is waited for.
    pub(crate) fn only(&self) -> Option<(RequestHandle, u8)> {
        match self.entries.as_slice() {
            [only] if !only.abandoned && self.forgotten == 0 => Some((only.handle(), only.tag)),
            _ => None,
        }
    }

    /// Replaces the tag of a request.
    pub(crate) fn set_tag(&mut self, handle: RequestHandle, tag: u8) {
        self.entries.iter_mut().filter(|entry| entry.id == handle.0).for_each(|entry| entry.tag = tag);
    }

    /// Something of its answer has arrived: the deadline moves on as by progress.
    pub(crate) fn extend(&mut self, handle: RequestHandle, now: Instant) {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.id == handle.0) {
            entry.extend(now);
        }
    }

    /// The time that this request may take begins now.
    pub(crate) fn restart(&mut self, handle: RequestHandle, now: Instant) {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.id == handle.0) {
            entry.deadline = until(now, entry.patience.timeout);
            entry.limit = until(now, entry.patience.limit);
        }
    }

    /// Was it given up, and may still be answered?
    pub(crate) fn is_abandoned(&self, handle: RequestHandle) -> bool {
        self.entries.iter().any(|entry| entry.id == handle.0 && entry.abandoned)
    }

    /// Progress moves the deadline on, where that was asked for. `false`: it is no more than what was reported before.
    pub(crate) fn progress(&mut self, handle: RequestHandle, value: Decimal, now: Instant) -> bool {
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.id == handle.0) else {
            return false;
        };
        if entry.latest.is_some_and(|latest| value <= latest) {
            return false;
        }
        entry.latest = Some(value);
        entry.extend(now);
        true
    }

    /// Nobody waits for this request any longer; its answer may still come. `false`: it is not in flight.
    pub(crate) fn abandon(&mut self, handle: RequestHandle) -> bool {
        self.give_up(handle, false, false)
    }

    /// Nobody waits any longer for those of which `is_one(id, tag)` is true.
    pub(crate) fn abandon_where(&mut self, is_one: impl Fn(u32, u8) -> bool) {
        self.entries.iter_mut().filter(|entry| is_one(entry.id, entry.tag)).for_each(|entry| entry.abandoned = true);
    }

    /// Takes back those of which `is_one(id, tag)` is true.
    pub(crate) fn remove_where(&mut self, is_one: impl Fn(u32, u8) -> bool) {
        self.entries.retain(|entry| !is_one(entry.id, entry.tag));
    }

    /// Like [`abandon`](PendingTable::abandon); and the peer is due a notice of it, and the caller a report if `report`.
    pub(crate) fn cancel(&mut self, handle: RequestHandle, report: bool) -> bool {
        self.give_up(handle, true, report)
    }

    fn give_up(&mut self, handle: RequestHandle, notice: bool, report: bool) -> bool {
        match self.entries.iter_mut().find(|entry| entry.id == handle.0 && !entry.abandoned) {
            Some(entry) => {
                entry.abandoned = true;
                entry.notice_due = notice;
                entry.report_due = report;
                true
            }
            None => false,
        }
    }

    /// A request that was given up and the peer has not been told so.
    pub(crate) fn notice_due(&self) -> Option<RequestHandle> {
        self.entries.iter().find(|entry| entry.notice_due).map(Pending::handle)
    }

    /// The peer has been told.
    pub(crate) fn notice_given(&mut self, handle: RequestHandle) {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.id == handle.0) {
            entry.notice_due = false;
        }
    }

    /// Takes a report that the caller is due.
    pub(crate) fn take_report(&mut self) -> Option<RequestHandle> {
        let entry = self.entries.iter_mut().find(|entry| entry.report_due)?;
        entry.report_due = false;
        Some(entry.handle())
    }

    pub(crate) fn report_due(&self) -> bool {
        self.entries.iter().any(|entry| entry.report_due)
    }

    /// A request whose deadline has passed, if there is one. It stays until it is abandoned or removed.
    pub(crate) fn overdue(&self, now: Instant) -> Option<(RequestHandle, u8)> {
        let entry = self.entries.iter().find(|entry| !entry.abandoned && entry.deadline <= now)?;
        Some((entry.handle(), entry.tag))
    }

    /// The earliest deadline.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        let waiting = self.entries.iter().filter(|entry| !entry.abandoned && entry.deadline < Instant::NEVER);
        waiting.map(|entry| entry.deadline).min()
    }

    /// Takes any request off the table that is still waited for: the connection is gone.
    pub(crate) fn drain(&mut self) -> Option<(RequestHandle, u8)> {
        while let Some(entry) = self.entries.pop() {
            if !entry.abandoned {
                return Some((entry.handle(), entry.tag));
            }
        }
        None
    }

    fn entry(&self, id: Value<'_>) -> Option<&Pending> {
        let id = Id::new(id)?.as_u32()?;
        self.entries.iter().find(|entry| entry.id == id)
    }

    /// The next id that is not in flight.
    fn free_id(&self) -> u32 {
        let mut id = self.last_id;
        loop {
            id = if id >= LAST_ID { 1 } else { id + 1 };
            if !self.entries.iter().any(|entry| entry.id == id) {
                return id;
            }
        }
    }
}

/// The end of so long a time; [`Duration::MAX`] has none.
fn until(now: Instant, span: Duration) -> Instant {
    if span == Duration::MAX { Instant::NEVER } else { now + span }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: Patience = Patience { timeout: Duration::from_millis(100), limit: Duration::from_millis(100) };
    const FOREVER: Patience = Patience { timeout: Duration::MAX, limit: Duration::MAX };
    const T0: Instant = Instant::from_millis(1_000);

    fn value(text: &str) -> Value<'_> {
        Value::new(text.as_bytes())
    }

    #[test]
    fn an_answer_finds_its_request_once() {
        let mut entries = heapless::Vec::<Pending, 2>::new();
        let mut table = PendingTable::new(entries.as_mut_view());
        let first = table.insert(7, QUICK, T0).expect("room");
        assert_eq!(first.id(), 1);
        assert_eq!(table.answer(value(r#""1""#)), Answered::Unknown);
        assert_eq!(table.answer(value("1.0e0")), Answered::Unknown, "only an integer token is an id");
        assert_eq!(table.answer(value("1")), Answered::Waiting(first, 7));
        assert_eq!(table.answer(value("1")), Answered::Unknown);
    }

    #[test]
    fn a_full_table_makes_room_only_for_what_was_given_up() {
        let mut entries = heapless::Vec::<Pending, 2>::new();
        let mut table = PendingTable::new(entries.as_mut_view());
        let first = table.insert(0, QUICK, T0).expect("room");
        let second = table.insert(0, QUICK, T0).expect("room");
        assert_eq!(table.insert(0, QUICK, T0), None);
        assert!(table.abandon(first));
        assert!(!table.abandon(first), "once");
        let third = table.insert(0, QUICK, T0).expect("the place of the first");
        assert_eq!((second.id(), third.id()), (2, 3));
        assert_eq!(table.answer(value("1")), Answered::Unknown);
    }

    #[test]
    fn progress_extends_a_deadline_up_to_its_limit() {
        let mut entries = heapless::Vec::<Pending, 2>::new();
        let mut table = PendingTable::new(entries.as_mut_view());
        let patience = Patience { timeout: Duration::from_millis(100), limit: Duration::from_millis(150) };
        let patient = table.insert(0, patience, T0).expect("room");
        let strict = table.insert(0, QUICK, T0).expect("room");
        assert!(table.progress(patient, Decimal::from_i64(1), T0 + Duration::from_millis(90)));
        assert!(!table.progress(patient, Decimal::from_i64(1), T0 + Duration::from_millis(95)), "it must increase");
        assert!(table.progress(strict, Decimal::new(5, 1), T0 + Duration::from_millis(90)));
        assert_eq!(table.overdue(T0 + Duration::from_millis(99)), None);
        assert_eq!(table.overdue(T0 + Duration::from_millis(100)), Some((strict, 0)));
        table.abandon(strict);
        assert_eq!(table.overdue(T0 + Duration::from_millis(149)), None);
        assert_eq!(table.overdue(T0 + Duration::from_millis(150)), Some((patient, 0)));
    }

    #[test]
    fn an_answer_without_an_id() {
        let mut entries = heapless::Vec::<Pending, 2>::new();
        let mut table = PendingTable::new(entries.as_mut_view());
        assert_eq!(table.take_only(), Answered::Unknown);
        let first = table.insert(7, QUICK, T0).expect("room");
        assert_eq!(table.take_only(), Answered::Waiting(first, 7));
        let given_up = table.insert(7, QUICK, T0).expect("room");
        table.abandon(given_up);
        assert_eq!(table.take_only(), Answered::Unknown, "it may be a late answer");
        table.insert(7, QUICK, T0).expect("room");
        assert_eq!(table.take_only(), Answered::Unknown, "there are two");
    }

    #[test]
    fn what_is_due_keeps_its_place() {
        let mut entries = heapless::Vec::<Pending, 1>::new();
        let mut table = PendingTable::new(entries.as_mut_view());
        let only = table.insert(0, QUICK, T0).expect("room");
        assert!(table.cancel(only, true));
        assert_eq!(table.insert(0, QUICK, T0), None, "the peer must be told first");
        assert_eq!(table.notice_due(), Some(only));
        table.notice_given(only);
        assert_eq!(table.insert(0, QUICK, T0), None, "and the caller");
        assert_eq!((table.take_report(), table.take_report()), (Some(only), None));
        assert!(table.insert(0, QUICK, T0).is_some());
    }

    #[test]
    fn ids_start_again_and_pass_over_those_in_flight() {
        let mut entries = heapless::Vec::<Pending, 3>::new();
        let mut table = PendingTable::new(entries.as_mut_view());
        table.insert(0, FOREVER, T0).expect("room");
        table.last_id = LAST_ID - 1;
        assert_eq!(table.insert(0, QUICK, T0).map(RequestHandle::id), Some(LAST_ID));
        assert_eq!(table.insert(0, QUICK, T0).map(RequestHandle::id), Some(2));
        assert_eq!(table.next_deadline(), Some(T0 + Duration::from_millis(100)));
    }
}
