//! What ends in the middle.

use crate::rig::Step::{After, Ask, Cancel, Eof, In};
use crate::rig::{ITEMS, always, line, pieces, play, raw};
use umcp::client::Options;
use umcp::time::Duration;

const HEAD: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"contents":["#;

#[test]
fn the_peer_dies_anywhere() {
    let whole = format!(
        "{HEAD}{{\"uri\":\"a:1\",\"text\":\"\u{e9}\\n\\ud83d\\ude00{}\u{6f22}\"}},{{\"uri\":\"a:2\"}}]}}}}\n",
        "\u{6f22}\\t".repeat(30)
    );
    for size in [120, 121, 160, 1_000] {
        for cut in 0..whole.len() {
            for piece in [1, 7, usize::MAX] {
                let events = play(&[Ask(ITEMS), In(whole.as_bytes()[..cut].to_vec()), Eof], size, piece);
                let ended: Vec<&String> =
                    events.iter().filter(|event| !event.starts_with("item") && !event.starts_with("chunk")).collect();
                let torso: &[&str] = if cut > 0 { &["ignored Torso"] } else { &[] };
                assert_eq!(ended, [torso, &["lost 1 Closed", "closed"]].concat(), "{size}, {cut}, {piece}");
            }
        }
    }
}

#[test]
fn a_server_fails_after_it_has_begun() {
    // What was begun is broken off by a newline, and an error follows.
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"m"}}"#;
    for piece in pieces() {
        let items = [r#"item 1 contents {"uri":"a:1"}"#, r#"item 1 contents {"uri":"a:2"}"#];
        let told = |end: &[&str]| [&items[..], &["ignored Noise"], end].concat().join(", ");
        let torso = format!("{HEAD}{{\"uri\":\"a:1\"}},{{\"uri\":\"a:2\"}},{}{{\"uri\":\"a:3", " ".repeat(300));
        let events = play(&[Ask(ITEMS), line(&torso), line(error)], 100, piece);
        assert_eq!(events.join(", "), told(&["error 1 -32603: m"]), "{piece}");
        // A second answer cannot make good what was told of the first.
        let again = format!("{HEAD}{{\"uri\":\"a:1\"}}]}}}}");
        let events = play(&[Ask(ITEMS), line(&torso), line(&again)], 120, piece);
        assert_eq!(events.join(", "), told(&["lost 1 Broken"]), "{piece}");
        let events = play(&[Ask(ITEMS), line(&torso), After(1_000)], 100, piece);
        assert_eq!(events.join(", "), told(&["timeout 1"]), "{piece}");
    }
}

