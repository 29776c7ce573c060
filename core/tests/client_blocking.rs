//! The blocking client against a scripted server.
#![cfg(feature = "client")]
#![cfg_attr(not(feature = "legacy"), allow(unused_imports, dead_code, reason = "part of it is for the legacy era"))]
#![allow(clippy::expect_used, clippy::panic, clippy::result_large_err, reason = "a test fails by panicking")]

mod client_support;

use std::collections::VecDeque;

use client_support::{config, say};
use serde_json::Value as Json;
use umcp::client::{Config, Content};
use umcp::client::{Event, Failed, Host, Input, ListenFilter, Lost, Memory, Options, Refused, Verdict};
use umcp::io::{Client, Failure, Moved, Wire};
use umcp::json::Writer;
use umcp::mcp::{ClientCapabilities, InputKind, List};
use umcp::time::{Duration, Instant};

/// What a server does when it is asked for a method: it writes these lines (`$` is the request's id), or more.
#[derive(Clone, Copy)]
enum Reply {
    Lines(&'static [&'static str]),
    Close,
    /// The user presses Ctrl-C.
    Interrupt,
}
use Reply::{Close, Interrupt, Lines};

/// A wire to a scripted server, in virtual time. It moves a few bytes at a time.
struct Script {
    rules: Vec<(&'static str, Reply)>,
    now: Instant,
    line: Vec<u8>,
    arriving: VecDeque<u8>,
    sent: Vec<Json>,
    closed: bool,
    interrupted: bool,
}

impl Script {
    fn new(rules: &[(&'static str, Reply)]) -> Script {
        Script {
            rules: rules.to_vec(),
            now: Instant::ZERO,
            line: Vec::new(),
            arriving: VecDeque::new(),
            sent: Vec::new(),
            closed: false,
            interrupted: false,
        }
    }

    fn receive(&mut self) {
        let message: Json = serde_json::from_slice(&self.line).expect("a whole message on a line");
        self.line.clear();
        let method = message["method"].as_str().unwrap_or("answer").to_string();
        let id = message["id"].to_string();
        self.sent.push(message);
        // Rules are used up in order, but the last of a method stays.
        let mut places = self.rules.iter().enumerate().filter(|(_, rule)| rule.0 == method).map(|(place, _)| place);
        let Some(first) = places.next() else { return };
        let more = places.next().is_some();
        match self.rules[first].1 {
            Lines(lines) => {
                for line in lines {
                    self.arriving.extend(line.replace('$', &id).as_bytes());
                    self.arriving.push_back(b'\n');
                }
            }
            Close => self.closed = true,
            Interrupt => self.interrupted = true,
        }
        if more {
            self.rules.remove(first);
        }
    }

    fn methods(&self) -> Vec<&str> {
        self.sent.iter().map(|message| message["method"].as_str().unwrap_or("answer")).collect()
    }
}

impl Wire for &mut Script {
    type Error = std::convert::Infallible;

    fn now(&mut self) -> Instant {
        self.now
    }

    fn transfer(&mut self, out: &[u8], into: &mut [u8], until: Instant) -> Result<Moved, Self::Error> {
        if self.interrupted {
            self.interrupted = false;
            return Ok(Moved { interrupted: true, ..Moved::default() });
        }
        let sent = out.len().min(50);
        for &byte in &out[..sent] {
            if byte == b'\n' {
                self.receive();
            } else {
                self.line.push(byte);
            }
        }
        let received = self.arriving.len().min(into.len()).min(30);
        for (place, byte) in into.iter_mut().zip(self.arriving.drain(..received)) {
            *place = byte;
        }
        let closed = self.closed && self.arriving.is_empty();
        if sent == 0 && received == 0 && !closed {
            assert_ne!(until, Instant::NEVER, "it waits for ever");
            self.now = self.now.max(until);
        }
        Ok(Moved { sent, received, closed, interrupted: false })
    }
}

const DISCOVER: (&str, Reply) = (
    "server/discover",
    Lines(&[
        r#"{"jsonrpc":"2.0","id":$,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"instructions":"Be kind.","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"2"}}}}"#,
    ]),
);
const NOT_FOUND: (&str, Reply) =
    ("server/discover", Lines(&[r#"{"jsonrpc":"2.0","id":$,"error":{"code":-32601,"message":"?"}}"#]));
const INITIALIZE: (&str, Reply) = (
    "initialize",
    Lines(&[
        r#"{"jsonrpc":"2.0","id":$,"result":{"protocolVersion":"2025-11-25","capabilities":{"resources":{"subscribe":true}}}}"#,
    ]),
);

/// A host that keeps what it is told and answers roots.
#[derive(Default)]
struct Keeper(Vec<String>);

impl Host for Keeper {
    fn event(&mut self, event: Event<'_>) {
        self.0.push(say(event));
    }

    fn input(&mut self, input: Input<'_>, answer: &mut Writer<'_>) -> bool {
        answer.begin_object().key("roots").begin_array().end_array().end_object();
        input.kind() == InputKind::Roots
    }
}

const ABLE: ClientCapabilities =
    ClientCapabilities { roots: true, sampling: true, elicitation_form: true, ..ClientCapabilities::NONE };

/// Runs `job` with a client that is connected to a server with these rules; the methods that were sent, and what the host was told.
fn with(
    rules: &[(&'static str, Reply)],
    job: impl FnOnce(&mut Client<'_, &mut Script, Keeper>),
) -> (Vec<String>, Vec<String>, Vec<Json>) {
    let mut script = Script::new(rules);
    let mut memory: Memory<2048, 1024> = Memory::new();
    let config = Config { capabilities: ABLE, ..config() };
    let mut client = Client::connect_with(memory.lend(), config, &mut script, Keeper::default()).expect("connected");
    job(&mut client);
    let (_, keeper) = client.into_parts();
    (script.methods().iter().map(ToString::to_string).collect(), keeper.0, script.sent)
}

fn connect(
    rules: &[(&'static str, Reply)],
    verdict: Option<Verdict>,
) -> Result<Verdict, Failure<std::convert::Infallible>> {
    let mut script = Script::new(rules);
    let mut memory: Memory<1024, 1024> = Memory::new();
    let config = Config { verdict, ..config() };
    Client::connect(memory.lend(), config, &mut script).map(|client| client.verdict())
}

#[test]
fn it_connects_to_either_era() {
    assert_eq!(connect(&[DISCOVER], None), Ok(Verdict::Modern));
    assert_eq!(connect(&[], Some(Verdict::Modern)), Ok(Verdict::Modern));
    assert_eq!(connect(&[("server/discover", Close)], None), Err(Failure::ProbeExited));
    #[cfg(feature = "legacy")]
    {
        assert_eq!(connect(&[NOT_FOUND, INITIALIZE], None), Ok(Verdict::Legacy));
        assert_eq!(connect(&[INITIALIZE], None), Ok(Verdict::Legacy), "silence");
        assert_eq!(connect(&[INITIALIZE], Some(Verdict::Legacy)), Ok(Verdict::Legacy));
        let silent = connect(&[], None).expect_err("silent");
        assert_eq!(silent, Failure::Handshake(Failed::HandshakeTimedOut));
    }
}

#[test]
fn a_handshake_that_fails_is_explained() {
    let newer = &[r#"{"jsonrpc":"2.0","id":$,"result":{"supportedVersions":["2027-01-01"]}}"#];
    let refuses = &[r#"{"jsonrpc":"2.0","id":$,"error":{"code":-32021,"message":"not \"you\""}}"#];
    let speaks_none = "the server speaks no protocol version that this client speaks; it named [\"2027-01-01\"]";
    let table: [(&[&str], Failed, &str); 2] = [
        (newer, Failed::NoCommonVersion, speaks_none),
        (refuses, Failed::ProbeRefused, "the server refuses to be discovered: -32021: not \"you\""),
    ];
    for (lines, why, words) in table {
        let mut script = Script::new(&[("server/discover", Lines(lines))]);
        let mut memory: Memory<1024, 1024> = Memory::new();
        let mut client = Client::new(memory.lend(), config(), &mut script, ());
        assert_eq!(client.call("t", &()).map(|_| ()), Err(Failure::Refused(Refused::NotReady)));
        let failure = client.handshake().expect_err("refused");
        assert_eq!((failure, client.explain(&failure).to_string()), (Failure::Handshake(why), words.to_string()));
        assert_eq!(client.call("t", &()).map(|_| ()), Err(Failure::Refused(Refused::Closed)));
        assert_eq!(client.explain(&failure).to_string().find(&why.to_string()), Some(0));
    }
}

#[test]
fn the_server_is_known_until_the_first_request() {
    with(&[DISCOVER], |client| {
        assert!(client.server().name().is_some_and(|name| name.is("s")));
        assert!(client.server().instructions().is_some_and(|text| text.is("Be kind.")));
        assert!(client.features().tools && client.features().known && !client.features().prompts);
        assert_eq!(client.ping(), Ok(()));
        assert!(client.server().name().is_none());
        assert!(client.features().tools);
    });
}

#[test]
fn a_call() {
    const ANSWER: &str = r#"{"jsonrpc":"2.0","id":$,"result":{"content":[{"type":"image","data":"","mimeType":"a/b"},{"type":"text","text":"o\nk"}],"structuredContent":{"name":"o\"k","n":30.0}}}"#;
    #[derive(serde::Deserialize)]
    struct Out<'a> {
        name: &'a str,
        n: u8,
    }
    with(&[DISCOVER, ("tools/call", Lines(&["noise", ANSWER]))], |client| {
        let reply = client.call("t", &()).expect("answered");
        assert_eq!(reply.text().expect("text").to_string(), "o\nk");
        assert!(matches!(reply.content().next(), Some(Content::Image { .. })) && !reply.is_error());
        let out: Out<'_> = reply.into_structured().expect("structured");
        assert_eq!((out.name, out.n), ("o\"k", 30));
    });
}

#[test]
fn calls_that_fail() {
    type Expected = (&'static [&'static str], Failure<std::convert::Infallible>, &'static str);
    let remote = Failure::Remote { code: -32602 };
    let table: [Expected; 5] = [
        (
            &[r#"{"jsonrpc":"2.0","id":$,"error":{"code":-32602,"message":"bad argument a"}}"#],
            remote,
            "the server answered with an error: -32602: bad argument a",
        ),
        (&[], Failure::TimedOut, "timed out"),
        (&[r#"{"jsonrpc":"2.0","id":"$","result":{}}"#], Failure::TimedOut, "timed out"),
        (
            &[r#"{"jsonrpc":"2.0","id":$,"result":{"resultType":"partial"}}"#],
            Failure::Protocol(Lost::ResultType),
            "broke the protocol",
        ),
        (
            &[r#"{"jsonrpc":"2.0","id":$}"#],
            Failure::Protocol(Lost::NotAnAnswer(umcp::rpc::Invalid::Shape)),
            "broke the protocol",
        ),
    ];
    for (lines, failure, words) in table {
        let (methods, ..) = with(&[DISCOVER, ("tools/call", Lines(lines))], |client| {
            let failed = client.call("t", &()).map(|_| ()).expect_err("it fails");
            let explained = client.explain(&failed).to_string();
            assert!(explained.contains(words), "{explained}");
            assert_eq!(failed, failure);
            assert_eq!(client.error().is_some(), matches!(failure, Failure::Remote { .. }));
            assert!(
                client.ping().is_ok() && !client.explain(&failed).to_string().contains("argument"),
                "it is forgotten"
            );
        });
        let told = methods.iter().any(|method| method == "notifications/cancelled");
        assert_eq!(told, failure == Failure::TimedOut, "{methods:?}");
    }
}

#[test]
fn a_server_that_dies_and_a_user_who_interrupts() {
    with(&[DISCOVER, ("tools/call", Close)], |client| {
        assert_eq!(client.call("t", &()).map(|_| ()), Err(Failure::Closed));
        assert_eq!(client.call("t", &()).map(|_| ()), Err(Failure::Refused(Refused::Closed)));
    });
    let (methods, told, sent) = with(&[DISCOVER, ("tools/call", Interrupt)], |client| {
        assert_eq!(client.call("t", &()).map(|_| ()), Err(Failure::Cancelled));
        assert_eq!(client.ping(), Ok(()), "and goes on");
    });
    assert_eq!(methods, ["server/discover", "tools/call", "notifications/cancelled", "server/discover"]);
    assert_eq!(sent[2]["params"]["requestId"], sent[1]["id"]);
    assert_eq!(told, ["cancelled 2"]);
}

#[test]
fn what_happens_during_a_call_goes_to_the_host() {
    let lines = &[
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":$,"progress":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"d"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
        "noise",
        r#"{"jsonrpc":"2.0","id":$,"result":{}}"#,
    ];
    let (_, told, _) = with(&[DISCOVER, ("tools/call", Lines(lines))], |client| {
        let options = Options { progress: true, ..Options::DEFAULT };
        client.call_with("t", &(), options).expect("answered");
    });
    assert_eq!(told, ["progress 2 1/- ", r#"log info - "d""#, "changed - Tools", "ignored Noise"]);
}

#[test]
fn all_pages_are_fetched() {
    let first = Lines(&[r#"{"jsonrpc":"2.0","id":$,"result":{"tools":[{"name":"a"},{"no":1}],"nextCursor":""}}"#]);
    let last = Lines(&[r#"{"jsonrpc":"2.0","id":$,"result":{"tools":[{"name":"b"}]}}"#]);
    let mut names = Vec::new();
    let (_, told, sent) = with(&[DISCOVER, ("tools/list", first), ("tools/list", last)], |client| {
        client.tools(|tool| names.push(tool.name().to_string())).expect("listed");
    });
    assert_eq!(names, ["a", "b"]);
    assert_eq!(told, ["ignored MalformedItem"]);
    assert_eq!(sent[2]["params"]["cursor"], "");
}

#[test]
fn a_list_without_an_end_and_one_that_is_none() {
    let endless = Lines(&[r#"{"jsonrpc":"2.0","id":$,"result":{"prompts":[{"name":"a"}],"nextCursor":"c"}}"#]);
    let mut count = 0;
    with(&[DISCOVER, ("prompts/list", endless)], |client| {
        assert_eq!(client.list(List::Prompts, |_| count += 1), Err(Failure::Pages { budget: 1_000 }));
    });
    assert_eq!(count, 1_000);
    let none = Lines(&[r#"{"jsonrpc":"2.0","id":$,"result":{"prompts":{}}}"#]);
    with(&[DISCOVER, ("prompts/list", none)], |client| {
        assert_eq!(client.list(List::Prompts, |_| {}), Err(Failure::Protocol(Lost::Malformed)));
    });
}

#[test]
fn other_operations() {
    let rules = [
        DISCOVER,
        ("resources/read", Lines(&[r#"{"jsonrpc":"2.0","id":$,"result":{"contents":[{"uri":"a:b","text":"t"}]}}"#])),
        (
            "prompts/get",
            Lines(&[
                r#"{"jsonrpc":"2.0","id":$,"result":{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}}"#,
            ]),
        ),
        ("completion/complete", Lines(&[r#"{"jsonrpc":"2.0","id":$,"result":{"completion":{"values":["x","y"]}}}"#])),
    ];
    with(&rules, |client| {
        assert_eq!(client.read("a:b").expect("read").contents().filter_map(|c| c.text()).count(), 1);
        let reply = client.prompt("p", &()).expect("got");
        let (role, content) = reply.messages().next().expect("a message");
        assert!(role.is("user") && matches!(content, Content::Text(text) if text.is("hi")));
        let of = umcp::client::Reference::Prompt("p");
        assert_eq!(client.complete(of, "a", "", &[]).expect("completed").values().count(), 2);
        let mut text = *br#"{ "a": 1 }"#;
        let arguments = umcp::client::arguments(&mut text).expect("an object");
        assert!(client.call_raw("t", umcp::json::Value::new(b"5"), Options::DEFAULT).is_err());
        let _ = client.call_raw("t", arguments, Options { timeout: Duration::from_millis(1), ..Options::DEFAULT });
    });
}

#[test]
fn an_answer_that_is_too_long() {
    let mut script = Script::new(&[
        DISCOVER,
        (
            "tools/call",
            Lines(&[concat!(
                r#"{"jsonrpc":"2.0","result":{"x":""#,
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                r#""},"id":$}"#
            )]),
        ),
    ]);
    let mut memory: Memory<260, 1024> = Memory::new();
    let mut client = Client::connect(memory.lend(), config(), &mut script).expect("connected");
    assert_eq!(client.call("t", &()).map(|_| ()), Err(Failure::TooLong { limit: 259 }));
    assert_eq!(client.ping(), Ok(()));
}

const ASKS_ROOTS: Reply = Lines(&[
    r#"{"jsonrpc":"2.0","id":$,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"},"b":{"method":"elicitation/create","params":{}}},"requestState":"s"}}"#,
]);

#[test]
fn questions_are_answered() {
    let done = Lines(&[r#"{"jsonrpc":"2.0","id":$,"result":{"content":[]}}"#]);
    let (_, _, sent) = with(&[DISCOVER, ("tools/call", ASKS_ROOTS), ("tools/call", done)], |client| {
        client.call("t", &()).expect("answered");
    });
    let answers: Json = serde_json::from_str(r#"{"a":{"roots":[]},"b":{"action":"decline"}}"#).expect("JSON");
    assert_eq!((&sent[2]["params"]["inputResponses"], &sent[2]["params"]["requestState"]), (&answers, &"s".into()));
    assert_ne!(sent[1]["id"], sent[2]["id"]);
    // Not for ever; and what is declined is not answered.
    with(&[DISCOVER, ("tools/call", ASKS_ROOTS)], |client| {
        assert_eq!(client.call("t", &()).map(|_| ()), Err(Failure::Rounds { budget: 8 }));
    });
    let sample = Lines(&[
        r#"{"jsonrpc":"2.0","id":$,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage"}}}}"#,
    ]);
    with(&[DISCOVER, ("tools/call", sample)], |client| {
        assert_eq!(client.call("t", &()).map(|_| ()), Err(Failure::Refused(Refused::Declined)));
    });
}

#[test]
fn questions_to_nobody_end_the_call() {
    let mut script = Script::new(&[DISCOVER, ("tools/call", ASKS_ROOTS)]);
    let mut memory: Memory<2048, 1024> = Memory::new();
    let config = Config { capabilities: ABLE, ..config() };
    let mut client = Client::connect(memory.lend(), config, &mut script).expect("connected");
    assert_eq!(client.call("t", &()).map(|_| ()), Err(Failure::Rounds { budget: 0 }));
    assert_eq!(script.methods(), ["server/discover", "tools/call"]);
}

#[test]
#[cfg(feature = "legacy")]
fn questions_of_a_legacy_server_are_answered() {
    let asks = Lines(&[
        r#"{"jsonrpc":"2.0","id":"r","method":"roots/list"}"#,
        r#"{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage"}"#,
        r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":$,"result":{"content":[]}}"#,
    ]);
    let (_, _, sent) = with(&[NOT_FOUND, INITIALIZE, ("tools/call", asks)], |client| {
        client.call("t", &()).expect("answered");
    });
    let roots = sent.iter().find(|message| message["id"] == "r").expect("answered");
    assert_eq!(roots["result"]["roots"], serde_json::json!([]));
    let sample = sent.iter().find(|message| message["id"] == "s").expect("answered");
    assert_eq!(sample["error"]["code"], -1);
}

#[test]
fn subscriptions() {
    let begun = Lines(&[
        r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":$},"notifications":{}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"d"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":$},"uri":"a:1"}}"#,
    ]);
    let filter = ListenFilter { uris: &["a:1"], ..ListenFilter::default() };
    let (methods, told, _) = with(&[DISCOVER, ("subscriptions/listen", begun)], |client| {
        let handle = client.listen(&filter).expect("begun");
        let found = client.next_notification(Instant::from_millis(1_000)).expect("alive").map(say);
        assert_eq!(found.as_deref(), Some("updated 2 a:1"));
        assert!(client.next_notification(Instant::from_millis(1_000)).expect("alive").is_none());
        client.close_listen(handle, filter.uris).expect("closed");
        let mut again = Vec::new();
        client.relisten(&[filter], |filter, handle| again.push((filter.uris.len(), handle.id()))).expect("begun");
        assert_eq!(again, [(1, 3)]);
    });
    assert_eq!(methods, ["server/discover", "subscriptions/listen", "notifications/cancelled", "subscriptions/listen"]);
    assert_eq!(told, ["begun 2 {}", r#"log info - "d""#, "begun 3 {}"]);
    let refused = Lines(&[r#"{"jsonrpc":"2.0","id":$,"error":{"code":-32601,"message":"m"}}"#]);
    with(&[DISCOVER, ("subscriptions/listen", refused)], |client| {
        assert!(matches!(client.listen(&filter), Err(Failure::Remote { .. })));
    });
    let (methods, ..) = with(&[DISCOVER, ("subscriptions/listen", Interrupt)], |client| {
        assert_eq!(client.listen(&filter), Err(Failure::Cancelled));
    });
    assert_eq!(methods.last().map(String::as_str), Some("notifications/cancelled"));
}
