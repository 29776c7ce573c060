//! Legacy servers: the handshake, sessions, streams that go on, questions, and 2024-11-05.

use umcp::client::{Config, Event, Happened, ListenFilter, Options, Refused, Upload, Verdict};
use umcp::http::client::{Connection, Idle};
use umcp::mcp::ClientCapabilities;
use umcp::time::{Duration, Instant};

use crate::modern::PROBE;
use crate::rig::{Step, config, events, json, play, stream};
use Step::{At, Do, Eof, In, Log, On, Unaccepted};

const ABLE: ClientCapabilities = ClientCapabilities { roots: true, ..ClientCapabilities::NONE };

fn legacy() -> Config<'static> {
    Config { verdict: Some(Verdict::Legacy), capabilities: ABLE, ..config() }
}

fn text(status: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nContent-Length: 1\r\n\r\nx").into_bytes()
}

const ACCEPTED: &[u8] = b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";

fn initialized(id: u32, session: &str) -> Vec<u8> {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":"2025-06-18","capabilities":{{"resources":{{"subscribe":true}}}}}}}}"#
    );
    let reply = String::from_utf8(json("200 OK", &body)).expect("UTF-8");
    reply.replacen("\r\n", &format!("\r\n{session}"), 1).into_bytes()
}

const SESSION: &str = "mcp-session-id: abc\r\n";
const CONNECTED: &str = "connected 2025-06-18  ";
const INITIALIZED: &str = "POST notifications/initialized 2025-06-18 Mcp-Session-Id=abc";
const CALL: &str = "POST tools/call 2025-06-18 Mcp-Session-Id=abc";

/// Up to where requests can be sent, in a session.
fn begun() -> [Vec<u8>; 2] {
    [initialized(1, SESSION), ACCEPTED.to_vec()]
}

fn call(conn: &mut Connection<'_>, now: Instant) {
    let options = Options { timeout: Duration::from_millis(5_000), ..Options::DEFAULT };
    conn.send(|engine| engine.call("t1", &(), options, now)).expect("sent");
}

fn result(id: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
}

/// A chunk of a stream that is open already.
fn chunk(text: &str) -> Vec<u8> {
    format!("{:x}\r\n{text}\r\n", text.len()).into_bytes()
}

/// The steps of a connection that is in a session, and then these.
fn in_session(config: Config<'_>, steps: &[Step<'_>]) {
    let [handshake, accepted] = begun();
    let before =
        [Log(&["open", "POST initialize -"]), In(&handshake), Log(&[CONNECTED, INITIALIZED]), In(&accepted), Log(&[])];
    play(config, &[&before, steps].concat());
}

#[test]
fn after_the_probe_comes_the_handshake() {
    for refusal in
        [text("400 Bad Request"), text("404 Not Found"), text("405 Method Not Allowed"), json("200 OK", "{}")]
    {
        play(
            config(),
            &[
                Log(PROBE),
                In(&refusal),
                // That an object is no message is reported.
                Do(|_, _| {}),
                On(|_, _, _| {}),
                Log(if refusal.ends_with(b"{}") {
                    &["ignored NotAMessage(Version)", "POST initialize -"]
                } else {
                    &["POST initialize -"]
                }),
                In(&initialized(2, "")),
                Log(&[CONNECTED, "POST notifications/initialized 2025-06-18"]),
                In(ACCEPTED),
                Do(call),
                Log(&["POST tools/call 2025-06-18"]),
            ],
        );
    }
}

#[test]
fn a_stream_that_is_closed_behind_the_refusal_is_opened_again() {
    play(
        config(),
        &[
            Log(PROBE),
            In(&text("400 Bad Request")),
            Log(&["POST initialize -"]),
            Eof,
            Log(&["open", "POST initialize -"]),
            In(&initialized(3, "")),
            Log(&[CONNECTED, "POST notifications/initialized 2025-06-18"]),
        ],
    );
}

#[test]
fn a_session_is_named_in_every_request_and_ended() {
    for (reply, _) in [(text("200 OK"), 0), (text("405 No"), 1), (text("500 No"), 2)] {
        in_session(
            legacy(),
            &[
                Do(call),
                Log(&[CALL]),
                In(&json("200 OK", &result(2))),
                Log(&["response 2 {}"]),
                Do(|conn, _| conn.close()),
                Log(&["DELETE - 2025-06-18 Mcp-Session-Id=abc"]),
                Do(|conn, _| assert!(conn.has_session())),
                In(&reply),
                Log(&[]),
                Do(|conn, _| assert!(!conn.has_session())),
            ],
        );
    }
}