#[test]
fn an_item_that_is_too_large() {
    for (item, why) in [
        (format!(r#"{{"uri":"a:2","name":"{}"}}"#, "x".repeat(400)), "lost 1 TooLong"),
        (format!(r#"{{"uri":"a:2","x":[{}1]}}"#, "1,".repeat(300)), "lost 1 TooLong"),
        (format!(r#"{{"uri":"a:2","{}":1}}"#, "x".repeat(400)), "lost 1 TooLong"),
        (format!("{}1{}", "[".repeat(60), "]".repeat(60)), "lost 1 TooDeep"),
    ] {
        let message = format!("{HEAD}{{\"uri\":\"a:1\"}},{item},{{\"uri\":\"a:3\"}}],\"x\":\"{}\"}}}}", "x".repeat(10));
        let head_only = format!("{HEAD}{{\"uri\":\"a:1\"}},{}{item}]}}}}", " ".repeat(200));
        for message in [message, head_only] {
            for piece in pieces() {
                // As much as fits of what is too deep is looked at.
                let size = if why.ends_with("TooDeep") { 200 } else { 100 };
                let events = play(&[Ask(ITEMS), line(&message)], size, piece);
                let (last, told) = events.split_last().unwrap();
                assert_eq!(last, why, "{message}, {piece}");
                assert!(told.iter().all(|event| event == r#"item 1 contents {"uri":"a:1"}"#), "{told:?}");
            }
        }
    }
}

#[test]
fn too_deep_where_nobody_looks() {
    let deep = format!("{}{}", "[".repeat(40), "]".repeat(40));
    for message in [
        format!(r#"{HEAD}{{"uri":"a:1"}}],"_meta":{deep}}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"_meta":{deep},"result":{{"contents":[{{"uri":"a:1"}}]}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","result":{{"contents":[{{"uri":"a:1"}}]}},"_meta":{deep},"id":1}}"#),
    ] {
        for size in [140, 141, 170, 1_000] {
            for piece in pieces() {
                let events = play(&[Ask(ITEMS), line(&message), line(&message)], size, piece);
                let ended: Vec<&String> = events.iter().filter(|event| !event.starts_with("item")).collect();
                assert_eq!(ended, ["lost 1 TooDeep", "ignored TooDeep"], "{message}, {size}, {piece}");
            }
        }
    }
}

#[test]
fn given_up_in_the_middle() {
    let one = format!("{HEAD}{{\"uri\":\"a:1\"}},{}", " ".repeat(200));
    let rest = format!("{{\"uri\":\"a:2\"}},{{\"uri\":\"a:3\",\"text\":\"{}\"}}]}}}}", "x".repeat(300));
    let next = r#"{"jsonrpc":"2.0","id":2,"result":{}}"#;
    for piece in pieces() {
        let told = r#"item 1 contents {"uri":"a:1"}"#;
        let end = ["ignored Late", "response 2 {}"];
        let steps = |middle| vec![Ask(ITEMS), raw(&one), middle, Ask(ITEMS), line(&rest), line(next)];
        for (middle, what) in [(After(1_000), "timeout 1"), (Cancel(1), "cancelled 1")] {
            let events = play(&steps(middle), 100, piece);
            assert_eq!(events, [&[told, what][..], &end].concat(), "{piece}");
        }
    }
}

#[test]
fn pieces_are_signs_of_progress() {
    let patient = Options { max_timeout: Some(Duration::from_millis(2_500)), ..ITEMS };
    let message = format!("{HEAD}{{\"uri\":\"a:1\"}},{}", " ".repeat(200));
    let steps =
        [Ask(patient), raw(&message), After(900), raw(r#"{"uri":"a:2"},"#), After(900), raw(r#"{"uri":"a:3"}"#)];
    let told = |count| (1..=count).map(|n| format!(r#"item 1 contents {{"uri":"a:{n}"}}"#)).collect::<Vec<_>>();
    assert_eq!(play(&steps, 100, 1), told(3));
    let late = [&steps[..], &[After(701)]].concat();
    assert_eq!(play(&late, 100, 1), [told(3), vec!["timeout 1".into()]].concat());
}

#[test]
fn strings_that_do_not_fit_come_in_chunks() {
    let text = "a\"\\\n\u{e9}\u{6f22}\u{1f600}".repeat(40);
    let escaped = "a\\\"\\\\\\n\u{e9}\\u6f22\\ud83d\\ude00".repeat(40);
    let table = [
        (r#""uri":"a:1","text":"@""#, "text"),
        (r#""uri":"a:1","mimeType":"t","blob":"@","x":[1]"#, "blob"),
        (r#""uri":"a:1","resource":{"uri":"a:2","text":"@"}"#, "resource/text"),
        (r#""uri":"a:1","content":{"type":"text","data":"@"},"x":1"#, "content/data"),
    ];
    for (item, path) in table {
        let message = format!("{HEAD}{{{}}},{{\"uri\":\"a:3\"}}]}}}}", item.replace('@', &escaped));
        let chunk = format!("chunk 1 contents/{path} \"a:1\": {text}.");
        let rest = format!("item 1 contents {{{}}}", item.replace('@', ""));
        let expected = [&*chunk, &*rest, r#"item 1 contents {"uri":"a:3"}"#, r#"response 1 {"contents":[]}"#];
        for size in (150..200).chain([300, 500]) {
            for piece in pieces() {
                assert_eq!(play(&[Ask(ITEMS), line(&message)], size, piece), expected, "{size}, {piece}");
            }
        }
    }
}

#[test]
fn errors_and_what_is_no_object() {
    for (message, event) in [
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}"#, "error 1 1: m"),
        (r#"{"jsonrpc":"2.0","id":1,"result":[1,2]}"#, "lost 1 Malformed"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{"tools":5}}"#, r#"response 1 {"tools":5}"#),
        (r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#, r#"response 1 {"tools":[]}"#),
        (r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[ ], "x": 5 }}"#, r#"response 1 {"tools":[],"x":5}"#),
    ] {
        always(&[Ask(ITEMS), line(message)], 100, &[event]);
    }
}
