//! Tool calls.

use core::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};

use crate::arguments::{self, Arguments};
use crate::json::{Value, Writer, from_slice};
use crate::mcp::content::{Annotations, Block, Body, Link, ResourceContents};
use crate::mcp::{Era, Fault, Revision};

use super::deferred::CallHandle;
use super::exchange::{Exchange, Outcome};
use super::input::InputRequired;
use super::upload::UploadId;

/// A call of a tool: its arguments, and the pen for its reply.
///
/// A handler reads the arguments, does the work, and ends with one of the methods that return an [`Outcome`].
#[derive(Debug)]
pub struct Call<'a> {
    exchange: Exchange<'a>,
    arguments: &'a mut [u8],
    upload: Option<UploadId>,
}

impl<'a> Deref for Call<'a> {
    type Target = Exchange<'a>;

    fn deref(&self) -> &Exchange<'a> {
        &self.exchange
    }
}

impl<'a> DerefMut for Call<'a> {
    fn deref_mut(&mut self) -> &mut Exchange<'a> {
        &mut self.exchange
    }
}

impl<'a> Call<'a> {
    /// `arguments` is the canonical text of an object.
    pub(crate) fn new(exchange: Exchange<'a>, arguments: &'a mut [u8], upload: Option<UploadId>) -> Call<'a> {
        Call { exchange, arguments, upload }
    }

    /// The upload that this call has brought, all of which has been told: see [`Tool::upload`](super::Tool::upload). `None`: the argument is missing, or no string.
    #[must_use]
    pub fn upload(&self) -> Option<UploadId> {
        self.upload
    }

    /// The arguments, read into a struct that [`arguments!`](crate::arguments!) declares: what [`tool!`](crate::tool!) does before it calls a handler.
    /// Apart from the type it is as [`args`](Call::args).
    ///
    /// # Errors
    /// As those of [`args`](Call::args).
    pub fn typed<T: Arguments<'a>>(&mut self) -> Result<T, Fault> {
        match core::mem::take(&mut self.arguments) {
            [] => Err(Fault::Internal),
            text => Ok(arguments::read(text)?),
        }
    }

    /// The arguments, read into a type of serde's. Strings are borrowed from the message, in which escapes are undone: it can be done once, and a second time
    /// is [`Fault::Internal`].
    ///
    /// # Errors
    /// The arguments do not fit the type. Returned from the handler with `?`, the caller is told the reason: by a result that is an error
    /// (`isError`), so that a model can mend it; in revisions before 2025-11-25 by the error -32602.
    pub fn args<T: Deserialize<'a>>(&mut self) -> Result<T, Fault> {
        match core::mem::take(&mut self.arguments) {
            [] => Err(Fault::Internal),
            arguments => Ok(from_slice(arguments)?),
        }
    }

    /// The arguments as they stand; empty after [`args`](Call::args).
    #[must_use]
    pub fn arguments(&self) -> Value<'_> {
        Value::new(self.arguments)
    }

    /// Answers with a text.
    ///
    /// # Errors
    /// It does not fit the transmit buffer; returned from the handler, the caller is told.
    pub fn text(self, text: &str) -> Outcome {
        self.content().say(text, false)
    }

    /// Answers that the tool failed, in words that help a model to do better (`isError`).
    ///
    /// # Errors
    /// It does not fit the transmit buffer.
    pub fn fail(self, text: &str) -> Outcome {
        self.content().say(text, true)
    }

    /// Answers with structured content, and the same as a text for clients that do not know it.
    ///
    /// # Errors
    /// It does not fit the transmit buffer, or the value could not be written as JSON.
    pub fn structured<T: Serialize + ?Sized>(self, value: &T) -> Outcome {
        self.content().structured_with_text(value).done()
    }

    /// Begins an answer of several blocks.
    pub fn content(self) -> ToolResult<'a> {
        ToolResult::new(self.exchange)
    }

    /// Asks for more input before the call can be answered (2026-07-28, *Multi Round-Trip Requests*).
    pub fn input_required(self) -> InputRequired<'a> {
        InputRequired::new(self.exchange)
    }

    /// Answers later. `keep` is given the handle under which the application reports progress and completes the call, in its own loop:
    /// see [`Connection::complete`](super::Connection::complete), and `tick` of [`io::serve`](crate::io::serve).
    ///
    /// # Errors
    /// The table of deferred calls is full, or the id is too long to be kept; returned from the handler, the caller is told.
    pub fn defer(self, keep: impl FnOnce(CallHandle)) -> Outcome {
        self.exchange.defer(keep)
    }
}

/// Does `revision` know structured content such as stands from `from` on? It had none at first, and then only objects.
fn keeps_structure(revision: Revision, w: &Writer<'_>, from: usize) -> bool {
    let is_object = w.written().get(from) == Some(&b'{');
    revision >= Revision::V2026_07_28 || (revision >= Revision::V2025_06_18 && is_object)
}

/// The answer of a tool, block by block. It is sent as a whole by [`done`](ToolResult::done).
#[derive(Debug)]
#[must_use = "the answer is sent by `done`"]
pub struct ToolResult<'a> {
    exchange: Exchange<'a>,
    stage: Stage,
    is_error: bool,
    /// A block came behind the structured content, or a second one of that.
    misplaced: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nothing has been written.
    Begin,
    /// Inside `content`.
    Content,
    /// Behind `content`.
    Closed,
}

