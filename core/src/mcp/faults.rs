//! The one policy table: every fault, the JSON-RPC code it is answered with, and the HTTP status.
//!
//! A fault is what *this* side found wrong and tells the peer. Errors that are *received* are another type
//! (`client::RemoteError`) and cannot be mistaken for one.

use crate::json::{ReadError, Value, Writer};
use crate::rpc::{Invalid, code};

use super::{ClientCapabilities, Era, Revision};

/// `MCP-Protocol-Version`, `Mcp-Method` and their kin disagree with the body (2026-07-28, *Streamable HTTP*).
pub const HEADER_MISMATCH: i32 = -32020;
/// The client did not declare a capability that the request needs (2026-07-28, *Overview: `_meta`*).
pub const MISSING_CAPABILITY: i32 = -32021;
/// The protocol version is not supported (2026-07-28, *Versioning*).
pub const UNSUPPORTED_VERSION: i32 = -32022;
/// A resource does not exist, before 2026-07-28; a client takes it from older servers.
pub const LEGACY_RESOURCE_NOT_FOUND: i32 = -32002;

/// Does this error, in answer to a first modern request, show that the server is modern?
#[must_use]
pub const fn is_modern_code(code: i32) -> bool {
    matches!(code, HEADER_MISMATCH | MISSING_CAPABILITY | UNSUPPORTED_VERSION)
}