#[test]
fn what_is_no_session_ends_the_handshake() {
    let long = format!("mcp-session-id: {}\r\n", "x".repeat(129));
    for (session, why) in [(long.as_str(), "SessionTooLong"), ("mcp-session-id: a b\r\n", "Malformed")] {
        let failed = format!("failed Handshake({why}) ");
        let reply = initialized(1, session);
        play(legacy(), &[Log(&["open", "POST initialize -"]), In(&reply), Log(&[&failed, "close"])]);
    }
}

#[test]
fn a_session_that_cannot_be_ended_is_forgotten() {
    in_session(
        legacy(),
        &[
            Do(|conn, _| conn.close()),
            Log(&["DELETE - 2025-06-18 Mcp-Session-Id=abc"]),
            At(4_999),
            Log(&[]),
            At(5_000),
            Log(&["close"]),
            Do(|conn, _| assert!(!conn.has_session())),
        ],
    );
}

#[test]
fn a_session_that_is_gone_is_begun_anew_once() {
    let gone =
        json("404 Not Found", r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}"#);
    in_session(
        legacy(),
        &[
            Do(call),
            Log(&[CALL]),
            In(&gone),
            Log(&["lost 2 SessionGone", "POST initialize -"]),
            In(&initialized(3, "mcp-session-id: def\r\n")),
            Log(&[CONNECTED, "POST notifications/initialized 2025-06-18 Mcp-Session-Id=def"]),
            In(ACCEPTED),
            Do(call),
            Log(&["POST tools/call 2025-06-18 Mcp-Session-Id=def"]),
            In(&gone),
            Log(&["lost 4 Status(404)"]),
            Do(call),
            Log(&["POST tools/call 2025-06-18 Mcp-Session-Id=def"]),
            In(&json("200 OK", &result(5))),
            Log(&["response 5 {}"]),
            Do(call),
            Log(&["POST tools/call 2025-06-18 Mcp-Session-Id=def"]),
            In(&gone),
            Log(&["lost 6 SessionGone", "POST initialize -"]),
        ],
    );
}

#[test]
fn a_notification_may_stay_without_a_reply() {
    play(
        legacy(),
        &[
            Log(&["open", "POST initialize -"]),
            In(&initialized(1, SESSION)),
            Log(&[CONNECTED, INITIALIZED]),
            At(4_999),
            Log(&[]),
            At(5_000),
            Log(&["close"]),
            Do(call),
            Log(&["open", CALL]),
        ],
    );
}

#[test]
fn giving_up_is_said_in_a_message() {
    in_session(
        legacy(),
        &[
            Do(call),
            Log(&[CALL]),
            In(&stream(":\n\n")),
            At(5_000),
            Log(&["timeout 2", "close", "open", "POST notifications/cancelled 2025-06-18 Mcp-Session-Id=abc"]),
            In(ACCEPTED),
            Do(call),
            Log(&[CALL]),
        ],
    );
}

#[test]
fn a_reply_goes_on_after_the_time_that_the_server_says() {
    let begun = events("id: event-1\nretry: 500\ndata: \n\n");
    in_session(
        legacy(),
        &[
            Do(call),
            Log(&[CALL]),
            In(&begun),
            Log(&[]),
            At(499),
            Log(&[]),
            At(500),
            Log(&["GET - 2025-06-18 Mcp-Session-Id=abc Last-Event-ID=event-1"]),
            // It breaks off once more, before anything new.
            In(&stream(":\n\n")),
            Eof,
            At(999),
            Log(&[]),
            At(1_000),
            Log(&["open", "GET - 2025-06-18 Mcp-Session-Id=abc Last-Event-ID=event-1"]),
            In(&stream(&format!("id: event-2\ndata: {}\n\n", result(2)))),
            Log(&["response 2 {}"]),
            At(1_100),
            Log(&["close"]),
        ],
    );
}

#[test]
fn a_reply_that_cannot_go_on() {
    in_session(
        legacy(),
        &[
            Do(call),
            Log(&[CALL]),
            In(&events("data: \n\n")),
            Log(&["lost 2 NoResponse"]),
            Do(call),
            Log(&[CALL]),
            In(&events("id: 7\ndata: \n\n")),
            At(1_000),
            Log(&["GET - 2025-06-18 Mcp-Session-Id=abc Last-Event-ID=7"]),
            In(&text("405 Method Not Allowed")),
            Log(&["lost 3 Status(405)"]),
            Do(call),
            Log(&[CALL]),
            In(&events("id: 8\nretry: 9999\ndata: \n\n")),
            At(6_000),
            Log(&["timeout 4", "POST notifications/cancelled 2025-06-18 Mcp-Session-Id=abc"]),
        ],
    );
}

