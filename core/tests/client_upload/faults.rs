//! Calls that do not come to their end on a line, and what may happen meanwhile. The caller hears of each, once.

use umcp::client::{Config, Connection, Happened, Memory, NotTaken, Options, Refused, Upload, Verdict};
use umcp::rpc::RequestHandle;
use umcp::time::{Duration, Instant};

use crate::client_support::Step::{At, Do, Eof, In, Is, On, Out};
use crate::client_support::{Action, Step, config, play};

/// What a modern call begins with.
const BEGUN: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{%M,"name":"flash","arguments":{"image":"#;

fn options() -> Options {
    Options { timeout: Duration::from_millis(1_000), ..Options::DEFAULT }
}

fn open(conn: &mut Connection<'_>, now: Instant) -> RequestHandle {
    conn.call_open("flash", &(), Upload::text("image", None), options(), now).expect("opened")
}

const OPEN: Action = |conn, now| {
    open(conn, now);
};

/// Gives a piece of the argument of the call that is open.
fn give(conn: &mut Connection<'_>, text: &str) {
    let handle = handle(conn);
    assert_eq!(conn.upload(handle).expect("open").text(text), Ok(text.len()));
}

const GIVE: Action = |conn, _| give(conn, "\"é");
const END: Action = |conn, _| {
    let handle = handle(conn);
    assert_eq!(conn.upload(handle).expect("open").end(), Ok(true));
};
const ENDED: Action = |conn, _| assert_eq!(conn.uploading(), None);
const CALL: Action = |conn, now| {
    conn.call("t1", &(), Options::DEFAULT, now).expect("sent");
};
const BUSY: Action = |conn, now| {
    assert_eq!(conn.call("t1", &(), Options::DEFAULT, now), Err(Refused::Busy));
    assert_eq!(conn.read_resource("a:1", Options::DEFAULT, now), Err(Refused::Busy));
    assert_eq!(conn.call_open("flash", &(), Upload::text("image", None), Options::DEFAULT, now), Err(Refused::Busy));
};
const CANCEL: Action = |conn, _| {
    let handle = handle(conn);
    assert!(conn.cancel(handle, Some("why not")));
};

/// The call that is open.
fn handle(conn: &Connection<'_>) -> RequestHandle {
    conn.uploading().expect("one is open")
}

fn modern(steps: &[Step<'_>]) {
    let config = Config { verdict: Some(Verdict::Modern), ..config() };
    play(config, &[&[Is("connected 2026-07-28  ")], steps].concat());
}

/// What has left after [`OPEN`] and [`GIVE`], and then this.
fn begun(rest: &str) -> String {
    format!("{BEGUN}\"\\\"é{rest}")
}

const NEXT: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t1",%M}}"#;

#[test]
fn one_that_is_given_up_becomes_noise() {
    let late = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"void"}}"#;
    let anonymous = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#;
    let after = [Do(ENDED), Out(&begun("")), Do(CALL), Out(NEXT), In(anonymous), Is("ignored Anonymous")];
    let after = [&after[..], &[In(late), Is("ignored Late")]].concat();
    let answer = [In(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#), Is("response 2 {}")];
    modern(&[&[Do(OPEN), Do(GIVE), Do(CANCEL), Is("cancelled 1")], &after[..], &answer].concat());
    modern(&[&[Do(OPEN), Do(GIVE), At(999), At(1_000), Is("timeout 1")], &after[..], &answer].concat());
    // Nothing of it has left.
    modern(&[
        Do(|conn, now| {
            OPEN(conn, now);
            GIVE(conn, now);
            CANCEL(conn, now);
        }),
        Is("cancelled 1"),
        Do(ENDED),
        Do(CALL),
        Out(NEXT),
    ]);
}

#[test]
fn whatever_moves_starts_the_time_anew() {
    let line = begun("\\\"é\"}}}");
    modern(&[
        Do(OPEN),
        At(900),
        Do(GIVE),
        At(1_800),
        Do(GIVE),
        At(2_700),
        Do(END),
        Out(&line),
        At(3_699),
        Do(|conn, _| assert_eq!(conn.poll_at(), Some(Instant::from_millis(3_700)))),
        At(3_700),
        Is("timeout 1"),
        Out(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#),
    ]);
}

/// A large buffer takes all of it at once, and a slow wire takes its time.
#[test]
fn what_is_given_and_has_not_left_is_on_its_way() {
    let mut memory: Memory<512, 4096> = Memory::new();
    let mut conn = Connection::line(memory.lend(), Config { verdict: Some(Verdict::Modern), ..config() });
    assert_eq!(conn.advance(Instant::ZERO), Happened::Connected);
    let handle = open(&mut conn, Instant::ZERO);
    give(&mut conn, &"x".repeat(2_000));
    END(&mut conn, Instant::ZERO);
    let mut now = Instant::ZERO;
    while !conn.transmit().is_empty() {
        BUSY(&mut conn, now);
        conn.transmitted(conn.transmit().len().min(100));
        now = now + Duration::from_millis(900);
        assert_eq!(conn.advance(now), Happened::NeedData);
    }
    assert!(now > Instant::from_millis(15_000));
    // From here on it is as any other, and others may leave.
    CALL(&mut conn, now);
    assert_eq!(conn.advance(now + Duration::from_millis(999)), Happened::NeedData);
    assert_eq!(conn.advance(now + Duration::from_millis(1_000)), Happened::TimedOut(handle));
    // A wire that takes nothing holds nobody for ever, whatever waits to leave.
    let mut memory: Memory<512, 4096> = Memory::new();
    let mut conn = Connection::line(memory.lend(), Config { verdict: Some(Verdict::Modern), ..config() });
    assert_eq!(conn.advance(Instant::ZERO), Happened::Connected);
    let handle = open(&mut conn, Instant::ZERO);
    END(&mut conn, Instant::ZERO);
    assert_eq!(conn.advance(Instant::from_millis(1_000)), Happened::TimedOut(handle));
    assert!(conn.transmit().starts_with(b"{\"jsonrpc\"") && conn.transmit().ends_with(b"\"}}}\n"));
}

#[test]
fn an_answer_may_come_early() {
    let table = [
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}"#, "error 1 -32602: no"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{"isError":true}}"#, r#"response 1 {"isError":true}"#),
        (r#"{"jsonrpc":"2.0","id":1,"result":7}"#, "lost 1 Malformed"),
        (r#"{"jsonrpc":"2.0","id":1}"#, "lost 1 NotAnAnswer(Shape)"),
    ];
    for (answer, event) in table {
        let ended = begun("\"}}}");
        let rest = [Do(ENDED), Out(&ended), Do(CALL), Out(NEXT)];
        modern(&[&[Do(OPEN), Do(GIVE), In(answer), Is(event)], &rest[..]].concat());
    }
}

#[test]
fn what_is_said_meanwhile_is_heard() {
    let progress: Action = |conn, now| {
        let options = Options { progress: true, ..options() };
        conn.call_open("flash", &(), Upload::bytes("image", Some(4)), options, now).expect("opened");
    };
    let bytes: Action = |conn, _| {
        let handle = handle(conn);
        assert_eq!(conn.upload(handle).expect("open").bytes(b"ab"), Ok(2));
    };
    let begun = BEGUN.replace("%M", &crate::content::meta_with_progress(1));
    modern(&[
        Do(progress),
        Do(bytes),
        In(
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2,"total":4}}"#,
        ),
        Is("progress 1 2/4 "),
        In(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#),
        Is("ignored ServerRequest"),
        Do(bytes),
        Do(END),
        Out(&format!("{begun}\"YWJhYg==\"}}}}}}")),
        In(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
        Is("response 1 {}"),
    ]);
}

#[test]
fn everything_else_waits() {
    let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let first = NEXT.replace("\"id\":2", "\"id\":1");
    let second = begun("\"}}}").replace("\"id\":1", "\"id\":2");
    let third = NEXT.replace("\"id\":2", "\"id\":3");
    modern(&[
        Do(|conn, now| {
            let first = conn.call("t1", &(), options(), now).expect("sent");
            conn.transmitted(conn.transmit().len());
            OPEN(conn, now);
            BUSY(conn, now);
            assert!(conn.cancel(first, None));
        }),
        Is("cancelled 1"),
        Do(BUSY),
        Do(GIVE),
        Do(BUSY),
        Do(END),
        Out(&second),
        Out(cancelled),
        Do(CALL),
        Out(&third),
    ]);
    // So does the notice of one that has timed out.
    modern(&[
        Do(|conn, now| {
            conn.call("t1", &(), options(), now).expect("sent");
        }),
        Out(&first),
        At(500),
        Do(OPEN),
        Do(GIVE),
        At(1_000),
        Is("timeout 1"),
        Do(END),
        Out(&second),
        Out(cancelled),
    ]);
}

#[test]
fn the_stream_ends_in_the_middle() {
    for text in ["", "x", "\u{1}"] {
        let give: Action = match text {
            "" => |_, _| {},
            "x" => |conn, _| give(conn, "x"),
            _ => |conn, _| give(conn, "\u{1}"),
        };
        modern(&[Do(OPEN), Do(give), Eof, Is("lost 1 Closed"), Is("closed"), Do(ENDED), Do(CLOSED)]);
    }
}

const CLOSED: Action = |conn, now| {
    let refused = conn.call_open("flash", &(), Upload::text("image", None), Options::DEFAULT, now);
    assert_eq!((refused, conn.transmit()), (Err(Refused::Closed), &b""[..]));
};

/// Given up after each byte that may have left: what is on the wire is what had left, and a newline.
#[test]
fn given_up_at_every_byte() {
    for size in [60, 256, 1024] {
        let mut whole = Vec::new();
        for count in 0.. {
            let mut memory: Memory<512, 1024> = Memory::new();
            let mut lent = memory.lend();
            let transmit = lent.transmit;
            lent.transmit = &mut transmit[..size];
            let config = Config { verdict: Some(Verdict::Modern), ..config() };
            let mut conn = Connection::line(lent, config);
            let now = Instant::ZERO;
            assert_eq!(conn.advance(now), Happened::Connected);
            let handle = open(&mut conn, now);
            let mut sent = Vec::new();
            let mut text = "\"é\n".repeat(9);
            while sent.len() < count && !conn.transmit().is_empty() {
                sent.push(conn.transmit()[0]);
                conn.transmitted(1);
                assert_eq!(conn.advance(now), Happened::NeedData);
                let taken = conn.upload(handle).expect("open").text(&text).expect("taken");
                text.drain(..taken);
            }
            let ended = sent.len() < count;
            assert!(conn.cancel(handle, None));
            assert_eq!(conn.advance(now), Happened::Cancelled(handle));
            assert_eq!(conn.advance(now), Happened::NeedData);
            assert_eq!(conn.upload(handle).err(), Some(NotTaken::Ended));
            assert_eq!(conn.transmit(), if sent.is_empty() { &b""[..] } else { b"\n" }, "{count}");
            if ended {
                whole = sent;
                break;
            }
        }
        assert!(whole.ends_with("\\\"é\\n\\\"é\\n".as_bytes()), "{}", String::from_utf8_lossy(&whole));
    }
}

#[cfg(feature = "legacy")]
mod legacy {
    use umcp::mcp::ClientCapabilities;

    use super::*;
    use crate::client_support::Hook;

    const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{}}},"clientInfo":{"name":"t","version":"1"}}}"#;
    const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    const ANSWER: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26","capabilities":{}}}"#;
    const ASKED: &str = r#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?"}}"#;
    const SENT: &str =
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"flash","arguments":{"image":"\"é"#;

    fn legacy(steps: &[Step<'_>]) {
        let capabilities = ClientCapabilities { elicitation_form: true, ..ClientCapabilities::NONE };
        let config = Config { verdict: Some(Verdict::Legacy), capabilities, ..config() };
        let first = [Out(INITIALIZE), In(ANSWER), Is("connected 2025-03-26  "), Out(INITIALIZED)];
        play(config, &[&first[..], &[Do(OPEN), Do(GIVE)], steps].concat());
    }

    #[test]
    fn what_the_server_asks_waits_and_what_is_behind_it() {
        let decline: Hook = |conn, happened, _| {
            if let umcp::client::Event::Request(request) = conn.event(happened) {
                assert!(request.answer(|_| false).is_ok());
            }
        };
        let ping = r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;
        let pong = r#"{"jsonrpc":"2.0","id":"p","result":{}}"#;
        let declined = r#"{"jsonrpc":"2.0","id":"q","result":{"action":"decline"}}"#;
        let asked = r#"asked elicitation/create "q""#;
        let sent = format!("{SENT}\"}}}}}}");
        let log = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#;
        let logged = "log info - 1";
        legacy(&[On(decline), In(ping), In(log), Do(END), Is(logged), Out(&sent), Out(pong)]);
        legacy(&[On(decline), In(ASKED), In(log), Do(END), Is(asked), Is(logged), Out(&sent), Out(declined)]);
        // The deadline of the call ends the wait.
        legacy(&[On(decline), In(ASKED), At(1_000), Is("timeout 2"), Is(asked), Out(SENT), Out(declined)]);
        // In a batch as well.
        let batch = format!("[{log},{ASKED},{ping},{log}]");
        legacy(&[
            On(decline),
            In(&batch),
            Is(logged),
            Do(END),
            Is(asked),
            Is(logged),
            Out(&sent),
            Out(declined),
            Out(pong),
        ]);
    }

    #[test]
    fn one_that_is_given_up_is_not_cancelled_as_well() {
        let next = r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t1"}}"#;
        legacy(&[Do(CANCEL), Is("cancelled 2"), Out(SENT), Do(CALL), Out(next)]);
        legacy(&[At(1_000), Is("timeout 2"), Out(SENT), Do(CALL), Out(next)]);
    }
}
