//! The items of a server's lists, as views over their JSON. What an item lacks is `None` or empty; schemas are not interpreted.

use crate::json::{Text, Value};

fn text<'a>(item: Value<'a>, member: &str) -> Option<Text<'a>> {
    item.get(member)?.as_text()
}

/// An item of `tools/list`.
#[derive(Clone, Copy, Debug)]
pub struct Tool<'a> {
    item: Value<'a>,
    name: Text<'a>,
}

impl<'a> Tool<'a> {
    /// A view of the item; `None` if it has no name.
    #[must_use]
    pub fn read(item: Value<'a>) -> Option<Tool<'a>> {
        Some(Tool { item, name: text(item, "name")? })
    }

    /// The whole item.
    #[must_use]
    pub fn value(self) -> Value<'a> {
        self.item
    }

    /// What it is called by.
    #[must_use]
    pub fn name(self) -> Text<'a> {
        self.name
    }

    /// What people know it as: the title, or that of its annotations (before 2025-06-18).
    #[must_use]
    pub fn title(self) -> Option<Text<'a>> {
        text(self.item, "title").or_else(|| text(self.item.get("annotations")?, "title"))
    }

    /// What it does, for a model.
    #[must_use]
    pub fn description(self) -> Option<Text<'a>> {
        text(self.item, "description")
    }

    /// The JSON Schema of its arguments.
    #[must_use]
    pub fn input_schema(self) -> Option<Value<'a>> {
        self.item.get("inputSchema")
    }

    /// The JSON Schema of its structured result.
    #[must_use]
    pub fn output_schema(self) -> Option<Value<'a>> {
        self.item.get("outputSchema")
    }

    /// A hint such as `readOnlyHint` or `destructiveHint`. Hints are the server's word: do not rely on those of one you do not trust.
    #[must_use]
    pub fn hint(self, name: &str) -> Option<bool> {
        self.item.at(&["annotations", name])?.as_bool()
    }
}

/// An item of `resources/list`.
#[derive(Clone, Copy, Debug)]
pub struct Resource<'a> {
    item: Value<'a>,
    uri: Text<'a>,
}

impl<'a> Resource<'a> {
    /// A view of the item; `None` if it has no URI.
    #[must_use]
    pub fn read(item: Value<'a>) -> Option<Resource<'a>> {
        Some(Resource { item, uri: text(item, "uri")? })
    }

    /// The whole item.
    #[must_use]
    pub fn value(self) -> Value<'a> {
        self.item
    }

    /// What it is read by.
    #[must_use]
    pub fn uri(self) -> Text<'a> {
        self.uri
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> Option<Text<'a>> {
        text(self.item, "name")
    }

    /// What people know it as.
    #[must_use]
    pub fn title(self) -> Option<Text<'a>> {
        text(self.item, "title")
    }

    /// What it is, for a model.
    #[must_use]
    pub fn description(self) -> Option<Text<'a>> {
        text(self.item, "description")
    }

    /// Of which type its content is.
    #[must_use]
    pub fn mime_type(self) -> Option<Text<'a>> {
        text(self.item, "mimeType")
    }

    /// How many bytes it has.
    #[must_use]
    pub fn size(self) -> Option<u64> {
        self.item.get("size")?.as_u64()
    }
}

/// An item of `resources/templates/list`.
#[derive(Clone, Copy, Debug)]
pub struct Template<'a> {
    item: Value<'a>,
    uri_template: Text<'a>,
}

impl<'a> Template<'a> {
    /// A view of the item; `None` if it has no URI template.
    #[must_use]
    pub fn read(item: Value<'a>) -> Option<Template<'a>> {
        Some(Template { item, uri_template: text(item, "uriTemplate")? })
    }

    /// The whole item.
    #[must_use]
    pub fn value(self) -> Value<'a> {
        self.item
    }

    /// The URI template (RFC 6570). Filling it in is the caller's business.
    #[must_use]
    pub fn uri_template(self) -> Text<'a> {
        self.uri_template
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> Option<Text<'a>> {
        text(self.item, "name")
    }

    /// What people know it as.
    #[must_use]
    pub fn title(self) -> Option<Text<'a>> {
        text(self.item, "title")
    }

    /// What it is, for a model.
    #[must_use]
    pub fn description(self) -> Option<Text<'a>> {
        text(self.item, "description")
    }

    /// Of which type the content is, if it is the same for all.
    #[must_use]
    pub fn mime_type(self) -> Option<Text<'a>> {
        text(self.item, "mimeType")
    }
}

/// An item of `prompts/list`.
#[derive(Clone, Copy, Debug)]
pub struct Prompt<'a> {
    item: Value<'a>,
    name: Text<'a>,
}

impl<'a> Prompt<'a> {
    /// A view of the item; `None` if it has no name.
    #[must_use]
    pub fn read(item: Value<'a>) -> Option<Prompt<'a>> {
        Some(Prompt { item, name: text(item, "name")? })
    }

    /// The whole item.
    #[must_use]
    pub fn value(self) -> Value<'a> {
        self.item
    }

    /// What it is asked for by.
    #[must_use]
    pub fn name(self) -> Text<'a> {
        self.name
    }

    /// What people know it as.
    #[must_use]
    pub fn title(self) -> Option<Text<'a>> {
        text(self.item, "title")
    }

    /// What it is for.
    #[must_use]
    pub fn description(self) -> Option<Text<'a>> {
        text(self.item, "description")
    }

    /// What it can be given.
    pub fn arguments(self) -> impl Iterator<Item = Argument<'a>> {
        self.item.get("arguments").into_iter().flat_map(Value::items).filter_map(Argument::read)
    }
}

/// An argument of a prompt.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'a> {
    item: Value<'a>,
    name: Text<'a>,
}

impl<'a> Argument<'a> {
    fn read(item: Value<'a>) -> Option<Argument<'a>> {
        Some(Argument { item, name: text(item, "name")? })
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> Text<'a> {
        self.name
    }

    /// What it is for.
    #[must_use]
    pub fn description(self) -> Option<Text<'a>> {
        text(self.item, "description")
    }

    /// The prompt cannot be had without it.
    #[must_use]
    pub fn is_required(self) -> bool {
        self.item.get("required").and_then(Value::as_bool) == Some(true)
    }
}
