//! `json::Value`: looking things up in canonical text, with `serde_json` as the oracle.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod json_support;

use json_support::Random;
use umcp::json::{Kind, TextError, Value};

fn assert_agrees(value: Value<'_>, oracle: &serde_json::Value) {
    match oracle {
        serde_json::Value::Null => assert!(value.is_null()),
        serde_json::Value::Bool(expected) => assert_eq!(value.as_bool(), Some(*expected)),
        serde_json::Value::Number(expected) => {
            assert!(value.is_number());
            if expected.is_f64() {
                let parsed: f64 = std::str::from_utf8(value.raw()).unwrap().parse().unwrap();
                assert_eq!(Some(parsed), expected.as_f64());
            } else {
                assert_eq!((value.as_i64(), value.as_u64()), (expected.as_i64(), expected.as_u64()));
            }
        }
        serde_json::Value::String(expected) => assert_is_string(value, expected),
        serde_json::Value::Array(expected) => {
            assert!(value.is_array());
            assert_eq!(value.items().count(), expected.len());
            value.items().zip(expected).for_each(|(item, expected)| assert_agrees(item, expected));
        }
        serde_json::Value::Object(expected) => {
            assert!(value.is_object());
            assert_eq!(value.members().count(), expected.len());
            for (key, member) in value.members() {
                let key = key.to_string();
                assert_agrees(member, &expected[&key]);
                assert_agrees(value.get(&key).unwrap(), &expected[&key]);
            }
        }
    }
}

fn assert_is_string(value: Value<'_>, expected: &str) {
    assert!(value.is_string());
    assert_eq!(value.chars().collect::<String>(), expected);
    assert!(value.is_str(expected));
    assert!(!value.is_str(&format!("{expected}!")));
    if let Some((last, _)) = expected.char_indices().next_back() {
        assert!(!value.is_str(&expected[..last]));
    }
    assert_eq!(value.as_text().unwrap().to_string(), expected);
    let mut exact = vec![0; expected.len()];
    assert_eq!(value.text(&mut exact), Ok(expected));
    match value.as_str() {
        Some(plain) => assert_eq!(plain, expected),
        None => {
            assert!(value.raw().contains(&b'\\'));
            let mut short = vec![0; expected.len() - 1];
            let Err(TextError::Capacity(capacity)) = value.text(&mut short) else { panic!("{value:?} fitted") };
            assert_eq!(capacity.needed, expected.len());
        }
    }
}

#[test]
fn walks_like_serde_json() {
    let mut random = Random::new(1);
    for _ in 0..3000 {
        let oracle = random.value(4);
        let text = serde_json::to_string(&oracle).unwrap();
        assert_agrees(Value::new(text.as_bytes()), &oracle);
    }
}

#[test]
fn kinds() {
    let table = [
        ("null", Some(Kind::Null)),
        ("true", Some(Kind::Bool)),
        ("false", Some(Kind::Bool)),
        ("-1", Some(Kind::Number)),
        ("0.5e9", Some(Kind::Number)),
        ("\"\"", Some(Kind::String)),
        ("[]", Some(Kind::Array)),
        ("{}", Some(Kind::Object)),
        ("", None),
        ("x", None),
        ("+1", None),
    ];
    for (text, kind) in table {
        assert_eq!(Value::new(text.as_bytes()).kind(), kind, "{text}");
    }
}

