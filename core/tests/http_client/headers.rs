//! The headers of requests: what they mirror, what the caller adds, and what does not fit.

use umcp::client::{Options, Refused};
use umcp::frame::http::HeadWriter;
use umcp::http::client::{AnnotationFault, Connection, Memory, Target};
use umcp::json::Writer;
use umcp::mcp::List;
use umcp::time::Instant;

use crate::modern::known;
use crate::rig::{Rig, json};

const T0: Instant = Instant::ZERO;

/// The headers of the latest request, those that the rig has not checked.
fn mirrored(rig: &mut Rig<'_>) -> String {
    rig.settle();
    let line = rig.log.pop().expect("sent");
    rig.log.clear();
    line.split_once(" 2026-07-28").expect("a version").1.trim_start().to_string()
}

fn rig(memory: &mut Memory<2048, 2048>) -> Rig<'_> {
    let mut rig = Rig::new(memory.lend(), known());
    rig.settle();
    rig
}

/// Asks for something; whether it was sent.
type Ask = fn(&mut Connection<'_>) -> bool;

fn with_name(w: &mut Writer<'_>) {
    w.member_str("name", "n");
}

#[test]
fn names_are_mirrored_and_encoded() {
    let table: &[(Ask, &str)] = &[
        (|conn| conn.send(|e| e.call("t1", &(), Options::DEFAULT, T0)).is_ok(), "Mcp-Name=t1"),
        (
            |conn| conn.send(|e| e.call("Hello, 世界", &(), Options::DEFAULT, T0)).is_ok(),
            "Mcp-Name==?base64?SGVsbG8sIOS4lueVjA==?=",
        ),
        (
            |conn| conn.send(|e| e.call("=?base64?literal?=", &(), Options::DEFAULT, T0)).is_ok(),
            "Mcp-Name==?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
        ),
        (
            |conn| conn.send(|e| e.call("a\"b\n\u{1}\u{1F980}", &(), Options::DEFAULT, T0)).is_ok(),
            "Mcp-Name==?base64?YSJiCgHwn6aA?=",
        ),
        (
            |conn| conn.send(|e| e.read_resource("board://led?a=1", Options::DEFAULT, T0)).is_ok(),
            "Mcp-Name=board://led?a=1",
        ),
        (|conn| conn.send(|e| e.prompt("diagnose", &(), Options::DEFAULT, T0)).is_ok(), "Mcp-Name=diagnose"),
        (|conn| conn.send(|e| e.list(List::Tools, None, Options::DEFAULT, T0)).is_ok(), ""),
        (|conn| conn.send(|e| e.discover(Options::DEFAULT, T0)).is_ok(), ""),
        (|conn| conn.send(|e| e.request("x/y", with_name, Options::DEFAULT, T0)).is_ok(), ""),
    ];
    for (ask, expected) in table {
        let mut memory = Memory::new();
        let mut rig = rig(&mut memory);
        assert!(ask(&mut rig.conn), "{expected}");
        assert_eq!(mirrored(&mut rig), *expected);
    }
}

/// A caller with a name.
struct Named;

impl Target for Named {
    fn host(&self) -> &str {
        "h:1"
    }

    fn path(&self) -> &str {
        "/mcp"
    }

    fn agent(&self) -> Option<&str> {
        Some("tester/1.0")
    }
}

#[test]
fn the_agent_is_left_out_where_there_is_no_room_for_it() {
    const AGENT: &str = "User-Agent: tester/1.0\r\n";
    let sent = |transmit: usize| {
        let (mut memory, mut out) = (Memory::<2048, 2048>::new(), vec![0; transmit]);
        let mut lent = memory.lend();
        lent.client.transmit = &mut out;
        let mut conn = Connection::new(lent, known(), &Named);
        while !matches!(conn.next_event(T0), umcp::client::Event::NeedData) {}
        let sent = conn.send(|e| e.read_resource("board://led", Options::DEFAULT, T0));
        sent.map(|_| {
            while !matches!(conn.next_event(T0), umcp::client::Event::NeedData) {}
            conn.opened();
            while !matches!(conn.next_event(T0), umcp::client::Event::NeedData) {}
            String::from_utf8(conn.transmit().to_vec()).unwrap()
        })
    };
    let whole = sent(2048).unwrap();
    assert!(whole.contains(AGENT), "{whole}");
    assert_eq!(sent(whole.len()), Ok(whole.clone()));
    let bare = whole.replace(AGENT, "");
    for transmit in [whole.len() - 1, bare.len() + 1, bare.len()] {
        assert_eq!(sent(transmit), Ok(bare.clone()), "{transmit}");
    }
    assert!(sent(bare.len() - 1).is_err());
}

/// Lists one tool with this schema; what is found wrong with it.
fn learn(rig: &mut Rig<'_>, schema: &str) -> Result<(), AnnotationFault> {
    rig.conn.send(|e| e.list(List::Tools, None, Options::DEFAULT, T0)).expect("sent");
    rig.settle();
    let id = rig.conn.in_flight().expect("in flight").id();
    let tools = format!(r#"{{"name":"sql","inputSchema":{schema}}}"#);
    let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{tools}]}}}}"#);
    // The response is held until the next call.
    let reply = json("200 OK", &body);
    rig.conn.receive_buffer()[..reply.len()].copy_from_slice(&reply);
    rig.conn.commit(reply.len());
    assert!(matches!(rig.conn.advance(T0), umcp::client::Happened::Response(_)));
    let mut found = None;
    rig.conn.learn_tools(true, |_, learned| found = Some(learned));
    assert!(rig.conn.knows_tools());
    rig.settle();
    rig.log.clear();
    found.expect("a tool")
}

