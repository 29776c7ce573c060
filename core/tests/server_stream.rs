//! Answers that are written piece by piece, through buffers of many sizes, on a line and over HTTP.
#![cfg(all(feature = "server", feature = "legacy", feature = "http"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::{Value as Json, json};
use umcp::http::server as http;
use umcp::mcp::Fault;
use umcp::server::{
    Call, CallHandle, Calls, Catalog, Connection, Endpoint, Event, Flow, Lent, NotOpen, Outcome, Resource, Stream,
};
use umcp::time::Instant;
use umcp::tool;

/// What is written: blocks, and how the answer ends.
#[derive(Clone)]
enum Block {
    Text(String),
    Image(Vec<u8>),
    Embedded(Vec<u8>),
}

#[derive(Clone, Default)]
struct Plan {
    blocks: Vec<Block>,
    fails: bool,
}

#[derive(Default)]
struct App {
    open: Vec<CallHandle>,
}

fn later(app: &mut App, call: Call<'_>) -> Outcome {
    call.defer(|call| app.open.push(call))
}

static CATALOG: Catalog<App> = Catalog::new("test", "1")
    .tools(&[tool!("later", "d", later), tool!("now", "d", |_, call| call.text("now"))])
    .resources(&[Resource::new("a:b", "r", |app: &mut App, read| read.defer(|call| app.open.push(call)))]);

/// Where the writer is: the block, and the offset in it.
#[derive(Default)]
struct Writer {
    block: usize,
    offset: usize,
    begun: bool,
}

impl Writer {
    /// Writes on, as an application would.
    fn go_on(&mut self, plan: &Plan, is_read: bool, out: &mut Stream<'_, '_>) -> Result<Flow, Fault> {
        while let Some(block) = plan.blocks.get(self.block) {
            if !self.begun {
                let begun = match block {
                    Block::Text(_) if is_read => out.begin_resource_text("a:b", "text/plain"),
                    Block::Text(_) => out.begin_text(),
                    Block::Image(_) => out.begin_image("image/png"),
                    Block::Embedded(_) => out.begin_resource_blob("a:b", "x/y"),
                };
                if !begun {
                    return Ok(Flow::More);
                }
                self.begun = true;
            }
            let (taken, len) = match block {
                Block::Text(text) => (out.text(&text[self.offset..]), text.len()),
                Block::Image(bytes) | Block::Embedded(bytes) => (out.bytes(&bytes[self.offset..]), bytes.len()),
            };
            self.offset += taken;
            if self.offset < len {
                return Ok(Flow::More);
            }
            *self = Writer { block: self.block + 1, ..Writer::default() };
        }
        if plan.fails { Err(Fault::application(7, "it broke")) } else { Ok(Flow::Done) }
    }
}

fn base64(bytes: &[u8]) -> String {
    let mut buf = vec![0; bytes.len() * 2 + 8];
    let mut w = umcp::json::Writer::new(&mut buf);
    w.base64(bytes);
    serde_json::from_slice::<String>(w.written()).unwrap()
}

fn expected(plan: &Plan, is_read: bool) -> Json {
    let block = |block: &Block| match block {
        Block::Text(text) if is_read => json!({"uri": "a:b", "mimeType": "text/plain", "text": text}),
        Block::Text(text) => json!({"type": "text", "text": text}),
        Block::Image(bytes) => json!({"type": "image", "mimeType": "image/png", "data": base64(bytes)}),
        Block::Embedded(bytes) if is_read => json!({"uri": "a:b", "mimeType": "x/y", "blob": base64(bytes)}),
        Block::Embedded(bytes) => {
            json!({"type": "resource", "resource": {"uri": "a:b", "mimeType": "x/y", "blob": base64(bytes)}})
        }
    };
    plan.blocks.iter().map(block).collect()
}

fn plans() -> Vec<Plan> {
    let long = "Zürich \"quoted\" \u{1F600}\n\\ ".repeat(60);
    let bytes: Vec<u8> = (0..=255).cycle().take(1000).collect();
    let with = |blocks: &[Block]| Plan { blocks: blocks.to_vec(), fails: false };
    vec![
        with(&[]),
        with(&[Block::Text(String::new())]),
        with(&[Block::Text("short".into())]),
        with(&[Block::Text(long.clone())]),
        with(&[Block::Embedded(bytes.clone())]),
        with(&[Block::Text(long.clone()), Block::Text("x".into()), Block::Embedded(vec![1])]),
    ]
}

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

