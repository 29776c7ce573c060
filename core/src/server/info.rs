//! Who the server says it is, and what it can do.

use crate::json::Writer;
use crate::mcp::Revision;
use crate::mcp::content::{Icon, write_icons};

use super::Catalog;

/// The server's description of itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServerInfo {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) title: Option<&'static str>,
    pub(crate) description: Option<&'static str>,
    pub(crate) website_url: Option<&'static str>,
    pub(crate) icons: &'static [Icon],
    /// Nothing in the name and the version needs an escape: found out at compile time, since they leave with every result.
    plain: bool,
}

impl ServerInfo {
    pub(crate) const fn new(name: &'static str, version: &'static str) -> ServerInfo {
        ServerInfo {
            name,
            version,
            title: None,
            description: None,
            website_url: None,
            icons: &[],
            plain: is_plain(name) && is_plain(version),
        }
    }

    /// Name and version: what goes into every result.
    pub(crate) fn write_short(&self, w: &mut Writer<'_>) {
        if self.plain {
            w.literal(r#"{"name":""#)
                .literal(self.name)
                .literal(r#"","version":""#)
                .literal(self.version)
                .literal("\"}");
        } else {
            w.begin_object().member_str("name", self.name).member_str("version", self.version).end_object();
        }
    }

    /// All of it: what goes into the discovery and the handshake.
    pub(crate) fn write(&self, w: &mut Writer<'_>, revision: Revision) {
        w.begin_object().member_str("name", self.name).member_str("version", self.version);
        if let Some(title) = self.title
            && revision >= Revision::V2025_06_18
        {
            w.member_str("title", title);
        }
        if revision >= Revision::V2025_11_25 {
            if let Some(description) = self.description {
                w.member_str("description", description);
            }
            if let Some(url) = self.website_url {
                w.member_str("websiteUrl", url);
            }
            write_icons(w, self.icons, revision);
        }
        w.end_object();
    }
}

const fn is_plain(text: &str) -> bool {
    let mut rest = text.as_bytes();
    while let [byte, tail @ ..] = rest {
        if *byte < b' ' || *byte == b'"' || *byte == b'\\' {
            return false;
        }
        rest = tail;
    }
    true
}

/// Writes what the server can do, as far as `revision` knows it.
pub(crate) fn write_capabilities<A>(w: &mut Writer<'_>, catalog: &Catalog<A>, revision: Revision) {
    let feature = |w: &mut Writer<'_>, name: &str, changes: bool| {
        w.key(name).begin_object();
        if changes {
            w.member_bool("listChanged", true);
        }
    };
    w.begin_object();
    if catalog.has_completions() && revision >= Revision::V2025_03_26 {
        w.key("completions").begin_object().end_object();
    }
    if catalog.logging {
        w.key("logging").begin_object().end_object();
    }
    if catalog.has_prompts() {
        feature(w, "prompts", catalog.prompts_change);
        w.end_object();
    }
    if catalog.has_resources() {
        feature(w, "resources", catalog.resources_change);
        if catalog.has_subscriptions() {
            w.member_bool("subscribe", true);
        }
        w.end_object();
    }
    if catalog.has_tools() {
        feature(w, "tools", catalog.tools_change);
        w.end_object();
    }
    w.end_object();
}
