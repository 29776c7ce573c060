//! The connection: its state, its byte side, and its views.

use heapless::VecView;

use super::config::Config;
use super::error::{Failed, RemoteError};
use super::event::{Event, Happened};
use super::inlet::Inlet;
use super::input::InputRequired;
#[cfg(feature = "legacy")]
use super::legacy::{Owed, ServerRequest};
use super::listen::Listen;
use super::memory::Lent;
use super::server::{Features, Server};
use crate::frame::Line;
use crate::json::Value;
use crate::mcp::{Level, Revision, slot};
use crate::rpc::Link;
use crate::rpc::{Affixes, Outbox, PendingTable, RequestHandle};
use crate::time::Instant;

/// A client's end of one connection: bytes in, [events](Event) out; requests in, bytes out. It does no I/O and reads no clock.
///
/// > After any call that takes `&mut self`, drain [`next_event`](Connection::next_event) until [`Event::NeedData`],
/// > and [`transmit`](Connection::transmit) until it is empty.
///
/// The first call of `next_event` begins: it probes the server, and hand-shakes with one that turns out to be of the legacy era. After
/// [`Event::Connected`] requests may be sent. Every request ends exactly once: by `Response`, `InputRequired`, `Error`,
/// `TimedOut`, `Cancelled` or `Lost`.
///
/// Spurious calls are harmless, time that goes back is ignored, and an event's views last until the next call.
pub struct Connection<'b> {
    pub(super) config: Config<'b>,
    pub(super) inlet: Inlet<'b>,
    pub(super) outbox: Outbox<'b>,
    pub(super) pending: PendingTable<'b>,
    pub(super) listens: &'b mut VecView<Listen>,
    pub(super) now: Instant,
    pub(super) noise: u32,
    pub(super) phase: Phase,
    pub(super) revision: Revision,
    pub(super) features: Features,
    /// The held message is the answer to the probe or to `initialize`.
    pub(super) greeted: bool,
    /// The result that is held has questions to be answered by a retry.
    pub(super) input_held: bool,
    pub(super) probe_sent: bool,
    pub(super) probed_again: bool,
    /// No more bytes will come, so none need be sent.
    pub(super) ended: bool,
    pub(super) torso_told: bool,
    /// What a legacy server is still to be answered, about the message that is held.
    #[cfg(feature = "legacy")]
    pub(super) owed: Owed,
}

// Half of it is the receive side with its scanner (of which 128 bytes are spans), a fifth the configuration.
// A server that runs on 8 KB of RAM lends 2 KB for buffers and has this beside them.
const _: () = assert!(size_of::<Connection<'static>>() <= 512);

/// How far the connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The probe is to be sent.
    Probe,
    /// It has been.
    Probing,
    /// `initialize` is to be sent.
    #[cfg(feature = "legacy")]
    Initialize,
    /// It has been.
    #[cfg(feature = "legacy")]
    Initializing,
    /// It was answered; `notifications/initialized` is to be sent.
    #[cfg(feature = "legacy")]
    Initialized,
    /// A verdict says that the server is modern: nothing to do but to say so.
    Known,
    /// Requests may be sent.
    Ready,
    /// There will be no connection.
    Failed,
    /// The stream has ended; the requests in flight are being reported.
    Closing,
    /// All has been reported.
    Closed,
}

