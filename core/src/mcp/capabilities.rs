//! What a client can do for a server.

use crate::json::{Value, Writer};

use super::{InputKind, Revision};

/// The capabilities that a client declares: on every request (modern) or once, in `initialize` (legacy).
///
/// Extensions and experimental capabilities are not kept here; a server reads them from the request itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ClientCapabilities {
    /// It lists its roots.
    pub roots: bool,
    /// It asks its model.
    pub sampling: bool,
    /// Its model may use tools while it is asked.
    pub sampling_tools: bool,
    /// It asks its user by a form.
    pub elicitation_form: bool,
    /// It sends its user to a URL.
    pub elicitation_url: bool,
}

impl ClientCapabilities {
    /// None of them.
    pub const NONE: ClientCapabilities = ClientCapabilities {
        roots: false,
        sampling: false,
        sampling_tools: false,
        elicitation_form: false,
        elicitation_url: false,
    };

    /// Reads a `ClientCapabilities` object. An elicitation capability that names no mode means forms
    /// (2026-07-28, *Elicitation: Capabilities*).
    #[must_use]
    pub fn read(object: Value<'_>) -> ClientCapabilities {
        let has = |path: &[&str]| object.at(path).is_some_and(Value::is_object);
        let (form, url) = (has(&["elicitation", "form"]), has(&["elicitation", "url"]));
        ClientCapabilities {
            roots: has(&["roots"]),
            sampling: has(&["sampling"]),
            sampling_tools: has(&["sampling", "tools"]),
            elicitation_form: form || (has(&["elicitation"]) && !url),
            elicitation_url: url,
        }
    }

    /// Writes the object, as far as `revision` knows its members.
    pub(crate) fn write(self, w: &mut Writer<'_>, revision: Revision) {
        let modes = revision >= Revision::V2025_11_25;
        w.begin_object();
        if (self.elicitation_form || (self.elicitation_url && modes)) && revision >= Revision::V2025_06_18 {
            w.key("elicitation").begin_object();
            if self.elicitation_form && modes {
                w.key("form").begin_object().end_object();
            }
            if self.elicitation_url && modes {
                w.key("url").begin_object().end_object();
            }
            w.end_object();
        }
        if self.roots {
            w.key("roots").begin_object().end_object();
        }
        if self.sampling {
            w.key("sampling").begin_object();
            if self.sampling_tools && modes {
                w.key("tools").begin_object().end_object();
            }
            w.end_object();
        }
        w.end_object();
    }

    /// Can the client answer this?
    #[must_use]
    pub const fn allow(self, kind: InputKind) -> bool {
        match kind {
            InputKind::Elicitation => self.elicitation_form || self.elicitation_url,
            InputKind::Sampling => self.sampling,
            InputKind::Roots => self.roots,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::string::String;

    use super::*;

    fn written(capabilities: ClientCapabilities, revision: Revision) -> String {
        let mut buf = [0; 200];
        let mut w = Writer::new(&mut buf);
        capabilities.write(&mut w, revision);
        String::from_utf8(w.written().to_vec()).expect("UTF-8")
    }

    #[test]
    fn modes_of_elicitation() {
        let read = |text: &str| ClientCapabilities::read(Value::new(text.as_bytes()));
        let form = ClientCapabilities { elicitation_form: true, ..ClientCapabilities::NONE };
        let url = ClientCapabilities { elicitation_url: true, ..ClientCapabilities::NONE };
        assert_eq!(read(r#"{"elicitation":{}}"#), form);
        assert_eq!(read(r#"{"elicitation":{"form":{"applyDefaults":true}}}"#), form);
        assert_eq!(read(r#"{"elicitation":{"url":{}}}"#), url);
        assert_eq!(read(r#"{"elicitation":null,"roots":true}"#), ClientCapabilities::NONE);
        assert_eq!(read("{}"), ClientCapabilities::NONE);
    }

    #[test]
    fn what_is_written_is_read_back_where_the_revision_knows_it() {
        let all = ClientCapabilities {
            roots: true,
            sampling: true,
            sampling_tools: true,
            elicitation_form: true,
            elicitation_url: true,
        };
        let text = written(all, Revision::V2026_07_28);
        assert_eq!(ClientCapabilities::read(Value::new(text.as_bytes())), all);
        assert_eq!(written(all, Revision::V2025_06_18), r#"{"elicitation":{},"roots":{},"sampling":{}}"#);
        assert_eq!(written(all, Revision::V2024_11_05), r#"{"roots":{},"sampling":{}}"#);
        assert_eq!(written(ClientCapabilities::NONE, Revision::LATEST), "{}");
    }
}
