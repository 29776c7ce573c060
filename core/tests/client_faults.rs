//! Faults: small buffers, full tables, streams that end anywhere, time that goes back, and servers that say anything.
#![cfg(feature = "client")]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod client_support;

use std::collections::BTreeMap;

use client_support::{CONNECTED, META, MODERN, Rig, config};
use umcp::client::{Config, Connection, Happened, Memory, Options, Refused, Verdict};
use umcp::mcp::ClientCapabilities;
use umcp::time::{Duration, Instant};

const T0: Instant = Instant::ZERO;

/// A connection to a server that is known to be modern, after its first event.
fn known<'m>(memory: umcp::client::Lent<'m>) -> Connection<'m> {
    let mut conn = Connection::line(memory, Config { verdict: Some(Verdict::Modern), ..config() });
    assert_eq!(conn.advance(T0), Happened::Connected);
    assert_eq!(conn.advance(T0), Happened::NeedData);
    conn
}

/// The length of a `ping`-like request as it is on the wire.
fn length(id: u32) -> usize {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"x","params":{{{META}}}}}"#).len() + 1
}

fn send(conn: &mut Connection<'_>, timeout: u32) -> Result<umcp::rpc::RequestHandle, Refused> {
    let options = Options { timeout: Duration::from_millis(timeout), ..Options::DEFAULT };
    conn.request("x", |_| {}, options, T0)
}

#[test]
fn a_transmit_buffer_of_one_request() {
    let mut memory: Memory<256, 300, 8> = Memory::new();
    let lent = memory.lend();
    let room = length(1);
    let (transmit, _) = lent.transmit.split_at_mut(room);
    let mut conn = known(umcp::client::Lent { transmit, ..lent });
    assert!(send(&mut conn, 100).is_ok());
    assert_eq!(conn.transmit().len(), room);
    assert_eq!(send(&mut conn, 100), Err(Refused::Busy));
    conn.transmitted(room - 1);
    assert_eq!(send(&mut conn, 100), Err(Refused::Busy));
    conn.transmitted(1);
    assert_eq!(send(&mut conn, 100).map(|handle| handle.id()), Ok(4), "ids are not used twice");
    let too_much = conn.request("xx", |_| {}, Options::DEFAULT, T0);
    assert_eq!(too_much, Err(Refused::Busy));
    conn.transmitted(room);
    let too_much = conn.request("xx", |_| {}, Options::DEFAULT, T0);
    assert_eq!(too_much, Err(Refused::Capacity { needed: room + 1 }));
}

#[test]
fn a_notice_waits_for_room() {
    let mut memory: Memory<256, 512, 1> = Memory::new();
    let lent = memory.lend();
    let (transmit, _) = lent.transmit.split_at_mut(length(1));
    let mut conn = known(umcp::client::Lent { transmit, ..lent });
    let handle = send(&mut conn, 100).expect("room");
    let late = Instant::from_millis(100);
    assert_eq!(conn.poll_at(), Some(late));
    assert_eq!(conn.advance(late), Happened::TimedOut(handle));
    assert_eq!(conn.advance(late), Happened::NeedData);
    assert_eq!(conn.transmit().len(), length(1), "the request itself has not left");
    // Its place is not given away before the server has been told.
    assert_eq!(send(&mut conn, 100), Err(Refused::Busy));
    conn.transmitted(length(1));
    assert_eq!(conn.advance(late), Happened::NeedData);
    let notice = br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(conn.transmit(), [notice, &b"\n"[..]].concat());
    conn.transmitted(notice.len() + 1);
    assert!(send(&mut conn, 100).is_ok());
}

#[test]
fn a_cancelled_request_is_reported_before_its_place_is_given_away() {
    let mut memory: Memory<256, 1024, 1> = Memory::new();
    let mut conn = known(memory.lend());
    let handle = send(&mut conn, 100).expect("room");
    assert!(conn.cancel(handle, None));
    assert_eq!(conn.poll_at(), Some(T0));
    assert_eq!(send(&mut conn, 100), Err(Refused::TableFull));
    assert_eq!(conn.advance(T0), Happened::Cancelled(handle));
    assert_eq!(conn.poll_at(), None);
    assert!(send(&mut conn, 100).is_ok());
}

