//! A modern server: the probe, requests, and what closes a stream.

use umcp::client::{Config, ListenFilter, Options, Refused, Verdict, params};
use umcp::http::client::Connection;
use umcp::mcp::{ClientCapabilities, Method};
use umcp::time::{Duration, Instant};

use crate::rig::{MODERN, Step, config, events, json, play, stream};
use Step::{At, Do, Eof, In, Log, On, Unreachable};

pub(crate) const PROBE: &[&str] = &["open", "POST server/discover 2026-07-28"];
const CONNECTED: &[&str] = &["connected 2026-07-28 s 2"];
pub(crate) const KNOWN: Step<'static> = Log(&["connected 2026-07-28  "]);

fn call(conn: &mut Connection<'_>, now: Instant) {
    let options = Options { timeout: Duration::from_millis(500), ..Options::DEFAULT };
    conn.send(|engine| engine.call("t1", &(), options, now)).expect("sent");
}

pub(crate) fn known() -> Config<'static> {
    Config { verdict: Some(Verdict::Modern), ..config() }
}

fn listen(conn: &mut Connection<'_>, now: Instant) {
    let filter = ListenFilter { tools: true, ..ListenFilter::default() };
    conn.send(|engine| engine.listen(&filter, Options::DEFAULT, now)).expect("sent");
}

pub(crate) const CALL: &[&str] = &["POST tools/call 2026-07-28 Mcp-Name=t1"];
const RESULT: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#;

fn result(id: u32) -> String {
    RESULT.replace("ID", &id.to_string())
}

