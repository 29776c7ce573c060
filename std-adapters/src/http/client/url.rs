//! [`Url`]: the address of a server.

use std::fmt;
use std::str::FromStr;

/// Where an HTTP server is: `http://HOST[:PORT][/PATH][?QUERY]`, or `https`.
///
/// A `#fragment` is dropped. What may not stand in a path is percent-encoded; what is percent-encoded already stays as it is. A host's name is
/// ASCII (`xn--…` for the others): to know what any other is, takes tables larger than the rest of this crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    secure: bool,
    /// Without the brackets of an IPv6 address.
    host: String,
    port: u16,
    /// As `Host` has it.
    authority: String,
    /// With the query.
    path: String,
}

/// Why a text is no [`Url`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum UrlError {
    /// It begins neither with `http://` nor with `https://`.
    Scheme,
    /// There is a name or a password before the host.
    Credentials,
    /// There is no host, or it has characters in it that no host's name has.
    Host,
    /// The port is no number from 1 to 65535.
    Port,
}

/// In words: it is what a `main` that returns it prints.
impl fmt::Debug for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UrlError::Scheme => "a server's URL begins with http:// or https://",
            UrlError::Credentials => {
                "a URL with a name or a password in it is not supported: give a token or a header instead"
            }
            UrlError::Host => {
                "the URL names no host; a name is written in ASCII (xn--...), an IPv6 address in brackets"
            }
            UrlError::Port => "the port in the URL is no number from 1 to 65535",
        })
    }
}

impl std::error::Error for UrlError {}

impl Url {
    /// Whether it is reached through TLS.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// The host: a name, or an address without brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The host and, unless it is the scheme's own, the port, as in the header `Host`.
    #[must_use]
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The path and the query.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl FromStr for Url {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Url, UrlError> {
        let (scheme, rest) = text.trim().split_once("://").ok_or(UrlError::Scheme)?;
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            _ => return Err(UrlError::Scheme),
        };
        let rest = rest.split('#').next().unwrap_or_default();
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (place, path) = rest.split_at(end);
        if place.contains('@') {
            return Err(UrlError::Credentials);
        }
        let (host, port) = split_port(place)?;
        let default = if secure { 443 } else { 80 };
        let port = match port {
            None | Some("") => default,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse().ok().filter(|port| *port > 0).ok_or(UrlError::Port)?
            }
            Some(_) => return Err(UrlError::Port),
        };
        let bracketed = host.starts_with('[');
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let is_host = if bracketed {
            bare.parse::<std::net::Ipv6Addr>().is_ok()
        } else {
            !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
        };
        if !is_host {
            return Err(UrlError::Host);
        }
        let host = host.to_ascii_lowercase();
        let authority = if port == default { host.clone() } else { format!("{host}:{port}") };
        let slash = if path.starts_with('/') { "" } else { "/" };
        let path = format!("{slash}{}", encoded(path));
        Ok(Url { secure, host: bare.to_ascii_lowercase(), port, authority, path })
    }
}

/// As it was given, less what was left out.
impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority, self.path)
    }
}

fn split_port(place: &str) -> Result<(&str, Option<&str>), UrlError> {
    let after_host = match place.strip_prefix('[') {
        Some(rest) => rest.find(']').ok_or(UrlError::Host)? + 2,
        None => place.find(':').unwrap_or(place.len()),
    };
    match place.split_at(after_host) {
        (host, "") => Ok((host, None)),
        (host, port) => Ok((host, Some(port.strip_prefix(':').ok_or(UrlError::Host)?))),
    }
}

/// With everything percent-encoded that cannot be sent in a request's target.
fn encoded(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => encoded.push_str(&format!("%{byte:02X}")),
            b'!'..=b'~' => encoded.push(char::from(byte)),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        // text, secure, host, port, authority, path
        let table = [
            ("http://localhost:8080/mcp", false, "localhost", 8080, "localhost:8080", "/mcp"),
            ("http://localhost", false, "localhost", 80, "localhost", "/"),
            ("HTTP://LocalHost:80/Mcp", false, "localhost", 80, "localhost", "/Mcp"),
            ("https://a.example/mcp?x=1#frag", true, "a.example", 443, "a.example", "/mcp?x=1"),
            ("https://a.example:8443?x=1", true, "a.example", 8443, "a.example:8443", "/?x=1"),
            ("http://[::1]:3000/", false, "::1", 3000, "[::1]:3000", "/"),
            ("http://[::1]", false, "::1", 80, "[::1]", "/"),
            ("http://127.0.0.1:1/a b/%20\u{e9}", false, "127.0.0.1", 1, "127.0.0.1:1", "/a%20b/%20%C3%A9"),
            ("http://h:/x", false, "h", 80, "h", "/x"),
            ("http://h/{x}\"<>", false, "h", 80, "h", "/%7Bx%7D%22%3C%3E"),
        ];
        for (text, secure, host, port, authority, path) in table {
            let url: Url = text.parse().expect(text);
            let parts = (url.is_secure(), url.host(), url.port(), url.authority(), url.path());
            assert_eq!(parts, (secure, host, port, authority, path), "{text}");
            assert_eq!(url.to_string().parse(), Ok(url), "{text}");
        }
    }

    #[test]
    fn what_is_no_url() {
        for (text, error) in [
            ("", UrlError::Scheme),
            ("localhost:80", UrlError::Scheme),
            ("ftp://h/", UrlError::Scheme),
            ("http:/h/", UrlError::Scheme),
            ("http://", UrlError::Host),
            ("http:///mcp", UrlError::Host),
            ("http://:80/", UrlError::Host),
            ("http://a b/", UrlError::Host),
            ("http://\u{e9}.example/", UrlError::Host),
            ("http://[::1/", UrlError::Host),
            ("http://[nonsense]/", UrlError::Host),
            ("http://[::1]x/", UrlError::Host),
            ("http://user:pass@h/", UrlError::Credentials),
            ("http://h:0/", UrlError::Port),
            ("http://h:65536/", UrlError::Port),
            ("http://h:+1/", UrlError::Port),
            ("http://h:x/", UrlError::Port),
            ("http://::1/", UrlError::Port),
        ] {
            assert_eq!(text.parse::<Url>(), Err(error), "{text}");
        }
    }
}
