//! Answering a call that was deferred.

use core::ops::{Deref, DerefMut};

use serde::Serialize;

use crate::mcp::Method;

use super::call::ToolResult;
use super::exchange::{Exchange, Outcome};
use super::prompt::Messages;
use super::read::Contents;

/// The pen for a call that was deferred. End with one of the methods that return an [`Outcome`], or with an error, which answers the
/// call with a JSON-RPC error.
#[derive(Debug)]
pub struct Reply<'a> {
    exchange: Exchange<'a>,
}

impl<'a> Deref for Reply<'a> {
    type Target = Exchange<'a>;

    fn deref(&self) -> &Exchange<'a> {
        &self.exchange
    }
}

impl<'a> DerefMut for Reply<'a> {
    fn deref_mut(&mut self) -> &mut Exchange<'a> {
        &mut self.exchange
    }
}

impl<'a> Reply<'a> {
    pub(crate) fn new(exchange: Exchange<'a>) -> Reply<'a> {
        Reply { exchange }
    }

    /// Answers a tool call with a text.
    ///
    /// # Errors
    /// It does not fit the transmit buffer; the caller is then told.
    pub fn text(self, text: &str) -> Outcome {
        self.content().say(text, false)
    }

    /// Answers that the tool failed, in words that help a model to do better (`isError`).
    ///
    /// # Errors
    /// It does not fit the transmit buffer; the caller is then told.
    pub fn fail(self, text: &str) -> Outcome {
        self.content().say(text, true)
    }

    /// Answers a tool call with structured content.
    ///
    /// # Errors
    /// It does not fit the transmit buffer, or cannot be written as JSON; the caller is then told.
    pub fn structured<T: Serialize + ?Sized>(self, value: &T) -> Outcome {
        self.content().structured(value).done()
    }

    /// Begins an answer of several blocks, to a tool call.
    pub fn content(self) -> ToolResult<'a> {
        let reply = self.fit(Method::CallTool);
        ToolResult::new(reply.exchange)
    }

    /// Begins the answer to a request to read a resource.
    pub fn contents(self) -> Contents<'a> {
        Contents::new(self.fit(Method::ReadResource).exchange)
    }

    /// Begins the answer to a request for a prompt.
    pub fn messages(self) -> Messages<'a> {
        Messages::new(self.fit(Method::GetPrompt).exchange)
    }

    /// Notes whether an answer of this kind fits the request; one that does not is refused with [`Fault::Internal`](crate::mcp::Fault::Internal).
    fn fit(mut self, method: Method) -> Self {
        self.exchange.fits = self.exchange.request.method == method;
        self
    }
}
