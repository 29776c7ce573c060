//! `json::Writer`: what it writes is JSON, and a window of it is exactly that window.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod json_support;

use std::collections::BTreeMap;

use json_support::Random;
use serde::Serialize;
use umcp::json::{Base64, Capacity, Decimal, Writer};

type Write = for<'w, 'b> fn(&'w mut Writer<'b>) -> &'w mut Writer<'b>;

/// What `write` writes when there is room for all of it.
fn text(write: impl for<'w, 'b> Fn(&'w mut Writer<'b>) -> &'w mut Writer<'b>) -> String {
    let mut buf = vec![0xaa; 1 << 16];
    let mut w = Writer::new(&mut buf);
    write(&mut w);
    assert!(!w.failed());
    let len = w.finish().unwrap();
    String::from_utf8(buf[..len].to_vec()).unwrap()
}

#[test]
fn places_commas() {
    let table: [(Write, &str); 12] = [
        (|w| w.begin_object().end_object(), "{}"),
        (|w| w.begin_array().end_array(), "[]"),
        (|w| w.begin_array().begin_array().end_array().begin_object().end_object().end_array(), "[[],{}]"),
        (
            |w| w.begin_array().null().bool(true).bool(false).int(-1).uint(2).string("").end_array(),
            r#"[null,true,false,-1,2,""]"#,
        ),
        (|w| w.begin_object().key("a").begin_object().end_object().key("b").int(1).end_object(), r#"{"a":{},"b":1}"#),
        (|w| w.begin_array().raw(b"1e3").raw(b"{}").decimal(Decimal::new(-5, 1)).int(0).end_array(), "[1e3,{},-0.5,0]"),
        (
            |w| w.literal(r#"{"id":"#).int(7).literal(r#","result":{"#).member_bool("ok", true).literal("}}"),
            r#"{"id":7,"result":{"ok":true}}"#,
        ),
        (
            |w| w.literal(r#"{"a":1"#).member_int("b", 2).literal("").member_uint("c", 3).end_object(),
            r#"{"a":1,"b":2,"c":3}"#,
        ),
        (|w| w.begin_array().base64(b"f").base64(b"").value(&[1]).value("x").end_array(), r#"["Zg==","",[1],"x"]"#),
        (
            |w| {
                w.begin_array()
                    .begin_string()
                    .string_part("a\"")
                    .string_char('\n')
                    .display_part(5)
                    .end_string()
                    .int(1)
                    .end_array()
            },
            r#"["a\"\n5",1]"#,
        ),
        (|w| w.begin_array().display(format_args!("{}\t{}", 1, "é")).display("").end_array(), r#"["1\té",""]"#),
        (
            |w| {
                w.begin_object().member_str("s", "\\").member_raw("r", b"[]");
                w.member_decimal("d", Decimal::new(1, 2)).member_value("v", &Some(1)).end_object()
            },
            r#"{"s":"\\","r":[],"d":0.01,"v":1}"#,
        ),
    ];
    for (write, expected) in table {
        assert_eq!(text(write), expected);
    }
}

#[test]
fn escapes() {
    let table = [
        ("", r#""""#),
        ("plain / text \u{7f} é € 😀", "\"plain / text \u{7f} é € 😀\""),
        ("\"\\", r#""\"\\""#),
        ("\u{8}\t\n\u{c}\r", r#""\b\t\n\f\r""#),
        ("\u{0}\u{1f}\u{b}", r#""\u0000\u001f\u000b""#),
        ("12345678\"12345678\\1234567\n", r#""12345678\"12345678\\1234567\n""#),
    ];
    for (string, expected) in table {
        assert_eq!(text(|w| w.string(string)), expected);
        assert_eq!(text(|w| w.key(string)), format!("{expected}:"));
        assert_eq!(text(|w| w.display(string)), expected);
    }
}

#[test]
fn characters_of_every_length() {
    for char in
        ['\u{7f}', '\u{80}', '\u{7ff}', '\u{800}', '\u{d7ff}', '\u{e000}', '\u{ffff}', '\u{10000}', '\u{10ffff}']
    {
        let expected = format!("\"{char}\"");
        assert_eq!(text(|w| w.begin_string().string_char(char).end_string()), expected);
        assert_eq!(text(|w| w.value(&char)), expected);
    }
}

#[test]
fn integers() {
    let table = [0, 1, 9, 10, 99, 4_294_967_295, 4_294_967_296, 42_949_672_969, 10_000_000_000_000_000_000, u64::MAX];
    for value in table {
        assert_eq!(text(|w| w.uint(value)), value.to_string());
    }
    for value in [0, -1, 7, -10, i64::MAX, i64::MIN] {
        assert_eq!(text(|w| w.int(value)), value.to_string());
    }
}

/// Writes a tree of values, choosing among the ways to write each.
fn write_tree<'w, 'b>(w: &'w mut Writer<'b>, value: &serde_json::Value, random: &mut Random) -> &'w mut Writer<'b> {
    match value {
        serde_json::Value::Null => w.null(),
        serde_json::Value::Bool(value) => w.bool(*value),
        serde_json::Value::Number(value) => match (value.as_i64(), value.as_u64()) {
            (Some(value), _) => w.int(value),
            (_, Some(value)) => w.uint(value),
            _ => w.value(value),
        },
        serde_json::Value::String(value) => match random.below(3) {
            0 => w.string(value),
            1 => w.value(value),
            _ => value.chars().fold(w.begin_string(), |w, char| w.string_char(char)).end_string(),
        },
        serde_json::Value::Array(items) => {
            items.iter().fold(w.begin_array(), |w, item| write_tree(w, item, random)).end_array()
        }
        serde_json::Value::Object(members) => {
            let write = |w, (key, value): (&String, _)| write_tree(Writer::key(w, key), value, random);
            members.iter().fold(w.begin_object(), write).end_object()
        }
    }
}

fn parse(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn reads_back_with_serde_json() {
    let mut random = Random::new(2);
    for seed in 0..2000 {
        let value = random.value(4);
        let ours = text(|w| write_tree(w, &value, &mut Random::new(seed)));
        // Compared as the oracle reads them, since it rounds some floats when it does.
        assert_eq!(parse(&ours), parse(&serde_json::to_string(&value).unwrap()), "{ours}");
    }
}

#[derive(Serialize)]
struct Everything<'a> {
    signed: (i8, i16, i32, i64),
    unsigned: [u64; 2],
    text: &'a str,
    char: char,
    none: Option<u8>,
    some: Option<u8>,
    unit: (),
    floats: [f64; 5],
    single: f32,
    variants: [Shape; 4],
    by_number: BTreeMap<i16, bool>,
    by_name: BTreeMap<Kind, u8>,
    by_char: BTreeMap<char, u8>,
    newtype: Metres,
    bytes: &'a [u8],
}

#[derive(Serialize)]
enum Shape {
    Point,
    Circle(u32),
    Line(i8, i8),
    Box { w: u8, h: u8 },
}

#[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Good,
    Bad,
}

#[derive(Serialize)]
struct Metres(u16);

fn everything() -> Everything<'static> {
    Everything {
        signed: (i8::MIN, -300, 70_000, i64::MIN),
        unsigned: [0, u64::MAX],
        text: "a \"quoted\" text\n",
        char: '"',
        none: None,
        some: Some(1),
        unit: (),
        floats: [1.0, -0.1, 1e300, 5e-324, f64::NAN],
        single: 0.1,
        variants: [Shape::Point, Shape::Circle(3), Shape::Line(-1, 1), Shape::Box { w: 1, h: 2 }],
        by_number: BTreeMap::from([(-7, true), (8, false)]),
        by_name: BTreeMap::from([(Kind::Good, 1), (Kind::Bad, 2)]),
        by_char: BTreeMap::from([('\\', 1)]),
        newtype: Metres(5),
        bytes: b"\x00\xff",
    }
}

#[test]
fn values_are_as_with_serde_json() {
    let ours = text(|w| w.value(&everything()));
    assert_eq!(parse(&ours), parse(&serde_json::to_string(&everything()).unwrap()));
    // Byte for byte where no float is spelled.
    assert_eq!(text(|w| w.value(&everything().variants)), serde_json::to_string(&everything().variants).unwrap());
}

#[test]
fn a_refused_value_is_null_and_remembered() {
    let refused = BTreeMap::from([(vec![1], 2)]);
    let mut buf = [0; 64];
    let mut w = Writer::new(&mut buf);
    let start = w.mark();
    w.begin_array().int(1).value(&refused).value(&[Some(&refused)]).int(2).end_array();
    assert_eq!(w.written(), b"[1,null,null,2]");
    assert!(w.failed() && !w.overflowed());
    w.rollback(start);
    assert!(!w.failed());
}

/// One text with every kind of piece in it.
fn write_sample(w: &mut Writer<'_>) {
    w.literal(r#"{"jsonrpc":"2.0","id":"#).raw(b"\"a\"").literal(r#","result":{"#);
    w.member_str("té\n", "€\u{1}€").key("a").begin_array().int(-12).decimal(Decimal::new(-2150, 3)).null().end_array();
    w.key("v").value(&(1, "x\"", Some(Decimal::new(15, 1)))).key("b").base64(b"\x00\x01\x02\x03\x04\xff\xfe");
    w.key("s").begin_string();
    let mut base64 = Base64::new();
    base64.part(w, b"a").part(w, b"").part(w, b"bcdefg").part(w, b"hi").end(w);
    w.end_string()
        .key("refused")
        .value(&BTreeMap::from([((), 1)]))
        .key("d")
        .display(format_args!("{:?}", "q"))
        .literal("}}");
}

const SAMPLE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":"a","result":{"té\n":"€\u0001€","a":[-12,-2.150,null],"v":[1,"x\"",1.5],"b":"AAECAwT//g==","#,
    r#""s":"YWJjZGVmZ2hp","refused":null,"d":"\"q\""}}"#
);

#[test]
fn every_window_is_a_slice_of_the_whole() {
    for skip in 0..SAMPLE.len() + 3 {
        for size in 0..SAMPLE.len() + 3 {
            let mut buf = vec![0xaa; size];
            let mut w = Writer::window(&mut buf, skip);
            write_sample(&mut w);
            let after = SAMPLE.as_bytes().get(skip..).unwrap_or_default();
            let kept = &after[..size.min(after.len())];
            assert_eq!(w.written(), kept, "skip {skip}, size {size}");
            assert_eq!((w.len(), w.is_empty(), w.total()), (kept.len(), kept.is_empty(), SAMPLE.len()));
            assert_eq!(w.overflowed(), size < after.len());
            let expected = if size < after.len() { Err(Capacity { needed: after.len() }) } else { Ok(after.len()) };
            assert_eq!(w.finish(), expected);
        }
    }
}

#[test]
fn windows_in_a_row_make_the_whole() {
    let mut whole = Vec::new();
    loop {
        let mut buf = [0; 7];
        let mut w = Writer::window(&mut buf, whole.len());
        write_sample(&mut w);
        whole.extend_from_slice(w.written());
        if !w.overflowed() {
            break;
        }
    }
    assert_eq!(whole, SAMPLE.as_bytes());
}

#[test]
fn base64_in_windows() {
    let bytes: Vec<u8> = (0..100).collect();
    let whole = text(|w| w.begin_array().base64(&bytes).base64(&bytes).end_array());
    for skip in 0..whole.len() {
        for size in [1, 2, 3, 4, 5, 60, 300] {
            let mut buf = vec![0; size];
            let mut w = Writer::window(&mut buf, skip);
            w.begin_array().base64(&bytes).base64(&bytes).end_array();
            assert_eq!(w.written(), &whole.as_bytes()[skip..whole.len().min(skip + size)]);
            assert_eq!(w.total(), whole.len());
        }
    }
}

#[test]
fn counting_keeps_nothing() {
    let mut w = Writer::counting();
    write_sample(&mut w);
    assert_eq!((w.total(), w.len(), w.overflowed()), (SAMPLE.len(), 0, false));
    assert_eq!(w.finish(), Ok(0));
}

#[test]
fn a_rollback_leaves_no_trace() {
    // Whatever overflows after the mark, the array goes on as if it had never been tried.
    for size in 8..40 {
        for skip in [0, 1, 4] {
            let mut buf = vec![0; size];
            let mut w = Writer::window(&mut buf, skip);
            w.begin_array().int(1);
            let mark = w.mark();
            w.begin_object().member_str("a long key", "a long value").end_object();
            w.value(&BTreeMap::from([((), 1)]));
            w.rollback(mark);
            w.int(2).end_array();
            assert_eq!(w.written(), &b"[1,2]"[skip..]);
            assert_eq!((w.total(), w.overflowed(), w.failed()), (5, false, false));
        }
    }
}

#[test]
fn nothing_is_kept_after_an_overflow() {
    let mut buf = [0; 6];
    let mut w = Writer::new(&mut buf);
    w.begin_array().string("€€").int(1).end_array();
    assert_eq!(w.written(), "[\"€€".as_bytes().get(..6).unwrap());
    assert_eq!(w.finish(), Err(Capacity { needed: 12 }));
}

#[test]
fn base64_of_rfc_4648() {
    let table: [(&[u8], &str); 9] = [
        (b"", ""),
        (b"f", "Zg=="),
        (b"fo", "Zm8="),
        (b"foo", "Zm9v"),
        (b"foob", "Zm9vYg=="),
        (b"fooba", "Zm9vYmE="),
        (b"foobar", "Zm9vYmFy"),
        (b"\xfb\xff\xbf", "+/+/"),
        (b"\x00\x10\x83\x10\x51\x87\x20\x92\x8b\x30\xd3\x8f\x41\x14\x93\x51\x55\x97", "ABCDEFGHIJKLMNOPQRSTUVWX"),
    ];
    for (bytes, expected) in table {
        let expected = format!("\"{expected}\"");
        assert_eq!(text(|w| w.base64(bytes)), expected);
        for first in 0..=bytes.len() {
            for second in first..=bytes.len() {
                let in_parts = text(|w| {
                    let mut base64 = Base64::new();
                    w.begin_string();
                    base64.part(w, &bytes[..first]).part(w, &bytes[first..second]).part(w, &bytes[second..]).end(w);
                    w.end_string()
                });
                assert_eq!(in_parts, expected);
            }
        }
    }
}
