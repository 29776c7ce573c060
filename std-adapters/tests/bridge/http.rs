//! Modern clients over HTTP, on one server.

use std::net::Shutdown;
use std::time::Duration as StdDuration;

use umcp::time::Duration;
use umcp_std::Process;
use umcp_std::bridge::{Limits, Server};

use crate::rig::{Http, Place, UMCP, expand};

fn rig() -> (Http, crate::rig::Scripted) {
    let place = Place::new();
    let http = Http::to(&place.target(), Limits::DEFAULT);
    let server = place.accept();
    (http, server)
}

#[test]
fn one_body_or_a_stream() {
    let (http, server) = rig();
    let request = r#"{~,"id":"1","method":"x","params":{^,"progressToken":"p"}}}"#;
    // The same id and token from two clients at once.
    let mut one = http.modern("x", request);
    server.heard.expect(r#"{~,"id":1,"method":"x","params":{^,"progressToken":1}}}"#);
    let mut two = http.modern("x", request);
    server.heard.expect(r#"{~,"id":2,"method":"x","params":{^,"progressToken":2}}}"#);
    server.say(r#"{~,"method":"notifications/progress","params":{"progressToken":2,"progress":1}}"#);
    server.say(r#"{~,"id":1,"result":{"n":1}}"#);
    let reply = one.reply();
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
    assert_eq!(reply.body, expand(r#"{~,"id":"1","result":{"n":1}}"#));
    assert_eq!(reply.header("mcp-session-id"), None);
    let head = two.stream();
    assert_eq!(head.header("x-accel-buffering"), Some("no"));
    two.expect(r#"{~,"method":"notifications/progress","params":{"progressToken":"p","progress":1}}"#);
    server.say(r#"{~,"id":2,"result":{"n":2}}"#);
    two.expect(r#"{~,"id":"1","result":{"n":2}}"#);
    assert_eq!(two.event(), None);
    // Both connections go on.
    for connection in [&mut one, &mut two] {
        connection.modern("y", r#"{~,"id":9,"method":"y","params":{^}}}"#);
        let id = crate::rig::id_of(&server.heard.line());
        server.say(&format!(r#"{{~,"id":{id},"error":{{"code":-32601,"message":"m"}}}}"#));
        let reply = connection.reply();
        assert_eq!((reply.status, reply.body), (404, expand(r#"{~,"id":9,"error":{"code":-32601,"message":"m"}}"#)));
    }
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let (http, server) = rig();
    let mut connection = http.connect();
    for method in ["a", "b"] {
        connection.modern(method, &format!(r#"{{~,"id":"{method}","method":"{method}","params":{{^}}}}}}"#));
    }
    server.heard.skim(r#""method":"a""#);
    server.heard.silence();
    server.say(r#"{~,"id":1,"result":{}}"#);
    server.heard.skim(r#""method":"b""#);
    server.say(r#"{~,"id":2,"result":{}}"#);
    assert_eq!(connection.reply().body, expand(r#"{~,"id":"a","result":{}}"#));
    assert_eq!(connection.reply().body, expand(r#"{~,"id":"b","result":{}}"#));
}

#[test]
fn closing_cancels() {
    let (http, server) = rig();
    for stream in [false, true] {
        let mut connection = http.modern("x", r#"{~,"id":1,"method":"x","params":{^,"progressToken":1}}}"#);
        let id = crate::rig::id_of(&server.heard.line());
        if stream {
            server.say(&format!(
                r#"{{~,"method":"notifications/progress","params":{{"progressToken":{id},"progress":1}}}}"#
            ));
            connection.stream();
        }
        connection.stream.get_ref().shutdown(Shutdown::Both).unwrap();
        server.heard.expect(&format!(
            r#"{{~,"method":"notifications/cancelled","params":{{"requestId":{id},"reason":"the client has gone"}}}}"#
        ));
        server.say(&format!(r#"{{~,"id":{id},"result":{{}}}}"#));
    }
    // The next is not confused by the late answers.
    let mut connection = http.modern("x", r#"{~,"id":1,"method":"x","params":{^}}}"#);
    let id = crate::rig::id_of(&server.heard.line());
    server.say(&format!(r#"{{~,"id":{id},"result":{{"n":3}}}}"#));
    assert_eq!(connection.reply().body, expand(r#"{~,"id":1,"result":{"n":3}}"#));
}

#[test]
fn subscriptions_have_streams_of_their_own() {
    let (http, server) = rig();
    let listen = r#"{~,"id":"L","method":"subscriptions/listen","params":{^}}}"#;
    let (mut one, mut two) = (http.modern("subscriptions/listen", listen), http.modern("subscriptions/listen", listen));
    server.heard.line();
    server.heard.line();
    let news = |id: &str| {
        format!(r#"{{~,"method":"n","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}}}"#)
    };
    server.say(&news("2"));
    server.say(&news("1"));
    one.stream();
    two.stream();
    one.expect(&news("\"L\""));
    two.expect(&news("\"L\""));
    // Ended by the server, with a result and without.
    server.say(r#"{~,"id":1,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}"#);
    one.expect(r#"{~,"id":"L","result":{"_meta":{"io.modelcontextprotocol/subscriptionId":"L"}}}"#);
    assert_eq!(one.event(), None);
    server.say(r#"{~,"method":"notifications/cancelled","params":{"requestId":2}}"#);
    assert_eq!(two.event(), None);
    // Refused.
    let mut three = http.modern("subscriptions/listen", listen);
    server.heard.line();
    server.say(r#"{~,"id":3,"error":{"code":-32601,"message":"m"}}"#);
    assert_eq!(three.reply().status, 404);
}

#[test]
fn a_quiet_request_is_kept_alive() {
    let place = Place::new();
    let mut limits = Limits::DEFAULT;
    limits.keep_alive = Duration::from_millis(50);
    let http = Http::to(&place.target(), limits);
    let server = place.accept();
    let mut connection = http.modern("x", r#"{~,"id":1,"method":"x","params":{^}}}"#);
    // A client that takes no events is not sent any.
    let mut plain = http.post(
        "Accept: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: x\r\n",
        r#"{~,"id":1,"method":"x","params":{^,"progressToken":1}}}"#,
    );
    server.heard.line();
    server.heard.line();
    connection.stream();
    for _ in 0..3 {
        assert_eq!(connection.chunk().as_deref(), Some(":\n\n"));
    }
    server.say(r#"{~,"method":"notifications/progress","params":{"progressToken":2,"progress":1}}"#);
    server.say(r#"{~,"id":2,"result":{}}"#);
    assert_eq!(plain.reply().body, expand(r#"{~,"id":1,"result":{}}"#));
    // After the stream has begun, an error has no status.
    server.say(r#"{~,"id":1,"error":{"code":-32601,"message":"m"}}"#);
    connection.expect(r#"{~,"id":1,"error":{"code":-32601,"message":"m"}}"#);
    assert_eq!(connection.event(), None);
}

#[test]
fn an_old_client_gets_a_stream_that_ends_with_the_connection() {
    let (http, server) = rig();
    let mut connection = http.connect();
    let body = expand(r#"{~,"id":1,"method":"x","params":{^,"progressToken":1}}}"#);
    let head = "POST /mcp HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: x\r\n";
    connection.raw(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    server.heard.line();
    server.say(r#"{~,"method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#);
    server.say(r#"{~,"id":1,"result":{}}"#);
    assert_eq!(connection.stream().header("transfer-encoding"), None);
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut connection.stream, &mut rest).unwrap();
    let expected = r#"data: {~,"method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#;
    assert_eq!(rest, format!("{}\n\ndata: {}\n\n", expand(expected), expand(r#"{~,"id":1,"result":{}}"#)));
}

#[test]
fn what_is_refused_and_how() {
    let (http, server) = rig();
    let modern = "MCP-Protocol-Version: 2026-07-28\r\n";
    let table: &[(&str, &str, u16, &str)] = &[
        ("", r#"{~,"id":1,"method":"x"}"#, 400, "Mcp-Session-Id"),
        ("MCP-Protocol-Version: 1999-01-01\r\n", r#"{~,"id":1,"method":"x"}"#, 400, "-32602"),
        (modern, r#"{~,"id":1,"method":"x"}"#, 400, r#""id":1,"error":{"code":-32602"#),
        (modern, r#"{~,"id":1,"method":"x","params":{^}}}"#, 400, r#""id":1,"error":{"code":-32020"#),
        (modern, r#"{~,"id":1,"result":{}}"#, 400, "-32600"),
        (modern, r#"[{~,"id":1,"method":"x","params":{^}}}]"#, 400, "-32600"),
        (modern, r#"{~,"id":1,"method":5}"#, 400, r#""id":1,"error":{"code":-32600"#),
        (modern, "{", 400, "-32700"),
        (modern, "", 400, "-32700"),
        (modern, r#"{~,"method":"notifications/cancelled","params":{"requestId":1}}"#, 202, ""),
        ("Origin: http://evil.example\r\n", "{}", 403, "Origin"),
        ("Mcp-Session-Id: 1\r\nMcp-Session-Id: 2\r\n", r#"{~,"id":1,"method":"x"}"#, 400, "Mcp-Session-Id"),
    ];
    for (headers, body, status, expected) in table {
        let reply = http.post(headers, body).reply();
        assert_eq!(reply.status, *status, "{headers}{body}: {reply:?}");
        assert!(reply.body.contains(expected), "{headers}{body}: {reply:?}");
    }
    let raw: &[(&str, u16)] = &[
        ("GET /mcp HTTP/1.1\r\nHost: localhost\r\nMCP-Protocol-Version: 2026-07-28\r\n\r\n", 405),
        ("DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nMCP-Protocol-Version: 2026-07-28\r\n\r\n", 405),
        ("PUT /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", 405),
        ("OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
        ("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n", 406),
        ("GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("GET /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: x\r\n\r\n", 404),
        ("DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: x\r\n\r\n", 404),
        ("POST /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", 411),
        ("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", 415),
        ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", 404),
        ("POST /mcp HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", 400),
        ("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400),
        ("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4194305\r\n\r\n", 413),
        ("POST /mcp HTTP/2.0\r\n\r\n", 505),
        ("what\r\n\r\n", 400),
    ];
    for (text, status) in raw {
        let mut connection = http.connect();
        connection.raw(text.as_bytes());
        let reply = connection.reply();
        assert_eq!(reply.status, *status, "{text}: {reply:?}");
        assert_eq!(reply.header("allow").is_some(), *status == 405, "{text}: {reply:?}");
    }
    server.heard.silence();
}

#[test]
fn a_process_is_started_again() {
    let script = r#"while read line; do case $line in *die*) exit 3;; *) echo '{"jsonrpc":"2.0","id":'"$(echo $line | sed 's/.*"id":\([0-9]*\).*/\1/')"',"result":{}}';; esac; done"#;
    let process = Process::new("sh").args(["-c", script]);
    let mut http = Http::server(Server::Process(process), Limits::DEFAULT);
    let ask =
        |method: &str| http.modern(method, &format!(r#"{{~,"id":5,"method":"{method}","params":{{^}}}}}}"#)).reply();
    assert_eq!(ask("x").body, expand(r#"{~,"id":5,"result":{}}"#));
    let error = ask("die").body;
    assert!(error.contains(r#""id":5,"error":{"code":-32603"#) && error.contains("exit status: 3"), "{error}");
    let start = std::time::Instant::now();
    while !ask("x").body.contains("result") {
        assert!(start.elapsed() < crate::rig::PATIENCE);
        std::thread::sleep(StdDuration::from_millis(20));
    }
    http.stop();
}

#[test]
fn the_simulated_board_for_many() {
    let process = Process::new(UMCP).arg("serve");
    let mut http = Http::server(Server::Process(process), Limits::DEFAULT);
    let call = r#"{~,"id":1,"method":"tools/call","params":{"name":"blink","arguments":{"times":3,"period_ms":20},^,"progressToken":1}}}"#;
    let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: blink\r\n";
    let mut connections: Vec<_> = (0..20).map(|_| http.post(headers, call)).collect();
    for connection in &mut connections {
        connection.stream();
        for progress in 1..=3 {
            connection.expect(&format!(
                r#"{{~,"method":"notifications/progress","params":{{"progressToken":1,"progress":{progress},"total":3}}}}"#
            ));
        }
        assert!(connection.event().unwrap().contains("blinked 3 times"));
        assert_eq!(connection.event(), None);
    }
    http.stop();
}
