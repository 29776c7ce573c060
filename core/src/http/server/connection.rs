//! One connection: its surface, and what happens next on it.

use super::headers::{Facts, Headers};
use super::legacy::{Batch, Tie};
use super::memory::Lent;
use super::reply::{Shape, Unit};
use super::site::Site;
use crate::frame::http::{Body, RequestHead};
use crate::json::scan::Scanner;
use crate::mcp::SERVER_KEYS;
use crate::rpc::Inbox;
use crate::server::event::Happened;
use crate::server::serve::Core;
use crate::server::{CallHandle, Calls, Desk, Endpoint, Event};
use crate::time::{Duration, Instant};

/// How long what a peer still sends is read and dropped, after a reply that ends the connection: closed at once, the reply might be lost on its way.
const LINGER: Duration = Duration::from_secs(2);

/// How soon a [piece](crate::server::Upload) that the application could not take is offered again.
const HOLD: Duration = Duration::from_millis(10);

/// One connection of a server over HTTP: a state machine in lent memory.
///
/// Bytes go in by [`receive_buffer`](Connection::receive_buffer) and [`commit`](Connection::commit), and come out of
/// [`transmit`](Connection::transmit). After any call that takes `&mut self`, drain [`next_event`](Connection::next_event) until
/// [`Event::NeedData`] or [`Event::Closed`], and `transmit` until it is empty. Then wait for bytes, or for [`poll_at`](Connection::poll_at).
///
/// When it [is closed](Connection::is_closed) and everything has left, close the socket; [`reset`](Connection::reset) makes it ready for another.
#[derive(Debug)]
pub struct Connection<'b> {
    pub(super) inbox: Inbox<'b>,
    pub(super) core: Core<'b>,
    pub(super) headers: Headers<'b>,
    pub(super) facts: Facts,
    pub(super) phase: Phase,
    pub(super) shape: Shape,
    pub(super) unit: Unit,
    pub(super) now: Instant,
    /// When the phase began, or a piece of the reply began to leave, or some of it last left. What arrives does not count: a peer that sends
    /// a byte now and then would never be given up.
    pub(super) since: Instant,
    /// Bytes of the body so far.
    pub(super) body_taken: u32,
    /// Bytes have arrived or left since the last look at the clock.
    pub(super) moved: bool,
    /// At the next look, the clock starts anew.
    pub(super) restart: bool,
    pub(super) eof: bool,
    pub(super) keep_alive: bool,
    /// The server is stopping.
    pub(super) closing: bool,
    /// The beginning of an event has left.
    pub(super) mid_line: bool,
    /// The last of the reply has been handed out.
    pub(super) reply_ends: bool,
    /// The session of a legacy client, and what it is served at present.
    pub(super) tie: Tie,
    /// The rest of a batch, which one revision has.
    pub(super) batch: Option<Batch>,
}

// What a device pays for each connection besides what it lends: two fifths are the scanner with its spans, a fifth the tables and windows, the
// rest what a head has said and what is leaving.
const _: () = assert!(core::mem::size_of::<Connection<'static>>() <= 768);

/// How far the connection is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Phase {
    /// Between requests.
    Idle,
    Head(RequestHead),
    Body(Body),
    /// The request has arrived, and is being answered.
    Reply,
    /// What still arrives is dropped, as many bytes as this.
    Linger {
        left: u32,
    },
    Closed,
}

