//! Requests, described by how they differ from an ordinary one.

/// The members of `_meta` that every request has.
pub(crate) const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// A request to be sent.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    line: String,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
    raw: bool,
}

/// A request with this body and method, as a client of 2026-07-28 sends it.
pub(crate) fn post(method: &str, body: impl Into<Vec<u8>>) -> Request {
    let mut request = Request { line: "POST /mcp HTTP/1.1".into(), headers: Vec::new(), body: body.into(), raw: false };
    for (name, value) in [
        ("Host", "localhost:8080"),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", method),
    ] {
        request = request.with(name, value);
    }
    request
}

/// A call of a tool with these arguments.
pub(crate) fn call(tool: &str, arguments: &str) -> Request {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments},{META}}}}}"#
    );
    post("tools/call", body).with("Mcp-Name", tool)
}

/// A call that asks to be told of progress.
pub(crate) fn call_with_progress(tool: &str) -> Request {
    let meta = META.replace(r#"{"io"#, r#"{"progressToken":"p","io"#);
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}",{meta}}}}}"#);
    post("tools/call", body).with("Mcp-Name", tool)
}

/// The shortest ordinary call.
pub(crate) fn echo() -> Request {
    call("echo", r#"{"text":"hi"}"#)
}

/// A request with these parameters besides `_meta`.
pub(crate) fn ask(method: &str, params: &str) -> Request {
    let comma = if params.is_empty() { "" } else { "," };
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}{comma}{META}}}}}"#);
    post(method, body)
}

/// A subscription to the LED and to the list of tools.
pub(crate) fn listen() -> Request {
    ask("subscriptions/listen", r#""notifications":{"toolsListChanged":true,"resourceSubscriptions":["board://led"]}"#)
}

impl Request {
    /// Another first line.
    pub(crate) fn line(self, line: &str) -> Request {
        Request { line: line.into(), ..self }
    }

    /// One header more.
    pub(crate) fn with(mut self, name: &str, value: impl AsRef<[u8]>) -> Request {
        self.headers.push((name.into(), value.as_ref().to_vec()));
        self
    }

    /// Without the headers of this name.
    pub(crate) fn without(mut self, name: &str) -> Request {
        self.headers.retain(|(given, _)| !given.eq_ignore_ascii_case(name));
        self
    }

    /// With this value instead.
    pub(crate) fn set(self, name: &str, value: impl AsRef<[u8]>) -> Request {
        self.without(name).with(name, value)
    }

    /// With another body.
    pub(crate) fn body(self, body: impl Into<Vec<u8>>) -> Request {
        Request { body: body.into(), ..self }
    }

    /// Nothing is said about a body, and none is sent.
    pub(crate) fn bare(self) -> Request {
        Request { body: Vec::new(), raw: true, ..self }
    }

    /// With a body of which nothing is said but what the headers say.
    pub(crate) fn unmeasured(self) -> Request {
        Request { raw: true, ..self }
    }

    /// The body in chunks of so many bytes.
    pub(crate) fn chunked(self, size: usize) -> Request {
        let mut body = Vec::new();
        for chunk in self.body.chunks(size) {
            body.extend(format!("{:X};ext=\"1\"\r\n", chunk.len()).bytes());
            body.extend(chunk);
            body.extend(b"\r\n");
        }
        body.extend(b"0\r\nTrailer: x\r\n\r\n");
        Request { body, raw: true, ..self }.with("Transfer-Encoding", "chunked")
    }

    /// On the wire.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{}\r\n", self.line).into_bytes();
        for (name, value) in &self.headers {
            bytes.extend(name.bytes().chain(*b": ").chain(value.iter().copied()).chain(*b"\r\n"));
        }
        if !self.raw {
            bytes.extend(format!("Content-Length: {}\r\n", self.body.len()).bytes());
        }
        bytes.extend(b"\r\n");
        bytes.extend(&self.body);
        bytes
    }
}

/// A text in the form for headers that is safe for any.
pub(crate) fn sentinel(text: &str) -> String {
    format!("=?base64?{}?=", base64(text.as_bytes()))
}

/// RFC 4648, section 4, as slowly as can be.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: Vec<u8> = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
    let mut text: String = bits
        .chunks(6)
        .map(|six| {
            let value = six.iter().chain([0; 6].iter()).take(6).fold(0, |value, bit| value << 1 | bit);
            char::from(LETTERS[usize::from(value)])
        })
        .collect();
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}
