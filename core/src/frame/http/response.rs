//! [`ResponseHead`]: reads the head of a response, for a client.

use super::chars::is_value_byte;
use super::fields::{Field, Fields, Header};
use super::lines::Next;
use super::request::MAX_EMPTY_LINES;
use super::wanted::{Limits, Wanted};
use super::{BodyKind, HeadError, Version};

/// Reads the head of one response, a line at a time, as [`RequestHead`](super::RequestHead) does that of a request.
///
/// Interim responses (1xx) are passed over with their headers. `101 Switching Protocols` is refused: nobody has asked for it.
///
/// ```
/// use umcp::frame::http::{BodyKind, Limits, Next, ResponseHead, ResponseStep, Wanted};
/// static WANTED: Wanted = Wanted::new(&["content-type"]);
///
/// let mut raw: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
/// let mut head = ResponseHead::new(&WANTED, Limits::buffer(512));
/// let Next { taken, step: ResponseStep::Line(line) } = head.next(raw)? else { unreachable!() };
/// assert_eq!((line.status, line.reason), (200, &b"OK"[..]));
/// raw = &raw[taken..];
/// let Next { step: ResponseStep::End(end), .. } = head.next(raw)? else { unreachable!() };
/// assert_eq!(end.body, BodyKind::Chunked);
/// # Ok::<(), umcp::frame::http::HeadError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ResponseHead {
    fields: Fields,
    stage: Stage,
    to_head: bool,
}

// One for each connection, besides its buffers.
const _: () = assert!(core::mem::size_of::<ResponseHead>() <= 80);

#[derive(Clone, Copy, Debug)]
enum Stage {
    Line { empty_lines: u8 },
    Interim,
    Headers { version: Version, status: u16 },
    Ended(ResponseEnd),
    Failed(HeadError),
}

/// The first line of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResponseLine<'r> {
    /// The version.
    pub version: Version,
    /// The status, from 200 to 999. One above 599 means nothing, and is best taken for a failure of the server.
    pub status: u16,
    /// What the server calls the status: any text, or none. It means nothing.
    pub reason: &'r [u8],
}

/// What the head of a response has said, once it is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResponseEnd {
    /// How the body is delimited.
    pub body: BodyKind,
    /// Whether the connection can be used for another request behind the body.
    pub keep_alive: bool,
}

