//! The head that a message is sent with: the body's own words, where whoever only reads heads finds them
//! (2026-07-28, *Streamable HTTP: Request Metadata*).

use super::annotations::Annotations;
use super::target::Target;
use crate::frame::http::{HeadFault, HeadWriter};
use crate::json::{Text, Utf8, Value};
use crate::mcp::{Era, Method, Revision};

/// What a head is written from, beside its message.
pub(super) struct Post<'t, 'a> {
    pub(super) target: &'t dyn Target,
    pub(super) revision: Revision,
    /// Of a legacy server; empty if there is none.
    pub(super) session: &'a [u8],
    pub(super) annotations: Annotations<'a>,
    /// Where a 2024-11-05 server wants its messages.
    pub(super) endpoint: Option<&'a str>,
    /// It leaves on a stream of its own.
    pub(super) errand: bool,
    /// How many bytes of it are to come that are not there yet.
    pub(super) more: u64,
    /// How long the head may be.
    pub(super) room: usize,
}

impl Post<'_, '_> {
    /// Writes the head of this message; how long it is.
    pub(super) fn write(&self, buf: &mut [u8], message: &[u8]) -> Result<usize, HeadFault> {
        let mut head = HeadWriter::request(buf, "POST", self.endpoint.unwrap_or(self.target.path()));
        head.header("Host", self.target.host().as_bytes());
        head.header("Content-Type", b"application/json").header("Accept", b"application/json, text/event-stream");
        if self.errand {
            head.header("Connection", b"close");
        }
        self.mirror(&mut head, Value::new(message));
        self.target.headers(&mut head);
        head.number("Content-Length", self.more.saturating_add(message.len() as u64));
        self.agent(&mut head);
        head.finish().map(|head| head.len)
    }

    /// Writes a head that goes without a message; how long it is.
    #[cfg(feature = "legacy")]
    pub(super) fn write_bare(&self, buf: &mut [u8], verb: &str, last_event: &[u8]) -> Result<usize, HeadFault> {
        let mut head = HeadWriter::request(buf, verb, self.target.path());
        head.header("Host", self.target.host().as_bytes());
        if verb == "GET" {
            head.header("Accept", b"text/event-stream");
        }
        if self.revision.era() == Era::Legacy {
            self.legacy(&mut head, false);
        }
        if !last_event.is_empty() {
            head.header("Last-Event-ID", last_event);
        }
        self.target.headers(&mut head);
        self.agent(&mut head);
        head.finish().map(|head| head.len)
    }

    fn agent(&self, head: &mut HeadWriter<'_>) {
        if let Some(agent) = self.target.agent() {
            head.spare("User-Agent", agent.as_bytes(), self.room);
        }
    }

    fn mirror(&self, head: &mut HeadWriter<'_>, message: Value<'_>) {
        let method = message.get("method");
        let method_is = |one: Method| method.is_some_and(|method| method.is_str(one.as_str()));
        if self.revision.era() == Era::Legacy || method_is(Method::Initialize) {
            self.legacy(head, method_is(Method::Initialize));
            return;
        }
        head.header("MCP-Protocol-Version", self.revision.as_str().as_bytes());
        if let Some(method) = method.and_then(Value::as_text) {
            head.text("Mcp-Method", bytes(method));
        }
        let param = |name: &str| message.get("params").and_then(|params| params.get(name));
        let name = match () {
            () if method_is(Method::CallTool) || method_is(Method::GetPrompt) => param("name"),
            () if method_is(Method::ReadResource) => param("uri"),
            () => None,
        };
        if let Some(name) = name.and_then(Value::as_text) {
            head.text("Mcp-Name", bytes(name));
        }
        if let (true, Some(tool)) = (method_is(Method::CallTool), param("name")) {
            self.annotations.mirror(tool, param("arguments"), head);
        }
    }

    /// The handshake comes before there is a version or a session to name.
    fn legacy(&self, head: &mut HeadWriter<'_>, is_handshake: bool) {
        if is_handshake || self.endpoint.is_some() {
            return;
        }
        head.header("MCP-Protocol-Version", self.revision.as_str().as_bytes());
        if !self.session.is_empty() {
            head.header("Mcp-Session-Id", self.session);
        }
    }
}

/// The text as UTF-8, unescaped.
pub(super) fn bytes(text: Text<'_>) -> impl Iterator<Item = u8> + Clone {
    text.chars().flat_map(|char| Utf8::new(char).into_bytes())
}
