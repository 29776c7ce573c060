//! `x-mcp-header`: parameters of tools that are mirrored into headers (2026-07-28, *Streamable HTTP: Custom Headers from Tool Parameters*).

use core::fmt;

use heapless::VecView;

use super::post::bytes;
use crate::client::Tool;
use crate::frame::http::{HeadWriter, is_token};
use crate::json::{Kind, Text, Value};

/// The property of a schema that names a header.
const ANNOTATION: &str = "x-mcp-header";
/// Before the name that an annotation gives.
const PREFIX: &str = "Mcp-Param-";
/// Longest header name.
const MAX_NAME: usize = 64;
/// Ends a field of a note. No canonical JSON text has a control character in it.
const FIELD: u8 = 0x1F;
/// Ends a note.
const END: u8 = 0x1E;

/// Why a tool is left out of the list: whoever calls it could not mirror its parameters as the server wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum AnnotationFault {
    /// The name of a header is no token, or empty.
    Name,
    /// The name of a header is longer than 64 bytes.
    NameTooLong,
    /// Two parameters have the same header.
    Duplicate,
    /// The parameter is neither a string, nor an integer, nor a boolean.
    Type,
    /// It stands where no parameter can be reached by names alone: in items, in alternatives, behind a reference.
    Unreachable,
    /// There is no room to remember it: lend more for [`tools`](super::Lent::tools).
    Capacity,
}

impl fmt::Display for AnnotationFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AnnotationFault::Name => "an x-mcp-header is not the name of a header",
            AnnotationFault::NameTooLong => "an x-mcp-header is longer than 64 bytes",
            AnnotationFault::Duplicate => "two parameters have the same x-mcp-header",
            AnnotationFault::Type => "an x-mcp-header is on a parameter that is no string, integer or boolean",
            AnnotationFault::Unreachable => "an x-mcp-header is on something else than a plain parameter",
            AnnotationFault::Capacity => "there is no room to remember its x-mcp-header: lend more memory",
        })
    }
}

impl core::error::Error for AnnotationFault {}

/// Reads the annotations of a tool and notes them. If one is wrong, none is noted.
pub(super) fn learn(notes: &mut VecView<u8>, tool: Tool<'_>) -> Result<(), AnnotationFault> {
    let Some(schema) = tool.input_schema() else { return Ok(()) };
    let before = notes.len();
    let mut learner = Learner { notes, tool: tool.name().raw(), before };
    let learned = learner.schema(schema, &Place::Root);
    if learned.is_err() {
        notes.truncate(before);
    }
    learned
}

/// Where in a schema something stands.
enum Place<'p, 'a> {
    Root,
    /// A property, in one that can be reached.
    Property(Text<'a>, &'p Place<'p, 'a>),
    /// Where no value can be named.
    Elsewhere,
}

struct Learner<'n> {
    notes: &'n mut VecView<u8>,
    tool: &'n [u8],
    /// Where the notes of this tool begin.
    before: usize,
}

impl Learner<'_> {
    /// One schema and all in it. The depth is that of a message, which is bounded.
    fn schema(&mut self, schema: Value<'_>, place: &Place<'_, '_>) -> Result<(), AnnotationFault> {
        for (key, value) in schema.members() {
            match () {
                () if key.is(ANNOTATION) => self.annotation(schema, value, place)?,
                () if key.is("properties") => {
                    for (name, property) in value.members() {
                        match place {
                            Place::Elsewhere => self.schema(property, &Place::Elsewhere)?,
                            place => self.schema(property, &Place::Property(name, place))?,
                        }
                    }
                }
                // Values, not schemas.
                () if ["default", "const", "enum", "examples"].iter().any(|name| key.is(name)) => {}
                () => self.others(value)?,
            }
        }
        Ok(())
    }

    /// What else a schema has in it: other schemas, or lists of them.
    fn others(&mut self, value: Value<'_>) -> Result<(), AnnotationFault> {
        match value.kind() {
            Some(Kind::Object) => self.schema(value, &Place::Elsewhere),
            Some(Kind::Array) => value.items().try_for_each(|item| self.others(item)),
            _ => Ok(()),
        }
    }

    fn annotation(&mut self, schema: Value<'_>, name: Value<'_>, place: &Place<'_, '_>) -> Result<(), AnnotationFault> {
        let Place::Property(..) = place else { return Err(AnnotationFault::Unreachable) };
        // A token has nothing in it that is escaped.
        let name = name.as_text().map(Text::raw).filter(|name| is_token(name)).ok_or(AnnotationFault::Name)?;
        if name.len() > MAX_NAME {
            return Err(AnnotationFault::NameTooLong);
        }
        if !schema.get("type").is_some_and(is_primitive) {
            return Err(AnnotationFault::Type);
        }
        let own = self.notes.get(self.before..).unwrap_or_default();
        if Notes(own).any(|note| note.header.eq_ignore_ascii_case(name)) {
            return Err(AnnotationFault::Duplicate);
        }
        self.put(self.tool)?;
        self.put(name)?;
        self.path(place)?;
        self.notes.push(END).map_err(|_| AnnotationFault::Capacity)
    }

    /// The names that lead to a property, from the outermost.
    fn path(&mut self, place: &Place<'_, '_>) -> Result<(), AnnotationFault> {
        let Place::Property(name, outer) = place else { return Ok(()) };
        self.path(outer)?;
        self.put(name.raw())
    }

    fn put(&mut self, field: &[u8]) -> Result<(), AnnotationFault> {
        self.notes.extend_from_slice(field).map_err(|_| AnnotationFault::Capacity)?;
        self.notes.push(FIELD).map_err(|_| AnnotationFault::Capacity)
    }
}

