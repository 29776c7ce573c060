//! Requests that are refused before their message is read.

use crate::frame::http::{BodyError, HeadError};

/// Why, with the status and a sentence for whoever wrote the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Head(HeadError),
    Body(BodyError),
    NotFound,
    Method,
    Origin,
    Host,
    /// Or two of them.
    NoHost,
    NotAcceptable,
    Timeout,
    Length,
    TooLong,
    MediaType,
    /// The headers that are needed do not fit together.
    Headers,
    /// A legacy client names a session that has ended, or never was.
    SessionUnknown,
    /// All sessions are in use.
    Sessions,
    /// A legacy client names none.
    SessionMissing,
    /// The revision in the header of a legacy client is none.
    Version,
    /// A header that may come once came twice, and differs.
    Duplicate,
}

impl Refusal {
    pub(super) const fn status(self) -> u16 {
        match self {
            Refusal::Head(error) => error.status(),
            Refusal::Body(_) | Refusal::Duplicate | Refusal::NoHost | Refusal::SessionMissing | Refusal::Version => 400,
            Refusal::NotFound | Refusal::SessionUnknown => 404,
            Refusal::Method => 405,
            Refusal::Origin | Refusal::Host => 403,
            Refusal::NotAcceptable => 406,
            Refusal::Timeout => 408,
            Refusal::Length => 411,
            Refusal::TooLong => 413,
            Refusal::MediaType => 415,
            Refusal::Headers => 431,
            Refusal::Sessions => 503,
        }
    }

    pub(super) const fn message(self) -> &'static str {
        match self {
            Refusal::Head(HeadError::HeaderTooLong | HeadError::HeadTooLong) | Refusal::Headers => {
                "the headers are longer than this server can hold"
            }
            Refusal::Head(HeadError::TransferEncoding) => "the transfer coding is not chunked",
            Refusal::Head(HeadError::Version) => "this server speaks HTTP/1.1 and HTTP/1.0",
            Refusal::Head(_) => "the head of the request is malformed",
            Refusal::Body(_) => "the body of the request is malformed",
            Refusal::NotFound => "there is no MCP endpoint at this path",
            Refusal::Method => "send each message by POST",
            Refusal::Origin => "this origin is not allowed",
            Refusal::Host => "this server is reached as localhost only",
            Refusal::SessionUnknown => "there is no such session: initialize again",
            Refusal::Sessions => "all sessions are in use: try again later",
            Refusal::SessionMissing => "Mcp-Session-Id is missing: initialize first",
            Refusal::Version => "this server does not speak the version in MCP-Protocol-Version",
            Refusal::NoHost => "a request of HTTP/1.1 has one Host",
            Refusal::NotAcceptable => "accept application/json and text/event-stream",
            Refusal::Timeout => "the request did not arrive in time",
            Refusal::Length => "send the length of the body",
            Refusal::TooLong => "the body is longer than this server takes",
            Refusal::MediaType => "send application/json",
            Refusal::Duplicate => "a header came twice, with different values",
        }
    }
}
