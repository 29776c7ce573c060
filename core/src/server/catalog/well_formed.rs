//! Schemas are checked when the catalog is compiled: one that is no JSON would spoil every list it stands in.

/// Refuses, at compile time, a text that is no JSON object.
pub(crate) const fn assert_object(text: &str) {
    let end = match text.as_bytes() {
        bytes @ [b'{', ..] => value(bytes, 0),
        _ => None,
    };
    assert!(matches!(end, Some([])), "a schema of a tool is no JSON object: see the tools of this catalog");
}

/// Refuses, at compile time, an argument that is to be taken as it arrives and that the schema knows nothing of, or not as a string.
pub(crate) const fn assert_string_property(schema: &str, name: &str) {
    let Some(properties) = member(schema.as_bytes(), "properties") else { return };
    let (is_there, is_string) = match member(properties, name) {
        Some(property) => match member(property, "type") {
            Some(text) => (true, begins_with(text, b"\"string\"")),
            None => (true, true),
        },
        None => (false, false),
    };
    assert!(
        is_there,
        "a tool of this catalog takes an argument as it arrives that its schema does not have: see `upload`"
    );
    assert!(is_string, "a tool of this catalog takes an argument as it arrives that is no string: see `upload`");
}

/// The text from the value of a member on, of an object that is well-formed. (A key with escapes in it is another.)
const fn member<'a>(object: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let [b'{', text @ ..] = object else { return None };
    let mut text = space(text);
    loop {
        let [b'"', key @ ..] = text else { return None };
        let Some([b':', behind_colon @ ..]) = string_end(key) else { return None };
        let found = space(behind_colon);
        if begins_with(key, name.as_bytes()) && matches!(key.split_at(name.len()).1, [b'"', ..]) {
            return Some(found);
        }
        let Some(behind_value) = value(found, 0) else { return None };
        match space(behind_value) {
            [b',', rest @ ..] => text = space(rest),
            _ => return None,
        }
    }
}

/// What follows a key and white space.
const fn string_end(key: &[u8]) -> Option<&[u8]> {
    match string(key) {
        Some(rest) => Some(space(rest)),
        None => None,
    }
}

pub(super) const fn begins_with(mut text: &[u8], mut start: &[u8]) -> bool {
    loop {
        match (text, start) {
            (_, []) => return true,
            ([a, text_rest @ ..], [b, start_rest @ ..]) if *a == *b => {
                text = text_rest;
                start = start_rest;
            }
            _ => return false,
        }
    }
}

/// How deep a schema may be nested.
const MAX_DEPTH: u8 = 64;

/// What follows the value at the start of `text`; `None` if there is none.
pub(super) const fn value(text: &[u8], depth: u8) -> Option<&[u8]> {
    if depth > MAX_DEPTH {
        return None;
    }
    match text {
        [b'{', rest @ ..] => members(space(rest), depth),
        [b'[', rest @ ..] => items(space(rest), depth),
        [b'"', rest @ ..] => string(rest),
        [b't', b'r', b'u', b'e', rest @ ..]
        | [b'f', b'a', b'l', b's', b'e', rest @ ..]
        | [b'n', b'u', b'l', b'l', rest @ ..] => Some(rest),
        [b'-', rest @ ..] => number(rest),
        _ => number(text),
    }
}

const fn members(text: &[u8], depth: u8) -> Option<&[u8]> {
    if let [b'}', rest @ ..] = text {
        return Some(rest);
    }
    let mut text = text;
    loop {
        let [b'"', key @ ..] = text else { return None };
        let Some(behind_key) = string(key) else { return None };
        let [b':', behind_colon @ ..] = space(behind_key) else { return None };
        let Some(behind_value) = value(space(behind_colon), depth + 1) else { return None };
        match space(behind_value) {
            [b',', rest @ ..] => text = space(rest),
            [b'}', rest @ ..] => return Some(rest),
            _ => return None,
        }
    }
}

const fn items(text: &[u8], depth: u8) -> Option<&[u8]> {
    if let [b']', rest @ ..] = text {
        return Some(rest);
    }
    let mut text = text;
    loop {
        let Some(behind_value) = value(text, depth + 1) else { return None };
        match space(behind_value) {
            [b',', rest @ ..] => text = space(rest),
            [b']', rest @ ..] => return Some(rest),
            _ => return None,
        }
    }
}

/// What follows the closing quote.
pub(super) const fn string(text: &[u8]) -> Option<&[u8]> {
    let mut text = text;
    loop {
        match text {
            [b'"', rest @ ..] => return Some(rest),
            [b'\\', b'u', a, b, c, d, rest @ ..] if is_hex(*a) && is_hex(*b) && is_hex(*c) && is_hex(*d) => text = rest,
            [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', rest @ ..] => text = rest,
            [b'\\' | 0..=0x1f, ..] | [] => return None,
            [_, rest @ ..] => text = rest,
        }
    }
}

const fn is_hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

/// What follows the digits, and the fraction and the exponent if there are any. (It does not mind a leading zero.)
const fn number(text: &[u8]) -> Option<&[u8]> {
    let [b'0'..=b'9', ..] = text else { return None };
    let mut text = text;
    while let [b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-', rest @ ..] = text {
        text = rest;
    }
    Some(text)
}

pub(super) const fn space(text: &[u8]) -> &[u8] {
    let mut text = text;
    while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] = text {
        text = rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_pass_and_nothing_else() {
        let passes = |text: &str| matches!(value(text.as_bytes(), 0), Some([]));
        for text in [
            "{}",
            "{ \"a\" : [ ] ,\n \"b\" : { \"c\" : -1.5e+3 } }",
            r#"{"a":"\u00e9\"\\/é","b":[true,false,null,"x",1]}"#,
        ] {
            assert!(passes(text), "{text}");
            assert_object(text);
            let json: Result<serde_json::Value, _> = serde_json::from_str(text);
            assert!(json.is_ok(), "{text}");
        }
        for text in [
            "",
            "{",
            "}",
            "{}}",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{a:1}",
            "[1,]",
            "[,]",
            "{\"a\":\"\n\"}",
            "{\"a\":\"\\x27\"}",
            "{\"a\":\"\\u{e9}\"}",
            "{\"a\":'x'}",
            "nul",
            "{\"a\":-}",
            "{\"a\":.5}",
            "{\"a\" 1}",
        ] {
            assert!(!passes(text), "{text}");
        }
    }
}
