//! On a line: every buffer, every way to drain it.

use serde_json::{Value as Json, json};
use umcp::client::{Config, Connection, Happened, Lent, Memory, NotTaken, Options, Refused, Upload, Verdict};
use umcp::rpc::RequestHandle;
use umcp::time::Instant;

use crate::client_support::{META, config};
use crate::content::{Content, contents, expected, meta_with_progress};

const NOW: Instant = Instant::ZERO;

/// The era, and how it shows in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Server {
    Modern,
    #[cfg(feature = "legacy")]
    Legacy,
}

#[cfg(feature = "legacy")]
const SERVERS: [Server; 2] = [Server::Modern, Server::Legacy];
#[cfg(not(feature = "legacy"))]
const SERVERS: [Server; 1] = [Server::Modern];

impl Server {
    /// Connects: nothing is left to be sent.
    pub(crate) fn connect<'b>(self, memory: Lent<'b>) -> Connection<'b> {
        let verdict = match self {
            Server::Modern => Verdict::Modern,
            #[cfg(feature = "legacy")]
            Server::Legacy => Verdict::Legacy,
        };
        let mut conn = Connection::line(memory, Config { verdict: Some(verdict), ..config() });
        #[cfg(feature = "legacy")]
        if self == Server::Legacy {
            assert_eq!(conn.advance(NOW), Happened::NeedData);
            conn.transmitted(conn.transmit().len());
            let answer =
                b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}\n";
            conn.receive_buffer()[..answer.len()].copy_from_slice(answer);
            conn.commit(answer.len());
        }
        assert_eq!(conn.advance(NOW), Happened::Connected);
        assert_eq!(conn.advance(NOW), Happened::NeedData);
        conn.transmitted(conn.transmit().len());
        conn
    }

    fn meta(self, id: u32, progress: bool) -> Option<String> {
        match self {
            Server::Modern if progress => Some(meta_with_progress(id)),
            Server::Modern => Some(META.to_string()),
            #[cfg(feature = "legacy")]
            Server::Legacy => progress.then(|| format!("\"_meta\":{{\"progressToken\":{id}}}")),
        }
    }
}