impl<'a> ToolResult<'a> {
    pub(crate) fn new(exchange: Exchange<'a>) -> ToolResult<'a> {
        ToolResult { exchange, stage: Stage::Begin, is_error: false, misplaced: false }
    }

    /// Adds a text.
    pub fn text(self, text: &str) -> Self {
        self.block(&Block::Text(text), &Annotations::NONE)
    }

    /// Adds a picture; its bytes are encoded on the way.
    pub fn image(self, data: &[u8], mime_type: &str) -> Self {
        self.block(&Block::Image { data, mime_type }, &Annotations::NONE)
    }

    /// Adds a sound; its bytes are encoded on the way.
    pub fn audio(self, data: &[u8], mime_type: &str) -> Self {
        self.block(&Block::Audio { data, mime_type }, &Annotations::NONE)
    }

    /// Adds a link to a resource.
    pub fn link(self, link: Link<'_>) -> Self {
        self.block(&Block::Link(link), &Annotations::NONE)
    }

    /// Adds a resource that is a text.
    pub fn resource_text(self, uri: &str, mime_type: &str, text: &str) -> Self {
        let contents = ResourceContents { uri, mime_type: Some(mime_type), body: Body::Text(text) };
        self.block(&Block::Resource(contents), &Annotations::NONE)
    }

    /// Adds a resource of bytes; they are encoded on the way.
    pub fn resource_blob(self, uri: &str, mime_type: &str, bytes: &[u8]) -> Self {
        let contents = ResourceContents { uri, mime_type: Some(mime_type), body: Body::Blob(bytes) };
        self.block(&Block::Resource(contents), &Annotations::NONE)
    }

    /// Adds any block, annotated.
    pub fn block(mut self, block: &Block<'_>, annotations: &Annotations<'_>) -> Self {
        self.push(block, annotations);
        self
    }

    fn push(&mut self, block: &Block<'_>, annotations: &Annotations<'_>) {
        if self.open_content() {
            let revision = self.exchange.revision();
            block.write(self.exchange.pen.writer(), annotations, revision);
        }
    }

    /// One text and no more. In place: each step that hands the result on copies it, which takes stack.
    pub(super) fn say(mut self, text: &str, is_error: bool) -> Outcome {
        self.push(&Block::Text(text), &Annotations::NONE);
        self.is_error = is_error;
        self.send()
    }

    /// Adds a text that is written piece by piece: `write` is called between the quotes.
    pub fn text_with(mut self, write: impl FnOnce(&mut Writer<'_>)) -> Self {
        if self.open_content() {
            let w = self.exchange.pen.writer();
            w.begin_object().literal(r#""type":"text","text":"#).begin_string();
            write(w);
            w.end_string().end_object();
        }
        self
    }

    /// Adds the structured content (from revision 2025-06-18 on, and before 2026-07-28 only if it is an object; otherwise it is left out).
    /// The blocks come before it.
    pub fn structured<T: Serialize + ?Sized>(self, value: &T) -> Self {
        self.structured_with(|w| {
            w.value(value);
        })
    }

    /// As [`structured`](ToolResult::structured), written by hand: one JSON value.
    pub fn structured_with(mut self, write: impl FnOnce(&mut Writer<'_>)) -> Self {
        self.misplaced |= self.stage == Stage::Closed;
        self.close_content();
        let revision = self.exchange.revision();
        let w = self.exchange.pen.writer();
        let before = w.mark();
        w.key("structuredContent");
        let from = w.len();
        write(w);
        if !keeps_structure(revision, w, from) {
            w.rollback(before);
        }
        self
    }

    /// Structured content, and before the other blocks the same as a text.
    fn structured_with_text<T: Serialize + ?Sized>(mut self, value: &T) -> Self {
        let revision = self.exchange.revision();
        let w = self.exchange.begin_result("complete");
        let begin = w.len();
        w.key("structuredContent");
        let from = w.len();
        w.value(value);
        let to = w.len();
        w.key("content").begin_array().begin_object().member_str("type", "text").key("text").string_again(from, to);
        w.end_object().end_array();
        if !keeps_structure(revision, w, from) {
            w.cut(begin, to);
        }
        self.stage = Stage::Closed;
        self
    }

    /// Says that the tool failed.
    pub fn is_error(mut self) -> Self {
        self.is_error = true;
        self
    }

    /// Sends the answer.
    ///
    /// # Errors
    /// It does not fit the transmit buffer ([`Fault::ReplyTooLong`]); a value could not be written, or something came behind the structured
    /// content ([`Fault::Internal`]); returned from the handler, the caller is told.
    pub fn done(mut self) -> Outcome {
        self.send()
    }

    fn send(&mut self) -> Outcome {
        self.close_content();
        if self.misplaced {
            return Err(Fault::Internal);
        }
        if self.is_error {
            self.exchange.pen.writer().member_bool("isError", true);
        }
        self.exchange.end_result()
    }

    /// Enters `content`, if that is still possible.
    fn open_content(&mut self) -> bool {
        self.misplaced |= self.stage == Stage::Closed;
        if self.stage == Stage::Begin {
            let has_members = self.exchange.request.era() == Era::Modern;
            let w = self.exchange.begin_result("complete");
            w.literal(if has_members { r#","content":["# } else { r#""content":["# });
            self.stage = Stage::Content;
        }
        self.stage == Stage::Content
    }

    fn close_content(&mut self) {
        if self.stage != Stage::Closed && self.open_content() {
            self.exchange.pen.writer().end_array();
            self.stage = Stage::Closed;
        }
    }
}
