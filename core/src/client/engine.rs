//! The engine: its state and its views. What is done with messages, however they travel.

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
use super::upload::Open;
use crate::json::Value;
use crate::mcp::{InputKind, Level, Revision, slot};
use crate::rpc::{Affixes, Outbox, PendingTable, RequestHandle};
use crate::time::Instant;

/// What a client does with messages, whatever frames them: it finds out which era the server is of, sends requests, matches what comes
/// back, and keeps time.
///
/// It is half of a connection: [`Connection`](super::Connection) is the pair of it and lines, and passes everything here on by `Deref`;
/// over HTTP it is one with bodies. Every request ends exactly once: by `Response`, `InputRequired`, `Error`,
/// `TimedOut`, `Cancelled` or `Lost`.
pub struct Engine<'b> {
    pub(crate) config: Config<'b>,
    pub(crate) inlet: Inlet<'b>,
    pub(crate) outbox: Outbox<'b>,
    pub(crate) pending: PendingTable<'b>,
    pub(crate) listens: &'b mut VecView<Listen>,
    pub(crate) now: Instant,
    pub(crate) noise: u32,
    pub(crate) phase: Phase,
    pub(crate) revision: Revision,
    pub(crate) features: Features,
    /// The held message is the answer to the probe or to `initialize`.
    pub(crate) greeted: bool,
    /// The result that is held has questions to be answered by a retry.
    pub(crate) input_held: bool,
    pub(crate) probe_sent: bool,
    /// What the probe has shown is not to be doubted: it was answered, or has been sent twice.
    pub(crate) probe_settled: bool,
    /// No more bytes will come, so none need be sent.
    pub(crate) ended: bool,
    pub(crate) torso_told: bool,
    /// The call that is on its way piece by piece.
    pub(crate) open: Option<Open>,
    /// How many bytes have been put into the transmit buffer as pieces of it that the framing has not yet counted.
    #[cfg(feature = "http")]
    pub(crate) uploaded: u32,
    /// Each message is an exchange of its own (HTTP), and no line in a stream.
    #[cfg(feature = "http")]
    pub(crate) exchanges: bool,
    /// The number of the request whose own stream it is that bytes come from; 0 if it is nobody's.
    #[cfg(feature = "http")]
    pub(crate) stream_of: u32,
    /// What a legacy server is still to be answered, about the message that is held.
    #[cfg(feature = "legacy")]
    pub(super) owed: Owed,
}

/// How far the connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
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

impl<'b> Engine<'b> {
    /// At the beginning: the server is not known. `affixes` stand around a message on its way out.
    pub(crate) fn new(memory: Lent<'b>, config: Config<'b>, affixes: &'static Affixes) -> Engine<'b> {
        memory.listens.clear();
        Engine {
            phase: Phase::first(config.verdict),
            config,
            inlet: Inlet::new(memory.receive),
            outbox: Outbox::new(memory.transmit, affixes),
            pending: PendingTable::new(memory.pending),
            listens: memory.listens,
            now: Instant::ZERO,
            noise: 0,
            revision: Revision::LATEST,
            features: Features::UNKNOWN,
            greeted: false,
            input_held: false,
            probe_sent: false,
            probe_settled: false,
            ended: false,
            torso_told: false,
            open: None,
            #[cfg(feature = "http")]
            uploaded: 0,
            #[cfg(feature = "http")]
            exchanges: false,
            #[cfg(feature = "http")]
            stream_of: 0,
            #[cfg(feature = "legacy")]
            owed: Owed::Nothing,
        }
    }

    /// When `advance` wants to be called again even if no bytes move.
    #[must_use]
    pub fn poll_at(&self) -> Option<Instant> {
        let due = self.pending.report_due() || self.listens.iter().any(Listen::is_due);
        if due { Some(self.now) } else { self.pending.next_deadline() }
    }

    /// The event that `advance` has just reported, with a view of its message.
    pub fn event(&mut self, happened: Happened) -> Event<'_> {
        match happened {
            #[cfg(feature = "legacy")]
            Happened::Request(_) if self.is_uploading() => Event::NeedData,
            #[cfg(feature = "legacy")]
            Happened::Request(kind) => self.server_request(kind).map_or(Event::NeedData, Event::Request),
            other => self.view(other).unwrap_or(Event::NeedData),
        }
    }

    /// The request of a legacy server that `advance` has just reported.
    #[cfg(feature = "legacy")]
    pub(crate) fn server_request(&mut self, kind: InputKind) -> Option<ServerRequest<'_>> {
        ServerRequest::new(kind, &self.inlet, &mut self.outbox, &mut self.owed)
    }

    /// `None` where the message that the event came in is no longer held.
    fn view(&self, happened: Happened) -> Option<Event<'_>> {
        let member = |slot| self.inlet.member(slot);
        let param = |name: &str| member(slot::PARAMS).and_then(|params| params.get(name));
        Some(match happened {
            Happened::NeedData => Event::NeedData,
            Happened::Connected => Event::Connected(self.server()),
            Happened::Item(handle) => {
                let (list, item) = self.item()?;
                Event::Item { handle, list, item }
            }
            Happened::Chunk(handle) => Event::Chunk { handle, chunk: self.chunk()? },
            Happened::Response(handle) => Event::Response { handle, result: member(slot::RESULT)? },
            Happened::InputRequired(handle) => {
                Event::InputRequired { handle, input: InputRequired::new(member(slot::RESULT)?) }
            }
            Happened::Error(handle) => Event::Error { handle, error: self.error()? },
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
                let versions = if why == Failed::NoCommonVersion { self.versions() } else { None };
                Event::Failed { why, error: self.error(), versions }
            }
            Happened::Closed => Event::Closed,
        })
    }

    /// The versions that the server has named in the held message, which has failed for them.
    pub(crate) fn versions(&self) -> Option<Value<'_>> {
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

    /// The result that the latest event came with, until the next call of `advance` or `next_event`.
    #[must_use]
    pub fn result(&self) -> Option<Value<'_>> {
        self.inlet.member(slot::RESULT)
    }

    /// The text of that result, for [`from_slice`](crate::json::from_slice), which uses it up. Empty if there is none.
    pub fn result_mut(&mut self) -> &mut [u8] {
        self.inlet.member_mut(slot::RESULT)
    }

    /// The error that the latest event came with, until the next call of `advance` or `next_event`.
    #[must_use]
    pub fn error(&self) -> Option<RemoteError<'_>> {
        self.inlet.member(slot::ERROR).map(RemoteError::new)
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

impl core::fmt::Debug for Engine<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Engine").field("phase", &self.phase).field("revision", &self.revision).finish_non_exhaustive()
    }
}