/// Sends a call, `step` bytes given and `window` bytes drained at a time. What was sent.
fn send(conn: &mut Connection<'_>, handle: RequestHandle, content: &Content, step: usize, window: usize) -> Vec<u8> {
    let (mut sent, mut at, mut ended) = (Vec::new(), 0, false);
    for _ in 0..1_000_000 {
        assert_eq!(conn.advance(NOW), Happened::NeedData);
        while !ended {
            let mut pen = conn.upload(handle).expect("open");
            let taken = if at < content.len() { content.give(&mut pen, at, step).expect("taken") } else { 0 };
            at += taken;
            if at == content.len() {
                ended = pen.end().expect("complete");
            }
            if taken == 0 {
                break;
            }
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

/// The shortest transmit buffer in which this call can be sent: what follows its envelope, and one byte more.
fn minimum(others: &str) -> usize {
    let comma = if others.is_empty() { "" } else { "," };
    format!(r#""name":"flash","arguments":{{{others}{comma}"image":""#).len() + 1
}

fn check(server: Server, tx: usize, others: &str, content: &Content, (step, window, progress): (usize, usize, bool)) {
    let mut memory: Memory<512, 2048> = Memory::new();
    let mut lent = memory.lend();
    let whole = lent.transmit;
    // The handshake has had all of the buffer: only the call is sent through the small one.
    let size = if server == Server::Modern { tx } else { tx.max(200) };
    lent.transmit = &mut whole[..size];
    let mut conn = server.connect(lent);
    let options = Options { progress, ..Options::DEFAULT };
    let arguments: Json = serde_json::from_str(&format!("{{{others}}}")).unwrap();
    let announced = window % 2 == 0;
    let handle = conn.call_open("flash", &arguments, content.upload(announced), options, NOW).expect("opened");
    let sent = send(&mut conn, handle, content, step, window);
    let (json, line) = expected(handle.id(), server.meta(handle.id(), progress).as_deref(), others, &content.string());
    let place = format!("{server:?}, {tx} bytes, {step} given, {window} drained");
    assert_eq!(String::from_utf8(sent.clone()).unwrap(), line + "\n", "{place}");
    assert_eq!(serde_json::from_slice::<Json>(&sent).unwrap(), json, "{place}");
    // From here on it is a request like any other, and others may leave.
    assert!(conn.is_open(handle));
    let next = conn.call("next", &(), Options::DEFAULT, NOW);
    if size >= 300 {
        next.expect("sent");
    }
}

#[test]
fn every_buffer_from_the_minimum() {
    for server in SERVERS {
        for others in ["", r#""slot":1"#] {
            let least = minimum(others);
            for tx in least..least + 320 {
                for content in contents().iter().filter(|content| content.len() < 100) {
                    check(server, tx, others, content, (usize::MAX, usize::MAX, tx % 3 == 0));
                }
            }
        }
    }
}

#[test]
fn every_way_to_drain() {
    for server in SERVERS {
        for content in contents() {
            for tx in [minimum(r#""slot":1"#), 64, 255, 256, 257, 512] {
                for window in [1, 2, 3, 5, 7, 16, 63, 64, 100, 255, 256] {
                    check(server, tx, r#""slot":1"#, &content, (usize::MAX, window, window == 3));
                }
            }
            for step in [1, 2, 3, 4, 7, 50] {
                check(server, 256, r#""slot":1"#, &content, (step, 11, false));
            }
        }
    }
}

#[test]
fn a_buffer_that_is_too_small_says_how_large_it_has_to_be() {
    let others = r#""slot":1"#;
    let least = minimum(others);
    for tx in 0..least {
        let mut memory: Memory<512, 512> = Memory::new();
        let mut lent = memory.lend();
        let whole = lent.transmit;
        lent.transmit = &mut whole[..tx];
        let mut conn = Server::Modern.connect(lent);
        let refused = conn.call_open("flash", &json!({"slot": 1}), Upload::text("image", None), Options::DEFAULT, NOW);
        let Err(Refused::Capacity { needed }) = refused else { panic!("{tx}: {refused:?}") };
        // Where the arguments do not fit either, their last brace is counted, which does not leave with them.
        assert!((least..=least + 1).contains(&needed), "{tx}: {needed}");
        assert_eq!(conn.transmit(), b"");
    }
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut memory: Memory<512, 1024, 1> = Memory::new();
    let mut conn = Server::Modern.connect(memory.lend());
    let upload = Upload::text("image", None);
    for arguments in [json!([1]), json!(7), json!("x"), json!({"image": "x"}), json!({"a": 1, "image": null})] {
        let refused = conn.call_open("flash", &arguments, upload, Options::DEFAULT, NOW);
        assert_eq!(refused, Err(Refused::Arguments), "{arguments}");
    }
    for raw in ["[]", "{\"a\":\n1}", "{\"image\":1}"] {
        let raw = umcp::json::Value::new(raw.as_bytes());
        assert_eq!(conn.call_raw_open("flash", raw, upload, Options::DEFAULT, NOW), Err(Refused::Arguments));
    }
    assert_eq!(conn.transmit(), b"");
    let handle = conn.call_open("flash", &(), upload, Options::DEFAULT, NOW).expect("opened");
    let busy = conn.call_open("flash", &(), upload, Options::DEFAULT, NOW);
    assert!(matches!(busy, Err(Refused::Busy | Refused::TableFull)), "{busy:?}");
    send(&mut conn, handle, &Content::Text("x".into()), 1, 1);
    assert_eq!(conn.upload(handle).err(), Some(NotTaken::Ended));
}

#[test]
fn a_wrong_count_is_never_sent() {
    let mut memory: Memory<512, 1024> = Memory::new();
    let mut conn = Server::Modern.connect(memory.lend());
    let handle = conn.call_open("flash", &(), Upload::text("image", Some(5)), Options::DEFAULT, NOW).expect("opened");
    let mut pen = conn.upload(handle).unwrap();
    assert_eq!(pen.bytes(b"x"), Err(NotTaken::Mixed));
    assert_eq!(pen.text("\"\"\""), Err(NotTaken::TooLong { left: 5 }), "it counts as it is escaped");
    assert_eq!(pen.text("\"a"), Ok(2));
    assert_eq!(pen.text("abc"), Err(NotTaken::TooLong { left: 2 }));
    assert_eq!(pen.end(), Err(NotTaken::TooShort { missing: 2 }));
    assert_eq!(pen.text("é"), Ok(2));
    assert_eq!(pen.end(), Ok(true));
    let (json, _) = expected(1, Some(META), "", "\"aé");
    assert_eq!(serde_json::from_slice::<Json>(conn.transmit()).unwrap(), json);
    conn.transmitted(conn.transmit().len());

    let handle = conn.call_open("flash", &(), Upload::bytes("image", Some(5)), Options::DEFAULT, NOW).expect("opened");
    let mut pen = conn.upload(handle).unwrap();
    assert_eq!(pen.text("x"), Err(NotTaken::Mixed));
    assert_eq!(pen.bytes(b"123456"), Err(NotTaken::TooLong { left: 5 }));
    assert_eq!(pen.bytes(b"1234"), Ok(4));
    assert_eq!(pen.end(), Err(NotTaken::TooShort { missing: 1 }));
    assert_eq!(pen.bytes(b"5"), Ok(1));
    assert_eq!((pen.bytes(b""), pen.bytes(b"6")), (Ok(0), Err(NotTaken::TooLong { left: 0 })));
    assert_eq!(pen.end(), Ok(true));
    let (json, _) = expected(2, Some(META), "", "MTIzNDU=");
    assert_eq!(serde_json::from_slice::<Json>(conn.transmit()).unwrap(), json);
}
