//! What a blocking call returns.

use core::fmt;

use serde::Deserialize;

use crate::client::{Content, Contents, Embedded};
use crate::json::{ReadError, Text, Value, from_slice};

/// The result of a request: a view of the receive buffer.
#[derive(Debug)]
pub struct Reply<'a> {
    result: &'a mut [u8],
}

impl<'a> Reply<'a> {
    pub(super) fn new(result: &'a mut [u8]) -> Reply<'a> {
        Reply { result }
    }

    /// The whole result, an object.
    #[must_use]
    pub fn result(&self) -> Value<'_> {
        Value::new(self.result)
    }

    /// The tool failed; the content says how.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.result().get("isError").and_then(Value::as_bool) == Some(true)
    }

    /// The blocks of a tool's content.
    #[must_use]
    pub fn content(&self) -> Contents<'_> {
        Contents::of(self.result().get("content"))
    }

    /// The text of every text block of a tool's content.
    pub fn texts(&self) -> impl Iterator<Item = Text<'_>> {
        self.content().texts()
    }

    /// The first of them.
    ///
    /// # Errors
    /// There is none.
    pub fn text(&self) -> Result<Text<'_>, NoText> {
        self.texts().next().ok_or(NoText)
    }

    /// A tool's structured result.
    #[must_use]
    pub fn structured(&self) -> Option<Value<'_>> {
        self.result().get("structuredContent")
    }

    /// A tool's structured result as a `T`. It borrows from the receive buffer and uses the reply up.
    ///
    /// # Errors
    /// [`ReadError`] says what does not fit; a result that is not structured reads as an empty text.
    pub fn into_structured<T: Deserialize<'a>>(self) -> Result<T, ReadError> {
        let (start, len) = self.structured().map_or((0, 0), |value| {
            (value.raw().as_ptr().addr().wrapping_sub(self.result.as_ptr().addr()), value.raw().len())
        });
        from_slice(self.result.get_mut(start..start.wrapping_add(len)).unwrap_or_default())
    }

    /// The contents of a resource that was read.
    pub fn contents(&self) -> impl Iterator<Item = Embedded<'_>> {
        self.result().get("contents").into_iter().flat_map(Value::items).filter_map(Embedded::read)
    }

    /// The messages of a prompt: who speaks (`user` or `assistant`), and what.
    pub fn messages(&self) -> impl Iterator<Item = (Text<'_>, Content<'_>)> {
        let messages = self.result().get("messages").into_iter().flat_map(Value::items);
        messages.filter_map(|message| Some((message.get("role")?.as_text()?, Content::read(message.get("content")?))))
    }

    /// The values that complete an argument.
    pub fn values(&self) -> impl Iterator<Item = Text<'_>> {
        let values = self.result().at(&["completion", "values"]);
        values.into_iter().flat_map(Value::items).filter_map(Value::as_text)
    }
}

/// A tool's content has no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoText;

impl fmt::Display for NoText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the tool's content has no text")
    }
}

impl core::error::Error for NoText {}
