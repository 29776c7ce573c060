//! Over HTTP: every buffer, every way to drain it; replies that come early, and streams that break off.

use serde_json::{Value as Json, json};
use umcp::client::{Config, Happened, NotTaken, Options, Refused, Upload, Verdict};
use umcp::http::client::{Connection, Lent, Memory, Stream};
use umcp::rpc::RequestHandle;
use umcp::time::{Duration, Instant};

use crate::client_support::META;
use crate::content::{Content, contents, expected};
use crate::rig::{Action, Rig, Step, TARGET, config, events, json, play, stream};

const NOW: Instant = Instant::ZERO;

fn known() -> Config<'static> {
    Config { verdict: Some(Verdict::Modern), ..config() }
}

fn connect<'b>(memory: Lent<'b>) -> Connection<'b> {
    let mut conn = Connection::new(memory, known(), &TARGET);
    assert_eq!(conn.advance(NOW), Happened::Connected);
    assert_eq!(conn.advance(NOW), Happened::NeedData);
    conn
}

/// Sends a call, `window` bytes at a time. What was sent.
fn send(conn: &mut Connection<'_>, handle: RequestHandle, content: &Content, window: usize) -> Vec<u8> {
    let (mut sent, mut at, mut ended) = (Vec::new(), 0, false);
    for _ in 0..1_000_000 {
        assert_eq!(conn.advance(NOW), Happened::NeedData);
        while !ended {
            let mut pen = conn.upload(handle).expect("open");
            let taken = if at < content.len() { content.give(&mut pen, at, usize::MAX).expect("taken") } else { 0 };
            at += taken;
            if at == content.len() {
                ended = pen.end().expect("complete");
            }
            if taken == 0 {
                break;
            }
        }
        assert_eq!(conn.advance(NOW), Happened::NeedData);
        match conn.stream() {
            Stream::Open => conn.opened(),
            other => assert_eq!(other, Stream::Keep),
        }
        let leaving = conn.transmit();
        if leaving.is_empty() {
            assert!(ended, "it does not go on");
            return sent;
        }
        let count = leaving.len().min(window);
        sent.extend_from_slice(&leaving[..count]);
        conn.transmitted(count);
    }
    panic!("it does not come to an end");
}

/// The head and the body; the head's `Content-Length` and its other headers are right.
fn check(sent: &[u8], id: u32, content: &Content, place: &str) {
    let text = String::from_utf8(sent.to_vec()).expect("UTF-8");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(&format!("{name}: "))).map(str::to_string);
    assert_eq!(header("Content-Length"), Some(body.len().to_string()), "{place}");
    assert_eq!(header("Mcp-Method").as_deref(), Some("tools/call"), "{place}");
    assert_eq!(header("Mcp-Name").as_deref(), Some("flash"), "{place}");
    let (json, line) = expected(id, Some(META), r#""slot":1"#, &content.string());
    assert_eq!(body, line, "{place}");
    assert_eq!(serde_json::from_str::<Json>(body).unwrap(), json, "{place}");
}

fn open(conn: &mut Connection<'_>, upload: Upload<'_>) -> Result<RequestHandle, Refused> {
    conn.send(|engine| engine.call_open("flash", &json!({"slot": 1}), upload, Options::DEFAULT, NOW))
}

