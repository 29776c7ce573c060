//! How an HTTP server is reached.

use std::fmt::Debug;
use std::io;

use umcp::frame::http::HeadWriter;
use umcp::io::Wire;

use crate::line::AddressError;
use crate::{Address, Interrupter, LineWire};

/// A server that is reached over HTTP: where it is, and what goes with every request.
pub trait Dial: Debug + Send + Sync {
    /// Opens a stream to it. This may take a while: every exchange has a thread of its own.
    ///
    /// # Errors
    /// It cannot be reached, for a reason that stands in the error.
    fn dial(&self) -> io::Result<Box<dyn Stream>>;

    /// The value of `Host`.
    fn host(&self) -> &str;

    /// The path of the endpoint.
    fn path(&self) -> &str;

    /// Writes headers of its own, such as `Authorization`.
    fn headers(&self, _head: &mut HeadWriter<'_>) {}
}

/// A stream to an HTTP server.
pub trait Stream: Wire<Error = io::Error> + Send {
    /// What ends a wait of it from another thread.
    fn interrupter(&self) -> Interrupter;
}

impl Stream for LineWire {
    fn interrupter(&self) -> Interrupter {
        LineWire::interrupter(self)
    }
}

/// A server at `http://HOST[:PORT][/PATH]`, without TLS.
#[derive(Clone, Debug)]
pub struct PlainHttp {
    address: Address,
    host: String,
    path: String,
}

impl PlainHttp {
    /// The server at this URL.
    ///
    /// # Errors
    /// It does not begin with `http://`, or no host follows.
    pub fn new(url: &str) -> Result<PlainHttp, AddressError> {
        let rest = url.strip_prefix("http://").unwrap_or_default();
        let at = rest.find('/').unwrap_or(rest.len());
        let (host, path) = rest.split_at(at);
        let has_port = host.rsplit_once(':').is_some_and(|(_, port)| !port.contains(']'));
        let port = if has_port { "" } else { ":80" };
        let address = format!("tcp:{host}{port}").parse()?;
        let path = if path.is_empty() { "/" } else { path };
        Ok(PlainHttp { address, host: host.to_owned(), path: path.to_owned() })
    }
}

impl Dial for PlainHttp {
    fn dial(&self) -> io::Result<Box<dyn Stream>> {
        match self.address.open() {
            Ok(wire) => Ok(Box::new(wire)),
            Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
        }
    }

    fn host(&self) -> &str {
        &self.host
    }

    fn path(&self) -> &str {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        for (url, expected) in [
            ("http://localhost:8080/mcp?x", Some(("tcp:localhost:8080", "localhost:8080", "/mcp?x"))),
            ("http://localhost", Some(("tcp:localhost:80", "localhost", "/"))),
            ("http://[::1]/a", Some(("tcp:[::1]:80", "[::1]", "/a"))),
            ("http://[::1]:1/a", Some(("tcp:[::1]:1", "[::1]:1", "/a"))),
            ("https://localhost/", None),
            ("http://", None),
            ("http:///mcp", None),
        ] {
            let parsed = PlainHttp::new(url).ok();
            let parts = parsed.as_ref().map(|parsed| (parsed.address.to_string(), parsed.host(), parsed.path()));
            let expected = expected.map(|(address, host, path)| (address.to_owned(), host, path));
            assert_eq!(parts, expected, "{url}");
        }
    }
}
