//! [`Wanted`]: the headers somebody needs, and [`Limits`].

/// The headers a caller needs. All others are passed over without being stored, whatever their length.
///
/// ```
/// use umcp::frame::http::Wanted;
/// static WANTED: Wanted = Wanted::new(&["host", "origin", "mcp-method"]).prefix("mcp-param-");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    names: &'static [&'static str],
    prefix: Option<&'static str>,
}

impl Wanted {
    /// These headers, named in lower case.
    #[must_use]
    pub const fn new(names: &'static [&'static str]) -> Wanted {
        Wanted { names, prefix: None }
    }

    /// And all whose name begins so, in lower case; if this is empty, simply all.
    #[must_use]
    pub const fn prefix(self, prefix: &'static str) -> Wanted {
        Wanted { prefix: Some(prefix), ..self }
    }

    /// The name by which the caller knows this header: its own spelling of a name it listed, the wire's of one that has the prefix.
    pub(super) fn find<'r>(&self, name: &'r [u8]) -> Option<&'r str> {
        if let Some(listed) = find_name(self.names, name) {
            return Some(listed);
        }
        let start = name.get(..self.prefix?.len())?;
        if !start.eq_ignore_ascii_case(self.prefix?.as_bytes()) {
            return None;
        }
        core::str::from_utf8(name).ok()
    }

    /// Whether a needed name may begin so.
    pub(super) fn may_begin(&self, start: &[u8]) -> bool {
        begins_any(self.names, start) || self.prefix.is_some_and(|prefix| overlap(prefix, start))
    }
}

/// The name among these.
pub(super) fn find_name(names: &[&'static str], name: &[u8]) -> Option<&'static str> {
    let last = name.last()?.to_ascii_lowercase();
    // Most differ in length or in their last letter, which is soon seen.
    let mut alike =
        names.iter().copied().filter(|listed| listed.len() == name.len() && listed.as_bytes().last() == Some(&last));
    alike.find(|listed| listed.as_bytes().eq_ignore_ascii_case(name))
}

/// Whether one of these names begins so.
pub(super) fn begins_any(names: &[&str], start: &[u8]) -> bool {
    names.iter().any(|name| name.as_bytes().get(..start.len()).is_some_and(|name| name.eq_ignore_ascii_case(start)))
}

/// Whether they agree as far as both of them reach.
fn overlap(prefix: &str, start: &[u8]) -> bool {
    prefix.bytes().zip(start).all(|(a, b)| a.eq_ignore_ascii_case(b))
}

/// How much of a head is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest first line and the longest needed header, in bytes with the line's end: the size of the buffer in which the caller keeps
    /// the bytes not taken yet. A buffer smaller than this never gets to the end of such a line.
    pub line: u32,
    /// The longest head, in bytes from the first to the end of the empty line, and with any empty lines before it. It bounds the time that
    /// is spent on headers nobody needs. A response's interim heads (1xx) count as part of it.
    pub head: u32,
}

impl Limits {
    /// The head limit unless another is set: 64 KiB.
    pub const DEFAULT_HEAD: u32 = 64 * 1024;

    /// For a buffer of so many bytes, with the default limit of the whole.
    #[must_use]
    pub const fn buffer(len: usize) -> Limits {
        let line = if len > u32::MAX as usize { u32::MAX } else { len as u32 };
        Limits { line, head: Limits::DEFAULT_HEAD }
    }

    /// With a head of at most so many bytes.
    #[must_use]
    pub const fn head(self, bytes: u32) -> Limits {
        Limits { head: bytes, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static WANTED: Wanted = Wanted::new(&["host", "mcp-method"]).prefix("mcp-param-");

    #[test]
    fn names_are_found_in_any_case() {
        for (name, expected) in [
            ("host", Some("host")),
            ("Host", Some("host")),
            ("MCP-METHOD", Some("mcp-method")),
            ("Mcp-Param-Region", Some("Mcp-Param-Region")),
            ("mcp-param-", Some("mcp-param-")),
            ("mcp-param", None),
            ("hos", None),
            ("hosts", None),
            ("mcp-name", None),
        ] {
            assert_eq!(WANTED.find(name.as_bytes()), expected, "{name}");
        }
        assert_eq!(Wanted::new(&[]).find(b"host"), None);
    }

    #[test]
    fn a_name_is_given_up_as_soon_as_it_can_be_none_of_them() {
        for (start, expected) in [
            ("", true),
            ("h", true),
            ("HOS", true),
            ("host", true),
            ("hosts", false),
            ("M", true),
            ("mcp-p", true),
            ("Mcp-Param-anything-at-all", true),
            ("mcp-x", false),
            ("x", false),
        ] {
            assert_eq!(WANTED.may_begin(start.as_bytes()), expected, "{start}");
        }
        assert!(!Wanted::new(&[]).may_begin(b"h"));
    }
}
