//! One connection of a server.

use crate::frame::Line;
use crate::json::scan::Scanner;
use crate::mcp::SERVER_KEYS;
use crate::rpc::Link;
use crate::rpc::{Affixes, Arrival, Envelope, Inbox, classify};
use crate::time::Instant;

use super::endpoint::Endpoint;
use super::event::{Event, Happened, Ignored};
use super::job::Job;
#[cfg(feature = "legacy")]
use super::legacy::Batch;
use super::memory::Lent;
use super::request::Source;
use super::serve::Core;

pub(super) static LINE: Affixes = Affixes { before: "", after: Line::TERMINATOR };

/// One connection of a server, over a byte stream with one message a line: a pipe, a serial line, a socket.
///
/// Bytes go in by [`receive_buffer`](Connection::receive_buffer) and [`commit`](Connection::commit), and come out of
/// [`transmit`](Connection::transmit). After any call that takes `&mut self`, drain [`next_event`](Connection::next_event) until
/// [`Event::NeedData`], and `transmit` until it is empty. [`serve`](Connection::serve) is the drain loop for who has no use for the events.
#[derive(Debug)]
pub struct Connection<'b> {
    pub(super) inbox: Inbox<'b>,
    line: Line,
    pub(super) core: Core<'b>,
    /// What has arrived while an answer was under way.
    waiting: Arrival,
    #[cfg(feature = "legacy")]
    pub(super) batch: Option<Batch>,
}