fn call(id: u32, tool: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}",{META}}}}}"#)
}

fn read(id: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"resources/read","params":{{"uri":"a:b",{META}}}}}"#)
}

/// A line connection with a transmit buffer of `size` bytes.
fn on_a_line<R>(size: usize, test: impl FnOnce(&mut Connection<'_>, &mut Endpoint<App>, &mut App) -> R) -> R {
    let (mut receive, mut transmit) = (vec![0; 512], vec![0; size]);
    let mut deferred = heapless::Vec::<_, 2>::new();
    let mut subscriptions = heapless::Vec::<_, 1>::new();
    let lent = Lent {
        receive: &mut receive,
        transmit: &mut transmit,
        deferred: &mut deferred,
        subscriptions: &mut subscriptions,
    };
    test(&mut Connection::line(lent), &mut Endpoint::new(&CATALOG), &mut App::default())
}

fn send(conn: &mut Connection<'_>, line: &str) {
    let line = format!("{line}\n");
    conn.receive_buffer()[..line.len()].copy_from_slice(line.as_bytes());
    conn.commit(line.len());
}

/// Drains everything, a few bytes at a time; the names of the events.
fn drain(
    conn: &mut Connection<'_>,
    endpoint: &mut Endpoint<App>,
    app: &mut App,
    out: &mut Vec<u8>,
) -> Vec<&'static str> {
    let mut events = Vec::new();
    loop {
        match conn.next_event(endpoint, app, Instant::ZERO) {
            Event::NeedData => {
                if conn.transmit().is_empty() {
                    return events;
                }
                let count = conn.transmit().len().min(13);
                out.extend_from_slice(&conn.transmit()[..count]);
                conn.transmitted(count);
            }
            Event::Closed => {
                events.push("closed");
                return events;
            }
            Event::Cancelled(_) => events.push("cancelled"),
            Event::Served { .. } => events.push("served"),
            _ => events.push("other"),
        }
    }
}

#[test]
fn an_answer_of_any_length_leaves_through_any_buffer() {
    for (index, plan) in plans().iter().enumerate() {
        for is_read in [false, true] {
            for size in [128, 130, 200, 256, 4096] {
                on_a_line(size, |conn, endpoint, app| {
                    let mut out = Vec::new();
                    send(conn, &if is_read { read(5) } else { call(5, "later") });
                    drain(conn, endpoint, app, &mut out);
                    let mut writer = Writer::default();
                    loop {
                        let flow = conn.stream(endpoint, app.open[0], |out| writer.go_on(plan, is_read, out)).unwrap();
                        drain(conn, endpoint, app, &mut out);
                        assert!(conn.is_waiting());
                        if flow == Flow::Done {
                            break;
                        }
                    }
                    assert!(conn.is_idle() && !conn.is_open(app.open[0]));
                    let reply: Json = serde_json::from_slice(&out).unwrap_or_else(|error| {
                        panic!("plan {index}, {size} bytes: {error}: {}", String::from_utf8_lossy(&out))
                    });
                    let member = if is_read { "contents" } else { "content" };
                    assert_eq!(
                        (&reply["id"], &reply["result"][member]),
                        (&json!(5), &expected(plan, is_read)),
                        "plan {index}, {size} bytes"
                    );
                    assert_eq!(reply["result"]["resultType"], "complete");
                    // The next message is served as ever.
                    out.clear();
                    send(conn, &call(6, "now"));
                    drain(conn, endpoint, app, &mut out);
                    assert_eq!(serde_json::from_slice::<Json>(&out).unwrap()["id"], 6);
                });
            }
        }
    }
}

#[test]
fn pictures_leave_as_well() {
    let plan = Plan { blocks: vec![Block::Image((0..200).collect()), Block::Text("a".into())], fails: false };
    on_a_line(160, |conn, endpoint, app| {
        let mut out = Vec::new();
        send(conn, &call(5, "later"));
        drain(conn, endpoint, app, &mut out);
        let mut writer = Writer::default();
        while conn.stream(endpoint, app.open[0], |out| writer.go_on(&plan, false, out)) != Ok(Flow::Done) {
            drain(conn, endpoint, app, &mut out);
        }
        drain(conn, endpoint, app, &mut out);
        let reply: Json = serde_json::from_slice(&out).unwrap();
        assert_eq!(reply["result"]["content"], expected(&plan, false));
    });
}

