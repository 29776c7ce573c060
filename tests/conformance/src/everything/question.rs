//! What tools ask the client, in the shape of either era.

use std::borrow::Cow;

use umcp::json::{Value, Writer};
use umcp::mcp::InputKind;
use umcp::server::{Exchange, InputRequired};

/// A question.
#[derive(Clone, Debug)]
pub(crate) enum Question {
    /// The user fills in a form.
    Form { message: Cow<'static, str>, schema: &'static str },
    /// The model answers a prompt, in so many tokens.
    Model { prompt: Cow<'static, str>, max_tokens: u32 },
    /// The client lists its roots.
    Roots,
}

impl Question {
    const fn form(message: &'static str, schema: &'static str) -> Question {
        Question::Form { message: Cow::Borrowed(message), schema }
    }

    pub(crate) const fn model(prompt: &'static str, max_tokens: u32) -> Question {
        Question::Model { prompt: Cow::Borrowed(prompt), max_tokens }
    }

    pub(crate) fn kind(&self) -> InputKind {
        match self {
            Question::Form { .. } => InputKind::Elicitation,
            Question::Model { .. } => InputKind::Sampling,
            Question::Roots => InputKind::Roots,
        }
    }

    /// Puts it into a result that asks for input (2026-07-28).
    pub(crate) fn put<'a>(&self, input: InputRequired<'a>, key: &str) -> InputRequired<'a> {
        match self {
            Question::Form { message, schema } => input.elicit(key, message, schema),
            Question::Model { .. } => input.sample(key, |w| self.write(w)),
            Question::Roots => input.roots(key),
        }
    }

    /// Writes the members of the request's `params`, as the handshake revisions have them.
    pub(crate) fn write(&self, w: &mut Writer<'_>) {
        match self {
            Question::Form { message, schema } => {
                w.member_str("message", message).member_raw("requestedSchema", schema.as_bytes());
            }
            Question::Model { prompt, max_tokens } => {
                w.key("messages").begin_array().begin_object().member_str("role", "user").key("content");
                w.begin_object().member_str("type", "text").member_str("text", prompt).end_object();
                w.end_object().end_array().member_uint("maxTokens", u64::from(*max_tokens));
            }
            Question::Roots => {}
        }
    }

    /// The answer in words.
    pub(crate) fn tell(&self, answer: Value<'_>) -> String {
        match self {
            Question::Form { .. } => {
                let action = text_at(answer, &["action"]).unwrap_or_default();
                format!("Elicitation completed: action={action}, content={}", raw_at(answer, "content"))
            }
            Question::Model { .. } => {
                format!("LLM response: {}", text_at(answer, &["content", "text"]).unwrap_or_default())
            }
            Question::Roots => format!("Roots: {}", raw_at(answer, "roots")),
        }
    }
}

fn raw_at(answer: Value<'_>, key: &str) -> String {
    answer.get(key).map(|value| String::from_utf8_lossy(value.raw()).into_owned()).unwrap_or_else(|| "{}".into())
}

/// A text inside an answer, unescaped.
pub(crate) fn text_at(answer: Value<'_>, path: &[&str]) -> Option<String> {
    Some(answer.at(path)?.as_text()?.chars().collect())
}

/// The text inside the answer to an earlier question; nothing if it was not answered, or not in this shape: then it is asked again.
pub(crate) fn answered(exchange: &Exchange<'_>, key: &str, path: &[&str]) -> Option<String> {
    text_at(exchange.input_response(key)?, path)
}

const NAME_SCHEMA: &str = r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#;

pub(crate) const NAME: Question = Question::form("What is your name?", NAME_SCHEMA);
pub(crate) const FIRST_STEP: Question = Question::form("Step 1: What is your name?", NAME_SCHEMA);
pub(crate) const SECOND_STEP: Question = Question::form(
    "Step 2: What is your favorite color?",
    r#"{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}"#,
);
pub(crate) const CONFIRM: Question =
    Question::form("Please confirm", r#"{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}"#);
pub(crate) const CONTEXT: Question = Question::form(
    "What context should the prompt use?",
    r#"{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}"#,
);
/// Whom to write to; the caller says why.
pub(crate) const CONTACT_SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"username":{"type":"string","description":"User's response"},"#,
    r#""email":{"type":"string","description":"User's email address"}},"required":["username","email"]}"#
);
/// A default for every primitive type (SEP-1034).
pub(crate) const DEFAULTS: Question = Question::form(
    "Please review the form, which has defaults.",
    concat!(
        r#"{"type":"object","properties":{"name":{"type":"string","description":"User name","default":"John Doe"},"#,
        r#""age":{"type":"integer","description":"User age","default":30},"#,
        r#""score":{"type":"number","description":"User score","default":95.5},"#,
        r#""status":{"type":"string","description":"User status","enum":["active","inactive","pending"],"default":"active"},"#,
        r#""verified":{"type":"boolean","description":"Verification status","default":true}},"required":[]}"#
    ),
);
/// Every way to write an enumeration (SEP-1330).
pub(crate) const ENUMS: Question = Question::form(
    "Please choose.",
    concat!(
        r#"{"type":"object","properties":{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},"#,
        r#""titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},"#,
        r#"{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},"#,
        r#""legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"#,
        r#""enumNames":["Option One","Option Two","Option Three"]},"#,
        r#""untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},"#,
        r#""titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},"#,
        r#"{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}},"required":[]}"#
    ),
);
