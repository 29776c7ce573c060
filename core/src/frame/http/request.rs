//! [`RequestHead`]: reads the head of a request, for a server.

use super::chars::{is_target_byte, is_token};
use super::fields::{Field, Fields, Header};
use super::lines::Next;
use super::wanted::{Limits, Wanted};
use super::{BodyKind, HeadError, Version};

/// Empty lines that are passed over before a head. Some old clients send one behind a body.
pub(super) const MAX_EMPTY_LINES: u8 = 4;

/// Reads the head of one request, a line at a time, from a buffer that need not hold the whole of it.
///
/// Give [`next`](RequestHead::next) the bytes that have arrived and are not taken yet, drop those it has taken, and ask again until it
/// wants more bytes or has come to the end. What is behind the head is not touched: the body ([`Body`](super::Body)), or the next head.
///
/// Headers come in the order they were sent, repeated ones too; what to make of a repetition is the caller's policy. A missing or repeated
/// `Host` is for the caller to refuse as well.
///
/// ```
/// use umcp::frame::http::{BodyKind, Limits, Next, RequestHead, RequestStep, Wanted};
/// static WANTED: Wanted = Wanted::new(&["mcp-method"]);
///
/// let mut raw: &[u8] = b"POST /mcp HTTP/1.1\r\nCookie: none\r\nMcp-Method: ping\r\nContent-Length: 2\r\n\r\n{}";
/// let mut head = RequestHead::new(&WANTED, Limits::buffer(512));
/// let end = loop {
///     let Next { taken, step } = head.next(raw)?;
///     match step {
///         RequestStep::NeedData => unreachable!("all of it is there"),
///         RequestStep::Line(line) => assert_eq!((line.method, line.target), ("POST", "/mcp")),
///         RequestStep::Header(header) => assert_eq!((header.name, header.value), ("mcp-method", &b"ping"[..])),
///         RequestStep::End(end) => break end,
///     }
///     raw = &raw[taken..];
/// };
/// assert_eq!(end.body, BodyKind::Length(2));
/// # Ok::<(), umcp::frame::http::HeadError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RequestHead {
    fields: Fields,
    stage: Stage,
}

// One for each connection, besides its buffers.
const _: () = assert!(core::mem::size_of::<RequestHead>() <= 72);

#[derive(Clone, Copy, Debug)]
enum Stage {
    Line { empty_lines: u8 },
    Headers(Version),
    Ended(RequestEnd),
    Failed(HeadError),
}

/// The first line of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLine<'r> {
    /// The method, a token. Methods are case-sensitive.
    pub method: &'r str,
    /// The target as it was sent, of visible ASCII characters: a path with its query, as a rule.
    pub target: &'r str,
    /// The version.
    pub version: Version,
}

/// What the head of a request has said, once it is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestEnd {
    /// How the body is delimited: [`Empty`](BodyKind::Empty), where nothing was said about one, [`Length`](BodyKind::Length) or
    /// [`Chunked`](BodyKind::Chunked).
    pub body: BodyKind,
    /// Whether the client is ready to use the connection for another request.
    pub keep_alive: bool,
    /// Whether the client waits for `100 Continue`, or a final response, before it sends the body. Any other expectation is ignored.
    pub expect_continue: bool,
}

/// What a head comes to next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestStep<'r> {
    /// Nothing, until more bytes arrive.
    NeedData,
    /// The first line; comes once.
    Line(RequestLine<'r>),
    /// A header that is wanted.
    Header(Header<'r>),
    /// The end of the head; what follows is the body. Asking again gives the same answer and takes nothing.
    End(RequestEnd),
}

impl RequestHead {
    /// At the beginning of a request, in which these headers are wanted.
    #[must_use]
    pub const fn new(wanted: &'static Wanted, limits: Limits) -> RequestHead {
        RequestHead { fields: Fields::new(wanted, limits), stage: Stage::Line { empty_lines: 0 } }
    }

    /// Whether nothing of a request has been seen: an end of the stream would be the end of the connection, and not break anything off.
    #[must_use]
    pub const fn is_idle(&self) -> bool {
        matches!(self.stage, Stage::Line { .. }) && !self.fields.lines.inside_line()
    }

    /// Reads on, from the bytes not taken yet.
    ///
    /// # Errors
    /// The request is refused with the error's [`status`](HeadError::status), and the connection closed. The error stays.
    pub fn next<'r>(&mut self, raw: &'r [u8]) -> Result<Next<RequestStep<'r>>, HeadError> {
        let next = match self.stage {
            Stage::Line { empty_lines } => self.line(raw, empty_lines),
            Stage::Headers(version) => self.headers(raw, version),
            Stage::Ended(end) => Ok(Next { taken: 0, step: RequestStep::End(end) }),
            Stage::Failed(error) => Err(error),
        };
        next.inspect_err(|&error| self.stage = Stage::Failed(error))
    }

    fn line<'r>(&mut self, raw: &'r [u8], mut empty_lines: u8) -> Result<Next<RequestStep<'r>>, HeadError> {
        let mut taken = 0;
        loop {
            let rest = raw.get(taken..).unwrap_or_default();
            let Some(line) = self.fields.lines.line(rest, HeadError::StartLine, HeadError::StartLineTooLong)? else {
                return Ok(Next { taken, step: RequestStep::NeedData });
            };
            taken += line.len() + 2;
            self.fields.lines.take(line.len() + 2);
            if line.is_empty() && empty_lines < MAX_EMPTY_LINES {
                empty_lines += 1;
                self.stage = Stage::Line { empty_lines };
                continue;
            }
            let line = parse(line)?;
            self.stage = Stage::Headers(line.version);
            return Ok(Next { taken, step: RequestStep::Line(line) });
        }
    }

    fn headers<'r>(&mut self, raw: &'r [u8], version: Version) -> Result<Next<RequestStep<'r>>, HeadError> {
        let Next { taken, step } = self.fields.next(raw)?;
        let step = match step {
            Field::NeedData => RequestStep::NeedData,
            Field::Header(header) => RequestStep::Header(header),
            Field::End => {
                let framing = self.fields.framing;
                let end = RequestEnd {
                    body: framing.body(version)?.unwrap_or(BodyKind::Empty),
                    keep_alive: framing.keep_alive(version),
                    expect_continue: framing.expect_continue(version),
                };
                self.stage = Stage::Ended(end);
                RequestStep::End(end)
            }
        };
        Ok(Next { taken, step })
    }
}

/// Method, target and version, with one space between them.
fn parse(line: &[u8]) -> Result<RequestLine<'_>, HeadError> {
    let mut parts = line.splitn(3, |&byte| byte == b' ');
    let (Some(method), Some(target), Some(version)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(HeadError::StartLine);
    };
    if !is_token(method) || target.is_empty() || !target.iter().all(|&byte| is_target_byte(byte)) {
        return Err(HeadError::StartLine);
    }
    let version = Version::parse(version)?;
    match (core::str::from_utf8(method), core::str::from_utf8(target)) {
        (Ok(method), Ok(target)) => Ok(RequestLine { method, target, version }),
        _ => Err(HeadError::StartLine),
    }
}
