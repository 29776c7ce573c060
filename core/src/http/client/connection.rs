//! The connection: its state and its byte side.

use core::ops::Deref;

use heapless::VecView;

use super::exchange::{Exchange, Purpose};
use super::framed::Framed;
#[cfg(feature = "legacy")]
use super::legacy::Legacy;
use super::memory::Lent;
use super::reply::Reply;
use super::target::Target;
#[cfg(feature = "legacy")]
use crate::client::ServerRequest;
use crate::client::{Config, Engine, Event, Refused};
#[cfg(feature = "legacy")]
use crate::mcp::InputKind;
use crate::rpc::{Affixes, Link, RequestHandle};
use crate::time::{Duration, Instant};

/// A client's end of one connection to an HTTP server: an [`Engine`], and one exchange at a time, which is a POST and its reply.
///
/// > After any call that takes `&mut self`, drain [`next_event`](Connection::next_event) until [`Event::NeedData`], do what
/// > [`stream`](Connection::stream) asks for, and drain [`transmit`](Connection::transmit) until it is empty.
///
/// What can be asked of the engine is asked for by [`send`](Connection::send); while a request is in flight, or a subscription open, all
/// others are [`Refused::Busy`]. For requests side by side, use connections side by side, each with memory of its own: a modern server
/// knows no connections, so the [`verdict`](crate::client::Server::verdict) of one is all that another needs.
///
/// The owner of the sockets opens and closes streams, and this says when: a new one where the server has closed the last, and an end to
/// the one at hand where a request is given up, since that is how a modern server is told.
pub struct Connection<'b> {
    pub(super) engine: Engine<'b>,
    pub(super) target: &'b dyn Target,
    pub(super) exchange: Exchange,
    pub(super) session: &'b mut VecView<u8>,
    pub(super) said: &'b mut VecView<u8>,
    pub(super) tools: &'b mut VecView<u8>,
    /// What has its head; behind it other messages may wait that have none yet.
    pub(super) framed: Framed,
    pub(super) state: State,
    /// Every page of the list of tools has passed.
    pub(super) knows_tools: bool,
    /// Until when the exchange may take, where nobody waits for its end, and when it goes on, where it is paused.
    pub(super) linger: Instant,
    #[cfg(feature = "legacy")]
    pub(super) legacy: Legacy,
    /// After how many milliseconds a stream that has broken off is asked for again.
    #[cfg(feature = "legacy")]
    pub(super) retry: u32,
}

// 504 bytes are the engine; of those that it takes to read a reply, 64 are the id of an event.
const _: () = assert!(size_of::<Connection<'static>>() <= 768);

/// The stream as far as it is known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// There is none.
    None,
    /// It has been opened and not been used.
    Fresh,
    /// It has been used, and can be used again.
    Used,
    /// It cannot be used any further.
    Spent,
}

/// What is to be done about the stream. It may be asked for again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Stream {
    /// Leave it as it is.
    Keep,
    /// Close it, if one is open, and say [`closed`](Connection::closed).
    Close,
    /// Close the one that is open, if there is one, open another, and say [`opened`](Connection::opened), or [`unreachable`](Connection::unreachable).
    Open,
}

/// How long a reply may take to end behind its answer before its stream is given up, in milliseconds. Most end at once, and the stream can be used again.
pub(super) const LINGER: Duration = Duration::from_millis(100);
/// How long the server may take over a message to which nobody waits for an answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