#[test]
fn every_buffer_and_every_way_to_drain() {
    for content in contents() {
        let mut sizes = 0;
        for tx in (400..700).step_by(if content.len() < 10 { 1 } else { 11 }) {
            let mut memory: Memory<512, 1024> = Memory::new();
            let mut lent = memory.lend();
            let whole = lent.client.transmit;
            lent.client.transmit = &mut whole[..tx];
            let mut conn = connect(lent);
            let handle = match open(&mut conn, content.upload(true)) {
                Ok(handle) => handle,
                Err(Refused::Capacity { needed }) => {
                    assert!(needed > tx);
                    // Nothing is left of it.
                    assert!(!conn.is_busy() && conn.transmit().is_empty() && conn.uploading().is_none());
                    continue;
                }
                Err(other) => panic!("{tx}: {other}"),
            };
            sizes += 1;
            let window = if sizes % 4 == 0 { 1 + tx % 13 } else { usize::MAX };
            let place = format!("{tx} bytes, {window} drained");
            check(&send(&mut conn, handle, &content, window), handle.id(), &content, &place);
            // The stream can be used again.
            let answer = json("200 OK", r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
            conn.receive_buffer()[..answer.len()].copy_from_slice(&answer);
            conn.commit(answer.len());
            assert_eq!(conn.advance(NOW), Happened::Response(handle));
            assert_eq!(conn.advance(NOW), Happened::NeedData);
            assert_eq!(conn.stream(), Stream::Keep);
            if let Ok(handle) = open(&mut conn, content.upload(true)) {
                check(&send(&mut conn, handle, &content, usize::MAX), handle.id(), &content, &place);
            }
        }
        assert!(sizes > 10);
    }
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut memory: Memory<512, 1024> = Memory::new();
    let mut conn = connect(memory.lend());
    assert_eq!(open(&mut conn, Upload::text("image", None)), Err(Refused::Length));
    assert_eq!(open(&mut conn, Upload::text("slot", Some(1))), Err(Refused::Arguments));
    assert!(!conn.is_busy());
    let handle = open(&mut conn, Upload::text("image", Some(1))).expect("opened");
    assert_eq!(open(&mut conn, Upload::text("image", Some(1))), Err(Refused::Busy));
    let mut pen = conn.upload(handle).expect("open");
    assert_eq!(pen.text("xy"), Err(NotTaken::TooLong { left: 1 }));
    assert_eq!(pen.end(), Err(NotTaken::TooShort { missing: 1 }));
    check(&send(&mut conn, handle, &Content::Text("x".into()), 1), handle.id(), &Content::Text("x".into()), "");
}

const OPEN: Action = |conn, now| {
    let options = Options { timeout: Duration::from_millis(500), ..Options::DEFAULT };
    conn.send(|engine| engine.call_open("flash", &(), Upload::text("image", Some(5)), options, now)).expect("opened");
};

fn give(conn: &mut Connection<'_>, text: &str) {
    let handle = conn.uploading().expect("open");
    assert_eq!(conn.upload(handle).expect("open").text(text), Ok(text.len()));
}

const GIVE: Action = |conn, _| give(conn, "abc");
const GIVE_REST: Action = |conn, _| {
    give(conn, "de");
    let handle = conn.uploading().expect("open");
    assert_eq!(conn.upload(handle).expect("open").end(), Ok(true));
};
const ENDED: Action = |conn, _| {
    assert_eq!(conn.uploading(), None);
    assert!(!conn.is_busy());
};
const CANCEL: Action = |conn, _| {
    let handle = conn.uploading().expect("open");
    assert!(conn.cancel(handle, None));
};
const NEXT: Action = |conn, now| {
    conn.send(|engine| engine.call("t1", &(), Options::DEFAULT, now)).expect("sent");
};
const NEXT_SENT: &str = "POST tools/call 2026-07-28 Mcp-Name=t1";
const SENT: &str = "POST tools/call 2026-07-28 Mcp-Name=flash";

fn begun(steps: &[Step<'_>]) {
    let first = [Step::Log(&["connected 2026-07-28  "]), Step::Do(OPEN), Step::Log(&["open"]), Step::Do(GIVE)];
    play(known(), &[&first, steps].concat());
}

#[test]
fn one_that_comes_to_its_end() {
    let answer = json("200 OK", r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    begun(&[
        Step::Do(GIVE_REST),
        Step::Log(&[SENT]),
        Step::In(&answer),
        Step::Log(&["response 1 {}"]),
        Step::Do(ENDED),
    ]);
    // What the server says meanwhile is heard, and does not end it.
    let head = stream(
        ": hello\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n\n",
    );
    let event = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n";
    let rest = format!("{:x}\r\n{event}\r\n0\r\n\r\n", event.len());
    begun(&[
        Step::In(&head),
        Step::Log(&["log info - 1"]),
        Step::Do(GIVE_REST),
        Step::Log(&[SENT]),
        Step::In(rest.as_bytes()),
        Step::Log(&["response 1 {}"]),
        Step::Do(ENDED),
    ]);
}

#[test]
fn one_that_is_given_up_ends_with_its_stream() {
    let next = [Step::Do(ENDED), Step::Do(NEXT), Step::Log(&["open", NEXT_SENT])];
    begun(&[&[Step::Do(CANCEL), Step::Log(&["cancelled 1", "close"])], &next[..]].concat());
    begun(&[&[Step::At(499), Step::At(500), Step::Log(&["timeout 1", "close"])], &next[..]].concat());
    // What moves starts the time anew.
    begun(&[
        Step::At(400),
        Step::Do(GIVE_REST),
        Step::Log(&[SENT]),
        Step::At(899),
        Step::At(900),
        Step::Log(&["timeout 1", "close"]),
    ]);
}

#[test]
fn the_server_closes_the_stream() {
    let next = [Step::Do(ENDED), Step::Do(NEXT), Step::Log(&["open", NEXT_SENT])];
    begun(&[&[Step::Eof, Step::Log(&["lost 1 Closed"])], &next[..]].concat());
}

#[test]
fn no_stream_can_be_opened() {
    let first = [Step::Log(&["connected 2026-07-28  "]), Step::Unreachable, Step::Do(OPEN)];
    play(known(), &[&first[..], &[Step::Log(&["lost 1 Closed"]), Step::Do(ENDED)]].concat());
}

/// An answer that comes before the end is told, once; nothing more is written, and the stream is closed.
#[test]
fn an_answer_may_come_early() {
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}"#;
    let result = r#"{"jsonrpc":"2.0","id":1,"result":{"isError":true}}"#;
    let table = [
        (json("400 Bad Request", error), "error 1 -32602: no"),
        (json("200 OK", error), "error 1 -32602: no"),
        (events(&format!("data: {result}\n\n")), r#"response 1 {"isError":true}"#),
        (stream(&format!("data: {result}\n\n")), r#"response 1 {"isError":true}"#),
        (b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 9\r\n\r\ntoo large".to_vec(), "lost 1 Status(413)"),
        (b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n".to_vec(), "lost 1 Status(401)"),
    ];
    for (reply, event) in &table {
        let next = [Step::Do(ENDED), Step::Do(NEXT), Step::Log(&["open", NEXT_SENT])];
        begun(&[&[Step::In(reply), Step::Log(&[event, "close"])], &next[..]].concat());
    }
}

/// The reply before it has not ended yet when it is opened.
#[test]
fn one_that_waits_for_its_turn() {
    let first = [Step::Log(&["connected 2026-07-28  "]), Step::Do(NEXT), Step::Log(&["open", NEXT_SENT])];
    let answer = stream("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n");
    let opened = [Step::In(&answer), Step::Log(&["response 1 {}"]), Step::Do(OPEN), Step::Do(GIVE), Step::Log(&[])];
    let rest: [&[Step<'_>]; 4] = [
        &[Step::In(b"0\r\n\r\n"), Step::Do(GIVE_REST), Step::Log(&[SENT])],
        &[Step::Do(GIVE_REST), Step::In(b"0\r\n\r\n"), Step::Log(&[SENT])],
        &[Step::At(100), Step::Log(&["close", "open"]), Step::Do(GIVE_REST), Step::Log(&[SENT])],
        &[
            Step::Do(CANCEL),
            Step::Log(&["cancelled 2"]),
            Step::In(b"0\r\n\r\n"),
            Step::Do(NEXT),
            Step::Log(&[NEXT_SENT]),
        ],
    ];
    for rest in rest {
        play(known(), &[&first[..], &opened, rest].concat());
    }
}

/// A status that says no is enough to stop writing.
#[test]
fn a_refusal_is_not_written_against() {
    let mut memory: Memory<512, 1024> = Memory::new();
    let mut rig = Rig::new(memory.lend(), known());
    rig.settle();
    rig.act(OPEN);
    rig.act(GIVE);
    let handle = rig.conn.uploading().expect("open");
    rig.feed(b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nt");
    assert_eq!(rig.conn.upload(handle).err(), Some(NotTaken::Ended));
    assert!(rig.conn.is_open(handle));
    rig.log.clear();
    rig.feed(b"oo");
    assert_eq!(rig.log, ["lost 1 Status(413)", "close"]);
}

/// An argument whose value belongs into a header has to be known before the head is written.
#[test]
fn an_argument_that_is_mirrored_is_not_streamed() {
    let schema = r#"{"type":"object","properties":{"image":{"type":"string","x-mcp-header":"I"},"a":{"type":"object","properties":{"log":{"type":"string","x-mcp-header":"L"}}}}}"#;
    let tools =
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{{"name":"flash","inputSchema":{schema}}}]}}}}"#);
    let mut memory: Memory<1024, 1024> = Memory::new();
    let mut rig = Rig::new(memory.lend(), known());
    rig.settle();
    rig.act(|conn, now| {
        conn.send(|engine| engine.list(umcp::mcp::List::Tools, None, Options::DEFAULT, now)).expect("sent");
    });
    let reply = json("200 OK", &tools);
    rig.conn.receive_buffer()[..reply.len()].copy_from_slice(&reply);
    rig.conn.commit(reply.len());
    assert!(matches!(rig.conn.advance(NOW), Happened::Response(_)));
    rig.conn.learn_tools(true, |_, learned| assert_eq!(learned, Ok(())));
    rig.settle();
    let refused = open(&mut rig.conn, Upload::text("image", Some(1)));
    assert_eq!(refused, Err(Refused::Mirrored));
    assert!(!rig.conn.is_busy());
    assert!(open(&mut rig.conn, Upload::text("log", Some(1))).is_ok(), "another of that name is not it");
}

#[cfg(feature = "legacy")]
mod legacy {
    use umcp::mcp::ClientCapabilities;

    use super::*;

    fn begun(steps: &[Step<'_>]) {
        let capabilities = ClientCapabilities { roots: true, ..ClientCapabilities::NONE };
        let config = Config { verdict: Some(Verdict::Legacy), capabilities, ..config() };
        let body = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}"#;
        let handshake = String::from_utf8(json("200 OK", body)).expect("UTF-8");
        let handshake = handshake.replacen("\r\n", "\r\nmcp-session-id: abc\r\n", 1);
        let first = [
            Step::Log(&["open", "POST initialize -"]),
            Step::In(handshake.as_bytes()),
            Step::Log(&["connected 2025-06-18  ", "POST notifications/initialized 2025-06-18 Mcp-Session-Id=abc"]),
            Step::In(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"),
            Step::Do(OPEN),
            Step::Do(GIVE),
        ];
        play(config, &[&first[..], steps].concat());
    }

    const SENT: &str = "POST tools/call 2025-06-18 Mcp-Session-Id=abc";

    #[test]
    fn one_that_comes_to_its_end() {
        let answer = json("200 OK", r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
        let end = [Step::In(&answer), Step::Log(&["response 2 {}"]), Step::Do(ENDED)];
        begun(&[&[Step::Do(GIVE_REST), Step::Log(&[SENT])], &end[..]].concat());
    }

    /// The server has never heard of the request, so it is not told either.
    #[test]
    fn one_that_is_given_up() {
        let next = [Step::Do(ENDED), Step::Do(NEXT), Step::Log(&["open", SENT])];
        begun(&[&[Step::Do(CANCEL), Step::Log(&["cancelled 2", "close"])], &next[..]].concat());
        begun(&[&[Step::At(500), Step::Log(&["timeout 2", "close"])], &next[..]].concat());
        begun(&[&[Step::Eof, Step::Log(&["lost 2 Unanswered"])], &next[..]].concat());
    }

    #[test]
    fn what_the_server_asks_waits() {
        let asked = stream("data: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"roots/list\"}\n\n");
        begun(&[
            Step::In(&asked),
            Step::Log(&[]),
            Step::Do(GIVE_REST),
            Step::Log(&[SENT, "asked roots/list \"q\"", "errand POST answer 2025-06-18 Mcp-Session-Id=abc"]),
        ]);
        begun(&[
            Step::In(&asked),
            Step::At(500),
            Step::Log(&[
                "timeout 2",
                "asked roots/list \"q\"",
                "close",
                "open",
                "POST answer 2025-06-18 Mcp-Session-Id=abc",
            ]),
        ]);
    }

    #[test]
    fn the_session_is_gone() {
        let reply = b"HTTP/1.1 404 Not Found\r\nContent-Length: 1\r\n\r\nx";
        begun(&[Step::In(reply), Step::Log(&["lost 2 SessionGone", "close", "open", "POST initialize -"])]);
    }
}
