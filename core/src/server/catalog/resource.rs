//! Resources and templates of resources.

use super::order::{Order, order_by};
use super::{CacheHint, CacheScope};
use crate::json::Writer;
use crate::mcp::Revision;
use crate::mcp::content::{Annotations, Icon, write_icons};
use crate::server::{Complete, Outcome, Read};
use crate::split::{find, split_once};

const PRIVATE: CacheHint = CacheHint { ttl_ms: 0, scope: CacheScope::Private };

/// One resource: its URI, its name, and the function that reads it.
#[derive(Debug)]
pub struct Resource<A: 'static> {
    pub(crate) uri: &'static str,
    pub(crate) name: &'static str,
    pub(crate) title: Option<&'static str>,
    pub(crate) description: Option<&'static str>,
    pub(crate) mime_type: Option<&'static str>,
    pub(crate) annotations: Annotations<'static>,
    pub(crate) size: Option<u32>,
    pub(crate) icons: &'static [Icon],
    pub(crate) changes: bool,
    pub(crate) cache: CacheHint,
    pub(crate) read: fn(&mut A, Read<'_>) -> Outcome,
}

impl<A> Resource<A> {
    /// A resource.
    #[must_use]
    pub const fn new(uri: &'static str, name: &'static str, read: fn(&mut A, Read<'_>) -> Outcome) -> Resource<A> {
        Resource {
            uri,
            name,
            title: None,
            description: None,
            mime_type: None,
            annotations: Annotations::NONE,
            size: None,
            icons: &[],
            changes: false,
            cache: PRIVATE,
            read,
        }
    }

    /// The name to show to people.
    #[must_use]
    pub const fn title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    /// What it is.
    #[must_use]
    pub const fn description(mut self, description: &'static str) -> Self {
        self.description = Some(description);
        self
    }

    /// The MIME type of its contents.
    #[must_use]
    pub const fn mime_type(mut self, mime_type: &'static str) -> Self {
        self.mime_type = Some(mime_type);
        self
    }

    /// For whom it is, how important, how old.
    #[must_use]
    pub const fn annotations(mut self, annotations: Annotations<'static>) -> Self {
        self.annotations = annotations;
        self
    }

    /// Its size in bytes, before any encoding.
    #[must_use]
    pub const fn size(mut self, bytes: u32) -> Self {
        self.size = Some(bytes);
        self
    }

    /// Pictures of it.
    #[must_use]
    pub const fn icons(mut self, icons: &'static [Icon]) -> Self {
        self.icons = icons;
        self
    }

    /// It changes, and those who listen to it are told: the application reports it with
    /// [`resource_updated`](crate::server::Endpoint::resource_updated), a handler with `updated`.
    #[must_use]
    pub const fn changes(mut self) -> Self {
        self.changes = true;
        self
    }

    /// How long, in milliseconds, and by whom its contents may be kept. By default 0, by the caller alone.
    #[must_use]
    pub const fn cache(mut self, ttl_ms: u32, scope: CacheScope) -> Self {
        self.cache = CacheHint { ttl_ms, scope };
        self
    }

    pub(crate) fn write(&self, w: &mut Writer<'_>, revision: Revision) {
        w.begin_object().member_str("uri", self.uri).member_str("name", self.name);
        write_description(w, self.title, self.description, self.mime_type, revision);
        self.annotations.write(w, revision);
        if let Some(size) = self.size {
            w.member_uint("size", u64::from(size));
        }
        write_icons(w, self.icons, revision);
        w.end_object();
    }
}

/// Resources that share a URI template with variables in braces: `board://pin/{n}`. `{n}` stands for one or more characters without
/// a `/`; `{+path}` for one or more of any (RFC 6570, levels 1 and 2, without percent-decoding).
#[derive(Debug)]
pub struct Template<A: 'static> {
    pub(crate) uri_template: &'static str,
    pub(crate) name: &'static str,
    pub(crate) title: Option<&'static str>,
    pub(crate) description: Option<&'static str>,
    pub(crate) mime_type: Option<&'static str>,
    pub(crate) annotations: Annotations<'static>,
    pub(crate) icons: &'static [Icon],
    pub(crate) changes: bool,
    pub(crate) cache: CacheHint,
    pub(crate) read: fn(&mut A, Read<'_>) -> Outcome,
    pub(crate) complete: Option<fn(&mut A, Complete<'_>) -> Outcome>,
}

impl<A> Template<A> {
    /// A template. `read` is given the URI, and says [`Fault::UnknownResource`](crate::mcp::Fault::UnknownResource) if there is nothing there.
    #[must_use]
    pub const fn new(
        uri_template: &'static str,
        name: &'static str,
        read: fn(&mut A, Read<'_>) -> Outcome,
    ) -> Template<A> {
        Template {
            uri_template,
            name,
            title: None,
            description: None,
            mime_type: None,
            annotations: Annotations::NONE,
            icons: &[],
            changes: false,
            cache: PRIVATE,
            read,
            complete: None,
        }
    }

    /// The name to show to people.
    #[must_use]
    pub const fn title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    /// What they are.
    #[must_use]
    pub const fn description(mut self, description: &'static str) -> Self {
        self.description = Some(description);
        self
    }

    /// The MIME type of their contents, if they have one in common.
    #[must_use]
    pub const fn mime_type(mut self, mime_type: &'static str) -> Self {
        self.mime_type = Some(mime_type);
        self
    }

    /// For whom they are, how important, how old.
    #[must_use]
    pub const fn annotations(mut self, annotations: Annotations<'static>) -> Self {
        self.annotations = annotations;
        self
    }

    /// Pictures of them.
    #[must_use]
    pub const fn icons(mut self, icons: &'static [Icon]) -> Self {
        self.icons = icons;
        self
    }

    /// They change, and those who listen to one are told.
    #[must_use]
    pub const fn changes(mut self) -> Self {
        self.changes = true;
        self
    }

    /// How long, in milliseconds, and by whom their contents may be kept. By default 0, by the caller alone.
    #[must_use]
    pub const fn cache(mut self, ttl_ms: u32, scope: CacheScope) -> Self {
        self.cache = CacheHint { ttl_ms, scope };
        self
    }

    /// Suggests values for the variables (2026-07-28, *Completion*).
    #[must_use]
    pub const fn complete(mut self, complete: fn(&mut A, Complete<'_>) -> Outcome) -> Self {
        self.complete = Some(complete);
        self
    }

    pub(crate) fn write(&self, w: &mut Writer<'_>, revision: Revision) {
        w.begin_object().member_str("uriTemplate", self.uri_template).member_str("name", self.name);
        write_description(w, self.title, self.description, self.mime_type, revision);
        self.annotations.write(w, revision);
        write_icons(w, self.icons, revision);
        w.end_object();
    }

    pub(crate) fn matches(&self, uri: &str) -> bool {
        match_template(self.uri_template, uri, &mut |_, _| {})
    }
}

/// The value that a variable of a template has in a URI that matches it.
pub(crate) fn variable<'u>(template: &str, uri: &'u str, wanted: &str) -> Option<&'u str> {
    let mut found = None;
    let matched = match_template(template, uri, &mut |name, value| {
        if name == wanted {
            found = Some(value);
        }
    });
    if matched { found } else { None }
}

/// Matches from the left. A variable ends where the literal text behind it begins, at its first occurrence (or the last one for the
/// end of the template), so no matching is tried twice. (By bytes: the searches of `str` are five times as large, and can panic.)
fn match_template<'u>(template: &str, uri: &'u str, found: &mut dyn FnMut(&str, &'u str)) -> bool {
    let (mut template, mut uri) = (template, uri);
    while let Some((literal, rest)) = split_once(template, "{") {
        let Some((variable, behind)) = split_once(rest, "}") else {
            return false;
        };
        let Some(value_and_more) = uri.strip_prefix(literal) else {
            return false;
        };
        let next_literal = split_once(behind, "{").map_or(behind, |(literal, _)| literal);
        let end = if next_literal.is_empty() {
            Some(value_and_more.len())
        } else if behind.len() == next_literal.len() {
            value_and_more.strip_suffix(next_literal).map(str::len)
        } else {
            find(value_and_more, next_literal)
        };
        let Some((value, more)) = end.and_then(|end| value_and_more.split_at_checked(end)) else {
            return false;
        };
        let (name, any) = match variable.strip_prefix("+") {
            Some(name) => (name, true),
            None => (variable, false),
        };
        if value.is_empty() || (!any && value.bytes().any(|byte| byte == b'/')) {
            return false;
        }
        found(name, value);
        (template, uri) = (behind, more);
    }
    template == uri
}

fn write_description(
    w: &mut Writer<'_>,
    title: Option<&str>,
    description: Option<&str>,
    mime_type: Option<&str>,
    revision: Revision,
) {
    if let Some(title) = title
        && revision >= Revision::V2025_06_18
    {
        w.member_str("title", title);
    }
    if let Some(description) = description {
        w.member_str("description", description);
    }
    if let Some(mime_type) = mime_type {
        w.member_str("mimeType", mime_type);
    }
}

pub(super) const fn order<A>(resources: &[Resource<A>]) -> Order {
    order_by!(resources, uri)
}

pub(super) const fn template_order<A>(templates: &[Template<A>]) -> Order {
    order_by!(templates, uri_template)
}

/// Does one of them change?
pub(super) const fn any_changes<A>(mut resources: &[Resource<A>]) -> bool {
    while let [first, rest @ ..] = resources {
        if first.changes {
            return true;
        }
        resources = rest;
    }
    false
}

/// Does one of them change?
pub(super) const fn any_template_changes<A>(mut templates: &[Template<A>]) -> bool {
    while let [first, rest @ ..] = templates {
        if first.changes {
            return true;
        }
        templates = rest;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_match() {
        let table = [
            ("board://pin/{n}", "board://pin/3", Some("3")),
            ("board://pin/{n}", "board://pin/", None),
            ("board://pin/{n}", "board://pin/3/4", None),
            ("board://pin/{n}", "board://pi", None),
            ("board://pin/{n}", "", None),
            ("board://pin/{n}/mode", "board://pin/3/mode", Some("3")),
            ("board://pin/{n}/mode", "board://pin/3/mod", None),
            ("board://pin/{n}/mode", "board://pin/mode", None),
            ("file:///{+n}", "file:///a/b/c", Some("a/b/c")),
            ("{x}:{n}", "a:b", Some("b")),
            ("{x}:{n}", "a", None),
            ("{x}::{n}", "a:b::c::d", Some("c::d")),
            ("{x}é{n}", "aèéb", Some("b")),
            ("x://{n", "x://3", None),
            ("x://3", "x://3", None),
            ("x://é{n}", "x://éü", Some("ü")),
        ];
        for (template, uri, expected) in table {
            assert_eq!(variable(template, uri, "n"), expected, "{template} {uri}");
        }
    }
}
