//! What a reply that is no answer says.

use core::fmt;

use heapless::VecView;

use crate::frame::http::Header;
use crate::split::split_once;

/// The latest reply that was no answer: its status, its hints, and as much of its text as was kept.
#[derive(Clone, Copy)]
pub struct Reply<'a> {
    pub(super) status: u16,
    pub(super) said: &'a [u8],
}

/// The headers that are kept, named as they are looked for.
const HINTS: [&str; 3] = ["www-authenticate", "mcp-auth-server", "location"];

impl<'a> Reply<'a> {
    /// The status; 0 if there was none.
    #[must_use]
    pub fn status(self) -> u16 {
        self.status
    }

    /// `WWW-Authenticate`: how the server wants to be asked (RFC 9728 has `resource_metadata` in it).
    #[must_use]
    pub fn authenticate(self) -> Option<&'a str> {
        self.hint("www-authenticate")
    }

    /// `Mcp-Auth-Server`: who gives out tokens. No standard has it, and some servers send it.
    #[must_use]
    pub fn auth_server(self) -> Option<&'a str> {
        self.hint("mcp-auth-server")
    }

    /// `Location`: where a redirect points. It is not followed: a request goes where the caller said it should.
    #[must_use]
    pub fn location(self) -> Option<&'a str> {
        self.hint("location")
    }

    /// The beginning of the body, as far as it is UTF-8.
    #[must_use]
    pub fn text(self) -> &'a str {
        self.parts().1
    }

    /// The hints and the text on one line, behind something else.
    pub(crate) fn write_words(self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in self.hints() {
            write!(f, "; {name}: {value}")?;
        }
        match self.text().trim() {
            "" => Ok(()),
            text => write!(f, "; {text}"),
        }
    }

    fn hint(self, name: &str) -> Option<&'a str> {
        self.hints().find(|(hint, _)| *hint == name).map(|(_, value)| value)
    }

    fn hints(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.parts().0.lines().filter_map(|line| split_once(line, ":"))
    }

    /// The hints, a line each behind an empty one, and behind another empty one the body.
    fn parts(self) -> (&'a str, &'a str) {
        let text = match core::str::from_utf8(self.said) {
            Ok(text) => text,
            Err(error) => {
                let valid = self.said.get(..error.valid_up_to()).unwrap_or_default();
                core::str::from_utf8(valid).unwrap_or_default()
            }
        };
        split_once(text, "\n\n").unwrap_or((text, ""))
    }
}

/// `401; www-authenticate: Bearer …; the text`, on one line.
impl fmt::Display for Reply<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.status)?;
        self.write_words(f)
    }
}

impl fmt::Debug for Reply<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Keeps a header that is a hint, in a line of its own, unless it does not fit.
pub(super) fn keep_hint(said: &mut VecView<u8>, header: Header<'_>) {
    let free = said.capacity().saturating_sub(said.len());
    if !HINTS.contains(&header.name) || header.name.len().saturating_add(header.value.len()).saturating_add(3) > free {
        return;
    }
    for part in [header.name.as_bytes(), b":", header.value, b"\n"] {
        keep(said, part);
    }
}

/// Keeps as much of these bytes as fits.
pub(super) fn keep(said: &mut VecView<u8>, bytes: &[u8]) {
    let free = said.capacity().saturating_sub(said.len());
    let fits = bytes.get(..free).unwrap_or(bytes);
    // It fits.
    let _ = said.extend_from_slice(fits);
}
