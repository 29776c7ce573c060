//! Tools that differ by a number only, and are not written down one by one.

use crate::json::{Value, Writer};
use crate::server::{Call, Outcome};

/// So many tools of one kind: one for each pin, channel or sensor. Nothing is kept of them but the functions that tell them apart, so there may be as
/// many as you like.
///
/// They follow the tools that are written down, in the order of their numbers.
///
/// ```
/// use umcp::server::{Catalog, Entry, Family};
///
/// struct Board { pins: [bool; 64] }
///
/// static PINS: Family<Board> = Family::new(
///     64,
///     |n, entry| entry.write(&format_args!("pin_{n:02}"), "Turn this pin on.", r#"{"type":"object"}"#),
///     |name| name.strip_prefix("pin_").and_then(|n| n.parse().ok()),
///     |board, n, call| {
///         board.pins[n] = true;
///         call.text("on")
///     },
/// );
/// static CATALOG: Catalog<Board> = Catalog::new("pins", "1.0").tool_family(&PINS);
/// ```
#[derive(Debug)]
pub struct Family<A: 'static> {
    pub(crate) count: usize,
    entry: fn(usize, Entry<'_, '_>),
    number: fn(&str) -> Option<usize>,
    pub(crate) handler: fn(&mut A, usize, Call<'_>) -> Outcome,
}

impl<A> Family<A> {
    /// `count` tools, numbered from 0. `entry` writes the list's entry of one; it may be called more than once for each, and writes the same each time.
    /// `number` is the number of the tool with this name, and `handler` is what it does.
    #[must_use]
    pub const fn new(
        count: usize,
        entry: fn(usize, Entry<'_, '_>),
        number: fn(&str) -> Option<usize>,
        handler: fn(&mut A, usize, Call<'_>) -> Outcome,
    ) -> Family<A> {
        Family { count, entry, number, handler }
    }

    /// The number of the tool with this name.
    pub(crate) fn find(&self, name: Value<'_>) -> Option<usize> {
        (self.number)(name.as_str()?).filter(|number| *number < self.count)
    }

    pub(crate) fn write(&self, number: usize, w: &mut Writer<'_>) {
        (self.entry)(number, Entry { w });
    }
}

/// The pen for the entry of one tool in a list.
#[derive(Debug)]
pub struct Entry<'e, 'w> {
    w: &'e mut Writer<'w>,
}

impl Entry<'_, '_> {
    /// Writes the entry: the name, which may be formatted on the way, what the tool is for, and the text of a JSON Schema object.
    pub fn write(self, name: &dyn core::fmt::Display, description: &str, input_schema: &str) {
        self.w.begin_object().key("name").display(name).member_str("description", description);
        self.w.key("inputSchema").raw_text(input_schema).end_object();
    }

    /// Writes the entry by hand: one JSON object, with at least `name` and `inputSchema`.
    pub fn write_with(self, write: impl FnOnce(&mut Writer<'_>)) {
        write(self.w);
    }
}
