//! Messages taken in pieces: the events, and what remains, as tables.

use crate::taker::{Event, Taken, When, every_way, take};
use umcp::json::scan::{Key, Outcome, ScanError};

static META: [Key; 2] =
    [Key::leaf("version", 5), Key::only("client", Key::NO_SLOT, &[Key::leaf("name", Key::NO_SLOT)])];
static PARAMS: [Key; 3] = [Key::leaf("name", 6), Key::leaf("arguments", 7), Key::only("_meta", 4, &META)];
static RESULT: [Key; 3] = [Key::list("tools", 8), Key::list("content", Key::NO_SLOT), Key::leaf("nextCursor", 9)];
static TREE: [Key; 5] = [
    Key::leaf("id", 0),
    Key::leaf("method", 1),
    Key::only("params", 2, &PARAMS),
    Key::node("result", 3, &RESULT),
    Key::leaf("error", Key::NO_SLOT),
];

fn item(list: &'static str, text: &str) -> Event {
    Event::Item(list, text.to_owned())
}

type Row = (&'static str, &'static [(&'static str, &'static str)], &'static str);

/// Source; the items, each with its list; what remains.
const PASSED: &[Row] = &[
    ("{}", &[], "{}"),
    (r#"{"id":1,"result":{}}"#, &[], r#"{"id":1,"result":{}}"#),
    // Items.
    (r#"{"result":{"tools":[]},"id":1}"#, &[], r#"{"result":{"tools":[]},"id":1}"#),
    (r#"{"result":{"tools" : [ ] }}"#, &[], r#"{"result":{"tools":[]}}"#),
    (r#"{"result":{"tools":[{}]}}"#, &[("tools", "{}")], r#"{"result":{"tools":[]}}"#),
    (
        r#"{ "id":1, "result": { "x" : [1,2], "tools" : [ {"a" : 1} , {"b":[{}]} ], "nextCursor":"\u0041" } }"#,
        &[("tools", r#"{"a":1}"#), ("tools", r#"{"b":[{}]}"#)],
        r#"{"id":1,"result":{"x":[1,2],"tools":[],"nextCursor":"A"}}"#,
    ),
    (
        r#"{"result":{"content":[1, -2.5e3,"\/",null,true,false,[ ],[[1]],{"tools":[1]},12 ],"tools":[0]}}"#,
        &[
            ("content", "1"),
            ("content", "-2.5e3"),
            ("content", r#""/""#),
            ("content", "null"),
            ("content", "true"),
            ("content", "false"),
            ("content", "[]"),
            ("content", "[[1]]"),
            ("content", r#"{"tools":[1]}"#),
            ("content", "12"),
            ("tools", "0"),
        ],
        r#"{"result":{"content":[],"tools":[]}}"#,
    ),
    // Not lists: other values, other places, other names.
    (r#"{"result":{"tools":{"a":[1]}}}"#, &[], r#"{"result":{"tools":{"a":[1]}}}"#),
    (r#"{"result":{"tools":null,"content":"[1]"}}"#, &[], r#"{"result":{"tools":null,"content":"[1]"}}"#),
    (r#"{"result":[{"tools":[1]}]}"#, &[], r#"{"result":[{"tools":[1]}]}"#),
    (r#"{"result":{"x":{"tools":[1]},"tool":[2]}}"#, &[], r#"{"result":{"x":{"tools":[1]},"tool":[2]}}"#),
    (r#"[{"result":{"tools":[1]}}]"#, &[], r#"[{"result":{"tools":[1]}}]"#),
    // Dropped from the outermost object.
    (r#"{"x":1}"#, &[], "{}"),
    (r#"{"x":1,"id":2}"#, &[], r#"{"id":2}"#),
    (r#"{"id":2,"x":1}"#, &[], r#"{"id":2}"#),
    (r#"{"id":2 , "x":{"id":[3]} , "method":"m"}"#, &[], r#"{"id":2,"method":"m"}"#),
    (r#"{"x":1,"y":[],"id":2,"z":{},"":"","tools":[1],"\u0069":"}"}"#, &[], r#"{"id":2}"#),
    (r#"{"x":{"result":{"tools":[1]},"id":1},"id":2}"#, &[], r#"{"id":2}"#),
    (r#"{"a key that is longer than any in the tree":1,"id":2}"#, &[], r#"{"id":2}"#),
    (r#"{"error":{"code":1,"x":2},"id":3}"#, &[], r#"{"error":{"code":1,"x":2},"id":3}"#),
    // Dropped where the tree says so, and only there.
    (
        r#"{"params":{"icons":["x"],"name":"n","arguments":{"x":1,"_meta":{"y":2}},"_meta":{"y":2},"z":3},"id":1}"#,
        &[],
        r#"{"params":{"name":"n","arguments":{"x":1,"_meta":{"y":2}},"_meta":{}},"id":1}"#,
    ),
    (
        r#"{"params":{"_meta":{"client":{"icons":[{"src":"data:"}],"name":"c","title":"C"},"progress":1,"version":"v"}}}"#,
        &[],
        r#"{"params":{"_meta":{"client":{"name":"c"},"version":"v"}}}"#,
    ),
    (r#"{"params":{"_meta":[{"x":1}]}}"#, &[], r#"{"params":{"_meta":[{"x":1}]}}"#),
    (r#"{"params":[{"x":1}]}"#, &[], r#"{"params":[{"x":1}]}"#),
    (r#"{"params":{"x":{"name":"n"},"name":"m"}}"#, &[], r#"{"params":{"name":"m"}}"#),
    // Scalars, and nothing.
    ("7", &[], "7"),
    (r#""\u0041""#, &[], r#""A""#),
    ("[1,[2,{}]]", &[], "[1,[2,{}]]"),
];

#[test]
fn passes() {
    for (source, items, rest) in PASSED {
        let expected: Vec<_> = items.iter().map(|(list, text)| item(list, text)).collect();
        for way in every_way(source.len(), 512) {
            let taken = take(&TREE, 32, source.as_bytes(), way);
            assert_eq!(taken.events, expected, "{source} {way:?}");
            let end = taken.end.unwrap_or_else(|error| panic!("{error} {source} {way:?}"));
            assert_eq!((end.rest.as_str(), end.too_long), (*rest, false), "{source} {way:?}");
            assert_eq!(taken.has_told, !expected.is_empty(), "{source} {way:?}");
        }
    }
}

#[test]
fn spans_stay() {
    let source = r#"{"x":1,"method":"m","result":{"y":1,"tools":[{"a":1},{"b":2}],"nextCursor":"c"},"z":"z","id":"i","params":{"_meta":{"x":0,"version":2},"q":1,"name":[3]}}"#;
    let expected = [
        (0, r#""i""#),
        (1, r#""m""#),
        (2, r#"{"_meta":{"version":2},"name":[3]}"#),
        (3, r#"{"y":1,"tools":[],"nextCursor":"c"}"#),
        (4, r#"{"version":2}"#),
        (5, "2"),
        (6, "[3]"),
        (8, "[]"),
        (9, r#""c""#),
    ];
    for way in every_way(source.len(), 512) {
        let end = take(&TREE, 32, source.as_bytes(), way).end.unwrap();
        for (slot, found) in end.found.iter().enumerate() {
            let expected = expected.iter().find(|row| row.0 == slot).map_or("", |row| row.1);
            assert_eq!(found, expected, "{slot} {way:?}");
        }
        assert!(!end.duplicate);
    }
}

#[test]
fn tells_duplicates() {
    let table = [
        (r#"{"id":1,"x":1,"x":2}"#, false),
        (r#"{"id":1,"id":2}"#, true),
        (r#"{"result":{"tools":[1],"tools":[2]}}"#, true),
        (r#"{"params":{"_meta":{"version":1,"x":1,"version":1}}}"#, true),
    ];
    for (source, duplicate) in table {
        for way in every_way(source.len(), 512) {
            assert_eq!(take(&TREE, 32, source.as_bytes(), way).end.unwrap().duplicate, duplicate, "{source} {way:?}");
        }
    }
}

/// Source, the text that comes in chunks, its place, what is left of the item or member, how much room is needed.
#[test]
fn long_strings_pass_in_chunks() {
    let plain = "0123456789".repeat(70);
    let odd = r#"\"\\\/\b\f\n\r\t\u0000\u001f\u00e9\ud83d\ude00é世😀"#.repeat(12);
    let odd_decoded = "\"\\/\u{8}\u{c}\n\r\t\0\u{1f}é😀é世😀".repeat(12);
    let lone = r"\ud83d\ud83d\ude00\ude00\ud800\n".repeat(20);
    let lone_decoded = "\u{fffd}😀\u{fffd}\u{fffd}\n".repeat(20);
    for (text, decoded) in [(&plain, &plain), (&odd, &odd_decoded), (&lone, &lone_decoded)] {
        let sources = [
            (
                format!(
                    r#"{{"id":1,"result":{{"content":[{{"type":"text","text":"{text}","x":[1]}}],"isError":true}}}}"#
                ),
                "content/text",
                vec![item("content", r#"{"type":"text","text":"","x":[1]}"#)],
                r#"{"id":1,"result":{"content":[],"isError":true}}"#,
            ),
            (
                format!(r#"{{"result":{{"tools":[0,{{ "resource" : {{"blob" : "{text}" , "uri":"u"}},"y":1}},2]}}}}"#),
                "tools/resource/blob",
                vec![
                    item("tools", "0"),
                    item("tools", r#"{"resource":{"blob":"","uri":"u"},"y":1}"#),
                    item("tools", "2"),
                ],
                r#"{"result":{"tools":[]}}"#,
            ),
            (
                format!(r#"{{"id":1,"params":{{"name":"n","arguments":{{"a":1,"data":"{text}","b":2}}}}}}"#),
                "arguments/data",
                vec![],
                r#"{"id":1,"params":{"name":"n","arguments":{"a":1,"data":"","b":2}}}"#,
            ),
            (format!(r#"{{"method":"{text}"}}"#), "method", vec![], r#"{"method":""}"#),
        ];
        for (source, place, items, rest) in &sources {
            let mut expected = items.clone();
            let at = expected.iter().position(|event| matches!(event, Event::Item(_, text) if text.contains("\"\"")));
            expected.insert(at.unwrap_or(0), Event::Text((*place).to_owned(), decoded.clone()));
            for when in [When::Start, When::Full] {
                for (size, piece) in [(80, 1), (83, 3), (100, 100), (128, 7), (311, 200)] {
                    let taken = take(&TREE, 32, source.as_bytes(), (size, piece, when));
                    assert_eq!(taken.events, expected, "{size} {piece} {when:?} {source}");
                    assert_eq!(taken.end.unwrap().rest, *rest, "{size} {piece} {when:?} {source}");
                }
            }
        }
    }
}

#[test]
fn what_nobody_named_costs_no_room() {
    let long = format!(r#""\u00e9{}""#, r#"\"x\ud800\n y"#.repeat(2_000));
    let junk = format!(
        r#"{long}:[{long},{{{long}:{long}}},[ ], 1.5e-3, true,null],{long} : {long},"{}":1"#,
        "k".repeat(3_000)
    );
    let source = format!(
        r#"{{{junk},"id":1,{junk},"params":{{{junk},"_meta":{{"client":{{"name":"c",{junk}}},{junk},"version":2}},"name":"n",{junk}}},{junk}}}"#
    );
    let rest = r#"{"id":1,"params":{"_meta":{"client":{"name":"c"},"version":2},"name":"n"}}"#;
    for when in [When::Start, When::Full] {
        for (size, piece) in [(rest.len() + 23, 1), (rest.len() + 23, 100), (200, 13), (4096, 100)] {
            let taken = take(&TREE, 32, source.as_bytes(), (size, piece, when));
            let end = taken.end.unwrap();
            assert_eq!(
                (end.rest.as_str(), end.too_long, end.outcome),
                (rest, false, Outcome::Object),
                "{size} {piece}"
            );
            assert!(taken.events.is_empty() && !taken.has_told);
        }
    }
}

/// What is told before a message is lost, and how it ends: the same however it arrives.
#[test]
fn failures_are_told_once() {
    let one = &[("tools", r#"{"a":1}"#)][..];
    let table = [
        // In an item, behind one, in what is dropped.
        (r#"{"result":{"tools":[{"a":1},{"b":}]}}"#, one, ScanError::Syntax),
        (r#"{"result":{"tools":[{"a":1}{"b":2}]}}"#, one, ScanError::Syntax),
        (r#"{"result":{"tools":[{"a":1},]}}"#, one, ScanError::Syntax),
        (r#"{"result":{"tools":[{"a":1}}}"#, one, ScanError::Syntax),
        (r#"{"result":{"tools":[{"a":1}],}}"#, one, ScanError::Syntax),
        (r#"{"result":{"tools":[,{"a":1}]}}"#, &[], ScanError::Syntax),
        (r#"{"result":{"tools":[{"a":1}]},"x":tru}"#, one, ScanError::Syntax),
        (r#"{"result":{"tools":[{"a":1}]},"x":"\x"}"#, one, ScanError::Syntax),
        (r#"{"x":1,}"#, &[], ScanError::Syntax),
        (r#"{"result":{"tools":[{"a":1},2 3]}}"#, &[("tools", r#"{"a":1}"#), ("tools", "2")], ScanError::Syntax),
        (r#"{"x":[2 3]}"#, &[], ScanError::Syntax),
        (r#"{"id":2 3}"#, &[], ScanError::Syntax),
        ("2 3", &[], ScanError::Syntax),
        (r#"{,"x":1}"#, &[], ScanError::Syntax),
        (r#"{"x":1,,"id":1}"#, &[], ScanError::Syntax),
        (r#"{"x":1 "id":1}"#, &[], ScanError::Syntax),
        (r#"{"x" 1,"id":1}"#, &[], ScanError::Syntax),
        (r#"{"x":1]"#, &[], ScanError::Syntax),
        (r#"{"x":[1}}"#, &[], ScanError::Syntax),
        (r#"{"a key that is longer than any in the tree\q":1}"#, &[], ScanError::Syntax),
        // The end too early: in an item, an escape, a character, behind an item, in what is dropped.
        (r#"{"result":{"tools":[{"a":1},{"b":"c"#, one, ScanError::Syntax),
        (r#"{"result":{"tools":[{"a":1},{"b":"\u00"#, one, ScanError::Syntax),
        (r#"{"result":{"tools":[{"a":1}"#, one, ScanError::Syntax),
        (r#"{"result":{"tools":[{"a":1},"#, one, ScanError::Syntax),
        (r#"{"result":{"tools":[{"a":1}]"#, one, ScanError::Syntax),
        (r#"{"result":{"tools":[{"a":1}]},"x"#, one, ScanError::Syntax),
        (r#"{"result":{"tools":[{"a":1}]},"x":[{"#, one, ScanError::Syntax),
        (r#"{"result":{"tools":[{"a":1}]}}{"#, one, ScanError::Syntax),
    ];
    for (source, items, error) in table {
        fails(source.as_bytes(), items, error);
    }
    let not_utf8: [(&[u8], _); 5] = [
        (b"{\"result\":{\"tools\":[{\"a\":1},{\"b\":\"\xff\"}]}}", one),
        (b"{\"result\":{\"tools\":[{\"a\":1},{\"\xc3\":1}]}}", one),
        (b"{\"result\":{\"tools\":[{\"a\":1}]},\"x\":\"\xed\xa0\x80\"}", one),
        (b"{\"x\":\"\x80\",\"id\":1}", &[]),
        (b"{\"\xc0x\":1,\"id\":1}", &[]),
    ];
    for (source, items) in not_utf8 {
        fails(source, items, ScanError::Utf8);
    }
    fails(b"{\"result\":{\"tools\":[{\"a\":1},\"\xe4\xb8", one, ScanError::Syntax);
}

fn fails(source: &[u8], items: &[(&'static str, &str)], error: ScanError) {
    let expected: Vec<_> = items.iter().map(|(list, text)| item(list, text)).collect();
    for way in every_way(source.len(), 512) {
        let taken = take(&TREE, 32, source, way);
        // The later it begins, the less is told before the message is lost.
        let untold = way.2 != When::Start && expected.starts_with(&taken.events);
        assert!(untold || taken.events == expected, "{:?} {} {way:?}", taken.events, source.escape_ascii());
        assert_eq!(taken.end, Err(error), "{} {way:?}", source.escape_ascii());
        assert_eq!(taken.has_told, !taken.events.is_empty());
    }
}

#[test]
fn a_chunk_that_is_taken_is_void_when_the_message_is_lost() {
    let text = "x".repeat(300);
    for end in ["", "\\q\"}]}}", "\u{1}\"}]}}", "\"]}}", "\\"] {
        let source = format!(r#"{{"result":{{"content":[{{"text":"{text}{end}"#);
        let Taken { events, end, has_told } = take(&TREE, 32, source.as_bytes(), (64, 9, When::Full));
        assert!(
            matches!(&events[..], [Event::Text(place, taken)] if place == "content/text" && text.starts_with(taken))
        );
        assert_eq!((end.unwrap_err(), has_told), (ScanError::Syntax, true), "{source}");
    }
}

#[test]
fn what_is_too_deep_tells_nothing_more() {
    // At most five levels. Source, items, whether one was told before, and the id.
    let deep = r#"[[[[ {"x":"]\"" , y} ]]]]"#;
    let table = [
        (format!(r#"{{"id":7,"x":{deep},"result":{{"tools":[{{"a":1}}]}}}}"#), false),
        (format!(r#"{{"x":{deep},"y":{deep},"result":{{"tools":[1]}},"id":7}}"#), false),
        (format!(r#"{{"result":{{"tools":[{{"a":1}},{deep},{{"b":{deep}}},2]}},"id":7}}"#), true),
        (format!(r#"{{"result":{{"tools":[{{"a":1}}],"x":[{deep}]}},"id":7,"x":{deep}}}"#), true),
        (format!(r#"{{"params":{{"_meta":{{"x":{deep}}}}},"id":7}}"#), false),
    ];
    for (source, told) in table {
        for (size, piece) in [(64, 1), (64, 64), (512, 1), (512, 512), (80, 7)] {
            let taken = take(&TREE, 5, source.as_bytes(), (size, piece, When::Start));
            let end = taken.end.unwrap_or_else(|error| panic!("{error} {source}"));
            assert_eq!((end.outcome, end.found[0].as_str()), (Outcome::TooDeep, "7"), "{size} {piece} {source}");
            assert_eq!(taken.events, if told { vec![item("tools", r#"{"a":1}"#)] } else { vec![] }, "{source}");
            assert_eq!(taken.has_told, told);
        }
        // What is too deep already cannot be taken in pieces any more.
        let end = take(&TREE, 5, source.as_bytes(), (source.len() - 1, 1, When::Full)).end.unwrap();
        assert_eq!((end.outcome, end.found[0].as_str()), (Outcome::TooDeep, "7"), "{source}");
    }
}

#[test]
fn what_does_not_fit_ends_as_too_long_with_its_id() {
    let long = "x".repeat(200);
    let table = [
        // An item, a string of one that nobody takes, a member that is kept, the text around the items.
        (format!(r#"{{"id":7,"result":{{"tools":[{{"a":1}},{{"a":[{}0]}}]}}}}"#, "0,".repeat(100)), true),
        (format!(r#"{{"id":7,"result":{{"tools":[{{"a":1}},{{"other":"{long}"}}]}}}}"#), true),
        (format!(r#"{{"result":{{"tools":[{{"a":1}}],"x":"{long}"}},"id":7}}"#), true),
        (format!(r#"{{"id":7,"error":["{long}"]}}"#), false),
        (format!(r#"{{"id":7,"params":{{"arguments":{{"{long}":1}}}}}}"#), false),
        (format!(r#"{{"x":1,"params":{{"name":["{long}"]}},"y":2,"id":7}}"#), false),
    ];
    for (source, told) in table {
        for (size, piece) in [(64, 1), (64, 64), (80, 7)] {
            for when in [When::Start, When::Full] {
                let taken = take(&TREE, 32, source.as_bytes(), (size, piece, when));
                let end = taken.end.unwrap_or_else(|error| panic!("{error} {source}"));
                let expected = (true, Outcome::Object, "7");
                assert_eq!((end.too_long, end.outcome, end.found[0].as_str()), expected, "{size} {piece} {source}");
                assert_eq!((taken.events.len(), taken.has_told), (usize::from(told), told), "{source}");
            }
        }
    }
}
