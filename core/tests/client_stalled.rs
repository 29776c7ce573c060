//! A server that takes nothing any longer: time goes on all the same, and everything ends.
#![cfg(feature = "client")]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod client_support;

use client_support::{MODERN, config, say};
use umcp::client::{Connection, ListenFilter, Memory, Options, Refused};
use umcp::rpc::RequestHandle;
use umcp::time::Instant;

const fn at(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

fn feed(conn: &mut Connection<'_>, line: &str) {
    let bytes = [line.as_bytes(), b"\n"].concat();
    conn.receive_buffer()[..bytes.len()].copy_from_slice(&bytes);
    conn.commit(bytes.len());
}

fn leave(conn: &mut Connection<'_>) -> String {
    let sent = String::from_utf8(conn.transmit().to_vec()).expect("UTF-8");
    conn.transmitted(sent.len());
    sent
}

/// What happens until `now`, with nothing leaving.
fn events(conn: &mut Connection<'_>, now: Instant) -> Vec<String> {
    let mut events = Vec::new();
    loop {
        let event = say(conn.next_event(now));
        if event == "nothing" {
            assert!(conn.poll_at().is_none_or(|at| at > now), "it wants to be called again for ever");
            return events;
        }
        events.push(event);
    }
}

/// By which the server is told that a request was given up.
fn notice(id: u32) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{id}}}}}\n")
}

fn call(conn: &mut Connection<'_>, now: Instant) -> Result<RequestHandle, Refused> {
    conn.call("t1", &(), Options::DEFAULT, now)
}

#[test]
#[cfg(feature = "legacy")]
fn a_handshake_that_cannot_leave_ends() {
    let mut memory: Memory<1024, 400> = Memory::new();
    let mut conn = Connection::line(memory.lend(), config());
    assert!(events(&mut conn, at(0)).is_empty());
    // The probe has not left. The time of `initialize` begins where that of the probe ends, whether it can leave or not.
    assert!(events(&mut conn, at(5_000)).is_empty());
    assert_eq!(conn.poll_at(), Some(at(35_000)));
    assert!(events(&mut conn, at(34_999)).is_empty());
    assert_eq!(events(&mut conn, at(35_000)), ["failed HandshakeTimedOut "]);
    assert_eq!(conn.poll_at(), None);
}

#[test]
#[cfg(feature = "legacy")]
fn an_answer_that_cannot_leave_stops_no_clock() {
    let mut memory: Memory<1024, 170> = Memory::new();
    let config = umcp::client::Config { verdict: Some(umcp::client::Verdict::Legacy), ..config() };
    let mut conn = Connection::line(memory.lend(), config);
    assert!(events(&mut conn, at(0)).is_empty());
    leave(&mut conn);
    feed(&mut conn, r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}"#);
    assert_eq!(events(&mut conn, at(0)), ["connected 2025-11-25  "]);
    leave(&mut conn);

    let first = call(&mut conn, at(0)).expect("sent");
    let second = call(&mut conn, at(1)).expect("sent");
    feed(&mut conn, r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#);
    feed(&mut conn, r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
    assert!(events(&mut conn, at(2)).is_empty(), "the answer to the ping waits, and what came after it");
    assert!(conn.cancel(second, None));
    assert_eq!(events(&mut conn, at(3)), ["cancelled 3"]);
    assert_eq!(events(&mut conn, at(30_000)), ["timeout 2"]);
    assert!(!conn.is_open(first));

    leave(&mut conn);
    assert_eq!(events(&mut conn, at(30_000)), ["ignored Late"]);
    let mut sent = leave(&mut conn);
    assert!(events(&mut conn, at(30_000)).is_empty());
    sent += &leave(&mut conn);
    let answer = "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{}}\n";
    assert_eq!(sent, [answer, &notice(2), &notice(3)].concat());
}

#[test]
fn a_subscription_that_is_closed_ends_before_the_server_knows() {
    let mut memory: Memory<1024, 320, 4, 1> = Memory::new();
    let mut conn = Connection::line(memory.lend(), config());
    events(&mut conn, at(0));
    leave(&mut conn);
    feed(&mut conn, MODERN);
    assert_eq!(events(&mut conn, at(0)).len(), 1);
    let filter = ListenFilter { tools: true, ..ListenFilter::default() };
    let handle = conn.listen(&filter, Options::DEFAULT, at(0)).expect("sent");
    leave(&mut conn);
    feed(
        &mut conn,
        r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2},"notifications":{}}}"#,
    );
    assert_eq!(events(&mut conn, at(0)), ["begun 2 {}"]);

    let waiting = call(&mut conn, at(0)).expect("sent");
    assert!(conn.transmit().len() + notice(2).len() > 320, "there is no room for the notice");
    conn.close_listen(handle, &[], at(0)).expect("it is open");
    assert_eq!(events(&mut conn, at(0)), ["ended 2 Closed"]);
    assert!(!conn.is_open(handle));
    assert_eq!(conn.close_listen(handle, &[], at(0)), Err(Refused::NothingHeld));
    assert_eq!(conn.listen(&filter, Options::DEFAULT, at(0)), Err(Refused::Busy), "its place is in use until then");

    leave(&mut conn);
    assert!(events(&mut conn, at(0)).is_empty());
    assert_eq!(leave(&mut conn), notice(2));
    assert!(conn.listen(&filter, Options::DEFAULT, at(0)).is_ok());
    conn.eof();
    assert_eq!(events(&mut conn, at(0)), [&format!("lost {} Closed", waiting.id()), "ended 4 Lost", "closed"]);
}
