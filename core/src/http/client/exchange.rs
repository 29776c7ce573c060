//! One exchange: what is sent for whom, and how far its reply has come.

use heapless::VecView;

use super::reply::{keep, keep_hint};
use crate::client::Lost;
use crate::frame::Run;
use crate::frame::http::{
    Body, BodyError, EventBody, Header, Limits, Next, ResponseEnd, ResponseHead, ResponseStep, Wanted,
};
use crate::rpc::{Arrival, Inbox, RequestHandle};

static WANTED: Wanted =
    Wanted::new(&["content-type", "mcp-session-id", "www-authenticate", "mcp-auth-server", "location"]);

/// What an exchange is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A request, whose answer is in the reply.
    Request(RequestHandle),
    /// A notification, or an answer: any reply will do.
    Notice,
    /// The first of a legacy connection, in whose reply a session begins.
    #[cfg(feature = "legacy")]
    Handshake(RequestHandle),
    /// What is left of the reply to a request, whose stream has ended before the answer came.
    #[cfg(feature = "legacy")]
    Resume(RequestHandle),
    /// What a legacy server says without being asked.
    #[cfg(feature = "legacy")]
    Listen,
    /// All that a server of 2024-11-05 says.
    #[cfg(feature = "legacy")]
    Old,
    /// The end of a session.
    #[cfg(feature = "legacy")]
    Goodbye,
}

impl Purpose {
    /// The request whose answer is in the reply.
    pub(super) fn request(self) -> Option<RequestHandle> {
        match self {
            Purpose::Request(handle) => Some(handle),
            #[cfg(feature = "legacy")]
            Purpose::Handshake(handle) | Purpose::Resume(handle) => Some(handle),
            _ => None,
        }
    }

    /// Nobody waits for the reply.
    fn is_told(self) -> bool {
        match self {
            Purpose::Notice => true,
            #[cfg(feature = "legacy")]
            Purpose::Goodbye => true,
            _ => false,
        }
    }
}

/// What the bytes of the reply are read as.
#[derive(Clone, Copy, Debug)]
enum Reading {
    /// Nothing is expected.
    Nothing,
    Head(ResponseHead),
    /// One message.
    Json(Body),
    /// A message an event.
    Events(EventBody),
    /// Something for people.
    Text(Body),
    /// The reply is no HTTP.
    Broken(Lost),
    /// The stream has ended, and will be asked for again.
    #[cfg(feature = "legacy")]
    Paused,
}

/// The media type of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Media {
    Unsaid,
    Json,
    Events,
    Other,
}

#[derive(Debug)]
pub(super) struct Exchange {
    reading: Reading,
    pub(super) purpose: Purpose,
    /// The status of the reply, once it is known; kept until the next exchange begins.
    pub(super) status: u16,
    media: Media,
    keep_alive: bool,
    /// The request has been answered.
    pub(super) answered: bool,
    /// The stream has ended.
    pub(super) eof: bool,
    /// The event is still to come that says where a 2024-11-05 server wants its messages.
    #[cfg(feature = "legacy")]
    seeks: bool,
    /// The request names a session, which the server may not know any more.
    #[cfg(feature = "legacy")]
    pub(super) in_session: bool,
    /// Something of the request has left.
    pub(super) sent: bool,
    /// It went out on a stream that had been used before.
    pub(super) reused: bool,
}

/// What is kept of a reply, beside its messages.
pub(super) struct Notes<'n> {
    pub(super) session: &'n mut VecView<u8>,
    pub(super) said: &'n mut VecView<u8>,
}

impl Exchange {
    /// No exchange.
    pub(super) const fn none() -> Exchange {
        Exchange {
            reading: Reading::Nothing,
            purpose: Purpose::Notice,
            status: 0,
            media: Media::Unsaid,
            keep_alive: false,
            answered: false,
            eof: false,
            #[cfg(feature = "legacy")]
            in_session: false,
            #[cfg(feature = "legacy")]
            seeks: false,
            sent: false,
            reused: false,
        }
    }

    /// No exchange, but the status of the last is still known.
    pub(super) const fn over(&self) -> Exchange {
        Exchange { status: self.status, ..Exchange::none() }
    }

    /// One that has begun: a reply is expected, in a buffer of this size.
    pub(super) const fn new(purpose: Purpose, buffer: usize) -> Exchange {
        let head = ResponseHead::new(&WANTED, Limits::buffer(buffer));
        Exchange { reading: Reading::Head(head), purpose, ..Exchange::none() }
    }

