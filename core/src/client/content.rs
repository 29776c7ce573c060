//! Content blocks, as a client reads them: of a tool's result, a prompt's message, a sampling message.

use crate::json::{Items, Text, Value};

/// One block of content. Unknown members are ignored, and so are blocks that lack what their type requires: they are
/// [`Unknown`](Content::Unknown).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Content<'a> {
    /// Text.
    Text(Text<'a>),
    /// An image.
    Image {
        /// Its bytes in Base64.
        data: Text<'a>,
        /// Such as `image/png`.
        mime_type: Text<'a>,
    },
    /// Sound.
    Audio {
        /// Its bytes in Base64.
        data: Text<'a>,
        /// Such as `audio/wav`.
        mime_type: Text<'a>,
    },
    /// A resource that may be read.
    ResourceLink {
        /// Where.
        uri: Text<'a>,
        /// What it is called.
        name: Option<Text<'a>>,
        /// What it is.
        mime_type: Option<Text<'a>>,
    },
    /// A resource, whole.
    Resource(Embedded<'a>),
    /// A model wants a tool to be called (sampling).
    ToolUse {
        /// Names this use.
        id: Text<'a>,
        /// The tool.
        name: Text<'a>,
        /// Its arguments.
        input: Value<'a>,
    },
    /// What came of it (sampling).
    ToolResult {
        /// The use it answers.
        tool_use_id: Text<'a>,
        /// The content, an array of blocks.
        content: Option<Value<'a>>,
        /// The tool failed.
        is_error: bool,
    },
    /// Something else.
    Unknown(Value<'a>),
}

impl<'a> Content<'a> {
    /// Reads a content block.
    #[must_use]
    pub fn read(block: Value<'a>) -> Content<'a> {
        Content::known(block).unwrap_or(Content::Unknown(block))
    }

    fn known(block: Value<'a>) -> Option<Content<'a>> {
        let text = |name: &str| block.get(name).and_then(Value::as_text);
        let kind = block.get("type")?;
        Some(match kind.as_str()? {
            "text" => Content::Text(text("text")?),
            "image" => Content::Image { data: text("data")?, mime_type: text("mimeType")? },
            "audio" => Content::Audio { data: text("data")?, mime_type: text("mimeType")? },
            "resource_link" => {
                Content::ResourceLink { uri: text("uri")?, name: text("name"), mime_type: text("mimeType") }
            }
            "resource" => Content::Resource(Embedded::read(block.get("resource")?)?),
            "tool_use" => Content::ToolUse { id: text("id")?, name: text("name")?, input: block.get("input")? },
            "tool_result" => Content::ToolResult {
                tool_use_id: text("toolUseId")?,
                content: block.get("content"),
                is_error: block.get("isError").and_then(Value::as_bool) == Some(true),
            },
            _ => return None,
        })
    }
}

/// The blocks of a `content` array.
#[derive(Clone, Debug)]
pub struct Contents<'a> {
    items: Items<'a>,
}

impl<'a> Contents<'a> {
    /// The blocks in this array; none if it is none.
    #[must_use]
    pub fn of(content: Option<Value<'a>>) -> Contents<'a> {
        Contents { items: content.unwrap_or(Value::new(b"[]")).items() }
    }

    /// Those that are text. Nothing is read, or linked, of what the others may be.
    pub fn texts(self) -> impl Iterator<Item = Text<'a>> {
        let text =
            |block: Value<'a>| block.get("text").filter(|_| block.get("type").is_some_and(|kind| kind.is_str("text")));
        self.items.filter_map(move |block| text(block)?.as_text())
    }
}

impl<'a> Iterator for Contents<'a> {
    type Item = Content<'a>;

    fn next(&mut self) -> Option<Content<'a>> {
        self.items.next().map(Content::read)
    }
}

/// The contents of a resource: text, or bytes in Base64. One item of the result of `resources/read`.
#[derive(Clone, Copy, Debug)]
pub struct Embedded<'a> {
    resource: Value<'a>,
    uri: Text<'a>,
}

impl<'a> Embedded<'a> {
    /// Reads a `TextResourceContents` or `BlobResourceContents` object; `None` if it names no URI.
    #[must_use]
    pub fn read(resource: Value<'a>) -> Option<Embedded<'a>> {
        Some(Embedded { resource, uri: resource.get("uri")?.as_text()? })
    }

    /// Where it is from.
    #[must_use]
    pub fn uri(self) -> Text<'a> {
        self.uri
    }

    /// What it is.
    #[must_use]
    pub fn mime_type(self) -> Option<Text<'a>> {
        self.resource.get("mimeType")?.as_text()
    }

    /// The text, if it is text.
    #[must_use]
    pub fn text(self) -> Option<Text<'a>> {
        self.resource.get("text")?.as_text()
    }

    /// The bytes in Base64, if it is not.
    #[must_use]
    pub fn blob(self) -> Option<Text<'a>> {
        self.resource.get("blob")?.as_text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_told_apart() {
        let table = [
            (r#"{"type":"text","text":"a\nb"}"#, "Text(\"a\\nb\")"),
            (r#"{"type":"text"}"#, "Unknown({\"type\":\"text\"})"),
            (
                r#"{"type":"image","data":"AA==","mimeType":"image/png"}"#,
                "Image { data: \"AA==\", mime_type: \"image/png\" }",
            ),
            (
                r#"{"type":"audio","data":"AA==","mimeType":"audio/wav"}"#,
                "Audio { data: \"AA==\", mime_type: \"audio/wav\" }",
            ),
            (r#"{"type":"resource_link","uri":"a:b"}"#, "ResourceLink { uri: \"a:b\", name: None, mime_type: None }"),
            (r#"{"type":"video"}"#, "Unknown({\"type\":\"video\"})"),
            ("5", "Unknown(5)"),
        ];
        for (text, expected) in table {
            assert_eq!(std::format!("{:?}", Content::read(Value::new(text.as_bytes()))), expected, "{text}");
            let list = std::format!("[{text}]");
            let texts = Contents::of(Some(Value::new(list.as_bytes()))).texts();
            assert_eq!(texts.count(), usize::from(expected.starts_with("Text")), "{text}");
        }
    }

    #[test]
    fn embedded_resources() {
        let block = br#"{"type":"resource","resource":{"uri":"a:b","text":"t","mimeType":"text/plain"}}"#;
        let Content::Resource(resource) = Content::read(Value::new(block)) else {
            panic!("not a resource");
        };
        assert!(resource.uri().is("a:b") && resource.text().is_some_and(|text| text.is("t")));
        assert!(resource.mime_type().is_some_and(|kind| kind.is("text/plain")) && resource.blob().is_none());
    }
}
