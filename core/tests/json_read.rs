//! `json::from_slice`: typed reading, with `serde_json` as the oracle where both agree on what is right.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod json_support;

use std::collections::BTreeMap;
use std::fmt::Debug;

use json_support::Random;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Value as Oracle, json};
use umcp::json::{ReadError, ReadProblem, from_slice};

fn read<T: DeserializeOwned>(text: &str) -> Result<T, ReadError> {
    from_slice(&mut text.as_bytes().to_vec())
}

#[derive(Deserialize, Debug, PartialEq)]
enum Shape {
    Point,
    Circle(u32),
    Line(i8, i8),
    Box { w: u8, h: u8 },
    Nested(Box<Shape>),
}

#[derive(Deserialize, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
struct Everything {
    signed_byte: Option<i8>,
    word: Option<u16>,
    long: Option<i64>,
    unsigned_long: Option<u64>,
    float: Option<f64>,
    single: Option<f32>,
    text: Option<String>,
    char: Option<char>,
    flag: Option<bool>,
    unit: Option<()>,
    list: Option<Vec<i32>>,
    pair: Option<(u8, String)>,
    map: Option<BTreeMap<String, Metres>>,
    keys: Option<BTreeMap<Metre, u8>>,
    shape: Option<Shape>,
    shapes: Option<Vec<Shape>>,
    any: Option<Oracle>,
    #[serde(default)]
    defaulted: u8,
    newtype: Option<Metres>,
}

#[derive(Deserialize, Debug, PartialEq)]
struct Metres(u16);

#[derive(Deserialize, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Metre(String);

fn shape(random: &mut Random, depth: usize) -> Oracle {
    match random.below(if depth == 0 { 6 } else { 7 }) {
        0 => json!("Point"),
        1 => json!({ "Circle": random.integer() }),
        2 => json!({ "Line": [random.below(200), 1] }),
        3 => json!({ "Box": { "w": random.below(300), "h": 1, "extra": random.value(2) } }),
        4 => json!({ "Point": null }),
        5 => json!({ random.string(): random.value(1) }),
        _ => json!({ "Nested": shape(random, depth - 1) }),
    }
}

/// A value for the field that is mostly right.
fn field(random: &mut Random, name: &str) -> Oracle {
    match (random.below(40), name) {
        (0, _) => Oracle::Null,
        (1, _) => random.scalar(),
        (_, "signedByte" | "defaulted") => json!(random.below(140)),
        (_, "word" | "newtype") => json!(random.below(70_000)),
        (_, "long" | "unsignedLong") => random.integer(),
        (_, "float" | "single") => random.float(),
        (_, "text") => json!(random.string()),
        (_, "char") => json!(random.pick(&["a", "é", "\n", "😀", "\"", "ab", ""])),
        (_, "flag") => json!(random.below(2) == 0),
        (_, "unit") => Oracle::Null,
        (_, "list") => (0..random.below(5)).map(|_| json!(random.next() as i32)).collect::<Vec<_>>().into(),
        (_, "pair") => {
            [json!(random.below(260)), json!(random.string()), json!(1)][..2 + random.below(10) / 9].to_vec().into()
        }
        (_, "map") => json!({ random.string(): random.below(70_000), "\u{1}": 2 }),
        (_, "keys") => json!({ random.string(): 1, "\\": 2 }),
        (_, "shape") => shape(random, 3),
        (_, "shapes") => (0..random.below(4)).map(|_| shape(random, 2)).collect::<Vec<_>>().into(),
        _ => random.value(4),
    }
}

/// Whether reading as integers what is spelled with a point, which `serde_json` refuses and we accept, could matter.
fn has_whole_float(value: &Oracle) -> bool {
    match value {
        Oracle::Number(number) => number.is_f64() && number.as_f64().is_some_and(|float| float.fract() == 0.0),
        Oracle::Array(items) => items.iter().any(has_whole_float),
        Oracle::Object(members) => members.values().any(has_whole_float),
        _ => false,
    }
}

#[test]
fn reads_like_serde_json() {
    const NAMES: [&str; 21] = [
        "signedByte",
        "word",
        "long",
        "unsignedLong",
        "float",
        "single",
        "text",
        "char",
        "flag",
        "unit",
        "list",
        "pair",
        "map",
        "keys",
        "shape",
        "shapes",
        "defaulted",
        "newtype",
        "unknown",
        "signed_byte",
        "\n",
    ];
    let mut random = Random::new(3);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..20_000 {
        let mut object = serde_json::Map::new();
        for _ in 0..random.below(6) {
            let name = random.pick(&NAMES);
            object.insert(name.into(), field(&mut random, name));
        }
        let value = Oracle::Object(object);
        if has_whole_float(&value) {
            continue;
        }
        let text = serde_json::to_string(&value).unwrap();
        match (read::<Everything>(&text), serde_json::from_str::<Everything>(&text)) {
            // Out of a text the oracle rounds its floats a little differently; the text's own reading is right.
            (Ok(ours), Ok(oracle)) => {
                good += 1;
                assert_eq!(
                    Everything { float: None, single: None, ..ours },
                    Everything { float: None, single: None, ..oracle }
                );
            }
            (Err(_), Err(_)) => bad += 1,
            (ours, oracle) => panic!("{text}\nours: {ours:?}\noracle: {oracle:?}"),
        }
    }
    assert!(good > 2000 && bad > 2000, "{good} {bad}");
}

