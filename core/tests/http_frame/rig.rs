//! Connections on which bytes arrive in every way they can, and what is read from them, written down.

use umcp::frame::Run;
use umcp::frame::http::{
    Body, BodyError, BodyKind, EventBody, HeadError, Limits, Next, RequestHead, RequestStep, ResponseHead,
    ResponseStep, Version, Wanted,
};
use umcp::frame::sse::Events;

/// The bytes of a connection, as far as they have arrived and are not taken. No more than `room` of them are at hand.
pub(crate) struct Wire<'a> {
    bytes: &'a [u8],
    taken: usize,
    arrived: usize,
    room: usize,
    pieces: Pieces,
}

/// How the bytes arrive.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pieces {
    /// In two pieces, of which this is the length of the first.
    Split(usize),
    /// In pieces of so many bytes.
    Every(usize),
    /// In pieces of up to so many bytes, by a generator with this seed.
    Random(usize, u64),
}

impl Pieces {
    /// All at once.
    pub(crate) const WHOLE: Pieces = Pieces::Every(usize::MAX);

    /// Every way for so many bytes.
    pub(crate) fn all(len: usize) -> impl Iterator<Item = Pieces> {
        let every = [usize::MAX, 1, 2, 3, 5, 7, 16].map(Pieces::Every);
        every.into_iter().chain((0..=len).map(Pieces::Split))
    }

    fn next(&mut self) -> usize {
        match self {
            Pieces::Split(first) => {
                let first = *first;
                *self = Pieces::WHOLE;
                first
            }
            Pieces::Every(size) => *size,
            Pieces::Random(most, seed) => 1 + random(seed) as usize % *most,
        }
    }
}

/// A number that looks like chance (xorshift64*).
pub(crate) fn random(seed: &mut u64) -> u64 {
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    seed.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
}

impl<'a> Wire<'a> {
    pub(crate) fn new(bytes: &'a [u8], room: usize, pieces: Pieces) -> Wire<'a> {
        Wire { bytes, taken: 0, arrived: 0, room, pieces }
    }

    pub(crate) fn raw(&self) -> &'a [u8] {
        &self.bytes[self.taken..self.arrived]
    }

    pub(crate) fn take(&mut self, count: usize) {
        assert!(count <= self.arrived - self.taken, "more taken than there was");
        self.taken += count;
    }

    /// More bytes; `false` if there will be none.
    pub(crate) fn receive(&mut self) -> bool {
        if self.arrived == self.bytes.len() {
            return false;
        }
        let end = self.bytes.len().min(self.taken.saturating_add(self.room));
        assert!(self.arrived < end, "stuck: no room for more bytes, and none taken");
        self.arrived = end.min(self.arrived.saturating_add(self.pieces.next().max(1)));
        true
    }

    /// All that has not been taken.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.taken..]
    }
}

fn version(version: Version) -> &'static str {
    match version {
        Version::Http10 => "1.0",
        Version::Http11 => "1.1",
    }
}

pub(crate) fn kind(kind: BodyKind) -> String {
    match kind {
        BodyKind::Empty => "empty".into(),
        BodyKind::Length(length) => format!("length {length}"),
        BodyKind::Chunked => "chunked".into(),
        BodyKind::UntilClose => "until close".into(),
    }
}

fn text(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

/// What was read of a head: one line for each step. `None` at the end: it is not whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Log {
    pub(crate) lines: Vec<String>,
    pub(crate) body: Option<BodyKind>,
}

pub(crate) fn read_request(
    wire: &mut Wire<'_>,
    wanted: &'static Wanted,
    limits: Limits,
) -> Result<Log, (Vec<String>, HeadError)> {
    let mut head = RequestHead::new(wanted, limits);
    let mut lines = Vec::new();
    loop {
        let Next { taken, step } = head.next(wire.raw()).map_err(|error| {
            assert_eq!(head.next(b"GET / HTTP/1.1\r\n\r\n"), Err(error), "an error stays");
            (lines.clone(), error)
        })?;
        match step {
            RequestStep::Line(line) => {
                lines.push(format!("{} {} {}", line.method, line.target, version(line.version)));
            }
            RequestStep::Header(header) => lines.push(format!("{}={}", header.name, text(header.value))),
            RequestStep::End(end) => {
                let keep = if end.keep_alive { "keep" } else { "close" };
                let expect = if end.expect_continue { ", expects" } else { "" };
                lines.push(format!("{}, {keep}{expect}", kind(end.body)));
                wire.take(taken);
                assert_eq!(head.next(wire.raw()), Ok(Next { taken: 0, step: RequestStep::End(end) }), "the end stays");
                return Ok(Log { lines, body: Some(end.body) });
            }
            RequestStep::NeedData => {}
        }
        wire.take(taken);
        if step == RequestStep::NeedData && !wire.receive() {
            return Ok(Log { lines, body: None });
        }
    }
}

