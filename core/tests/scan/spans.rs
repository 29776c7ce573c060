//! What is found, and where.

use crate::rig::{arrivals, scan};
use umcp::json::scan::{Key, Outcome, Span};

static META: [Key; 2] = [Key::leaf("io.modelcontextprotocol/protocolVersion", 6), Key::node("client", 7, &CLIENT)];
static CLIENT: [Key; 2] = [Key::leaf("name", 8), Key::node("deep", 9, &DEEP)];
static DEEP: [Key; 1] = [Key::leaf("never", 10)];
static PARAMS: [Key; 3] = [Key::leaf("name", 3), Key::leaf("arguments", 4), Key::node("_meta", 5, &META)];
static TREE: [Key; 5] = [
    Key::leaf("id", 0),
    Key::leaf("method", 1),
    Key::node("params", 2, &PARAMS),
    Key::node("only", Key::NO_SLOT, &[Key::leaf("inside", 11)]),
    Key::leaf("é", 12),
];

type Row = (&'static str, &'static [(usize, &'static str)]);

const FOUND: &[Row] = &[
    ("{}", &[]),
    (r#"{"id":1}"#, &[(0, "1")]),
    (r#"{ "id" : -12.5e3 , "method" : "a\u002fb" }"#, &[(0, "-12.5e3"), (1, r#""a/b""#)]),
    (r#"{"method":"","id":"x\"y"}"#, &[(0, r#""x\"y""#), (1, r#""""#)]),
    (r#"{"\u0069d":null,"\u006d\u0065thod":true,"\u00e9":false}"#, &[(0, "null"), (1, "true"), (12, "false")]),
    (r#"{"é":[1, 2]}"#, &[(12, "[1,2]")]),
    // Only whole keys match.
    (r#"{"i":1,"idx":2,"ID":3,"":4,"id ":5,"xid":6,"i\\d":7,"params.name":8}"#, &[]),
    // Containers as values.
    (r#"{"id":{"id":1},"method":[{"id":2}]}"#, &[(0, r#"{"id":1}"#), (1, r#"[{"id":2}]"#)]),
    // Members of members, in any order, with what is not wanted between.
    (
        r#"{"x":{"id":9},"params":{"name":"n","x":{"name":8},"arguments":{"name":1}, "_meta":{}},"id":2}"#,
        &[
            (0, "2"),
            (2, r#"{"name":"n","x":{"name":8},"arguments":{"name":1},"_meta":{}}"#),
            (3, r#""n""#),
            (4, r#"{"name":1}"#),
            (5, "{}"),
        ],
    ),
    (r#"{"params":[{"name":1}]}"#, &[(2, r#"[{"name":1}]"#)]),
    (r#"{"params":"name"}"#, &[(2, r#""name""#)]),
    (r#"{"name":1,"arguments":2}"#, &[]),
    (r#"{"only":{"inside":1},"inside":2}"#, &[(11, "1")]),
    // Four levels are followed.
    (
        r#"{"params":{"_meta":{"client":{"deep":{"never":1},"name":2},"io.modelcontextprotocol/protocolVersion":3}}}"#,
        &[
            (2, r#"{"_meta":{"client":{"deep":{"never":1},"name":2},"io.modelcontextprotocol/protocolVersion":3}}"#),
            (5, r#"{"client":{"deep":{"never":1},"name":2},"io.modelcontextprotocol/protocolVersion":3}"#),
            (6, "3"),
            (7, r#"{"deep":{"never":1},"name":2}"#),
            (8, "2"),
            (9, r#"{"never":1}"#),
        ],
    ),
    // Only objects are followed, and only from the top.
    (r#"[{"id":1}]"#, &[]),
    (r#""id""#, &[]),
];

#[test]
fn finds() {
    for (source, expected) in FOUND {
        for arrival in arrivals(source.len()) {
            let scanned = scan(&TREE, 32, source.as_bytes(), arrival).unwrap();
            assert!(!scanned.duplicate, "{source}");
            for (slot, found) in scanned.found.iter().enumerate() {
                let expected = expected.iter().find(|row| row.0 == slot).map_or("", |row| row.1);
                assert_eq!(std::str::from_utf8(found), Ok(expected), "slot {slot} of {source}, {arrival:?}");
            }
        }
    }
}

#[test]
fn tells_duplicates() {
    let table = [
        (r#"{"id":1,"id":2}"#, true),
        (r#"{"id":1,"\u0069d":1}"#, true),
        (r#"{"id":1,"x":{"id":2},"y":[{"id":3}]}"#, false),
        (r#"{"x":1,"x":2}"#, false),
        (r#"{"params":{"name":1,"name":2}}"#, true),
        (r#"{"params":{"x":1,"x":2,"arguments":{"name":1,"name":2}}}"#, false),
        (r#"{"params":{},"params":{}}"#, true),
        (r#"[{"id":1,"id":2}]"#, false),
    ];
    for (source, duplicate) in table {
        for arrival in arrivals(source.len()) {
            let scanned = scan(&TREE, 32, source.as_bytes(), arrival).unwrap();
            assert_eq!(scanned.duplicate, duplicate, "{source} {arrival:?}");
            if source.starts_with(r#"{"id":1"#) {
                assert_eq!(scanned.found[0], b"1", "the first one counts");
            }
        }
    }
}

#[test]
fn finds_what_is_beside_something_too_deep() {
    let source = r#"{"method":"m","params":{"x":[[[ 1 ]]],"name":"n"},"id":7}"#;
    for arrival in arrivals(source.len()) {
        let scanned = scan(&TREE, 3, source.as_bytes(), arrival).unwrap();
        assert_eq!(scanned.outcome, Outcome::TooDeep);
        assert_eq!(scanned.found[0], b"7");
        assert_eq!(scanned.found[1], br#""m""#);
        assert_eq!(scanned.found[2], br#"{"x":[],"name":"n"}"#);
        assert_eq!(scanned.found[3], br#""n""#);
    }
}

#[test]
fn a_span_names_its_bytes() {
    let table = [(0, 0, ""), (1, 3, "bc"), (0, 4, "abcd"), (2, 9, ""), (3, 1, ""), (9, 9, "")];
    for (start, end, text) in table {
        assert_eq!(Span { start, end }.of(b"abcd"), text.as_bytes());
    }
    assert!(!Span::ABSENT.is_present());
    assert!(Span { start: 1, end: 2 }.is_present());
}
