//! Tools that differ by a number only.
#![cfg(feature = "server")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::Value as Json;
use umcp::server::{Catalog, Connection, Endpoint, Event, Family, Memory};
use umcp::time::Instant;
use umcp::tool;

const COUNT: usize = 1000;
const SCHEMA: &str = r#"{"type":"object","properties":{"level":{"type":"boolean"}}}"#;

static FAMILY: Family<Vec<usize>> = Family::new(
    COUNT,
    |n, entry| entry.write(&format_args!("pin_{n:04}"), "Switches a \"pin\".", SCHEMA),
    |name| name.strip_prefix("pin_").filter(|digits| digits.len() == 4)?.parse().ok(),
    |called, n, call| {
        called.push(n);
        call.text("on")
    },
);

static CATALOG: Catalog<Vec<usize>> = Catalog::new("pins", "1")
    .tools(&[tool!("alone", "d", |_, call| call.text("alone"))])
    .tool_family(&FAMILY)
    .page_size(300);

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Asks once, and drains what comes through a transmit buffer of 256 bytes.
fn ask(called: &mut Vec<usize>, method: &str, params: &str) -> Json {
    let mut memory = Memory::<512, 256>::new();
    let mut conn = Connection::line(memory.lend());
    let mut endpoint = Endpoint::new(&CATALOG);
    let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{{{params}{META}}}}}\n");
    conn.receive_buffer()[..line.len()].copy_from_slice(line.as_bytes());
    conn.commit(line.len());
    let mut out = Vec::new();
    loop {
        let quiet = matches!(conn.next_event(&mut endpoint, called, Instant::ZERO), Event::NeedData);
        if quiet && conn.transmit().is_empty() {
            return serde_json::from_slice(&out).unwrap();
        }
        out.extend_from_slice(conn.transmit());
        let sent = conn.transmit().len();
        conn.transmitted(sent);
    }
}

#[test]
fn a_family_is_listed_behind_the_others_in_pages() {
    let (mut names, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = &ask(&mut Vec::new(), "tools/list", &cursor)["result"];
        for tool in page["tools"].as_array().unwrap() {
            names.push(tool["name"].as_str().unwrap().to_owned());
            if names.len() > 1 {
                assert_eq!(tool["description"], "Switches a \"pin\".");
                assert_eq!(tool["inputSchema"], serde_json::from_str::<Json>(SCHEMA).unwrap());
            }
        }
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("\"cursor\":\"{next}\","),
            None => break,
        }
    }
    let expected: Vec<String> =
        std::iter::once("alone".to_owned()).chain((0..COUNT).map(|n| format!("pin_{n:04}"))).collect();
    assert_eq!(names, expected);
}

#[test]
fn each_is_called_by_its_name() {
    let mut called = Vec::new();
    for (name, is_known) in
        [("alone", true), ("pin_0000", true), ("pin_0999", true), ("pin_1000", false), ("pin_1", false), ("x", false)]
    {
        let reply = ask(&mut called, "tools/call", &format!("\"name\":\"{name}\","));
        assert_eq!(reply["result"].is_object(), is_known, "{name}: {reply}");
        assert_eq!(reply["error"]["code"].as_i64(), (!is_known).then_some(-32602), "{name}");
    }
    assert_eq!(called, [0, 999]);
}
