//! Asking the client for more before a request can be answered.

use crate::json::Writer;
use crate::mcp::{ClientCapabilities, Era, Fault, InputKind};

use super::exchange::{Exchange, Outcome};

/// A reply that asks for more input (`input_required`, 2026-07-28, *Multi Round-Trip Requests*): the client answers by sending the
/// request again, with [`input_response`](Exchange::input_response) for each question and with
/// [`request_state`](Exchange::request_state). The server keeps nothing meanwhile.
///
/// A question may only be asked if the client [declared](Exchange::capabilities) that it can answer it; otherwise
/// [`done`](InputRequired::done) refuses the request with -32021. Clients of a legacy revision cannot be asked this way: a handler
/// that serves them defers the call and lets the application use `Connection::ask`.
#[derive(Debug)]
#[must_use = "the reply is sent by `done`"]
pub struct InputRequired<'a> {
    exchange: Exchange<'a>,
    stage: Stage,
    /// What the client would have to be able to do besides.
    missing: ClientCapabilities,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nothing has been written.
    Begin,
    /// Inside `inputRequests`.
    Asking,
    /// Behind `requestState`.
    Closed,
    /// Something came behind the state.
    Failed,
}

impl<'a> InputRequired<'a> {
    pub(crate) fn new(mut exchange: Exchange<'a>) -> InputRequired<'a> {
        exchange.begin_result("input_required");
        exchange.cache = None;
        InputRequired { exchange, stage: Stage::Begin, missing: ClientCapabilities::NONE }
    }

    /// Asks the user to fill in a form. `schema` is the text of the requested schema: an object of primitive properties
    /// (2026-07-28, *Elicitation: Requested Schema*).
    pub fn elicit(mut self, key: &str, message: &str, schema: &str) -> Self {
        if !self.can().elicitation_form {
            self.missing.elicitation_form = true;
            return self;
        }
        self.ask(key, InputKind::Elicitation, |w| {
            w.member_str("mode", "form").member_str("message", message);
            w.key("requestedSchema").raw_text(schema);
        })
    }

    /// Sends the user to a URL.
    pub fn elicit_url(mut self, key: &str, message: &str, url: &str) -> Self {
        if !self.can().elicitation_url {
            self.missing.elicitation_url = true;
            return self;
        }
        self.ask(key, InputKind::Elicitation, |w| {
            w.member_str("mode", "url").member_str("message", message).member_str("url", url);
        })
    }

    /// Asks the client's model. `params` writes the members of `CreateMessageRequestParams`, of which `messages` and `maxTokens` are required.
    pub fn sample(mut self, key: &str, params: impl FnOnce(&mut Writer<'_>)) -> Self {
        if !self.can().sampling {
            self.missing.sampling = true;
            return self;
        }
        self.ask(key, InputKind::Sampling, params)
    }

    /// Asks for the client's roots.
    pub fn roots(mut self, key: &str) -> Self {
        if !self.can().roots {
            self.missing.roots = true;
            return self;
        }
        self.ask(key, InputKind::Roots, |_| {})
    }

    /// Gives the client a state to bring back with its next try. It can read and change it: protect it. It comes last, and once.
    pub fn state(mut self, state: &str) -> Self {
        self.close_questions();
        self.stage = if self.stage == Stage::Begin { Stage::Closed } else { Stage::Failed };
        self.exchange.pen.writer().member_str("requestState", state);
        self
    }

    /// Sends the reply.
    ///
    /// # Errors
    /// Questions that the client did not declare to answer, or of a legacy connection ([`Fault::MissingCapability`]); neither a question
    /// nor a state, or something behind the state ([`Fault::Internal`]); it does not fit the transmit buffer ([`Fault::ReplyTooLong`]).
    /// Returned from the handler, the caller is told.
    pub fn done(mut self) -> Outcome {
        let says_nothing = self.stage == Stage::Begin;
        self.close_questions();
        if self.missing != ClientCapabilities::NONE {
            return Err(Fault::MissingCapability(self.missing));
        }
        if says_nothing || self.stage == Stage::Failed || self.exchange.request.era() == Era::Legacy {
            return Err(Fault::Internal);
        }
        self.exchange.end_result()
    }

    /// What this client may be asked in this way.
    fn can(&self) -> ClientCapabilities {
        match self.exchange.request.era() {
            Era::Modern => self.exchange.capabilities(),
            Era::Legacy => ClientCapabilities::NONE,
        }
    }

    fn ask(mut self, key: &str, kind: InputKind, params: impl FnOnce(&mut Writer<'_>)) -> Self {
        let w = self.exchange.pen.writer();
        match self.stage {
            Stage::Begin => {
                w.key("inputRequests").begin_object();
                self.stage = Stage::Asking;
            }
            Stage::Asking => {}
            Stage::Closed | Stage::Failed => {
                self.stage = Stage::Failed;
                return self;
            }
        }
        w.key(key).begin_object().member_str("method", kind.as_str());
        if kind != InputKind::Roots {
            w.key("params").begin_object();
            params(w);
            w.end_object();
        }
        w.end_object();
        self
    }

    fn close_questions(&mut self) {
        if self.stage == Stage::Asking {
            self.exchange.pen.writer().end_object();
            self.stage = Stage::Begin;
        }
    }
}