#[test]
fn a_full_table_is_back_pressure() {
    let mut memory: Memory<256, 2048, 2> = Memory::new();
    let mut conn = known(memory.lend());
    let first = send(&mut conn, 100).expect("room");
    let second = send(&mut conn, 200).expect("room");
    assert_eq!(send(&mut conn, 100), Err(Refused::TableFull));
    assert_eq!(conn.advance(Instant::from_millis(150)), Happened::TimedOut(first));
    assert!(send(&mut conn, 1_000).is_ok());
    assert!(conn.is_open(second) && !conn.is_open(first));
    assert_eq!(conn.advance(Instant::from_millis(200)), Happened::TimedOut(second));
    assert_eq!(conn.advance(Instant::from_millis(200)), Happened::NeedData);
}

#[test]
fn time_that_goes_back_is_ignored() {
    let mut memory: Memory<256, 1024> = Memory::new();
    let mut conn = known(memory.lend());
    assert_eq!(conn.advance(Instant::from_millis(50)), Happened::NeedData);
    let handle = send(&mut conn, 100).expect("room");
    assert_eq!(conn.poll_at(), Some(Instant::from_millis(150)), "from the latest time that was told");
    assert_eq!(conn.advance(T0), Happened::NeedData);
    assert_eq!(conn.advance(Instant::from_millis(150)), Happened::TimedOut(handle));
}

#[test]
fn no_memory_at_all() {
    let mut memory: Memory<0, 0, 0, 0> = Memory::new();
    let mut conn = Connection::line(memory.lend(), config());
    assert!(matches!(conn.advance(T0), Happened::Failed(_)));
    assert_eq!(conn.advance(T0), Happened::NeedData);
    assert!(conn.receive_buffer().is_empty());
    conn.eof();
    assert_eq!(conn.advance(T0), Happened::Closed);
    assert_eq!(conn.advance(T0), Happened::NeedData);
}

#[test]
fn a_stream_that_ends_anywhere() {
    let answer = r#"{"jsonrpc":"2.0","id":2,"result":{}}"#;
    let all = [MODERN, "\n", answer, "\n"].concat();
    for end in 0..=all.len() {
        let mut memory: Memory<1024, 1024> = Memory::new();
        let mut rig = Rig::new(memory.lend(), config());
        let mut called = false;
        for byte in all.as_bytes()[..end].chunks(1) {
            rig.feed(byte);
            if !called && rig.conn.is_ready() {
                called = true;
                rig.act(|conn, now| assert!(conn.call("t", &(), Options::DEFAULT, now).is_ok()));
            }
        }
        rig.eof();
        let events = std::iter::from_fn(|| rig.next_event()).collect::<Vec<_>>();
        let connected = end > MODERN.len();
        let answered = end == all.len();
        let torso = !(end == 0 || end == MODERN.len() + 1 || answered);
        let mut expected = Vec::new();
        if connected {
            expected.push(CONNECTED);
        }
        if answered {
            expected.push("response 2 {}");
        }
        if torso {
            expected.push("ignored Torso");
        }
        match (connected, answered) {
            (false, _) => expected.push("probe exited"),
            (true, false) => expected.push("lost 2 Closed"),
            (true, true) => {}
        }
        expected.push("closed");
        assert_eq!(events, expected, "at byte {end}");
    }
}

#[test]
#[cfg(feature = "legacy")]
fn an_answer_to_the_server_waits_for_room() {
    let mut memory: Memory<512, 180> = Memory::new();
    let config = Config { verdict: Some(Verdict::Legacy), ..config() };
    let mut rig = Rig::new(memory.lend(), config);
    rig.feed(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-06-18\"}}\n");
    while rig.next_event().is_some() || rig.next_sent().is_some() {}
    let Rig { mut conn, .. } = rig;
    let name = "x".repeat(100);
    assert!(conn.request(&name, |_| {}, Options::DEFAULT, T0).is_ok());
    let ping = b"{\"jsonrpc\":\"2.0\",\"id\":\"srv\",\"method\":\"ping\"}\n";
    conn.receive_buffer()[..ping.len()].copy_from_slice(ping);
    conn.commit(ping.len());
    assert_eq!(conn.advance(T0), Happened::NeedData);
    let waiting = conn.transmit().len();
    conn.transmitted(waiting);
    assert_eq!(conn.advance(T0), Happened::NeedData);
    assert_eq!(conn.transmit(), b"{\"jsonrpc\":\"2.0\",\"id\":\"srv\",\"result\":{}}\n");
    // One that never fits is given up, and said to be.
    let waiting = conn.transmit().len();
    conn.transmitted(waiting);
    let ping = format!("{{\"jsonrpc\":\"2.0\",\"id\":{:?},\"method\":\"ping\"}}\n", "s".repeat(200));
    conn.receive_buffer()[..ping.len()].copy_from_slice(ping.as_bytes());
    conn.commit(ping.len());
    assert_eq!(conn.advance(T0), Happened::Ignored(umcp::client::Ignored::Unanswerable));
    assert_eq!(conn.advance(T0), Happened::NeedData);
}

