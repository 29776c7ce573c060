//! [`Entry`].

use umcp::json::{Text, Value};

/// One entry of a list, with the members that all lists have in common; the rest is in [`json`](Entry::json).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    key: String,
    description: String,
    json: String,
}

impl Entry {
    pub(crate) fn new(item: Value<'_>, key: &str) -> Entry {
        let text = |member: &str| item.get(member).and_then(Value::as_text).map(|text: Text<'_>| text.to_string());
        Entry {
            key: text(key).unwrap_or_default(),
            description: text("description").or_else(|| text("title")).unwrap_or_default(),
            json: String::from_utf8_lossy(item.raw()).into_owned(),
        }
    }

    /// What it is asked for by: a name, a URI, a URI template.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.key
    }

    /// What it is, in words; empty if the server does not say.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// All of it, as the server wrote it, in JSON.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.json
    }
}