impl<'b> Connection<'b> {
    /// A connection to this server. Nothing is open yet.
    #[must_use]
    pub fn new(memory: Lent<'b>, config: Config<'b>, target: &'b dyn Target) -> Connection<'b> {
        let Lent { client, session, said, tools } = memory;
        session.clear();
        said.clear();
        tools.clear();
        let mut engine = Engine::new(client, config, &Affixes { before: "", after: "\n" });
        engine.exchanges = true;
        Connection {
            engine,
            target,
            exchange: Exchange::none(),
            session,
            said,
            tools,
            framed: Framed::NOTHING,
            state: State::None,
            knows_tools: false,
            linger: Instant::NEVER,
            #[cfg(feature = "legacy")]
            legacy: Legacy::default(),
            #[cfg(feature = "legacy")]
            retry: super::legacy::RETRY,
        }
    }

    /// What is to be done about the stream before anything else.
    #[must_use]
    pub fn stream(&self) -> Stream {
        match self.state {
            State::None | State::Spent if self.own() > 0 => Stream::Open,
            State::Spent => Stream::Close,
            _ => Stream::Keep,
        }
    }

    /// A stream has been opened.
    pub fn opened(&mut self) {
        self.forget_bytes();
        self.state = State::Fresh;
    }

    /// The stream has been closed from here.
    pub fn closed(&mut self) {
        self.eof();
    }

    /// No stream can be opened. The request that waits for one is [`Lost`](Event::Lost).
    pub fn unreachable(&mut self) {
        self.state = State::None;
        self.exchange.sent = true;
        self.exchange.eof = true;
    }

    /// The stream has ended: no more bytes will come from it. If the server has closed it before a request has begun to leave, another
    /// one is opened for that.
    pub fn eof(&mut self) {
        self.state = State::None;
        self.exchange.eof = self.exchange.sent;
    }

    /// Where the next received bytes go. Empty while there is no stream, or events have not been drained.
    pub fn receive_buffer(&mut self) -> &mut [u8] {
        if self.is_open() { self.engine.inlet.inbox().receive_buffer() } else { &mut [] }
    }

    /// `count` bytes have been put into the receive buffer.
    pub fn commit(&mut self, count: usize) {
        self.engine.inlet.inbox().commit(count);
    }

    /// The bytes that want to leave. There are none while [`stream`](Connection::stream) asks for something.
    #[must_use]
    pub fn transmit(&self) -> &[u8] {
        let count = if self.is_open() { self.own() } else { 0 };
        self.engine.outbox.transmit().get(..count).unwrap_or_default()
    }

    /// `count` of them have left.
    pub fn transmitted(&mut self, count: usize) {
        self.count_pieces();
        let count = count.min(self.framed.own());
        if count > 0 && !self.exchange.sent {
            self.exchange.sent = true;
            self.exchange.reused = self.state == State::Used;
        }
        self.framed.left(count);
        self.engine.transmitted(count);
    }

    fn is_open(&self) -> bool {
        matches!(self.state, State::Fresh | State::Used)
    }

    /// When [`next_event`](Connection::next_event) wants to be called again even if no bytes move.
    #[must_use]
    pub fn poll_at(&self) -> Option<Instant> {
        // What is paused goes on once everything else has left.
        let waits = self.exchange.is_paused() && self.has_unsent();
        let linger = (self.linger < Instant::NEVER && !waits).then_some(self.linger);
        self.engine.poll_at().into_iter().chain(linger).min()
    }

    /// Asks something of the engine, and sends it: `conn.send(|engine| engine.call("led_set", &args, Options::DEFAULT, now))`.
    ///
    /// # Errors
    /// As `request` says, and [`Refused::Busy`] where something is in flight already, [`Refused::Capacity`] where the message fits the
    /// transmit buffer, but its head does not fit beside it, [`Refused::Headers`] where the [`Target`] has what cannot be sent. Nothing
    /// has changed then.
    pub fn send<T>(&mut self, request: impl FnOnce(&mut Engine<'b>) -> Result<T, Refused>) -> Result<T, Refused> {
        if self.is_busy() {
            return Err(Refused::Busy);
        }
        let sent = request(&mut self.engine)?;
        self.check_upload()?;
        match self.frame() {
            Ok(()) => {
                self.begin();
                Ok(sent)
            }
            Err(unsent) => {
                self.engine.unsend();
                self.engine.open = None;
                Err(unsent.refused())
            }
        }
    }

    /// Gives a request up; see [`Engine::cancel`]. A modern server is told by the end of the stream.
    pub fn cancel(&mut self, handle: RequestHandle, reason: Option<&str>) -> bool {
        self.engine.cancel(handle, reason)
    }

    /// Closes a subscription; see [`Engine::close_listen`]. A modern server is told by the end of the stream.
    ///
    /// # Errors
    /// As [`Engine::close_listen`].
    pub fn close_listen(&mut self, handle: RequestHandle, uris: &[&str], now: Instant) -> Result<(), Refused> {
        self.engine.close_listen(handle, uris, now)
    }

    /// The request whose exchange is under way, and which is still waited for; a subscription is until it ends.
    #[must_use]
    pub fn in_flight(&self) -> Option<RequestHandle> {
        self.exchange.purpose.request().filter(|request| self.engine.waits_for(*request))
    }

    /// Is something in flight, so that nothing can be [sent](Connection::send)?
    #[must_use]
    pub fn is_busy(&self) -> bool {
        !self.engine.outbox.is_empty() || self.engine.waits()
    }

    /// Does a message wait to leave, whether or not it can?
    #[must_use]
    pub fn has_unsent(&self) -> bool {
        !self.engine.outbox.is_empty()
    }

    /// What the latest reply said that was no answer: its status, its hints, its text. It is there from the event that reports it until
    /// the next reply.
    #[must_use]
    pub fn reply(&self) -> Reply<'_> {
        let said = if self.exchange.is_error() { &**self.said } else { &[] };
        Reply { status: self.exchange.status, said }
    }

    /// What happened next, with a view of the message. Drain it until [`Event::NeedData`].
    pub fn next_event(&mut self, now: Instant) -> Event<'_> {
        let happened = self.advance(now);
        self.engine.event(happened)
    }

