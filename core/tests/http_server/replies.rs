//! The shapes of replies: nothing, one JSON text, a JSON text in chunks, a stream.

use crate::request::{Request, ask, call, call_with_progress, echo, post};
use crate::rig::{SIZES, Sizes, exchange, exchange_in};

#[test]
fn one_json_text() {
    for (name, request) in [("call", echo()), ("list", ask("tools/list", "")), ("discover", ask("server/discover", ""))]
    {
        let replies = exchange(name, &request);
        let [reply] = &replies[..] else { panic!("{name}: {replies:?}") };
        assert_eq!((reply.status, reply.header("Content-Type")), (200, Some("application/json")), "{name}");
        assert_eq!(reply.header("Content-Length"), Some(&*reply.body.len().to_string()), "{name}");
        let message = reply.message();
        assert_eq!(message["result"]["resultType"], "complete", "{name}");
        for name in ["Mcp-Session-Id", "Cache-Control", "X-Accel-Buffering", "Transfer-Encoding"] {
            assert_eq!(reply.header(name), None);
        }
    }
}

#[test]
fn notifications_are_accepted_without_a_body() {
    let note = |body: &str| post("notifications/cancelled", body);
    let table: &[(&str, Request, u16)] = &[
        ("accepted", note(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#), 202),
        ("unknown", note(r#"{"jsonrpc":"2.0","method":"notifications/what"}"#), 202),
        (
            "without headers",
            note(r#"{"jsonrpc":"2.0","method":"x"}"#).without("Mcp-Method").without("MCP-Protocol-Version"),
            202,
        ),
        ("params that are none", note(r#"{"jsonrpc":"2.0","method":"x","params":7}"#), 400),
        ("a response", note(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), 400),
        ("an error", note(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#), 400),
    ];
    for (name, request, status) in table {
        let replies = exchange(name, request);
        let [reply] = &replies[..] else { panic!("{name}: {replies:?}") };
        assert_eq!((reply.status, reply.body.len(), reply.closes()), (*status, 0, false), "{name}: {reply:?}");
    }
}

#[test]
fn faults_of_the_message() {
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"arguments":"{}"}}}}"#, "x".repeat(4_000));
    let deep =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"a":{}{}}}}}"#, "[".repeat(40), "]".repeat(40));
    let table: &[(&str, &[u8], u16, i64, bool)] = &[
        ("empty", b"", 400, -32700, false),
        ("blank", b" \r\n ", 400, -32700, false),
        ("no JSON", b"{", 400, -32700, false),
        ("two texts", b"{}{}", 400, -32700, false),
        ("not UTF-8", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xFF\"}", 400, -32700, false),
        ("a batch", br#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]"#, 400, -32600, false),
        ("a number", b"7", 400, -32600, false),
        ("no message", br#"{"id":1}"#, 400, -32600, true),
        ("a bad id", br#"{"jsonrpc":"2.0","id":null,"method":"x"}"#, 400, -32600, false),
        ("params that are none", br#"{"jsonrpc":"2.0","id":1,"method":"x","params":7}"#, 400, -32600, true),
        ("too deep", deep.as_bytes(), 400, -32600, true),
        ("too long for the buffer", long.as_bytes(), 413, -32600, true),
        ("no era", br#"{"jsonrpc":"2.0","id":1,"method":"x"}"#, 400, -32602, true),
    ];
    for (name, body, status, code, has_id) in table {
        for request in [post("x", *body), post("x", *body).unmeasured_or_chunked(body.is_empty())] {
            let replies = exchange(name, &request);
            let [reply] = &replies[..] else { panic!("{name}: {replies:?}") };
            let message = reply.message();
            assert_eq!((reply.status, message["error"]["code"].as_i64()), (*status, Some(*code)), "{name}: {message}");
            assert_eq!(message.get("id").is_some(), *has_id, "{name}: {message}");
            // Where the message ends is known, so the connection goes on.
            assert!(!reply.closes(), "{name}");
        }
    }
}

impl Request {
    fn unmeasured_or_chunked(self, is_empty: bool) -> Request {
        if is_empty { self } else { self.chunked(5) }
    }
}

/// A list is longer than the transmit buffer: a JSON text in chunks, or up to the close.
#[test]
fn a_long_list() {
    let whole = exchange("whole", &ask("tools/list", ""))[0].message();
    for transmit in [64, 65, 100, 256, 1_000] {
        let sizes = Sizes { transmit, ..SIZES };
        let replies = exchange_in("in chunks", sizes, &ask("tools/list", ""));
        let [reply] = &replies[..] else { panic!("{replies:?}") };
        assert_eq!((reply.status, reply.header("Content-Type")), (200, Some("application/json")));
        assert_eq!(reply.header("Transfer-Encoding"), Some("chunked"));
        assert_eq!(reply.message(), whole);
        assert!(!reply.closes());
        let old = ask("tools/list", "").line("POST /mcp HTTP/1.0").with("Connection", "keep-alive");
        let replies = exchange_in("HTTP/1.0", sizes, &old);
        let [reply] = &replies[..] else { panic!("{replies:?}") };
        assert_eq!((reply.header("Transfer-Encoding"), reply.header("Connection")), (None, Some("close")));
        assert_eq!(reply.message(), whole);
        // An error that does not fit leaves in chunks as well, with its status.
        let unknown = ask(&"x".repeat(150), "");
        let replies = exchange_in("a long error", sizes, &unknown);
        assert_eq!((replies[0].status, replies[0].message()["error"]["code"].as_i64()), (404, Some(-32601)));
    }
    // Where only events are taken, it is one event.
    let sizes = Sizes { transmit: 100, ..SIZES };
    let replies = exchange_in("events only", sizes, &ask("tools/list", "").set("Accept", "text/event-stream"));
    assert!(replies[0].is_events());
    assert_eq!(replies[0].message(), whole);
}

#[test]
fn progress_makes_a_stream() {
    let ids = |reply: &crate::reply::Reply| -> Vec<String> {
        let messages = reply.messages();
        messages.iter().map(|message| message.get("id").unwrap_or(&message["method"]).to_string()).collect()
    };
    let progress = "\"notifications/progress\"".to_owned();
    let replies = exchange("steps", &call_with_progress("steps"));
    let [reply] = &replies[..] else { panic!("{replies:?}") };
    assert!(reply.is_events() && reply.whole && !reply.closes());
    assert_eq!(reply.header("Transfer-Encoding"), Some("chunked"));
    assert_eq!(ids(reply), [progress.clone(), progress.clone(), "1".into()]);
    // Nobody asked.
    let replies = exchange("steps, silent", &call("steps", "{}"));
    assert_eq!(replies[0].header("Content-Type"), Some("application/json"));
    // HTTP/1.0 has no chunks.
    let replies = exchange("HTTP/1.0", &call_with_progress("steps").line("POST /mcp HTTP/1.0"));
    assert!(replies[0].is_events() && replies[0].closes() && replies[0].header("Transfer-Encoding").is_none());
    assert_eq!(ids(&replies[0]).len(), 3);
    // Whoever takes JSON only gets the answer only.
    let replies = exchange("JSON only", &call_with_progress("steps").set("Accept", "application/json"));
    assert_eq!(replies[0].header("Content-Type"), Some("application/json"));
    assert_eq!(replies[0].message()["id"], 1);
    // A stream has begun: its status is 200, whatever the fault.
    let replies = exchange("late_fault", &call_with_progress("late_fault"));
    assert_eq!((replies[0].status, replies[0].is_events()), (200, true));
    assert_eq!(replies[0].messages()[1]["error"]["code"], -32602);
    let replies =
        exchange("late_fault, JSON only", &call_with_progress("late_fault").set("Accept", "application/json"));
    assert_eq!((replies[0].status, replies[0].message()["error"]["code"].as_i64()), (400, Some(-32602)));
}

/// In a small transmit buffer an event leaves in pieces, and a report that does not fit is left out.
#[test]
fn streams_in_little_memory() {
    for transmit in [64, 128, 180, 200, 256] {
        let sizes = Sizes { transmit, ..SIZES };
        let replies = exchange_in("late_fault", sizes, &call_with_progress("late_fault"));
        let last = replies[0].messages().pop().unwrap();
        assert_eq!(last["id"], 1, "{transmit}: {last}");
        assert!(last["error"]["code"].is_i64(), "{transmit}: {last}");
    }
}
