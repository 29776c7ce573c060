//! One connection of a server.

use crate::frame::Line;
use crate::json::Value;
use crate::json::scan::{Scanner, Span};
use crate::mcp::slot;
use crate::mcp::{Era, Fault, Method, Notification, SERVER_KEYS};
use crate::rpc::Link;
use crate::rpc::{Affixes, Arrival, Envelope, Id, Inbox, Invalid, classify};
use crate::time::Instant;

use super::deferred::CallHandle;
use super::endpoint::Endpoint;
use super::job::Job;
#[cfg(feature = "http")]
use super::job::JobId;
#[cfg(all(feature = "legacy", feature = "http"))]
use super::legacy::Session;
#[cfg(feature = "legacy")]
use super::legacy::{Batch, the_answer};
use super::memory::Lent;
use super::mirror::Mirror;
use super::request::{Members, Source};
use super::serve::Core;
use super::{Catalog, Changes};

pub(super) const LINE: Affixes = Affixes { before: "", after: Line::TERMINATOR };

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

/// What a connection has to say. Handlers have run before it is returned.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Nothing more, until bytes arrive, bytes have left, or time has passed.
    NeedData,
    /// A request was answered, or deferred; or its subscription was ended by the client.
    Served {
        /// Its method, if that is one of the protocol's.
        method: Option<Method>,
        /// Why it was refused, if it was.
        fault: Option<Fault>,
    },
    /// The client no longer wants this call: stop working on it. Completing it does nothing.
    Cancelled(CallHandle),
    /// The client has answered the question asked on behalf of this call (legacy).
    Answered {
        /// The call.
        call: CallHandle,
        /// The result, or the error object; an error object as well where the answer was too long or too deep to be read.
        answer: Result<Value<'a>, Value<'a>>,
    },
    /// Something was passed over.
    Ignored(Ignored),
    /// A request over HTTP was refused before its message was read.
    #[cfg(feature = "http")]
    Refused {
        /// The status it was answered with.
        status: u16,
    },
    /// The peer has closed its side, and everything it sent before has been served. Open calls are [`Cancelled`](Event::Cancelled) first.
    Closed,
}

/// What was passed over, so that nothing is lost silently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Ignored {
    /// Another line of a run of noise; its first was answered.
    Noise,
    /// A notification that means nothing here, or names nothing that is open.
    Notification,
    /// A response to nothing that was asked.
    Response,
    /// The last line of the stream, which was cut off.
    Torso,
}

/// What happened, without borrowing the message that made it happen: the message stays where it is until the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happened {
    Nothing,
    Served {
        method: Option<Method>,
        fault: Option<Fault>,
    },
    Cancelled(CallHandle),
    #[cfg(feature = "legacy")]
    Answered {
        call: CallHandle,
        answer: Span,
        is_error: bool,
    },
    Ignored(Ignored),
    #[cfg(feature = "http")]
    Refused {
        status: u16,
    },
    Closed,
}

impl<'a> Event<'a> {
    /// What happened, with the text of the message that made it happen.
    pub(crate) fn new(happened: Happened, text: &'a [u8]) -> Event<'a> {
        #[cfg(not(feature = "legacy"))]
        let _ = text;
        match happened {
            Happened::Nothing => Event::NeedData,
            Happened::Served { method, fault } => Event::Served { method, fault },
            Happened::Cancelled(call) => Event::Cancelled(call),
            Happened::Ignored(what) => Event::Ignored(what),
            #[cfg(feature = "http")]
            Happened::Refused { status } => Event::Refused { status },
            Happened::Closed => Event::Closed,
            #[cfg(feature = "legacy")]
            Happened::Answered { call, answer, is_error } => {
                Event::Answered { call, answer: the_answer(answer, is_error, text) }
            }
        }
    }
}

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

