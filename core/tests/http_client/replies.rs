//! Replies of every kind: what each comes to, for the probe and for a call.

use umcp::http::client::{Connection, Memory};
use umcp::time::Instant;

use crate::modern::known;
use crate::rig::{Rig, config, events, json};

fn call(conn: &mut Connection<'_>, now: Instant) {
    conn.send(|engine| engine.call("t1", &(), umcp::client::Options::DEFAULT, now)).expect("sent");
}

fn text(status: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{body}", body.len())
        .into_bytes()
}

/// The last event after this reply, whole and at every split, and what the reply said.
fn outcome(reply: &[u8], probe: bool) -> (String, String) {
    let mut outcomes: Vec<(String, String)> = Vec::new();
    for cut in 0..=reply.len() {
        let mut memory: Box<Memory<512, 1024>> = Box::new(Memory::new());
        let mut rig = Rig::new(memory.lend(), if probe { config() } else { known() });
        rig.settle();
        if !probe {
            rig.act(call);
        }
        rig.log.clear();
        let (one, other) = reply.split_at(cut);
        rig.feed(one);
        rig.feed(other);
        if rig.log.iter().all(|line| !line.starts_with("POST")) {
            rig.eof();
            rig.at(200);
        }
        rig.log.retain(|line| line != "open" && line != "close");
        let last = rig.log.last().cloned().unwrap_or_default();
        outcomes.push((last, rig.conn.reply().to_string()));
    }
    outcomes.dedup();
    assert_eq!(outcomes.len(), 1, "it depends on how the bytes are cut: {outcomes:?}");
    outcomes.swap_remove(0)
}