#[test]
fn a_stream_is_used_again() {
    play(
        config(),
        &[
            Log(PROBE),
            In(&json("200 OK", MODERN)),
            Log(CONNECTED),
            Do(call),
            Log(CALL),
            In(&json("200 OK", &result(2))),
            Log(&[r#"response 2 {"content":[]}"#]),
            Do(call),
            Log(CALL),
            In(&events(&format!("event: message\ndata: {}\n\n", result(3)))),
            Log(&[r#"response 3 {"content":[]}"#]),
            Do(call),
            Log(CALL),
            In(&other_case(&json("200 OK", &result(4)))),
            Log(&[r#"response 4 {"content":[]}"#]),
        ],
    );
}

/// With headers and media types in another case.
fn other_case(reply: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(reply.to_vec()).expect("UTF-8");
    text.replace("Content-", "cOnTeNt-").replace("application/json", "Application/Json; charset=utf-8").into_bytes()
}

#[test]
fn a_stream_that_will_be_closed_is_not_used_again() {
    let closing = |body: &str| {
        format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\n\r\n{body}").into_bytes()
    };
    play(
        config(),
        &[
            Log(PROBE),
            In(&closing(MODERN)),
            Eof,
            Log(CONNECTED),
            Do(call),
            Log(&["open", CALL[0]]),
            In(&closing(&result(2))),
            Eof,
            Log(&[r#"response 2 {"content":[]}"#]),
        ],
    );
}

#[test]
fn a_stream_that_was_closed_while_idle_is_opened_again() {
    play(
        known(),
        &[
            KNOWN,
            Do(call),
            Log(&["open", CALL[0]]),
            In(&json("200 OK", &result(1))),
            Log(&[r#"response 1 {"content":[]}"#]),
            Eof,
            Do(call),
            Log(&["open", CALL[0]]),
            In(&json("200 OK", &result(2))),
            // The server says why before it closes.
            In(b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n"),
            Log(&[r#"response 2 {"content":[]}"#, "close"]),
            Do(call),
            Log(&["open", CALL[0]]),
        ],
    );
}

#[test]
fn a_stream_that_is_closed_instead_of_an_answer() {
    play(
        known(),
        &[
            KNOWN,
            Do(call),
            Log(&["open", CALL[0]]),
            In(&json("200 OK", &result(1))),
            Log(&[r#"response 1 {"content":[]}"#]),
            Do(call),
            Log(CALL),
            Eof,
            Log(&["lost 2 Unanswered"]),
            Do(call),
            Log(&["open", CALL[0]]),
            Eof,
            Log(&["lost 3 Closed"]),
        ],
    );
}

#[test]
fn a_timeout_closes_the_stream() {
    play(
        known(),
        &[
            KNOWN,
            Do(call),
            Log(&["open", CALL[0]]),
            In(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: wait\n\n"),
            At(499),
            Log(&[]),
            At(500),
            Log(&["timeout 1", "close"]),
            Do(call),
            Log(&["open", CALL[0]]),
        ],
    );
}

#[test]
fn so_does_giving_up() {
    play(
        known(),
        &[
            KNOWN,
            Do(call),
            Log(&["open", CALL[0]]),
            Do(|conn, _| {
                let handle = conn.in_flight().expect("in flight");
                assert!(conn.cancel(handle, None) && !conn.cancel(handle, None));
            }),
            Log(&["cancelled 1", "close"]),
        ],
    );
}

#[test]
fn one_request_at_a_time() {
    play(
        known(),
        &[
            KNOWN,
            Do(call),
            Do(|conn, now| {
                assert_eq!(conn.send(|e| e.call("t1", &(), Options::DEFAULT, now)), Err(Refused::Busy));
            }),
            Log(&["open", CALL[0]]),
            Do(|conn, now| {
                assert_eq!(conn.send(|e| e.call("t1", &(), Options::DEFAULT, now)), Err(Refused::Busy));
            }),
            In(&json("200 OK", &result(1))),
            Log(&[r#"response 1 {"content":[]}"#]),
            Do(call),
            Log(CALL),
        ],
    );
}

#[test]
fn a_reply_that_does_not_end_behind_its_answer_is_left() {
    play(
        known(),
        &[
            KNOWN,
            Do(call),
            Log(&["open", CALL[0]]),
            In(&stream(&format!("data: {}\n\n", result(1)))),
            Log(&[r#"response 1 {"content":[]}"#]),
            Do(call),
            Log(&[]),
            At(99),
            Log(&[]),
            At(100),
            Log(&["close", "open", CALL[0]]),
            In(&stream(&format!("data: {}\n\n", result(2)))),
            Log(&[r#"response 2 {"content":[]}"#]),
            Do(call),
            At(150),
            In(b"0\r\n\r\n"),
            Log(&[CALL[0]]),
        ],
    );
}

#[test]
fn an_unreachable_server() {
    play(config(), &[Log(PROBE), In(b"HTTP/1.1 200 OK\r\n"), Eof, Log(&["failed Handshake(Closed) "])]);
    play(known(), &[KNOWN, Unreachable, Do(call), Log(&["lost 1 Closed"]), Do(call), Log(&["lost 2 Closed"])]);
}

#[test]
fn questions_are_answered_in_another_request() {
    const ABLE: ClientCapabilities = ClientCapabilities { roots: true, ..ClientCapabilities::NONE };
    let asked = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"requestState":"x"}}"#;
    play(
        Config { capabilities: ABLE, ..known() },
        &[
            KNOWN,
            Do(call),
            Log(&["open", CALL[0]]),
            On(|conn, happened, now| {
                if matches!(happened, umcp::client::Happened::InputRequired(_)) {
                    let retried = conn.send(|engine| {
                        engine.retry(
                            Method::CallTool,
                            params::call("t1", &()),
                            |_, w| {
                                w.begin_object().end_object();
                                true
                            },
                            Options::DEFAULT,
                            now,
                        )
                    });
                    assert!(retried.is_ok());
                }
            }),
            In(&json("200 OK", asked)),
            Log(&["input 1 a=roots/list \"x\"", CALL[0]]),
            In(&json("200 OK", &result(2))),
            Log(&[r#"response 2 {"content":[]}"#]),
        ],
    );
}

#[test]
fn a_subscription_is_a_reply_that_goes_on() {
    const ACK: &str = r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"notifications":{}}}"#;
    const CHANGED: &str = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}"#;
    let begun = stream(&format!(":\n\ndata: {ACK}\n\ndata: {CHANGED}\n\n"));
    let open = [
        KNOWN,
        Do(listen),
        Log(&["open", "POST subscriptions/listen 2026-07-28"]),
        In(&begun),
        Log(&["begun 1 {}", "changed 1 Tools"]),
        At(100_000),
        Do(|conn, now| {
            assert_eq!(conn.send(|e| e.call("t1", &(), Options::DEFAULT, now)), Err(Refused::Busy));
        }),
        Log(&[]),
    ];
    let ends: [&[Step<'_>]; 3] = [
        &[Eof, Log(&["ended 1 Lost"]), Do(listen), Log(&["open", "POST subscriptions/listen 2026-07-28"])],
        &[
            In(b"2e\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n:\n\r\n0\r\n\r\n"),
            Log(&["ended 1 Graceful"]),
            Do(call),
            Log(CALL),
        ],
        &[
            Do(|conn, now| {
                let handle = conn.in_flight().expect("in flight");
                conn.close_listen(handle, &[], now).expect("open");
            }),
            Log(&["ended 1 Closed", "close"]),
        ],
    ];
    for end in ends {
        play(known(), &[&open[..], end].concat());
    }
}
