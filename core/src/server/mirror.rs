//! Headers that mirror the body: they must agree with it (2026-07-28, *Streamable HTTP: Server Validation*).

use crate::frame::http::{HeaderText, is_field_value};
use crate::json::{Text, Value};
use crate::mcp::slot::{self, server};
use crate::mcp::{Fault, HeaderFault, HeaderName, Method, Revision};

use super::catalog::{Tool, has_header_params, header_params};
use super::request::Source;

/// The headers that came with a request and concern more than the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mirror<'h> {
    /// `MCP-Protocol-Version`.
    pub(crate) version: Option<&'h [u8]>,
    /// `Mcp-Method`.
    pub(crate) method: Option<&'h [u8]>,
    /// `Mcp-Name`.
    pub(crate) name: Option<&'h [u8]>,
    /// `Authorization`.
    pub(crate) authorization: Option<&'h [u8]>,
    /// Each `Mcp-Param-*`: see [`Kept`].
    pub(crate) params: Kept<'h>,
    /// One of the first three came twice, with different values.
    pub(crate) ambiguous: Option<&'static str>,
}

/// Headers kept one behind the other: the length of the name, the name, the length of the value in two bytes, the value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kept<'h>(pub(crate) &'h [u8]);

impl<'h> Iterator for Kept<'h> {
    type Item = (&'h [u8], &'h [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (&name_len, rest) = self.0.split_first()?;
        let (name, rest) = rest.split_at_checked(usize::from(name_len))?;
        let (len, rest) = rest.split_first_chunk::<2>()?;
        let (value, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes(*len)))?;
        self.0 = rest;
        Some((name, value))
    }
}

const VERSION: HeaderName = HeaderName::Standard("MCP-Protocol-Version");
const METHOD: HeaderName = HeaderName::Standard("Mcp-Method");
const NAME: HeaderName = HeaderName::Standard("Mcp-Name");

impl Mirror<'_> {
    /// Whether the headers say that the request is of the modern era: they name a version, and none that has a handshake.
    pub(crate) fn is_modern(&self) -> bool {
        self.version.is_some_and(|version| match core::str::from_utf8(version).ok().and_then(Revision::parse) {
            Some(revision) => revision > Revision::LATEST_LEGACY,
            None => self.method.is_some(),
        })
    }

    /// Whether they say that a tool is called.
    pub(crate) fn calls_tool(&self) -> bool {
        self.method == Some(Method::CallTool.as_str().as_bytes()) && self.name.is_some() && self.ambiguous.is_none()
    }

    /// Whether this is the name they say.
    pub(crate) fn names(&self, name: &str) -> bool {
        let text = self.name.and_then(|value| HeaderText::new(value).ok());
        text.is_some_and(|text| text.bytes().eq(name.bytes()))
    }

    /// The credentials, where they are text.
    pub(crate) fn authorization(&self) -> Option<&str> {
        core::str::from_utf8(self.authorization?).ok()
    }

    /// Do the headers that every request has agree with its body?
    pub(crate) fn check(&self, source: &Source<'_>) -> Result<(), Fault> {
        if let Some(name) = self.ambiguous {
            return Err(fault(HeaderName::Standard(name), HeaderFault::Different));
        }
        exact(VERSION, self.version, source.get(server::PROTOCOL_VERSION))?;
        exact(METHOD, self.method, source.get(slot::METHOD))?;
        let named = match source.get(slot::METHOD).and_then(Method::parse) {
            Some(Method::CallTool | Method::GetPrompt) => source.get(server::NAME),
            Some(Method::ReadResource) => source.get(server::URI),
            _ => return Ok(()),
        };
        match (self.name, named) {
            // What the body lacks is refused with the other parameters.
            (None, None) => Ok(()),
            (value, named) => encoded(NAME, value, |text| named.is_some_and(|named| is_text(text, named))),
        }
    }

    /// Does each header that mirrors an argument of this tool agree with it (*Custom Headers from Tool Parameters*)?
    pub(crate) fn check_params<A>(&self, tool: &Tool<A>, source: &Source<'_>) -> Result<(), Fault> {
        match tool.check_params {
            Some(check) => check(self, tool.input_schema, source),
            None => Ok(()),
        }
    }
}