/// Why a server refuses a message. Small and `Copy`; handlers return it, and the engine answers with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Fault {
    /// The bytes are no JSON, or no UTF-8.
    NotJson,
    /// The JSON is no message.
    NotAMessage(Invalid),
    /// The message is nested deeper than the limit.
    TooDeep,
    /// The message is longer than the receive buffer holds: at most `limit` bytes.
    TooLong {
        /// Bytes of canonical JSON text.
        limit: usize,
    },
    /// The message is longer than the receive buffer holds, even without what nobody asks for: at most `limit` bytes, and it was this part that
    /// did not fit any more.
    PartTooLong {
        /// The member.
        part: &'static str,
        /// Bytes of canonical JSON text.
        limit: usize,
    },
    /// The message is longer than the receive buffer holds, and this argument, which is [taken as it arrives](crate::server::Tool::upload), came before what has to be
    /// known for that.
    Order {
        /// Its name.
        argument: &'static str,
        /// Bytes of canonical JSON text.
        limit: usize,
    },
    /// A required member of `_meta` is missing.
    MetaMissing(&'static str),
    /// A member of `_meta` has the wrong type.
    MetaMalformed(&'static str),
    /// A header does not agree with the body, or is missing, or cannot be read (over HTTP).
    #[cfg(feature = "http")]
    Header {
        /// Which.
        name: HeaderName,
        /// What is wrong with it.
        fault: HeaderFault,
    },
    /// The protocol version is not one that this server speaks statelessly.
    UnsupportedVersion,
    /// A modern-only server was sent `initialize`.
    HandshakeUnsupported,
    /// A request came before `initialize`, and describes itself in no `_meta` either.
    NotInitialized,
    /// The client did not declare that it can do this, which the answer needs.
    MissingCapability(ClientCapabilities),
    /// There is no such method, or not in this era, or this server does not offer it.
    UnknownMethod,
    /// A parameter is missing or malformed; the text says which and what is expected.
    Params(&'static str),
    /// The arguments do not fit the handler's type; the reason says which and why.
    Arguments(ReadError),
    /// There is no tool of this name.
    UnknownTool,
    /// There is no prompt of this name.
    UnknownPrompt,
    /// There is no resource at this URI.
    UnknownResource,
    /// The cursor is not one of this server's.
    UnknownCursor,
    /// A required argument of a prompt is missing.
    MissingArgument(&'static str),
    /// An id that has to be kept is longer than [`MAX_KEPT_ID`](crate::rpc::MAX_KEPT_ID) bytes.
    IdTooLong,
    /// The id names a request of this client that is still open.
    IdInUse,
    /// The table of deferred calls or of subscriptions is full; try again when one has ended.
    Busy,
    /// The reply is longer than the transmit buffer: at most `limit` bytes.
    ReplyTooLong {
        /// Bytes of JSON text.
        limit: usize,
    },
    /// The `authorize` hook refused the request.
    Unauthorized,
    /// The `authorize` hook knows the caller and refuses this operation.
    Forbidden,
    /// The handler failed, through no fault of the caller.
    Internal,
    /// An error of the application's own; the code is outside -32768 to -32000.
    Application {
        /// The JSON-RPC error code.
        code: i32,
        /// What happened, and what to do.
        message: &'static str,
    },
}

/// A header that mirrors the body (2026-07-28, *Streamable HTTP: Request Metadata*).
#[cfg(feature = "http")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum HeaderName {
    /// One that every request may have, by its name.
    Standard(&'static str),
    /// `Mcp-Param-` and this name.
    Param(&'static str),
}

/// What is wrong with a header that mirrors the body.
#[cfg(feature = "http")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum HeaderFault {
    /// It is missing.
    Missing,
    /// It is marked as base64 and is not, or has characters in it that may not stand in a header.
    Malformed,
    /// It is not what the body says, or came twice and differs.
    Different,
}

#[cfg(feature = "http")]
impl HeaderFault {
    /// What follows the header's name.
    const fn message(self) -> &'static str {
        match self {
            HeaderFault::Missing => " is missing",
            HeaderFault::Malformed => " cannot be read",
            HeaderFault::Different => " does not agree with the body",
        }
    }
}

impl Fault {
    /// An error of the application's own. A `code` inside the range that JSON-RPC reserves (-32768 to -32000) becomes -32603.
    #[must_use]
    pub const fn application(code: i32, message: &'static str) -> Fault {
        let code = if code::is_application_defined(code) { code } else { code::INTERNAL_ERROR };
        Fault::Application { code, message }
    }

    /// The JSON-RPC error code.
    #[must_use]
    pub const fn code(self, era: Era) -> i32 {
        match self {
            Fault::NotJson => code::PARSE_ERROR,
            Fault::NotAMessage(_)
            | Fault::TooDeep
            | Fault::TooLong { .. }
            | Fault::PartTooLong { .. }
            | Fault::Order { .. }
            | Fault::IdTooLong
            | Fault::IdInUse => code::INVALID_REQUEST,
            Fault::MetaMissing(_)
            | Fault::MetaMalformed(_)
            | Fault::NotInitialized
            | Fault::Params(_)
            | Fault::Arguments(_)
            | Fault::UnknownTool
            | Fault::UnknownPrompt
            | Fault::UnknownCursor
            | Fault::MissingArgument(_) => code::INVALID_PARAMS,
            Fault::UnknownResource => match era {
                Era::Modern => code::INVALID_PARAMS,
                Era::Legacy => LEGACY_RESOURCE_NOT_FOUND,
            },
            #[cfg(feature = "http")]
            Fault::Header { .. } => HEADER_MISMATCH,
            Fault::UnsupportedVersion => UNSUPPORTED_VERSION,
            Fault::MissingCapability(_) => match era {
                Era::Modern => MISSING_CAPABILITY,
                Era::Legacy => code::INVALID_REQUEST,
            },
            Fault::UnknownMethod | Fault::HandshakeUnsupported => code::METHOD_NOT_FOUND,
            Fault::Busy | Fault::ReplyTooLong { .. } | Fault::Internal => code::INTERNAL_ERROR,
            Fault::Unauthorized | Fault::Forbidden => code::INVALID_REQUEST,
            Fault::Application { code, .. } => code,
        }
    }

    /// The HTTP status that goes with it (2026-07-28, *Streamable HTTP*).
    #[must_use]
    pub const fn http_status(self, era: Era) -> u16 {
        match (self, era) {
            (Fault::TooLong { .. } | Fault::PartTooLong { .. } | Fault::Order { .. }, _) => 413,
            (Fault::Unauthorized, _) => 401,
            (Fault::Forbidden, _) => 403,
            (Fault::NotJson | Fault::NotAMessage(_) | Fault::TooDeep | Fault::IdTooLong | Fault::IdInUse, _) => 400,
            (Fault::Busy | Fault::ReplyTooLong { .. } | Fault::Internal | Fault::Application { .. }, _) => 200,
            (Fault::UnknownMethod | Fault::HandshakeUnsupported, Era::Modern) => 404,
            (_, Era::Modern) => 400,
            (_, Era::Legacy) => 200,
        }
    }

    /// What happened, and what to do about it.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Fault::NotJson => "Parse error: not a JSON text in UTF-8",
            Fault::NotAMessage(invalid) => invalid.message(),
            Fault::TooDeep => "Invalid Request: nested too deeply",
            Fault::TooLong { .. } | Fault::PartTooLong { .. } | Fault::Order { .. } => {
                "Invalid Request: longer than this server can hold"
            }
            Fault::MetaMissing(_) => "Invalid params: _meta lacks a required member",
            Fault::MetaMalformed(_) => "Invalid params: a member of _meta is malformed",
            #[cfg(feature = "http")]
            Fault::Header { .. } => "Header mismatch",
            Fault::UnsupportedVersion => "Unsupported protocol version",
            Fault::HandshakeUnsupported => "Method not found: no handshake here; send requests of version 2026-07-28",
            Fault::NotInitialized => {
                "Invalid params: _meta lacks io.modelcontextprotocol/protocolVersion, and no `initialize` came before"
            }
            Fault::MissingCapability(_) => "Missing required client capability",
            Fault::UnknownMethod => "Method not found",
            Fault::Params(what) => what,
            Fault::Arguments(_) => "Invalid params: an argument does not fit",
            Fault::UnknownTool => "Unknown tool",
            Fault::UnknownPrompt => "Unknown prompt",
            Fault::UnknownResource => "Resource not found",
            Fault::UnknownCursor => "Invalid params: unknown cursor",
            Fault::MissingArgument(_) => "Invalid params: a required argument is missing",
            Fault::IdTooLong => "Invalid Request: an id that must be kept is at most 64 bytes",
            Fault::IdInUse => "Invalid Request: the id of a request that is still open",
            Fault::Busy => "Too many calls are open; try again when one has ended",
            Fault::ReplyTooLong { .. } => "The reply is longer than this server can send",
            Fault::Unauthorized => "Unauthorized",
            Fault::Forbidden => "Forbidden",
            Fault::Internal => "Internal error",
            Fault::Application { message, .. } => message,
        }
    }

    /// Writes the `error` object. `subject` is what the fault is about, where that stands in the request:
    /// a requested version, an unknown name or URI, a missing argument.
    pub(crate) fn write(self, w: &mut Writer<'_>, era: Era, subject: Option<Value<'_>>) {
        w.begin_object().key("code").int(i64::from(self.code(era))).key("message").begin_string();
        self.write_message(w, subject);
        w.end_string();
        self.write_data(w, subject);
        w.end_object();
    }

    /// Writes the message, inside a string, and what it is about: models and people read messages, not data.
    pub(crate) fn write_message(self, w: &mut Writer<'_>, subject: Option<Value<'_>>) {
        match self {
            Fault::Arguments(reason) => {
                w.string_part("Invalid arguments: ");
                reason.describe(&mut |piece| {
                    w.string_part(piece);
                });
                return;
            }
            _ => w.string_part(self.message()),
        };
        match self {
            Fault::TooLong { limit } | Fault::ReplyTooLong { limit } => write_limit(w, limit),
            Fault::PartTooLong { part, limit } => {
                write_limit(w, limit);
                w.string_part("; the part that did not fit is ").string_part(part);
            }
            Fault::Order { argument, limit } => {
                write_limit(w, limit);
                w.string_part(", or any length of ").string_part(argument);
                w.string_part(" behind id, method, name and _meta, in that order or another");
            }
            Fault::MetaMissing(name) | Fault::MetaMalformed(name) | Fault::MissingArgument(name) => {
                w.string_part(": ").string_part(name);
            }
            #[cfg(feature = "http")]
            Fault::Header { name, fault } => {
                let (prefix, name) = match name {
                    HeaderName::Standard(name) => ("", name),
                    HeaderName::Param(name) => ("Mcp-Param-", name),
                };
                w.string_part(": ").string_part(prefix).string_part(name).string_part(fault.message());
            }
            Fault::UnknownTool | Fault::UnknownPrompt | Fault::UnknownResource | Fault::UnknownMethod => {
                if let Some(subject) = subject.and_then(Value::as_text) {
                    // It is the inside of a string already.
                    w.string_part(": ").text_part(subject);
                }
            }
            _ => {}
        }
    }

    fn write_data(self, w: &mut Writer<'_>, subject: Option<Value<'_>>) {
        let about = |w: &mut Writer<'_>, name: &str| {
            if let Some(subject) = subject {
                w.key("data").begin_object().key(name).raw(subject.raw()).end_object();
            }
        };
        match self {
            Fault::TooLong { limit } | Fault::Order { limit, .. } | Fault::ReplyTooLong { limit } => {
                w.key("data").begin_object().key("limit").uint(limit as u64).end_object();
            }
            Fault::PartTooLong { part, limit } => {
                w.key("data").begin_object().key("limit").uint(limit as u64).key("part").string(part).end_object();
            }
            Fault::MetaMissing(member) | Fault::MetaMalformed(member) => {
                w.key("data").begin_object().key("member").string(member).end_object();
            }
            Fault::UnsupportedVersion => {
                w.key("data").begin_object();
                w.key("supported").begin_array().string(Revision::LATEST.as_str()).end_array();
                if let Some(requested) = subject {
                    w.key("requested").raw(requested.raw());
                }
                w.end_object();
            }
            Fault::HandshakeUnsupported => {
                w.key("data").begin_object();
                w.key("supported").begin_array().string(Revision::LATEST.as_str()).end_array().end_object();
            }
            Fault::MissingCapability(missing) => {
                w.key("data").begin_object().key("requiredCapabilities");
                missing.write(w, Revision::LATEST);
                w.end_object();
            }
            Fault::UnknownResource => about(w, "uri"),
            Fault::UnknownTool | Fault::UnknownPrompt => about(w, "name"),
            Fault::UnknownMethod => about(w, "method"),
            Fault::MissingArgument(name) => {
                w.key("data").begin_object().key("argument").string(name).end_object();
            }
            _ => {}
        }
    }
}

