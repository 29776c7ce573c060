//! One exchange with an HTTP server, on a thread of its own: a request, and all that comes back.

use std::io;

use umcp::frame::Run;
use umcp::frame::http::{Body, EventBody, Limits as HeadLimits, Next, ResponseEnd, ResponseHead, ResponseStep, Wanted};
use umcp::io::Wire as _;
use umcp::time::Instant;

use crate::Interrupter;
use crate::http::client::{HttpWire, Remote};

static WANTED: Wanted = Wanted::new(&["content-type", "mcp-session-id"]);
/// The longest line of a head that is needed, in bytes.
const LINE: usize = 16 << 10;
/// What is read at once.
const CHUNK: usize = 16 << 10;

/// What an exchange tells as it goes on.
pub(super) enum Said {
    /// It can be interrupted by this, from now on.
    Open(Interrupter),
    /// The head of the response is there.
    Head {
        status: u16,
        session: Option<String>,
    },
    Message(Vec<u8>),
    /// It is over; why, if that was too early.
    Over(Result<(), String>),
}

/// Carries it out. `tell` returns `false` when nobody listens any longer.
pub(super) fn run(remote: &Remote, request: &[u8], limit: usize, tell: &mut dyn FnMut(Said) -> bool) {
    let outcome = remote.wire().map_err(|error| error.to_string()).and_then(|mut wire| {
        tell(Said::Open(wire.interrupter()));
        wire.open_stream(Instant::NEVER).map_err(|error| error.to_string())?;
        let outcome = Exchange { wire: &mut wire, input: Vec::new(), limit, ended: false }.carry_out(request, tell);
        wire.close_stream();
        outcome
    });
    tell(Said::Over(outcome));
}

struct Exchange<'w> {
    wire: &'w mut HttpWire,
    input: Vec<u8>,
    limit: usize,
    /// The server has closed its side.
    ended: bool,
}

type Outcome<T> = Result<T, String>;

impl Exchange<'_> {
    fn carry_out(&mut self, request: &[u8], tell: &mut dyn FnMut(Said) -> bool) -> Outcome<()> {
        let mut out = request;
        // A server may answer before it has read everything.
        while !out.is_empty() && self.input.is_empty() && !self.ended {
            let sent = self.transfer(out)?;
            out = out.get(sent..).unwrap_or_default();
        }
        let (end, is_stream) = self.head(tell)?;
        if is_stream { self.events(end, tell) } else { self.body(end, tell) }
    }

    fn head(&mut self, tell: &mut dyn FnMut(Said) -> bool) -> Outcome<(ResponseEnd, bool)> {
        let mut head = ResponseHead::new(&WANTED, HeadLimits::buffer(LINE));
        let (mut status, mut session, mut is_stream) = (0, None, false);
        loop {
            let next = head.next(&self.input).map_err(|error| format!("it does not speak HTTP: {error}"))?;
            let Next { taken, step } = next;
            let end = match step {
                ResponseStep::NeedData if self.ended => return Err("it has closed the connection".to_owned()),
                ResponseStep::NeedData => None,
                ResponseStep::Line(line) => {
                    status = line.status;
                    None
                }
                ResponseStep::Header(header) => {
                    match header.name {
                        "content-type" => {
                            let kind = header.value.split(|byte| *byte == b';').next().unwrap_or_default();
                            is_stream = kind.trim_ascii().eq_ignore_ascii_case(b"text/event-stream");
                        }
                        _ => session = std::str::from_utf8(header.value).ok().map(str::to_owned),
                    }
                    None
                }
                ResponseStep::End(end) => Some(end),
            };
            let waits = matches!(step, ResponseStep::NeedData);
            self.input.drain(..taken);
            if let Some(end) = end {
                tell(Said::Head { status, session });
                return Ok((end, is_stream));
            }
            if waits {
                self.transfer(&[])?;
            }
        }
    }

    fn body(&mut self, end: ResponseEnd, tell: &mut dyn FnMut(Said) -> bool) -> Outcome<()> {
        let mut body = Body::new(end.body);
        let mut text = Vec::new();
        loop {
            let run = body.split(&self.input).map_err(|error| error.to_string())?;
            if let Some(run) = run {
                self.take(run, &mut text)?;
            }
            if body.is_ended() {
                if !text.trim_ascii().is_empty() {
                    tell(Said::Message(text));
                }
                return Ok(());
            }
            if run.is_none() {
                self.more(|| body.eof().map_err(|error| error.to_string()))?;
            }
        }
    }

    fn events(&mut self, end: ResponseEnd, tell: &mut dyn FnMut(Said) -> bool) -> Outcome<()> {
        let mut events = EventBody::new(end.body);
        let mut text = Vec::new();
        loop {
            let run = events.split(&self.input).map_err(|error| error.to_string())?;
            if let Some(run) = run {
                self.take(run, &mut text)?;
                if run.terminator.is_some() {
                    let message = std::mem::take(&mut text);
                    let is_message = events.events().name() == b"message" && !message.trim_ascii().is_empty();
                    if is_message && !tell(Said::Message(message)) {
                        return Ok(());
                    }
                }
            }
            if events.is_ended() {
                return Ok(());
            }
            if run.is_none() {
                self.more(|| events.eof().map_err(|error| error.to_string()))?;
            }
        }
    }

    fn take(&mut self, run: Run, text: &mut Vec<u8>) -> Outcome<()> {
        let payload = self.input.get(run.skip..run.skip + run.payload).unwrap_or_default();
        if text.len() + payload.len() > self.limit {
            return Err(format!("it has answered with more than {} bytes", self.limit));
        }
        text.extend_from_slice(payload);
        let taken = run.skip + run.payload + run.terminator.unwrap_or(0);
        self.input.drain(..taken.min(self.input.len()));
        Ok(())
    }

    /// Waits for more, or says that there is none.
    fn more(&mut self, eof: impl FnOnce() -> Outcome<()>) -> Outcome<()> {
        if self.ended {
            return eof();
        }
        self.transfer(&[]).map(drop)
    }

    fn transfer(&mut self, out: &[u8]) -> Outcome<usize> {
        let mut chunk = [0; CHUNK];
        let moved = self.wire.transfer(out, &mut chunk, Instant::NEVER);
        let moved = moved.map_err(|error: io::Error| format!("the connection failed: {error}"))?;
        self.input.extend_from_slice(chunk.get(..moved.received).unwrap_or_default());
        self.ended |= moved.closed;
        if moved.interrupted { Err("interrupted".to_owned()) } else { Ok(moved.sent) }
    }
}
