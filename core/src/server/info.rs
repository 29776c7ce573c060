//! Who the server says it is.

use crate::json::Writer;
use crate::mcp::Revision;
use crate::mcp::content::{Icon, write_icons};

use super::Catalog;

/// The server's description of itself, copied out of its catalog.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServerInfo {
    name: &'static str,
    version: &'static str,
    title: Option<&'static str>,
    description: Option<&'static str>,
    website_url: Option<&'static str>,
    icons: &'static [Icon],
}

impl ServerInfo {
    pub(crate) fn of<A>(catalog: &Catalog<A>) -> ServerInfo {
        ServerInfo {
            name: catalog.name,
            version: catalog.version,
            title: catalog.title,
            description: catalog.description,
            website_url: catalog.website_url,
            icons: catalog.icons,
        }
    }

    /// Name and version: what goes into every result.
    pub(crate) fn write_short(self, w: &mut Writer<'_>) {
        w.begin_object().member_str("name", self.name).member_str("version", self.version).end_object();
    }

    /// All of it: what goes into the discovery and the handshake.
    pub(crate) fn write(self, w: &mut Writer<'_>, revision: Revision) {
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