fn write_limit(w: &mut Writer<'_>, limit: usize) {
    w.string_part(": at most ").uint_part(limit as u64).string_part(" bytes");
}

impl From<ReadError> for Fault {
    fn from(reason: ReadError) -> Fault {
        Fault::Arguments(reason)
    }
}

impl core::fmt::Display for Fault {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Fault::Arguments(reason) => reason.fmt(f),
            _ => f.write_str(self.message()),
        }
    }
}

impl core::error::Error for Fault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_table() {
        // fault, code and status in the modern era, code and status in the legacy one
        let table = [
            (Fault::NotJson, (-32700, 400), (-32700, 400)),
            (Fault::NotAMessage(Invalid::Batch), (-32600, 400), (-32600, 400)),
            (Fault::TooDeep, (-32600, 400), (-32600, 400)),
            (Fault::TooLong { limit: 9 }, (-32600, 413), (-32600, 413)),
            (Fault::PartTooLong { part: "x", limit: 9 }, (-32600, 413), (-32600, 413)),
            (Fault::Order { argument: "x", limit: 9 }, (-32600, 413), (-32600, 413)),
            (Fault::MetaMissing("x"), (-32602, 400), (-32602, 200)),
            (Fault::MetaMalformed("x"), (-32602, 400), (-32602, 200)),
            (Fault::Params("x"), (-32602, 400), (-32602, 200)),
            (Fault::UnknownTool, (-32602, 400), (-32602, 200)),
            (Fault::UnknownPrompt, (-32602, 400), (-32602, 200)),
            (Fault::UnknownCursor, (-32602, 400), (-32602, 200)),
            (Fault::MissingArgument("x"), (-32602, 400), (-32602, 200)),
            (Fault::UnknownResource, (-32602, 400), (-32002, 200)),
            (Fault::MissingCapability(ClientCapabilities::NONE), (-32021, 400), (-32600, 200)),
            (Fault::UnsupportedVersion, (-32022, 400), (-32022, 200)),
            (Fault::UnknownMethod, (-32601, 404), (-32601, 200)),
            (Fault::HandshakeUnsupported, (-32601, 404), (-32601, 200)),
            (Fault::Internal, (-32603, 200), (-32603, 200)),
            (Fault::Busy, (-32603, 200), (-32603, 200)),
            (Fault::application(17, "x"), (17, 200), (17, 200)),
            (Fault::application(-32001, "x"), (-32603, 200), (-32603, 200)),
        ];
        for (fault, modern, legacy) in table {
            assert_eq!((fault.code(Era::Modern), fault.http_status(Era::Modern)), modern, "{fault:?}");
            assert_eq!((fault.code(Era::Legacy), fault.http_status(Era::Legacy)), legacy, "{fault:?}");
        }
    }

    #[test]
    fn data_says_what_it_is_about() {
        let written = |fault: Fault, subject: Option<&str>| {
            let mut buf = [0; 300];
            let mut w = Writer::new(&mut buf);
            fault.write(&mut w, Era::Modern, subject.map(|text| Value::new(text.as_bytes())));
            let written: serde_json::Value = serde_json::from_slice(w.written()).expect("JSON");
            written["data"].clone()
        };
        use serde_json::{Value as Json, json};
        let table = [
            (Fault::NotJson, None, Json::Null),
            (Fault::TooLong { limit: 511 }, None, json!({"limit": 511})),
            (Fault::PartTooLong { part: "uri", limit: 511 }, None, json!({"limit": 511, "part": "uri"})),
            (Fault::Order { argument: "image", limit: 511 }, None, json!({"limit": 511})),
            (
                Fault::UnsupportedVersion,
                Some("\"1900-01-01\""),
                json!({"supported": ["2026-07-28"], "requested": "1900-01-01"}),
            ),
            (
                Fault::MissingCapability(ClientCapabilities {
                    elicitation_url: true,
                    roots: true,
                    ..ClientCapabilities::NONE
                }),
                None,
                json!({"requiredCapabilities": {"elicitation": {"url": {}}, "roots": {}}}),
            ),
            (Fault::UnknownResource, Some("\"x:y\""), json!({"uri": "x:y"})),
            (Fault::MetaMissing("a/b"), None, json!({"member": "a/b"})),
        ];
        for (fault, subject, expected) in table {
            assert_eq!(written(fault, subject), expected, "{fault:?}");
        }
    }
}