/// Checks the headers that mirror the arguments of a tool with this schema.
pub(crate) type CheckParams = fn(&Mirror<'_>, &'static str, &Source<'_>) -> Result<(), Fault>;

/// What checks them, for a tool that has any: a program without such a tool is linked without it.
pub(crate) const fn check_params(schema: &'static str) -> Option<CheckParams> {
    if has_header_params(schema) { Some(check) } else { None }
}

fn check(mirror: &Mirror<'_>, schema: &'static str, source: &Source<'_>) -> Result<(), Fault> {
    let arguments = source.get(server::ARGUMENTS);
    header_params(schema, &mut |name, path| {
        let argument = arguments.and_then(|value| value.at(path)).filter(|value| !value.is_null());
        let mut values = mirror.params.filter(|(header, _)| is_param(header, name)).map(|(_, value)| value);
        let value = values.next();
        let differs = values.any(|other| Some(other) != value);
        let name = HeaderName::Param(name);
        let is_same = |text: HeaderText<'_>| match argument {
            Some(argument) if argument.is_number() => is_number(text, argument),
            Some(argument) => is_text(text, argument),
            None => false,
        };
        let checked = match (value, argument) {
            _ if differs => Err(fault(name, HeaderFault::Different)),
            (None, None) => Ok(()),
            (value, _) => encoded(name, value, is_same),
        };
        checked.err()
    })
    .map_or(Ok(()), Err)
}

/// `Mcp-Param-` and this name, in any case.
fn is_param(header: &[u8], name: &str) -> bool {
    header.split_at_checked("mcp-param-".len()).is_some_and(|(prefix, given)| {
        prefix.eq_ignore_ascii_case(b"mcp-param-") && given.eq_ignore_ascii_case(name.as_bytes())
    })
}

/// A header that is never encoded.
fn exact(name: HeaderName, value: Option<&[u8]>, expected: Option<Value<'_>>) -> Result<(), Fault> {
    let value = value.ok_or(fault(name, HeaderFault::Missing))?;
    let same = expected.and_then(Value::as_text).is_some_and(|text| utf8(text).eq(value.iter().copied()));
    if same { Ok(()) } else { Err(fault(name, HeaderFault::Different)) }
}

/// A header that may be encoded.
fn encoded(name: HeaderName, value: Option<&[u8]>, is_same: impl FnOnce(HeaderText<'_>) -> bool) -> Result<(), Fault> {
    let value = value.ok_or(fault(name, HeaderFault::Missing))?;
    let text = HeaderText::new(value).ok().filter(|_| is_field_value(value));
    let text = text.ok_or(fault(name, HeaderFault::Malformed))?;
    if is_same(text) { Ok(()) } else { Err(fault(name, HeaderFault::Different)) }
}

/// The text of a string, or how another value is written.
fn is_text(text: HeaderText<'_>, expected: Value<'_>) -> bool {
    match expected.as_text() {
        Some(expected) => text.bytes().eq(utf8(expected)),
        None => text.bytes().eq(expected.raw().iter().copied()),
    }
}

/// The longest number that is compared as one.
const MAX_NUMBER: usize = 32;

/// Numbers are compared as such: `42.0` is `42`. (`042` is none.)
fn is_number(text: HeaderText<'_>, expected: Value<'_>) -> bool {
    let mut digits = heapless::Vec::<u8, MAX_NUMBER>::new();
    if !text.bytes().all(|byte| digits.push(byte).is_ok()) {
        return text.bytes().eq(expected.raw().iter().copied());
    }
    let is_padded = matches!(digits.strip_prefix(b"-").unwrap_or(&digits), [b'0', b'0'..=b'9', ..]);
    let given = Value::new(&digits).as_decimal().filter(|_| !is_padded);
    match (given, expected.as_decimal()) {
        (Some(given), Some(expected)) => given == expected,
        _ => digits == expected.raw(),
    }
}

fn utf8(text: Text<'_>) -> impl Iterator<Item = u8> {
    text.chars().flat_map(|char| {
        let mut buf = [0; 4];
        let len = char.encode_utf8(&mut buf).len();
        buf.into_iter().take(len)
    })
}

const fn fault(name: HeaderName, fault: HeaderFault) -> Fault {
    Fault::Header { name, fault }
}
