//! One connection, without I/O: bytes in, requests out; replies in, bytes out.

use std::collections::VecDeque;

use umcp::frame::http::{
    Body, BodyKind, Chunk, HeadWriter, Limits as HeadLimits, Next, RequestEnd, RequestHead, RequestStep, Version,
};
use umcp::frame::sse::Events;
use umcp::time::{Duration, Instant};

use super::policy::{Policy, Refusal};
use super::request::{Request, WANTED};
use crate::bridge::limits::Limits;
use crate::bridge::router::error;

/// The longest line of a head that is needed, in bytes.
const LINE: usize = 16 << 10;
/// How long what a client still sends is read when it has been refused, so that the reply is not lost.
pub(super) const LINGER: Duration = Duration::from_secs(2);

pub(super) struct Connection {
    state: State,
    input: Vec<u8>,
    output: VecDeque<u8>,
    version: Version,
    keep_alive: bool,
    /// Since when the state waits for what it waits for.
    pub(super) since: Instant,
}

enum State {
    Head(Box<RequestHead>, Box<Request>),
    Body(Body, Box<Request>),
    /// A request has been given out and not been answered.
    Busy,
    /// Its answer is an event stream that has begun.
    Stream,
    /// Nothing more is said; what the client says is thrown away.
    Lingering,
}

impl Connection {
    pub(super) fn new(now: Instant) -> Connection {
        Connection {
            state: head(),
            input: Vec::new(),
            output: VecDeque::new(),
            version: Version::Http11,
            keep_alive: true,
            since: now,
        }
    }

    /// One that is refused before it has said anything.
    pub(super) fn refused(status: u16, message: &str, now: Instant) -> Connection {
        let mut connection = Connection::new(now);
        connection.keep_alive = false;
        connection.refuse(&Refusal::new(status, message), now);
        connection
    }

    pub(super) fn output(&self) -> &[u8] {
        self.output.as_slices().0
    }

    pub(super) fn pending(&self) -> usize {
        self.output.len()
    }

    pub(super) fn sent(&mut self, count: usize) {
        self.output.drain(..count.min(self.output.len()));
    }

    pub(super) fn is_busy(&self) -> bool {
        matches!(self.state, State::Busy | State::Stream)
    }

    pub(super) fn is_streaming(&self) -> bool {
        matches!(self.state, State::Stream)
    }

    pub(super) fn is_lingering(&self) -> bool {
        matches!(self.state, State::Lingering)
    }

    /// Whether nothing of a request has come yet.
    pub(super) fn is_idle(&self) -> bool {
        matches!(&self.state, State::Head(head, _) if head.is_idle() && self.input.is_empty())
    }

    /// Whether a request has begun to come, and is not whole.
    pub(super) fn is_arriving(&self) -> bool {
        matches!(self.state, State::Head(..) | State::Body(..)) && !self.is_idle()
    }

    /// Whether more is taken now. What comes behind a request that is not answered yet has to wait.
    pub(super) fn takes_input(&self) -> bool {
        !self.is_busy() || self.input.len() < LINE
    }

    pub(super) fn receive(&mut self, bytes: &[u8], now: Instant) {
        if self.is_lingering() {
            return;
        }
        // The time for a request is counted from its first byte: who sends one now and then does not keep the connection for ever.
        if self.is_idle() {
            self.since = now;
        }
        self.input.extend_from_slice(bytes);
    }

    /// The next request that is whole. Those that are not HTTP, too long or not let in are answered here.
    pub(super) fn next(&mut self, policy: &Policy, limits: &Limits, now: Instant) -> Option<Request> {
        loop {
            let refused = match &mut self.state {
                State::Head(..) => self.head(policy, limits),
                State::Body(..) => match self.body(limits) {
                    Ok(Some(request)) => {
                        self.state = State::Busy;
                        self.since = now;
                        return Some(*request);
                    }
                    Ok(None) => Ok(false),
                    Err(refusal) => Err(refusal),
                },
                _ => return None,
            };
            match refused {
                Ok(true) => {}
                Ok(false) => return None,
                Err(refusal) => {
                    self.refuse(&refusal, now);
                    return None;
                }
            }
        }
    }

    /// Reads on in a head. `true`: it is whole.
    fn head(&mut self, policy: &Policy, limits: &Limits) -> Result<bool, Refusal> {
        let State::Head(head, request) = &mut self.state else { return Ok(false) };
        let mut at = 0;
        let end = loop {
            let raw = self.input.get(at..).unwrap_or_default();
            let next = head.next(raw).map_err(|error| {
                self.keep_alive = false;
                Refusal::new(error.status(), format!("not a request: {error}"))
            })?;
            let Next { taken, step } = next;
            match step {
                RequestStep::NeedData => {
                    self.input.drain(..at + taken);
                    return Ok(false);
                }
                RequestStep::Line(line) => {
                    self.version = line.version;
                    request.method = line.method.to_owned();
                    request.target = line.target.to_owned();
                }
                RequestStep::Header(header) => request.note(header),
                RequestStep::End(end) => {
                    at += taken;
                    break end;
                }
            }
            at += taken;
        };
        self.input.drain(..at);
        let request = std::mem::take(request);
        self.ended(end, request, policy, limits)?;
        Ok(true)
    }