#[test]
fn a_question_in_a_reply_is_answered_on_another_stream() {
    let ping = r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;
    let roots = r#"{"jsonrpc":"2.0","id":9,"method":"roots/list"}"#;
    in_session(
        legacy(),
        &[
            Do(call),
            Log(&[CALL]),
            In(&stream(&format!("data: {ping}\n\n"))),
            Log(&["errand POST answer 2025-06-18 Mcp-Session-Id=abc"]),
            On(|conn, happened, _| {
                if let Event::Request(request) = conn.event(happened) {
                    let answered = request.answer(|w| {
                        w.begin_object().key("roots").begin_array().end_array().end_object();
                        true
                    });
                    assert_eq!(answered, Ok(()));
                }
            }),
            In(&chunk(&format!("data: {roots}\n\n"))),
            Log(&["asked roots/list 9", "errand POST answer 2025-06-18 Mcp-Session-Id=abc"]),
            In(&chunk(&format!("data: {}\n\n", result(2)))),
            Log(&["response 2 {}"]),
        ],
    );
}

fn subscribe(conn: &mut Connection<'_>, now: Instant) {
    let filter = ListenFilter { uris: &["a:1", "a:2"], ..ListenFilter::default() };
    conn.send(|engine| engine.listen(&filter, Options::DEFAULT, now)).expect("sent");
}

const SUBSCRIBE: &str = "POST resources/subscribe 2025-06-18 Mcp-Session-Id=abc";
const GET: &str = "GET - 2025-06-18 Mcp-Session-Id=abc";

#[test]
fn a_subscription_listens_while_nothing_else_is_asked() {
    let updated = r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:1"}}"#;
    in_session(
        legacy(),
        &[
            Do(subscribe),
            Log(&[SUBSCRIBE]),
            In(&json("200 OK", &result(2))),
            Log(&[SUBSCRIBE]),
            In(&json("200 OK", &result(3))),
            Log(&["begun 2 ", GET]),
            In(&stream(&format!("id: 4\ndata: {updated}\n\n"))),
            Log(&["updated - a:1"]),
            Do(call),
            Log(&["close", "open", CALL]),
            In(&json("200 OK", &result(4))),
            Log(&["response 4 {}", &format!("{GET} Last-Event-ID=4")]),
            // Less than the least there is.
            In(&events(&format!("retry: 7\nid: 5\ndata: {updated}\n\n"))),
            Log(&["updated - a:1"]),
            At(99),
            Log(&[]),
            At(100),
            Log(&[&format!("{GET} Last-Event-ID=5")]),
            Do(|conn, now| {
                let handle = conn.send(|_| Ok(())).map(|()| now);
                assert_eq!(handle, Ok(now));
            }),
        ],
    );
}

#[test]
fn a_server_without_a_stream_to_listen_on_is_not_asked_again() {
    for refusal in [text("405 Method Not Allowed"), text("404 Not Found"), text("400 Bad"), json("200 OK", "{}")] {
        in_session(
            legacy(),
            &[
                Do(|conn, _| conn.listen_when_idle(Idle::Always)),
                Log(&[GET]),
                In(&refusal),
                Log(&[]),
                Do(|conn, _| assert_eq!(conn.is_listening_when_idle(), None)),
                At(100_000),
                Do(call),
                Log(&[CALL]),
                In(&json("200 OK", &result(2))),
                Log(&["response 2 {}"]),
            ],
        );
    }
}

#[test]
fn another_stream_that_has_not_ended_is_waited_for() {
    in_session(
        legacy(),
        &[
            Do(|conn, _| conn.listen_when_idle(Idle::Always)),
            Log(&[GET]),
            In(&text("409 Conflict")),
            At(999),
            Log(&[]),
            At(1_000),
            Log(&[GET]),
            In(&stream(":\n\n")),
            Do(|conn, _| assert_eq!(conn.is_listening_when_idle(), Some(true))),
            Do(|conn, _| conn.listen_when_idle(Idle::Never)),
            Log(&["close"]),
        ],
    );
}

