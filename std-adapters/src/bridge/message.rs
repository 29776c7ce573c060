//! One message as it passes: vetted, in canonical text, with the places a bridge reads or changes.

use umcp::json::Value;
use umcp::json::scan::{Key, Outcome, SLOTS, Scanner, Span, Window};
use umcp::mcp;
use umcp::rpc::{Envelope, Id, Invalid, classify};

/// Which members are found.
pub(crate) mod slot {
    use umcp::rpc::slot::FIRST_FREE;
    pub(crate) use umcp::rpc::slot::{ERROR, ID, JSONRPC, METHOD, PARAMS, RESULT};

    pub(crate) const VERSION: usize = FIRST_FREE;
    pub(crate) const META_TOKEN: usize = FIRST_FREE + 1;
    pub(crate) const SUBSCRIPTION: usize = FIRST_FREE + 2;
    pub(crate) const LOG_LEVEL: usize = FIRST_FREE + 3;
    pub(crate) const NAME: usize = FIRST_FREE + 4;
    pub(crate) const URI: usize = FIRST_FREE + 5;
    pub(crate) const REQUEST_ID: usize = FIRST_FREE + 6;
    pub(crate) const TOKEN: usize = FIRST_FREE + 7;
    pub(crate) const NEGOTIATED: usize = FIRST_FREE + 8;
    pub(crate) const RESULT_SUBSCRIPTION: usize = FIRST_FREE + 9;
}

pub(super) static KEYS: [Key; 6] = [
    // The first is the one that is found even in a message that is too long.
    Key::leaf("id", slot::ID as u8),
    Key::leaf("jsonrpc", slot::JSONRPC as u8),
    Key::leaf("method", slot::METHOD as u8),
    Key::node(
        "params",
        slot::PARAMS as u8,
        &[
            Key::node(
                "_meta",
                Key::NO_SLOT,
                &[
                    Key::leaf(mcp::PROTOCOL_VERSION, slot::VERSION as u8),
                    Key::leaf("progressToken", slot::META_TOKEN as u8),
                    Key::leaf(mcp::SUBSCRIPTION_ID, slot::SUBSCRIPTION as u8),
                    Key::leaf(mcp::LOG_LEVEL, slot::LOG_LEVEL as u8),
                ],
            ),
            Key::leaf("name", slot::NAME as u8),
            Key::leaf("uri", slot::URI as u8),
            Key::leaf("requestId", slot::REQUEST_ID as u8),
            Key::leaf("progressToken", slot::TOKEN as u8),
        ],
    ),
    Key::node(
        "result",
        slot::RESULT as u8,
        &[
            Key::leaf("protocolVersion", slot::NEGOTIATED as u8),
            Key::node("_meta", Key::NO_SLOT, &[Key::leaf(mcp::SUBSCRIPTION_ID, slot::RESULT_SUBSCRIPTION as u8)]),
        ],
    ),
    Key::leaf("error", slot::ERROR as u8),
];

/// A message. Its text is what its sender wrote, member by member and digit by digit, without the white space between and with the shortest escapes.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    text: Vec<u8>,
    spans: [Span; SLOTS],
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Request,
    Notification,
    /// A result or an error.
    Answer,
}

/// Bytes that are no single message.
#[derive(Debug)]
pub(crate) enum Unread {
    /// Nothing but white space.
    Blank,
    /// No JSON, or no UTF-8.
    NotJson,
    /// An array, of as many messages as it has items.
    Batch(Vec<Result<Message, Unread>>),
    /// JSON, but no message.
    Invalid(Malformed),
}

/// A JSON text that is no message.
#[derive(Debug)]
pub(crate) struct Malformed {
    /// As an answer, where it has the id of one: what a server makes of its answers is for its client to judge.
    pub(crate) answer: Option<Box<Message>>,
    /// Its id, if that can be read.
    pub(crate) id: Option<Vec<u8>>,
    /// The id that it answers to, where it is an answer that nobody can use.
    pub(crate) spoilt: Option<Vec<u8>>,
    /// What is wrong with it.
    pub(crate) why: &'static str,
    /// It wants no answer: it would be an answer itself, or a notification.
    pub(crate) silent: bool,
}

const TOO_DEEP: &str = "Invalid Request: nested more than 128 levels deep";

impl Message {
    pub(crate) fn read(mut text: Vec<u8>) -> Result<Message, Unread> {
        let mut scanner = Scanner::new(&KEYS, Scanner::MAX_DEPTH);
        let mut window = Window { end: text.len(), ..Window::default() };
        let outcome = scanner.finish(&mut text, &mut window).map_err(|_| Unread::NotJson)?;
        text.truncate(window.out);
        match outcome {
            Outcome::Blank => Err(Unread::Blank),
            Outcome::Object => Message::of(scanner, text),
            Outcome::TooDeep => Err(Message::malformed(scanner, text, TOO_DEEP)),
            Outcome::Array => {
                let items = Value::new(&text).items();
                Err(Unread::Batch(items.map(|item| Message::read(item.raw().to_vec())).collect()))
            }
            Outcome::Scalar => Err(Message::malformed(scanner, text, Invalid::NotAnObject.message())),
        }
    }

    fn of(scanner: Scanner, text: Vec<u8>) -> Result<Message, Unread> {
        let kind = match classify(&scanner, &text) {
            Ok(Envelope::Request) => Kind::Request,
            Ok(Envelope::Notification) => Kind::Notification,
            Ok(Envelope::Result | Envelope::Error) => Kind::Answer,
            // What its parameters are is for the server to judge.
            Err(Invalid::Params) if scanner.has_seen(slot::ID) => Kind::Request,
            Err(Invalid::Params) => Kind::Notification,
            Err(invalid) => return Err(Message::malformed(scanner, text, invalid.message())),
        };
        Ok(Message { text, spans: *scanner.spans(), kind })
    }