#[test]
fn annotated_parameters_are_mirrored() {
    let mut memory = Memory::new();
    let mut rig = rig(&mut memory);
    assert!(!rig.conn.knows_tools());
    let schema = r#"{"type":"object","properties":{
        "region":{"type":"string","x-mcp-header":"Region"},
        "n":{"type":"integer","x-mcp-header":"Count"},
        "flag":{"type":["boolean","null"],"x-mcp-header":"Flag"},
        "x-mcp-header":{"type":"string","default":{"x-mcp-header":1}},
        "dee\"p":{"type":"object","properties":{"":{"type":"string","x-mcp-header":"Deep"}}}}}"#;
    assert_eq!(learn(&mut rig, schema), Ok(()));
    let table = [
        (r#"{"region":"us-west1"}"#, "Mcp-Param-Region=us-west1"),
        (r#"{"region":"Hello, 世界"}"#, "Mcp-Param-Region==?base64?SGVsbG8sIOS4lueVjA==?="),
        (r#"{"region":"line1\r\nX: y"}"#, "Mcp-Param-Region==?base64?bGluZTENClg6IHk=?="),
        (r#"{"region":""}"#, "Mcp-Param-Region="),
        (r#"{"region":null,"n":-7,"flag":false}"#, "Mcp-Param-Count=-7 Mcp-Param-Flag=false"),
        (r#"{"flag":true,"n":9007199254740991}"#, "Mcp-Param-Count=9007199254740991 Mcp-Param-Flag=true"),
        (r#"{"region":{"a":1},"n":[2],"x-mcp-header":"z"}"#, ""),
        (r#"{"dee\"p":{"":" padded "}}"#, "Mcp-Param-Deep==?base64?IHBhZGRlZCA=?="),
        (r#"{"dee\"p":"no object"}"#, ""),
        (r#"{}"#, ""),
    ];
    for (arguments, expected) in table {
        let mut text = arguments.as_bytes().to_vec();
        let arguments = umcp::client::arguments(&mut text).expect("an object");
        rig.conn.send(|e| e.call_raw("sql", arguments, Options::DEFAULT, T0)).expect("sent");
        let handle = rig.conn.in_flight();
        assert_eq!(mirrored(&mut rig).trim_start_matches("Mcp-Name=sql").trim(), expected);
        assert!(rig.conn.cancel(handle.expect("in flight"), None));
        rig.settle();
        rig.log.clear();
    }
    rig.conn.send(|e| e.call("other", &serde_json::json!({"region": "x"}), Options::DEFAULT, T0)).expect("sent");
    assert_eq!(mirrored(&mut rig), "Mcp-Name=other", "they are another tool's");
}

#[test]
fn wrong_annotations_are_found() {
    use AnnotationFault::{Capacity, Duplicate, Name, NameTooLong, Type, Unreachable};
    let property = |property: &str| format!(r#"{{"type":"object","properties":{{"p":{property}}}}}"#);
    let string = |name: &str| property(&format!(r#"{{"type":"string","x-mcp-header":{name}}}"#));
    let kind = |kind: &str| property(&format!(r#"{{"type":{kind},"x-mcp-header":"P"}}"#));
    let good = r#"{"type":"string","x-mcp-header":"P"}"#;
    let two = |a: &str, b: &str| {
        let one = |name: &str| format!(r#"{{"type":"string","x-mcp-header":"{name}"}}"#);
        format!(r#"{{"properties":{{"a":{},"b":{}}}}}"#, one(a), one(b))
    };
    let table = [
        (property(good), Ok(())),
        (two("A", "B"), Ok(())),
        (string(r#""""#), Err(Name)),
        (string(r#""a b""#), Err(Name)),
        (string(r#""a:b""#), Err(Name)),
        (string(r#""a\r\nb""#), Err(Name)),
        (string(r#""a\u0001""#), Err(Name)),
        (string("\"\u{e9}\""), Err(Name)),
        (string("5"), Err(Name)),
        (string("null"), Err(Name)),
        (string(&format!("{:?}", "x".repeat(64))), Ok(())),
        (string(&format!("{:?}", "x".repeat(65))), Err(NameTooLong)),
        (kind(r#""integer""#), Ok(())),
        (kind(r#""boolean""#), Ok(())),
        (kind(r#"["string","null"]"#), Ok(())),
        (kind(r#""number""#), Err(Type)),
        (kind(r#"["string","number"]"#), Err(Type)),
        (kind(r#""object""#), Err(Type)),
        (kind(r#""array""#), Err(Type)),
        (kind(r#""null""#), Err(Type)),
        (kind(r#"["null"]"#), Err(Type)),
        (kind("[]"), Err(Type)),
        (property(r#"{"x-mcp-header":"P"}"#), Err(Type)),
        (two("A", "A"), Err(Duplicate)),
        (two("Abc", "aBC"), Err(Duplicate)),
        (r#"{"type":"string","x-mcp-header":"P"}"#.into(), Err(Unreachable)),
        (property(&format!(r#"{{"type":"array","items":{good}}}"#)), Err(Unreachable)),
        (property(&format!(r#"{{"oneOf":[{good}]}}"#)), Err(Unreachable)),
        (property(&format!(r#"{{"anyOf":[{{"properties":{{"q":{good}}}}}]}}"#)), Err(Unreachable)),
        (format!(r#"{{"$defs":{{"d":{good}}}}}"#), Err(Unreachable)),
        (format!(r#"{{"if":{{"properties":{{"q":{good}}}}}}}"#), Err(Unreachable)),
        (format!(r#"{{"additionalProperties":{good}}}"#), Err(Unreachable)),
        (property(&format!(r#"{{"type":"object","properties":{{"q":{good}}}}}"#)), Ok(())),
        (property(r#"{"type":"string","const":{"x-mcp-header":"a b"}}"#), Ok(())),
        ("true".into(), Ok(())),
        (format!(r#"{{"properties":{{"{}":{good}}}}}"#, "k".repeat(600)), Err(Capacity)),
    ];
    let mut memory = Memory::new();
    let mut rig = rig(&mut memory);
    for (schema, expected) in table {
        assert_eq!(learn(&mut rig, &schema), expected, "{schema}");
    }
}

struct Guarded(&'static str, &'static [u8]);

impl Target for Guarded {
    fn host(&self) -> &str {
        "h"
    }

    fn path(&self) -> &str {
        self.0
    }

    fn headers(&self, head: &mut HeadWriter<'_>) {
        head.header_parts("Authorization", &[b"Bearer ", self.1]);
    }
}

#[test]
fn the_caller_adds_headers() {
    let mut memory: Memory<512, 2048> = Memory::new();
    let target = Guarded("/a?b=c", b"secret");
    let mut conn = Connection::new(memory.lend(), known(), &target);
    assert!(matches!(conn.advance(T0), umcp::client::Happened::Connected));
    conn.send(|e| e.call("t1", &(), Options::DEFAULT, T0)).expect("sent");
    conn.opened();
    let sent = String::from_utf8(conn.transmit().to_vec()).expect("ASCII");
    assert!(sent.starts_with("POST /a?b=c HTTP/1.1\r\nHost: h\r\n"), "{sent}");
    assert!(sent.contains("\r\nAuthorization: Bearer secret\r\n"), "{sent}");
    for target in [Guarded("/a", b"line\nend"), Guarded("/a b", b"secret"), Guarded("", b"secret")] {
        let mut memory: Memory<512, 2048> = Memory::new();
        let mut conn = Connection::new(memory.lend(), known(), &target);
        assert!(matches!(conn.advance(T0), umcp::client::Happened::Connected));
        assert_eq!(conn.send(|e| e.call("t1", &(), Options::DEFAULT, T0)), Err(Refused::Headers));
        assert!(!conn.is_busy() && conn.transmit().is_empty());
    }
}

#[test]
fn what_does_not_fit_is_refused_and_says_by_how_much() {
    let mut memory: Memory<512, 2048> = Memory::new();
    let mut needed = None;
    for size in (0..2048).rev() {
        let lent = memory.lend();
        let (transmit, _) = lent.client.transmit.split_at_mut(size);
        let client = umcp::client::Lent { transmit, ..lent.client };
        let target = Guarded("/mcp", b"secret");
        let mut conn = Connection::new(umcp::http::client::Lent { client, ..lent }, known(), &target);
        assert!(matches!(conn.advance(T0), umcp::client::Happened::Connected));
        let sent = conn.send(|e| e.call("t1", &(), Options::DEFAULT, T0));
        conn.opened();
        match (sent, needed) {
            (Ok(_), None) if conn.transmit().len() == size => needed = Some(size),
            (Ok(_), None) => {}
            (Err(Refused::Capacity { needed: said }), Some(needed)) => {
                // The message itself is measured first, with its newline.
                let message = said < needed;
                assert!(said == needed || (message && size < said), "{size}: {said} of {needed}");
                assert!(!conn.is_busy());
            }
            other => panic!("{size}: {other:?}"),
        }
    }
    assert!(needed.is_some());
}