/// A string, an integer or a boolean; or one that may also be null, which is mirrored by nothing.
fn is_primitive(kind: Value<'_>) -> bool {
    let primitive = |kind: Value<'_>| ["string", "integer", "boolean"].iter().any(|name| kind.is_str(name));
    let mut several = kind.items().filter(|kind| !kind.is_str("null")).peekable();
    primitive(kind) || (several.peek().is_some() && several.all(primitive))
}

/// One note: the header `header` mirrors the value at `path` of a tool's arguments.
struct Note<'a> {
    tool: &'a [u8],
    header: &'a [u8],
    path: &'a [u8],
}

/// The notes in these bytes.
struct Notes<'a>(&'a [u8]);

impl<'a> Iterator for Notes<'a> {
    type Item = Note<'a>;

    fn next(&mut self) -> Option<Note<'a>> {
        let (note, rest) = split(self.0, END)?;
        self.0 = rest;
        let (tool, note) = split(note, FIELD)?;
        let (header, path) = split(note, FIELD)?;
        Some(Note { tool, header, path })
    }
}

fn split(bytes: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let place = bytes.iter().position(|&byte| byte == at)?;
    Some((bytes.get(..place)?, bytes.get(place.saturating_add(1)..)?))
}

/// What has been noted of all tools.
#[derive(Clone, Copy)]
pub(super) struct Annotations<'a>(pub(super) &'a [u8]);

impl Annotations<'_> {
    /// Writes the headers that mirror the arguments of a call.
    pub(super) fn mirror(self, tool: Value<'_>, arguments: Option<Value<'_>>, head: &mut HeadWriter<'_>) {
        let Some(tool) = tool.as_text() else { return };
        for note in Notes(self.0).filter(|note| note.tool == tool.raw()) {
            let value = arguments.and_then(|arguments| reach(arguments, note.path));
            if let (Some(value), Some(name)) = (value, header_name(note.header, &mut [0; PREFIX.len() + MAX_NAME])) {
                write(value, name, head);
            }
        }
    }
}

/// Whether this argument of a tool is one that is mirrored.
impl Annotations<'_> {
    pub(super) fn has(self, tool: Value<'_>, argument: Text<'_>) -> bool {
        let is_tool = |note: &Note<'_>| tool.as_text().is_some_and(|tool| note.tool == tool.raw());
        Notes(self.0).filter(is_tool).any(|note| split(note.path, FIELD) == Some((argument.raw(), &[])))
    }
}

/// The value at this path.
fn reach<'a>(arguments: Value<'a>, mut path: &[u8]) -> Option<Value<'a>> {
    let mut value = arguments;
    while let Some((key, rest)) = split(path, FIELD) {
        (_, value) = value.members().find(|(name, _)| name.raw() == key)?;
        path = rest;
    }
    Some(value)
}

fn header_name<'a>(name: &[u8], room: &'a mut [u8]) -> Option<&'a str> {
    let (prefix, rest) = room.split_at_mut_checked(PREFIX.len())?;
    prefix.iter_mut().zip(PREFIX.bytes()).for_each(|(slot, byte)| *slot = byte);
    rest.get_mut(..name.len())?.iter_mut().zip(name).for_each(|(slot, byte)| *slot = *byte);
    let len = PREFIX.len().saturating_add(name.len());
    core::str::from_utf8(room.get(..len)?).ok()
}

/// Strings as they are, integers in decimal, `true` and `false`; what is null is left out, and so is what no header can be of.
fn write(value: Value<'_>, name: &str, head: &mut HeadWriter<'_>) {
    match value.kind() {
        Some(Kind::String) => {
            if let Some(text) = value.as_text() {
                head.text(name, bytes(text));
            }
        }
        Some(Kind::Bool | Kind::Number) => {
            head.header(name, value.raw());
        }
        _ => {}
    }
}
