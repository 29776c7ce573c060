//! Requests from the server to the client, which only the handshake revisions have (2025-11-25, *Sampling*, *Elicitation*, *Roots*).

use crate::json::scan::Span;
use crate::json::{Value, Writer};
use crate::mcp::{Era, InputKind};
use crate::server::deferred::CallHandle;
use crate::server::event::Happened;
use crate::server::serve::Core;
use crate::server::{Calls, Catalog, Connection};

/// A hook that is given a client's answer to a question asked on behalf of a call: the result, or the error object. It keeps what it needs
/// of it; the call is completed later, like any that was deferred.
pub type Answered<A> = fn(&mut A, CallHandle, Result<Value<'_>, Value<'_>>);

/// What stands for an answer that was too long or too deep to be read.
const UNREADABLE: &[u8] = br#"{"code":-32600,"message":"the answer was too long or too deep to be read"}"#;

/// The answer to a question, out of the message it came in.
pub(crate) fn the_answer(span: Span, is_error: bool, text: &[u8]) -> Result<Value<'_>, Value<'_>> {
    let value = Value::new(if span.is_present() { span.of(text) } else { UNREADABLE });
    if is_error { Err(value) } else { Ok(value) }
}

impl<A> Catalog<A> {
    /// Tells the application of an answer, if that is what happened.
    pub(crate) fn tell_answer(&self, happened: Happened, text: &[u8], app: &mut A) {
        if let (Happened::Answered { call, answer, is_error }, Some(hook)) = (happened, self.answered) {
            hook(app, call, the_answer(answer, is_error, text));
        }
    }
}

/// Why the client was not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum AskError {
    /// The call was cancelled, or completed before: forget it.
    Ended,
    /// Earlier bytes have not left yet, or a question is open on this call: try again later.
    Busy,
    /// The client did not declare that it can answer this, or the call is of the modern era, where a handler answers
    /// with `input_required` instead.
    Unsupported,
    /// The question is longer than the transmit buffer.
    TooLong,
}

impl core::fmt::Display for AskError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            AskError::Ended => "the call was cancelled or completed before: forget it",
            AskError::Busy => "earlier bytes have not left yet, or a question is open on this call: try again later",
            AskError::Unsupported => "the client did not declare that it can answer this",
            AskError::TooLong => "the question is longer than the transmit buffer",
        })
    }
}

impl core::error::Error for AskError {}

impl Connection<'_> {
    /// [`Calls::ask`].
    ///
    /// # Errors
    /// [`AskError`] says why nothing was asked.
    pub fn ask(
        &mut self,
        call: CallHandle,
        kind: InputKind,
        params: impl FnOnce(&mut Writer<'_>),
    ) -> Result<(), AskError> {
        Calls::ask(self, call, kind, params)
    }
}

impl Core<'_> {
    pub(crate) fn ask(
        &mut self,
        call: CallHandle,
        kind: InputKind,
        idle: bool,
        params: impl FnOnce(&mut Writer<'_>),
    ) -> Result<(), AskError> {
        let entry = self.deferred.get(call).ok_or(AskError::Ended)?;
        if entry.revision.era() == Era::Modern || !self.session.capabilities().allow(kind) {
            return Err(AskError::Unsupported);
        }
        if !idle || entry.asking {
            return Err(AskError::Busy);
        }
        entry.asked = entry.asked.saturating_add(1);
        let question = entry.question();
        self.send(|w| {
            w.literal(r#"{"jsonrpc":"2.0","id":"#);
            question.write_id(w);
            w.key("method").string(kind.as_str());
            if kind != InputKind::Roots {
                w.key("params").begin_object();
                params(w);
                w.end_object();
            }
            w.literal("}");
        })
        .map_err(|_| AskError::TooLong)?;
        if let Some(entry) = self.deferred.get(call) {
            entry.asking = true;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::string::{String, ToString};
    use std::vec::Vec;

    use super::*;
    use crate::server::{Call, Endpoint, Event, Memory};
    use crate::time::Instant;

    #[derive(Default)]
    struct App {
        call: Option<CallHandle>,
        answers: Vec<Result<String, String>>,
    }

    static CATALOG: Catalog<App> = Catalog::new("t", "1")
        .tools(&[crate::tool!("ask", "Asks.", |app: &mut App, call: Call<'_>| {
            call.defer(|handle| app.call = Some(handle))
        })])
        .answered(|app: &mut App, call, answer| {
            assert_eq!(app.call, Some(call));
            let text = |value: Value<'_>| core::str::from_utf8(value.raw()).unwrap_or_default().to_string();
            app.answers.push(answer.map(text).map_err(text));
        });

    const GREETING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}}}}"#;
    const CALL: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask"}}"#;

    /// What the hook is told when the client answers like this; the event says the same.
    fn told(answer: &str) -> Vec<Result<String, String>> {
        let mut memory = Memory::<256, 512>::new();
        let mut connection = Connection::line(memory.lend());
        let (mut endpoint, mut app) = (Endpoint::new(&CATALOG), App::default());
        let mut events = Vec::new();
        for line in [GREETING, CALL, answer] {
            for piece in line.as_bytes().chunks(16).chain([b"\n".as_slice()]) {
                connection.receive_buffer()[..piece.len()].copy_from_slice(piece);
                connection.commit(piece.len());
                loop {
                    match connection.next_event(&mut endpoint, &mut app, Instant::ZERO) {
                        Event::NeedData => break,
                        Event::Answered { call, answer } => {
                            assert_eq!(app.call, Some(call));
                            let text = |value: Value<'_>| String::from_utf8_lossy(value.raw()).into_owned();
                            events.push(answer.map(text).map_err(text));
                        }
                        _ => {}
                    }
                    connection.transmitted(connection.transmit().len());
                }
                connection.transmitted(connection.transmit().len());
            }
            if line == CALL {
                assert_eq!(connection.ask(app.call.expect("a call"), InputKind::Roots, |_| {}), Ok(()));
                assert!(connection.transmit().starts_with(br#"{"jsonrpc":"2.0","id":"q1","method":"roots/list"}"#));
                connection.transmitted(connection.transmit().len());
            }
        }
        assert_eq!(app.answers, events);
        events
    }

    #[test]
    fn the_hook_is_given_the_answer() {
        let unreadable = String::from_utf8_lossy(UNREADABLE).into_owned();
        let long = std::format!(r#"{{"jsonrpc":"2.0","id":"q1","result":{{"roots":"{}"}}}}"#, "x".repeat(300));
        let table = [
            (r#"{"jsonrpc":"2.0","id":"q1","result":{"roots":[]}}"#, Some(Ok(r#"{"roots":[]}"#))),
            (
                r#"{"jsonrpc":"2.0","error":{"code":-1,"message":"no"},"id":"q1"}"#,
                Some(Err(r#"{"code":-1,"message":"no"}"#)),
            ),
            (&long, Some(Err(&unreadable))),
            (r#"{"jsonrpc":"2.0","id":"q2","result":{}}"#, None),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, None),
        ];
        for (answer, expected) in table {
            let expected = expected.map(|answer| answer.map(String::from).map_err(String::from));
            assert_eq!(told(answer), Vec::from_iter(expected), "{answer}");
        }
    }
}