#[test]
fn reads_anything_like_serde_json() {
    let mut random = Random::new(4);
    for _ in 0..3000 {
        let value = random.value(5);
        let text = serde_json::to_string(&value).unwrap();
        assert_eq!(read::<Oracle>(&text).unwrap(), without_fractions(value));
        assert!(read::<IgnoredAny>(&text).is_ok());
    }
}

/// Of a type that takes anything, we hand over a number that is no integer as its text.
fn without_fractions(value: Oracle) -> Oracle {
    match value {
        Oracle::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && (float.fract() != 0.0 || float.abs() >= 9e18) => {
                json!(number.to_string())
            }
            Some(float) if number.is_f64() => json!(float as i64),
            _ => number.into(),
        },
        Oracle::Array(items) => items.into_iter().map(without_fractions).collect::<Vec<_>>().into(),
        Oracle::Object(members) => members
            .into_iter()
            .map(|(key, value)| (key, without_fractions(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other,
    }
}

#[derive(Deserialize, Debug, PartialEq)]
struct Borrowing<'a> {
    text: &'a str,
    bytes: &'a [u8],
    #[serde(borrow)]
    list: [Option<&'a str>; 2],
    #[serde(borrow)]
    map: BTreeMap<&'a str, &'a str>,
}

#[test]
fn borrows_what_is_escaped() {
    let mut text = br#"{"t\u0001":1,"text":"a\"\\\/\b\f\n\r\t\u001f\ud800 0123456789 0123456789\n","bytes":"\n\u0000","list":["\ud83d",null],"map":{"k\n":"v\""}}"#.to_vec();
    let expected = Borrowing {
        text: "a\"\\/\u{8}\u{c}\n\r\t\u{1f}\u{fffd} 0123456789 0123456789\n",
        bytes: b"\n\0",
        list: [Some("\u{fffd}"), None],
        map: BTreeMap::from([("k\n", "v\"")]),
    };
    assert_eq!(from_slice(&mut text), Ok(expected));
}

#[test]
fn every_spelling_of_an_integer() {
    for text in ["30", "30.0", "3e1", "3E+1", "300e-1", "0.3e2"] {
        assert_eq!(
            (read::<i8>(text), read::<u8>(text), read::<i64>(text), read::<u64>(text)),
            (Ok(30), Ok(30), Ok(30), Ok(30))
        );
        assert_eq!(read::<Oracle>(text), Ok(json!(30)));
    }
    assert_eq!(
        (read::<i64>("-9223372036854775808"), read::<u64>("18446744073709551615")),
        (Ok(i64::MIN), Ok(u64::MAX))
    );
    assert_eq!((read::<f64>("-1.5e3"), read::<f64>("7"), read::<f32>("0.1")), (Ok(-1500.0), Ok(7.0), Ok(0.1)));
}

#[derive(Deserialize, Debug, PartialEq)]
struct Blink {
    on: bool,
    times: u8,
    mode: Option<Mode>,
    inner: Option<Inner>,
}

#[derive(Deserialize, Debug, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Mode {
    Slow,
    VeryFast,
    Custom { millis: u16 },
}

#[derive(Deserialize, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
struct Inner {
    pair: (u8, char),
    name: [i32; 2],
}

#[test]
fn says_what_to_change() {
    let table = [
        (r#"{"on":true,"times":3}"#, None),
        (r#"{"on":true,"times":3,"mode":null,"inner":null,"unknown":[{}]}"#, None),
        (r#"{"on":true,"times":3,"mode":{"custom":{"millis":5}},"inner":{"pair":[1,"x"],"name":[1,2]}}"#, None),
        (r#"{"times":3}"#, Some("field `on` is missing")),
        (r#"{"on":true,"times":3,"on":true}"#, Some("field `on` is given twice")),
        (r#"{"on":1,"times":3}"#, Some("`on`: expected true or false")),
        (r#"{"on":true,"times":256}"#, Some("`times`: expected an integer from 0 to 255")),
        (r#"{"on":true,"times":-1}"#, Some("`times`: expected an integer from 0 to 255")),
        (r#"{"on":true,"times":2.5}"#, Some("`times`: expected an integer from 0 to 255")),
        (r#"{"on":true,"times":"3"}"#, Some("`times`: expected an integer from 0 to 255")),
        (r#"{"on":true,"times":null}"#, Some("`times`: expected an integer from 0 to 255")),
        (r#"{"on":true,"times":3,"mode":"fast"}"#, Some("`mode`: expected one of `slow`, `very_fast`, `custom`")),
        (r#"{"on":true,"times":3,"mode":7}"#, Some("`mode`: expected a string, or an object of one member")),
        (r#"{"on":true,"times":3,"mode":"custom"}"#, Some("`mode`: expected an object of one member")),
        (r#"{"on":true,"times":3,"mode":{"custom":{}}}"#, Some("`mode`: field `millis` is missing")),
        (
            r#"{"on":true,"times":3,"mode":{"custom":{"millis":-1}}}"#,
            Some("`millis`: expected an integer from 0 to 65535"),
        ),
        (r#"{"on":true,"times":3,"inner":[]}"#, Some("`inner`: expected an object")),
        (r#"{"on":true,"times":3,"inner":{"name":[1,2]}}"#, Some("`inner`: field `pair` is missing")),
        (r#"{"on":true,"times":3,"inner":{"name":[1]}}"#, Some("`name`: wrong number of items: 1")),
        (r#"{"on":true,"times":3,"inner":{"name":[1,2,3]}}"#, Some("`name`: wrong number of items: 3")),
        (r#"{"on":true,"times":3,"inner":{"pair":[1,"xy"]}}"#, Some("`pair`: expected a string of one character")),
        (r#"{"on":true,"times":3,"inner":{"x":1}}"#, Some("`inner`: unknown field; known are `pair`, `name`")),
        (r#"[true,3]"#, Some("expected an object")),
        ("", Some("not canonical JSON")),
        (r#"{"on":true"#, Some("not canonical JSON")),
        (r#"{"on":true,"times":3}}"#, Some("not canonical JSON")),
    ];
    for (text, expected) in table {
        let error = read::<Blink>(text).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), expected, "{text}");
    }
}

#[test]
fn names_the_innermost_field() {
    let error = read::<Blink>(r#"{"on":true,"times":3,"mode":{"custom":{"millis":true}}}"#).unwrap_err();
    let expected = "an integer from 0 to 65535";
    assert_eq!(error, ReadError { problem: ReadProblem::WrongType { expected }, field: Some("millis") });
}

#[derive(Deserialize, Debug)]
struct List(Option<Box<(List, List)>>);

#[test]
fn depth_is_bounded() {
    fn nested(depth: usize) -> String {
        format!("{}0{}", "[".repeat(depth), "]".repeat(depth))
    }
    assert!(read::<Oracle>(&nested(64)).is_ok());
    assert_eq!(read::<Oracle>(&nested(65)).unwrap_err().problem, ReadProblem::TooDeep);
    assert_eq!(read::<Oracle>(&nested(1_000_000)).unwrap_err().problem, ReadProblem::TooDeep);
    assert!(read::<List>("null").unwrap().0.is_none());
    assert_eq!(read::<List>(&"[".repeat(1_000_000)).unwrap_err().problem, ReadProblem::TooDeep);
    assert_eq!(read::<Shape>(&r#"{"Nested":"#.repeat(1_000_000)).unwrap_err().problem, ReadProblem::TooDeep);
    // Siblings do not add up, and what is skipped is not limited.
    assert_eq!(read::<Vec<Vec<u8>>>(&format!("[[]{}]", ",[1]".repeat(300))).unwrap().len(), 301);
    assert!(read::<IgnoredAny>(&nested(1_000_000)).is_ok());
}

/// Every prefix of a text, and every text with one byte changed: an error or a value, never a panic.
#[test]
fn garbage_is_an_error() {
    let text = r#"{"signedByte":-1,"pair":[3.0e0,"\u0001é\n"],"map":{"a":1},"shapes":["Point",{"Line":[1,2]},{"Box":{"w":1,"h":2}}],"any":[null,1.5]}"#;
    assert!(read::<Everything>(text).is_ok());
    for end in 0..text.len() {
        let mut prefix = text.as_bytes()[..end].to_vec();
        assert!(from_slice::<Everything>(&mut prefix).is_err());
        for byte in [b'"', b'\\', b'{', b'}', b'[', b']', b',', b':', b'n', b'-', b'9', b'e', b' ', 0, 0xff] {
            let mut changed = text.as_bytes().to_vec();
            changed[end] = byte;
            drop(from_slice::<Everything>(&mut changed.clone()));
            drop(from_slice::<Oracle>(&mut changed));
        }
    }
}
