//! What all the connections of one server share.

use crate::split::{find, split_once};
use crate::time::Duration;

/// One endpoint: where it is, who may ask, and how much of anything. Start from [`new`](Site::new) and change what differs.
#[derive(Debug)]
pub struct Site<'s> {
    /// The path of the endpoint, such as `/mcp`. A query behind it is ignored.
    pub path: &'s str,
    /// The origins whose web pages may use the server, each exactly as a browser sends it: `https://example.com`. Requests without an `Origin`
    /// do not come from a web page, and are allowed. Default: none.
    pub origins: &'s [&'s str],
    /// The server can be reached from this machine only, so `Host` has to be `localhost`, `127.0.0.1` or `[::1]`, with any port, or one of
    /// [`hosts`](Site::hosts): this keeps a web page from reaching it under a name of its own. Default: `true`.
    pub local: bool,
    /// Other values of `Host` by which a local site is reached, exactly as they are sent: what a proxy in front of it puts there. Default: none.
    pub hosts: &'s [&'s str],
    /// The longest body of a request, in bytes as they arrive, also of one with [an upload](crate::server::Tool::upload). Default: 1 MiB. (What else
    /// the engine needs of it has to fit the receive buffer.)
    pub max_body: u32,
    /// The longest head of a request, in bytes. Only the headers that are needed have to fit a buffer. Default: 64 KiB.
    pub max_head: u32,
    /// How long a request may take to arrive, from its first byte; if the application takes [an argument of it](crate::server::Tool::upload) as it arrives, from its
    /// latest piece, which is about a buffer full. Default: 30 s.
    pub request_timeout: Duration,
    /// How long a connection may be idle between requests. Default: 60 s.
    pub idle_timeout: Duration,
    /// How long the peer may take no byte of a reply before the connection is given up. Default: 30 s.
    pub write_timeout: Duration,
    /// How long a stream of events, or a call that is still open, is quiet before a comment keeps it alive. Default: 15 s.
    pub keep_alive: Duration,
    /// What the handshake revisions need. Default: none, so that only the modern era is served.
    #[cfg(feature = "legacy")]
    pub sessions: Option<super::legacy::Sessions<'s>>,
    /// The value of `WWW-Authenticate` on 401, where the `authorize` hook answered [`Fault::Unauthorized`](crate::mcp::Fault::Unauthorized).
    pub unauthorized: Option<&'s str>,
    /// The value of `WWW-Authenticate` on 403, where it answered [`Fault::Forbidden`](crate::mcp::Fault::Forbidden).
    pub forbidden: Option<&'s str>,
}

impl<'s> Site<'s> {
    /// The defaults, at this path.
    #[must_use]
    pub const fn new(path: &'s str) -> Site<'s> {
        Site {
            path,
            origins: &[],
            local: true,
            hosts: &[],
            max_body: 1024 * 1024,
            max_head: crate::frame::http::Limits::DEFAULT_HEAD,
            request_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(60),
            write_timeout: Duration::from_secs(30),
            keep_alive: Duration::from_secs(15),
            #[cfg(feature = "legacy")]
            sessions: None,
            unauthorized: None,
            forbidden: None,
        }
    }

    /// Whether a target is this endpoint.
    pub(super) fn is_here(&self, target: &str) -> bool {
        split_target(target).1 == self.path
    }

    /// Whether the server may be called by the host that a target names, if it names one.
    pub(super) fn allows_target(&self, target: &str) -> bool {
        split_target(target).0.is_none_or(|host| self.allows_host(host.as_bytes()))
    }

    /// Whether a page of this origin may ask.
    pub(super) fn allows_origin(&self, origin: &[u8]) -> bool {
        self.origins.iter().any(|allowed| allowed.as_bytes() == origin)
    }

    /// Whether the server may be called by this name.
    pub(super) fn allows_host(&self, host: &[u8]) -> bool {
        !self.local || is_local(host) || self.hosts.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(host))
    }
}

/// The host of a target, which only the absolute form has that proxies are sent (RFC 9112, section 3.2.2), and its path.
fn split_target(target: &str) -> (Option<&str>, &str) {
    let target = split_once(target, "?").map_or(target, |(target, _query)| target);
    match split_once(target, "://") {
        Some((_, rest)) if !target.starts_with('/') => {
            let (host, path) = rest.split_at_checked(find(rest, "/").unwrap_or(rest.len())).unwrap_or_default();
            (Some(host), path)
        }
        _ => (None, target),
    }
}

/// A name of this machine, with any port or none.
fn is_local(host: &[u8]) -> bool {
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|name| {
        let Some((given, port)) = host.split_at_checked(name.len()) else { return false };
        let is_port = match port {
            [] => true,
            [b':', digits @ ..] => digits.iter().all(u8::is_ascii_digit),
            _ => false,
        };
        given.eq_ignore_ascii_case(name.as_bytes()) && is_port
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_the_endpoint_or_is_not() {
        let site = Site::new("/mcp");
        for (target, expected) in [
            ("/mcp", true),
            ("/mcp?a=b", true),
            ("http://localhost:80/mcp", true),
            ("http://localhost:80/mcp?x", true),
            ("/mcp/", false),
            ("/", false),
            ("*", false),
            ("http://localhost/", false),
            ("http://localhost", false),
            ("/http://x/mcp", false),
            ("/MCP", false),
        ] {
            assert_eq!(site.is_here(target), expected, "{target}");
        }
    }

    #[test]
    fn a_target_names_this_machine_or_none() {
        for (target, expected) in [
            ("/mcp", true),
            ("/mcp?to=http://evil.example/", true),
            ("http://127.0.0.1:80/mcp", true),
            ("http://LOCALHOST/mcp?x", true),
            ("http://evil.example/mcp", false),
            ("http://localhost@evil.example/mcp", false),
            ("http:///mcp", false),
            ("x://", false),
        ] {
            assert_eq!(Site::new("/mcp").allows_target(target), expected, "{target}");
            assert!(Site { local: false, ..Site::new("/mcp") }.allows_target(target), "{target}");
        }
    }

    #[test]
    fn a_host_is_this_machine_or_is_not() {
        for (host, expected) in [
            ("localhost", true),
            ("LOCALHOST:80", true),
            ("127.0.0.1:8080", true),
            ("[::1]:1", true),
            ("[::1]", true),
            ("localhost:", true),
            ("localhost.evil.example", false),
            ("localhost:80.evil.example", false),
            ("127.0.0.10", false),
            ("evil.example", false),
            ("::1", false),
            ("", false),
        ] {
            assert_eq!(is_local(host.as_bytes()), expected, "{host}");
        }
    }

    #[test]
    fn an_origin_is_allowed_exactly() {
        let site = Site { origins: &["https://a.example"], ..Site::new("/mcp") };
        for (origin, expected) in [
            ("https://a.example", true),
            ("https://a.example/", false),
            ("https://A.example", false),
            ("https://a.example.evil", false),
            ("http://a.example", false),
            ("null", false),
            ("", false),
        ] {
            assert_eq!(site.allows_origin(origin.as_bytes()), expected, "{origin}");
        }
    }
}