    /// Where the next bytes go. Empty only while a message waits for `transmit` to be drained, and after the end of the stream.
    pub fn receive_buffer(&mut self) -> &mut [u8] {
        self.release();
        self.inbox.receive_buffer()
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
        if self.core.tell_news(&endpoint.changes) {
            return None;
        }
        match self.next_arrival() {
            Arrival::Nothing => Some(self.at_end()),
            // Nothing is taken in pieces.
            Arrival::Full | Arrival::Item | Arrival::TextEnd => None,
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

impl Core<'_> {
    /// A message has arrived, or what is none.
    pub(crate) fn take<A>(
        &mut self,
        arrival: Arrival,
        inbox: &mut Inbox<'_>,
        mirror: Option<Mirror<'_>>,
        endpoint: &mut Endpoint<A>,
        app: &mut A,
    ) -> Happened {
        let limit = inbox.limit();
        let (text, scanner) = inbox.parts();
        let fault = match arrival {
            Arrival::Object => {
                let kind = classify(scanner, text);
                let mut source = Source::new(text, scanner).with(mirror);
                return self.handle_message(kind, &mut source, endpoint, app);
            }
            Arrival::Array => Fault::NotAMessage(Invalid::Batch),
            Arrival::Scalar => Fault::NotAMessage(Invalid::NotAnObject),
            Arrival::TooDeep => Fault::TooDeep,
            Arrival::TooLong => Fault::TooLong { limit },
            Arrival::NotJson => Fault::NotJson,
            // No message has arrived.
            Arrival::Nothing | Arrival::Full | Arrival::Item | Arrival::TextEnd => Fault::NotJson,
        };
        let mut source = Source::new(text, scanner);
        if matches!(fault, Fault::NotJson) {
            source.spans = &Source::NO_SPANS;
            source.envelope = Default::default();
        }
        self.refuse_input(&source, fault, endpoint)
    }

    /// Ends the call whose answer cannot be ended.
    #[cfg(feature = "http")]
    pub(crate) fn forget_job(&mut self) {
        if let Some(job) = self.job.take()
            && let JobId::Call(call) = job.id()
        {
            self.deferred.close(call);
        }
    }

    /// Forgets what was to leave.
    #[cfg(feature = "http")]
    pub(crate) fn drop_output(&mut self) {
        self.outbox.clear();
        self.job = None;
    }

    /// As it was before anything arrived.
    #[cfg(feature = "http")]
    pub(crate) fn reset(&mut self) {
        self.drop_output();
        self.subscriptions.clear();
        while self.deferred.drain().is_some() {}
        self.noise = false;
        #[cfg(feature = "legacy")]
        {
            self.session = Session::default();
        }
    }

    /// Whether the application is writing an answer piece by piece.
    pub(crate) fn is_streaming(&self) -> bool {
        self.job.is_some_and(|job| job.as_stream().is_some())
    }

    /// Whether the call whose answer is under way is gone.
    pub(crate) fn stream_is_orphan(&self) -> bool {
        let call = self.job.and_then(|job| job.as_stream()).map(|(call, _)| call);
        call.is_some_and(|call| self.deferred.id(call).is_none())
    }

    /// Gives up the answer that is under way. A line end makes noise of what has left of it.
    fn break_off(&mut self) {
        self.job = None;
        self.outbox.clear();
        self.outbox.part(0, |w| {
            w.literal(LINE.after);
        });
    }

    /// Goes on with a reply that did not fit. `true`: nothing of one is left.
    pub(crate) fn continue_job<A>(&mut self, text: &[u8], catalog: &Catalog<A>) -> bool {
        match self.job {
            Some(job) => self.start(job, text, catalog) && self.outbox.is_empty(),
            None => true,
        }
    }

    /// Writes the next notification that a subscriber waits for.
    #[inline(never)]
    pub(crate) fn tell_news(&mut self, changes: &Changes) -> bool {
        for subscription in self.subscriptions.iter_mut() {
            if subscription.tell(changes, &mut self.outbox) {
                return true;
            }
        }
        false
    }

    pub(crate) fn handle_message<A>(
        &mut self,
        kind: Result<Envelope, Invalid>,
        source: &mut Source<'_>,
        endpoint: &mut Endpoint<A>,
        app: &mut A,
    ) -> Happened {
        self.noise &= kind.is_err();
        match kind {
            Ok(Envelope::Request) => self.serve(source, endpoint, app),
            Ok(Envelope::Notification) => self.notified(source),
            Ok(Envelope::Result) => self.answered(source, false),
            Ok(Envelope::Error) => self.answered(source, true),
            Err(invalid) => self.refuse_input(source, Fault::NotAMessage(invalid), endpoint),
        }
    }

    /// Answers what is no message; without an id, once per run of noise. An answer is never answered, nor is a notification,
    /// however malformed.
    #[inline(never)]
    pub(crate) fn refuse_input<A>(&mut self, source: &Source<'_>, fault: Fault, endpoint: &Endpoint<A>) -> Happened {
        #[cfg(feature = "http")]
        {
            self.status = 400;
        }
        #[cfg(feature = "legacy")]
        if let Some(happened) = self.answer_lost(source, fault) {
            return happened;
        }
        let Members { id, method, answer } = source.envelope;
        if answer && !(method && id) {
            return Happened::Ignored(Ignored::Response);
        }
        let could_be_one =
            matches!(fault, Fault::NotAMessage(Invalid::Params) | Fault::TooDeep | Fault::TooLong { .. });
        if could_be_one && method && !id {
            return Happened::Ignored(Ignored::Notification);
        }
        if source.id().is_none() && core::mem::replace(&mut self.noise, true) {
            return Happened::Ignored(Ignored::Noise);
        }
        self.refuse(source, fault, Era::Modern, endpoint.catalog);
        Happened::Served { method: None, fault: Some(fault) }
    }

    #[inline(never)]
    fn notified(&mut self, source: &Source<'_>) -> Happened {
        let method = source.get(slot::METHOD).unwrap_or(Value::new(b""));
        if Notification::parse(method) == Some(Notification::Cancelled)
            && let Some(id) = source.param("requestId").and_then(Id::new)
        {
            if let Some(call) = self.deferred.by_id(id) {
                self.deferred.close(call);
                return Happened::Cancelled(call);
            }
            if self.subscriptions.close(id) {
                return Happened::Served { method: Some(Method::Listen), fault: None };
            }
        }
        Happened::Ignored(Ignored::Notification)
    }

    /// The answer to a question that is too long or too deep to be read: whoever asked waits no longer.
    #[cfg(feature = "legacy")]
    fn answer_lost(&mut self, source: &Source<'_>, fault: Fault) -> Option<Happened> {
        let lost = matches!(fault, Fault::TooLong { .. } | Fault::TooDeep) && !source.envelope.method;
        let call = self.deferred.by_question(source.get(slot::ID).filter(|_| lost)?)?;
        self.deferred.get(call)?.asking = false;
        Some(Happened::Answered { call, answer: Span::ABSENT, is_error: true })
    }

    #[cfg(feature = "legacy")]
    fn answered(&mut self, source: &Source<'_>, is_error: bool) -> Happened {
        let id = source.get(slot::ID).unwrap_or(Value::new(b""));
        let Some(call) = self.deferred.by_question(id) else {
            return Happened::Ignored(Ignored::Response);
        };
        if let Some(entry) = self.deferred.get(call) {
            entry.asking = false;
        }
        let answer = source.span(if is_error { slot::ERROR } else { slot::RESULT });
        Happened::Answered { call, answer, is_error }
    }

    #[cfg(not(feature = "legacy"))]
    fn answered(&mut self, _source: &Source<'_>, _is_error: bool) -> Happened {
        Happened::Ignored(Ignored::Response)
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
        (self.core.outbox.transmit(), self.inbox.receive_buffer())
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