#[test]
fn what_a_call_comes_to() {
    let ok = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"x":"{}"}}}}"#, "y".repeat(600));
    let table: &[(Vec<u8>, &str, &str)] = &[
        (json("200 OK", ok), "response 1 {}", "200"),
        (json("200 OK", &format!("\r\n {ok}\n")), "response 1 {}", "200"),
        (json("201 Created", ok), "response 1 {}", "201"),
        (json("500 Oops", ok), "response 1 {}", "500"),
        (format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{ok}", ok.len()).into_bytes(), "response 1 {}", "200"),
        (format!("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{ok}").into_bytes(), "response 1 {}", "200"),
        (
            format!("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{ok}").into_bytes(),
            "response 1 {}",
            "200",
        ),
        (events(&format!("data: {ok}\n\n")), "response 1 {}", "200"),
        (events(&format!("id: 1\nretry: 5\ndata: \n\nevent: ping\ndata: {ok}\n\ndata:{ok}\n\n")), "response 1 {}", "200"),
        (
            events("event: message\r\ndata: {\"jsonrpc\":\"2.0\",\r\ndata: \"id\":1,\"result\":{}}\r\n\r\n"),
            "response 1 {}",
            "200",
        ),
        (
            json("400 Bad Request", r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"bad a"}}"#),
            "error 1 -32602: bad a",
            "400",
        ),
        (
            json("400 Bad Request", r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no id"}}"#),
            "error 1 -32600: no id",
            "400",
        ),
        (
            json("404 Not Found", r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"m"}}"#),
            "error 1 -32601: m",
            "404",
        ),
        (text("500 Oops", "kaboom"), "lost 1 Status(500)", "500; kaboom"),
        (text("404 Not Found", ""), "lost 1 Status(404)", "404"),
        (json("400 Bad Request", r#"{"error": "what?"}"#), "lost 1 Status(400)", r#"400; {"error":"what?"}"#),
        (
            b"HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer a=\"b\"\r\nX-Other: z\r\nmcp-auth-server: https://a.example\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}".to_vec(),
            "lost 1 Status(401)",
            "401; www-authenticate: Bearer a=\"b\"; mcp-auth-server: https://a.example; {}",
        ),
        (
            b"HTTP/1.1 307 There\r\nLocation: https://other.example/mcp\r\nContent-Length: 0\r\n\r\n".to_vec(),
            "lost 1 Status(307)",
            "307; location: https://other.example/mcp",
        ),
        (text("200 OK", "hello"), "lost 1 NoResponse", "200"),
        (b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n".to_vec(), "lost 1 NoResponse", "202"),
        (b"HTTP/1.1 204 No Content\r\n\r\n".to_vec(), "lost 1 NoResponse", "204"),
        (json("200 OK", ""), "lost 1 NoResponse", "200"),
        (json("200 OK", "{}"), "lost 1 NoResponse", "200"),
        (json("200 OK", "{\"jsonrpc\":"), "lost 1 NoResponse", "200"),
        (json("200 OK", &ok.replace(":1,", ":7,")), "lost 1 NoResponse", "200"),
        (json("200 OK", r#"{"jsonrpc":"2.0","id":1,"result":5}"#), "lost 1 Malformed", "200"),
        (json("200 OK", &long), "lost 1 TooLong { limit: 511 }", "200"),
        (events(&format!("data: {long}\n\n")), "lost 1 TooLong { limit: 511 }", "200"),
        (events(": bye\n\n"), "lost 1 NoResponse", "200"),
        (events(&format!("data: {ok}")), "lost 1 NoResponse", "200"),
        (b"SSH-2.0-OpenSSH_9\r\n".to_vec(), "lost 1 Head(StartLine)", "0"),
        (b"HTTP/2.0 200 OK\r\n\r\n".to_vec(), "lost 1 Head(Version)", "0"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n".to_vec(), "lost 1 Body(Chunk)", "200"),
    ];
    for (reply, event, said) in table {
        let shown = String::from_utf8_lossy(reply).into_owned();
        assert_eq!(outcome(reply, false), (event.to_string(), said.to_string()), "{shown}");
    }
}

#[test]
fn what_the_probe_comes_to() {
    let legacy = if cfg!(feature = "legacy") { "POST initialize -" } else { "failed NotModern " };
    let error =
        |code: i32, data: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"m"{data}}}}}"#);
    let other = error(-32022, r#","data":{"supported":["2027-01-01"]}"#);
    let table: &[(Vec<u8>, &str)] = &[
        (json("400 Bad Request", &other), r#"failed NoCommonVersion -32022: m["2027-01-01"]"#),
        (json("200 OK", &other), r#"failed NoCommonVersion -32022: m["2027-01-01"]"#),
        (json("400 Bad Request", &error(-32021, "")), "failed ProbeRefused -32021: m"),
        (json("404 Not Found", &error(-32601, "")), legacy),
        (json("200 OK", &error(-32601, "")), legacy),
        (json("400 Bad Request", r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"m"}}"#), legacy),
        (
            json("400 Bad Request", r#"{"jsonrpc":"2.0","error":{"code":-32020,"message":"m"}}"#),
            "failed ProbeRefused -32020: m",
        ),
        (text("400 Bad Request", "what?"), legacy),
        (text("404 Not Found", ""), legacy),
        (text("405 Method Not Allowed", ""), legacy),
        (text("401 Unauthorized", ""), "failed Handshake(Status(401)) "),
        (json("401 Unauthorized", &error(-32601, "")), "failed Handshake(Status(401)) "),
        (text("403 Forbidden", ""), "failed Handshake(Status(403)) "),
        (text("302 Found", ""), "failed Handshake(Status(302)) "),
        (text("500 Oops", ""), "failed Handshake(Status(500)) "),
        (text("503 Busy", ""), "failed Handshake(Status(503)) "),
        (b"220 mail ready\r\n".to_vec(), "failed Handshake(Head(StartLine)) "),
        (Vec::new(), "failed Handshake(Closed) "),
    ];
    for (reply, event) in table {
        let shown = String::from_utf8_lossy(reply).into_owned();
        assert_eq!(outcome(reply, true).0, *event, "{shown}");
    }
}
