//! Whose answer it is.

use crate::rig::Step::{After, Ask, Cancel, Eof};
use crate::rig::{ITEMS, WHOLE, always, line, play, raw};

const LIST: &str =
    r#""result":{"resultType":"complete","tools":[{"name":"a"},{"name":"b"}, {"name":"c"}],"nextCursor":"x"}"#;
const TOLD: [&str; 4] = [
    r#"item 1 tools {"name":"a"}"#,
    r#"item 1 tools {"name":"b"}"#,
    r#"item 1 tools {"name":"c"}"#,
    r#"response 1 {"resultType":"complete","tools":[],"nextCursor":"x"}"#,
];
/// Holds what remains of the answer, one item, a terminator and 12 bytes.
const LEAST: usize = 130;

#[test]
fn the_id_may_stand_anywhere() {
    for message in [
        format!(r#"{{"jsonrpc":"2.0","id":1,{LIST}}}"#),
        format!(r#"{{{LIST},"jsonrpc":"2.0","id":1}}"#),
        format!(r#"{{ "jsonrpc" : "2.0", {LIST} , "id" : 1 }}"#),
        format!(r#"{{"x":[{{"id":7}}],"jsonrpc":"2.0",{LIST},"id":1,"y":"{}"}}"#, "long ".repeat(40)),
    ] {
        always(&[Ask(ITEMS), line(&message)], LEAST, &TOLD);
    }
}

#[test]
fn two_answers_on_one_line_after_the_other() {
    let two = format!("{{\"jsonrpc\":\"2.0\",\"id\":2,{LIST}}}\n{{\"id\":1,{LIST},\"jsonrpc\":\"2.0\"}}\n");
    let of_two: Vec<String> =
        TOLD.iter().map(|event| event.replacen(" 1 ", " 2 ", 1)).chain(TOLD.map(String::from)).collect();
    let expected: Vec<&str> = of_two.iter().map(String::as_str).collect();
    always(&[Ask(ITEMS), Ask(ITEMS), raw(&two)], LEAST, &expected);
}

#[test]
fn two_answers_in_one_line_are_none() {
    let two = format!("{{\"jsonrpc\":\"2.0\",\"id\":2,{LIST}}}{{\"id\":1,{LIST},\"jsonrpc\":\"2.0\"}}\n");
    for size in [LEAST, LEAST + 1, LEAST + 40] {
        for piece in crate::rig::pieces() {
            let events = play(&[Ask(ITEMS), Ask(ITEMS), raw(&two), Eof], size, piece);
            let ended: Vec<_> = events.iter().filter(|event| !event.starts_with("item 2")).collect();
            assert_eq!(ended, ["ignored Noise", "lost 2 Closed", "lost 1 Closed", "closed"], "{size}, {piece}");
        }
    }
}

#[test]
fn an_id_that_comes_last_is_attributed_only_where_it_must_be_so() {
    let last = format!(r#"{{{LIST},"jsonrpc":"2.0","id":1}}"#);
    let long = format!(r#"{{{LIST},"x":"{}","jsonrpc":"2.0","id":1}}"#, "x".repeat(200));
    for piece in crate::rig::pieces() {
        // Two are in flight: too long for what is.
        let events = play(&[Ask(ITEMS), Ask(ITEMS), line(&long)], LEAST, piece);
        assert_eq!(events, ["lost 1 TooLong"], "{piece}");
        // It fits: the id is known before anything is told.
        let events = play(&[Ask(ITEMS), Ask(ITEMS), line(&last)], 400, piece);
        assert_eq!(events, TOLD, "{piece}");
        // One that timed out may still be answered.
        let events = play(&[Ask(ITEMS), After(1_000), Ask(ITEMS), line(&long)], LEAST, piece);
        assert_eq!(events, ["timeout 1", "ignored Late"], "{piece}");
        let events = play(&[Ask(ITEMS), Cancel(1), Ask(ITEMS), line(&long)], LEAST, piece);
        assert_eq!(events, ["cancelled 1", "ignored Late"], "{piece}");
    }
}

#[test]
fn whoever_wants_no_items_gets_none() {
    let long = format!(r#"{{"id":1,{LIST},"x":"{}","jsonrpc":"2.0"}}"#, "x".repeat(200));
    let fits = format!(r#"{{"id":1,{LIST},"jsonrpc":"2.0"}}"#);
    for piece in crate::rig::pieces() {
        assert_eq!(play(&[Ask(WHOLE), line(&long)], LEAST, piece), ["lost 1 TooLong"]);
        let whole = [
            r#"response 1 {"resultType":"complete","tools":[{"name":"a"},{"name":"b"},{"name":"c"}],"nextCursor":"x"}"#,
        ];
        assert_eq!(play(&[Ask(WHOLE), line(&fits)], 400, piece), whole);
    }
}

#[test]
fn another_id_at_the_end() {
    let other = |id: &str| format!(r#"{{{LIST},"x":"{}","jsonrpc":"2.0"{id}}}"#, "x".repeat(200));
    let told = &TOLD[..3];
    for piece in crate::rig::pieces() {
        for (id, then) in [
            (r#","id":7"#, "ignored TooLong"),
            (r#","id":"1""#, "ignored TooLong"),
            (r#","id":null"#, "ignored TooLong"),
            ("", "ignored TooLong"),
        ] {
            let events =
                play(&[Ask(ITEMS), line(&other(id)), line(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#)], LEAST, piece);
            assert_eq!(events, [told, &["lost 1 OtherId", then, "ignored Unmatched"]].concat(), "{id}, {piece}");
        }
        // Another request was sent while it came, and it claims to be the answer to that.
        let (one, rest) = (other(r#","id":2"#)[..180].to_owned(), other(r#","id":2"#)[180..].to_owned());
        let events = play(&[Ask(ITEMS), raw(&one), Ask(WHOLE), line(&rest)], LEAST, piece);
        assert_eq!(events, [told, &["lost 1 OtherId", "lost 2 TooLong"]].concat(), "{piece}");
    }
}

#[test]
fn notifications_between_are_messages_of_their_own() {
    let message = format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":9,\"progress\":1}}}}\n{{\"jsonrpc\":\"2.0\",\"id\":1,{LIST}}}\n"
    );
    always(&[Ask(ITEMS), raw(&message)], LEAST, &[&["ignored UnknownToken"][..], &TOLD].concat());
    // One that does not fit is followed to its end, and nobody's answer.
    let long = format!(
        r#"{{"params":{{"content":[{{"text":"{0}"}}],"x":"{0}"}},"method":"notifications/x","jsonrpc":"2.0"}}"#,
        "x".repeat(500)
    );
    for piece in crate::rig::pieces() {
        let events =
            play(&[Ask(ITEMS), line(&long), line(&format!(r#"{{"jsonrpc":"2.0","id":1,{LIST}}}"#))], LEAST, piece);
        assert_eq!(events, [&["ignored TooLong"][..], &TOLD].concat(), "{piece}");
    }
}
