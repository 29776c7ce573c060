//! How what the engine writes, one message a line, stands on the wire: as one body, or as a stream of events.

use super::headers::Headers;
use crate::frame::http::{Chunk, HeadWriter};
use crate::frame::sse::Events;
use crate::rpc::Outbox;

/// The shape of the reply to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Nothing has been written: it will be one JSON text if the answer comes first, and a stream if a notification does.
    Undecided,
    /// One JSON text or nothing at all, of a length that the head tells.
    Whole,
    /// One JSON text, of which the end is not written yet.
    Parts,
    /// A stream of events.
    Events,
}

/// What the head of a reply says besides its shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeadFacts<'a> {
    pub(super) status: u16,
    pub(super) connection: Option<&'static str>,
    pub(super) allow: Option<&'static str>,
    pub(super) challenge: Option<&'a str>,
    pub(super) session: Option<&'a str>,
}

/// The longest text in front of a piece of payload: the size of a chunk, the id of an event, the name of its data.
pub(super) const MAX_PREFIX: usize = 64;

/// What is leaving now: a head, a text before the payload, some bytes of the engine's, a text behind them. Each may be empty.
#[derive(Debug)]
pub(super) struct Unit {
    /// Bytes of the head buffer that are still to leave.
    head: (u16, u16),
    prefix: heapless::Vec<u8, MAX_PREFIX, u8>,
    prefix_sent: u8,
    /// Bytes at the front of the engine's output.
    payload: usize,
    /// The line end behind them, which is not sent.
    drop: usize,
    suffix: &'static [u8],
}

impl Unit {
    pub(super) const fn new() -> Unit {
        Unit { head: (0, 0), prefix: heapless::Vec::new(), prefix_sent: 0, payload: 0, drop: 0, suffix: &[] }
    }

    /// Whether it has left.
    pub(super) fn is_gone(&self) -> bool {
        self.head.0 == self.head.1
            && usize::from(self.prefix_sent) == self.prefix.len()
            && self.payload == 0
            && self.suffix.is_empty()
    }

    /// The parts, in the order they leave.
    pub(super) fn pieces<'a>(&'a self, headers: &'a Headers<'_>, outbox: &'a Outbox<'_>) -> [&'a [u8]; 4] {
        let (start, end) = (usize::from(self.head.0), usize::from(self.head.1));
        [
            headers.bytes().get(start..end).unwrap_or_default(),
            self.prefix.get(usize::from(self.prefix_sent)..).unwrap_or_default(),
            outbox.transmit().get(..self.payload).unwrap_or_default(),
            self.suffix,
        ]
    }

    /// `count` bytes of it have left.
    pub(super) fn transmitted(&mut self, mut count: usize, outbox: &mut Outbox<'_>) {
        let head = count.min(usize::from(self.head.1.saturating_sub(self.head.0)));
        self.head.0 = self.head.0.saturating_add(u16::try_from(head).unwrap_or(u16::MAX));
        count -= head;
        let prefix = count.min(self.prefix.len().saturating_sub(self.prefix_sent.into()));
        self.prefix_sent = self.prefix_sent.saturating_add(u8::try_from(prefix).unwrap_or(u8::MAX));
        count -= prefix;
        let payload = count.min(self.payload);
        outbox.transmitted(payload);
        self.payload -= payload;
        count -= payload;
        if self.payload == 0 {
            outbox.transmitted(core::mem::take(&mut self.drop));
        }
        self.suffix = self.suffix.get(count..).unwrap_or_default();
    }

    /// Begins a unit; the one before has left.
    pub(super) fn begin(&mut self) -> &mut Unit {
        *self = Unit::new();
        self
    }

    /// With a head. If the challenge is too long for the buffer, it is left out.
    pub(super) fn head(&mut self, headers: &mut Headers<'_>, shape: &Body, facts: HeadFacts<'_>) -> &mut Unit {
        let written = write_head(headers.buffer(), shape, facts);
        let written = written.or_else(|| write_head(headers.buffer(), shape, HeadFacts { challenge: None, ..facts }));
        self.head = (0, written.unwrap_or(0));
        self
    }

    /// Nobody takes it any longer: what the engine has written of it goes.
    #[cfg(feature = "legacy")]
    pub(super) fn drop_payload(&mut self, outbox: &mut Outbox<'_>) {
        outbox.transmitted(self.payload.saturating_add(self.drop));
        *self = Unit::new();
    }

    /// If nothing but a line end is left of it, that goes at once.
    pub(super) fn settle(&mut self, outbox: &mut Outbox<'_>) {
        if self.is_gone() {
            outbox.transmitted(core::mem::take(&mut self.drop));
        }
    }

    pub(super) fn text(&mut self, text: &'static str) -> &mut Unit {
        self.suffix = text.as_bytes();
        self
    }

    /// With so many bytes of the engine's output, behind `prefix`, and without the line end that may follow them.
    pub(super) fn payload(&mut self, payload: usize, line_ends: bool) -> &mut Unit {
        self.payload = payload;
        self.drop = usize::from(line_ends);
        self
    }

    /// Opens a chunk that holds `texts`, the payload, and so many bytes behind it.
    pub(super) fn chunk(&mut self, texts: &[&[u8]], behind: usize) -> &mut Unit {
        let inner = texts.iter().map(|text| text.len()).sum::<usize>();
        let size = inner.saturating_add(self.payload).saturating_add(behind);
        push_hex(&mut self.prefix, size);
        self.texts(&[b"\r\n"]).texts(texts)
    }

    /// What stands before the payload. There is room: the texts are few and short.
    pub(super) fn texts(&mut self, texts: &[&[u8]]) -> &mut Unit {
        for text in texts {
            let _ = self.prefix.extend_from_slice(text);
        }
        self
    }
}