    fn ended(
        &mut self,
        end: RequestEnd,
        request: Box<Request>,
        policy: &Policy,
        limits: &Limits,
    ) -> Result<(), Refusal> {
        let RequestEnd { body, keep_alive, expect_continue } = end;
        let is_empty = body.length() == Some(0);
        // Behind a body that is not read there is no next request.
        self.keep_alive = keep_alive && is_empty && request.method != "HEAD";
        policy.check(&request)?;
        if !matches!(request.method.as_str(), "POST" | "GET" | "DELETE") {
            return Err(Refusal::new(405, "Method Not Allowed"));
        }
        if request.method == "POST" && body == BodyKind::Empty {
            return Err(Refusal::new(411, "Length Required"));
        }
        if body.length().is_some_and(|length| length > limits.message as u64) {
            return Err(too_long(limits));
        }
        self.keep_alive = keep_alive;
        if expect_continue && !is_empty && self.input.is_empty() {
            self.output.extend(b"HTTP/1.1 100 Continue\r\n\r\n");
        }
        self.state = State::Body(Body::new(body), request);
        Ok(())
    }

    fn body(&mut self, limits: &Limits) -> Result<Option<Box<Request>>, Refusal> {
        let State::Body(body, request) = &mut self.state else { return Ok(None) };
        let mut at = 0;
        while !body.is_ended() {
            let raw = self.input.get(at..).unwrap_or_default();
            let run = body.split(raw).map_err(|error| {
                self.keep_alive = false;
                Refusal::new(400, error.to_string())
            })?;
            let Some(run) = run else { break };
            let payload = raw.get(run.skip..run.skip + run.payload).unwrap_or_default();
            if request.body.len() + payload.len() > limits.message {
                self.keep_alive = false;
                return Err(too_long(limits));
            }
            request.body.extend_from_slice(payload);
            at += run.skip + run.payload;
        }
        let ended = body.is_ended();
        self.input.drain(..at);
        Ok(ended.then(|| std::mem::take(request)))
    }

    /// Refuses a request, also one that is not whole.
    pub(super) fn refuse(&mut self, refusal: &Refusal, now: Instant) {
        let body = error(None, refusal.code, &refusal.message);
        let allow = if refusal.status == 405 { &[("Allow", "GET, POST, DELETE")][..] } else { &[] };
        self.reply(refusal.status, allow, &body, now);
    }

    /// Answers the request with a body of JSON, or without one.
    pub(super) fn reply(&mut self, status: u16, headers: &[(&str, &str)], body: &[u8], now: Instant) {
        let mut room = [0; 1024];
        let mut head = HeadWriter::response(&mut room, status);
        if !body.is_empty() {
            head.header("Content-Type", b"application/json");
        }
        for (name, value) in headers {
            head.header(name, value.as_bytes());
        }
        head.number("Content-Length", body.len() as u64);
        if !self.keep_alive {
            head.header("Connection", b"close");
        }
        if let Ok(head) = head.finish() {
            self.output.extend(room.iter().take(head.len));
            self.output.extend(body);
        }
        self.over(now);
    }

    /// Begins an event stream as the answer.
    pub(super) fn begin_stream(&mut self, session: Option<&str>, now: Instant) {
        // Before 1.1 only the close says where the body ends.
        self.keep_alive &= self.is_chunked();
        let mut room = [0; 512];
        let mut head = HeadWriter::response(&mut room, 200);
        head.header("Content-Type", b"text/event-stream").header("Cache-Control", b"no-cache");
        head.header("X-Accel-Buffering", b"no");
        if let Some(session) = session {
            head.header("Mcp-Session-Id", session.as_bytes());
        }
        if self.is_chunked() {
            head.header("Transfer-Encoding", b"chunked");
        }
        if !self.keep_alive {
            head.header("Connection", b"close");
        }
        if let Ok(head) = head.finish() {
            self.output.extend(room.iter().take(head.len));
        }
        self.state = State::Stream;
        self.since = now;
    }

    /// A message on the stream.
    pub(super) fn event(&mut self, text: &[u8], now: Instant) {
        self.chunk(&[Events::BEFORE.as_bytes(), text, Events::AFTER.as_bytes()]);
        self.since = now;
    }

    /// Keeps the stream open.
    pub(super) fn comment(&mut self, now: Instant) {
        self.chunk(&[Events::COMMENT.as_bytes()]);
        self.since = now;
    }

    pub(super) fn end_stream(&mut self, now: Instant) {
        if self.is_chunked() {
            self.output.extend(Chunk::LAST.as_bytes());
        }
        self.over(now);
    }

    fn chunk(&mut self, parts: &[&[u8]]) {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        if self.is_chunked() {
            self.output.extend(format!("{length:x}\r\n").as_bytes());
        }
        parts.iter().for_each(|part| self.output.extend(*part));
        if self.is_chunked() {
            self.output.extend(b"\r\n");
        }
    }

    fn is_chunked(&self) -> bool {
        self.version == Version::Http11
    }

    /// The request has been answered.
    fn over(&mut self, now: Instant) {
        self.since = now;
        self.state = if self.keep_alive { head() } else { State::Lingering };
        if self.is_lingering() {
            self.input = Vec::new();
        }
    }
}

fn head() -> State {
    State::Head(Box::new(RequestHead::new(&WANTED, HeadLimits::buffer(LINE))), Box::default())
}

fn too_long(limits: &Limits) -> Refusal {
    Refusal::new(413, format!("Invalid Request: longer than {} bytes", limits.message))
}
