//! [`Body`]: which bytes behind a head are payload, and where they end.

use super::{BodyError, Chunked};
use crate::frame::Run;

/// How a body is delimited, as its head says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum BodyKind {
    /// There is none, and none was announced.
    Empty,
    /// So many bytes; may be 0.
    Length(u64),
    /// In chunks.
    Chunked,
    /// All there is up to the end of the stream. Only of a response; that it is whole cannot be known.
    UntilClose,
}

impl BodyKind {
    /// How long the body is, where the head says it: what a limit can be held against before any of it has arrived.
    #[must_use]
    pub const fn length(self) -> Option<u64> {
        match self {
            BodyKind::Empty => Some(0),
            BodyKind::Length(length) => Some(length),
            BodyKind::Chunked | BodyKind::UntilClose => None,
        }
    }
}

/// Splits the bytes behind a head into framing and payload. One body is one message; its end is told once, and no byte behind it is named.
///
/// ```
/// use umcp::frame::Run;
/// use umcp::frame::http::{Body, BodyKind};
/// let mut body = Body::new(BodyKind::Length(2));
/// assert_eq!(body.split(b"{}POST /mcp")?, Some(Run { skip: 0, payload: 2, terminator: Some(0) }));
/// assert!(body.is_ended());
/// # Ok::<(), umcp::frame::http::BodyError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Body {
    state: State,
}

// One for each connection, besides its buffers.
const _: () = assert!(core::mem::size_of::<Body>() <= 24);

#[derive(Clone, Copy, Debug)]
enum State {
    Length(u64),
    Chunked(Chunked),
    UntilClose,
    Ended,
    Failed(BodyError),
}

const END: Run = Run { skip: 0, payload: 0, terminator: Some(0) };

impl Body {
    /// At the first byte behind the head.
    #[must_use]
    pub const fn new(kind: BodyKind) -> Body {
        let state = match kind {
            BodyKind::Empty => State::Length(0),
            BodyKind::Length(length) => State::Length(length),
            BodyKind::Chunked => State::Chunked(Chunked::new()),
            BodyKind::UntilClose => State::UntilClose,
        };
        Body { state }
    }

    /// Splits the next raw bytes. `None`: more of them are needed, or the body has [ended](Body::is_ended).
    ///
    /// The bytes that a run names are taken: ask again with what follows them. The end is told even where no bytes are left to go with it,
    /// so ask once without any behind an empty body, and behind [`eof`](Body::eof).
    ///
    /// # Errors
    /// The body is malformed. The error stays.
    pub fn split(&mut self, raw: &[u8]) -> Result<Option<Run>, BodyError> {
        match &mut self.state {
            State::Length(left) => {
                let payload = usize::try_from(*left).unwrap_or(usize::MAX).min(raw.len());
                *left -= payload as u64;
                if *left == 0 {
                    self.state = State::Ended;
                    return Ok(Some(Run { payload, ..END }));
                }
                Ok((payload > 0).then_some(Run { payload, terminator: None, ..END }))
            }
            State::Chunked(chunked) => {
                let run = chunked.split(raw).inspect_err(|&error| self.state = State::Failed(error))?;
                if run.is_some_and(|run| run.terminator.is_some()) {
                    self.state = State::Ended;
                }
                Ok(run)
            }
            State::UntilClose if raw.is_empty() => Ok(None),
            State::UntilClose => Ok(Some(Run { payload: raw.len(), terminator: None, ..END })),
            State::Ended => Ok(None),
            State::Failed(error) => Err(*error),
        }
    }

    /// Whether the end of the body has been told.
    #[must_use]
    pub const fn is_ended(&self) -> bool {
        matches!(self.state, State::Ended)
    }

    /// The stream has ended, and all its bytes have been split.
    ///
    /// # Errors
    /// [`BodyError::Eof`] unless that is where a body may end. One that lasts until the close ends here, as the next
    /// [`split`](Body::split) tells; an empty one whose end has not been told yet does so too.
    pub fn eof(&mut self) -> Result<(), BodyError> {
        match self.state {
            State::UntilClose => self.state = State::Length(0),
            State::Length(0) | State::Ended => {}
            State::Failed(error) => return Err(error),
            State::Length(_) | State::Chunked(_) => {
                self.state = State::Failed(BodyError::Eof);
                return Err(BodyError::Eof);
            }
        }
        Ok(())
    }
}