#[test]
#[cfg(feature = "legacy")]
fn a_request_does_not_overtake_the_handshake() {
    let mut memory: Memory<512, 160> = Memory::new();
    let config = Config { verdict: Some(Verdict::Legacy), ..config() };
    let mut conn = Connection::line(memory.lend(), config);
    assert_eq!(conn.advance(T0), Happened::NeedData);
    // The answer comes before the question has left, so that there is no room for what follows it.
    let answer = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-06-18\"}}\n";
    conn.receive_buffer()[..answer.len()].copy_from_slice(answer);
    conn.commit(answer.len());
    assert_eq!(conn.advance(T0), Happened::Connected);
    assert_eq!(conn.ping(Options::DEFAULT, T0), Err(Refused::Busy));
    let waiting = conn.transmit().len();
    conn.transmitted(waiting);
    assert!(conn.ping(Options::DEFAULT, T0).is_ok());
    assert!(conn.transmit().starts_with(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#));
}

/// A small pseudo-random generator (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below as u64) as usize
    }
}

const ABLE: ClientCapabilities =
    ClientCapabilities { roots: true, sampling: true, elicitation_form: true, ..ClientCapabilities::NONE };

/// Lines that a server might write; `$` is a small number.
const LINES: [&str; 26] = [
    r#"{"jsonrpc":"2.0","id":$,"result":{}}"#,
    r#"{"jsonrpc":"2.0","id":$,"result":{"resultType":"complete","nextCursor":"c"}}"#,
    r#"{"jsonrpc":"2.0","id":$,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"requestState":"s"}}"#,
    r#"{"jsonrpc":"2.0","id":$,"result":{"resultType":"odd"}}"#,
    r#"{"jsonrpc":"2.0","id":$,"result":{"supportedVersions":["2026-07-28"]}}"#,
    r#"{"jsonrpc":"2.0","id":$,"result":{"protocolVersion":"2025-03-26","capabilities":{"resources":{"subscribe":true}}}}"#,
    r#"{"jsonrpc":"2.0","id":$,"error":{"code":-32022,"message":"v","data":{"supported":["2026-07-28"]}}}"#,
    r#"{"jsonrpc":"2.0","id":$,"error":{"code":-32601,"message":"m"}}"#,
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#,
    r#"{"jsonrpc":"2.0","id":"$","result":{}}"#,
    r#"{"jsonrpc":"2.0","id":$}"#,
    r#"{"jsonrpc":"2.0","id":$,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":$,"method":"roots/list"}"#,
    r#"{"jsonrpc":"2.0","id":$,"method":"elicitation/create","params":{}}"#,
    r#"{"jsonrpc":"2.0","id":$,"method":5}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":$,"progress":$}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":$}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":$}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":$}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":$}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:1"}}"#,
    r#"[{"jsonrpc":"2.0","id":$,"result":{}},{"jsonrpc":"2.0","id":$,"method":"roots/list"},{"jsonrpc":"2.0","id":$,"method":"ping"}]"#,
    r#"{"jsonrpc":"2.0","id":$,"result":{"text":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}}"#,
    "noise $",
    "",
    "[]",
];

