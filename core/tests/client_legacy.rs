//! What only legacy servers do: requests of their own, batches, subscriptions by URI.
#![cfg(feature = "legacy")]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod client_support;

use client_support::Step::{At, Do, Eof, In, Is, On, Out};
use client_support::{Action, Hook, Step, config, play};
use umcp::client::{Config, Event, Happened, ListenFilter, Options, Refused, Verdict};
use umcp::mcp::{ClientCapabilities, Level};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
const ABLE: &str = r#"{"elicitation":{"form":{}},"roots":{},"sampling":{}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const CALL: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t1"}}"#;

fn call(conn: &mut umcp::client::Connection<'_>, now: umcp::time::Instant) {
    conn.call("t1", &(), Options::DEFAULT, now).expect("sent");
}

/// A connected server of this revision, and then this. The client can list roots, sample, and elicit by form if `able`.
fn legacy(revision: &str, able: bool, steps: &[Step<'_>]) {
    let capabilities =
        ClientCapabilities { roots: able, sampling: able, elicitation_form: able, ..ClientCapabilities::NONE };
    let config = Config { capabilities, verdict: Some(Verdict::Legacy), ..config() };
    let first =
        if able { INITIALIZE.replace("{},\"clientInfo", &format!("{ABLE},\"clientInfo")) } else { INITIALIZE.into() };
    let answer = format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"{revision}","capabilities":{{"logging":{{}},"resources":{{"subscribe":true}}}},"serverInfo":{{"name":"o","version":"1"}}}}}}"#
    );
    let connected = format!("connected {revision} o 1");
    play(config, &[&[Out(&first), In(&answer), Is(&connected), Out(INITIALIZED)], steps].concat());
}

