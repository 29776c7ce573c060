//! A request as it has come in.

use umcp::frame::http::{Header, Wanted};

pub(super) static WANTED: Wanted = Wanted::new(&[
    "host",
    "origin",
    "content-type",
    "accept",
    "mcp-protocol-version",
    "mcp-method",
    "mcp-name",
    "mcp-session-id",
]);

/// A header: absent, there, or there twice with values that differ.
#[derive(Debug, Default)]
pub(super) struct Field {
    value: Option<Vec<u8>>,
    conflict: bool,
}

impl Field {
    fn put(&mut self, value: &[u8]) {
        match &self.value {
            Some(other) => self.conflict |= other != value,
            None => self.value = Some(value.to_vec()),
        }
    }

    /// Its value; `None` if it is absent.
    pub(super) fn get(&self) -> Option<&[u8]> {
        self.value.as_deref()
    }

    /// Its value, as text.
    pub(super) fn text(&self) -> Option<&str> {
        std::str::from_utf8(self.get()?).ok()
    }

    pub(super) fn is_given(&self) -> bool {
        self.value.is_some()
    }

    pub(super) fn conflicts(&self) -> bool {
        self.conflict
    }
}

#[derive(Debug, Default)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) target: String,
    pub(super) host: Field,
    pub(super) origin: Field,
    pub(super) content_type: Field,
    /// Several headers are one list.
    accept: Option<Vec<u8>>,
    pub(super) version: Field,
    pub(super) mcp_method: Field,
    pub(super) mcp_name: Field,
    pub(super) session: Field,
    pub(super) body: Vec<u8>,
}

impl Request {
    pub(super) fn note(&mut self, header: Header<'_>) {
        let field = match header.name {
            "host" => &mut self.host,
            "origin" => &mut self.origin,
            "content-type" => &mut self.content_type,
            "mcp-protocol-version" => &mut self.version,
            "mcp-method" => &mut self.mcp_method,
            "mcp-name" => &mut self.mcp_name,
            "mcp-session-id" => &mut self.session,
            _ => {
                let list = self.accept.get_or_insert_default();
                list.extend_from_slice(header.value);
                return list.push(b',');
            }
        };
        field.put(header.value);
    }

    pub(super) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// Whether the client takes an event stream. One that does not say what it takes, takes anything.
    pub(super) fn takes_events(&self) -> bool {
        let Some(accept) = &self.accept else { return true };
        let kinds = accept.split(|byte| *byte == b',').map(media_type);
        kinds.into_iter().any(|kind| matches!(kind.as_str(), "text/event-stream" | "text/*" | "*/*"))
    }

    pub(super) fn is_json(&self) -> bool {
        self.content_type.get().is_some_and(|value| media_type(value) == "application/json")
    }
}

/// A media type without its parameters, in lower case.
fn media_type(value: &[u8]) -> String {
    let kind = value.split(|byte| *byte == b';').next().unwrap_or_default();
    String::from_utf8_lossy(kind.trim_ascii()).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_read_from_a_list() {
        for (accept, expected) in [
            (None, true),
            (Some("application/json, text/event-stream"), true),
            (Some("application/json,Text/Event-Stream; q=0.5"), true),
            (Some("*/*"), true),
            (Some("application/json"), false),
            (Some("text/event-streams"), false),
        ] {
            let mut request = Request::default();
            if let Some(accept) = accept {
                request.note(Header { name: "accept", value: accept.as_bytes() });
            }
            assert_eq!(request.takes_events(), expected, "{accept:?}");
        }
    }

    #[test]
    fn a_header_twice() {
        let mut request = Request::default();
        for value in [b"a", b"a"] {
            request.note(Header { name: "mcp-name", value });
        }
        assert!(request.mcp_name.get() == Some(b"a") && !request.mcp_name.conflicts());
        request.note(Header { name: "mcp-name", value: b"b" });
        assert!(request.mcp_name.conflicts());
    }
}
