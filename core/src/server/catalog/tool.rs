//! Tools.

use super::order::{Order, order_by};
use super::well_formed::assert_object;
use crate::json::Writer;
use crate::mcp::Revision;
use crate::mcp::content::{Icon, write_icons};
use crate::server::{Call, Outcome};

/// Hints about what a tool does (2026-07-28, schema: `ToolAnnotations`). They are hints: nobody need believe them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolAnnotations {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// Doing it twice is doing it once.
    pub idempotent: Option<bool>,
    /// It deals with the world outside.
    pub open_world: Option<bool>,
}

/// One tool: its name, what it is for, what it takes, and the function that does it.
#[derive(Debug)]
pub struct Tool<A: 'static> {
    pub(crate) name: &'static str,
    pub(crate) title: Option<&'static str>,
    pub(crate) description: &'static str,
    pub(crate) input_schema: &'static str,
    pub(crate) output_schema: Option<&'static str>,
    pub(crate) annotations: Option<ToolAnnotations>,
    pub(crate) icons: &'static [Icon],
    /// Arguments of it may be mirrored in headers.
    #[cfg(feature = "http")]
    pub(crate) has_header_params: bool,
    pub(crate) handler: fn(&mut A, Call<'_>) -> Outcome,
}

impl<A> Tool<A> {
    /// A tool. `input_schema` is the text of a JSON Schema object of type `object`, such as [`schema!`](crate::schema) writes;
    /// it may be spread over lines.
    #[must_use]
    pub const fn new(
        name: &'static str,
        description: &'static str,
        input_schema: &'static str,
        handler: fn(&mut A, Call<'_>) -> Outcome,
    ) -> Tool<A> {
        Tool {
            name,
            title: None,
            description,
            input_schema,
            output_schema: None,
            annotations: None,
            icons: &[],
            #[cfg(feature = "http")]
            has_header_params: super::header_params::has_header_params(input_schema),
            handler,
        }
    }

    /// The name to show to people.
    #[must_use]
    pub const fn title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    /// The text of the JSON Schema that its structured content conforms to.
    #[must_use]
    pub const fn output_schema(mut self, schema: &'static str) -> Self {
        self.output_schema = Some(schema);
        self
    }

    /// Hints about what it does.
    #[must_use]
    pub const fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.annotations = Some(annotations);
        self
    }

    /// Pictures of it.
    #[must_use]
    pub const fn icons(mut self, icons: &'static [Icon]) -> Self {
        self.icons = icons;
        self
    }

    /// Writes the entry as far as `revision` knows its members.
    pub(crate) fn write(&self, w: &mut Writer<'_>, revision: Revision) {
        w.begin_object().member_str("name", self.name);
        if let Some(title) = self.title
            && revision >= Revision::V2025_06_18
        {
            w.member_str("title", title);
        }
        w.member_str("description", self.description).key("inputSchema").raw_text(self.input_schema);
        if let Some(schema) = self.output_schema
            && revision >= Revision::V2025_06_18
        {
            w.key("outputSchema").raw_text(schema);
        }
        if let Some(annotations) = self.annotations
            && revision >= Revision::V2025_03_26
        {
            annotations.write(w);
        }
        write_icons(w, self.icons, revision);
        w.end_object();
    }
}

impl ToolAnnotations {
    fn write(self, w: &mut Writer<'_>) {
        w.key("annotations").begin_object();
        for (name, hint) in [
            ("readOnlyHint", self.read_only),
            ("destructiveHint", self.destructive),
            ("idempotentHint", self.idempotent),
            ("openWorldHint", self.open_world),
        ] {
            if let Some(hint) = hint {
                w.member_bool(name, hint);
            }
        }
        w.end_object();
    }
}

pub(super) const fn order<A>(tools: &[Tool<A>]) -> Order {
    order_by!(tools, name)
}

/// Refuses, at compile time, what would spoil the list.
pub(super) const fn check<A>(tools: &[Tool<A>]) {
    let mut rest = tools;
    while let [tool, tail @ ..] = rest {
        assert!(!tool.name.is_empty(), "a tool has no name");
        assert_object(tool.input_schema);
        if let Some(schema) = tool.output_schema {
            assert_object(schema);
        }
        rest = tail;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_over_several_lines_leaves_on_one() {
        const SCHEMA: &str = "{\r\n  \"type\": \"object\",\n  \"properties\": {\"a\\nb\": {}}\n}";
        let tool: Tool<()> = Tool::new("t", "d", SCHEMA, |(), call| call.text(""));
        let mut buf = [0; 200];
        let mut w = Writer::new(&mut buf);
        tool.write(&mut w, Revision::LATEST);
        let written = w.written();
        assert!(!written.contains(&b'\n') && !written.contains(&b'\r'));
        let json: serde_json::Value = serde_json::from_slice(written).expect("JSON");
        assert!(json["inputSchema"]["properties"]["a\nb"].is_object(), "{json}");
    }
}
