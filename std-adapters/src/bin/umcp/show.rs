//! Results as they arrive: as JSON, or for people.

use umcp::client::{Chunk, Content, Embedded};
use umcp::io::{Piece, Reply};
use umcp::json::{Text, Value};

use crate::output::Output;
use crate::table::printable;

/// Writes one JSON value: a result whose list comes first, then what else is in it. If the result does not come to its end, neither does this.
pub(crate) struct Json {
    list: &'static str,
    begun: bool,
    /// How much has been written of the item that is not whole.
    written: usize,
    in_text: bool,
}

impl Json {
    pub(crate) fn new(list: &'static str) -> Json {
        Json { list, begun: false, written: 0, in_text: false }
    }

    pub(crate) fn piece(&mut self, piece: Piece<'_>, out: &mut Output) {
        match piece {
            Piece::Item { list, item } if list == self.list => self.item(item, out),
            Piece::Chunk(chunk) if chunk.list == self.list => self.chunk(chunk, out),
            // No result has two lists.
            _ => {}
        }
    }

    pub(crate) fn item(&mut self, item: Value<'_>, out: &mut Output) {
        if self.written == 0 {
            self.begin_item(out);
        }
        // In the place of what came in chunks there is an empty string, of which the first quote has been written.
        out.part(text_of(item.raw().get(self.written..).unwrap_or_default()));
        self.written = 0;
    }

    fn chunk(&mut self, chunk: Chunk<'_>, out: &mut Output) {
        if self.written == 0 {
            self.begin_item(out);
        }
        if !self.in_text {
            let so_far = chunk.item.raw();
            out.part(text_of(so_far.get(self.written..).unwrap_or_default()));
            self.written = so_far.len();
        }
        let quoted = serde_json::Value::from(chunk.text).to_string();
        out.part(quoted.get(1..quoted.len() - 1).unwrap_or_default());
        self.in_text = !chunk.is_last;
    }

    fn begin_item(&mut self, out: &mut Output) {
        if self.begun {
            out.part(",");
        } else {
            self.begin(out);
        }
    }

    fn begin(&mut self, out: &mut Output) {
        self.begun = true;
        out.part(format_args!("{{\"{}\":[", self.list));
    }

    /// What else is in the result, except `left_out`.
    pub(crate) fn end(mut self, result: Value<'_>, left_out: &str, out: &mut Output) {
        let has_list = self.begun || result.get(self.list).is_some();
        if has_list && !self.begun {
            self.begin(out);
        }
        out.part(if has_list { "]" } else { "{" });
        let mut between = if has_list { "," } else { "" };
        for (name, value) in result.members() {
            if !name.is(self.list) && !name.is(left_out) {
                let name = serde_json::Value::from(name.to_string());
                out.part(format_args!("{between}{name}:{}", text_of(value.raw())));
                between = ",";
            }
        }
        out.line("}");
    }
}

/// Shows content to people.
#[derive(Default)]
pub(crate) struct Plain {
    /// How many characters of Base64 came in chunks, and how many of them are padding.
    base64: (usize, usize),
    /// A text came in chunks, and has been shown.
    has_shown: bool,
}

impl Plain {
    pub(crate) fn piece(&mut self, piece: Piece<'_>, out: &mut Output) {
        match piece {
            Piece::Chunk(chunk) => self.chunk(chunk, out),
            Piece::Item { list, item } => {
                match list {
                    "contents" => self.resource(Embedded::read(item), out),
                    "messages" => {
                        let role = item.get("role").and_then(Value::as_text);
                        if let (Some(role), false) = (role, self.has_shown) {
                            out.part(format_args!("{}: ", printable(&role.to_string())));
                        }
                        self.content(item.get("content").map(Content::read), out);
                    }
                    _ => self.content(Some(Content::read(item)), out),
                }
                *self = Plain::default();
            }
        }
    }

    fn chunk(&mut self, chunk: Chunk<'_>, out: &mut Output) {
        if chunk.path.last() != Some(&"text") {
            let padding = chunk.text.bytes().filter(|&byte| byte == b'=').count();
            self.base64 = (self.base64.0 + chunk.text.len(), self.base64.1 + padding);
            return;
        }
        let role = chunk.item.get("role").and_then(Value::as_text);
        if let (Some(role), false) = (role, self.has_shown) {
            out.part(format_args!("{}: ", printable(&role.to_string())));
        }
        self.has_shown = true;
        out.part(printable(chunk.text));
        if chunk.is_last {
            out.line("");
        }
    }

    fn content(&self, content: Option<Content<'_>>, out: &mut Output) {
        match content {
            None => out.line(""),
            Some(Content::Text(_)) if self.has_shown => {}
            Some(Content::Text(text)) => out.line(printable(&text.to_string())),
            Some(Content::Image { data, mime_type }) => self.media("image", data, mime_type, out),
            Some(Content::Audio { data, mime_type }) => self.media("audio", data, mime_type, out),
            Some(Content::Resource(resource)) => self.resource(Some(resource), out),
            Some(Content::ResourceLink { uri, .. }) => {
                out.line(format_args!("[link to {}]", printable(&uri.to_string())));
            }
            Some(other) => out.line(format_args!("[{}]", printable(&format!("{other:?}")))),
        }
    }

    fn resource(&self, resource: Option<Embedded<'_>>, out: &mut Output) {
        let Some(resource) = resource else { return };
        match (resource.text(), resource.blob()) {
            (Some(_), _) if self.has_shown => {}
            (Some(text), _) => out.line(printable(&text.to_string())),
            (None, Some(blob)) => {
                let mime_type = resource.mime_type().map(|text| text.to_string()).unwrap_or_default();
                out.line(format_args!(
                    "[{} {}, {} bytes]",
                    printable(&resource.uri().to_string()),
                    printable(&mime_type),
                    self.decoded_len(blob)
                ));
            }
            (None, None) => out.line(format_args!("[{}]", printable(&resource.uri().to_string()))),
        }
    }

    fn media(&self, kind: &str, data: Text<'_>, mime_type: Text<'_>, out: &mut Output) {
        out.line(format_args!("[{kind} {}, {} bytes]", printable(&mime_type.to_string()), self.decoded_len(data)));
    }

    /// How many bytes a Base64 text stands for, with what of it came in chunks.
    fn decoded_len(&self, text: Text<'_>) -> usize {
        let raw = text.raw();
        let padding = raw.iter().rev().take_while(|&&byte| byte == b'=').count();
        ((raw.len() + self.base64.0) / 4 * 3).saturating_sub(padding + self.base64.1)
    }
}

/// What takes the pieces of a result whose list is `list`, and then the result.
pub(crate) enum Show {
    Json(Json),
    Plain(Plain),
}

impl Show {
    pub(crate) fn new(list: &'static str, json: bool) -> Show {
        if json { Show::Json(Json::new(list)) } else { Show::Plain(Plain::default()) }
    }

    pub(crate) fn piece(&mut self, piece: Piece<'_>, out: &mut Output) {
        match self {
            Show::Json(json) => json.piece(piece, out),
            Show::Plain(plain) => plain.piece(piece, out),
        }
    }

    pub(crate) fn end(self, reply: &Reply<'_>, out: &mut Output) {
        if let Show::Json(json) = self {
            json.end(reply.result(), "", out);
        }
    }
}

pub(crate) fn text_of(raw: &[u8]) -> String {
    String::from_utf8_lossy(raw).into_owned()
}
