//! Everything that reads JSON text, on text the scanner has passed and on text nobody has: no panic, no endless loop, and of vetted
//! text nothing is unreadable.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde::Deserialize;
use serde::de::IgnoredAny;
use umcp::json::scan::{Outcome, Scanner, Window};
use umcp::json::{Decimal, Value, Writer, from_slice};

#[derive(Deserialize)]
#[expect(dead_code, reason = "read, not used")]
struct Everything<'a> {
    a: Option<i8>,
    b: Option<u64>,
    #[serde(borrow)]
    c: Option<&'a str>,
    d: Option<char>,
    e: Option<Decimal>,
    f: Option<f64>,
    g: Option<(bool, ())>,
    #[serde(borrow)]
    h: Option<Shape<'a>>,
    #[serde(borrow)]
    i: Option<Box<Everything<'a>>>,
    #[serde(borrow)]
    j: Option<Vec<&'a [u8]>>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "read, not used")]
enum Shape<'a> {
    Point,
    Name(&'a str),
    Line(i32, i32),
    Box { w: u8, h: u8 },
}

fuzz_target!(|data: &[u8]| {
    walk(Value::new(data), 0);
    read(data);

    let mut text = data.to_vec();
    let mut window = Window { start: 0, out: 0, read: 0, end: text.len() };
    let mut scanner = Scanner::new(&[], Scanner::DEFAULT_DEPTH);
    let outcome = scanner.feed(&mut text, &mut window).and_then(|()| scanner.finish(&mut text, &mut window));
    if let Ok(Outcome::Object | Outcome::Array | Outcome::Scalar) = outcome {
        let vetted = &text[window.start..window.out];
        walk(Value::new(vetted), 0);
        read(vetted);
        assert!(from_slice::<IgnoredAny>(&mut vetted.to_vec()).is_ok());
        assert_rewrites(Value::new(vetted));
    }
});

fn read(text: &[u8]) {
    drop(from_slice::<Everything>(&mut text.to_vec()));
    drop(from_slice::<Vec<Shape>>(&mut text.to_vec()));
    drop(from_slice::<serde_json::Value>(&mut text.to_vec()));
    drop(from_slice::<std::collections::BTreeMap<String, u8>>(&mut text.to_vec()));
    let _ = from_slice::<Decimal>(&mut text.to_vec());
    let _ = from_slice::<IgnoredAny>(&mut text.to_vec());
}

/// Asks every question of every value.
fn walk(value: Value<'_>, depth: usize) {
    let mut buf = [0; 16];
    let _ = (value.kind(), value.as_bool(), value.as_i64(), value.as_u64(), value.as_decimal(), value.as_str());
    let _ = (value.get("a"), value.at(&["a", "b"]), value.is_str("a\n"), value.text(&mut buf));
    if let Some(text) = value.as_text() {
        let _ = (value.chars().count(), text.to_string());
    }
    if depth < 40 {
        value.items().for_each(|item| walk(item, depth + 1));
        value.members().for_each(|(_, member)| walk(member, depth + 1));
    }
}

/// Vetted text, taken apart and written again, is the same text.
fn assert_rewrites(value: Value<'_>) {
    let mut buf = vec![0; value.raw().len()];
    let mut w = Writer::new(&mut buf);
    rewrite(&mut w, value);
    assert!(!w.overflowed());
    // A lone surrogate cannot be written, so it comes out as another character.
    if !value.raw().windows(4).any(|bytes| bytes.starts_with(b"\\ud")) {
        assert_eq!(w.written(), value.raw());
    }
}

fn rewrite(w: &mut Writer<'_>, value: Value<'_>) {
    if value.is_object() {
        w.begin_object();
        value.members().for_each(|(key, member)| rewrite(w.key(&key.to_string()), member));
        w.end_object();
    } else if value.is_array() {
        w.begin_array();
        value.items().for_each(|item| rewrite(w, item));
        w.end_array();
    } else if value.is_string() {
        value.chars().fold(w.begin_string(), |w, char| w.string_char(char)).end_string();
    } else {
        w.raw(value.raw());
    }
}
