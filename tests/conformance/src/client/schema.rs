//! Values that fit a schema well enough: its defaults, or else something of its type.

use serde_json::{Map, Value, json};

/// An object with every property of the schema.
pub(crate) fn filled(schema: &Value) -> Value {
    let properties = schema.get("properties").and_then(Value::as_object);
    let members = properties.into_iter().flatten().enumerate();
    Value::Object(members.map(|(at, (name, property))| (name.clone(), value(property, at))).collect::<Map<_, _>>())
}

fn value(property: &Value, at: usize) -> Value {
    let first = |list: Option<&Value>| list.and_then(|list| list.get(0)).cloned();
    let choice = first(property.get("enum")).or_else(|| first(property.get("oneOf"))?.get("const").cloned());
    if let Some(value) = property.get("default").cloned().or(choice) {
        return value;
    }
    match property.get("type").and_then(Value::as_str) {
        Some("boolean") => json!(true),
        Some("integer" | "number") => json!(at + 1),
        Some("array") => json!([]),
        Some("object") => json!({}),
        Some("null") => Value::Null,
        _ => json!("test"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_and_choices_come_first() {
        let schema = json!({ "properties": {
            "a": { "type": "string", "default": "d", "enum": ["e", "d"] },
            "b": { "enum": ["e", "f"] },
            "c": { "oneOf": [{ "const": "g", "title": "G" }] },
            "d": { "type": "boolean" },
            "e": { "type": "number", "default": 95.5 },
            "f": { "type": "integer" },
            "g": { "$ref": "#/$defs/x" }
        } });
        let expected = json!({ "a": "d", "b": "e", "c": "g", "d": true, "e": 95.5, "f": 6, "g": "test" });
        assert_eq!(filled(&schema), expected);
        assert_eq!(filled(&json!({})), json!({}));
    }
}
