//! Legacy clients over HTTP: sessions, the stream of a session, questions answered over another connection, streams taken up again, batches.
#![cfg(all(feature = "server", feature = "legacy", feature = "http"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::Value as Json;
use umcp::http::server::{Connection, HttpSession, Memory, Sessions, Site};
use umcp::json::Value;
use umcp::mcp::{InputKind, Level};
use umcp::server::{Call, CallHandle, Calls, Catalog, Endpoint, Event, Outcome, Read, Resource};
use umcp::time::Instant;
use umcp::tool;

#[derive(Default)]
struct App {
    open: Vec<CallHandle>,
    answers: Vec<String>,
}

fn later(app: &mut App, call: Call<'_>) -> Outcome {
    call.defer(|call| app.open.push(call))
}

fn noisy(_: &mut App, mut call: Call<'_>) -> Outcome {
    call.log(Level::Info, "test", "noise");
    call.text("done")
}

fn touch(_: &mut App, mut call: Call<'_>) -> Outcome {
    call.updated("a:b");
    call.text("touched")
}

fn answered(app: &mut App, _: CallHandle, answer: Result<Value<'_>, Value<'_>>) {
    let text = match answer {
        Ok(value) | Err(value) => String::from_utf8_lossy(value.raw()).into_owned(),
    };
    app.answers.push(text);
}

static CATALOG: Catalog<App> = Catalog::new("test", "1")
    .logging()
    .answered(answered)
    .tools(&[tool!("later", "d", later), tool!("noisy", "d", noisy), tool!("touch", "d", touch)])
    .resources(&[Resource::new("a:b", "r", |_: &mut App, read: Read<'_>| read.text("r")).changes()]);

/// Not random at all, which is what a test wants.
fn counting(bits: &mut [u8; 16]) {
    use std::sync::atomic::{AtomicU8, Ordering};
    static NEXT: AtomicU8 = AtomicU8::new(1);
    bits.fill(NEXT.fetch_add(1, Ordering::Relaxed));
}

struct World<'w> {
    site: Site<'w>,
    endpoint: Endpoint<App>,
    app: App,
    conns: Vec<Connection<'w>>,
    /// The headers of the next request.
    headers: std::cell::Cell<String>,
    now: u64,
}

/// What a connection has sent, taken apart.
#[derive(Debug)]
struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Reply {
    fn new(text: &str) -> Reply {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head: {text:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let head = head.to_ascii_lowercase();
        let body = if head.contains("transfer-encoding: chunked") { unchunk(body) } else { body.to_owned() };
        Reply { status, head, body }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    fn events(&self) -> Vec<Json> {
        events(&self.body)
    }
}

fn unchunk(mut rest: &str) -> String {
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        body.push_str(&after[..size]);
        rest = after[size..].strip_prefix("\r\n").unwrap();
    }
    body
}

fn events(stream: &str) -> Vec<Json> {
    let data = stream.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|data| !data.is_empty());
    data.map(|data| serde_json::from_str(data).unwrap()).collect()
}

impl World<'_> {
    fn drain(&mut self, index: usize) -> String {
        let conn = &mut self.conns[index];
        let mut out = Vec::new();
        loop {
            let now = Instant::from_millis(self.now);
            match conn.next_event(&mut self.site, &mut self.endpoint, &mut self.app, now) {
                Event::NeedData | Event::Closed => {}
                _ => continue,
            }
            let piece = conn.transmit();
            if piece.is_empty() {
                return String::from_utf8(out).unwrap();
            }
            out.extend_from_slice(&piece[..1]);
            conn.transmitted(1);
        }
    }

    /// Sends a request, in pieces of `step` bytes, and takes what comes back at once.
    fn send(&mut self, index: usize, head: &str, body: &str, step: usize) -> String {
        let length =
            if head.starts_with("POST") { format!("Content-Length: {}\r\n", body.len()) } else { String::new() };
        let text = format!(
            "{head} /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{length}{{}}\r\n{body}"
        );
        let headers = self.headers.take();
        let text = text.replacen("{}", &headers, 1);
        let mut out = String::new();
        for piece in text.as_bytes().chunks(step) {
            self.conns[index].receive_buffer()[..piece.len()].copy_from_slice(piece);
            self.conns[index].commit(piece.len());
            out.push_str(&self.drain(index));
        }
        out
    }
}

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn call(id: u32, tool: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{}}}}}}"#)
}

