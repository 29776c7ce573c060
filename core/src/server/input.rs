//! Asking the client for more before a request can be answered.

use crate::json::Writer;
use crate::mcp::{Era, Fault, InputKind};

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
    asking: bool,
    empty: bool,
    fault: Option<Fault>,
}

impl<'a> InputRequired<'a> {
    pub(crate) fn new(mut exchange: Exchange<'a>) -> InputRequired<'a> {
        exchange.begin_result("input_required");
        exchange.cache = None;
        let fault = match exchange.request.era() {
            Era::Modern => None,
            Era::Legacy => Some(Fault::MissingCapability(InputKind::Elicitation)),
        };
        InputRequired { exchange, asking: false, empty: true, fault }
    }

    /// Asks the user to fill in a form. `schema` is the text of the requested schema: an object of primitive properties
    /// (2026-07-28, *Elicitation: Requested Schema*).
    pub fn elicit(self, key: &str, message: &str, schema: &str) -> Self {
        let allowed = self.exchange.capabilities().elicitation_form;
        self.ask(key, InputKind::Elicitation, allowed, |w| {
            w.member_str("mode", "form").member_str("message", message);
            w.member_raw("requestedSchema", schema.as_bytes());
        })
    }

    /// Sends the user to a URL.
    pub fn elicit_url(self, key: &str, message: &str, url: &str) -> Self {
        let allowed = self.exchange.capabilities().elicitation_url;
        self.ask(key, InputKind::Elicitation, allowed, |w| {
            w.member_str("mode", "url").member_str("message", message).member_str("url", url);
        })
    }

    /// Asks the client's model. `params` writes the members of `CreateMessageRequestParams`, of which `messages` and `maxTokens` are required.
    pub fn sample(self, key: &str, params: impl FnOnce(&mut Writer<'_>)) -> Self {
        let allowed = self.exchange.capabilities().sampling;
        self.ask(key, InputKind::Sampling, allowed, params)
    }

    /// Asks for the client's roots.
    pub fn roots(self, key: &str) -> Self {
        let allowed = self.exchange.capabilities().roots;
        self.ask(key, InputKind::Roots, allowed, |_| {})
    }

    /// Gives the client a state to bring back with its next try. It can read and change it: protect it.
    pub fn state(mut self, state: &str) -> Self {
        self.close_questions();
        self.empty = false;
        self.exchange.pen.writer().member_str("requestState", state);
        self
    }

    /// Sends the reply.
    ///
    /// # Errors
    /// A question that the client did not declare to answer ([`Fault::MissingCapability`]); neither a question nor a state
    /// ([`Fault::Internal`]); it does not fit the transmit buffer ([`Fault::ReplyTooLong`]). Returned from the handler, the caller is told.
    pub fn done(mut self) -> Outcome {
        self.close_questions();
        match self.fault {
            Some(fault) => Err(fault),
            None if self.empty => Err(Fault::Internal),
            None => self.exchange.end_result(),
        }
    }

    fn ask(mut self, key: &str, kind: InputKind, allowed: bool, params: impl FnOnce(&mut Writer<'_>)) -> Self {
        if !allowed {
            self.fault = self.fault.or(Some(Fault::MissingCapability(kind)));
            return self;
        }
        let w = self.exchange.pen.writer();
        if !self.asking {
            w.key("inputRequests").begin_object();
            self.asking = true;
            self.empty = false;
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
        if self.asking {
            self.exchange.pen.writer().end_object();
            self.asking = false;
        }
    }
}
