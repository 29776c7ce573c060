//! The pair of an engine and lines.

use core::ops::{Deref, DerefMut};

use super::config::Config;
use super::engine::Engine;
use super::event::{Event, Happened};
use super::memory::Lent;
use crate::frame::Line;
use crate::rpc::{Affixes, Link};
use crate::time::Instant;

/// A client's end of one connection over lines: bytes in, [events](Event) out; requests in, bytes out. It does no I/O and reads no clock.
///
/// > After any call that takes `&mut self`, drain [`next_event`](Connection::next_event) until [`Event::NeedData`],
/// > and [`transmit`](Connection::transmit) until it is empty.
///
/// The first call of `next_event` begins: it probes the server, and hand-shakes with one that turns out to be of the legacy era. After
/// [`Event::Connected`] requests may be sent: those of the [`Engine`], which this is a framing of.
///
/// Spurious calls are harmless, time that goes back is ignored, and an event's views last until the next call.
#[derive(Debug)]
pub struct Connection<'b> {
    engine: Engine<'b>,
    framing: Line,
}

// 288 bytes are the receive side with its scanner (of which 128 bytes are spans), 64 the configuration, 40 a call that leaves piece by piece, 32 the
// transmit side. A server that runs on 8 KB of RAM lends 2 KB for buffers and has this beside them.
const _: () = assert!(size_of::<Connection<'static>>() <= 512);

impl<'b> Connection<'b> {
    /// A connection over newline-delimited messages: pipes, serial lines, plain sockets.
    #[must_use]
    pub fn line(memory: Lent<'b>, config: Config<'b>) -> Connection<'b> {
        Connection {
            engine: Engine::new(memory, config, &Affixes { before: "", after: Line::TERMINATOR }),
            framing: Line::new(),
        }
    }

    /// Where the next received bytes go. Never empty, unless the stream has ended, events have not been drained, or an answer
    /// that a legacy server is due waits for [`transmit`](Connection::transmit) to be drained.
    pub fn receive_buffer(&mut self) -> &mut [u8] {
        self.engine.inlet.inbox().receive_buffer()
    }

    /// `count` bytes have been put into the receive buffer.
    pub fn commit(&mut self, count: usize) {
        self.engine.inlet.inbox().commit(count);
    }

    /// The stream has ended: no more bytes will come.
    pub fn eof(&mut self) {
        self.engine.ended = true;
        self.engine.inlet.inbox().eof();
    }

    /// The bytes that want to leave.
    #[must_use]
    pub fn transmit(&self) -> &[u8] {
        self.engine.outbox.transmit()
    }

    /// `count` of them have left.
    pub fn transmitted(&mut self, count: usize) {
        self.engine.transmitted(count);
    }

    /// What happened next, with a view of the message. Drain it until [`Event::NeedData`].
    pub fn next_event(&mut self, now: Instant) -> Event<'_> {
        let happened = self.advance(now);
        self.engine.event(happened)
    }

    /// What happened next, without a view: for callers who look at the message later, with [`event`](Engine::event) or
    /// [`result`](Engine::result). It stays until the next call. Drain it until [`Happened::NeedData`].
    pub fn advance(&mut self, now: Instant) -> Happened {
        let framing = &mut self.framing;
        self.engine.advance(now, |inbox| inbox.poll(|raw| framing.split(raw)))
    }
}

impl<'b> Deref for Connection<'b> {
    type Target = Engine<'b>;

    fn deref(&self) -> &Engine<'b> {
        &self.engine
    }
}

impl DerefMut for Connection<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.engine
    }
}

impl Link for Connection<'_> {
    fn buffers(&mut self) -> (&[u8], &mut [u8]) {
        (self.engine.outbox.transmit(), self.engine.inlet.inbox().receive_buffer())
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