impl<'b> Connection<'b> {
    /// A connection in the memory that is lent to it.
    #[must_use]
    pub fn new(memory: Lent<'b>) -> Connection<'b> {
        Connection {
            inbox: Inbox::new(memory.receive, &SERVER_KEYS, Scanner::DEFAULT_DEPTH),
            core: Core::new(memory.transmit, memory.deferred, memory.subscriptions),
            headers: Headers::new(memory.head),
            facts: Facts::NONE,
            phase: Phase::Idle,
            shape: Shape::Undecided,
            unit: Unit::new(),
            now: Instant::ZERO,
            since: Instant::ZERO,
            body_taken: 0,
            moved: true,
            restart: true,
            eof: false,
            keep_alive: true,
            closing: false,
            mid_line: false,
            reply_ends: false,
            tie: Tie::NONE,
            batch: None,
        }
    }

    /// Makes it ready for another socket. Calls that are still open are forgotten.
    pub fn reset(&mut self) {
        self.inbox.reset();
        self.core.reset();
        self.headers.clear();
        self.phase = Phase::Idle;
        self.unit = Unit::new();
        self.moved = true;
        self.restart = true;
        self.eof = false;
        self.closing = false;
        self.begin_request();
    }

    /// Where the next bytes go. Empty while a request waits for its reply to leave and there is no room for more, or for the application to take [a piece of
    /// it](crate::server::Tool::upload), and after the end of the stream.
    pub fn receive_buffer(&mut self) -> &mut [u8] {
        if self.eof || self.is_closed() || self.core.holds_piece() {
            return &mut [];
        }
        self.inbox.receive_buffer()
    }

    /// `count` bytes have been put into the receive buffer.
    pub fn commit(&mut self, count: usize) {
        self.moved |= count > 0;
        self.inbox.commit(count);
    }

    /// The stream has ended: no more bytes will come. An open call or subscription of the modern era is cancelled by it.
    pub fn eof(&mut self) {
        self.moved |= !self.eof;
        self.eof = true;
    }

    /// Bytes that want to leave; ask again after [`transmitted`](Connection::transmitted).
    #[must_use]
    pub fn transmit(&self) -> &[u8] {
        self.transmit_pieces().into_iter().find(|piece| !piece.is_empty()).unwrap_or_default()
    }

    /// The same, as much as is at hand, in up to four pieces one behind the other: for a vectored write.
    #[must_use]
    pub fn transmit_pieces(&self) -> [&[u8]; 4] {
        self.unit.pieces(&self.headers, &self.core.outbox)
    }

    /// `count` of those bytes have left.
    pub fn transmitted(&mut self, count: usize) {
        self.moved |= count > 0;
        self.restart |= count > 0 && !self.is_arriving();
        self.unit.transmitted(count, &mut self.core.outbox);
        // Events that are kept are handed out where the sessions are at hand.
        if self.tie.keeps_events() {
            return;
        }
        self.next_piece(None);
    }

    /// When [`next_event`](Connection::next_event) wants to be called again without new bytes.
    #[must_use]
    pub fn poll_at(&self, site: &Site<'_>) -> Option<Instant> {
        if self.moved {
            return Some(self.now);
        }
        if self.core.holds_piece() {
            return Some(self.now + HOLD);
        }
        self.patience(site).map(|patience| self.since + patience)
    }

    /// How long the connection may stay as it is.
    fn patience(&self, site: &Site<'_>) -> Option<Duration> {
        match self.phase {
            // A request has a time for all of it, not for each byte.
            Phase::Head(_) | Phase::Body(_) => Some(site.request_timeout),
            _ if !self.unit.is_gone() => Some(site.write_timeout),
            Phase::Idle => Some(site.idle_timeout),
            Phase::Reply if self.is_detached() => None,
            Phase::Reply => Some(site.keep_alive),
            Phase::Linger { .. } => Some(LINGER),
            Phase::Closed => None,
        }
    }

    /// Whether the connection is over: drain [`transmit`](Connection::transmit), close the socket.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        matches!(self.phase, Phase::Closed)
    }

    /// Whether nothing more will be sent, and the peer should be told so (a shutdown of the sending side), while what it still sends is read.
    #[must_use]
    pub fn is_lingering(&self) -> bool {
        matches!(self.phase, Phase::Linger { .. }) && self.unit.is_gone()
    }