/// Runs a test with pieces of several sizes.
fn with_world(test: impl Fn(&mut Client<'_, '_>)) {
    for step in [1, 7, 100_000] {
        let mut table = heapless::Vec::<HttpSession, 2>::new();
        let mut replay = [0; 1024];
        let mut memory: Vec<Memory<512, 1024, 1024>> = (0..3).map(|_| Memory::new()).collect();
        let site = Site { sessions: Some(Sessions::new(&mut table, &mut replay, counting)), ..Site::new("/mcp") };
        let mut world = World {
            site,
            endpoint: Endpoint::new(&CATALOG),
            app: App::default(),
            conns: memory.iter_mut().map(|memory| Connection::new(memory.lend())).collect(),
            headers: std::cell::Cell::default(),
            now: 1,
        };
        test(&mut Client { world: &mut world, session: String::new(), step });
    }
}

struct Client<'c, 'w> {
    world: &'c mut World<'w>,
    session: String,
    step: usize,
}

impl Client<'_, '_> {
    fn open(&mut self, revision: &str, capabilities: &str) {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{capabilities},"clientInfo":{{"name":"c","version":"1"}}}}}}"#
        );
        let reply = Reply::new(&self.world.send(0, "POST", &body, self.step));
        assert_eq!((reply.status, reply.json()["result"]["protocolVersion"].as_str()), (200, Some(revision)));
        self.session = reply.header("mcp-session-id").expect("a session").to_owned();
        assert_eq!(self.session.len(), 32);
        let accepted = self.post(0, INITIALIZED);
        assert_eq!((accepted.status, accepted.body.as_str()), (202, ""));
    }

    fn raw(&mut self, index: usize, verb: &str, body: &str, more: &str) -> String {
        self.world.headers.set(format!("Mcp-Session-Id: {}\r\n{more}", self.session));
        self.world.send(index, verb, body, self.step)
    }

    fn post(&mut self, index: usize, body: &str) -> Reply {
        Reply::new(&self.raw(index, "POST", body, ""))
    }
}

#[test]
fn a_session_lasts_from_initialize_to_delete() {
    with_world(|client| {
        client.open("2025-11-25", "{}");
        let reply = client.post(1, &call(1, "touch"));
        assert_eq!((reply.status, reply.header("mcp-session-id")), (200, None));
        assert_eq!(reply.json()["result"]["content"][0]["text"], "touched");

        let without = Reply::new(&client.world.send(1, "POST", INITIALIZED, client.step));
        assert_eq!(without.status, 400);
        for (headers, status) in [
            ("MCP-Protocol-Version: 2025-11-25\r\n", 200),
            ("MCP-Protocol-Version: 2025-06-18\r\n", 200),
            ("MCP-Protocol-Version: 1999-01-01\r\n", 400),
        ] {
            assert_eq!(Reply::new(&client.raw(1, "POST", &call(1, "touch"), headers)).status, status, "{headers}");
        }

        assert_eq!(Reply::new(&client.raw(2, "DELETE", "", "")).status, 200);
        assert_eq!(client.post(1, &call(2, "touch")).status, 404);
        assert_eq!(Reply::new(&client.raw(2, "DELETE", "", "")).status, 404);
        let get = "Accept: text/event-stream\r\n";
        assert_eq!(Reply::new(&client.raw(2, "GET", "", get)).status, 404);
        client.world.headers.set(get.to_owned());
        let reply = Reply::new(&client.world.send(2, "GET", "", client.step));
        assert_eq!((reply.status, reply.header("allow")), (405, Some("post, get, delete")));
    });
}

#[test]
fn the_state_of_a_session_is_on_no_connection() {
    with_world(|client| {
        client.open("2025-06-18", "{}");
        let level = r#"{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}"#;
        assert_eq!(client.post(1, level).json()["result"], serde_json::json!({}));
        // Another connection knows the level; another session does not.
        assert_eq!(client.post(2, &call(2, "noisy")).events().len(), 2);
        let first = client.session.clone();
        client.open("2025-06-18", "{}");
        assert_eq!(client.post(2, &call(2, "noisy")).json()["result"]["content"][0]["text"], "done");
        // A connection that served a session is of none afterwards.
        let stray = Reply::new(&client.world.send(2, "POST", &call(3, "touch"), client.step));
        assert_eq!((stray.status, stray.json()["error"]["code"].as_i64()), (400, Some(-32602)));
        // The table has two places: a third session takes that of the one idle for longest.
        client.world.now += 1;
        assert_eq!(client.post(1, &call(4, "touch")).status, 200);
        client.open("2025-06-18", "{}");
        client.session = first;
        assert_eq!(client.post(1, &call(4, "touch")).status, 404);
    });
}