    /// The event that [`advance`](Connection::advance) has just reported, with a view of its message.
    pub fn event(&mut self, happened: crate::client::Happened) -> Event<'_> {
        self.engine.event(happened)
    }

    /// The request of a legacy server that [`advance`](Connection::advance) has just reported.
    #[cfg(feature = "legacy")]
    pub(crate) fn server_request(&mut self, kind: InputKind) -> Option<ServerRequest<'_>> {
        self.engine.server_request(kind)
    }

    /// The text of the latest event's result; see [`Engine::result_mut`].
    pub fn result_mut(&mut self) -> &mut [u8] {
        self.engine.result_mut()
    }

    /// The stream of the exchange stays in use, so this leaves on one of its own.
    pub(super) fn is_errand(&self, purpose: Purpose) -> bool {
        #[cfg(feature = "legacy")]
        return self.keeps_its_stream() && (purpose == Purpose::Notice || self.is_old());
        #[cfg(not(feature = "legacy"))]
        {
            let _ = purpose;
            false
        }
    }

    /// What is left of the bytes of a stream that is gone means nothing.
    pub(super) fn forget_bytes(&mut self) {
        let inbox = self.engine.inlet.inbox();
        let left = inbox.raw().len();
        inbox.take(left);
    }
}

impl<'b> Deref for Connection<'b> {
    type Target = Engine<'b>;

    fn deref(&self) -> &Engine<'b> {
        &self.engine
    }
}

impl Link for Connection<'_> {
    fn buffers(&mut self) -> (&[u8], &mut [u8]) {
        let open = self.is_open();
        let count = if open { self.own() } else { 0 };
        let out = self.engine.outbox.transmit().get(..count).unwrap_or_default();
        let into = if open { self.engine.inlet.inbox().receive_buffer() } else { &mut [] };
        (out, into)
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

impl core::fmt::Debug for Connection<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Connection")
            .field("engine", &self.engine)
            .field("exchange", &self.exchange)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
