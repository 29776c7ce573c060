//! What can go wrong, by whose fault it is: [`Refused`] is the caller's or a matter of room, [`Lost`] and [`Failed`] are the peer's,
//! and [`RemoteError`] is what the peer says went wrong on its side.

use core::fmt;

#[cfg(feature = "http")]
use crate::frame::http::{BodyError, HeadError, HeadFault};
use crate::json::{Capacity, Text, Value};
use crate::rpc::Invalid;

/// An error that the server answered with. The code's meaning is the server's (see [`code`](crate::rpc::code) and
/// [`faults`](crate::mcp::faults)).
#[derive(Clone, Copy, Debug)]
pub struct RemoteError<'a> {
    error: Value<'a>,
}

impl<'a> RemoteError<'a> {
    pub(super) fn new(error: Value<'a>) -> RemoteError<'a> {
        RemoteError { error }
    }

    /// The code. One that does not fit is clamped.
    #[must_use]
    pub fn code(self) -> i64 {
        self.error.get("code").and_then(Value::as_i64).unwrap_or(0)
    }

    /// What happened, in the server's words.
    #[must_use]
    pub fn message(self) -> Option<Text<'a>> {
        self.error.get("message")?.as_text()
    }

    /// More about it.
    #[must_use]
    pub fn data(self) -> Option<Value<'a>> {
        self.error.get("data")
    }

    /// The whole error object.
    #[must_use]
    pub fn value(self) -> Value<'a> {
        self.error
    }
}

/// `-32602: the message`.
impl fmt::Display for RemoteError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.code())?;
        match self.message() {
            Some(message) => write!(f, ": {message}"),
            None => Ok(()),
        }
    }
}

impl core::error::Error for RemoteError<'_> {}

/// Why a request was not sent. Nothing of it has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Refused {
    /// The transmit buffer is not empty and the request does not fit behind what is in it. Drain it, then send again. Over HTTP also: another
    /// request is in flight on this connection; wait for its end, or use another connection. And while a call is [open](super::Engine::call_open)
    /// that leaves piece by piece: end it, or wait for its end.
    Busy,
    /// As many requests are in flight, or subscriptions open, as the tables hold. Wait for one to end, or lend larger tables.
    TableFull,
    /// The request does not fit the transmit buffer even when that is empty.
    Capacity {
        /// Bytes that the buffer would have to have.
        needed: usize,
    },
    /// The server is not known yet: wait for [`Happened::Connected`](super::Happened::Connected).
    NotReady,
    /// The connection has failed or was closed.
    Closed,
    /// This server, or the revision it speaks, does not have it.
    Unsupported,
    /// The arguments cannot be written as JSON, or are no JSON object; or one of them has the name of the one that is streamed.
    Arguments,
    /// Over HTTP the length of an argument that is streamed has to be known first: announce it.
    #[cfg(feature = "http")]
    Length,
    /// The server wants this argument mirrored into a header, so it cannot be streamed: call the tool with it as a whole.
    #[cfg(feature = "http")]
    Mirrored,
    /// There is no `input_required` result to answer: it was let go of by the next event.
    NothingHeld,
    /// A question of the server's was declined that has no polite refusal (sampling, roots): the operation cannot be finished.
    Declined,
    /// A header of the caller's, or the path, has characters in it that cannot be sent.
    #[cfg(feature = "http")]
    Headers,
}

impl Refused {
    /// What a failed write means: with an empty buffer the message can never fit.
    pub(super) fn room(capacity: Capacity, was_empty: bool) -> Refused {
        if was_empty { Refused::Capacity { needed: capacity.needed } } else { Refused::Busy }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Busy => f.write_str("the transmit buffer is in use: drain it and send again"),
            Refused::TableFull => {
                f.write_str("too many requests are in flight: wait for one to end, or lend a larger table")
            }
            Refused::Capacity { needed } => {
                write!(f, "the request does not fit the transmit buffer: lend at least {needed} bytes")
            }
            Refused::NotReady => f.write_str("the server is not known yet: wait until it is connected"),
            Refused::Closed => f.write_str("the connection is closed: connect again"),
            Refused::Unsupported => f.write_str("this server does not support that"),
            Refused::Arguments => f.write_str("the arguments cannot be written as a JSON object"),
            Refused::NothingHeld => {
                f.write_str("there is no input_required result to answer: retry before the next event")
            }
            #[cfg(feature = "http")]
            Refused::Length => {
                f.write_str("over HTTP the length of a streamed argument has to be known first: announce it")
            }
            #[cfg(feature = "http")]
            Refused::Mirrored => {
                f.write_str("the server wants this argument in a header, so it cannot be streamed: give it as a whole")
            }
            #[cfg(feature = "http")]
            Refused::Headers => {
                f.write_str("a header has characters in it that cannot be sent: give it printable ASCII")
            }
            Refused::Declined => f.write_str("the server's question was declined, so the operation cannot be finished"),
        }
    }
}

impl core::error::Error for Refused {}

