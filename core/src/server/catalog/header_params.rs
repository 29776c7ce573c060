//! Which arguments of a tool are mirrored in headers (2026-07-28, *Streamable HTTP: Custom Headers from Tool Parameters*).

use super::well_formed::{begins_with, space, string, value};

/// The member of a property's schema that names its header.
const ANNOTATION: &str = "x-mcp-header";
/// How deep an annotated property may be nested.
const MAX_DEPTH: usize = 8;

/// Whether a schema may hold an annotation at all: few do, and the others are not looked through at each call.
pub(crate) const fn has_header_params(schema: &str) -> bool {
    let mut rest = schema.as_bytes();
    while let [_, tail @ ..] = rest {
        if begins_with(rest, ANNOTATION.as_bytes()) {
            return true;
        }
        rest = tail;
    }
    false
}

/// Gives `visit` the name of each header and the path of the property it mirrors, until it returns something.
/// Only what a chain of `properties` reaches is looked at; keys with escapes in them are not undone.
pub(crate) fn header_params<T>(
    schema: &'static str,
    visit: &mut impl FnMut(&'static str, &[&'static str]) -> Option<T>,
) -> Option<T> {
    walk(schema.as_bytes(), &mut heapless::Vec::new(), visit)
}

fn walk<T>(
    schema: &'static [u8],
    path: &mut heapless::Vec<&'static str, MAX_DEPTH>,
    visit: &mut impl FnMut(&'static str, &[&'static str]) -> Option<T>,
) -> Option<T> {
    let (_, properties) = Members::of(schema).find(|(key, _)| *key == "properties")?;
    for (name, property) in Members::of(properties) {
        if path.push(name).is_err() {
            return None;
        }
        let header = Members::of(property).find(|(key, _)| *key == ANNOTATION).and_then(|(_, value)| unquoted(value));
        let found = header.and_then(|header| visit(header, path)).or_else(|| walk(property, path, visit));
        path.pop();
        if found.is_some() {
            return found;
        }
    }
    None
}

fn unquoted(text: &'static [u8]) -> Option<&'static str> {
    core::str::from_utf8(text.strip_prefix(b"\"")?.strip_suffix(b"\"")?).ok()
}

/// The members of an object that is well-formed, and may have white space in it.
struct Members(&'static [u8]);

impl Members {
    fn of(object: &'static [u8]) -> Members {
        Members(object.strip_prefix(b"{").unwrap_or_default())
    }
}

impl Iterator for Members {
    type Item = (&'static str, &'static [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let text = match space(self.0) {
            [b',', rest @ ..] => space(rest),
            text => text,
        };
        let key = text.strip_prefix(b"\"")?;
        let behind_key = string(key)?;
        let name = key.get(..key.len().checked_sub(behind_key.len())?.checked_sub(1)?)?;
        let text = space(space(behind_key).strip_prefix(b":")?);
        self.0 = value(text, 0)?;
        let value = text.get(..text.len().checked_sub(self.0.len())?)?;
        Some((core::str::from_utf8(name).ok()?, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::{String, ToString};
    use std::vec::Vec;

    fn found(schema: &'static str) -> Vec<(String, String)> {
        let mut all = Vec::new();
        let _: Option<()> = header_params(schema, &mut |name, path| {
            all.push((name.to_string(), path.join("/")));
            None
        });
        all
    }

    #[test]
    fn annotations_are_found_along_properties_only() {
        const NESTED: &str = r#"{ "type": "object",
            "properties": {
                "region": { "type": "string", "x-mcp-header": "Region" },
                "plain": { "type": "string", "description": "no \"x-mcp-header\": here" },
                "deep": { "properties": { "level": { "x-mcp-header" : "Level", "type": "integer" } } },
                "list": { "items": { "properties": { "no": { "x-mcp-header": "No" } } } }
            } }"#;
        let pair = |name: &str, path: &str| (name.to_string(), path.to_string());
        assert!(has_header_params(NESTED));
        assert_eq!(found(NESTED), [pair("Region", "region"), pair("Level", "deep/level")]);
        assert_eq!(found("{}"), []);
        assert!(!has_header_params(r#"{"type":"object","properties":{"x-mcp-heade":{}}}"#));
        assert_eq!(found(r#"{"properties":{}}"#), []);
    }
}