// A connection is what a device pays for each peer, besides what it lends: the scanner with its spans is about half of it,
// windows and tables the rest. It must stay small enough to keep several on a microcontroller.
const _: () = assert!(core::mem::size_of::<Connection<'static>>() <= 512);

impl<'b> Connection<'b> {
    /// A connection with one message a line, in the memory that is lent to it.
    #[must_use]
    pub fn line(memory: Lent<'b>) -> Connection<'b> {
        Connection {
            inbox: Inbox::new(memory.receive, &SERVER_KEYS, Scanner::DEFAULT_DEPTH),
            line: Line::new(),
            waiting: Arrival::Nothing,
            core: Core::new(memory.transmit, memory.deferred, memory.subscriptions),
            #[cfg(feature = "legacy")]
            batch: None,
        }
    }

    /// Where the next bytes go. Empty only while a message waits for `transmit` to be drained or for the application to take
    /// [a piece of it](super::Tool::upload), and after the end of the stream.
    pub fn receive_buffer(&mut self) -> &mut [u8] {
        self.buffers().1
    }

    /// Makes the room of a message free that has been served, unless its reply still needs it.
    fn release(&mut self) {
        #[cfg(feature = "legacy")]
        if self.batch.is_some() {
            return;
        }
        let is_answered = self.core.job.is_none() || self.core.is_streaming();
        if is_answered && self.waiting == Arrival::Nothing {
            self.inbox.release();
        }
    }

    /// `count` bytes have been put into the receive buffer.
    pub fn commit(&mut self, count: usize) {
        self.inbox.commit(count);
    }

    /// The stream has ended: no more bytes will come.
    pub fn eof(&mut self) {
        self.inbox.eof();
    }

    /// Bytes that want to leave. A long reply is written as they are drained: ask again after [`transmitted`](Connection::transmitted)
    /// and [`next_event`](Connection::next_event).
    #[must_use]
    pub fn transmit(&self) -> &[u8] {
        self.core.outbox.transmit()
    }

    /// `count` of those bytes have left.
    pub fn transmitted(&mut self, count: usize) {
        self.core.outbox.transmitted(count);
    }

    /// When [`next_event`](Connection::next_event) wants to be called again without new bytes: never, since a server waits for nobody.
    /// (What an application does later is its own to time.)
    #[must_use]
    pub fn poll_at(&self) -> Option<Instant> {
        None
    }

    /// Everything has left, and the application may go on: with calls that are open, or with an answer that it [writes piece by
    /// piece](super::Calls::stream).
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.is_idle() || (self.core.outbox.is_empty() && self.core.is_streaming())
    }

    /// A [piece](super::Upload) of a message waits for the application, which could not take it: nothing is received until it can. Call
    /// [`next_event`](Connection::next_event) then.
    #[must_use]
    pub fn is_held_back(&self) -> bool {
        self.core.holds_piece()
    }

    /// Everything has left, and nothing is half written: [`complete`](Connection::complete) and its like find room.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        #[cfg(feature = "legacy")]
        if self.batch.is_some() {
            return false;
        }
        self.core.outbox.is_empty() && self.core.job.is_none()
    }

    /// How many calls are open.
    #[must_use]
    pub fn open_calls(&self) -> usize {
        self.core.deferred.len()
    }

    /// Serves what has arrived, until nothing more can be done without more bytes or more room. The events are dropped.
    pub fn serve<A>(&mut self, endpoint: &mut Endpoint<A>, app: &mut A, now: Instant) {
        while !matches!(self.advance(endpoint, app, now), Happened::Nothing | Happened::Closed) {}
    }

    /// Does the next thing there is to do, which may be to run a handler, and says what it was.
    pub fn next_event<A>(&mut self, endpoint: &mut Endpoint<A>, app: &mut A, now: Instant) -> Event<'_> {
        let happened = self.advance(endpoint, app, now);
        Event::new(happened, self.inbox.text())
    }

    fn advance<A>(&mut self, endpoint: &mut Endpoint<A>, app: &mut A, _now: Instant) -> Happened {
        loop {
            if self.core.is_streaming() {
                return self.mind_stream();
            }
            if !self.core.outbox.is_empty() || !self.core.continue_job(self.inbox.text(), endpoint.catalog) {
                return Happened::Nothing;
            }
            if let Some(happened) = self.step(endpoint, app) {
                if matches!(happened, Happened::Ignored(Ignored::Torso) | Happened::Closed) {
                    self.core.void_upload(endpoint.catalog, app);
                }
                #[cfg(feature = "legacy")]
                endpoint.catalog.tell_answer(happened, self.inbox.text(), app);
                return happened;
            }
        }
    }

    /// Does one thing. `None`: it is nothing to speak of, and more may be to do.
    #[inline(never)]
    fn step<A>(&mut self, endpoint: &mut Endpoint<A>, app: &mut A) -> Option<Happened> {
        #[cfg(feature = "legacy")]
        if self.batch.is_some() {
            return self.continue_batch(endpoint, app);
        }
        if self.core.tell_news(endpoint) {
            return None;
        }
        if !self.core.offer_piece(&mut self.inbox, endpoint.catalog, app) {
            return Some(Happened::Nothing);
        }
        match self.next_arrival() {
            Arrival::Nothing => Some(self.at_end()),
            arrival @ (Arrival::Full | Arrival::Item | Arrival::TextEnd) => {
                self.core.outgrown(arrival, &mut self.inbox, None, endpoint, app);
                None
            }
            Arrival::Object if self.core.reads_again(&mut self.inbox, None, endpoint, app) => None,
            arrival => self.handle(arrival, endpoint, app),
        }
    }

    fn next_arrival(&mut self) -> Arrival {
        if self.waiting != Arrival::Nothing {
            return core::mem::replace(&mut self.waiting, Arrival::Nothing);
        }
        self.release();
        let line = &mut self.line;
        self.inbox.poll(|raw| line.split(raw))
    }

    /// The application writes an answer piece by piece. Only that its client no longer wants it is of interest meanwhile; any other message waits.
    fn mind_stream(&mut self) -> Happened {
        while self.waiting == Arrival::Nothing {
            let arrival = self.next_arrival();
            if arrival == Arrival::Nothing {
                if !self.inbox.is_closed() {
                    return Happened::Nothing;
                }
                self.core.break_off();
                return self.at_end();
            }
            let (text, scanner) = self.inbox.parts();
            if arrival != Arrival::Object || classify(scanner, text) != Ok(Envelope::Notification) {
                self.waiting = arrival;
                break;
            }
            let source = Source::new(text, scanner);
            match self.core.notified(&source) {
                Happened::Ignored(_) => {}
                happened => {
                    if self.core.stream_is_orphan() {
                        self.core.break_off();
                    }
                    return happened;
                }
            }
        }
        Happened::Nothing
    }

    fn at_end(&mut self) -> Happened {
        if !self.inbox.is_closed() {
            return Happened::Nothing;
        }
        if self.inbox.drop_torso() {
            return Happened::Ignored(Ignored::Torso);
        }
        self.core.subscriptions.clear();
        match self.core.deferred.drain() {
            Some(call) => Happened::Cancelled(call),
            None => Happened::Closed,
        }
    }

    fn handle<A>(&mut self, arrival: Arrival, endpoint: &mut Endpoint<A>, app: &mut A) -> Option<Happened> {
        #[cfg(feature = "legacy")]
        if arrival == Arrival::Array && self.begin_batch() {
            return None;
        }
        Some(self.core.take(arrival, &mut self.inbox, None, endpoint, app))
    }
}

impl Connection<'_> {
    /// Ends every subscription with its final result: the server is about to stop. Call it again, after draining, while it says `false`.
    pub fn end_subscriptions<A>(&mut self, endpoint: &Endpoint<A>) -> bool {
        if self.is_idle() && self.core.subscriptions.first_listen().is_some() {
            self.core.start(Job::end_of_listen(true), self.inbox.text(), endpoint.catalog);
        }
        self.is_idle()
    }
}

impl Link for Connection<'_> {
    fn buffers(&mut self) -> (&[u8], &mut [u8]) {
        self.release();
        let into = if self.core.holds_piece() { &mut [] } else { self.inbox.receive_buffer() };
        (self.core.outbox.transmit(), into)
    }

    fn commit(&mut self, count: usize) {
        Connection::commit(self, count);
    }

    fn transmitted(&mut self, count: usize) {
        Connection::transmitted(self, count);
    }

    fn eof(&mut self) {
        Connection::eof(self);
    }
}
