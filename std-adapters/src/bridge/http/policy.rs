//! Which requests are let in, and how an answer's error becomes a status.

use std::net::SocketAddr;

use umcp::frame::http::HeaderText;
use umcp::json::Value;
use umcp::mcp::{Era, Method, Revision, faults};
use umcp::rpc::code;

use super::super::message::{Kind, Message, slot};
use super::request::{Field, Request};

/// The one path there is.
pub const PATH: &str = "/mcp";

/// Whose web pages may come in over HTTP, and by which names. That keeps strange pages out, and nobody else: it is no authentication.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    /// The origins of web pages, exactly as a browser sends them: `https://app.example`. On loopback the bridge's own are allowed besides. Requests
    /// without an `Origin` come from no page, and are let in.
    pub origins: Vec<String>,
    /// On loopback, values of `Host` that are let in besides the names of this machine, such as that of a proxy. Elsewhere any `Host` is.
    pub hosts: Vec<String>,
}

/// Who may come in.
#[derive(Clone, Debug)]
pub(super) struct Policy {
    /// Only whoever calls us by a name of this machine: what a browser has been sent to by another name is not meant for us.
    loopback: bool,
    allowed: Allowed,
}

/// A request that is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) code: i32,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(status: u16, message: impl Into<String>) -> Refusal {
        Refusal { status, code: code::INVALID_REQUEST, message: message.into() }
    }
}

impl Policy {
    /// For a server at this address.
    pub(super) fn new(address: SocketAddr, mut allowed: Allowed) -> Policy {
        let loopback = address.ip().is_loopback();
        if loopback {
            let own = ["localhost", "127.0.0.1", "[::1]"].map(|host| format!("http://{host}:{}", address.port()));
            allowed.origins.extend(own);
        }
        Policy { loopback, allowed }
    }

    /// Looks at the head of a request.
    pub(super) fn check(&self, request: &Request) -> Result<(), Refusal> {
        let origin = request.origin.get();
        let is_allowed = |origin: &[u8]| self.allowed.origins.iter().any(|allowed| allowed.as_bytes() == origin);
        if request.origin.conflicts() || origin.is_some_and(|origin| !is_allowed(origin)) {
            return Err(Refusal::new(403, "Forbidden: this Origin is not allowed"));
        }
        if request.host.conflicts() || !request.host.is_given() {
            return Err(Refusal::new(400, "Bad Request: one Host header is required"));
        }
        let is_ours = |host: &str| {
            is_this_machine(host) || self.allowed.hosts.iter().any(|known| known.eq_ignore_ascii_case(host))
        };
        if self.loopback && !request.host.text().is_some_and(is_ours) {
            return Err(Refusal::new(403, "Forbidden: this Host is not served here"));
        }
        if request.path() != PATH {
            return Err(Refusal::new(404, format!("Not Found: the endpoint is {PATH}")));
        }
        Ok(())
    }
}

fn is_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    };
    name.eq_ignore_ascii_case("localhost") || name == "127.0.0.1" || name == "[::1]"
}

/// Whether a version header is of the modern era. Of those that are not known none is legacy, since no more of these will come.
pub(super) fn is_modern(version: &Field) -> bool {
    let era = |text: &str| Revision::parse(text).map_or(Era::Modern, Revision::era);
    version.is_given() && version.text().map_or(Era::Modern, era) == Era::Modern
}

/// Whether what the headers say is what the body of a modern request says (2026-07-28, *Streamable HTTP: Server Validation*).
pub(super) fn agree(request: &Request, message: &Message) -> Result<(), Refusal> {
    let mismatch = |message: String| Err(Refusal { status: 400, code: faults::HEADER_MISMATCH, message });
    let compared = [
        ("MCP-Protocol-Version", &request.version, slot::VERSION, false),
        ("Mcp-Method", &request.mcp_method, slot::METHOD, false),
        ("Mcp-Name", &request.mcp_name, named_by(message), true),
    ];
    for (name, field, slot, encoded) in compared {
        if field.conflicts() {
            return mismatch(format!("Header mismatch: {name} is given twice"));
        }
        // What is no string is for the server to refuse; and a notification may go without.
        let Some(text) = Value::new(message.raw(slot)).as_text() else { continue };
        let Some(value) = field.get() else {
            if message.kind == Kind::Notification {
                continue;
            }
            return mismatch(format!("Header mismatch: {name} is missing"));
        };
        let text = text.to_string();
        let value = if encoded { HeaderText::new(value) } else { Ok(HeaderText::Literal(value)) };
        match value {
            Ok(value) if value.bytes().eq(text.bytes()) => {}
            Ok(_) => return mismatch(format!("Header mismatch: {name} is not what the body says")),
            Err(_) => return mismatch(format!("Header mismatch: {name} is not valid base64")),
        }
    }
    Ok(())
}

/// The member that `Mcp-Name` mirrors. Where there is none, a slot that is empty in all requests.
fn named_by(message: &Message) -> usize {
    match Method::parse(Value::new(message.raw(slot::METHOD))) {
        Some(Method::CallTool | Method::GetPrompt) => slot::NAME,
        Some(Method::ReadResource) => slot::URI,
        _ => slot::RESULT,
    }
}