    /// Whether it is between requests, with nothing to send.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        matches!(self.phase, Phase::Idle) && self.unit.is_gone()
    }

    /// Whether a request has begun to arrive, and is not whole yet.
    #[must_use]
    pub fn is_arriving(&self) -> bool {
        matches!(self.phase, Phase::Head(_) | Phase::Body(_))
    }

    /// Whether the application is taking [an argument of it](crate::server::Tool::upload) as it arrives.
    #[must_use]
    pub fn is_uploading(&self) -> bool {
        self.core.uploader().is_some()
    }

    /// Since when the connection is idle, or its request is arriving, or nothing of its reply has left.
    #[must_use]
    pub fn since(&self) -> Instant {
        self.since
    }

    /// Whether the engine has said something that is to leave.
    #[must_use]
    pub fn has_output(&self) -> bool {
        !self.unit.is_gone() || !self.core.outbox.is_empty() || self.stream_is_to_end()
    }

    /// Whether the socket is no longer needed, though a call is open: a legacy client that goes away does not cancel it, and may ask for
    /// its reply later. Go on calling [`next_event`](Connection::next_event), without a socket, until it is closed.
    #[must_use]
    pub fn is_detached(&self) -> bool {
        self.tie.is_detached() && self.unit.is_gone()
    }

    /// The socket is gone: what is open is cancelled, as the next events tell, or the connection [is detached](Connection::is_detached).
    pub fn abort(&mut self) {
        self.eof = true;
        if self.detach() {
            return;
        }
        self.end();
    }

    /// Whatever it is doing, it is over: what is open is cancelled, as the next events tell.
    pub fn end(&mut self) {
        self.eof = true;
        self.tie = Tie::NONE;
        self.unit = Unit::new();
        self.core.drop_output();
        self.enter(Phase::Closed);
    }

    /// How many calls are open: none or one.
    #[must_use]
    pub fn open_calls(&self) -> usize {
        self.core.deferred.len()
    }

    /// The server is about to stop: a subscription ends with its final result, and the connection behind the reply at hand. An open call is
    /// the application's to complete.
    pub fn close(&mut self) {
        self.moved |= !self.closing;
        self.closing = true;
        self.keep_alive = false;
    }

    /// Serves what has arrived, until nothing more can be done without more bytes, more room or more time. The events are dropped.
    pub fn serve<A>(&mut self, site: &mut Site<'_>, endpoint: &mut Endpoint<A>, app: &mut A, now: Instant) {
        while !matches!(self.next_event(site, endpoint, app, now), Event::NeedData | Event::Closed) {}
    }

    /// Does the next thing there is to do, which may be to run a handler, and says what it was.
    pub fn next_event<A>(
        &mut self,
        site: &mut Site<'_>,
        endpoint: &mut Endpoint<A>,
        app: &mut A,
        now: Instant,
    ) -> Event<'_> {
        let happened = self.advance(site, endpoint, app, now);
        if !matches!(self.phase, Phase::Body(_)) {
            // The message at hand, if there was one, has not come to its end.
            self.core.void_upload(endpoint.catalog(), app);
        }
        #[cfg(feature = "legacy")]
        endpoint.catalog().tell_answer(happened, self.inbox.text(), app);
        Event::new(happened, self.inbox.text())
    }

    fn advance<A>(&mut self, site: &mut Site<'_>, endpoint: &mut Endpoint<A>, app: &mut A, now: Instant) -> Happened {
        self.now = self.now.max(now);
        self.moved = false;
        if core::mem::take(&mut self.restart) {
            self.since = self.now;
        }
        loop {
            if self.is_overdue(site) && !self.run_out_of_time(site) {
                return self.lose();
            }
            if !self.unit.is_gone() {
                return Happened::Nothing;
            }
            if self.is_in_batch() {
                if let Some(happened) = self.go_on_with_batch(site, endpoint, app) {
                    return happened;
                }
                continue;
            }
            let happened = match self.phase {
                Phase::Idle => self.begin(site),
                Phase::Head(_) => self.read_head(site),
                Phase::Body(_) => self.read_body(site, endpoint, app),
                Phase::Reply => self.go_on(site, endpoint),
                Phase::Linger { left } => self.linger(left),
                Phase::Closed => Some(self.lose()),
            };
            if !self.unit.is_gone() && !self.is_arriving() {
                self.since = self.now;
            }
            if let Some(happened) = happened {
                return happened;
            }
        }
    }

    fn is_overdue(&self, site: &Site<'_>) -> bool {
        self.patience(site).is_some_and(|patience| self.now.since(self.since) >= patience)
    }

    pub(super) fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.since = self.now;
    }

    /// The peer is gone, or given up: what is open is cancelled, then the connection is over.
    pub(super) fn lose(&mut self) -> Happened {
        if self.detach() {
            return Happened::Nothing;
        }
        self.phase = Phase::Closed;
        self.batch = None;
        self.unit = Unit::new();
        self.core.drop_output();
        self.core.subscriptions.clear();
        match self.core.deferred.drain() {
            Some(call) => Happened::Cancelled(call),
            None => Happened::Closed,
        }
    }

    fn linger(&mut self, left: u32) -> Option<Happened> {
        let waiting = self.inbox.raw().len();
        self.inbox.take(waiting);
        let left = left.saturating_sub(u32::try_from(waiting).unwrap_or(u32::MAX));
        if self.eof || left == 0 {
            return Some(self.lose());
        }
        self.phase = Phase::Linger { left };
        Some(Happened::Nothing)
    }

    /// Something is still to be said about the request at hand.
    pub(super) fn is_open(&self) -> bool {
        if self.tie.is_stream() || self.batch.is_some() {
            return true;
        }
        self.core.job.is_some() || self.core.deferred.len() > 0 || self.core.subscriptions.first_listen().is_some()
    }
}

impl Calls for Connection<'_> {
    fn at<R>(&mut self, call: CallHandle, work: impl FnOnce(Desk<'_, '_>) -> R) -> Option<R> {
        let idle = self.unit.is_gone() && self.core.outbox.is_empty() && self.core.job.is_none();
        self.core.deferred.get(call)?;
        Some(work(Desk { core: &mut self.core, idle }))
    }
}