impl<'b> Connection<'b> {
    /// A connection over newline-delimited messages: pipes, serial lines, plain sockets.
    #[must_use]
    pub fn line(memory: Lent<'b>, config: Config<'b>) -> Connection<'b> {
        memory.listens.clear();
        Connection {
            phase: Phase::first(config.verdict),
            config,
            inlet: Inlet::new(memory.receive),
            outbox: Outbox::new(memory.transmit, Affixes { before: "", after: Line::TERMINATOR }),
            pending: PendingTable::new(memory.pending),
            listens: memory.listens,
            now: Instant::ZERO,
            noise: 0,
            revision: Revision::LATEST,
            features: Features::UNKNOWN,
            greeted: false,
            input_held: false,
            probe_sent: false,
            probed_again: false,
            ended: false,
            torso_told: false,
            #[cfg(feature = "legacy")]
            owed: Owed::Nothing,
        }
    }

    /// Where the next received bytes go. Never empty, unless the stream has ended, events have not been drained, or an answer
    /// that a legacy server is due waits for [`transmit`](Connection::transmit) to be drained.
    pub fn receive_buffer(&mut self) -> &mut [u8] {
        self.inlet.inbox().receive_buffer()
    }

    /// `count` bytes have been put into the receive buffer.
    pub fn commit(&mut self, count: usize) {
        self.inlet.inbox().commit(count);
    }

    /// The stream has ended: no more bytes will come.
    pub fn eof(&mut self) {
        self.ended = true;
        self.inlet.inbox().eof();
    }

    /// The bytes that want to leave.
    #[must_use]
    pub fn transmit(&self) -> &[u8] {
        self.outbox.transmit()
    }

    /// `count` of them have left.
    pub fn transmitted(&mut self, count: usize) {
        self.outbox.transmitted(count);
    }

    /// When [`next_event`](Connection::next_event) wants to be called again even if no bytes move.
    #[must_use]
    pub fn poll_at(&self) -> Option<Instant> {
        let due = self.pending.report_due() || self.listens.iter().any(Listen::is_due);
        if due { Some(self.now) } else { self.pending.next_deadline() }
    }

    /// What happened next, with a view of the message. Drain it until [`Event::NeedData`].
    pub fn next_event(&mut self, now: Instant) -> Event<'_> {
        let happened = self.advance(now);
        self.event(happened)
    }

    /// The event that [`advance`](Connection::advance) has just reported, with a view of its message.
    pub fn event(&mut self, happened: Happened) -> Event<'_> {
        match happened {
            #[cfg(feature = "legacy")]
            Happened::Request(kind) => match ServerRequest::new(kind, &self.inlet, &mut self.outbox, &mut self.owed) {
                Some(request) => Event::Request(request),
                None => Event::NeedData,
            },
            other => self.view(other).unwrap_or(Event::NeedData),
        }
    }

    /// `None` where the message that the event came in is no longer held.
    fn view(&self, happened: Happened) -> Option<Event<'_>> {
        let member = |slot| self.inlet.member(slot);
        let param = |name: &str| member(slot::PARAMS).and_then(|params| params.get(name));
        Some(match happened {
            Happened::NeedData => Event::NeedData,
            Happened::Connected => Event::Connected(self.server()),
            Happened::Response(handle) => Event::Response { handle, result: member(slot::RESULT)? },
            Happened::InputRequired(handle) => {
                Event::InputRequired { handle, input: InputRequired::new(member(slot::RESULT)?) }
            }
            Happened::Error(handle) => Event::Error { handle, error: RemoteError::new(member(slot::ERROR)?) },
            Happened::TimedOut(handle) => Event::TimedOut { handle },
            Happened::Cancelled(handle) => Event::Cancelled { handle },
            Happened::Lost(handle, why) => Event::Lost { handle, why },
            Happened::Progress(handle) => Event::Progress {
                handle,
                progress: param("progress")?.as_decimal()?,
                total: param("total").and_then(Value::as_decimal),
                message: param("message").and_then(Value::as_text),
            },
            Happened::Log => Event::Log {
                level: Level::parse(param("level")?.as_str()?)?,
                logger: param("logger").and_then(Value::as_text),
                data: param("data")?,
            },
            Happened::Acknowledged(handle) => Event::Acknowledged { handle, filter: param("notifications") },
            Happened::Changed(handle, list) => Event::Changed { handle, list },
            Happened::Updated(handle) => Event::Updated { handle, uri: param("uri")?.as_text()? },
            Happened::ListenEnded(handle, end) => Event::ListenEnded { handle, end },
            #[cfg(feature = "legacy")]
            Happened::Request(_) => return None,
            #[cfg(feature = "legacy")]
            Happened::Withdrawn => Event::Withdrawn { id: member(slot::client::REQUEST_ID)? },
            Happened::Ignored(why) => Event::Ignored { why, text: self.inlet.text() },
            Happened::ProbeExited => Event::ProbeExited,
            Happened::Failed(why) => {
                Event::Failed { why, error: member(slot::ERROR).map(RemoteError::new), versions: self.versions(why) }
            }
            Happened::Closed => Event::Closed,
        })
    }

    /// The versions that the server has named in the held message.
    fn versions(&self, why: Failed) -> Option<Value<'_>> {
        if why != Failed::NoCommonVersion {
            return None;
        }
        match self.inlet.member(slot::ERROR) {
            Some(error) => error.at(&["data", "supported"]),
            None => {
                let result = self.inlet.member(slot::RESULT)?;
                result.get("supportedVersions").or_else(|| result.get("protocolVersion"))
            }
        }
    }

    /// The server, as far as it is known: its revision always, what it says about itself as long as the
    /// [`Connected`](Event::Connected) event is the last one and no request has been answered since.
    #[must_use]
    pub fn server(&self) -> Server<'_> {
        Server::new(self.revision, if self.greeted { self.inlet.member(slot::RESULT) } else { None })
    }

    /// What the server offers.
    #[must_use]
    pub fn features(&self) -> Features {
        self.features
    }

    /// The result that the latest event came with, until the next call of [`advance`](Connection::advance) or `next_event`.
    #[must_use]
    pub fn result(&self) -> Option<Value<'_>> {
        self.inlet.member(slot::RESULT)
    }

    /// The text of that result, for [`from_slice`](crate::json::from_slice), which uses it up. Empty if there is none.
    pub fn result_mut(&mut self) -> &mut [u8] {
        self.inlet.member_mut(slot::RESULT)
    }

    /// How many lines have been passed over that were no JSON.
    #[must_use]
    pub fn noise(&self) -> u32 {
        self.noise
    }

    /// Are requests accepted?
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.phase == Phase::Ready && !self.ended
    }

    /// Has the stream ended?
    #[must_use]
    pub fn is_ended(&self) -> bool {
        self.ended
    }

    /// Is this request waited for? A subscription is from when it is asked for until it has ended.
    #[must_use]
    pub fn is_open(&self, handle: RequestHandle) -> bool {
        self.pending.tag(handle).is_some() || self.is_listening(handle)
    }
}

impl Link for Connection<'_> {
    fn buffers(&mut self) -> (&[u8], &mut [u8]) {
        (self.outbox.transmit(), self.inlet.inbox().receive_buffer())
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
            .field("phase", &self.phase)
            .field("revision", &self.revision)
            .finish_non_exhaustive()
    }
}
