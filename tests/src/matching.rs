//! Comparing a message with what is expected of it.

use serde_json::Value;

/// Says where `actual` is not what `expected` asks for. Objects may have more members than expected; arrays must have as many items.
/// `"$any"` stands for any value, and `"$absent"`, as the value of a member, for its absence.
///
/// # Errors
/// The path and what is different there.
pub fn check(expected: &Value, actual: &Value) -> Result<(), String> {
    at("", expected, actual)
}

fn at(path: &str, expected: &Value, actual: &Value) -> Result<(), String> {
    match (expected, actual) {
        (Value::String(any), _) if any == "$any" => Ok(()),
        (Value::Object(expected), Value::Object(actual)) => expected.iter().try_for_each(|(key, expected)| {
            let path = format!("{path}.{key}");
            match (actual.get(key), expected == "$absent") {
                (None, true) => Ok(()),
                (Some(actual), false) => at(&path, expected, actual),
                (Some(actual), true) => Err(format!("{path}: is {actual}, should be absent")),
                (None, false) => Err(format!("{path}: is absent, should be {expected}")),
            }
        }),
        (Value::Array(expected), Value::Array(actual)) if expected.len() == actual.len() => {
            let mut pairs = expected.iter().zip(actual).enumerate();
            pairs.try_for_each(|(index, (expected, actual))| at(&format!("{path}[{index}]"), expected, actual))
        }
        _ if expected == actual => Ok(()),
        _ => Err(format!("{path}: is {actual}, should be {expected}")),
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use serde_json::json;

    #[test]
    fn more_is_allowed_less_is_not() {
        let actual = json!({"a": 1, "b": [{"c": 2, "d": 3}], "e": null});
        for good in
            [json!({}), json!({"a": 1}), json!({"b": [{"c": 2}]}), json!({"b": "$any", "z": "$absent", "e": null})]
        {
            assert_eq!(check(&good, &actual), Ok(()), "{good}");
        }
        for bad in [
            json!({"a": 2}),
            json!({"z": "$any"}),
            json!({"a": "$absent"}),
            json!({"b": []}),
            json!({"e": {}}),
            json!([]),
        ] {
            assert!(check(&bad, &actual).is_err(), "{bad}");
        }
    }
}
