//! Prompts, and suggestions for the values of arguments.

use core::ops::{Deref, DerefMut};

use serde::Deserialize;

use crate::json::{Text, Value, Writer, from_slice};
use crate::mcp::Fault;
use crate::mcp::content::{Annotations, Block};

use super::CallHandle;
use super::exchange::{Exchange, Outcome};
use super::input::InputRequired;

/// Who speaks in a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
}

impl Role {
    fn as_str(self) -> &'static str {
        match self {
            Role::User => "user",
            Role::Assistant => "assistant",
        }
    }
}

/// A request for a prompt: its arguments, and the pen for its reply.
#[derive(Debug)]
pub struct Get<'a> {
    exchange: Exchange<'a>,
    arguments: &'a mut [u8],
    description: &'static str,
}

impl<'a> Deref for Get<'a> {
    type Target = Exchange<'a>;

    fn deref(&self) -> &Exchange<'a> {
        &self.exchange
    }
}

impl<'a> DerefMut for Get<'a> {
    fn deref_mut(&mut self) -> &mut Exchange<'a> {
        &mut self.exchange
    }
}

impl<'a> Get<'a> {
    pub(crate) fn new(exchange: Exchange<'a>, arguments: &'a mut [u8], description: &'static str) -> Get<'a> {
        Get { exchange, arguments, description }
    }

    /// The arguments, read into a type; every value is a string. It can be done once; a second time is [`Fault::Internal`].
    ///
    /// # Errors
    /// The arguments do not fit the type. Returned from the handler with `?`, it answers -32602 with the reason.
    pub fn args<T: Deserialize<'a>>(&mut self) -> Result<T, Fault> {
        match core::mem::take(&mut self.arguments) {
            [] => Err(Fault::Internal),
            arguments => Ok(from_slice(arguments)?),
        }
    }

    /// Answers with one message of the user, written piece by piece: `write` is called between the quotes of its text.
    ///
    /// # Errors
    /// It does not fit the transmit buffer; returned from the handler, the caller is told.
    pub fn user(self, write: impl FnOnce(&mut Writer<'_>)) -> Outcome {
        self.messages().text_with(Role::User, write).done()
    }

    /// Begins an answer of several messages.
    pub fn messages(mut self) -> Messages<'a> {
        let description = self.description;
        self.exchange.begin_result("complete").member_str("description", description).key("messages").begin_array();
        Messages { exchange: self.exchange }
    }

    /// Asks for more input before the prompt can be given (2026-07-28, *Multi Round-Trip Requests*).
    pub fn input_required(self) -> InputRequired<'a> {
        InputRequired::new(self.exchange)
    }

    /// Answers later.
    ///
    /// # Errors
    /// The table of deferred calls is full, or the id is too long to be kept; returned from the handler, the caller is told.
    pub fn defer(self, keep: impl FnOnce(CallHandle)) -> Outcome {
        self.exchange.defer(keep)
    }
}

/// The messages of a prompt, one after another. They are sent as a whole by [`done`](Messages::done).
#[derive(Debug)]
#[must_use = "the answer is sent by `done`"]
pub struct Messages<'a> {
    exchange: Exchange<'a>,
}

impl<'a> Messages<'a> {
    pub(crate) fn new(mut exchange: Exchange<'a>) -> Messages<'a> {
        exchange.begin_result("complete").key("messages").begin_array();
        Messages { exchange }
    }

    /// Adds a message of one text.
    pub fn text(self, role: Role, text: &str) -> Self {
        self.block(role, &Block::Text(text), &Annotations::NONE)
    }

    /// Adds a message of one block, annotated.
    pub fn block(mut self, role: Role, block: &Block<'_>, annotations: &Annotations<'_>) -> Self {
        let revision = self.exchange.revision();
        let w = self.exchange.pen.writer();
        w.begin_object().member_str("role", role.as_str()).key("content");
        block.write(w, annotations, revision);
        w.end_object();
        self
    }

    /// Adds a message of one text that is written piece by piece: `write` is called between the quotes.
    pub fn text_with(mut self, role: Role, write: impl FnOnce(&mut Writer<'_>)) -> Self {
        let w = self.exchange.pen.writer();
        w.begin_object().member_str("role", role.as_str()).key("content").begin_object();
        w.literal(r#""type":"text","text":"#).begin_string();
        write(w);
        w.end_string().end_object().end_object();
        self
    }

    /// Sends the answer.
    ///
    /// # Errors
    /// It does not fit the transmit buffer; returned from the handler, the caller is told.
    pub fn done(mut self) -> Outcome {
        self.exchange.pen.writer().end_array();
        self.exchange.end_result()
    }
}

/// The most values that one completion may have (2026-07-28, *Completion: Completion Results*).
pub const MAX_COMPLETIONS: u32 = 100;

/// A request for suggestions: which argument, what has been typed so far, and the pen for the reply.
#[derive(Debug)]
pub struct Complete<'a> {
    exchange: Exchange<'a>,
    argument: Text<'a>,
    value: Text<'a>,
    context: Option<Value<'a>>,
}

impl<'a> Deref for Complete<'a> {
    type Target = Exchange<'a>;

    fn deref(&self) -> &Exchange<'a> {
        &self.exchange
    }
}

impl<'a> DerefMut for Complete<'a> {
    fn deref_mut(&mut self) -> &mut Exchange<'a> {
        &mut self.exchange
    }
}

impl<'a> Complete<'a> {
    pub(crate) fn new(
        exchange: Exchange<'a>,
        argument: Text<'a>,
        value: Text<'a>,
        context: Option<Value<'a>>,
    ) -> Complete<'a> {
        Complete { exchange, argument, value, context }
    }

    /// The argument (or template variable) that is being filled in.
    #[must_use]
    pub fn argument(&self) -> Text<'a> {
        self.argument
    }

    /// What has been typed so far.
    #[must_use]
    pub fn value(&self) -> Text<'a> {
        self.value
    }

    /// The value already chosen for another argument.
    #[must_use]
    pub fn chosen(&self, argument: &str) -> Option<Value<'a>> {
        self.context?.get("arguments")?.get(argument)
    }

    /// Suggests those of `candidates` that begin with what has been typed, at most [`MAX_COMPLETIONS`] of them.
    ///
    /// # Errors
    /// They do not fit the transmit buffer; returned from the handler, the caller is told.
    pub fn matching<'s>(mut self, candidates: impl IntoIterator<Item = &'s str>) -> Outcome {
        let value = self.value;
        let w = self.exchange.begin_result("complete");
        w.key("completion").begin_object().key("values").begin_array();
        let mut total: u32 = 0;
        for candidate in candidates.into_iter().filter(|candidate| begins_with(candidate, value)) {
            if total < MAX_COMPLETIONS {
                w.string(candidate);
            }
            total = total.saturating_add(1);
        }
        w.end_array()
            .member_uint("total", u64::from(total))
            .member_bool("hasMore", total > MAX_COMPLETIONS)
            .end_object();
        self.exchange.end_result()
    }
}

fn begins_with(candidate: &str, typed: Text<'_>) -> bool {
    let mut chars = candidate.chars();
    typed.chars().all(|typed| chars.next() == Some(typed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_may_be_escaped() {
        for (candidate, typed, expected) in [
            ("python", "\"py\"", true),
            ("python", "\"\"", true),
            ("python", "\"pyx\"", false),
            ("py", "\"python\"", false),
            ("a\"b", r#""a\"""#, true),
        ] {
            let typed = Value::new(typed.as_bytes()).as_text().expect("a string");
            assert_eq!(begins_with(candidate, typed), expected, "{candidate}");
        }
    }
}