    /// No reply is expected.
    pub(super) const fn is_none(&self) -> bool {
        matches!(self.reading, Reading::Nothing)
    }

    /// Something of the reply has arrived.
    pub(super) const fn is_heard(&self) -> bool {
        match &self.reading {
            Reading::Nothing => false,
            Reading::Head(head) => !head.is_idle(),
            _ => true,
        }
    }

    /// The reply has come to its end. `Some(true)`: the stream can be used again.
    pub(super) fn end(&self) -> Option<bool> {
        let ended = match &self.reading {
            Reading::Json(body) | Reading::Text(body) => body.is_ended(),
            Reading::Events(events) => events.is_ended(),
            _ => false,
        };
        ended.then_some(self.keep_alive && !self.eof)
    }

    /// It will be begun again.
    pub(super) const fn is_paused(&self) -> bool {
        #[cfg(feature = "legacy")]
        return matches!(self.reading, Reading::Paused);
        #[cfg(not(feature = "legacy"))]
        false
    }

    /// The reply is no HTTP.
    pub(super) const fn fault(&self) -> Option<Lost> {
        match self.reading {
            Reading::Broken(lost) => Some(lost),
            _ => None,
        }
    }

    /// The status speaks of an error.
    pub(super) const fn is_error(&self) -> bool {
        self.status >= 300
    }

    /// Takes the next message out of the reply.
    pub(super) fn pull(&mut self, inbox: &mut Inbox<'_>, notes: &mut Notes<'_>) -> Arrival {
        match self.read(inbox, notes) {
            Ok(arrival) => arrival,
            Err(lost) => {
                self.reading = Reading::Broken(lost);
                Arrival::Nothing
            }
        }
    }

    fn read(&mut self, inbox: &mut Inbox<'_>, notes: &mut Notes<'_>) -> Result<Arrival, Lost> {
        if let Reading::Head(head) = &self.reading {
            let head = *head;
            self.head(head, inbox, notes)?;
        }
        match &mut self.reading {
            Reading::Json(body) => poll(inbox, |raw| body.split(raw)),
            #[cfg(feature = "legacy")]
            Reading::Events(events) if self.seeks => {
                self.seeks = !endpoint(events, inbox, notes.session)?;
                Ok(Arrival::Nothing)
            }
            Reading::Events(events) => loop {
                let arrival = poll(inbox, |raw| events.split(raw))?;
                if arrival == Arrival::Nothing || events.events().name() == b"message" {
                    return Ok(arrival);
                }
                // Events of another name carry no messages.
                inbox.release();
            },
            Reading::Text(body) => {
                let kept = (!matches!(self.status, ..300)).then_some(&mut *notes.said);
                pass(body, inbox, kept).map(|()| Arrival::Nothing)
            }
            _ => Ok(Arrival::Nothing),
        }
    }

    /// Reads on in the head, up to its end if that is there.
    fn head(&mut self, mut head: ResponseHead, inbox: &mut Inbox<'_>, notes: &mut Notes<'_>) -> Result<(), Lost> {
        loop {
            let Next { taken, step } = head.next(inbox.raw()).map_err(Lost::Head)?;
            let mut end = None;
            match step {
                ResponseStep::NeedData => end = Some(Reading::Head(head)),
                ResponseStep::Line(line) => {
                    self.status = line.status;
                    if self.is_error() {
                        notes.said.clear();
                        keep(notes.said, b"\n");
                    }
                }
                ResponseStep::Header(header) => self.header(header, notes)?,
                ResponseStep::End(said) => {
                    if self.is_error() {
                        keep(notes.said, b"\n");
                    }
                    self.keep_alive = said.keep_alive;
                    end = Some(self.body(said));
                }
            }
            inbox.take(taken);
            if let Some(reading) = end {
                self.reading = reading;
                return Ok(());
            }
        }
    }

    fn header(&mut self, header: Header<'_>, notes: &mut Notes<'_>) -> Result<(), Lost> {
        match header.name {
            "content-type" => self.media = Media::of(header.value),
            #[cfg(feature = "legacy")]
            "mcp-session-id" => {
                if let (Purpose::Handshake(_), 200..300) = (self.purpose, self.status) {
                    // What cannot be sent is no id (2025-11-25, *Session Management*).
                    if !header.value.iter().all(u8::is_ascii_graphic) {
                        return Err(Lost::Malformed);
                    }
                    notes.session.clear();
                    notes.session.extend_from_slice(header.value).map_err(|_| Lost::SessionTooLong)?;
                }
            }
            _ if self.is_error() => keep_hint(notes.said, header),
            _ => {}
        }
        Ok(())
    }

