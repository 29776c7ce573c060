//! Whoever answers what servers ask: a user who agrees to everything, and a model of one sentence.

use serde_json::{Value, json};
use umcp::client::{Host, Input};
use umcp::json::Writer;
use umcp::mcp::{ClientCapabilities, InputKind};

use super::schema::filled;

#[derive(Debug)]
pub(crate) struct User;

/// All that can be declared.
pub(crate) const CAPABILITIES: ClientCapabilities = ClientCapabilities {
    roots: true,
    sampling: true,
    sampling_tools: false,
    elicitation_form: true,
    elicitation_url: false,
};

impl Host for User {
    fn input(&mut self, input: Input<'_>, answer: &mut Writer<'_>) -> bool {
        let answered = match input.kind() {
            InputKind::Elicitation => {
                let schema = input.schema().and_then(|schema| serde_json::from_slice(schema.raw()).ok());
                json!({ "action": "accept", "content": filled(&schema.unwrap_or(Value::Null)) })
            }
            InputKind::Sampling => {
                json!({ "role": "assistant", "content": { "type": "text", "text": "Indeed." }, "model": "none" })
            }
            InputKind::Roots => json!({ "roots": [] }),
        };
        answer.raw(answered.to_string().as_bytes());
        true
    }
}