/// The status that goes with an answer (2026-07-28, *Streamable HTTP*). Only modern errors have statuses of their own.
pub(super) fn status(modern: bool, error: Option<i32>) -> u16 {
    match error {
        Some(code::METHOD_NOT_FOUND) if modern => 404,
        Some(
            code::PARSE_ERROR
            | code::INVALID_REQUEST
            | code::INVALID_PARAMS
            | faults::HEADER_MISMATCH
            | faults::MISSING_CAPABILITY
            | faults::UNSUPPORTED_VERSION,
        ) if modern => 400,
        _ => 200,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use umcp::frame::http::Header;

    fn request(headers: &[(&'static str, &str)]) -> Request {
        let mut request = Request::default();
        request.target = PATH.to_owned();
        for (name, value) in headers {
            request.note(Header { name, value: value.as_bytes() });
        }
        request
    }

    type Headers<'a> = &'a [(&'static str, &'a str)];

    #[test]
    fn who_is_let_in() {
        let loopback = Policy::new(
            "127.0.0.1:80".parse().unwrap(),
            Allowed { origins: vec!["https://app.example".to_owned()], hosts: vec!["board.example:443".to_owned()] },
        );
        let open = Policy::new("10.0.0.1:80".parse().unwrap(), Allowed::default());
        let table: &[(Headers<'_>, Option<u16>, Option<u16>)] = &[
            (&[("host", "localhost:80")], None, None),
            (&[("host", "LocalHost")], None, None),
            (&[("host", "127.0.0.1:1234")], None, None),
            (&[("host", "[::1]:80")], None, None),
            (&[("host", "[::1]")], None, None),
            (&[("host", "localhost.evil.example")], Some(403), None),
            (&[("host", "evil.example:80")], Some(403), None),
            (&[("host", "Board.example:443")], None, None),
            (&[("host", "board.example")], Some(403), None),
            (&[("host", "127.0.0.1:80:80")], Some(403), None),
            (&[("host", "127.0.0.1::80")], Some(403), None),
            (&[("host", "")], Some(403), None),
            (&[], Some(400), Some(400)),
            (&[("host", "localhost"), ("host", "other")], Some(400), Some(400)),
            (&[("host", "localhost"), ("origin", "http://localhost:80")], None, Some(403)),
            (&[("host", "localhost"), ("origin", "https://app.example")], None, Some(403)),
            (&[("host", "localhost"), ("origin", "http://localhost:81")], Some(403), Some(403)),
            (&[("host", "localhost"), ("origin", "http://localhost:80.evil.example")], Some(403), Some(403)),
            (&[("host", "localhost"), ("origin", "null")], Some(403), Some(403)),
            (&[("host", "localhost"), ("origin", "")], Some(403), Some(403)),
        ];
        for (headers, on_loopback, elsewhere) in table {
            let status = |policy: &Policy| policy.check(&request(headers)).err().map(|refusal| refusal.status);
            assert_eq!((status(&loopback), status(&open)), (*on_loopback, *elsewhere), "{headers:?}");
        }
    }

    #[test]
    fn headers_agree_with_the_body() {
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"é","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
        let list = &call.replace("tools/call", "tools/list");
        let (version, method) = (("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"));
        let name = ("mcp-name", "=?base64?w6k=?=");
        let table: &[(&str, Headers<'_>, bool)] = &[
            (call, &[version, method, name], true),
            (call, &[method, name], false),
            (call, &[version, name], false),
            (call, &[version, method], false),
            (call, &[version, method, name, name], true),
            (call, &[version, method, name, ("mcp-name", "x")], false),
            (call, &[version, method, ("mcp-name", "=?BASE64?w6k=?=")], false),
            (call, &[version, method, ("mcp-name", "=?base64?w6k?=")], false),
            (call, &[("mcp-protocol-version", "2027-01-01"), method, name], false),
            (call, &[version, ("mcp-method", "Tools/call"), name], false),
            (list, &[version, ("mcp-method", "tools/list")], true),
            (list, &[version, ("mcp-method", "tools/list"), ("mcp-name", "ignored")], true),
        ];
        for (body, headers, expected) in table {
            let message = Message::read(body.as_bytes().to_vec()).unwrap();
            let agreed = agree(&request(headers), &message);
            assert_eq!(agreed.is_ok(), *expected, "{headers:?}: {agreed:?}");
        }
    }

    #[test]
    fn errors_have_statuses() {
        let table = [
            (None, 200),
            (Some(-32700), 400),
            (Some(-32600), 400),
            (Some(-32601), 404),
            (Some(-32602), 400),
            (Some(-32603), 200),
            (Some(-32020), 400),
            (Some(-32021), 400),
            (Some(-32022), 400),
            (Some(17), 200),
        ];
        for (code, expected) in table {
            assert_eq!(status(true, code), expected, "{code:?}");
            assert_eq!(status(false, code), 200, "{code:?}");
        }
    }
}
