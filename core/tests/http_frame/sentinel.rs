//! Values of headers that stand for other texts.

use crate::rig::random;
use umcp::frame::http::{HeadWriter, HeaderText, Malformed, header_equals, is_field_value, needs_encoding};

/// The examples of the specification, and what else has to be encoded.
const ENCODED: &[(&str, &str)] = &[
    ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
    (" padded ", "=?base64?IHBhZGRlZCA=?="),
    ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
    ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
    ("=?base64??=", "=?base64?PT9iYXNlNjQ/Pz0=?="),
    ("=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="),
    ("\t", "=?base64?CQ==?="),
    ("a\0", "=?base64?YQA=?="),
    ("\u{7f}", "=?base64?fw==?="),
    ("é", "=?base64?w6k=?="),
];

const LITERAL: &[&str] = &[
    "",
    "us-west1",
    "two words",
    "tab\there",
    "=?BASE64?SGk=?=",
    "=?base64?SGk=",
    "=?utf-8?SGk=?=",
    "x=?base64?SGk=?=",
    "?=",
    "=?base64?",
    "file:///projects/myapp/config.json",
];

fn value_of(text: &str) -> String {
    let mut buf = [0; 256];
    let mut w = HeadWriter::request(&mut buf, "M", "/");
    w.text("n", text.bytes());
    let head = w.finish().expect("it fits");
    let head = str::from_utf8(&buf[..head.len]).expect("ASCII");
    head.strip_prefix("M / HTTP/1.1\r\nn: ").and_then(|rest| rest.strip_suffix("\r\n\r\n")).expect("one header").into()
}

#[test]
fn texts_are_encoded_where_they_have_to_be() {
    for (text, value) in ENCODED {
        assert!(needs_encoding(text.bytes()), "{text:?}");
        assert_eq!(value_of(text), *value);
        assert_eq!(header_equals(value.as_bytes(), text.as_bytes()), Ok(true), "{text:?}");
        assert_eq!(header_equals(value.as_bytes(), b"something else"), Ok(false), "{text:?}");
    }
    for text in LITERAL {
        assert!(!needs_encoding(text.bytes()), "{text:?}");
        assert_eq!(value_of(text), *text);
        assert_eq!(HeaderText::new(text.as_bytes()), Ok(HeaderText::Literal(text.as_bytes())));
        assert_eq!(header_equals(text.as_bytes(), text.as_bytes()), Ok(true), "{text:?}");
        assert_eq!(header_equals(text.as_bytes(), b"something else"), Ok(false), "{text:?}");
    }
    // What overlaps is no encoded text.
    assert_eq!(HeaderText::new(b"=?base64?="), Ok(HeaderText::Literal(b"=?base64?=")));
}

#[test]
fn what_is_no_base64_is_malformed() {
    let table = [
        "A", "AA", "AAA", "AAAAA", "AA=", "A===", "====", "AA==AAAA", "AAA=AAAA", "AA=A", "SGk", "SG k", "SGk\n",
        "SGk-", "SGk_", "SGl=", "SH==", "S\u{e9}=", "=", "==", " SGk=", "SGk= ", "%3D==",
    ];
    for inner in table {
        let value = format!("=?base64?{inner}?=");
        assert_eq!(HeaderText::new(value.as_bytes()), Err(Malformed), "{value}");
        assert_eq!(header_equals(value.as_bytes(), inner.as_bytes()), Err(Malformed), "{value}");
    }
    for (inner, text) in [("", ""), ("SGk=", "Hi"), ("SA==", "H"), ("+/+/", "\u{fb}\u{ff}\u{bf}")] {
        let bytes: Vec<u8> = text.chars().map(|char| char as u8).collect();
        assert_eq!(header_equals(format!("=?base64?{inner}?=").as_bytes(), &bytes), Ok(true), "{inner}");
    }
}

#[test]
fn every_text_comes_back() {
    let mut seed = 5;
    for _ in 0..20_000 {
        let len = random(&mut seed) as usize % 20;
        let text: String =
            (0..len).map(|_| ['a', ' ', '=', '?', '\n', 'é', '世', '/'][random(&mut seed) as usize % 8]).collect();
        let value = value_of(&text);
        assert!(is_field_value(value.as_bytes()), "{value:?}");
        let read = HeaderText::new(value.as_bytes()).expect("well-formed");
        assert!(read.bytes().eq(text.bytes()), "{text:?}");
        assert_eq!(header_equals(value.as_bytes(), text.as_bytes()), Ok(true));
        assert_eq!(matches!(read, HeaderText::Encoded(_)), needs_encoding(text.bytes()), "{text:?}");
    }
}
