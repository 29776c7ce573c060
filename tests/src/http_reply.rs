//! Replies of an HTTP server as a client reads them: heads by `httparse`, the rest by a reader of its own, which forgives nothing.

use serde_json::Value;

/// One reply, interim ones included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The headers as they were sent.
    pub headers: Vec<(String, String)>,
    /// The payload of the body.
    pub body: Vec<u8>,
    /// It has come to its end.
    pub whole: bool,
}

/// All the replies in what a server has sent. `ended`: it has closed its side.
///
/// # Errors
/// What is not HTTP, or does not end where it says.
pub fn read_all(mut out: &[u8], ended: bool) -> Result<Vec<Reply>, String> {
    let mut replies = Vec::new();
    while !out.is_empty() {
        let Some(reply) = take(&mut out, ended)? else { break };
        let whole = reply.whole;
        replies.push(reply);
        if !whole {
            break;
        }
    }
    Ok(replies)
}

/// Takes the first reply off `out`, or as much of it as there is. `None`: its head is not whole.
///
/// # Errors
/// What is not HTTP.
pub fn take(out: &mut &[u8], ended: bool) -> Result<Option<Reply>, String> {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut head = httparse::Response::new(&mut headers);
    let len = match head.parse(out) {
        Ok(httparse::Status::Complete(len)) => len,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(error) => return Err(format!("{error}: {}", String::from_utf8_lossy(out))),
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut reply = Reply {
        status: head.code.unwrap_or_default(),
        headers: head.headers.iter().map(|header| (header.name.to_owned(), text(header.value))).collect(),
        body: Vec::new(),
        whole: false,
    };
    *out = out.get(len..).unwrap_or_default();
    if head.version != Some(1) {
        return Err("a server of HTTP/1.1 says so".to_owned());
    }
    reply.read_body(out, ended)?;
    reply.check()?;
    Ok(Some(reply))
}

impl Reply {
    /// The value of a header that may be there once.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Whether the body is a stream of events.
    #[must_use]
    pub fn is_events(&self) -> bool {
        self.header("Content-Type") == Some("text/event-stream")
    }

    /// Whether the server closes the connection behind it.
    #[must_use]
    pub fn closes(&self) -> bool {
        self.header("Connection") == Some("close")
    }

    /// The messages in the body: the one JSON text, or the data of each whole event.
    ///
    /// # Panics
    /// One of them is no JSON.
    #[must_use]
    pub fn messages(&self) -> Vec<Value> {
        let json = |text: &[u8]| -> Value {
            serde_json::from_slice(text).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(text)))
        };
        if self.is_events() {
            return self.events().iter().filter_map(|event| event.as_deref().map(json)).collect();
        }
        if self.body.is_empty() || !self.whole { Vec::new() } else { vec![json(&self.body)] }
    }

    /// The comments of the stream.
    #[must_use]
    pub fn comments(&self) -> usize {
        self.events().iter().filter(|event| event.is_none()).count()
    }

    /// The only message.
    ///
    /// # Panics
    /// There are more, or none.
    #[must_use]
    pub fn message(&self) -> Value {
        let mut messages = self.messages();
        assert_eq!(messages.len(), 1, "{self:?}");
        messages.remove(0)
    }

    /// The data of each whole event, or nothing for a comment.
    fn events(&self) -> Vec<Option<Vec<u8>>> {
        let text = String::from_utf8_lossy(&self.body);
        let whole = text.rfind("\n\n").map_or("", |end| text.get(..end).unwrap_or_default());
        let blocks = whole.split("\n\n").filter(|block| !block.is_empty());
        blocks
            .map(|block| match block.strip_prefix("data: ") {
                Some(data) if !data.contains('\n') => Some(data.as_bytes().to_vec()),
                _ if block == ":" => None,
                _ => panic!("neither an event of one line nor a comment: {block:?}"),
            })
            .collect()
    }

    fn read_body(&mut self, out: &mut &[u8], ended: bool) -> Result<(), String> {
        let length =
            self.header("Content-Length").map(|value| value.parse::<usize>().map_err(|error| error.to_string()));
        let coding = self.header("Transfer-Encoding").map(str::to_owned);
        match (length.transpose()?, coding.as_deref()) {
            (None, None) if (100..200).contains(&self.status) => self.whole = true,
            (Some(length), None) => {
                let body = out.get(..length.min(out.len())).unwrap_or_default();
                self.body = body.to_vec();
                self.whole = body.len() == length;
                *out = out.get(body.len()..).unwrap_or_default();
            }
            (None, Some("chunked")) => while !self.whole && self.read_chunk(out)? {},
            (None, None) if self.closes() => {
                self.body = out.to_vec();
                self.whole = ended;
                *out = &[];
            }
            other => return Err(format!("where does the body end? {other:?}")),
        }
        Ok(())
    }

    /// `false`: it is not whole.
    fn read_chunk(&mut self, out: &mut &[u8]) -> Result<bool, String> {
        let Some(end) = out.windows(2).position(|pair| pair == b"\r\n") else { return Ok(false) };
        let digits = String::from_utf8_lossy(out.get(..end).unwrap_or_default()).into_owned();
        let size = usize::from_str_radix(&digits, 16).map_err(|error| format!("{error}: {digits:?}"))?;
        let chunk = out.get(end + 2..).unwrap_or_default();
        if size == 0 {
            self.whole = chunk.starts_with(b"\r\n");
            *out = chunk.get(2..).unwrap_or_default();
            return if self.whole || chunk.len() < 2 {
                Ok(self.whole)
            } else {
                Err("no end behind the last chunk".into())
            };
        }
        let Some(payload) = chunk.get(..size) else {
            self.body.extend_from_slice(chunk);
            return Ok(false);
        };
        self.body.extend_from_slice(payload);
        match chunk.get(size..).unwrap_or_default() {
            [b'\r', b'\n', rest @ ..] => {
                *out = rest;
                Ok(true)
            }
            [] | [b'\r'] => Ok(false),
            _ => Err("a chunk does not end where it says".to_owned()),
        }
    }

    /// What every reply of an MCP server is.
    fn check(&self) -> Result<(), String> {
        let kind = self.header("Content-Type");
        let no_body = self.header("Content-Length") == Some("0") || (100..200).contains(&self.status);
        let event_fields = ["id:", "event:", "retry:"];
        let text = String::from_utf8_lossy(&self.body);
        match kind {
            None if no_body => Ok(()),
            Some("application/json") if !no_body => Ok(()),
            Some("text/event-stream") if self.status != 200 => Err("a stream of another status than 200".to_owned()),
            Some("text/event-stream") if self.header("X-Accel-Buffering") != Some("no") => {
                Err("a proxy may hold it".into())
            }
            Some("text/event-stream")
                if text.lines().any(|line| event_fields.iter().any(|name| line.starts_with(name))) =>
            {
                Err("an event with an id, a name or a time".to_owned())
            }
            Some("text/event-stream") => Ok(()),
            _ => Err(format!("{kind:?}, {} bytes", self.body.len())),
        }
    }
}
