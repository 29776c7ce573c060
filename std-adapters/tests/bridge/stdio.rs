//! From standard input and output to a line, and to a process.

use crate::rig::{Place, Program, UMCP, id_of};

#[test]
fn what_is_not_understood_passes_as_it_is() {
    let place = Place::new();
    let mut bridge = Program::start(&[&place.target()]);
    let server = place.accept();
    for (said, heard) in [
        (
            r#"{~,"z":[1.50,-0,1e400,123456789012345678901234567890],"id":"a","method":"x/y","params":{"\u0061":"\/","b":null,"b":2}}"#,
            r#"{~,"z":[1.50,-0,1e400,123456789012345678901234567890],"id":1,"method":"x/y","params":{"a":"/","b":null,"b":2}}"#,
        ),
        (r#" { "method" : "notifications/x" , ~ } "#, r#"{"method":"notifications/x",~}"#),
    ] {
        bridge.say(said);
        server.heard.expect(heard);
    }
    server.say(r#"{"new":{"x":0.10},~,"result":{"z":[],"a":1.0},"id":1}"#);
    bridge.heard.expect(r#"{"new":{"x":0.10},~,"result":{"z":[],"a":1.0},"id":"a"}"#);
    server.say(r#"{~,"method":"notifications/y","params":{"p":1E5}}"#);
    bridge.heard.expect(r#"{~,"method":"notifications/y","params":{"p":1E5}}"#);
    assert_eq!(bridge.end(), Some(0));
    server.heard.end();
}

#[test]
fn a_batch_where_it_was_negotiated() {
    let place = Place::new();
    let mut bridge = Program::start(&[&place.target()]);
    let server = place.accept();
    bridge.say(r#"[{~,"id":1,"method":"ping"}]"#);
    assert!(bridge.heard.line().contains("-32600"));
    bridge.say(r#"{~,"id":0,"method":"initialize","params":{}}"#);
    server.heard.expect(r#"{~,"id":1,"method":"initialize","params":{}}"#);
    server.say(r#"{~,"id":1,"result":{"protocolVersion":"2025-03-26"}}"#);
    bridge.heard.expect(r#"{~,"id":0,"result":{"protocolVersion":"2025-03-26"}}"#);
    bridge.say(r#"[{~,"id":1,"method":"a"},{~,"method":"n"},{~,"id":2,"method":"b"}]"#);
    let first = id_of(&server.heard.line());
    server.heard.expect(r#"{~,"method":"n"}"#);
    let second = id_of(&server.heard.line());
    server.say(&format!(r#"{{~,"id":{second},"result":{{}}}}"#));
    server.say(&format!(r#"{{~,"id":{first},"result":{{}}}}"#));
    bridge.heard.expect(r#"[{~,"id":2,"result":{}},{~,"id":1,"result":{}}]"#);
}

#[test]
fn what_was_asked_is_answered_before_the_end() {
    let place = Place::new();
    let mut bridge = Program::start(&[&place.target()]);
    let server = place.accept();
    bridge.say(r#"{~,"id":7,"method":"slow"}"#);
    bridge.say(r#"{~,"id":8,"method":"subscriptions/listen","params":{^}}}"#);
    drop(bridge.stdin.take());
    server.heard.line();
    server.heard.line();
    // The line stays open both ways as long as something is to be answered: some take the end of one direction for that of both.
    server.heard.silence();
    bridge.heard.silence();
    server.say(r#"{~,"id":1,"result":{}}"#);
    bridge.heard.expect(r#"{~,"id":7,"result":{}}"#);
    // The end of what it hears is all that a server on a socket learns; its stream ends with it.
    server.heard.end();
    bridge.heard.end();
    assert_eq!(bridge.wait(), Some(0));
}

#[test]
fn a_process_that_ends_ends_the_bridge() {
    let mut bridge = Program::start(&["--", "sh", "-c", "read line; echo last words >&2; exit 7"]);
    bridge.say(r#"{~,"id":7,"method":"x"}"#);
    let error = bridge.heard.line();
    assert!(error.contains(r#""id":7,"error":{"code":-32603"#) && error.contains("exit status: 7"), "{error}");
    bridge.heard.end();
    bridge.err.skim("last words");
    bridge.err.skim("exit status: 7");
    assert_eq!(bridge.wait(), Some(3));
    let mut bridge = Program::start(&["--", "/no/such/program"]);
    bridge.err.skim("no such file");
    assert_eq!(bridge.wait(), Some(3));
}

#[test]
fn misuse() {
    for (args, expected) in [
        (&[][..], "which server?"),
        (&["tcp:nowhere"], "is no address"),
        (&["http:///mcp"], "names no host"),
        (&["http://localhost/mcp", "--header", "x"], "--header"),
        (&["tcp:localhost:1", "--origin", "x"], "--http"),
        (&["--http", "nowhere", "tcp:localhost:1"], "cannot listen at nowhere"),
        (&["--timeout-ms", "0", "tcp:localhost:1"], "timeout-ms"),
    ] {
        let mut bridge = Program::start(args);
        bridge.err.skim(expected);
        assert!(matches!(bridge.wait(), Some(2 | 3)), "{args:?}");
    }
}

#[test]
fn the_simulated_board_through_two_bridges() {
    let mut bridge = Program::start(&["--", UMCP, "bridge", "--", UMCP, "serve"]);
    bridge.say(r#"{~,"id":"a","method":"tools/call","params":{"name":"blink","arguments":{"times":2,"period_ms":20},^,"progressToken":"t"}}}"#);
    for progress in 1..=2 {
        bridge.heard.expect(&format!(
            r#"{{~,"method":"notifications/progress","params":{{"progressToken":"t","progress":{progress},"total":2}}}}"#
        ));
    }
    bridge.heard.skim(r#""id":"a","result""#);
    assert_eq!(bridge.end(), Some(0));
}
