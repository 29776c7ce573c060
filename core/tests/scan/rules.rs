//! The rules of the grammar and of the canonical form, as tables.

use crate::rig::{Arrival, arrivals, canonical, scan};
use umcp::json::scan::{Key, Outcome, ScanError, Scanner, Window};

/// Source, and what it becomes.
const ACCEPTED: &[(&str, &str)] = &[
    // Scalars at the top.
    ("null", "null"),
    (" true ", "true"),
    ("\t\r\n false", "false"),
    ("0", "0"),
    ("-0", "-0"),
    ("10 ", "10"),
    (r#""""#, r#""""#),
    // Numbers keep their bytes.
    ("[0.0,-0.50,1e5,1E+05,1e-0,12.50E3]", "[0.0,-0.50,1e5,1E+05,1e-0,12.50E3]"),
    ("[123456789012345678901234567890]", "[123456789012345678901234567890]"),
    // White space goes, but not from strings.
    (" [ ] ", "[]"),
    ("{\n}\n", "{}"),
    ("[ 1 , 2\t,\r3\n]", "[1,2,3]"),
    (r#"{ "a b" : " c " , "d" : { } }"#, r#"{"a b":" c ","d":{}}"#),
    // Escapes that stay.
    (r#""\"\\\b\f\n\r\t""#, r#""\"\\\b\f\n\r\t""#),
    (r#""\u0000\u001f\u000b""#, r#""\u0000\u001f\u000b""#),
    // Escapes that become shorter.
    (r#""\/""#, r#""/""#),
    (r#""\u0041\u007f""#, "\"A\u{7f}\""),
    (r#""\u0022\u005c\u005C""#, r#""\"\\\\""#),
    (r#""\u0008\u0009\u000a\u000A\u000c\u000D""#, r#""\b\t\n\n\f\r""#),
    (r#""\u001F""#, r#""\u001f""#),
    (r#""\u00e9\u00E9\u07ff\u0800\uffff""#, "\"éé\u{7ff}\u{800}\u{ffff}\""),
    (r#""\ud83d\ude00\uDBFF\uDFFF""#, "\"😀\u{10ffff}\""),
    // Lone surrogates keep theirs.
    (r#""\uD800""#, r#""\ud800""#),
    (r#""\uDFFFx""#, r#""\udfffx""#),
    (r#""\uD83D\uD83D\uDE00""#, "\"\\ud83d😀\""),
    (r#""\uDE00\uD83D""#, r#""\ude00\ud83d""#),
    (r#""\uD83Dx""#, r#""\ud83dx""#),
    (r#""\uD83D\n""#, r#""\ud83d\n""#),
    (r#""\uD83D\u0041""#, r#""\ud83dA""#),
    (r#""\uD83D\\uDE00""#, r#""\ud83d\\uDE00""#),
    // UTF-8 stands for itself.
    (
        "\"é世😀\u{7f}\u{80}\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}\"",
        "\"é世😀\u{7f}\u{80}\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}\"",
    ),
    // Keys are strings like others.
    (r#"{"\u006dethod":1, "":2}"#, r#"{"method":1,"":2}"#),
    // Nesting.
    (r#"[[],{},[{"a":[]}], {"b":{"c":[1]}}]"#, r#"[[],{},[{"a":[]}],{"b":{"c":[1]}}]"#),
    (r#"{"a":1,"a":1}"#, r#"{"a":1,"a":1}"#),
];

/// Not JSON.
const REFUSED: &[&str] = &[
    // Not one value.
    "1 2",
    "[] []",
    "{}x",
    "\"a\"\"b\"",
    "truefalse",
    "null,",
    ",",
    "]",
    "}",
    ":",
    // Containers.
    "[",
    "{",
    "[1",
    "[1,",
    "[1,]",
    "[,1]",
    "[1,,2]",
    "[1 2]",
    "[1}",
    "{]",
    "[1:2]",
    "{1:2}",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{,\"a\":1}",
    "{\"a\":1]",
    "{\"a\" 1}",
    "{\"a\":1 \"b\":2}",
    "{\"a\"::1}",
    "{\"a\":1,,\"b\":2}",
    "{a:1}",
    "{null:1}",
    "[}",
    "[[]",
    "{\"a\":[}",
    // Literals.
    "t",
    "tru",
    "nul",
    "True",
    "nulL",
    "[truE]",
    "NaN",
    "Infinity",
    "undefined",
    // Numbers.
    "-",
    "+1",
    "01",
    "-01",
    "1.",
    ".5",
    "-.5",
    "1.e1",
    "1e",
    "1e+",
    "1E-",
    "1.5e",
    "1e1.5",
    "0x10",
    "1_000",
    "1a",
    "--1",
    "-a",
    "[1.]",
    "[-]",
    "1e+-1",
    "00",
    // Strings.
    "\"",
    "\"a",
    "'a'",
    "\"\\\"",
    "\"\\x\"",
    "\"\\u\"",
    "\"\\u12\"",
    "\"\\u123g\"",
    "\"\\uD800\\u\"",
    "\"\\uD800\\u12g4\"",
    "\"\\U0041\"",
    "\"\\ \"",
    "\"\\",
    "\"a\nb\"",
    "\"\t\"",
    "\"\u{0}\"",
    "\"\u{1f}\"",
    // White space that is none.
    "\u{b}1",
    "\u{c}1",
    "[1\u{a0}]",
    "\u{feff}{}",
    "[\u{0}]",
    "//\n1",
    "/**/1",
];

/// Not UTF-8.
const NOT_UTF8: &[&[u8]] = &[
    b"\"\x80\"",
    b"\"\xbf\"",
    b"\"\xc0\x80\"",
    b"\"\xc1\xbf\"",
    b"\"\xc2\"",
    b"\"\xc2\xc0\"",
    b"\"\xe0\x80\x80\"",
    b"\"\xe0\x9f\xbf\"",
    b"\"\xe1\x80\"",
    b"\"\xed\xa0\x80\"",
    b"\"\xed\xbf\xbf\"",
    b"\"\xef\xbf\"",
    b"\"\xf0\x80\x80\x80\"",
    b"\"\xf0\x8f\xbf\xbf\"",
    b"\"\xf0\x90\x80\"",
    b"\"\xf4\x90\x80\x80\"",
    b"\"\xf5\x80\x80\x80\"",
    b"\"\xff\"",
    b"\"\xfe\"",
    b"{\"\xe9\":1}",
    b"[\"abcdefgh\xfcabcdefgh\"]",
];

#[test]
fn accepts_and_rewrites() {
    for (source, expected) in ACCEPTED {
        assert_eq!(canonical(source.as_bytes()).as_deref(), Ok(*expected), "{source}");
        assert_eq!(canonical(expected.as_bytes()).as_deref(), Ok(*expected), "again: {source}");
        assert!(expected.len() <= source.len(), "{source}");
        crate::oracle::accepts(source.as_bytes()).unwrap_or_else(|error| panic!("{source}: {error}"));
    }
}

#[test]
fn refuses() {
    for source in REFUSED {
        assert_eq!(canonical(source.as_bytes()), Err(ScanError::Syntax), "{source:?}");
    }
}

#[test]
fn refuses_what_is_not_utf8() {
    for source in NOT_UTF8 {
        assert_eq!(canonical(source), Err(ScanError::Utf8), "{}", source.escape_ascii());
    }
}

#[test]
fn says_what_it_was() {
    let table = [
        ("", Outcome::Blank),
        (" \r\n\t ", Outcome::Blank),
        ("{}", Outcome::Object),
        (" {\"a\":[]} ", Outcome::Object),
        ("[{}]", Outcome::Array),
        ("\"[\"", Outcome::Scalar),
        ("0", Outcome::Scalar),
        ("null", Outcome::Scalar),
    ];
    for (source, outcome) in table {
        for arrival in arrivals(source.len()) {
            let scanned = scan(&[], Scanner::DEFAULT_DEPTH, source.as_bytes(), arrival);
            assert_eq!(scanned.map(|scanned| scanned.outcome), Ok(outcome), "{source:?} {arrival:?}");
        }
    }
}

#[test]
fn tells_blank_and_complete_on_the_way() {
    // Source; is it blank, is it complete, when all of it was fed and `finish` was not called?
    let table = [
        ("", true, false),
        (" \n", true, false),
        ("[", false, false),
        ("[1", false, false),
        ("[]", false, true),
        ("[] \n", false, true),
        ("{\"a\":{}}", false, true),
        ("\"a\"", false, true),
        ("true", false, true),
        ("tru", false, false),
        ("12", false, false),
        ("12 ", false, true),
    ];
    for (source, blank, complete) in table {
        let mut buf = source.as_bytes().to_vec();
        let mut w = Window { end: buf.len(), ..Default::default() };
        let mut scanner = Scanner::new(&[], Scanner::DEFAULT_DEPTH);
        assert_eq!(scanner.feed(&mut buf, &mut w), Ok(()));
        assert_eq!((scanner.is_blank(), scanner.is_complete()), (blank, complete), "{source:?}");
    }
}

#[test]
fn skips_what_is_too_deep() {
    // Source; limit; what remains. Inside the part that is too deep only brackets count.
    let table = [
        ("[[1]]", 2, "[[1]]", Outcome::Array),
        ("[[1]]", 1, "[]", Outcome::TooDeep),
        ("[1,[2],3]", 1, "[1,,3]", Outcome::TooDeep),
        ("[1,[2,[3],{\"a\":\"]\\\"]\\u005d\"}],3]", 1, "[1,,3]", Outcome::TooDeep),
        ("{\"a\" : { x } , \"b\":[ ] }", 1, "{\"a\":,\"b\":}", Outcome::TooDeep),
        ("[]", 0, "", Outcome::TooDeep),
        ("7", 0, "7", Outcome::Scalar),
    ];
    for (source, limit, expected, outcome) in table {
        for arrival in arrivals(source.len()) {
            let scanned = scan(&[], limit, source.as_bytes(), arrival).unwrap();
            assert_eq!(
                (scanned.text.as_slice(), scanned.outcome),
                (expected.as_bytes(), outcome),
                "{source} {arrival:?}"
            );
        }
    }
    for source in ["[[1]", "[[", "[[[]]", "[[1]]]", "[[\"]", "[[1]}", "[[\"\\x\"]]"] {
        for arrival in arrivals(source.len()) {
            assert_eq!(
                scan(&[], 1, source.as_bytes(), arrival).unwrap_err(),
                ScanError::Syntax,
                "{source} {arrival:?}"
            );
        }
    }
}

#[test]
fn any_depth_is_survived() {
    for depth in [31, 32, 33, 127, 128, 129, 255, 256, 257, 10_000] {
        let source = [b"[".repeat(depth), b"]".repeat(depth)].concat();
        for (limit, arrival) in [(32, Arrival::Whole), (128, Arrival::Pieces(13)), (255, Arrival::Moved(8))] {
            let scanned = scan(&[], limit, &source, arrival).unwrap();
            let too_deep = depth > usize::from(limit.min(Scanner::MAX_DEPTH));
            assert_eq!(scanned.outcome, if too_deep { Outcome::TooDeep } else { Outcome::Array }, "{depth} {limit}");
        }
    }
}

#[test]
fn a_hundred_megabytes_of_brackets_are_no_state() {
    let mut buf = [0; 4096];
    let mut w = Window::default();
    let mut scanner = Scanner::new(&[], Scanner::DEFAULT_DEPTH);
    for _ in 0..25_000 {
        w = Window { start: 0, out: w.out, read: w.out, end: buf.len() };
        buf[w.read..].fill(b'[');
        scanner.feed(&mut buf, &mut w).unwrap();
        assert_eq!((w.out, w.read), (32, 4096));
    }
    assert_eq!(scanner.finish(&mut buf, &mut w), Err(ScanError::Syntax));
}

#[test]
fn a_lost_message_stays_lost_until_reset() {
    let mut scanner = Scanner::new(&[], Scanner::DEFAULT_DEPTH);
    for (source, result) in
        [("[1}", Err(ScanError::Syntax)), ("[]", Err(ScanError::Syntax)), ("\"\u{e9}", Err(ScanError::Syntax))]
    {
        let mut buf = source.as_bytes().to_vec();
        let mut w = Window { end: buf.len(), ..Default::default() };
        assert_eq!(scanner.finish(&mut buf, &mut w), result);
        assert_eq!(w, Window { start: 0, out: 0, read: buf.len(), end: buf.len() });
    }
    scanner.reset();
    let (mut buf, mut w) = (*b"[]", Window { end: 2, ..Default::default() });
    assert_eq!(scanner.finish(&mut buf, &mut w), Ok(Outcome::Array));
}

static ITEMS: [Key; 1] = [Key::list("a", 0)];

#[test]
fn absurd_windows_are_clamped() {
    let offsets = [0, 1, 2, 3, 9, usize::MAX];
    for start in offsets {
        for out in offsets {
            for read in offsets {
                for end in offsets {
                    let mut w = Window { start, out, read, end };
                    let mut scanner = Scanner::new(&[], Scanner::DEFAULT_DEPTH);
                    scanner.shift(start);
                    let _ = scanner.feed(&mut [b'['; 3], &mut w);
                    assert!(w.start <= w.out && w.out <= w.read && w.read <= w.end && w.end <= 3);
                    scanner.discard(&mut w);
                    let _ = scanner.finish(&mut [], &mut w);

                    let mut w = Window { start, out, read, end };
                    let mut scanner = Scanner::new(&ITEMS, Scanner::DEFAULT_DEPTH);
                    let mut buf = *br#"{"a":["1","2"]}"#;
                    scanner.stream(&mut w);
                    let _ = scanner.feed(&mut buf, &mut w);
                    let mut w = Window { start, out, read, end };
                    let _ = (scanner.item(&w), scanner.open_text(&buf, &w));
                    let _ = scanner.take_text(&mut buf, &mut w);
                    scanner.drop_item(&mut w);
                    let _ = scanner.feed(&mut buf, &mut w);
                }
            }
        }
    }
}
