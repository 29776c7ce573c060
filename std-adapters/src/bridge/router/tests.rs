//! Tables: what comes in, and all that goes out because of it. No I/O takes part.
//!
//! A row's event is `a: MESSAGE` (a client says it), `s: MESSAGE` (the server), or a word about the server, a client or the time. `~` in a message
//! is `"jsonrpc":"2.0"`, `^` is the `_meta` of a modern request without its closing brace. What goes out is marked: `s:` to the server, and to client
//! `a` an answer `a!`, a question `a?` or a notification `a.`.

use std::collections::BTreeMap;

use umcp::time::{Duration, Instant};

use super::*;
use crate::bridge::message::{Message, Unread};

struct Rig {
    router: Router,
    names: BTreeMap<ClientId, char>,
    now: Instant,
    /// What is sent leaves at once.
    flows: bool,
}

impl Rig {
    fn new(limits: Limits) -> Rig {
        let mut router = Router::new("srv".to_owned(), limits, true);
        router.opened(Instant::ZERO);
        Rig { router, names: BTreeMap::new(), now: Instant::ZERO, flows: true }
    }

    fn event(&mut self, event: &str) {
        let (who, what) = event.split_once(':').map_or((event, ""), |(who, what)| (who, what.trim()));
        let words: Vec<&str> = event.split_whitespace().collect();
        match (who, words.as_slice()) {
            ("lost", _) => self.router.lost("the line was lost"),
            ("opened", _) => self.router.opened(self.now),
            ("stalls", _) => self.flows = false,
            (_, ["wait", millis]) => {
                self.now = self.now + Duration::from_millis(millis.parse().unwrap());
                self.router.expire(self.now);
            }
            (_, ["arriving", millis]) => {
                self.now = self.now + Duration::from_millis(millis.parse().unwrap());
                self.router.moved(false, true, true, self.now);
                self.router.expire(self.now);
            }
            (_, ["line" | "session" | "exchange", name]) => {
                let channel = match words[0] {
                    "line" => Channel::Line,
                    "session" => Channel::Session,
                    _ => Channel::Exchange,
                };
                let id = self.router.join(channel);
                self.names.insert(id, name.chars().next().unwrap());
            }
            (_, ["gone", name]) => {
                let id = self.client(name);
                self.router.leave(id);
            }
            ("s", _) => {
                self.router.moved(false, true, false, self.now);
                self.router.hear(expand(what).into_bytes(), self.now);
            }
            ("long", _) => self.router.too_long(Some(what.as_bytes().to_vec()), self.now),
            (name, _) => {
                let id = self.client(name);
                match Message::read(expand(what).into_bytes()) {
                    Ok(message) => drop(self.router.message(id, message, self.now)),
                    Err(Unread::Batch(items)) => drop(self.router.batch(id, items, self.now)),
                    Err(unread) => panic!("{event}: {unread:?}"),
                }
            }
        }
    }

    fn client(&self, name: &str) -> ClientId {
        *self.names.iter().find(|(_, other)| name == other.to_string()).unwrap().0
    }

    fn out(&mut self) -> Vec<String> {
        let mut told = Vec::new();
        while let Some(out) = self.router.next() {
            told.push(match out {
                Out::Server { text, call } => {
                    if let Some(key) = call.filter(|_| self.flows) {
                        self.router.left(key, self.now);
                    }
                    format!("s: {}", String::from_utf8(text).unwrap())
                }
                Out::Client(letter) => {
                    let mark = match letter.sort {
                        Sort::Answer(_) => '!',
                        Sort::Question => '?',
                        Sort::News => '.',
                    };
                    format!("{}{mark} {}", self.names[&letter.to], String::from_utf8(letter.text).unwrap())
                }
            });
        }
        told
    }
}

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28""#;