#[test]
fn changes_are_told_in_the_stream_that_the_client_opens() {
    with_world(|client| {
        client.open("2025-11-25", "{}");
        let begun = client.raw(1, "GET", "", "Accept: text/event-stream\r\n");
        assert!(begun.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"), "{begun}");
        assert!(begun.ends_with("3\r\n:\n\n\r\n"), "{begun}");
        let subscribe = r#"{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"a:b"}}"#;
        assert_eq!(client.post(0, subscribe).json()["result"], serde_json::json!({}));
        assert_eq!(client.world.drain(1), "");
        client.post(2, &call(2, "touch"));
        let news = events(&unchunk(&client.world.drain(1)));
        assert_eq!(news.len(), 1);
        assert_eq!(
            (&news[0]["method"], &news[0]["params"]["uri"]),
            (&Json::from("notifications/resources/updated"), &Json::from("a:b"))
        );
        assert_eq!(client.world.drain(1), "");
        client.world.now += 15_000;
        assert_eq!(client.world.drain(1), "3\r\n:\n\n\r\n");
        // The session ends, and the stream with it.
        client.raw(0, "DELETE", "", "");
        assert_eq!(client.world.drain(1), "0\r\n\r\n");
        assert!(client.world.conns[1].is_idle());
    });
}

#[test]
fn a_question_is_answered_over_another_connection() {
    with_world(|client| {
        client.open("2025-11-25", r#"{"roots":{}}"#);
        assert_eq!(client.raw(1, "POST", &call(7, "later"), ""), "");
        let handle = client.world.app.open[0];
        client.world.conns[1].ask(handle, InputKind::Roots, |_| {}).unwrap();
        let asked = Reply::new(&(client.world.drain(1) + "0\r\n\r\n"));
        let id = asked.events()[0]["id"].as_str().unwrap().to_owned();
        assert_eq!(asked.events()[0]["method"], "roots/list");

        let answer = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":"{id}","result":{{"roots":[]}}}}"#);
        // Another session cannot answer it.
        let session = client.session.clone();
        client.open("2025-11-25", "{}");
        assert_eq!(client.post(2, &answer(&id)).status, 202);
        assert!(client.world.app.answers.is_empty());
        client.session = session;
        assert_eq!(client.post(2, &answer("q99")).status, 202);
        let accepted = client.post(2, &answer(&id));
        assert_eq!((accepted.status, accepted.body.as_str()), (202, ""));
        assert_eq!(client.post(2, &answer(&id)).status, 202);
        assert_eq!(client.world.app.answers, [r#"{"roots":[]}"#]);

        assert_eq!(client.world.drain(1), "");
        client.world.conns[1].complete(&mut client.world.endpoint, handle, |reply| reply.text("thanks")).unwrap();
        let rest = unchunk(&client.world.drain(1));
        assert_eq!(events(&rest)[0]["id"], 7);
    });
}

#[test]
fn a_request_is_cancelled_over_another_connection_and_not_by_leaving() {
    with_world(|client| {
        client.open("2025-06-18", "{}");
        client.raw(1, "POST", &call(7, "later"), "");
        let handle = client.world.app.open[0];
        client.world.conns[1].abort();
        client.world.drain(1);
        assert!(client.world.conns[1].is_detached() && client.world.conns[1].is_open(handle));
        let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
        assert_eq!(client.post(2, cancel).status, 202);
        client.world.drain(1);
        assert!(!client.world.conns[1].is_open(handle) && client.world.conns[1].is_closed());
    });
}

#[test]
fn a_stream_that_ends_early_is_taken_up_again() {
    with_world(|client| {
        client.open("2025-11-25", "{}");
        client.raw(1, "POST", &call(7, "later"), "");
        let handle = client.world.app.open[0];
        assert_eq!(client.world.conns[1].end_stream(handle), Ok(true));
        let first = Reply::new(&client.world.drain(1));
        assert_eq!(first.events(), [] as [Json; 0]);
        let id = first.body.lines().find_map(|line| line.strip_prefix("id: ")).expect("an id").to_owned();
        assert!(first.body.contains("\nretry: ") && first.body.contains("\ndata: \n"), "{first:?}");
        assert!(client.world.conns[1].is_detached());

        let resume = format!("Accept: text/event-stream\r\nLast-Event-ID: {id}\r\n");
        let begun = client.raw(2, "GET", "", &resume);
        assert!(begun.starts_with("HTTP/1.1 200 OK\r\n"), "{begun}");
        client.world.conns[1].complete(&mut client.world.endpoint, handle, |reply| reply.text("late")).unwrap();
        client.world.drain(1);
        assert!(client.world.conns[1].is_closed());
        let rest = unchunk(&client.world.drain(2));
        assert_eq!(events(&rest)[0]["result"]["content"][0]["text"], "late");
        assert!(client.world.conns[2].is_idle());
        // It may be asked for again, until newer events take its room.
        let again = Reply::new(&client.raw(2, "GET", "", &resume));
        assert_eq!(again.events()[0]["id"], 7);
        let last =
            again.body.lines().rfind(|line| line.starts_with("id: ")).unwrap().replace("id: ", "Last-Event-ID: ");
        let nothing = Reply::new(&client.raw(2, "GET", "", &format!("Accept: text/event-stream\r\n{last}\r\n")));
        assert_eq!(nothing.events(), [] as [Json; 0]);
    });
}

#[test]
fn a_batch_is_answered_event_by_event() {
    with_world(|client| {
        client.open("2025-03-26", "{}");
        let batch = format!("[{},{},{INITIALIZED},{}]", call(1, "touch"), call(2, "none"), call(3, "later"));
        let begun = client.raw(1, "POST", &batch, "");
        let handle = client.world.app.open[0];
        client.world.conns[1].complete(&mut client.world.endpoint, handle, |reply| reply.text("late")).unwrap();
        let all = Reply::new(&(begun + &client.world.drain(1)));
        let ids: Vec<_> = all.events().iter().map(|event| event["id"].as_i64().unwrap()).collect();
        assert_eq!((all.status, ids), (200, vec![1, 2, 3]));
        assert!(all.events()[1]["error"].is_object());
        assert!(client.world.conns[1].is_idle());

        let only = client.post(1, &format!("[{INITIALIZED}]"));
        assert_eq!((only.status, only.body.as_str()), (202, ""));
        assert_eq!(client.post(1, "[]").status, 400);
        client.open("2025-11-25", "{}");
        assert_eq!(client.post(1, &batch).status, 400);
    });
}

#[test]
fn an_event_is_given_to_its_own_session_only() {
    with_world(|client| {
        client.open("2025-11-25", "{}");
        client.raw(1, "POST", &call(7, "later"), "");
        let handle = client.world.app.open[0];
        assert_eq!(client.world.conns[1].end_stream(handle), Ok(true));
        let first = Reply::new(&client.world.drain(1));
        let id = first.body.lines().find_map(|line| line.strip_prefix("id: ")).expect("an id").to_owned();
        client.world.conns[1].complete(&mut client.world.endpoint, handle, |reply| reply.text("secret")).unwrap();
        client.world.drain(1);
        let resume = format!("Accept: text/event-stream\r\nLast-Event-ID: {id}\r\n");
        let owner = client.session.clone();
        client.open("2025-11-25", "{}");
        let begun = client.raw(2, "GET", "", &resume);
        assert!(
            begun.starts_with("HTTP/1.1 200 OK\r\n") && begun.ends_with("3\r\n:\n\n\r\n"),
            "a stream of its own: {begun}"
        );
        assert_eq!(client.world.drain(2), "");
        client.world.conns[2].abort();
        client.world.drain(2);
        client.world.conns[2].reset();
        client.session = owner;
        assert_eq!(Reply::new(&client.raw(2, "GET", "", &resume)).events()[0]["id"], 7);
    });
}

#[test]
fn a_session_that_ends_cancels_its_calls() {
    with_world(|client| {
        client.open("2025-11-25", "{}");
        client.raw(1, "POST", &call(7, "later"), "");
        let handle = client.world.app.open[0];
        assert_eq!(Reply::new(&client.raw(2, "DELETE", "", "")).status, 200);
        client.world.drain(1);
        assert!(!client.world.conns[1].is_open(handle));
        assert!(client.world.conns[1].is_idle());
    });
}

#[test]
fn a_session_that_is_in_use_makes_no_room() {
    with_world(|client| {
        client.open("2025-11-25", "{}");
        client.raw(1, "POST", &call(7, "later"), "");
        let busy = client.session.clone();
        client.world.now += 1;
        client.open("2025-11-25", "{}");
        client.raw(2, "GET", "", "Accept: text/event-stream\r\n");
        let body = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
        assert_eq!(Reply::new(&client.world.send(0, "POST", body, client.step)).status, 503);
        // The stream ends, so its session is the one that goes.
        let idle = std::mem::replace(&mut client.session, busy);
        client.world.conns[2].abort();
        client.world.drain(2);
        client.world.conns[2].reset();
        client.world.now += 31_000;
        client.world.drain(1);
        let busy = client.session.clone();
        client.open("2025-11-25", "{}");
        client.session = idle;
        assert_eq!(client.post(0, INITIALIZED).status, 404);
        client.session = busy;
        assert_eq!(client.post(0, INITIALIZED).status, 202);
    });
}