#[test]
fn looks_up() {
    let text = r#"{"a":{"b":[1,{"c":"]}"}],"b":2},"a":3,"\u0001\"":4,"":5,"d\\n":6}"#;
    let value = Value::new(text.as_bytes());
    let raw = |value: Option<Value<'static>>| value.map(|value| std::str::from_utf8(value.raw()).unwrap());
    let table: [(&[&str], Option<&str>); 9] = [
        (&[], Some(text)),
        (&["a", "b"], Some(r#"[1,{"c":"]}"}]"#)),
        (&["\u{1}\""], Some("4")),
        (&["\\u0001\\\""], None),
        (&[""], Some("5")),
        (&["d\\n"], Some("6")),
        (&["d\\\\n"], None),
        (&["d\n"], None),
        (&["a", "b", "c"], None),
    ];
    for (path, expected) in table {
        assert_eq!(raw(value.at(path)), expected, "{path:?}");
    }
    let items: Vec<_> = value.at(&["a", "b"]).unwrap().items().map(|item| raw(Some(item)).unwrap()).collect();
    assert_eq!(items, ["1", r#"{"c":"]}"}"#]);
}

#[test]
fn integers() {
    let table = [
        ("0", Some(0), Some(0)),
        ("-0", Some(0), Some(0)),
        ("30.0", Some(30), Some(30)),
        ("3e1", Some(30), Some(30)),
        ("3E+01", Some(30), Some(30)),
        ("-300e-1", Some(-30), None),
        ("0.03e3", Some(30), Some(30)),
        ("1000000000000000000000000e-24", Some(1), Some(1)),
        ("0e999999999999", Some(0), Some(0)),
        ("0.000", Some(0), Some(0)),
        ("9223372036854775807", Some(i64::MAX), Some(i64::MAX as u64)),
        ("9223372036854775808", None, Some(1 << 63)),
        ("-9223372036854775808", Some(i64::MIN), None),
        ("-9223372036854775809", None, None),
        ("18446744073709551615", None, Some(u64::MAX)),
        ("18446744073709551616", None, None),
        ("1844674407370955161.5e1", None, Some(u64::MAX)),
        ("1e18", Some(1_000_000_000_000_000_000), Some(1_000_000_000_000_000_000)),
        ("1e19", None, Some(10_000_000_000_000_000_000)),
        ("1e20", None, None),
        ("1e999999999999", None, None),
        ("1e-999999999999", None, None),
        ("30.5", None, None),
        ("3e-1", None, None),
        // Not numbers at all.
        ("", None, None),
        ("-", None, None),
        ("1.", None, None),
        (".5", None, None),
        ("1e", None, None),
        ("1e+", None, None),
        ("1x", None, None),
        ("1.5x", None, None),
        ("\"1\"", None, None),
        ("null", None, None),
    ];
    for (text, signed, unsigned) in table {
        let value = Value::new(text.as_bytes());
        assert_eq!((value.as_i64(), value.as_u64()), (signed, unsigned), "{text}");
        assert_eq!(value.as_u32(), unsigned.and_then(|value| u32::try_from(value).ok()), "{text}");
        assert_eq!(value.as_i32(), signed.and_then(|value| i32::try_from(value).ok()), "{text}");
    }
}

#[test]
fn a_lone_surrogate_is_the_replacement_character() {
    let table =
        [(r#""\ud800""#, "\u{fffd}"), (r#""a\udfffb""#, "a\u{fffd}b"), (r#""\udc00\ud83d""#, "\u{fffd}\u{fffd}")];
    for (text, expected) in table {
        assert_is_string(Value::new(text.as_bytes()), expected);
    }
}

#[test]
fn what_is_not_canonical_is_none() {
    let table: [&[u8]; 21] = [
        b"",
        b"\"",
        b"\"\\",
        b"\"\\\"",
        b"\"\\q\"",
        b"\"\\u12\"",
        b"\"\\u12g4\"",
        b"\"\xff\"",
        b"{",
        b"{\"",
        b"{\"a",
        b"{\"a\"",
        b"{\"a\":",
        b"{\"a\":\"",
        b"{\"a\":{",
        b"{,}",
        b"{a:1}",
        b"[",
        b"[[",
        b"[,",
        b"]",
    ];
    for text in table {
        let value = Value::new(text);
        assert!(value.get("a").is_none(), "{value:?}");
        assert_eq!((value.members().count(), value.items().count()), (0, 0), "{value:?}");
        assert!(value.text(&mut [0; 8]).is_err(), "{value:?}");
        assert_eq!(value.chars().count(), 0, "{value:?}");
    }
}

#[test]
fn depth_costs_no_stack() {
    let mut text = vec![b'['; 1 << 20];
    text.extend(vec![b']'; 1 << 20]);
    let value = Value::new(&text);
    assert_eq!(value.items().next().unwrap().raw().len(), text.len() - 2);
}