pub(crate) fn read_response(
    wire: &mut Wire<'_>,
    wanted: &'static Wanted,
    limits: Limits,
    to_head: bool,
) -> Result<Log, (Vec<String>, HeadError)> {
    let mut head = ResponseHead::new(wanted, limits);
    if to_head {
        head = head.to_head_request();
    }
    let mut lines = Vec::new();
    loop {
        let Next { taken, step } = head.next(wire.raw()).map_err(|error| (lines.clone(), error))?;
        match step {
            ResponseStep::Line(line) => {
                lines.push(format!("{} {} {}", version(line.version), line.status, text(line.reason)));
            }
            ResponseStep::Header(header) => lines.push(format!("{}={}", header.name, text(header.value))),
            ResponseStep::End(end) => {
                lines.push(format!("{}, {}", kind(end.body), if end.keep_alive { "keep" } else { "close" }));
                wire.take(taken);
                return Ok(Log { lines, body: Some(end.body) });
            }
            ResponseStep::NeedData => {}
        }
        wire.take(taken);
        if step == ResponseStep::NeedData && !wire.receive() {
            return Ok(Log { lines, body: None });
        }
    }
}

/// Anything that splits raw bytes into runs.
pub(crate) trait Split {
    fn split(&mut self, raw: &[u8]) -> Result<Option<Run>, BodyError>;
    fn is_ended(&self) -> bool;
    fn eof(&mut self) -> Result<(), BodyError>;
    /// Something to write down at the end of a message.
    fn note(&self) -> String {
        String::new()
    }
}

impl Split for Body {
    fn split(&mut self, raw: &[u8]) -> Result<Option<Run>, BodyError> {
        Body::split(self, raw)
    }
    fn is_ended(&self) -> bool {
        Body::is_ended(self)
    }
    fn eof(&mut self) -> Result<(), BodyError> {
        Body::eof(self)
    }
}

impl Split for EventBody {
    fn split(&mut self, raw: &[u8]) -> Result<Option<Run>, BodyError> {
        EventBody::split(self, raw)
    }
    fn is_ended(&self) -> bool {
        EventBody::is_ended(self)
    }
    fn eof(&mut self) -> Result<(), BodyError> {
        EventBody::eof(self)
    }
    fn note(&self) -> String {
        Split::note(self.events())
    }
}

impl Split for Events {
    fn split(&mut self, raw: &[u8]) -> Result<Option<Run>, BodyError> {
        Ok(Events::split(self, raw))
    }
    fn is_ended(&self) -> bool {
        false
    }
    fn eof(&mut self) -> Result<(), BodyError> {
        Ok(())
    }
    fn note(&self) -> String {
        let id = self.id().map(|id| format!(" #{}", text(id))).unwrap_or_default();
        let retry = self.retry().map(|retry| format!(" @{retry}")).unwrap_or_default();
        format!("{}{id}{retry}", text(self.name()))
    }
}

/// What was read of a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Messages {
    /// Each whole message, and what was to be noted at its end.
    pub(crate) whole: Vec<(Vec<u8>, String)>,
    /// A message that has begun.
    pub(crate) begun: Vec<u8>,
    pub(crate) error: Option<BodyError>,
}

/// Reads to the end of the body or, where `close` says so, of the stream.
pub(crate) fn read_body(wire: &mut Wire<'_>, split: &mut impl Split, close: bool) -> Messages {
    let mut read = Messages::default();
    let mut closed = false;
    loop {
        let run = match split.split(wire.raw()) {
            Ok(run) => run,
            Err(error) => {
                assert_eq!(split.split(b"5\r\n"), Err(error), "an error stays");
                read.error = Some(error);
                return read;
            }
        };
        let Some(run) = run else {
            if split.is_ended() || closed {
                return read;
            }
            assert!(wire.raw().is_empty(), "bytes are left, and nothing is said about them");
            if wire.receive() {
                continue;
            }
            closed = true;
            match split.eof() {
                _ if !close => return read,
                Ok(()) => continue,
                Err(error) => {
                    read.error = Some(error);
                    return read;
                }
            }
        };
        wire.take(run.skip);
        read.begun.extend(&wire.raw()[..run.payload]);
        wire.take(run.payload);
        if let Some(terminator) = run.terminator {
            wire.take(terminator);
            read.whole.push((core::mem::take(&mut read.begun), split.note()));
        } else {
            assert!(run.skip + run.payload > 0, "a run of nothing");
        }
    }
}
