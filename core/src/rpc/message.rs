//! Envelopes: what kind of message a vetted object is.

use super::Id;
use crate::json::Value;
use crate::json::scan::Scanner;

/// Where the scanner records the members of the envelope. The slots from [`FIRST_FREE`](slot::FIRST_FREE) on belong to the layer above.
pub mod slot {
    /// `id`.
    pub const ID: usize = 0;
    /// `jsonrpc`.
    pub const JSONRPC: usize = 1;
    /// `method`.
    pub const METHOD: usize = 2;
    /// `params`.
    pub const PARAMS: usize = 3;
    /// `result`.
    pub const RESULT: usize = 4;
    /// `error`.
    pub const ERROR: usize = 5;
    /// The first slot that the envelope does not use.
    pub const FIRST_FREE: usize = 6;
}

/// The four kinds of JSON-RPC message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Envelope {
    /// It wants an answer: `method` and `id`.
    Request,
    /// It wants none: `method` without an `id`.
    Notification,
    /// An answer: `id` and `result`.
    Result,
    /// An answer: `error`, and the `id` unless it could not be read.
    Error,
}

/// Why a JSON text is no JSON-RPC message (answered with -32600).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Invalid {
    /// Neither an object nor an array.
    NotAnObject,
    /// An array: batches exist only in revision 2025-03-26.
    Batch,
    /// A member that the protocol reads stands there twice.
    DuplicateMember,
    /// `jsonrpc` is missing or not `"2.0"`.
    Version,
    /// `id` is neither an integer nor a string.
    Id,
    /// `method` is not a string.
    Method,
    /// `params` is not an object.
    Params,
    /// Neither `method` nor `result` nor `error`; or an answer that is both, or neither.
    Shape,
}

impl Invalid {
    /// What is wrong, for the peer's developer.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Invalid::NotAnObject => "Invalid Request: a message is a JSON object",
            Invalid::Batch => "Invalid Request: batches are not supported; send one message at a time",
            Invalid::DuplicateMember => "Invalid Request: a member appears twice",
            Invalid::Version => "Invalid Request: `jsonrpc` must be \"2.0\"",
            Invalid::Id => "Invalid Request: `id` must be a string or an integer",
            Invalid::Method => "Invalid Request: `method` must be a string",
            Invalid::Params => "Invalid Request: `params` must be an object",
            Invalid::Shape => "Invalid Request: a message has a `method`, a `result` or an `error`",
        }
    }
}

/// Which kind of message the object in `text` is, by the members that the scanner found: its tree has those of the envelope in their [`slot`]s,
/// and it has finished with an object.
///
/// Unknown members are ignored; `params: null` counts as absent, and so does `error: null` beside a result.
///
/// # Errors
/// [`Invalid`]: it is no message. A request is answered with -32600, its id if that could be read.
pub fn classify(scanner: &Scanner, text: &[u8]) -> Result<Envelope, Invalid> {
    let member = |slot: usize| scanner.spans().get(slot).map_or(&[][..], |span| span.of(text));
    let (id, method, params) = (member(slot::ID), member(slot::METHOD), member(slot::PARAMS));
    let (result, error) = (member(slot::RESULT), member(slot::ERROR));

    if scanner.duplicate() {
        return Err(Invalid::DuplicateMember);
    }
    if member(slot::JSONRPC) != br#""2.0""# {
        return Err(Invalid::Version);
    }
    let has_id = !id.is_empty();
    let valid_id = Id::new(Value::new(id)).is_some();
    if !method.is_empty() {
        return match (method, params) {
            _ if has_id && !valid_id => Err(Invalid::Id),
            _ if is_given(result) || is_given(error) => Err(Invalid::Shape),
            ([b'"', ..], b"" | b"null" | [b'{', ..]) if has_id => Ok(Envelope::Request),
            ([b'"', ..], b"" | b"null" | [b'{', ..]) => Ok(Envelope::Notification),
            ([b'"', ..], _) => Err(Invalid::Params),
            _ => Err(Invalid::Method),
        };
    }
    match (result, error) {
        ([_, ..], b"" | b"null") if valid_id => Ok(Envelope::Result),
        ([_, ..], b"" | b"null") => Err(Invalid::Id),
        (b"", [b'{', ..]) if valid_id || !has_id || id == b"null" => Ok(Envelope::Error),
        (b"", [b'{', ..]) => Err(Invalid::Id),
        _ => Err(Invalid::Shape),
    }
}