/// The size of a chunk, in as many digits as it takes.
fn push_hex(prefix: &mut heapless::Vec<u8, MAX_PREFIX, u8>, size: usize) {
    let digits = (usize::BITS - size.leading_zeros()).div_ceil(4).max(1);
    for shift in (0..digits).rev() {
        let digit = (size >> (shift * 4)) & 0xF;
        let byte = b"0123456789abcdef".get(digit).copied().unwrap_or(b'0');
        let _ = prefix.push(byte);
    }
}

/// What a head says about the body behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// There is none.
    Empty,
    /// One JSON text of so many bytes.
    Json(usize),
    /// One JSON text, in chunks or until the close.
    Parts { chunked: bool },
    /// Events, in chunks or until the close.
    Events { chunked: bool },
}

fn write_head(buf: &mut [u8], body: &Body, facts: HeadFacts<'_>) -> Option<u16> {
    let mut w = HeadWriter::response(buf, facts.status);
    match body {
        Body::Empty => w.number("Content-Length", 0),
        Body::Json(length) => w.header("Content-Type", b"application/json").number("Content-Length", *length as u64),
        Body::Parts { .. } => w.header("Content-Type", b"application/json"),
        Body::Events { .. } => w
            .header("Content-Type", b"text/event-stream")
            .header("Cache-Control", b"no-cache")
            // A proxy that gathers events would keep them from the client.
            .header("X-Accel-Buffering", b"no"),
    };
    if let Body::Parts { chunked: true } | Body::Events { chunked: true } = body {
        w.header("Transfer-Encoding", b"chunked");
    }
    if let Some(allow) = facts.allow {
        w.header("Allow", allow.as_bytes());
    }
    if let Some(session) = facts.session {
        w.header("Mcp-Session-Id", session.as_bytes());
    }
    if let Some(challenge) = facts.challenge {
        w.header("WWW-Authenticate", challenge.as_bytes());
    }
    if let Some(connection) = facts.connection {
        w.header("Connection", connection.as_bytes());
    }
    w.finish().ok().and_then(|head| u16::try_from(head.len).ok())
}

/// What is left of the engine's output: the length of its first line, whether that has come to its end, and whether it is all there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) len: usize,
    pub(super) ends: bool,
    pub(super) is_last: bool,
}

impl Line {
    pub(super) fn first(out: &[u8]) -> Line {
        match out.iter().position(|&byte| byte == b'\n') {
            Some(len) => Line { len, ends: true, is_last: len + 1 == out.len() },
            None => Line { len: out.len(), ends: false, is_last: false },
        }
    }
}

/// The texts behind a piece of payload: inside the chunk, and all of it with the end of the chunk and, where the stream ends, of the body.
pub(super) fn behind(shape: Shape, line_ends: bool, stream_ends: bool, chunked: bool) -> (usize, &'static str) {
    let is_event = shape == Shape::Events && line_ends;
    let inner = if is_event { Events::AFTER.len() } else { 0 };
    let text = match (chunked, is_event, stream_ends) {
        (false, true, _) => Events::AFTER,
        (false, false, _) => "",
        (true, false, false) => Chunk::AFTER,
        (true, true, false) => "\n\n\r\n",
        (true, false, true) => "\r\n0\r\n\r\n",
        (true, true, true) => "\n\n\r\n0\r\n\r\n",
    };
    (inner, text)
}
