//! Requests and what becomes of them: transcripts of a modern server.
#![cfg(feature = "client")]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod client_support;

use client_support::Step::{At, Do, Eof, In, Is, On, Out};
use client_support::{Action, CONNECTED, MODERN, PROBE, Step, config, play};
use umcp::client::{Config, Connection, Happened, Options, Refused, arguments, params};
use umcp::json::Value;
use umcp::mcp::{ClientCapabilities, Level, List, Method};
use umcp::rpc::RequestHandle;
use umcp::time::{Duration, Instant};

const CALL: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t1",%M}}"#;

fn call(conn: &mut Connection<'_>, now: Instant) {
    conn.call("t1", &(), Options::DEFAULT, now).expect("sent");
}

fn sent(request: Result<RequestHandle, Refused>) {
    request.expect("sent");
}

/// A connected modern server, and then this.
fn modern(config: Config<'_>, steps: &[Step<'_>]) {
    play(config, &[&[Out(PROBE), In(MODERN), Is(CONNECTED)], steps].concat());
}

fn called(answer: &str, event: &str) {
    modern(config(), &[Do(call), Out(CALL), In(answer), Is(event)]);
}

#[test]
fn answers() {
    let ok = r#"{"resultType":"complete","content":[{"type":"text","text":"ok"}]}"#;
    let response = format!("response 2 {ok}");
    called(&format!(r#"{{"jsonrpc":"2.0","id":2,"result":{ok}}}"#), &response);
    called(&format!("{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{ok}}}\r"), &response);
    called(&format!(r#"{{"result":{ok},"jsonrpc":"2.0","id":2}}"#), &response);
    called(&format!(r#"{{"jsonrpc":"2.0","id":2,"result":{ok},"error":null}}"#), &response);
    called(&format!(r#" {{ "jsonrpc" : "2.0" , "id" : 2 , "result" : {ok} }} "#), &response);
    called(r#"{"jsonrpc":"2.0","id":2,"result":{"content":[]}}"#, r#"response 2 {"content":[]}"#);
    called(r#"{"jsonrpc":"2.0","id":2,"result":{"text":"—漢😀\ud83d\ude00"}}"#, r#"response 2 {"text":"—漢😀😀"}"#);
    called(
        r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"bad argument a"}}"#,
        "error 2 -32602: bad argument a",
    );
    called(r#"{"jsonrpc":"2.0","id":2,"error":{"code":5}}"#, "error 2 5");
}

#[test]
fn answers_that_are_none() {
    let table = [
        (r#"{"jsonrpc":"2.0","id":2}"#, "lost 2 NotAnAnswer(Shape)"),
        (r#"{"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1}}"#, "lost 2 NotAnAnswer(Shape)"),
        (r#"{"jsonrpc":"1.0","id":2,"result":{}}"#, "lost 2 NotAnAnswer(Version)"),
        (r#"{"jsonrpc":"2.0","id":2,"id":2,"result":{}}"#, "lost 2 NotAnAnswer(DuplicateMember)"),
        (r#"{"jsonrpc":"2.0","id":2,"result":5}"#, "lost 2 Malformed"),
        (r#"{"jsonrpc":"2.0","id":2,"result":null}"#, "lost 2 Malformed"),
        (r#"{"jsonrpc":"2.0","id":2,"error":{"message":"m"}}"#, "lost 2 Malformed"),
        (r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"partial"}}"#, "lost 2 ResultType"),
        (r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":null}}"#, "lost 2 ResultType"),
        (r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required"}}"#, "lost 2 Input"),
        (
            r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}}"#,
            "lost 2 Input",
        ),
    ];
    for (answer, event) in table {
        called(answer, event);
    }
    let long = format!(r#"{{"jsonrpc":"2.0","result":{{"text":"{}"}},"id":2}}"#, "x".repeat(3_000));
    modern(
        config(),
        &[
            Do(call),
            Out(CALL),
            In(&long),
            Is("lost 2 TooLong { limit: 1023 }"),
            Do(call),
            Out(&CALL.replace(":2,", ":3,")),
        ],
    );
    let deep = format!(r#"{{"jsonrpc":"2.0","result":{}{},"id":2}}"#, "[".repeat(40), "]".repeat(40));
    called(&deep, "lost 2 TooDeep");
}

#[test]
fn what_is_not_meant_for_a_request_is_reported_and_ignored() {
    modern(
        config(),
        &[
            Do(call),
            Out(CALL),
            In(r#"{"jsonrpc":"2.0","id":424242,"result":{}}"#),
            Is("ignored Unmatched"),
            In(r#"{"jsonrpc":"2.0","id":"x","result":{}}"#),
            Is("ignored Unmatched"),
            In(r#"{"jsonrpc":"2.0","id":"2","result":{}}"#),
            Is("ignored Unmatched"),
            In(r#"{"jsonrpc":"2.0","id":-2,"error":{"code":1,"message":""}}"#),
            Is("ignored Unmatched"),
            In(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#),
            Is("ignored Anonymous"),
            In(r#"{"jsonrpc":"2.0","id":7,"method":"roots/list"}"#),
            Is("ignored ServerRequest"),
            In(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#),
            Is("ignored ServerRequest"),
            In(r#"{"jsonrpc":"2.0","method":"notifications/unheard"}"#),
            Is("ignored UnknownNotification"),
            In(r#"{"jsonrpc":"2.0","id":true,"method":"x"}"#),
            Is("ignored NotAMessage(Id)"),
            In("[{}]"),
            Is("ignored NotAMessage(Batch)"),
            In(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#),
            Is("response 2 {}"),
            In(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#),
            Is("ignored Unmatched"),
        ],
    );
}

#[test]
fn a_timeout_cancels() {
    let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
    modern(
        config(),
        &[
            Do(call),
            Out(CALL),
            At(29_999),
            At(30_000),
            Is("timeout 2"),
            Out(cancelled),
            In(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#),
            Is("ignored Late"),
            At(100_000),
        ],
    );
}

#[test]
fn the_caller_cancels() {
    let cancel: Action = |conn, now| {
        let handle = conn.call("t1", &(), Options::DEFAULT, now).expect("sent");
        assert!(conn.cancel(handle, Some("the \"user\"")));
        assert!(!conn.cancel(handle, None), "once");
    };
    let cancelled =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"the \"user\""}}"#;
    let late = r#"{"jsonrpc":"2.0","id":2,"result":{}}"#;
    modern(
        config(),
        &[Do(cancel), Is("cancelled 2"), Out(CALL), Out(cancelled), In(late), Is("ignored Late"), At(60_000)],
    );
}

#[test]
fn progress() {
    let start: Action = |conn, now| {
        let options = Options {
            progress: true,
            timeout: Duration::from_millis(100),
            max_timeout: Some(Duration::from_millis(250)),
            ..Options::DEFAULT
        };
        conn.call("t1", &(), options, now).expect("sent");
    };
    let with_token = CALL.replace("%M", &client_support::META.replace(r#"":{}}"#, r#"":{},"progressToken":2}"#));
    let note = |value: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":2,"progress":{value}}}}}"#
        )
    };
    modern(
        config(),
        &[
            Do(start),
            Out(&with_token),
            At(90),
            In(
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":0.5,"total":2,"message":"half"}}"#,
            ),
            Is("progress 2 0.5/2 half"),
            At(180),
            In(&note("0.50")),
            Is("ignored StaleProgress"),
            In(&note("5e-1")),
            Is("ignored StaleProgress"),
            In(&note("1")),
            Is("progress 2 1/- "),
            In(&note("\"2\"")),
            Is("ignored MalformedNotification"),
            In(&note("7").replace(":2,", ":3,")),
            Is("ignored UnknownToken"),
            In(&note("7").replace(":2,", ":\"2\",")),
            Is("ignored UnknownToken"),
            // The deadline has moved on, but not past the maximum.
            At(249),
            In(&note("2")),
            Is("progress 2 2/- "),
            At(250),
            Is("timeout 2"),
            Out(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#),
            In(&note("3")),
            Is("ignored UnknownToken"),
        ],
    );
    // Nobody asked for it.
    modern(config(), &[Do(call), Out(CALL), In(&note("1")), Is("ignored UnknownToken")]);
}

#[test]
fn log_messages() {
    let config = Config { log_level: Some(Level::Info), ..config() };
    let meta = client_support::META.replace(r#"":{}}"#, r#"":{},"io.modelcontextprotocol/logLevel":"info"}"#);
    play(
        config,
        &[
            Out(&PROBE.replace("%M", &meta)),
            In(MODERN),
            Is(CONNECTED),
            In(
                r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":"db","data":{"a":1}}}"#,
            ),
            Is(r#"log error db {"a":1}"#),
            In(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"loud","data":1}}"#),
            Is("ignored MalformedNotification"),
            In(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}"#),
            Is("ignored MalformedNotification"),
        ],
    );
}

#[test]
fn every_request_as_it_is_written() {
    let table: [(Action, &str); 9] = [
        (
            |conn, now| {
                sent(conn.call(
                    "t",
                    &[("a", 1)].into_iter().collect::<std::collections::BTreeMap<_, _>>(),
                    Options::DEFAULT,
                    now,
                ))
            },
            r#""tools/call","params":{"name":"t","arguments":{"a":1},%M}}"#,
        ),
        (
            |conn, now| sent(conn.call_raw("t", Value::new(br#"{"a":[1]}"#), Options::DEFAULT, now)),
            r#""tools/call","params":{"name":"t","arguments":{"a":[1]},%M}}"#,
        ),
        (|conn, now| sent(conn.list(List::Tools, None, Options::DEFAULT, now)), r#""tools/list","params":{%M}}"#),
        (
            |conn, now| sent(conn.list(List::Prompts, Some(""), Options::DEFAULT, now)),
            r#""prompts/list","params":{"cursor":"",%M}}"#,
        ),
        (
            |conn, now| sent(conn.read_resource("a://b", Options::DEFAULT, now)),
            r#""resources/read","params":{"uri":"a://b",%M}}"#,
        ),
        (|conn, now| sent(conn.prompt("p", &(), Options::DEFAULT, now)), r#""prompts/get","params":{"name":"p",%M}}"#),
        (
            |conn, now| {
                let of = params::Reference::Prompt("p");
                sent(conn.complete(of, ("lang", "py"), &[("a", "b")], Options::DEFAULT, now));
            },
            r#""completion/complete","params":{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"lang","value":"py"},"context":{"arguments":{"a":"b"}},%M}}"#,
        ),
        (|conn, now| sent(conn.discover(Options::DEFAULT, now)), r#""server/discover","params":{%M}}"#),
        (
            |conn, now| {
                sent(conn.request(
                    "x/y",
                    |w| {
                        w.member_int("n", 5);
                    },
                    Options::DEFAULT,
                    now,
                ))
            },
            r#""x/y","params":{"n":5,%M}}"#,
        ),
    ];
    for (action, rest) in table {
        modern(config(), &[Do(action), Out(&format!(r#"{{"jsonrpc":"2.0","id":2,"method":{rest}"#))]);
    }
}

#[test]
fn what_is_refused() {
    modern(
        config(),
        &[Do(|conn, now| {
            let options = Options::DEFAULT;
            assert_eq!(conn.ping(options, now), Err(Refused::Unsupported));
            assert_eq!(conn.set_level(Level::Info, options, now), Err(Refused::Unsupported));
            assert_eq!(conn.request("initialize", |_| {}, options, now), Err(Refused::Unsupported));
            assert_eq!(conn.request("subscriptions/listen", |_| {}, options, now), Err(Refused::Unsupported));
            assert_eq!(conn.call_raw("t", Value::new(b"[]"), options, now), Err(Refused::Arguments));
            assert_eq!(conn.call_raw("t", Value::new(b"{\n}"), options, now), Err(Refused::Arguments));
            assert_eq!(conn.call("t", &Unwritable, options, now), Err(Refused::Arguments));
            assert!(matches!(
                conn.call(&"x".repeat(2_000), &(), options, now),
                Err(Refused::Capacity { needed: 2_000.. })
            ));
            assert_eq!(conn.next_page(List::Tools, options, now), Ok(None));
            let answer = conn.retry(Method::CallTool, |_| {}, |_, _| true, options, now);
            assert_eq!(answer, Err(Refused::NothingHeld));
        })],
    );
}

struct Unwritable;

impl serde::Serialize for Unwritable {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("no"))
    }
}

#[test]
fn arguments_from_outside() {
    let canonical = |text: &str| {
        let mut text = text.as_bytes().to_vec();
        arguments(&mut text).map(|value| format!("{value:?}")).map_err(|error| error.to_string())
    };
    assert_eq!(canonical("{ \"a\" :\n1 }").as_deref(), Ok(r#"{"a":1}"#));
    for text in ["[1]", "5", "null", "", " ", "{", "{a:1}", "{}{}", "{} x", &"{\"a\":".repeat(50)] {
        assert!(canonical(text).is_err(), "{text}");
    }
}

#[test]
fn pages() {
    let first = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{%M}}"#;
    let second = r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"p\"2",%M}}"#;
    modern(
        config(),
        &[
            On(|conn, happened, now| {
                if let Happened::Response(_) = happened {
                    conn.next_page(List::Tools, Options::DEFAULT, now).expect("room");
                }
            }),
            Do(|conn, now| sent(conn.list(List::Tools, None, Options::DEFAULT, now))),
            Out(first),
            In(r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[],"nextCursor":"p\"2"}}"#),
            Is(r#"response 2 {"tools":[],"nextCursor":"p\"2"}"#),
            Out(second),
            In(r#"{"jsonrpc":"2.0","id":3,"result":{"nextCursor":null}}"#),
            Is(r#"response 3 {"nextCursor":null}"#),
        ],
    );
}

const ABLE: ClientCapabilities =
    ClientCapabilities { roots: true, sampling: true, elicitation_form: true, ..ClientCapabilities::NONE };

/// With [`ABLE`].
fn able_meta() -> String {
    client_support::META
        .replace(r#"Capabilities":{}"#, r#"Capabilities":{"elicitation":{"form":{}},"roots":{},"sampling":{}}"#)
}

#[test]
fn questions_are_answered_by_a_retry() {
    let meta = able_meta();
    let retry = r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t1","inputResponses":{"a":{"roots":[]},"q\"":{"action":"decline"}},"requestState":"s\n\u0001",%M}}"#;
    play(
        Config { capabilities: ABLE, ..config() },
        &[
            Out(&PROBE.replace("%M", &meta)),
            In(MODERN),
            Is(CONNECTED),
            On(|conn, happened, now| {
                if let Happened::InputRequired(_) = happened {
                    let answer = |input: umcp::client::Input<'_>, w: &mut umcp::json::Writer<'_>| {
                        w.begin_object().key("roots").begin_array().end_array().end_object();
                        input.kind() == umcp::mcp::InputKind::Roots
                    };
                    conn.retry(Method::CallTool, params::call("t1", &()), answer, Options::DEFAULT, now).expect("room");
                }
            }),
            Do(call),
            Out(&CALL.replace("%M", &meta)),
            In(
                r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"},"q\"":{"method":"elicitation/create","params":{"message":"?"}}},"requestState":"s\n\u0001"}}"#,
            ),
            Is(r#"input 2 a=roots/list,q"=elicitation/create "s\n\u0001""#),
            Out(&retry.replace("%M", &meta)),
            In(r#"{"jsonrpc":"2.0","id":3,"result":{}}"#),
            Is("response 3 {}"),
        ],
    );
}

#[test]
fn a_state_alone_is_returned_alone() {
    let retry = r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t1","requestState":"",%M}}"#;
    modern(
        config(),
        &[
            On(|conn, happened, now| {
                if let Happened::InputRequired(_) = happened {
                    conn.retry(Method::CallTool, params::call("t1", &()), |_, _| false, Options::DEFAULT, now)
                        .expect("room");
                }
            }),
            Do(call),
            Out(CALL),
            In(r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","requestState":""}}"#),
            Is(r#"input 2  """#),
            Out(retry),
        ],
    );
}

#[test]
fn questions_that_must_not_be_asked() {
    let asked = |requests: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"resultType":"input_required","inputRequests":{requests}}}}}"#)
    };
    let config = Config { capabilities: ABLE, ..config() };
    let meta = able_meta();
    let requests = [
        r#"{"a":{"method":"tools/call"}}"#,
        r#"{"a":{}}"#,
        r#"{"a":5}"#,
        r#"[]"#,
        r#""x""#,
        r#"{"a":{"method":"elicitation/create","params":{"mode":"url"}}}"#,
        r#"{"a":{"method":"roots/list"},"b":{"method":"sampling/createMessage","params":{"tools":[]}}}"#,
    ];
    for one in requests {
        let call_line = CALL.replace("%M", &meta);
        let probe = PROBE.replace("%M", &meta);
        play(
            config,
            &[Out(&probe), In(MODERN), Is(CONNECTED), Do(call), Out(&call_line), In(&asked(one)), Is("lost 2 Input")],
        );
    }
    // Only certain methods may ask.
    let list: Action = |conn, now| sent(conn.list(List::Tools, None, Options::DEFAULT, now));
    let sent = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{%M}}"#.replace("%M", &meta);
    let roots = asked(r#"{"a":{"method":"roots/list"}}"#);
    let probe = PROBE.replace("%M", &meta);
    play(config, &[Out(&probe), In(MODERN), Is(CONNECTED), Do(list), Out(&sent), In(&roots), Is("lost 2 Input")]);
}

#[test]
fn the_end_of_the_stream_ends_every_request() {
    modern(
        config(),
        &[
            Do(call),
            Do(call),
            Out(CALL),
            Out(&CALL.replace(":2,", ":3,")),
            In(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#),
            Is("response 2 {}"),
            Step::Raw(br#"{"jsonrpc":"2.0","id":3,"res"#),
            Eof,
            Is("ignored Torso"),
            Is("lost 3 Closed"),
            Is("closed"),
            At(100_000),
        ],
    );
}
