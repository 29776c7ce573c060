//! Changes as they happen.

use rustix::process::Signal;
use serde_json::json;

use crate::rig::{Folder, Ran, against, board, modern, start_against};

const BEGUN: &str = r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2},"notifications":{}}}"#;

/// Acknowledges, and tells of these changes.
fn tells(changes: &[&str], then: &str) -> Vec<String> {
    let meta = r#""_meta":{"io.modelcontextprotocol/subscriptionId":2}"#;
    let note = |change: &&str| format!(r#"say '{{"jsonrpc":"2.0","method":"notifications/{change},{meta}}}}}'; "#);
    modern(&format!("say '{BEGUN}'; {}{then}", changes.iter().map(note).collect::<String>()))
}

const CHANGES: [&str; 2] = [r#"resources/updated","params":{"uri":"a:1""#, r#"tools/list_changed","params":{"x":1"#];

fn array(ran: &Ran) -> serde_json::Value {
    let array = ran.json();
    assert!(array.is_array(), "{ran:?}");
    array
}

#[test]
fn changes_arrive() {
    let ran = against(&["listen", "a:1", "--for-ms", "300"], &tells(&CHANGES, "cat >/dev/null"));
    ran.assert_status(0);
    assert_eq!(ran.out, "listening; Ctrl-C ends it\na:1 has changed\nthe list of tools has changed\n");
    let ran = against(&["listen", "a:1", "--for-ms", "300", "--json"], &tells(&CHANGES, "cat >/dev/null"));
    ran.assert_status(0);
    assert_eq!(array(&ran), json!([{"updated": "a:1"}, {"changed": "tools"}]));
}

#[test]
fn nothing_changes() {
    let ran = against(&["listen", "board://led", "--for-ms", "100", "--json"], &board());
    ran.assert_status(0);
    assert_eq!(array(&ran), json!([]));
}

#[test]
fn the_server_ends_it() {
    let ended = r#"say '{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete"}}'; cat >/dev/null"#;
    for then in [ended, "exit 0"] {
        let ran = against(&["listen", "a:1", "--json"], &tells(&CHANGES[..1], then));
        ran.assert_status(3);
        assert_eq!(array(&ran), json!([{"updated": "a:1"}]));
        assert!(!ran.err.is_empty(), "{ran:?}");
    }
}

#[test]
fn the_server_refuses() {
    let refusal = r#"say '{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"not here"}}'; cat >/dev/null"#;
    let ran = against(&["listen", "a:1", "--json"], &modern(refusal));
    ran.assert_status(1);
    assert!(ran.err.contains("-32602: not here") && ran.out.is_empty(), "{ran:?}");
}

#[test]
fn the_user_ends_it() {
    let folder = Folder::new();
    let then = format!("cat >{}", folder.path("log"));
    let mut running = start_against(&["listen", "a:1"], &tells(&CHANGES[..1], &then));
    assert_eq!(running.line(), "listening; Ctrl-C ends it\n");
    assert_eq!(running.line(), "a:1 has changed\n");
    running.signal(Signal::INT);
    running.end().assert_status(0);
    folder.wait_for("log", r#""method":"notifications/cancelled","params":{"requestId":2}"#);
}
