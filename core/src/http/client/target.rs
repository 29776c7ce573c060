//! Where requests go, and what the caller adds to each.

use crate::frame::http::HeadWriter;

/// A server's address as its requests name it, and the headers that the caller adds to each: the token, for one.
///
/// It is asked anew for every request, so a token that has been refreshed is in the next one. `&'static str` hosts and paths make an
/// [`Endpoint`]; a program that reads a URL implements this for what it keeps of it.
pub trait Target: Sync {
    /// What goes into `Host`: the host's name or address, and the port unless it is the scheme's own: `example.com`, `[::1]:8080`.
    fn host(&self) -> &str;

    /// The path and, behind a `?`, the query: `/mcp`. Visible ASCII characters only.
    fn path(&self) -> &str;

    /// What goes into `User-Agent`: a name and a version, `umcp/1.0`. It is left out where there is no room for it. None by default.
    fn agent(&self) -> Option<&str> {
        None
    }

    /// Writes headers beside those of the protocol: `Authorization`, and whatever the server or a proxy wants. The same ones if asked twice.
    /// Nothing is written by default.
    ///
    /// ```
    /// use umcp::frame::http::HeadWriter;
    /// use umcp::http::client::Target;
    ///
    /// struct Guarded { token: &'static str }
    ///
    /// impl Target for Guarded {
    ///     fn host(&self) -> &str { "mcp.example.com" }
    ///     fn path(&self) -> &str { "/mcp" }
    ///     fn headers(&self, head: &mut HeadWriter<'_>) {
    ///         head.header_parts("Authorization", &[b"Bearer ", self.token.as_bytes()]);
    ///     }
    /// }
    /// ```
    fn headers(&self, head: &mut HeadWriter<'_>) {
        let _ = head;
    }
}

/// A [`Target`] that adds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint<'a> {
    /// See [`Target::host`].
    pub host: &'a str,
    /// See [`Target::path`].
    pub path: &'a str,
}

impl Target for Endpoint<'_> {
    fn host(&self) -> &str {
        self.host
    }

    fn path(&self) -> &str {
        self.path
    }
}
