//! [`EventBody`]: an event stream in a body.

use super::{Body, BodyError, BodyKind};
use crate::frame::Run;
use crate::frame::sse::Events;

/// Splits a body that is an event stream: the payload of the events is the payload here, and all else is framing, so that one message
/// is one event.
///
/// ```
/// use umcp::frame::Run;
/// use umcp::frame::http::{BodyKind, EventBody};
/// let mut body = EventBody::new(BodyKind::Chunked);
/// let raw = b"a\r\ndata: {}\n\n\r\n0\r\n\r\n";
/// assert_eq!(body.split(raw)?, Some(Run { skip: 9, payload: 3, terminator: None }));
/// assert_eq!(body.split(&raw[12..])?, Some(Run { skip: 0, payload: 0, terminator: Some(1) }));
/// assert_eq!(body.split(&raw[13..])?, Some(Run { skip: 7, payload: 0, terminator: None }));
/// assert!(body.is_ended());
/// # Ok::<(), umcp::frame::http::BodyError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct EventBody {
    body: Body,
    events: Events,
    /// Raw bytes that the body has named as its payload, and the events have not been given yet.
    left: usize,
}

// One for each connection, besides its buffers: 64 bytes are the id of the last event.
const _: () = assert!(core::mem::size_of::<EventBody>() <= 160);

impl EventBody {
    /// At the first byte behind the head.
    #[must_use]
    pub const fn new(kind: BodyKind) -> EventBody {
        EventBody { body: Body::new(kind), events: Events::new(), left: 0 }
    }

    /// The event at hand: its name, its id.
    #[must_use]
    pub const fn events(&self) -> &Events {
        &self.events
    }

    /// Splits the next raw bytes, as [`Body::split`] does; a terminator is the end of an event, not of the body.
    ///
    /// # Errors
    /// The body is malformed. An event stream cannot be.
    pub fn split(&mut self, raw: &[u8]) -> Result<Option<Run>, BodyError> {
        let mut skip = 0;
        loop {
            let rest = raw.get(skip..).unwrap_or_default();
            if self.left == 0 {
                // Where it tells its end, no byte goes with it.
                let Some(run) = self.body.split(rest)? else { break };
                skip += run.skip;
                self.left = run.payload;
                continue;
            }
            let Some(run) = self.events.split(rest.get(..self.left).unwrap_or(rest)) else { break };
            self.left = self.left.saturating_sub(run.skip + run.payload + run.terminator.unwrap_or(0));
            skip += run.skip;
            if run.payload > 0 || run.terminator.is_some() {
                return Ok(Some(Run { skip, ..run }));
            }
        }
        Ok((skip > 0).then_some(Run { skip, payload: 0, terminator: None }))
    }

    /// Whether the stream is over. An event that had begun and has not come to its end is void.
    #[must_use]
    pub const fn is_ended(&self) -> bool {
        self.left == 0 && self.body.is_ended()
    }

    /// The stream of bytes has ended, and all of them have been split. Ask [`is_ended`](EventBody::is_ended) afterwards: an event stream until
    /// the close is over now.
    ///
    /// # Errors
    /// [`BodyError::Eof`] unless that is where the body may end.
    pub fn eof(&mut self) -> Result<(), BodyError> {
        self.body.eof()?;
        // The end is still to be told, and here it means nothing.
        self.body.split(&[]).map(drop)
    }
}
