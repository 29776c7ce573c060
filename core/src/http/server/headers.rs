//! The headers of one request: those that are judged as they pass, and those that are kept until the body has been read.

use super::refusal::Refusal;
use super::site::Site;
use crate::frame::http::{Header, RequestLine, Version, Wanted};
use crate::server::mirror::{Kept, Mirror};

const HOST: &str = "host";
const ORIGIN: &str = "origin";
const CONTENT_TYPE: &str = "content-type";
const ACCEPT: &str = "accept";
const VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";
const AUTHORIZATION: &str = "authorization";
pub(super) const SESSION: &str = "mcp-session-id";
pub(super) const LAST_EVENT: &str = "last-event-id";

/// All that a server reads of a head. Any other header passes without being stored, whatever its length.
pub(super) static WANTED: Wanted =
    Wanted::new(&[HOST, ORIGIN, CONTENT_TYPE, ACCEPT, VERSION, METHOD, NAME, AUTHORIZATION, SESSION, LAST_EVENT])
        .prefix("mcp-param-");

/// What the request wants done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Post,
    Get,
    Delete,
    Other,
}

/// What has been found out about a request from its head.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub(super) verb: Verb,
    pub(super) version: Version,
    is_here: bool,
    has_host: bool,
    /// It came twice.
    hosts: bool,
    host: bool,
    origin: bool,
    has_type: bool,
    pub(super) is_json: bool,
    /// What the `Accept` headers say, if there are any.
    accepts: Option<Accepts>,
    /// A header that mirrors the body came twice, and differs.
    pub(super) ambiguous: Option<&'static str>,
    /// The request was refused before its message was read: no credentials would change that.
    pub(super) refused: bool,
}

/// The two media types of replies.
#[derive(Clone, Copy, Debug)]
struct Accepts {
    json: bool,
    events: bool,
}

impl Facts {
    pub(super) const NONE: Facts = Facts {
        verb: Verb::Other,
        version: Version::Http11,
        is_here: false,
        has_host: false,
        hosts: false,
        host: true,
        origin: true,
        has_type: false,
        is_json: false,
        accepts: None,
        ambiguous: None,
        refused: false,
    };

    pub(super) fn of(line: &RequestLine<'_>, site: &Site<'_>) -> Facts {
        let verb = match line.method {
            "POST" => Verb::Post,
            "GET" => Verb::Get,
            "DELETE" => Verb::Delete,
            _ => Verb::Other,
        };
        let (is_here, host) = (site.is_here(line.target), site.allows_target(line.target));
        Facts { verb, version: line.version, is_here, host, ..Facts::NONE }
    }

    /// Judges a header, or keeps it.
    pub(super) fn note(
        &mut self,
        header: &Header<'_>,
        site: &Site<'_>,
        headers: &mut Headers<'_>,
    ) -> Result<(), Refusal> {
        match header.name {
            HOST => {
                self.hosts |= core::mem::replace(&mut self.has_host, true);
                self.host &= site.allows_host(header.value);
            }
            ORIGIN => self.origin &= site.allows_origin(header.value),
            CONTENT_TYPE => self.note_content_type(header.value),
            ACCEPT => self.accepts = Some(Accepts::read(header.value).or(self.accepts)),
            name => match headers.get(name) {
                Some(known) if known == header.value => {}
                Some(_) => match name {
                    VERSION => self.ambiguous = Some("MCP-Protocol-Version"),
                    METHOD => self.ambiguous = Some("Mcp-Method"),
                    NAME => self.ambiguous = Some("Mcp-Name"),
                    // Which of them is compared is told when the tool is known.
                    name if name.len() > "mcp-param-".len() && is_param(name) => headers.keep(name, header.value)?,
                    _ => return Err(Refusal::Duplicate),
                },
                None => headers.keep(name, header.value)?,
            },
        }
        Ok(())
    }

    /// There is one type, and not a list: what a web page sends as `text/plain;x=,application/json` is text.
    fn note_content_type(&mut self, value: &[u8]) {
        let is_first = !core::mem::replace(&mut self.has_type, true);
        self.is_json = is(without_parameters(value), "application/json") && (is_first || self.is_json);
    }

    /// May the request be, as far as its head shows?
    pub(super) fn check(&self) -> Result<(), Refusal> {
        if self.hosts || (!self.has_host && self.version == Version::Http11) {
            return Err(Refusal::NoHost);
        }
        if !self.host {
            return Err(Refusal::Host);
        }
        if !self.origin {
            return Err(Refusal::Origin);
        }
        if !self.is_here {
            return Err(Refusal::NotFound);
        }
        Ok(())
    }

    /// Can the client read a reply?
    pub(super) fn accepts_any(&self) -> bool {
        self.accepts.is_none_or(|accepts| accepts.json || accepts.events)
    }