/// Why a request ended without a usable answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Lost {
    /// The stream ended first.
    Closed,
    /// The answer is longer than the receive buffer.
    TooLong {
        /// The longest that fits, in bytes.
        limit: usize,
    },
    /// The answer is nested too deeply.
    TooDeep,
    /// A message that was longer than the receive buffer was taken for the answer, since this was the only request in flight, and pieces of
    /// it were told; at its end it turned out to bear another id, or none.
    OtherId,
    /// What was told of the answer came in a message that broke off; another that followed is complete, and is not told a second time.
    Broken,
    /// The answer bears the request's id and is no answer.
    NotAnAnswer(Invalid),
    /// The result is no object, or lacks what every answer to this request has; or the error has no code.
    Malformed,
    /// The result is of a type that does not exist in this revision.
    ResultType,
    /// The server asks for input where it must not: for another method, for nothing, or for something that was not declared.
    Input,
    /// The HTTP reply came to its end without a response to the request.
    #[cfg(feature = "http")]
    NoResponse,
    /// The HTTP reply has this status, and no response in it. What else it says is in [`Reply`](crate::http::client::Reply).
    #[cfg(feature = "http")]
    Status(u16),
    /// The server has closed a stream that had been used before, without a byte of a reply. Whether it has seen the request is not known;
    /// often it has not.
    #[cfg(feature = "http")]
    Unanswered,
    /// The head of the reply is not HTTP/1.
    #[cfg(feature = "http")]
    Head(HeadError),
    /// The body of the reply is malformed.
    #[cfg(feature = "http")]
    Body(BodyError),
    /// The head of the request does not fit the transmit buffer beside the message, or has characters in it that cannot be sent.
    #[cfg(feature = "http")]
    Unsendable(HeadFault),
    /// The server no longer knows the session, and has done nothing. A new one is begun by itself: send the request again once
    /// [`Happened::Connected`](super::Happened::Connected) says that it has.
    #[cfg(all(feature = "http", feature = "legacy"))]
    SessionGone,
    /// The id of the session that the server begins is longer than the memory for it.
    #[cfg(feature = "http")]
    SessionTooLong,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lost::Closed => f.write_str("the connection closed before the answer came"),
            Lost::TooLong { limit } => {
                write!(f, "the answer is longer than {limit} bytes: lend a larger receive buffer, or ask for less")
            }
            Lost::TooDeep => f.write_str("the answer is nested too deeply"),
            Lost::OtherId => f.write_str("the server broke the protocol: what looked like the answer has another id"),
            Lost::Broken => f.write_str("the answer broke off, and began again: send the request again"),
            Lost::NotAnAnswer(invalid) => {
                write!(f, "the server broke the protocol: its answer is no JSON-RPC response ({})", invalid.message())
            }
            Lost::Malformed => f.write_str(
                "the server broke the protocol: a required part of its answer is missing, or is not what it has to be",
            ),
            Lost::ResultType => f.write_str("the server broke the protocol: its result is of an unknown type"),
            Lost::Input => f.write_str("the server broke the protocol: it asks for input that it must not ask for"),
            #[cfg(feature = "http")]
            Lost::NoResponse => f.write_str("the server broke the protocol: there is no response in its reply"),
            #[cfg(feature = "http")]
            Lost::Status(status) => write!(f, "the server answered with HTTP status {status}"),
            #[cfg(feature = "http")]
            Lost::Unanswered => f.write_str(
                "the server closed the connection instead of answering: send it again, if that can do no harm",
            ),
            #[cfg(feature = "http")]
            Lost::Head(why) => write!(f, "the server does not speak HTTP/1: {why}"),
            #[cfg(feature = "http")]
            Lost::Body(why) => write!(f, "the server broke HTTP/1: {why}"),
            #[cfg(feature = "http")]
            Lost::Unsendable(why) => write!(f, "{why}"),
            #[cfg(all(feature = "http", feature = "legacy"))]
            Lost::SessionGone => f.write_str("the server no longer knows this session: send it again in the new one"),
            #[cfg(feature = "http")]
            Lost::SessionTooLong => f.write_str("the server's session id is longer than the memory for it: lend more"),
        }
    }
}

impl core::error::Error for Lost {}

/// Why there is no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Failed {
    /// No version is spoken by both. The event has those the server named.
    NoCommonVersion,
    /// The server is modern and refuses the probe for another reason. The event has its error.
    ProbeRefused,
    /// The server refuses `initialize`. The event has its error.
    HandshakeRefused,
    /// `initialize` was not answered in time.
    HandshakeTimedOut,
    /// The answer to the probe or to `initialize` is unusable.
    Handshake(Lost),
    /// The server is not modern, and this build has no legacy era (feature `legacy`).
    NotModern,
    /// The first message does not fit the transmit buffer.
    Capacity {
        /// Bytes that the buffer would have to have.
        needed: usize,
    },
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failed::NoCommonVersion => f.write_str("the server speaks no protocol version that this client speaks"),
            Failed::ProbeRefused => f.write_str("the server refuses to be discovered"),
            Failed::HandshakeRefused => f.write_str("the server refuses the handshake"),
            Failed::HandshakeTimedOut => f.write_str("the server did not answer the handshake in time: is it an MCP server?"),
            Failed::Handshake(lost) => write!(f, "the handshake failed: {lost}"),
            Failed::NotModern => f.write_str("the server does not speak 2026-07-28, and this build speaks nothing older: enable the feature `legacy`"),
            Failed::Capacity { needed } => {
                write!(f, "the first message does not fit the transmit buffer: lend at least {needed} bytes")
            }
        }
    }
}

impl core::error::Error for Failed {}