#[test]
fn a_server_of_2024_11_05() {
    let endpoint = stream("event: endpoint\ndata: /messages?id=1\n\n");
    let answer = r#"{"jsonrpc":"2.0","id":3,"result":{"protocolVersion":"2024-11-05","capabilities":{}}}"#;
    let ping = r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;
    let connected = [
        Log(PROBE),
        In(&text("405 Method Not Allowed")),
        Log(&["POST initialize -"]),
        In(&text("404 Not Found")),
        Log(&["GET - -"]),
        In(&endpoint),
        Log(&["errand POST initialize - at /messages?id=1"]),
        In(&chunk(&format!("event: message\ndata: {answer}\n\n"))),
        Log(&["connected 2024-11-05  ", "errand POST notifications/initialized - at /messages?id=1"]),
        Do(call),
        Log(&["errand POST tools/call - at /messages?id=1"]),
        In(&chunk(&format!("data: {ping}\n\n"))),
        Log(&["errand POST answer - at /messages?id=1"]),
        In(&chunk(&format!("data: {}\n\n", result(4)))),
        Log(&["response 4 {}"]),
        Do(call),
        Log(&["errand POST tools/call - at /messages?id=1"]),
    ];
    let ends: [&[Step<'_>]; 3] = [
        &[Eof, Log(&["lost 5 Closed", "closed"])],
        &[At(5_000), Log(&["timeout 5", "errand POST notifications/cancelled - at /messages?id=1"])],
        &[
            In(&chunk(&format!("data: {}\n\n", result(5)))),
            Log(&["response 5 {}"]),
            Unaccepted,
            Do(call),
            Log(&["errand POST tools/call - at /messages?id=1", "lost 6 Closed"]),
            // Each message leaves as a whole on a stream of its own.
            Do(|conn, now| {
                let upload = Upload::text("image", Some(1));
                let refused = conn.send(|engine| engine.call_open("flash", &(), upload, Options::DEFAULT, now));
                assert_eq!(refused, Err(Refused::Unsupported));
            }),
        ],
    ];
    for end in ends {
        play(config(), &[&connected[..], end].concat());
    }
}

#[test]
fn no_server_of_2024_11_05_after_all() {
    let table: &[(Vec<u8>, &str)] = &[
        (text("404 Not Found"), "failed Handshake(Status(404)) "),
        (text("405 No"), "failed Handshake(Status(405)) "),
        (json("200 OK", "{}"), "failed Handshake(NoResponse) "),
        (stream("event: endpoint\ndata: https://evil.example/\n\n"), "failed Handshake(Malformed) "),
        (events(":\n\n"), "failed Handshake(NoResponse) "),
    ];
    for (reply, failed) in table {
        let closes =
            if reply.ends_with(b"0\r\n\r\n") || reply.ends_with(b"x") || reply.ends_with(b"{}") { 0 } else { 1 };
        let log: &[&str] = if closes == 1 { &[failed, "close"] } else { &[failed] };
        play(
            Config { verdict: Some(Verdict::Legacy), ..config() },
            &[Log(&["open", "POST initialize -"]), In(&text("404 Not Found")), Log(&["GET - -"]), In(reply), Log(log)],
        );
    }
    play(
        Config { verdict: Some(Verdict::Legacy), ..config() },
        &[
            Log(&["open", "POST initialize -"]),
            In(&text("404 Not Found")),
            Log(&["GET - -"]),
            In(&stream("event: ping\ndata: {}\n\n")),
            At(30_000),
            Log(&["failed Handshake(NoResponse) ", "close"]),
        ],
    );
}

#[test]
fn a_second_connection_listens_in_the_session_of_the_first() {
    use crate::rig::{Rig, TARGET};
    use umcp::http::client::Memory;
    let mut memory: Memory<1024, 2048> = Memory::new();
    let mut rig = Rig::new(memory.lend(), legacy());
    rig.settle();
    begun().iter().for_each(|bytes| rig.feed(bytes));
    let mut other: Memory<512, 1024> = Memory::new();
    let mut listener = Connection::new(other.lend(), legacy(), &TARGET);
    assert!(listener.join(rig.conn.server().revision(), rig.conn.session()));
    listener.listen_when_idle(Idle::Always);
    assert_eq!(listener.advance(Instant::ZERO), Happened::NeedData);
    listener.opened();
    let sent = String::from_utf8(listener.transmit().to_vec()).expect("ASCII");
    assert!(sent.starts_with("GET /mcp HTTP/1.1\r\n"), "{sent}");
    assert!(sent.contains("\r\nMcp-Session-Id: abc\r\n") && sent.contains("\r\nMCP-Protocol-Version: 2025-06-18\r\n"));
}
