//! A message longer than the buffer, of which only the id is kept.

use crate::rig::{close_gap, move_down};
use umcp::json::scan::{Key, Outcome, ScanError, Scanner, Window};

static TREE: [Key; 3] = [Key::leaf("id", 3), Key::node("params", 1, &[Key::leaf("name", 2)]), Key::leaf("identity", 4)];

/// What a caller with a buffer of `size` bytes learns of `source`: the outcome, and the id.
/// It discards as soon as nothing else makes room.
fn follow(source: &[u8], size: usize, piece: usize) -> Result<(Outcome, Vec<u8>, bool), ScanError> {
    let mut buf = vec![0; size];
    let mut w = Window::default();
    let mut scanner = Scanner::new(&TREE, 8);
    let mut rest = source;
    let mut discarding = false;
    while !rest.is_empty() {
        close_gap(&mut buf, &mut w);
        if w.end == size {
            if w.start == 0 {
                assert!(!discarding, "no room while discarding: {w:?}");
                discarding = true;
                scanner.discard(&mut w);
                close_gap(&mut buf, &mut w);
            }
            let by = w.start;
            move_down(&mut scanner, &mut buf, &mut w, by);
        }
        let (now, later) = rest.split_at(rest.len().min(piece).min(size - w.end));
        buf[w.end..w.end + now.len()].copy_from_slice(now);
        w.end += now.len();
        rest = later;
        scanner.feed(&mut buf, &mut w)?;
    }
    let outcome = scanner.finish(&mut buf, &mut w)?;
    let spans = scanner.spans();
    if discarding {
        assert!(spans.iter().enumerate().all(|(slot, span)| slot == 3 || !span.is_present()));
        assert_eq!(spans[3].of(&buf), &buf[w.start..w.out]);
    }
    Ok((outcome, spans[3].of(&buf).to_vec(), scanner.duplicate()))
}

const LONG: &str = "abcdefgh\\u00e9 \\\" \\/ \\ud83d\\ude00, 0123456789 é世😀 ";

