//! Prompts.

use super::order::{Order, order_by};
use crate::json::Writer;
use crate::mcp::Revision;
use crate::mcp::content::{Icon, write_icons};
use crate::server::{Complete, Get, Outcome};

/// An argument of a prompt. Its value is a string.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    pub(crate) name: &'static str,
    pub(crate) title: Option<&'static str>,
    pub(crate) description: Option<&'static str>,
    pub(crate) required: bool,
}

impl Argument {
    /// An argument that may be left out.
    #[must_use]
    pub const fn new(name: &'static str) -> Argument {
        Argument { name, title: None, description: None, required: false }
    }

    /// It must not be left out: the engine answers -32602 by itself.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
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
}

/// One prompt: its name, what it is for, its arguments, and the function that writes its messages.
#[derive(Debug)]
pub struct Prompt<A: 'static> {
    pub(crate) name: &'static str,
    pub(crate) title: Option<&'static str>,
    pub(crate) description: &'static str,
    pub(crate) arguments: &'static [Argument],
    pub(crate) icons: &'static [Icon],
    pub(crate) get: fn(&mut A, Get<'_>) -> Outcome,
    pub(crate) complete: Option<fn(&mut A, Complete<'_>) -> Outcome>,
}

impl<A> Prompt<A> {
    /// A prompt.
    #[must_use]
    pub const fn new(
        name: &'static str,
        description: &'static str,
        arguments: &'static [Argument],
        get: fn(&mut A, Get<'_>) -> Outcome,
    ) -> Prompt<A> {
        Prompt { name, title: None, description, arguments, icons: &[], get, complete: None }
    }

    /// The name to show to people.
    #[must_use]
    pub const fn title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    /// Pictures of it.
    #[must_use]
    pub const fn icons(mut self, icons: &'static [Icon]) -> Self {
        self.icons = icons;
        self
    }

    /// Suggests values for the arguments (2026-07-28, *Completion*).
    #[must_use]
    pub const fn complete(mut self, complete: fn(&mut A, Complete<'_>) -> Outcome) -> Self {
        self.complete = Some(complete);
        self
    }

    pub(crate) fn write(&self, w: &mut Writer<'_>, revision: Revision) {
        w.begin_object().member_str("name", self.name);
        if let Some(title) = self.title
            && revision >= Revision::V2025_06_18
        {
            w.member_str("title", title);
        }
        w.member_str("description", self.description);
        if !self.arguments.is_empty() {
            w.key("arguments").begin_array();
            for argument in self.arguments {
                argument.write(w, revision);
            }
            w.end_array();
        }
        write_icons(w, self.icons, revision);
        w.end_object();
    }
}

impl Argument {
    fn write(&self, w: &mut Writer<'_>, revision: Revision) {
        w.begin_object().member_str("name", self.name);
        if let Some(title) = self.title
            && revision >= Revision::V2025_06_18
        {
            w.member_str("title", title);
        }
        if let Some(description) = self.description {
            w.member_str("description", description);
        }
        if self.required {
            w.member_bool("required", true);
        }
        w.end_object();
    }
}

pub(super) const fn order<A>(prompts: &[Prompt<A>]) -> Order {
    order_by!(prompts, name)
}