#[test]
fn a_tool_that_fails_on_the_way_says_so_at_the_end() {
    let text = "x".repeat(1000);
    let plan = Plan { blocks: vec![Block::Text(text.clone())], fails: true };
    on_a_line(128, |conn, endpoint, app| {
        let mut out = Vec::new();
        send(conn, &call(5, "later"));
        drain(conn, endpoint, app, &mut out);
        let mut writer = Writer::default();
        while conn.stream(endpoint, app.open[0], |out| writer.go_on(&plan, false, out)) != Ok(Flow::Done) {
            drain(conn, endpoint, app, &mut out);
        }
        drain(conn, endpoint, app, &mut out);
        let reply: Json = serde_json::from_slice(&out).unwrap();
        assert_eq!(reply["result"]["isError"], true);
        assert_eq!(reply["result"]["content"][0]["text"], text);
        assert_eq!(reply["result"]["content"][1]["text"], "it broke");
    });
}

#[test]
fn a_resource_that_fails_on_the_way_is_broken_off_and_the_client_told() {
    let plan = Plan { blocks: vec![Block::Text("x".repeat(1000))], fails: true };
    on_a_line(128, |conn, endpoint, app| {
        let mut out = Vec::new();
        send(conn, &read(5));
        drain(conn, endpoint, app, &mut out);
        let mut writer = Writer::default();
        while conn.stream(endpoint, app.open[0], |out| writer.go_on(&plan, true, out)) != Ok(Flow::Done) {
            drain(conn, endpoint, app, &mut out);
        }
        drain(conn, endpoint, app, &mut out);
        let lines: Vec<&[u8]> = out.split(|&byte| byte == b'\n').collect();
        assert!(serde_json::from_slice::<Json>(lines[0]).is_err());
        let error: Json = serde_json::from_slice(lines[1]).unwrap();
        assert_eq!((&error["id"], &error["error"]["code"]), (&json!(5), &json!(7)));
        assert!(conn.is_idle());
    });
}

#[test]
fn one_that_fails_before_it_begins_is_an_error() {
    on_a_line(128, |conn, endpoint, app| {
        let mut out = Vec::new();
        send(conn, &call(5, "later"));
        drain(conn, endpoint, app, &mut out);
        assert_eq!(conn.stream(endpoint, app.open[0], |_| Ok(Flow::More)), Ok(Flow::More));
        assert!(conn.is_idle(), "nothing has begun");
        assert_eq!(conn.stream(endpoint, app.open[0], |_| Err(Fault::UnknownResource)), Ok(Flow::Done));
        drain(conn, endpoint, app, &mut out);
        assert_eq!(serde_json::from_slice::<Json>(&out).unwrap()["error"]["code"], -32602);
        assert_eq!(conn.stream(endpoint, app.open[0], |_| Ok(Flow::Done)), Err(NotOpen::Ended));
    });
}

#[test]
fn what_never_fits_is_refused() {
    on_a_line(64, |conn, endpoint, app| {
        let mut out = Vec::new();
        send(conn, &call(5, "later"));
        drain(conn, endpoint, app, &mut out);
        let flow = conn.stream(endpoint, app.open[0], |out| {
            assert_eq!(out.text("a"), 0);
            Ok(Flow::More)
        });
        assert_eq!(flow, Ok(Flow::Done));
        drain(conn, endpoint, app, &mut out);
        assert_eq!(serde_json::from_slice::<Json>(&out).unwrap()["error"]["code"], -32603);
    });
}