    /// How the body is read. Where the server wants to know who asks, or sends the client elsewhere, what it says is for people.
    fn body(&mut self, said: ResponseEnd) -> Reading {
        let body = Body::new(said.body);
        if self.purpose.is_told() {
            self.answered = true;
            return Reading::Text(body);
        }
        #[cfg(feature = "legacy")]
        match (self.purpose, self.status, self.media) {
            (Purpose::Listen | Purpose::Resume(_) | Purpose::Old, ..300, Media::Events) => {
                self.seeks = self.purpose == Purpose::Old;
                return Reading::Events(EventBody::new(said.body));
            }
            (Purpose::Listen | Purpose::Resume(_) | Purpose::Old, ..) => return Reading::Text(body),
            (_, 404, _) if self.in_session => return Reading::Text(body),
            _ => {}
        }
        match (self.status, self.media) {
            (300..=399 | 401 | 403, _) => Reading::Text(body),
            (_, Media::Json) | (..300, Media::Unsaid) => Reading::Json(body),
            (..300, Media::Events) => Reading::Events(EventBody::new(said.body)),
            _ => Reading::Text(body),
        }
    }

    /// Nothing more will arrive: a body that lasts until the close is whole now. `Err`: it broke off.
    pub(super) fn close(&mut self) -> Result<(), BodyError> {
        match &mut self.reading {
            Reading::Json(body) | Reading::Text(body) => body.eof(),
            Reading::Events(events) => events.eof(),
            _ => Err(BodyError::Eof),
        }
    }
}

#[cfg(feature = "legacy")]
impl Exchange {
    /// One that will be begun again.
    pub(super) const fn paused(purpose: Purpose) -> Exchange {
        Exchange { reading: Reading::Paused, purpose, ..Exchange::none() }
    }

    /// The reply is a stream of events: it may go on after it has broken off.
    pub(super) const fn events(&self) -> Option<&crate::frame::sse::Events> {
        match &self.reading {
            Reading::Events(events) if !self.seeks => Some(events.events()),
            _ => None,
        }
    }
}

/// Reads on to the event that says where messages go, and keeps what it says. `true`: that was it.
#[cfg(feature = "legacy")]
fn endpoint(events: &mut EventBody, inbox: &mut Inbox<'_>, kept: &mut VecView<u8>) -> Result<bool, Lost> {
    while let Some(run) = events.split(inbox.raw()).map_err(Lost::Body)? {
        let is_it = events.events().name() == b"endpoint";
        let payload = inbox.raw().get(run.skip..).and_then(|raw| raw.get(..run.payload)).unwrap_or_default();
        if is_it {
            kept.extend_from_slice(payload).map_err(|_| Lost::SessionTooLong)?;
        }
        inbox.take(run.skip.saturating_add(run.payload).saturating_add(run.terminator.unwrap_or(0)));
        if is_it && run.terminator.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Media {
    /// The type, whatever its parameters.
    fn of(value: &[u8]) -> Media {
        let essence = value.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii();
        let is = |name: &str| essence.eq_ignore_ascii_case(name.as_bytes());
        match () {
            () if is("application/json") => Media::Json,
            () if is("text/event-stream") => Media::Events,
            () => Media::Other,
        }
    }
}

/// Takes the next message.
fn poll(
    inbox: &mut Inbox<'_>,
    mut split: impl FnMut(&[u8]) -> Result<Option<Run>, BodyError>,
) -> Result<Arrival, Lost> {
    let mut fault = None;
    let arrival = inbox.poll(|raw| {
        split(raw).unwrap_or_else(|error| {
            fault = Some(error);
            None
        })
    });
    fault.map_or(Ok(arrival), |error| Err(Lost::Body(error)))
}

/// Passes over a body that has no messages, and keeps its beginning.
fn pass(body: &mut Body, inbox: &mut Inbox<'_>, mut kept: Option<&mut VecView<u8>>) -> Result<(), Lost> {
    while let Some(run) = body.split(inbox.raw()).map_err(Lost::Body)? {
        let payload = inbox.raw().get(run.skip..).and_then(|raw| raw.get(..run.payload)).unwrap_or_default();
        if let Some(said) = &mut kept {
            keep(said, payload);
        }
        inbox.take(run.skip.saturating_add(run.payload).saturating_add(run.terminator.unwrap_or(0)));
    }
    Ok(())
}