    pub(super) fn accepts_json(&self) -> bool {
        self.accepts.is_none_or(|accepts| accepts.json)
    }

    /// Can it read a stream of events?
    pub(super) fn accepts_events(&self) -> bool {
        self.accepts.is_none_or(|accepts| accepts.events)
    }
}

impl Accepts {
    fn read(value: &[u8]) -> Accepts {
        let kinds = || value.split(|&byte| byte == b',').map(without_parameters);
        let any = |names: [&str; 3]| kinds().any(|kind| names.iter().any(|name| is(kind, name)));
        Accepts {
            json: any(["application/json", "application/*", "*/*"]),
            events: any(["text/event-stream", "text/*", "*/*"]),
        }
    }

    /// The header may come more than once: it is one list.
    fn or(self, other: Option<Accepts>) -> Accepts {
        let other = other.unwrap_or(Accepts { json: false, events: false });
        Accepts { json: self.json | other.json, events: self.events | other.events }
    }
}

fn is(kind: &[u8], name: &str) -> bool {
    kind.eq_ignore_ascii_case(name.as_bytes())
}

/// A media type, without its parameters.
fn without_parameters(kind: &[u8]) -> &[u8] {
    kind.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii()
}

fn is_param(name: &str) -> bool {
    name.get(.."mcp-param-".len()).is_some_and(|start| start.eq_ignore_ascii_case("mcp-param-"))
}

/// The lent buffer for headers that are needed later; then for the head of the reply.
#[derive(Debug)]
pub(super) struct Headers<'b> {
    buf: &'b mut [u8],
    len: usize,
}

impl<'b> Headers<'b> {
    pub(super) fn new(buf: &'b mut [u8]) -> Headers<'b> {
        Headers { buf, len: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Keeps a header, in the form that [`Kept`] reads.
    fn keep(&mut self, name: &str, value: &[u8]) -> Result<(), Refusal> {
        let (Ok(name_len), Ok(len)) = (u8::try_from(name.len()), u16::try_from(value.len())) else {
            return Err(Refusal::Headers);
        };
        let parts = [&[name_len][..], name.as_bytes(), &len.to_le_bytes(), value];
        let mut end = self.len;
        for part in parts {
            let room = self.buf.get_mut(end..).and_then(|rest| rest.get_mut(..part.len())).ok_or(Refusal::Headers)?;
            room.iter_mut().zip(part).for_each(|(slot, byte)| *slot = *byte);
            end += part.len();
        }
        self.len = end;
        Ok(())
    }

    fn kept(&self) -> Kept<'_> {
        Kept(self.buf.get(..self.len).unwrap_or_default())
    }

    /// The value of the first header of this name, which is in lower case.
    pub(super) fn get(&self, name: &str) -> Option<&[u8]> {
        let same = |kept: &[u8]| kept.len() == name.len() && kept.eq_ignore_ascii_case(name.as_bytes());
        self.kept().find(|&(kept, _)| same(kept)).map(|(_, value)| value)
    }

    /// What the engine compares with the body.
    pub(super) fn mirror(&self, facts: &Facts) -> Mirror<'_> {
        Mirror {
            version: self.get(VERSION),
            method: self.get(METHOD),
            name: self.get(NAME),
            authorization: self.get(AUTHORIZATION),
            params: self.kept(),
            ambiguous: facts.ambiguous,
        }
    }

    /// The whole buffer, for the head of the reply: what was kept is gone.
    pub(super) fn buffer(&mut self) -> &mut [u8] {
        self.len = 0;
        self.buf
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.buf
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_accepted_is_read_from_the_list() {
        for (value, json, events) in [
            ("application/json, text/event-stream", true, true),
            ("*/*", true, true),
            ("application/json", true, false),
            ("TEXT/Event-Stream;q=0.5", false, true),
            ("text/html, image/*", false, false),
            ("application/jsonx", false, false),
            ("", false, false),
        ] {
            let accepts = Accepts::read(value.as_bytes());
            assert_eq!((accepts.json, accepts.events), (json, events), "{value}");
        }
    }

    #[test]
    fn headers_are_kept_until_the_buffer_is_full() {
        let mut buf = [0; 32];
        let mut headers = Headers::new(&mut buf);
        assert_eq!(headers.keep("mcp-name", b"echo"), Ok(()));
        assert_eq!(headers.keep("Mcp-Param-A", b""), Ok(()));
        assert_eq!(headers.keep("x", b"yz"), Err(Refusal::Headers));
        assert_eq!(headers.get("mcp-name"), Some(&b"echo"[..]));
        assert_eq!(headers.get("mcp-param-a"), Some(&b""[..]));
        assert_eq!(headers.get("x"), None);
        headers.clear();
        assert_eq!(headers.get("mcp-name"), None);
    }
}