/// Whatever a server says, whenever: every request ends exactly once, and everything comes to rest.
#[test]
fn every_request_ends_exactly_once() {
    for seed in 1..=3_000 {
        let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ (seed * 0x1234_5677));
        let mut memory: Memory<256, 600, 3, 2> = Memory::new();
        let verdict = [None, Some(Verdict::Modern), Some(Verdict::Legacy)][dice.roll(3)];
        let mut conn = Connection::line(memory.lend(), Config { verdict, capabilities: ABLE, ..config() });
        let mut open = BTreeMap::new();
        let mut now = 0;
        for _ in 0..60 {
            match dice.roll(8) {
                0 => now += dice.roll(8_000) as u64,
                1 | 2 => {
                    let options = Options {
                        timeout: Duration::from_millis(dice.roll(10_000) as u32),
                        max_timeout: None,
                        progress: dice.roll(2) == 0,
                        items: dice.roll(2) == 0,
                    };
                    let at = Instant::from_millis(now);
                    let sent = match dice.roll(3) {
                        0 => conn.call("t", &(), options, at),
                        1 => conn.listen(
                            &umcp::client::ListenFilter {
                                tools: true,
                                uris: &["a:1"][..dice.roll(2)],
                                ..Default::default()
                            },
                            options,
                            at,
                        ),
                        _ => conn.read_resource("a:1", options, at),
                    };
                    if let Ok(handle) = sent {
                        assert_eq!(open.insert(handle.id(), handle), None, "an id is used twice");
                    }
                }
                3 => {
                    if let Some((_, &handle)) = open.iter().nth(dice.roll(4)) {
                        let _ = conn.cancel(handle, Some("r"))
                            || conn.close_listen(handle, &[], Instant::from_millis(now)).is_ok();
                    }
                }
                _ => {
                    let line = LINES[dice.roll(LINES.len())].replace('$', &dice.roll(8).to_string()) + "\n";
                    let mut bytes = line.as_bytes();
                    while !bytes.is_empty() {
                        settle(&mut conn, now, &mut open, &mut dice);
                        let room = conn.receive_buffer();
                        let count = room.len().min(bytes.len()).min(dice.0 as usize % 40 + 1);
                        room[..count].copy_from_slice(&bytes[..count]);
                        conn.commit(count);
                        bytes = &bytes[count..];
                        // Where an answer waits for room, what waits before it has to leave.
                        let leaving = conn.transmit().len();
                        conn.transmitted(leaving);
                    }
                }
            }
            settle(&mut conn, now, &mut open, &mut dice);
        }
        conn.eof();
        settle(&mut conn, now, &mut open, &mut dice);
        assert!(open.is_empty(), "seed {seed}: {open:?} never ended");
        assert_eq!(conn.poll_at(), None, "seed {seed}");
    }
}

fn settle(conn: &mut Connection<'_>, now: u64, open: &mut BTreeMap<u32, umcp::rpc::RequestHandle>, dice: &mut Dice) {
    let now = Instant::from_millis(now);
    for _ in 0..200 {
        let happened = conn.advance(now);
        match happened {
            Happened::NeedData => {
                if let Some(at) = conn.poll_at() {
                    assert!(at > now, "it wants to be called at once");
                }
                let leaving = conn.transmit().len();
                if dice.roll(3) == 0 || leaving == 0 {
                    return;
                }
                conn.transmitted(dice.roll(leaving + 1));
                continue;
            }
            Happened::Response(handle)
            | Happened::Error(handle)
            | Happened::TimedOut(handle)
            | Happened::Cancelled(handle)
            | Happened::Lost(handle, _)
            | Happened::ListenEnded(handle, _) => {
                assert_eq!(open.remove(&handle.id()), Some(handle), "{happened:?}: ended twice");
            }
            Happened::InputRequired(handle) => {
                assert_eq!(open.remove(&handle.id()), Some(handle), "{happened:?}: ended twice");
                let params = umcp::client::params::call("t", &());
                let answer = |_: umcp::client::Input<'_>, w: &mut umcp::json::Writer<'_>| {
                    w.begin_object().end_object();
                    true
                };
                if let Ok(handle) = conn.retry(umcp::mcp::Method::CallTool, params, answer, Options::DEFAULT, now) {
                    assert_eq!(open.insert(handle.id(), handle), None);
                }
            }
            _ => {}
        }
        let event = conn.event(happened);
        assert!(!matches!(event, umcp::client::Event::NeedData), "{happened:?} has no view");
    }
    panic!("it does not come to rest");
}
