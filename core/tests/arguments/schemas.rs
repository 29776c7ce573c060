//! The text of the schemas, compared with what they should say.

use serde_json::{Value, json};
use umcp::arguments::{Arguments, NO_ARGUMENTS};

use crate::declared::{Addresses, Blink, Defaults, Integers, Limited, Names, Nothing, Prose, Tour};

fn integer(minimum: i64, maximum: i64) -> Value {
    json!({"type": "integer", "minimum": minimum, "maximum": maximum})
}

fn described(about: &str, mut schema: Value) -> Value {
    schema["description"] = json!(about);
    schema
}

fn with_default(default: Value, mut schema: Value) -> Value {
    schema["default"] = default;
    schema
}

#[test]
fn they_say_what_was_declared() {
    let mode = || json!({"description": "One of two.", "type": "string", "enum": ["slow", "Fast"]});
    let place = |about: &str| {
        json!({
            "description": about,
            "type": "object",
            "properties": {"name": {"type": "string"}, "x": integer(0, 9), "y": integer(-32768, 32767)},
            "required": ["name", "x"]
        })
    };
    let table = [
        (
            Blink::SCHEMA,
            json!({
                "description": "How to blink.",
                "type": "object",
                "properties": {
                    "times": described("How many times.", integer(1, 20)),
                    "periodMs": described("Milliseconds of each half.", with_default(json!(100), integer(10, 1000))),
                    "mode": described("How bright.", mode()),
                    "note": {"description": "What to say meanwhile.", "type": "string"}
                },
                "required": ["times", "mode"]
            }),
        ),
        (
            Integers::SCHEMA,
            json!({
                "type": "object",
                "properties": {
                    "a": integer(0, 255),
                    "b": integer(-128, 127),
                    "c": integer(0, 65535),
                    "d": integer(-32768, 32767),
                    "e": integer(0, 4_294_967_295),
                    "f": integer(-2_147_483_648, 2_147_483_647),
                    "g": {"type": "integer", "minimum": 0},
                    "h": {"type": "integer"}
                },
                "required": ["a", "b", "c", "d", "e", "f", "g", "h"]
            }),
        ),
        (
            Limited::SCHEMA,
            json!({
                "type": "object",
                "properties": {
                    "by_name": integer(1, 1000),
                    "by_term": integer(-5, 6),
                    "negative": integer(-40, -1),
                    "long": integer(0, i64::MAX),
                    "celsius": {"type": "number", "minimum": -40, "maximum": 125},
                    "path": integer(7, 7)
                }
            }),
        ),
        (
            Defaults::SCHEMA,
            json!({
                "type": "object",
                "properties": {
                    "on": {"type": "boolean", "default": true},
                    "count": with_default(json!(1000), integer(0, 65535)),
                    "below": with_default(json!(-1), integer(-5, 5)),
                    "long": {"type": "integer", "minimum": 0, "default": u64::MAX},
                    "celsius": {"type": "number", "minimum": 0, "maximum": 99, "default": 21.5},
                    "small": {"type": "number", "default": -0.005},
                    "text": {"type": "string", "default": "a \"b\"\n"},
                    "mode": with_default(json!("slow"), mode())
                }
            }),
        ),
        (
            Tour::SCHEMA,
            json!({
                "type": "object",
                "properties": {
                    "from": place("A place."),
                    "to": place("Where it ends."),
                    "stops": {"type": "array", "items": place("A place."), "maxItems": 2},
                    "colour": {"type": "array", "items": integer(0, 255), "minItems": 3, "maxItems": 3},
                    "modes": {"type": "array", "items": mode(), "maxItems": 2}
                },
                "required": ["from"]
            }),
        ),
        (Nothing::SCHEMA, json!({"type": "object", "additionalProperties": false})),
        (NO_ARGUMENTS, json!({"type": "object", "additionalProperties": false})),
        (
            Prose::SCHEMA,
            json!({
                "description":
                    "Quotes: \"a\", back\\slash, tab\t, é, 😀, `code`. Indented, after a blank line. \u{1}\u{1f}\u{7f}",
                "type": "object",
                "properties": {
                    "undescribed": mode(),
                    "block": described("A block of two lines.", mode())
                }
            }),
        ),
        (
            Names::SCHEMA,
            json!({
                "description": "Names that the macro uses itself, and a raw one.",
                "type": "object",
                "properties": {
                    "name": integer(0, 255),
                    "members": integer(0, 255),
                    "reader": integer(0, 255),
                    "limits": integer(0, 3),
                    "value": with_default(json!(4), integer(0, 255)),
                    "type": integer(0, 255),
                    "a \"b\" é": integer(0, 255)
                },
                "required": ["name", "members", "reader", "limits", "type", "a \"b\" é"]
            }),
        ),
    ];
    for (text, expected) in table {
        let schema: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(schema, expected, "{text}");
    }
}

#[test]
fn addresses_are_as_wide_as_here() {
    let schema: Value = serde_json::from_str(Addresses::SCHEMA).unwrap();
    let expected = match usize::BITS {
        64 => json!({"at": {"type": "integer", "minimum": 0}, "by": {"type": "integer"}}),
        bits => json!({"at": integer(0, (1 << bits) - 1), "by": integer(-1 << (bits - 1), (1 << (bits - 1)) - 1)}),
    };
    assert_eq!(schema["properties"], expected);
}

/// No blank, no member twice: equal text is equal bytes in a list, and a device sends no more than it must.
#[test]
fn the_text_is_canonical() {
    for text in [Blink::SCHEMA, Defaults::SCHEMA, Tour::SCHEMA, Prose::SCHEMA, Names::SCHEMA] {
        let mut copy = text.as_bytes().to_vec();
        let canonical = umcp::client::arguments(&mut copy).unwrap();
        assert_eq!(canonical.raw(), text.as_bytes(), "{text}");
        assert!(!text.contains(": ") || text.contains("Quotes: "), "{text}");
    }
}