#[test]
fn a_cancellation_ends_it_and_other_messages_wait() {
    on_a_line(128, |conn, endpoint, app| {
        let mut out = Vec::new();
        send(conn, &call(5, "later"));
        drain(conn, endpoint, app, &mut out);
        let first = app.open[0];
        assert_eq!(
            conn.stream(endpoint, first, |out| Ok(if out.text("abc") > 0 { Flow::More } else { Flow::Done })),
            Ok(Flow::More)
        );
        drain(conn, endpoint, app, &mut out);
        send(conn, r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#);
        send(conn, r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#);
        assert_eq!(drain(conn, endpoint, app, &mut out), ["cancelled"]);
        assert_eq!(conn.stream(endpoint, first, |_| Ok(Flow::More)), Err(NotOpen::Ended));
        assert!(out.ends_with(b"abc\n") && conn.is_idle());

        // A request waits behind an answer, and is served then.
        send(conn, &call(6, "later"));
        drain(conn, endpoint, app, &mut out);
        let second = app.open[1];
        conn.stream(endpoint, second, |out| Ok(if out.text("x") > 0 { Flow::More } else { Flow::Done })).unwrap();
        drain(conn, endpoint, app, &mut out);
        out.clear();
        send(conn, &call(7, "now"));
        assert_eq!(drain(conn, endpoint, app, &mut out), [""; 0]);
        assert_eq!(conn.stream(endpoint, second, |_| Ok(Flow::Done)), Ok(Flow::Done));
        assert_eq!(drain(conn, endpoint, app, &mut out), ["served"]);
        let lines: Vec<Json> = out
            .split(|&byte| byte == b'\n')
            .skip(1)
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect();
        assert_eq!(lines[0]["id"], 7);

        // The peer goes in the middle.
        send(conn, &call(8, "later"));
        drain(conn, endpoint, app, &mut out);
        let third = app.open[2];
        conn.stream(endpoint, third, |out| Ok(if out.text("x") > 0 { Flow::More } else { Flow::Done })).unwrap();
        conn.eof();
        assert_eq!(drain(conn, endpoint, app, &mut out), ["cancelled", "closed"]);
    });
}

#[test]
fn over_http_it_is_one_body_in_chunks() {
    for (index, plan) in plans().iter().enumerate() {
        for size in [128, 256, 4096] {
            let (mut head, mut receive, mut transmit) = (vec![0; 512], vec![0; 512], vec![0; size]);
            let mut deferred = heapless::Vec::<_, 1>::new();
            let mut subscriptions = heapless::Vec::<_, 1>::new();
            let mut conn = http::Connection::new(http::Lent {
                head: &mut head,
                receive: &mut receive,
                transmit: &mut transmit,
                deferred: &mut deferred,
                subscriptions: &mut subscriptions,
            });
            let (mut site, mut endpoint, mut app) = (http::Site::new("/mcp"), Endpoint::new(&CATALOG), App::default());
            let body = call(5, "later");
            let request = format!(
                "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: later\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            let mut out = Vec::new();
            let mut drain = |conn: &mut http::Connection<'_>, endpoint: &mut Endpoint<App>, app: &mut App| {
                loop {
                    conn.serve(&mut site, endpoint, app, Instant::ZERO);
                    let piece = conn.transmit();
                    if piece.is_empty() {
                        return;
                    }
                    let count = piece.len().min(17);
                    out.extend_from_slice(&piece[..count]);
                    conn.transmitted(count);
                }
            };
            for piece in request.as_bytes().chunks(100) {
                conn.receive_buffer()[..piece.len()].copy_from_slice(piece);
                conn.commit(piece.len());
                drain(&mut conn, &mut endpoint, &mut app);
            }
            let mut writer = Writer::default();
            while conn.stream(&endpoint, app.open[0], |out| writer.go_on(plan, false, out)).unwrap() != Flow::Done {
                drain(&mut conn, &mut endpoint, &mut app);
            }
            drain(&mut conn, &mut endpoint, &mut app);
            assert!(conn.is_idle());
            let text = String::from_utf8(out).unwrap();
            let (head, mut rest) = text.split_once("\r\n\r\n").unwrap();
            assert!(head.starts_with("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"), "{head}");
            let mut json = String::new();
            if head.contains("Transfer-Encoding: chunked") {
                while let Some((len, after)) = rest.split_once("\r\n") {
                    let len = usize::from_str_radix(len, 16).unwrap();
                    json.push_str(&after[..len]);
                    rest = after[len..].strip_prefix("\r\n").unwrap();
                }
            } else {
                json.push_str(rest);
            }
            let reply: Json = serde_json::from_str(&json).unwrap();
            assert_eq!(reply["result"]["content"], expected(plan, false), "plan {index}, {size} bytes");
        }
    }
}
