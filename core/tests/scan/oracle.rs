//! Generated texts, held against `serde_json` and the naive canonical form.

use crate::naive;
use crate::random::Random;
use crate::rig::{Arrival, scan};
use umcp::json::scan::{Key, Scanner};

/// Whether `serde_json` takes it. (It reads no text and no number here, so it forgives lone surrogates and any size.)
pub(crate) fn accepts(source: &[u8]) -> Result<(), String> {
    let text = std::str::from_utf8(source).map_err(|error| error.to_string())?;
    serde_json::from_str::<Ignored>(text).map(|_| ()).map_err(|error| error.to_string())
}

struct Ignored;

impl<'de> serde::Deserialize<'de> for Ignored {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Ignored, D::Error> {
        serde::de::IgnoredAny::deserialize(deserializer).map(|_| Ignored)
    }
}

fn value(random: &mut Random, depth: usize, text: &mut String) {
    random.space(text);
    match random.below(if depth > 5 { 4 } else { 8 }) {
        0 => text.push_str(random.pick(&["true", "false", "null"])),
        1 => text.push_str(random.pick(&[
            "0",
            "-0",
            "7",
            "-12",
            "1234567890123456789",
            "0.5",
            "1e5",
            "-2.25E-7",
            "10E+2",
        ])),
        2 | 3 => string(random, text),
        4 | 5 => container(random, depth, text, '[', ']', |random, text| value(random, depth + 1, text)),
        _ => container(random, depth, text, '{', '}', |random, text| {
            random.space(text);
            match random.below(3) {
                0 => text.push_str(random.pick(&[r#""id""#, r#""a""#, r#""\u0061""#, r#""i\u0064""#])),
                _ => string(random, text),
            }
            random.space(text);
            text.push(':');
            value(random, depth + 1, text);
        }),
    }
    random.space(text);
}

fn container(
    random: &mut Random,
    depth: usize,
    text: &mut String,
    open: char,
    close: char,
    mut item: impl FnMut(&mut Random, &mut String),
) {
    text.push(open);
    random.space(text);
    let count = random.below(if depth == 0 { 6 } else { 4 });
    for index in 0..count {
        if index > 0 {
            text.push(',');
        }
        item(random, text);
    }
    text.push(close);
}

fn string(random: &mut Random, text: &mut String) {
    text.push('"');
    for _ in 0..random.below(6) {
        match random.below(8) {
            0 => text.push_str(random.pick(&["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"])),
            1 => text.push_str(&format!("\\u{:04x}", random.below(0x10000))),
            2 => text.push_str(&format!("\\u{:04X}", random.below(0x80))),
            3 => text.push_str(random.pick(&["\\ud83d\\ude00", "\\uD800", "\\udc00", "\\uDBFF\\uDFFF", "\\ud800\\n"])),
            4 => text.push_str(random.pick(&["é", "世", "😀", "\u{7f}", "\u{80}", "\u{ffff}", "\u{10ffff}"])),
            5 => text.push_str("a rather longer run of plain text"),
            _ => text.push_str(random.pick(&["a", "bc", "def", "ghijk", " ", "{[", "},"])),
        }
    }
    text.push('"');
}

static TREE: [Key; 2] = [Key::leaf("id", 0), Key::node("a", 1, &[Key::leaf("b", 2)])];

#[test]
fn agrees_with_serde_json_and_the_naive_form() {
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let mut compared = 0;
    for _ in 0..4_000 {
        let mut source = String::new();
        value(&mut random, 0, &mut source);
        assert_eq!(accepts(source.as_bytes()), Ok(()), "the generator is wrong: {source}");
        let expected = naive::canonical(&source);
        for arrival in [
            Arrival::Whole,
            Arrival::Split(random.below(source.len() + 1)),
            Arrival::Pieces(1 + random.below(20)),
            Arrival::Moved(1 + random.below(20)),
        ] {
            let scanned = scan(&TREE, 64, source.as_bytes(), arrival)
                .unwrap_or_else(|error| panic!("{error} {arrival:?} {source}"));
            assert_eq!(String::from_utf8_lossy(&scanned.text), expected, "{arrival:?} of {source}");
        }
        if let Ok(before) = serde_json::from_str::<serde_json::Value>(&source) {
            compared += 1;
            assert_eq!(serde_json::from_str::<serde_json::Value>(&expected).unwrap(), before, "{source}");
        }
    }
    assert!(compared > 1_500, "too few texts without lone surrogates: {compared}");
}

#[test]
fn agrees_about_broken_texts() {
    let mut random = Random::new(0x1234_5678_9abc_def1);
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let mut source = String::new();
        value(&mut random, 2, &mut source);
        let mut source = source.into_bytes();
        for _ in 0..=random.below(2) {
            if source.is_empty() {
                continue;
            }
            let at = random.below(source.len());
            match random.below(4) {
                0 => drop(source.remove(at)),
                1 => source.insert(at, random.pick(b"\"\\{}[],:0-.eEtu \n\x80\xc3\xe4\xed\xf0\xff")),
                2 => source[at] = random.next() as u8,
                _ => source.truncate(at),
            }
        }
        let verdict = accepts(&source);
        for arrival in
            [Arrival::Whole, Arrival::Split(random.below(source.len() + 1)), Arrival::Pieces(1 + random.below(20))]
        {
            let scanned = scan(&TREE, Scanner::MAX_DEPTH, &source, arrival);
            let blank = source.iter().all(|byte| b" \t\r\n".contains(byte));
            assert_eq!(scanned.is_ok() && !blank, verdict.is_ok(), "{arrival:?} {verdict:?} {}", source.escape_ascii());
        }
        *if verdict.is_ok() { &mut taken } else { &mut refused } += 1;
    }
    assert!(taken > 2_000 && refused > 5_000, "a dull generator: {taken} taken, {refused} refused");
}

#[test]
fn agrees_about_every_byte_in_every_place() {
    for byte in 0..=255 {
        for place in 0..20 {
            for behind in [0, 1, 7, 30] {
                let mut source = b"[\"".to_vec();
                source.extend(std::iter::repeat_n(b'~', place));
                source.push(byte);
                source.extend(std::iter::repeat_n(b' ', behind));
                source.extend(b"\"]");
                let scanned = scan(&TREE, 64, &source, Arrival::Whole);
                assert_eq!(scanned.is_ok(), accepts(&source).is_ok(), "{}", source.escape_ascii());
            }
        }
    }
}