/// Members of about `len` bytes that hold everything JSON has.
fn filler(len: usize) -> String {
    let mut text = String::from(r#""a":[1,2,{"id":3,"params":{"id":4}},[[[true, false]]],null],"ids":5"#);
    while text.len() < len {
        let number = text.len();
        text.push_str(&format!(r#", "k{number}" : "{LONG}", "xid":1, "i":2, "{LONG}":[{{"id":{number}}}]"#));
    }
    text
}

#[test]
fn finds_the_id_wherever_it_is() {
    let ids = [
        ("1", "1"),
        ("-12345678901234567890", "-12345678901234567890"),
        ("\"\"", "\"\""),
        (r#""a\u0062\/\n""#, r#""ab/\n""#),
        (r#"[ 1 , {"id" : 2} ]"#, r#"[1,{"id":2}]"#),
        ("null", "null"),
    ];
    let filler = filler(1500);
    for (id, expected) in ids {
        for key in ["id", r"\u0069d", r"\u0069\u0064"] {
            let sources = [
                format!(r#"{{"{key}":{id},{filler}}}"#),
                format!(r#"{{{filler},"{key}" : {id}}}"#),
                format!(r#" {{ {filler}, "{key}":{id} , {filler}}}"#),
            ];
            for source in &sources {
                for (size, piece) in [(64, 1), (64, 3), (64, 64), (65, 11), (100, 64), (511, 200), (4096, 100)] {
                    let result = follow(source.as_bytes(), size, piece);
                    assert_eq!(result, Ok((Outcome::Object, expected.into(), false)), "{size} {piece} {id} {key}");
                }
            }
        }
    }
}

#[test]
fn every_phase_of_the_window_finds_it() {
    let filler = filler(300);
    for pad in 0..130 {
        let pad = " ".repeat(pad % 13) + &format!(r#""p":"{}","#, "x".repeat(pad));
        let source = format!(r#"{{{pad}"id" :"seven",{filler}}}"#);
        for size in [64, 66, 80, 200] {
            assert_eq!(
                follow(source.as_bytes(), size, size),
                Ok((Outcome::Object, b"\"seven\"".into(), false)),
                "{source}"
            );
        }
    }
}

#[test]
fn is_not_taken_in() {
    let filler = filler(700);
    let table = [
        // No id at the top.
        (format!("{{{filler}}}"), Ok((Outcome::Object, "", false))),
        (format!(r#"{{"params":{{"id":1,{filler}}}}}"#), Ok((Outcome::Object, "", false))),
        (format!(r#"[{{"id":1,{filler}}}]"#), Ok((Outcome::Array, "", false))),
        // Too long an id.
        (format!(r#"{{{filler},"id":"{}"}}"#, "x".repeat(600)), Ok((Outcome::Object, "", false))),
        (format!(r#"{{"id":"{}",{filler}}}"#, "x".repeat(600)), Ok((Outcome::Object, "", false))),
        // Two.
        (format!(r#"{{"id":1,{filler},"id":2}}"#), Ok((Outcome::Object, "1", true))),
        // Too deep beside, before and in it.
        (format!(r#"{{"x":[[[[[[[[[[{{{filler}}}]]]]]]]]]],"id":1}}"#), Ok((Outcome::TooDeep, "1", false))),
        (format!(r#"{{"id":1,"x":[[[[[[[[[["{LONG}"]]]]]]]]]],{filler}}}"#), Ok((Outcome::TooDeep, "1", false))),
        // A text; a text alone; broken ones.
        (format!(r#""{}""#, LONG.repeat(30)), Ok((Outcome::Scalar, "", false))),
        ("7".repeat(1000), Ok((Outcome::Scalar, "", false))),
        (format!("{{{filler}"), Err(ScanError::Syntax)),
        (format!("{{{filler}}}}}"), Err(ScanError::Syntax)),
        (format!("{{\"id\":1,{filler},}}"), Err(ScanError::Syntax)),
    ];
    for (source, expected) in table {
        for (size, piece) in [(64, 64), (64, 1), (79, 7), (300, 300)] {
            let expected = expected.map(|(outcome, id, twice)| (outcome, id.as_bytes().to_vec(), twice));
            assert_eq!(follow(source.as_bytes(), size, piece), expected, "{size} {piece} {}", &source[..60]);
        }
    }
}

#[test]
fn three_hundred_kilobytes_pass_through_sixty_four_bytes() {
    let filler = filler(300_000);
    for source in [format!(r#"{{"id":"first",{filler}}}"#), format!(r#"{{{filler},"id":"first"}}"#)] {
        assert_eq!(follow(source.as_bytes(), 64, 64), Ok((Outcome::Object, b"\"first\"".into(), false)));
    }
}

/// An id that was complete before the buffer was full must leave room for the rest, like one that comes later.
#[test]
fn a_long_id_does_not_fill_the_buffer() {
    let filler = filler(2_000);
    for size in [64, 65, 100, 511, 1_200] {
        for (len, kept) in
            [(size / 2 - 2, true), (size / 2 - 1, false), (size - 16, false), (size - 9, false), (size - 8, false)]
        {
            let source = format!(r#"{{"id":"{}","x":"\ud83d\ude00",{filler}}}"#, "i".repeat(len));
            let id = if kept && len <= 510 { format!("\"{}\"", "i".repeat(len)) } else { String::new() };
            for piece in [1, 7, size] {
                let result = follow(source.as_bytes(), size, piece);
                assert_eq!(result, Ok((Outcome::Object, id.clone().into(), false)), "{size} {len} {piece}");
            }
        }
    }
}

#[test]
fn may_begin_before_the_message_does() {
    let (mut buf, mut w) = (*br#" {"id": 3, "x": 1}"#, Window::default());
    let mut scanner = Scanner::new(&TREE, 8);
    scanner.discard(&mut w);
    w.end = buf.len();
    assert_eq!(scanner.finish(&mut buf, &mut w), Ok(Outcome::Object));
    assert_eq!(&buf[w.start..w.out], b"3");
}