/// What a head comes to next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseStep<'r> {
    /// Nothing, until more bytes arrive.
    NeedData,
    /// The first line; comes once.
    Line(ResponseLine<'r>),
    /// A header that is wanted.
    Header(Header<'r>),
    /// The end of the head; what follows is the body. Asking again gives the same answer and takes nothing.
    End(ResponseEnd),
}

impl ResponseHead {
    /// At the beginning of a response, in which these headers are wanted.
    #[must_use]
    pub const fn new(wanted: &'static Wanted, limits: Limits) -> ResponseHead {
        let stage = Stage::Line { empty_lines: 0 };
        ResponseHead { fields: Fields::new(wanted, limits), stage, to_head: false }
    }

    /// The same, where the request was a `HEAD`: whatever its headers say, there is no body.
    #[must_use]
    pub const fn to_head_request(self) -> ResponseHead {
        ResponseHead { to_head: true, ..self }
    }

    /// Whether nothing of a response has been seen: a server that closes an idle connection does so here, and the request on it has not
    /// been answered.
    #[must_use]
    pub const fn is_idle(&self) -> bool {
        matches!(self.stage, Stage::Line { .. }) && !self.fields.lines.inside_line()
    }

    /// Reads on, from the bytes not taken yet.
    ///
    /// # Errors
    /// What answers does not speak HTTP/1, or not as it is understood here. The connection is to be closed. The error stays.
    pub fn next<'r>(&mut self, raw: &'r [u8]) -> Result<Next<ResponseStep<'r>>, HeadError> {
        let mut taken = 0;
        loop {
            let rest = raw.get(taken..).unwrap_or_default();
            let next = match self.stage {
                Stage::Line { empty_lines } => self.line(rest, empty_lines),
                Stage::Interim => self.interim(rest),
                Stage::Headers { version, status } => self.headers(rest, version, status),
                Stage::Ended(end) => Ok(Next { taken: 0, step: Some(ResponseStep::End(end)) }),
                Stage::Failed(error) => Err(error),
            };
            let next = next.inspect_err(|&error| self.stage = Stage::Failed(error))?;
            taken += next.taken;
            if let Some(step) = next.step {
                return Ok(Next { taken, step });
            }
        }
    }

    /// The first line. No step: what follows has more to say.
    fn line<'r>(&mut self, raw: &'r [u8], empty_lines: u8) -> Result<Next<Option<ResponseStep<'r>>>, HeadError> {
        let Some(line) = self.fields.lines.line(raw, HeadError::StartLine, HeadError::StartLineTooLong)? else {
            return Ok(Next { taken: 0, step: Some(ResponseStep::NeedData) });
        };
        let taken = line.len() + 2;
        self.fields.lines.take(taken);
        if line.is_empty() && empty_lines < MAX_EMPTY_LINES {
            self.stage = Stage::Line { empty_lines: empty_lines + 1 };
            return Ok(Next { taken, step: None });
        }
        let line = parse(line)?;
        match line.status {
            101 => Err(HeadError::StartLine),
            ..200 => {
                self.stage = Stage::Interim;
                Ok(Next { taken, step: None })
            }
            status => {
                self.stage = Stage::Headers { version: line.version, status };
                Ok(Next { taken, step: Some(ResponseStep::Line(line)) })
            }
        }
    }

    fn interim<'r>(&mut self, raw: &'r [u8]) -> Result<Next<Option<ResponseStep<'r>>>, HeadError> {
        let Next { taken, step } = self.fields.pass_all(raw)?;
        if step == Field::End {
            self.fields.framing = super::framing::Framing::new();
            self.stage = Stage::Line { empty_lines: 0 };
            return Ok(Next { taken, step: None });
        }
        Ok(Next { taken, step: Some(ResponseStep::NeedData) })
    }

    fn headers<'r>(
        &mut self,
        raw: &'r [u8],
        version: Version,
        status: u16,
    ) -> Result<Next<Option<ResponseStep<'r>>>, HeadError> {
        let Next { taken, step } = self.fields.next(raw)?;
        let step = match step {
            Field::NeedData => ResponseStep::NeedData,
            Field::Header(header) => ResponseStep::Header(header),
            Field::End => {
                let end = self.end(version, status)?;
                self.stage = Stage::Ended(end);
                ResponseStep::End(end)
            }
        };
        Ok(Next { taken, step: Some(step) })
    }

    fn end(&self, version: Version, status: u16) -> Result<ResponseEnd, HeadError> {
        let said = self.fields.framing.body(version)?;
        let body = match said {
            _ if self.to_head || matches!(status, 204 | 304) => BodyKind::Empty,
            Some(body) => body,
            None => BodyKind::UntilClose,
        };
        let keep_alive = body != BodyKind::UntilClose && self.fields.framing.keep_alive(version);
        Ok(ResponseEnd { body, keep_alive })
    }
}

/// Version, status and, behind another space, the reason. Some servers leave out that space where there is no reason.
fn parse(line: &[u8]) -> Result<ResponseLine<'_>, HeadError> {
    let (version, rest) = line.split_at_checked(8).ok_or(HeadError::StartLine)?;
    let version = Version::parse(version)?;
    let (status, reason) = match rest {
        [b' ', a, b, c] => ([*a, *b, *c], &[][..]),
        [b' ', a, b, c, b' ', reason @ ..] => ([*a, *b, *c], reason),
        _ => return Err(HeadError::StartLine),
    };
    if !status.iter().all(u8::is_ascii_digit) || !reason.iter().all(|&byte| is_value_byte(byte)) {
        return Err(HeadError::StartLine);
    }
    let status = status.iter().fold(0, |status, digit| status * 10 + u16::from(digit - b'0'));
    match status {
        100.. => Ok(ResponseLine { version, status, reason }),
        _ => Err(HeadError::StartLine),
    }
}
