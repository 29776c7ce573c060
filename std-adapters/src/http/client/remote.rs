//! [`Remote`]: a server's URL, and what goes with every request to it.

use std::fmt;
use std::sync::Arc;

use umcp::frame::http::{HeadWriter, is_field_value, is_token};
use umcp::http::client::Target;

use super::roots::Roots;
use super::url::Url;
use super::wire::HttpWire;

/// Where an HTTP server is, and the headers that are sent to it with every request.
#[derive(Clone)]
pub struct Remote {
    url: Url,
    headers: Vec<(String, String)>,
    token: Option<Token>,
    roots: Roots,
}

/// Gives out the bearer token of the moment; `None`: the request goes without one. It is asked for every request, so one that was refreshed
/// is in the next.
pub type Token = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// Headers that the protocol writes itself.
const OWN: [&str; 10] = [
    "host",
    "content-type",
    "content-length",
    "transfer-encoding",
    "connection",
    "accept",
    "mcp-protocol-version",
    "mcp-method",
    "mcp-name",
    "mcp-session-id",
];

impl Remote {
    /// At this URL, with no headers of its own.
    #[must_use]
    pub fn new(url: Url) -> Remote {
        Remote { url, headers: Vec::new(), token: None, roots: Roots::System }
    }

    /// The URL.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// With one more header.
    ///
    /// # Errors
    /// It cannot be sent: what is wrong with it, in words.
    pub fn header(mut self, name: &str, value: &str) -> Result<Remote, String> {
        let value = value.trim();
        if !is_token(name.as_bytes()) {
            return Err(format!("`{name}` is not the name of a header"));
        }
        if OWN.iter().any(|own| own.eq_ignore_ascii_case(name)) {
            return Err(format!("the header {name} belongs to the protocol, which writes it itself"));
        }
        if !is_field_value(value.as_bytes()) {
            return Err(format!("the value of the header {name} has characters in it that cannot be sent"));
        }
        self.headers.push((name.to_owned(), value.to_owned()));
        Ok(self)
    }

    /// With a bearer token, the same for every request. A header `Authorization` goes before it.
    ///
    /// # Errors
    /// It cannot be sent.
    pub fn token(self, token: &str) -> Result<Remote, String> {
        if token.is_empty() || !is_field_value(token.as_bytes()) {
            return Err("the token has characters in it that cannot be sent".to_owned());
        }
        let token = token.to_owned();
        Ok(self.token_by(Arc::new(move || Some(token.clone()))))
    }

    /// With a bearer token that is asked for anew for every request.
    #[must_use]
    pub fn token_by(self, token: Token) -> Remote {
        Remote { token: Some(token), ..self }
    }

    /// Whom to trust, if it is on `https`.
    #[must_use]
    pub fn roots(self, roots: Roots) -> Remote {
        Remote { roots, ..self }
    }

    /// A wire to it, on which nothing is open yet.
    ///
    /// # Errors
    /// There are too many open files.
    pub fn wire(&self) -> std::io::Result<HttpWire> {
        HttpWire::new(self.url.clone(), self.roots.clone())
    }
}

impl Target for Remote {
    fn host(&self) -> &str {
        self.url.authority()
    }

    fn path(&self) -> &str {
        self.url.path()
    }

    fn agent(&self) -> Option<&str> {
        Some(concat!("umcp/", env!("CARGO_PKG_VERSION")))
    }

    fn headers(&self, head: &mut HeadWriter<'_>) {
        let authorized = self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
        if let Some(token) = self.token.as_ref().filter(|_| !authorized).and_then(|token| token()) {
            head.header_parts("Authorization", &[b"Bearer ", token.as_bytes()]);
        }
        for (name, value) in &self.headers {
            head.header(name, value.as_bytes());
        }
    }
}

/// Without the values of headers: they may be secrets.
impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Remote")
            .field("url", &self.url)
            .field("headers", &names)
            .field("token", &self.token.is_some())
            .field("roots", &self.roots)
            .finish()
    }
}