fn expand(text: &str) -> String {
    text.replace('~', r#""jsonrpc":"2.0""#).replace('^', META)
}

fn play(rows: &[(&str, &[&str])]) {
    play_with(Limits::DEFAULT, rows);
}

fn play_with(limits: Limits, rows: &[(&str, &[&str])]) {
    let mut rig = Rig::new(limits);
    for (index, (event, expected)) in rows.iter().enumerate() {
        rig.event(event);
        let expected: Vec<String> = expected.iter().map(|text| expand(text)).collect();
        assert_eq!(rig.out(), expected, "row {index}: {event}");
    }
}

#[test]
fn ids_are_given_back_as_they_were() {
    play(&[
        ("line a", &[]),
        ("exchange b", &[]),
        (r#"a: {~,"id":"0","method":"x"}"#, &[r#"s: {~,"id":1,"method":"x"}"#]),
        (r#"a: {~,"id":0,"method":"x"}"#, &[r#"s: {~,"id":2,"method":"x"}"#]),
        (r#"b: {"method":"x","id":"0",~}"#, &[r#"s: {"method":"x","id":3,~}"#]),
        (r#"a: {~,"id":12345678901234567890,"method":"x"}"#, &[r#"s: {~,"id":4,"method":"x"}"#]),
        (r#"s: {~,"id":2,"result":{"n":1.50}}"#, &[r#"a! {~,"id":0,"result":{"n":1.50}}"#]),
        (r#"s: {~,"result":{},"id":3}"#, &[r#"b! {~,"result":{},"id":"0"}"#]),
        (r#"s: {~,"id":"1","result":{}}"#, &[]),
        (
            r#"s: {~,"id":1,"error":{"code":-5,"message":"m","data":[1]}}"#,
            &[r#"a! {~,"id":"0","error":{"code":-5,"message":"m","data":[1]}}"#],
        ),
        (r#"s: {~,"id":1,"result":{}}"#, &[]),
        (r#"s: {~,"id":4,"result":{}}"#, &[r#"a! {~,"id":12345678901234567890,"result":{}}"#]),
        // An answer that is malformed is the client's to judge.
        (r#"a: {~,"id":5,"method":"x"}"#, &[r#"s: {~,"id":5,"method":"x"}"#]),
        (r#"s: {"id":5,"error":"e"}"#, &[r#"a! {"id":5,"error":"e"}"#]),
    ]);
}

#[test]
fn an_id_in_use_is_refused() {
    play(&[
        ("line a", &[]),
        (r#"a: {~,"id":1,"method":"x"}"#, &[r#"s: {~,"id":1,"method":"x"}"#]),
        (
            r#"a: {~,"id":1,"method":"x"}"#,
            &[
                r#"a! {~,"id":1,"error":{"code":-32600,"message":"Invalid Request: the id of a request that is still open"}}"#,
            ],
        ),
        (r#"s: {~,"id":1,"result":{}}"#, &[r#"a! {~,"id":1,"result":{}}"#]),
        (r#"a: {~,"id":1,"method":"x"}"#, &[r#"s: {~,"id":3,"method":"x"}"#]),
    ]);
}

#[test]
fn progress_finds_its_request() {
    play(&[
        ("exchange a", &[]),
        ("exchange b", &[]),
        (
            r#"a: {~,"id":1,"method":"x","params":{^,"progressToken":"t"}}}"#,
            &[r#"s: {~,"id":1,"method":"x","params":{^,"progressToken":1}}}"#],
        ),
        (
            r#"b: {~,"id":1,"method":"x","params":{^,"progressToken":"t"}}}"#,
            &[r#"s: {~,"id":2,"method":"x","params":{^,"progressToken":2}}}"#],
        ),
        (
            r#"a: {~,"id":3,"method":"x","params":{^,"progressToken":{}}}}"#,
            &[r#"s: {~,"id":3,"method":"x","params":{^,"progressToken":{}}}}"#],
        ),
        (
            r#"s: {~,"method":"notifications/progress","params":{"progress":0.10,"progressToken":2}}"#,
            &[r#"b. {~,"method":"notifications/progress","params":{"progress":0.10,"progressToken":"t"}}"#],
        ),
        (r#"s: {~,"method":"notifications/progress","params":{"progress":1,"progressToken":"2"}}"#, &[]),
        (r#"s: {~,"method":"notifications/progress","params":{"progress":1,"progressToken":3}}"#, &[]),
        (r#"s: {~,"id":2,"result":{}}"#, &[r#"b! {~,"id":1,"result":{}}"#]),
        (r#"s: {~,"method":"notifications/progress","params":{"progress":1,"progressToken":2}}"#, &[]),
    ]);
}

#[test]
fn cancelling() {
    let cancel =
        |id: &str| format!(r#"{{~,"method":"notifications/cancelled","params":{{"requestId":{id},"reason":"r"}}}}"#);
    play(&[
        ("line a", &[]),
        ("session b", &[]),
        (r#"a: {~,"id":7,"method":"x"}"#, &[r#"s: {~,"id":1,"method":"x"}"#]),
        (&format!("b: {}", cancel("7")), &[]),
        (&format!("a: {}", cancel("\"7\"")), &[]),
        (&format!("a: {}", cancel("7")), &[&format!("s: {}", cancel("1")), "a! "]),
        (r#"s: {~,"id":1,"result":{}}"#, &[]),
        (&format!("a: {}", cancel("7")), &[]),
        (r#"b: {~,"id":7,"method":"x"}"#, &[r#"s: {~,"id":2,"method":"x"}"#]),
        (
            "gone b",
            &[r#"s: {~,"method":"notifications/cancelled","params":{"requestId":2,"reason":"the client has gone"}}"#],
        ),
        (r#"s: {~,"id":2,"result":{}}"#, &[]),
    ]);
}

#[test]
fn subscriptions_are_told_apart() {
    let news = |id: &str, method: &str| {
        format!(
            r#"{{~,"method":"{method}","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}},"uri":"u"}}}}"#
        )
    };
    let end = |id: &str, subscription: &str| {
        format!(
            r#"{{~,"id":{id},"result":{{"resultType":"complete","_meta":{{"io.modelcontextprotocol/subscriptionId":{subscription}}}}}}}"#
        )
    };
    let acknowledged = "notifications/subscriptions/acknowledged";
    play(&[
        ("line a", &[]),
        ("exchange b", &[]),
        (
            r#"a: {~,"id":"L","method":"subscriptions/listen","params":{^}}}"#,
            &[r#"s: {~,"id":1,"method":"subscriptions/listen","params":{^}}}"#],
        ),
        (
            r#"b: {~,"id":1,"method":"subscriptions/listen","params":{^}}}"#,
            &[r#"s: {~,"id":2,"method":"subscriptions/listen","params":{^}}}"#],
        ),
        (&format!("s: {}", news("2", acknowledged)), &[&format!("b. {}", news("1", acknowledged))]),
        (&format!("s: {}", news("1", acknowledged)), &[&format!("a. {}", news("\"L\"", acknowledged))]),
        ("wait 1000000000", &[]),
        (&format!("s: {}", news("1", "n")), &[&format!("a. {}", news("\"L\"", "n"))]),
        (&format!("s: {}", news("\"1\"", "n")), &[]),
        (&format!("s: {}", news("3", "n")), &[]),
        (&format!("s: {}", end("1", "1")), &[&format!("a! {}", end("\"L\"", "\"L\""))]),
        (&format!("s: {}", news("1", "n")), &[]),
        // Torn down without a result: over HTTP the stream ends.
        (r#"s: {~,"method":"notifications/cancelled","params":{"requestId":2}}"#, &[]),
        (&format!("s: {}", news("2", "n")), &[]),
        ("wait 1000", &["b! "]),
        (
            r#"a: {~,"id":"M","method":"subscriptions/listen","params":{^}}}"#,
            &[r#"s: {~,"id":3,"method":"subscriptions/listen","params":{^}}}"#],
        ),
        (
            r#"s: {~,"method":"notifications/cancelled","params":{"requestId":3}}"#,
            &[r#"a. {~,"method":"notifications/cancelled","params":{"requestId":"M"}}"#],
        ),
        (&format!("s: {}", end("3", "3")), &[&format!("a! {}", end("\"M\"", "\"M\""))]),
    ]);
}

#[test]
fn one_handshake_for_all() {
    let initialize = |id: &str, who: &str| {
        format!(r#"{{~,"id":{id},"method":"initialize","params":{{"protocolVersion":"2025-11-25","who":"{who}"}}}}"#)
    };
    let result = |id: &str| format!(r#"{{~,"id":{id},"result":{{"protocolVersion":"2025-06-18","x":[]}}}}"#);
    let initialized = r#"{~,"method":"notifications/initialized"}"#;
    play(&[
        ("session a", &[]),
        ("session b", &[]),
        ("session c", &[]),
        (&format!("a: {}", initialize("0", "a")), &[&format!("s: {}", initialize("1", "a"))]),
        (&format!("b: {}", initialize("\"b\"", "b")), &[]),
        (&format!("s: {}", result("1")), &[&format!("b! {}", result("\"b\"")), &format!("a! {}", result("0"))]),
        (&format!("b: {initialized}"), &[&format!("s: {initialized}")]),
        (&format!("a: {initialized}"), &[]),
        (&format!("c: {}", initialize("9", "c")), &[&format!("c! {}", result("9"))]),
        // Whoever knows only older revisions is told so; newer ones, the one that is spoken.
        ("session o", &[]),
        (
            r#"o: {~,"id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#,
            &[r#"o! {~,"id":1,"result":{"protocolVersion":"2025-03-26","x":[]}}"#],
        ),
        (r#"o: [{~,"id":1,"method":"ping"}]"#, &[r#"s: {~,"id":6,"method":"ping"}"#]),
        (r#"s: {~,"id":6,"result":{}}"#, &[r#"o! [{~,"id":1,"result":{}}]"#]),
        ("gone o", &[]),
        // Messages without an owner go to all of them.
        (
            r#"s: {~,"method":"notifications/tools/list_changed"}"#,
            &[
                r#"a. {~,"method":"notifications/tools/list_changed"}"#,
                r#"b. {~,"method":"notifications/tools/list_changed"}"#,
                r#"c. {~,"method":"notifications/tools/list_changed"}"#,
            ],
        ),
        // The server asks whom it knows, or who waits.
        (r#"s: {~,"id":1,"method":"roots/list"}"#, &[r#"a? {~,"id":1,"method":"roots/list"}"#]),
        (r#"b: {~,"id":1,"result":{}}"#, &[]),
        (r#"a: {~,"id":"1","result":{}}"#, &[]),
        (r#"a: {~,"id":1,"result":{"roots":[]}}"#, &[r#"s: {~,"id":1,"result":{"roots":[]}}"#]),
        (r#"a: {~,"id":1,"result":{"roots":[]}}"#, &[]),
        (r#"c: {~,"id":2,"method":"x"}"#, &[r#"s: {~,"id":7,"method":"x"}"#]),
        (
            r#"s: {~,"id":"q","method":"sampling/createMessage"}"#,
            &[r#"c? {~,"id":"q","method":"sampling/createMessage"}"#],
        ),
        // While it waits for the client, nothing times out.
        ("wait 10000000", &[]),
        (
            r#"c: {~,"id":"q","error":{"code":-1,"message":"no"}}"#,
            &[r#"s: {~,"id":"q","error":{"code":-1,"message":"no"}}"#],
        ),
        (
            r#"s: {~,"id":"r","method":"sampling/createMessage"}"#,
            &[r#"c? {~,"id":"r","method":"sampling/createMessage"}"#],
        ),
        (
            r#"s: {~,"method":"notifications/cancelled","params":{"requestId":"r"}}"#,
            &[r#"c. {~,"method":"notifications/cancelled","params":{"requestId":"r"}}"#],
        ),
        (r#"c: {~,"id":"r","result":{}}"#, &[]),
        (r#"s: {~,"id":"t","method":"elicitation/create"}"#, &[r#"c? {~,"id":"t","method":"elicitation/create"}"#]),
        (
            "gone c",
            &[
                r#"s: {~,"method":"notifications/cancelled","params":{"requestId":7,"reason":"the client has gone"}}"#,
                r#"s: {~,"id":"t","error":{"code":-32603,"message":"the client has gone"}}"#,
            ],
        ),
        ("gone a", &[]),
        (r#"s: {~,"id":2,"method":"roots/list"}"#, &[r#"b? {~,"id":2,"method":"roots/list"}"#]),
        ("gone b", &[r#"s: {~,"id":2,"error":{"code":-32603,"message":"the client has gone"}}"#]),
        (
            r#"s: {~,"id":3,"method":"roots/list"}"#,
            &[r#"s: {~,"id":3,"error":{"code":-32603,"message":"there is no client that could be asked"}}"#],
        ),
        (r#"s: {~,"id":4,"method":"ping"}"#, &[r#"s: {~,"id":4,"result":{}}"#]),
    ]);
}

#[test]
fn a_handshake_that_fails_is_the_next_ones_chance() {
    let initialize =
        |id: &str, who: &str| format!(r#"{{~,"id":{id},"method":"initialize","params":{{"who":"{who}"}}}}"#);
    play(&[
        ("session a", &[]),
        ("session b", &[]),
        ("session c", &[]),
        (&format!("a: {}", initialize("0", "a")), &[&format!("s: {}", initialize("1", "a"))]),
        (&format!("b: {}", initialize("0", "b")), &[]),
        (&format!("c: {}", initialize("0", "c")), &[]),
        ("gone b", &[]),
        (
            r#"s: {~,"id":1,"error":{"code":-32602,"message":"m"}}"#,
            &[&format!("s: {}", initialize("3", "c")), r#"a! {~,"id":0,"error":{"code":-32602,"message":"m"}}"#],
        ),
        ("gone c", &[]),
        (&format!("a: {}", initialize("1", "a")), &[]),
        (
            r#"s: {~,"id":3,"result":{"protocolVersion":"2025-03-26"}}"#,
            &[r#"a! {~,"id":1,"result":{"protocolVersion":"2025-03-26"}}"#],
        ),
    ]);
}

#[test]
fn a_handshake_is_repeated_when_the_line_is_back() {
    let initialize = |id: &str| format!(r#"{{~,"id":{id},"method":"initialize","params":{{}}}}"#);
    let initialized = r#"{~,"method":"notifications/initialized"}"#;
    play(&[
        ("line a", &[]),
        (&format!("a: {}", initialize("0")), &[&format!("s: {}", initialize("1"))]),
        (r#"s: {~,"id":1,"result":{}}"#, &[r#"a! {~,"id":0,"result":{}}"#]),
        (&format!("a: {initialized}"), &[&format!("s: {initialized}")]),
        (r#"a: {~,"id":2,"method":"x"}"#, &[r#"s: {~,"id":2,"method":"x"}"#]),
        (r#"s: {~,"id":"q","method":"roots/list"}"#, &[r#"a? {~,"id":"q","method":"roots/list"}"#]),
        (
            "lost",
            &[
                r#"a. {~,"method":"notifications/cancelled","params":{"requestId":"q","reason":"the server has gone"}}"#,
                r#"a! {~,"id":2,"error":{"code":-32603,"message":"srv: the line was lost; whether the request was carried out is not known"}}"#,
            ],
        ),
        ("lost", &[]),
        (
            r#"a: {~,"id":3,"method":"x"}"#,
            &[r#"a! {~,"id":3,"error":{"code":-32603,"message":"srv: the line was lost"}}"#],
        ),
        (r#"a: {~,"method":"n"}"#, &[]),
        (r#"a: {~,"id":"q","result":{}}"#, &[]),
        ("opened", &[&format!("s: {}", initialize("4"))]),
        (r#"a: {~,"id":4,"method":"x"}"#, &[]),
        (r#"s: {~,"id":2,"result":{}}"#, &[]),
        (r#"s: {~,"id":4,"result":{}}"#, &[&format!("s: {initialized}"), r#"s: {~,"id":5,"method":"x"}"#]),
        (r#"s: {~,"id":5,"result":{}}"#, &[r#"a! {~,"id":4,"result":{}}"#]),
        // The server refuses, or says nothing.
        ("lost", &[]),
        ("opened", &[&format!("s: {}", initialize("6"))]),
        (r#"a: {~,"id":5,"method":"x"}"#, &[]),
        ("wait 5000", &[r#"s: {~,"id":7,"method":"x"}"#]),
        (
            "lost",
            &[
                r#"a! {~,"id":5,"error":{"code":-32603,"message":"srv: the line was lost; whether the request was carried out is not known"}}"#,
            ],
        ),
        ("opened", &[]),
    ]);
}

#[test]
fn a_handshake_is_repeated_when_the_server_may_have_been_reset() {
    let initialize = |id: &str| format!(r#"{{~,"id":{id},"method":"initialize","params":{{}}}}"#);
    let initialized = r#"{~,"method":"notifications/initialized"}"#;
    play(&[
        ("session a", &[]),
        ("exchange m", &[]),
        ("s: noise before there is anything to repeat", &[]),
        (&format!("a: {}", initialize("0")), &[&format!("s: {}", initialize("1"))]),
        (r#"s: {~,"id":1,"result":{}}"#, &[r#"a! {~,"id":0,"result":{}}"#]),
        (&format!("a: {initialized}"), &[&format!("s: {initialized}")]),
        // It starts, and says so. A modern client does not care.
        ("s: boot v1", &[]),
        (r#"m: {~,"id":1,"method":"x","params":{^}}}"#, &[r#"s: {~,"id":2,"method":"x","params":{^}}}"#]),
        (r#"a: {~,"id":1,"method":"x"}"#, &[&format!("s: {}", initialize("4"))]),
        (r#"s: {~,"id":4,"result":{}}"#, &[&format!("s: {initialized}"), r#"s: {~,"id":3,"method":"x"}"#]),
        // It does so without a word.
        (
            "wait 60000",
            &[
                r#"s: {~,"method":"notifications/cancelled","params":{"requestId":2,"reason":"no answer in time"}}"#,
                r#"m! {~,"id":1,"error":{"code":-32603,"message":"srv has not answered within 60000 ms; the request was cancelled"}}"#,
                r#"s: {~,"method":"notifications/cancelled","params":{"requestId":3,"reason":"no answer in time"}}"#,
                r#"a! {~,"id":1,"error":{"code":-32603,"message":"srv has not answered within 60000 ms; the request was cancelled"}}"#,
            ],
        ),
        (r#"a: {~,"id":2,"method":"x"}"#, &[&format!("s: {}", initialize("6"))]),
        // It was not reset after all, and has no use for a second handshake.
        (r#"s: {~,"id":6,"error":{"code":-1,"message":"m"}}"#, &[r#"s: {~,"id":5,"method":"x"}"#]),
        (r#"s: {~,"id":5,"result":{}}"#, &[r#"a! {~,"id":2,"result":{}}"#]),
        (r#"a: {~,"id":3,"method":"x"}"#, &[r#"s: {~,"id":7,"method":"x"}"#]),
        ("session b", &[]),
        (&format!("b: {}", initialize("0")), &[r#"b! {~,"id":0,"result":{}}"#]),
    ]);
}

#[test]
fn time_is_counted_from_when_it_is_fair() {
    let gone = |id: &str| {
        format!(
            r#"a! {{~,"id":{id},"error":{{"code":-32603,"message":"srv has not answered within 100 ms; the request was cancelled"}}}}"#
        )
    };
    let cancelled = |id: &str| {
        format!(
            r#"s: {{~,"method":"notifications/cancelled","params":{{"requestId":{id},"reason":"no answer in time"}}}}"#
        )
    };
    let limits = Limits { answer: Some(Duration::from_millis(100)), ..Limits::DEFAULT };
    play_with(
        limits,
        &[
            ("line a", &[]),
            (
                r#"a: {~,"id":1,"method":"x","params":{^,"progressToken":1}}}"#,
                &[r#"s: {~,"id":1,"method":"x","params":{^,"progressToken":1}}}"#],
            ),
            ("wait 99", &[]),
            (
                r#"s: {~,"method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#,
                &[r#"a. {~,"method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#],
            ),
            ("wait 99", &[]),
            ("wait 1", &[&cancelled("1"), &gone("1")]),
            (r#"s: {~,"id":1,"result":{}}"#, &[]),
            // An answer that takes long to arrive.
            (r#"a: {~,"id":2,"method":"x"}"#, &[r#"s: {~,"id":2,"method":"x"}"#]),
            ("arriving 90", &[]),
            ("arriving 90", &[]),
            (r#"s: {~,"id":2,"result":{}}"#, &[r#"a! {~,"id":2,"result":{}}"#]),
            // An answer that breaks off.
            (r#"a: {~,"id":3,"method":"x"}"#, &[r#"s: {~,"id":3,"method":"x"}"#]),
            ("arriving 90", &[]),
            ("wait 99", &[]),
            ("wait 1", &[&cancelled("3"), &gone("3")]),
            // A line that takes nothing.
            ("stalls", &[]),
            (r#"a: {~,"id":4,"method":"initialize"}"#, &[r#"s: {~,"id":4,"method":"initialize"}"#]),
            ("wait 99", &[]),
            ("wait 1", &[&gone("4")]),
        ],
    );
}

#[test]
fn bounds_are_told() {
    let limits = Limits { requests: 2, questions: 1, subscriptions: 1, ..Limits::DEFAULT };
    play_with(
        limits,
        &[
            ("line a", &[]),
            (r#"a: {~,"id":1,"method":"x"}"#, &[r#"s: {~,"id":1,"method":"x"}"#]),
            (r#"a: {~,"id":2,"method":"x"}"#, &[r#"s: {~,"id":2,"method":"x"}"#]),
            (
                r#"a: {~,"id":3,"method":"x"}"#,
                &[
                    r#"a! {~,"id":3,"error":{"code":-32603,"message":"too many requests are in flight: at most 2; try again when one has ended","data":{"limit":2}}}"#,
                ],
            ),
            (r#"s: {~,"id":8,"method":"roots/list"}"#, &[r#"a? {~,"id":8,"method":"roots/list"}"#]),
            (
                r#"s: {~,"id":9,"method":"roots/list"}"#,
                &[r#"s: {~,"id":9,"error":{"code":-32603,"message":"too many requests to clients are open"}}"#],
            ),
            (
                "long: 2",
                &[r#"a! {~,"id":2,"error":{"code":-32603,"message":"srv has answered with more than 4194304 bytes"}}"#],
            ),
            ("long: 2", &[]),
            ("long: \"1\"", &[]),
            (
                r#"a: {~,"id":4,"method":"resources/subscribe","params":{"uri":"u"}}"#,
                &[r#"s: {~,"id":4,"method":"resources/subscribe","params":{"uri":"u"}}"#],
            ),
            (r#"s: {~,"id":4,"result":{}}"#, &[r#"a! {~,"id":4,"result":{}}"#]),
            (
                r#"a: {~,"id":5,"method":"resources/subscribe","params":{"uri":"v"}}"#,
                &[
                    r#"a! {~,"id":5,"error":{"code":-32603,"message":"too many subscriptions: at most 1","data":{"limit":1}}}"#,
                ],
            ),
        ],
    );
}

#[test]
fn resources_are_unsubscribed_from_by_the_last() {
    let ask = |id: &str, verb: &str, uri: &str| {
        format!(r#"{{~,"id":{id},"method":"resources/{verb}","params":{{"uri":"{uri}"}}}}"#)
    };
    let done = |id: &str| format!(r#"{{~,"id":{id},"result":{{}}}}"#);
    let updated = |uri: &str| format!(r#"{{~,"method":"notifications/resources/updated","params":{{"uri":"{uri}"}}}}"#);
    play(&[
        ("session a", &[]),
        ("session b", &[]),
        (r#"a: {~,"id":0,"method":"initialize"}"#, &[r#"s: {~,"id":1,"method":"initialize"}"#]),
        (&format!("s: {}", done("1")), &[&format!("a! {}", done("0"))]),
        (r#"b: {~,"id":0,"method":"initialize"}"#, &[&format!("b! {}", done("0"))]),
        (&format!("a: {}", ask("1", "subscribe", "u")), &[&format!("s: {}", ask("3", "subscribe", "u"))]),
        (&format!("s: {}", done("3")), &[&format!("a! {}", done("1"))]),
        (&format!("s: {}", updated("u")), &[&format!("a. {}", updated("u"))]),
        (&format!("s: {}", updated("u/1")), &[&format!("a. {}", updated("u/1")), &format!("b. {}", updated("u/1"))]),
        (&format!("b: {}", ask("1", "subscribe", "u")), &[&format!("s: {}", ask("4", "subscribe", "u"))]),
        (&format!("s: {}", done("4")), &[&format!("b! {}", done("1"))]),
        (&format!("a: {}", ask("2", "unsubscribe", "u")), &[&format!("a! {}", done("2"))]),
        (&format!("s: {}", updated("u")), &[&format!("b. {}", updated("u"))]),
        (&format!("b: {}", ask("2", "unsubscribe", "u")), &[&format!("s: {}", ask("6", "unsubscribe", "u"))]),
        (&format!("s: {}", done("6")), &[&format!("b! {}", done("2"))]),
    ]);
}

#[test]
fn batches_go_one_by_one_and_come_back_together() {
    play(&[
        ("line a", &[]),
        (
            r#"a: [{~,"id":1,"method":"x"},{~,"method":"n"},{~,"id":"2","method":"y"},{~,"id":1,"method":"z"},7]"#,
            &[r#"s: {~,"id":2,"method":"x"}"#, r#"s: {~,"method":"n"}"#, r#"s: {~,"id":3,"method":"y"}"#],
        ),
        (r#"s: {~,"id":3,"result":{}}"#, &[]),
        (
            r#"s: {~,"id":2,"result":{}}"#,
            &[
                r#"a! [{~,"id":1,"error":{"code":-32600,"message":"Invalid Request: the id of a request that is still open"}},{~,"error":{"code":-32600,"message":"Invalid Request: a message is a JSON object"}},{~,"id":"2","result":{}},{~,"id":1,"result":{}}]"#,
            ],
        ),
        (r#"a: [{~,"method":"n"}]"#, &[r#"s: {~,"method":"n"}"#]),
        // A server that answers together.
        (r#"a: {~,"id":1,"method":"x"}"#, &[r#"s: {~,"id":6,"method":"x"}"#]),
        (r#"a: {~,"id":2,"method":"x"}"#, &[r#"s: {~,"id":7,"method":"x"}"#]),
        (
            r#"s: [{~,"id":7,"result":{}},{~,"id":6,"result":{}}]"#,
            &[r#"a! {~,"id":2,"result":{}}"#, r#"a! {~,"id":1,"result":{}}"#],
        ),
        (r#"a: [{~,"id":1,"method":"x"}]"#, &[r#"s: {~,"id":9,"method":"x"}"#]),
        (
            r#"a: {~,"method":"notifications/cancelled","params":{"requestId":1}}"#,
            &[r#"s: {~,"method":"notifications/cancelled","params":{"requestId":9}}"#, "a! "],
        ),
        (r#"a: [{~,"id":1,"method":"x"}]"#, &[r#"s: {~,"id":11,"method":"x"}"#]),
        (
            "lost",
            &[
                r#"a! [{~,"id":1,"error":{"code":-32603,"message":"srv: the line was lost; whether the request was carried out is not known"}}]"#,
            ],
        ),
    ]);
}

#[test]
fn logs_go_to_whoever_asked() {
    let log = r#"{~,"method":"notifications/message","params":{"level":"info","data":1}}"#;
    let asks = r#"{~,"id":1,"method":"x","params":{^,"io.modelcontextprotocol/logLevel":"info"}}}"#;
    play(&[
        ("exchange a", &[]),
        ("exchange b", &[]),
        ("exchange c", &[]),
        (&format!("s: {log}"), &[]),
        (&format!("a: {asks}"), &[&format!("s: {asks}")]),
        (r#"b: {~,"id":1,"method":"x","params":{^}}}"#, &[r#"s: {~,"id":2,"method":"x","params":{^}}}"#]),
        (&format!("s: {log}"), &[&format!("a. {log}")]),
        ("line d", &[]),
        (&format!("s: {log}"), &[&format!("a. {log}"), &format!("d. {log}")]),
        (r#"s: {~,"id":1,"result":{}}"#, &[r#"a! {~,"id":1,"result":{}}"#]),
        (&format!("s: {log}"), &[&format!("d. {log}")]),
    ]);
}

#[test]
fn noise_before_a_message_is_passed_over() {
    let result = r#"{~,"id":1,"result":{}}"#;
    for noise in [
        "boot v1.2 \u{0}\u{1} ready> ",
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"half"#,
        r#"{"a":{"jsonrpc":"2.0"}"#,
        "[",
        "{",
        "\"",
    ] {
        play(&[
            ("line a", &[]),
            (r#"a: {~,"id":9,"method":"x"}"#, &[r#"s: {~,"id":1,"method":"x"}"#]),
            ("s: garbage", &[]),
            ("s: {}", &[]),
            ("s: 7", &[]),
            ("s: ", &[]),
            (&format!("s: {noise}{result}"), &[r#"a! {~,"id":9,"result":{}}"#]),
        ]);
    }
    // Nested in another message that is whole, it is part of it.
    play(&[
        ("line a", &[]),
        (r#"a: {~,"id":9,"method":"x"}"#, &[r#"s: {~,"id":1,"method":"x"}"#]),
        (
            r#"s: noise {~,"id":1,"result":{"x":{"jsonrpc":"2.0","id":1,"result":{}}}}"#,
            &[r#"a! {~,"id":9,"result":{"x":{"jsonrpc":"2.0","id":1,"result":{}}}}"#],
        ),
    ]);
    // Whose it was is known only where there is one client.
    let error = r#"{~,"error":{"code":-32700,"message":"m"}}"#;
    play(&[
        ("exchange a", &[]),
        (&format!("s: {error}"), &[]),
        ("gone a", &[]),
        ("line b", &[]),
        (&format!("s: {error}"), &[&format!("b. {error}")]),
    ]);
}
