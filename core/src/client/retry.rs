//! Answering the questions of an `input_required` result: the same request again, with answers, under a new id.

use super::config::Options;
use super::engine::Engine;
use super::error::Refused;
use super::input::{Input, InputRequired};
use super::kind::Kind;
use crate::json::{Text, Writer};
use crate::mcp::{InputKind, Method, slot};
use crate::rpc::RequestHandle;
use crate::time::Instant;

impl Engine<'_> {
    /// Sends a request again that was answered with [`Happened::InputRequired`](super::Happened::InputRequired), while
    /// that is the latest event.
    ///
    /// `method` and `params` are those of the request: nothing of it was kept. `answer` is called for each question and
    /// writes its result, one object. If it returns `false`, an elicitation is answered with `{"action":"decline"}`, and
    /// anything else refuses the retry. What the server wants back is returned byte for byte.
    ///
    /// # Errors
    /// As [`call`](Engine::call), [`Refused::NothingHeld`], and [`Refused::Declined`].
    pub fn retry(
        &mut self,
        method: Method,
        params: impl FnOnce(&mut Writer<'_>),
        mut answer: impl FnMut(Input<'_>, &mut Writer<'_>) -> bool,
        options: Options,
        now: Instant,
    ) -> Result<RequestHandle, Refused> {
        self.check()?;
        if !self.input_held {
            return Err(Refused::NothingHeld);
        }
        let kind = Kind::of_method(method.as_str()).with(options);
        self.send(kind, method.as_str(), options.patience(), now, |w, inlet| {
            params(w);
            let required = inlet.member(slot::RESULT).map(InputRequired::new).ok_or(Refused::NothingHeld)?;
            if required.requests().is_some() {
                write_answers(w, required, &mut answer)?;
            }
            if let Some(state) = required.state() {
                w.member_raw("requestState", state.raw());
            }
            Ok(())
        })
    }
}

fn write_answers(
    w: &mut Writer<'_>,
    required: InputRequired<'_>,
    answer: &mut impl FnMut(Input<'_>, &mut Writer<'_>) -> bool,
) -> Result<(), Refused> {
    w.key("inputResponses").begin_object();
    for (key, input) in required.inputs() {
        write_key(w, key);
        write_answer(w, input, |w| answer(input, w))?;
    }
    w.end_object();
    Ok(())
}

/// Writes one answer: an object, if `answer` returns `true`. If not, an elicitation is declined, and nothing else can be.
pub(super) fn write_answer<'a>(
    w: &mut Writer<'a>,
    input: Input<'_>,
    answer: impl FnOnce(&mut Writer<'a>) -> bool,
) -> Result<(), Refused> {
    let start = w.mark();
    let before = w.len();
    if answer(w) {
        let written = w.written().get(before..).unwrap_or_default();
        let is_object = w.overflowed() || matches!(written, [b'{', .., b'}']);
        return if is_object { Ok(()) } else { Err(Refused::Arguments) };
    }
    w.rollback(start);
    if input.kind() != InputKind::Elicitation {
        return Err(Refused::Declined);
    }
    w.begin_object().member_str("action", "decline").end_object();
    Ok(())
}

/// The key as the server wrote it.
fn write_key(w: &mut Writer<'_>, key: Text<'_>) {
    w.begin_string();
    key.chars().for_each(|char| {
        w.string_char(char);
    });
    w.end_string().literal(":");
}