/// A member that is `null` counts as absent: some serializers write all they know.
fn is_given(member: &[u8]) -> bool {
    !matches!(member, b"" | b"null")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan::{Key, Window};

    static KEYS: [Key; 6] = [
        Key::leaf("id", slot::ID as u8),
        Key::leaf("jsonrpc", slot::JSONRPC as u8),
        Key::leaf("method", slot::METHOD as u8),
        Key::leaf("params", slot::PARAMS as u8),
        Key::leaf("result", slot::RESULT as u8),
        Key::leaf("error", slot::ERROR as u8),
    ];

    fn kind(text: &str) -> Result<Envelope, Invalid> {
        let mut buf = text.as_bytes().to_vec();
        let mut scanner = Scanner::new(&KEYS, Scanner::DEFAULT_DEPTH);
        let mut window = Window { start: 0, out: 0, read: 0, end: buf.len() };
        scanner.feed(&mut buf, &mut window).expect(text);
        scanner.finish(&mut buf, &mut window).expect(text);
        classify(&scanner, &buf)
    }

    #[test]
    fn messages_are_told_apart() {
        let table = [
            (r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#, Ok(Envelope::Request)),
            (r#"{"params":{},"method":"m","id":"a","jsonrpc":"2.0","x":1}"#, Ok(Envelope::Request)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":null}"#, Ok(Envelope::Request)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","result":null,"error":null}"#, Ok(Envelope::Request)),
            (r#"{"jsonrpc":"2.0","method":"m"}"#, Ok(Envelope::Notification)),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, Ok(Envelope::Result)),
            (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#, Ok(Envelope::Result)),
            (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, Ok(Envelope::Result)),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#, Ok(Envelope::Error)),
            (r#"{"jsonrpc":"2.0","id":null,"error":{"code":1}}"#, Ok(Envelope::Error)),
            (r#"{"jsonrpc":"2.0","error":{"code":1}}"#, Ok(Envelope::Error)),
            (r#"{"id":1,"method":"m"}"#, Err(Invalid::Version)),
            (r#"{"jsonrpc":"1.0","id":1,"method":"m"}"#, Err(Invalid::Version)),
            (r#"{"jsonrpc":2.0,"id":1,"method":"m"}"#, Err(Invalid::Version)),
            (r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#, Err(Invalid::Id)),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#, Err(Invalid::Id)),
            (r#"{"jsonrpc":"2.0","id":{},"method":"m"}"#, Err(Invalid::Id)),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}"#, Err(Invalid::DuplicateMember)),
            (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, Err(Invalid::Method)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}"#, Err(Invalid::Params)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","result":{}}"#, Err(Invalid::Shape)),
            (r#"{"jsonrpc":"2.0","id":1}"#, Err(Invalid::Shape)),
            (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#, Err(Invalid::Shape)),
            (r#"{"jsonrpc":"2.0","id":1,"error":null}"#, Err(Invalid::Shape)),
            (r#"{"jsonrpc":"2.0","id":1,"error":"e"}"#, Err(Invalid::Shape)),
            (r#"{"jsonrpc":"2.0","result":{}}"#, Err(Invalid::Id)),
            (r#"{"jsonrpc":"2.0","id":true,"error":{}}"#, Err(Invalid::Id)),
        ];
        for (text, expected) in table {
            assert_eq!(kind(text), expected, "{text}");
        }
    }
}