    fn malformed(scanner: Scanner, text: Vec<u8>, why: &'static str) -> Unread {
        let (has_id, has_method) = (scanner.has_seen(slot::ID), scanner.has_seen(slot::METHOD));
        let has_outcome = scanner.has_seen(slot::RESULT) || scanner.has_seen(slot::ERROR);
        let is_answer = !has_method && !scanner.duplicate() && why != TOO_DEEP;
        let message = Message { text, spans: *scanner.spans(), kind: Kind::Answer };
        let is_named = Value::new(message.raw(slot::METHOD)).is_string();
        let silent = (!has_method && has_outcome) || (is_named && !has_id);
        let first = message.id().map(<[u8]>::to_vec);
        let id = first.clone().filter(|_| !scanner.duplicate());
        let spoilt = first.filter(|_| !is_answer && !has_method);
        Unread::Invalid(Malformed {
            answer: (is_answer && id.is_some()).then(|| Box::new(message)),
            id,
            spoilt,
            why,
            silent,
        })
    }

    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    pub(crate) fn into_text(self) -> Vec<u8> {
        self.text
    }

    /// The text of a member; empty if it is absent.
    pub(crate) fn raw(&self, slot: usize) -> &[u8] {
        self.spans.get(slot).map_or(&[], |span| span.of(&self.text))
    }

    pub(crate) fn has(&self, slot: usize) -> bool {
        !self.raw(slot).is_empty()
    }

    /// The text of a member that is an id: an integer or a string.
    pub(crate) fn raw_id(&self, slot: usize) -> Option<&[u8]> {
        Id::new(Value::new(self.raw(slot))).map(Id::raw)
    }

    pub(crate) fn id(&self) -> Option<&[u8]> {
        self.raw_id(slot::ID)
    }

    /// Whether this is its method. (Canonical text: what is written with escapes reads the same.)
    pub(crate) fn is(&self, method: &str) -> bool {
        Value::new(self.raw(slot::METHOD)).is_str(method)
    }

    /// The code of the error it answers with.
    pub(crate) fn error_code(&self) -> Option<i32> {
        let error = Value::new(self.raw(slot::ERROR));
        error.is_object().then(|| error.get("code").and_then(Value::as_i32).unwrap_or(0))
    }

    /// The text with other values in the place of some members, which are there.
    pub(crate) fn with(&self, changes: &[(usize, &[u8])]) -> Vec<u8> {
        let mut changes: Vec<(Span, &[u8])> = changes
            .iter()
            .filter_map(|(slot, value)| Some((*self.spans.get(*slot)?, *value)))
            .filter(|(span, _)| span.is_present())
            .collect();
        changes.sort_by_key(|(span, _)| span.start);
        let mut text = Vec::with_capacity(self.text.len() + 32);
        let mut at = 0;
        for (span, value) in changes {
            text.extend_from_slice(self.text.get(at..span.start as usize).unwrap_or_default());
            text.extend_from_slice(value);
            at = span.end as usize;
        }
        text.extend_from_slice(self.text.get(at..).unwrap_or_default());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Message {
        Message::read(text.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn what_is_not_changed_passes_as_it_is() {
        let request = read(
            r#" { "z" : 1.50e+03, "id" : "a", "method":"tools\/call", "jsonrpc":"2.0",
            "params": {"b":[12345678901234567890, -0.0], "_meta":{"progressToken":7,"x":"\ud800"}, "a":null} } "#,
        );
        assert_eq!(request.kind, Kind::Request);
        let changed = request.with(&[(slot::META_TOKEN, b"42"), (slot::ID, b"9"), (slot::SUBSCRIPTION, b"no")]);
        let expected = r#"{"z":1.50e+03,"id":9,"method":"tools/call","jsonrpc":"2.0","params":{"b":[12345678901234567890,-0.0],"_meta":{"progressToken":42,"x":"\ud800"},"a":null}}"#;
        assert_eq!(String::from_utf8(changed).unwrap(), expected);
    }

    #[test]
    fn what_is_no_message_keeps_its_id_if_it_has_one() {
        let table = [
            (r#"{"id":4,"method":"x"}"#, Some("4"), false),
            (r#"{"jsonrpc":"2.0","id":4,"method":5}"#, Some("4"), false),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#, None, false),
            (r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#, None, false),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}"#, None, false),
            (r#"{"jsonrpc":"2.0","id":1,"error":"e"}"#, Some("1"), true),
            (r#"{"id":"1","result":{}}"#, Some("\"1\""), true),
            (r#"{"jsonrpc":"2.0","id":1,"result":{},"id":1}"#, None, false),
            ("7", None, false),
        ];
        for (text, expected, is_answer) in table {
            let Err(Unread::Invalid(malformed)) = Message::read(text.as_bytes().to_vec()) else {
                panic!("{text}");
            };
            assert_eq!(malformed.id.as_deref(), expected.map(str::as_bytes), "{text}");
            assert_eq!(malformed.answer.is_some(), is_answer, "{text}");
        }
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":3,"method":"x","params":{{"a":{}{}}}}}"#,
            "[".repeat(200),
            "]".repeat(200)
        );
        let Err(Unread::Invalid(malformed)) = Message::read(deep.into_bytes()) else { panic!("deep") };
        assert_eq!((malformed.id.as_deref(), malformed.why), (Some(&b"3"[..]), TOO_DEEP));
        assert!(malformed.spoilt.is_none());
        assert!(matches!(Message::read(b" \r".to_vec()), Err(Unread::Blank)));
        assert!(matches!(Message::read(b"{\"a\":}".to_vec()), Err(Unread::NotJson)));
    }
}