#[test]
fn requests_as_they_are_written() {
    let progress: Action = |conn, now| {
        conn.call("t1", &(), Options { progress: true, ..Options::DEFAULT }, now).expect("sent");
        conn.ping(Options::DEFAULT, now).expect("sent");
        conn.set_level(Level::Warning, Options::DEFAULT, now).expect("sent");
        assert_eq!(conn.discover(Options::DEFAULT, now), Err(Refused::Unsupported));
    };
    legacy(
        "2025-06-18",
        false,
        &[
            Do(progress),
            Out(r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t1","_meta":{"progressToken":2}}}"#),
            Out(r#"{"jsonrpc":"2.0","id":3,"method":"ping","params":{}}"#),
            Out(r#"{"jsonrpc":"2.0","id":4,"method":"logging/setLevel","params":{"level":"warning"}}"#),
            // A result's type is not looked at.
            In(r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"partial"}}"#),
            Is(r#"response 2 {"resultType":"partial"}"#),
            In(r#"{"jsonrpc":"2.0","id":3,"result":{}}"#),
            Is("response 3 {}"),
        ],
    );
}

#[test]
fn pings_are_answered_and_the_undeclared_is_refused() {
    legacy(
        "2025-06-18",
        false,
        &[
            Do(call),
            Out(CALL),
            In(r#"{"jsonrpc":"2.0","id":"srv-1","method":"ping"}"#),
            Out(r#"{"jsonrpc":"2.0","id":"srv-1","result":{}}"#),
            In(r#"{"jsonrpc":"2.0","id":7,"method":"roots/list"}"#),
            Is("ignored Undeclared"),
            Out(r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found"}}"#),
            In(r#"{"jsonrpc":"2.0","id":8,"method":"x/y","params":{}}"#),
            Is("ignored Undeclared"),
            Out(r#"{"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"Method not found"}}"#),
            In(r#"{"jsonrpc":"2.0","id":9,"method":"ping","params":[]}"#),
            Is("ignored NotAMessage(Params)"),
            Out(
                r#"{"jsonrpc":"2.0","id":9,"error":{"code":-32600,"message":"Invalid Request: `params` must be an object"}}"#,
            ),
            In(&format!(
                r#"{{"jsonrpc":"2.0","id":10,"method":"ping","params":{}{}}}"#,
                "[".repeat(40),
                "]".repeat(40)
            )),
            Is("ignored TooDeep"),
            Out(r#"{"jsonrpc":"2.0","id":10,"error":{"code":-32600,"message":"Invalid Request: nested too deeply"}}"#),
            In(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#),
            Is("response 2 {}"),
        ],
    );
}

const ROOTS: &str = r#"{"jsonrpc":"2.0","id":7,"method":"roots/list"}"#;
const ELICIT: &str = r#"{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"message":"?"}}"#;
const SAMPLE: &str = r#"{"jsonrpc":"2.0","id":9,"method":"sampling/createMessage","params":{}}"#;

#[test]
fn questions_are_answered() {
    let answer: Hook = |conn, happened, _| {
        if let Event::Request(request) = conn.event(happened) {
            let answered = request.answer(|w| {
                w.begin_object().key("roots").begin_array().end_array().end_object();
                true
            });
            assert_eq!(answered, Ok(()));
        }
    };
    let sent = r#"{"jsonrpc":"2.0","id":7,"result":{"roots":[]}}"#;
    legacy("2025-11-25", true, &[On(answer), In(ROOTS), Is("asked roots/list 7"), Out(sent)]);
}

#[test]
fn questions_are_declined() {
    let decline: Hook = |conn, happened, _| {
        if let Event::Request(request) = conn.event(happened) {
            assert_eq!(request.answer(|_| false), Ok(()));
        }
    };
    legacy(
        "2025-11-25",
        true,
        &[
            On(decline),
            In(ELICIT),
            Is(r#"asked elicitation/create "e""#),
            Out(r#"{"jsonrpc":"2.0","id":"e","result":{"action":"decline"}}"#),
            In(SAMPLE),
            Is("asked sampling/createMessage 9"),
            Out(r#"{"jsonrpc":"2.0","id":9,"error":{"code":-1,"message":"The user declined"}}"#),
        ],
    );
}

#[test]
fn a_question_that_nobody_answers_is_answered_with_an_error() {
    let error = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"Not handled"}}"#;
    legacy("2025-11-25", true, &[In(ROOTS), Is("asked roots/list 7"), Out(error)]);
}

#[test]
fn a_question_is_put_off() {
    let put_off: Hook = |conn, happened, now| {
        let Event::Request(request) = conn.event(happened) else { return };
        let deferred = request.defer().expect("a short id");
        // Another event passes, and then it is answered.
        assert_eq!(conn.advance(now), Happened::NeedData);
        let answered = conn.answer(&deferred, |w| {
            w.begin_object().end_object();
            true
        });
        assert_eq!(answered, Ok(()));
        assert_eq!(conn.answer(&deferred, |_| false), Ok(()), "the caller sees to it that this happens once");
    };
    legacy(
        "2025-11-25",
        true,
        &[
            On(put_off),
            In(SAMPLE),
            Is("nothing"),
            Out(r#"{"jsonrpc":"2.0","id":9,"result":{}}"#),
            Out(r#"{"jsonrpc":"2.0","id":9,"error":{"code":-1,"message":"The user declined"}}"#),
            In(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#),
            Is("withdrawn 9"),
        ],
    );
}

#[test]
fn batches() {
    let batch = r#"[{"jsonrpc":"2.0","id":"p","method":"ping"}, 5, {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":[1,2]}} ,{"jsonrpc":"2.0","id":2,"result":{"a":[{}]}},{"x":1}]"#;
    legacy(
        "2025-03-26",
        false,
        &[
            Do(call),
            Out(CALL),
            In(batch),
            Is("ignored NotAMessage(NotAnObject)"),
            Is("log info - [1,2]"),
            Is(r#"response 2 {"a":[{}]}"#),
            Is("ignored NotAMessage(Version)"),
            Out(r#"{"jsonrpc":"2.0","id":"p","result":{}}"#),
            In("[]"),
            Is("ignored NotAMessage(Batch)"),
            In(r#"{"jsonrpc":"2.0","id":"q","method":"ping"}"#),
            Out(r#"{"jsonrpc":"2.0","id":"q","result":{}}"#),
        ],
    );
    legacy("2025-06-18", false, &[In(batch), Is("ignored NotAMessage(Batch)")]);
}

const FILTER: ListenFilter<'static> =
    ListenFilter { tools: true, prompts: false, resources: false, uris: &["a:1", "a:2"] };

fn listen(conn: &mut umcp::client::Connection<'_>, now: umcp::time::Instant) {
    conn.listen(&FILTER, Options::DEFAULT, now).expect("sent");
}

#[test]
fn subscriptions_by_uri() {
    let close: Action = |conn, now| {
        let handle =
            conn.listen(&ListenFilter { tools: true, ..ListenFilter::default() }, Options::DEFAULT, now).expect("room");
        assert_eq!(handle.id(), 4);
        conn.close_listen(handle, &["a:1"], now).expect("open");
    };
    legacy(
        "2025-06-18",
        false,
        &[
            Do(listen),
            Out(r#"{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"a:1"}}"#),
            Out(r#"{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"a:2"}}"#),
            In(r#"{"jsonrpc":"2.0","id":3,"result":{}}"#),
            In(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#),
            Is("begun 2 "),
            In(r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:1"}}"#),
            Is("updated - a:1"),
            In(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#),
            Is("changed - Tools"),
            Do(close),
            Is("ended 4 Closed"),
            Out(r#"{"jsonrpc":"2.0","id":5,"method":"resources/unsubscribe","params":{"uri":"a:1"}}"#),
            In(r#"{"jsonrpc":"2.0","id":5,"result":{}}"#),
            At(1_000_000),
            Eof,
            Is("ended 2 Lost"),
            Is("closed"),
        ],
    );
}

#[test]
fn a_subscription_that_fails() {
    let lines = [
        Do(listen as Action),
        Out(r#"{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"a:1"}}"#),
        Out(r#"{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"a:2"}}"#),
    ];
    let refused = [
        In(r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32002,"message":"gone"}}"#),
        Is("error 2 -32002: gone"),
        In(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#),
        Is("ignored Late"),
    ];
    legacy("2025-06-18", false, &[&lines[..], &refused[..]].concat());
    let silent = [
        At(30_000),
        Is("timeout 2"),
        Out(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#),
    ];
    legacy("2025-06-18", false, &[&lines[..], &silent[..]].concat());
    // There are four places for requests.
    legacy(
        "2025-06-18",
        false,
        &[Do(|conn, now| {
            let uris = ["1", "2", "3", "4", "5"];
            let filter = ListenFilter { uris: &uris, ..ListenFilter::default() };
            assert_eq!(conn.listen(&filter, Options::DEFAULT, now), Err(Refused::TableFull));
        })],
    );
    // A list alone needs no request.
    legacy(
        "2025-06-18",
        false,
        &[
            Do(|conn, now| {
                conn.listen(&ListenFilter { tools: true, ..ListenFilter::default() }, Options::DEFAULT, now)
                    .expect("room");
            }),
            Is("begun 2 "),
        ],
    );
}
