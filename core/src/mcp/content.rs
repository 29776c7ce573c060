//! Content blocks, and what may be said about them: annotations, icons (2026-07-28, *Tools: Tool Result*).

use crate::json::{Decimal, Writer};

use super::Revision;

/// A picture of a server, tool, resource or prompt (2026-07-28, *Overview: `icons`*).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Icon {
    /// An `https:` or `data:` URI.
    pub src: &'static str,
    /// Its MIME type, where the URI does not tell it.
    pub mime_type: Option<&'static str>,
    /// Its sizes: `48x48`, or `any` for one that scales.
    pub sizes: &'static [&'static str],
    /// The background it is made for.
    pub theme: Option<Theme>,
}

/// The background an icon is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// A light one.
    Light,
    /// A dark one.
    Dark,
}

impl Icon {
    /// An icon at this URI.
    #[must_use]
    pub const fn new(src: &'static str) -> Icon {
        Icon { src, mime_type: None, sizes: &[], theme: None }
    }

    fn write(&self, w: &mut Writer<'_>) {
        w.begin_object().member_str("src", self.src);
        if let Some(mime_type) = self.mime_type {
            w.member_str("mimeType", mime_type);
        }
        if !self.sizes.is_empty() {
            w.key("sizes").begin_array();
            for size in self.sizes {
                w.string(size);
            }
            w.end_array();
        }
        if let Some(theme) = self.theme {
            w.member_str("theme", if theme == Theme::Light { "light" } else { "dark" });
        }
        w.end_object();
    }
}

/// Writes the member `icons`, where there are any and `revision` knows them.
pub(crate) fn write_icons(w: &mut Writer<'_>, icons: &[Icon], revision: Revision) {
    if icons.is_empty() || revision < Revision::V2025_11_25 {
        return;
    }
    w.key("icons").begin_array();
    for icon in icons {
        icon.write(w);
    }
    w.end_array();
}

/// For whom something is, how important it is, and how old (2026-07-28, *Resources: Annotations*).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Annotations<'a> {
    /// It is for the user.
    pub for_user: bool,
    /// It is for the model.
    pub for_assistant: bool,
    /// From 0 (optional) to 1 (required).
    pub priority: Option<Decimal>,
    /// An ISO 8601 timestamp such as `2025-01-12T15:00:58Z`.
    pub last_modified: Option<&'a str>,
}

impl Annotations<'_> {
    /// Nothing is said.
    pub const NONE: Annotations<'static> =
        Annotations { for_user: false, for_assistant: false, priority: None, last_modified: None };

    /// Writes the member `annotations`, unless nothing is said.
    pub(crate) fn write(&self, w: &mut Writer<'_>, revision: Revision) {
        if *self == Annotations::NONE {
            return;
        }
        w.key("annotations").begin_object();
        if self.for_user || self.for_assistant {
            w.key("audience").begin_array();
            if self.for_user {
                w.string("user");
            }
            if self.for_assistant {
                w.string("assistant");
            }
            w.end_array();
        }
        if let Some(priority) = self.priority {
            w.member_decimal("priority", priority);
        }
        if let Some(last_modified) = self.last_modified
            && revision >= Revision::V2025_06_18
        {
            w.member_str("lastModified", last_modified);
        }
        w.end_object();
    }
}

/// One block of content, to be written.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Block<'a> {
    /// Text.
    Text(&'a str),
    /// A picture, its bytes not encoded yet.
    Image {
        /// The bytes of the file.
        data: &'a [u8],
        /// Such as `image/png`.
        mime_type: &'a str,
    },
    /// Sound, its bytes not encoded yet.
    Audio {
        /// The bytes of the file.
        data: &'a [u8],
        /// Such as `audio/wav`.
        mime_type: &'a str,
    },
    /// A link to a resource.
    Link(Link<'a>),
    /// A resource itself.
    Resource(ResourceContents<'a>),
}

/// A link to a resource that can be read or listened to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Link<'a> {
    /// Its URI.
    pub uri: &'a str,
    /// Its name.
    pub name: &'a str,
    /// What it is.
    pub description: Option<&'a str>,
    /// Its MIME type.
    pub mime_type: Option<&'a str>,
}

/// What is to be read at a URI.
#[derive(Clone, Copy, Debug)]
pub struct ResourceContents<'a> {
    /// The URI.
    pub uri: &'a str,
    /// Its MIME type.
    pub mime_type: Option<&'a str>,
    /// The contents.
    pub body: Body<'a>,
}

/// Contents as text or as bytes.
#[derive(Clone, Copy, Debug)]
pub enum Body<'a> {
    /// Text.
    Text(&'a str),
    /// Bytes, not encoded yet.
    Blob(&'a [u8]),
}

impl ResourceContents<'_> {
    pub(crate) fn write(&self, w: &mut Writer<'_>) {
        w.begin_object().member_str("uri", self.uri);
        if let Some(mime_type) = self.mime_type {
            w.member_str("mimeType", mime_type);
        }
        match self.body {
            Body::Text(text) => w.member_str("text", text),
            Body::Blob(bytes) => w.key("blob").base64(bytes),
        };
        w.end_object();
    }
}

impl Block<'_> {
    /// Writes the block; what `revision` does not know yet is told as text, so that nothing is lost silently.
    pub(crate) fn write(&self, w: &mut Writer<'_>, annotations: &Annotations<'_>, revision: Revision) {
        w.begin_object();
        match self {
            Block::Text(text) => {
                w.literal(r#""type":"text","text":"#).string(text);
            }
            Block::Image { data, mime_type } => write_media(w, "image", data, mime_type),
            Block::Audio { data, mime_type } if revision >= Revision::V2025_03_26 => {
                write_media(w, "audio", data, mime_type);
            }
            Block::Audio { mime_type, .. } => {
                w.member_str("type", "text").key("text").begin_string();
                w.string_part("[audio left out: revision 2024-11-05 has none: ")
                    .string_part(mime_type)
                    .string_part("]");
                w.end_string();
            }
            Block::Link(link) if revision >= Revision::V2025_06_18 => link.write(w),
            Block::Link(link) => {
                w.member_str("type", "text").key("text").begin_string();
                w.string_part(link.name).string_part(": ").string_part(link.uri).end_string();
            }
            Block::Resource(contents) => {
                w.member_str("type", "resource").key("resource");
                contents.write(w);
            }
        }
        annotations.write(w, revision);
        w.end_object();
    }
}

impl Link<'_> {
    fn write(&self, w: &mut Writer<'_>) {
        w.member_str("type", "resource_link").member_str("uri", self.uri).member_str("name", self.name);
        if let Some(description) = self.description {
            w.member_str("description", description);
        }
        if let Some(mime_type) = self.mime_type {
            w.member_str("mimeType", mime_type);
        }
    }
}

fn write_media(w: &mut Writer<'_>, kind: &str, data: &[u8], mime_type: &str) {
    w.member_str("type", kind).key("data").base64(data).member_str("mimeType", mime_type);
}
