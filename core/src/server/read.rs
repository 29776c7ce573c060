//! Reading resources.

use core::ops::{Deref, DerefMut};

use crate::json::Value;
use crate::mcp::content::{Body, ResourceContents};

use super::catalog::variable;
use super::exchange::{Exchange, Outcome};
use super::input::InputRequired;
use super::{CacheScope, CallHandle};

/// A request to read a resource, and the pen for its reply.
#[derive(Debug)]
pub struct Read<'a> {
    exchange: Exchange<'a>,
    uri: &'a str,
    uri_template: &'static str,
    mime_type: Option<&'static str>,
}

impl<'a> Deref for Read<'a> {
    type Target = Exchange<'a>;

    fn deref(&self) -> &Exchange<'a> {
        &self.exchange
    }
}

impl<'a> DerefMut for Read<'a> {
    fn deref_mut(&mut self) -> &mut Exchange<'a> {
        &mut self.exchange
    }
}

impl<'a> Read<'a> {
    pub(crate) fn new(
        exchange: Exchange<'a>,
        uri: Value<'a>,
        uri_template: &'static str,
        mime_type: Option<&'static str>,
    ) -> Read<'a> {
        Read { exchange, uri: uri.as_str().unwrap_or_default(), uri_template, mime_type }
    }

    /// The URI.
    #[must_use]
    pub fn uri(&self) -> &'a str {
        self.uri
    }

    /// What stands in the URI for this variable of the template.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&'a str> {
        variable(self.uri_template, self.uri, name)
    }

    /// Answers with a text, at this URI and with the MIME type of the catalog.
    ///
    /// # Errors
    /// It does not fit the transmit buffer; returned from the handler, the caller is told.
    pub fn text(self, text: &str) -> Outcome {
        let (uri, mime_type) = (self.uri, self.mime_type);
        self.contents().push(ResourceContents { uri, mime_type, body: Body::Text(text) }).done()
    }

    /// Answers with bytes, which are encoded on the way, at this URI and with the MIME type of the catalog.
    ///
    /// # Errors
    /// It does not fit the transmit buffer; returned from the handler, the caller is told.
    pub fn blob(self, bytes: &[u8]) -> Outcome {
        let (uri, mime_type) = (self.uri, self.mime_type);
        self.contents().push(ResourceContents { uri, mime_type, body: Body::Blob(bytes) }).done()
    }

    /// Begins an answer of several contents.
    pub fn contents(mut self) -> Contents<'a> {
        self.exchange.begin_result("complete").key("contents").begin_array();
        Contents { exchange: self.exchange }
    }

    /// Asks for more input before the resource can be read (2026-07-28, *Multi Round-Trip Requests*).
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

    /// How long, in milliseconds, and by whom this answer may be kept, if not as the catalog says.
    pub fn cache(&mut self, ttl_ms: u32, scope: CacheScope) {
        self.exchange.cache = Some(super::catalog::CacheHint { ttl_ms, scope });
    }
}

/// The contents of a resource, one after another. They are sent as a whole by [`done`](Contents::done).
#[derive(Debug)]
#[must_use = "the answer is sent by `done`"]
pub struct Contents<'a> {
    exchange: Exchange<'a>,
}

impl<'a> Contents<'a> {
    pub(crate) fn new(mut exchange: Exchange<'a>) -> Contents<'a> {
        exchange.begin_result("complete").key("contents").begin_array();
        Contents { exchange }
    }

    /// Adds one.
    pub fn push(mut self, contents: ResourceContents<'_>) -> Self {
        contents.write(self.exchange.pen.writer());
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
