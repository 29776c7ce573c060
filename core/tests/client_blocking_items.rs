//! The blocking client with results that are larger than its buffer.
#![cfg(feature = "client")]
#![allow(clippy::expect_used, clippy::panic, clippy::result_large_err, reason = "a test fails by panicking")]

use std::collections::VecDeque;
use std::ops::ControlFlow;

use serde_json::{Value as Json, json};
use umcp::client::{Config, Lost, Memory, Verdict};
use umcp::io::{Client, Failure, Moved, Piece, Wire};
use umcp::time::Instant;

/// A server that answers every request with what `answer` says to its method and how often it was asked.
struct Script {
    answer: fn(&str, usize) -> Json,
    line: Vec<u8>,
    arriving: VecDeque<u8>,
    asked: Vec<String>,
    now: Instant,
}

impl Wire for Script {
    type Error = std::convert::Infallible;

    fn transfer(&mut self, out: &[u8], into: &mut [u8], until: Instant) -> Result<Moved, Self::Error> {
        for byte in out {
            self.line.push(*byte);
            if *byte == b'\n' {
                let message: Json = serde_json::from_slice(&std::mem::take(&mut self.line)).expect("JSON");
                let method = message["method"].as_str().unwrap_or_default().to_string();
                self.asked.push(method.clone());
                if !message["id"].is_null() {
                    let count = self.asked.len();
                    let mut answer = json!({"jsonrpc": "2.0", "id": message["id"]});
                    answer["result"] = (self.answer)(&method, count);
                    self.arriving.extend(answer.to_string().bytes().chain([b'\n']));
                }
            }
        }
        let mut received = 0;
        while let (Some(place), Some(byte)) = (into.get_mut(received), self.arriving.front()) {
            *place = *byte;
            self.arriving.pop_front();
            received += 1;
            if received == 50 {
                break;
            }
        }
        if received == 0 && out.is_empty() {
            self.now = self.now.max(until.min(self.now + umcp::time::Duration::from_secs(1)));
        }
        Ok(Moved { sent: out.len(), received, ..Moved::default() })
    }

    fn now(&mut self) -> Instant {
        self.now
    }
}

type Agent<'b> = Client<'b, Script>;

/// A client with a receive buffer of 256 bytes. What it asked for.
fn with(answer: fn(&str, usize) -> Json, work: impl FnOnce(&mut Agent<'_>)) -> Vec<String> {
    let mut memory: Memory<256, 1024> = Memory::new();
    let config = Config { verdict: Some(Verdict::Modern), ..Config::new("t", "1") };
    let script = Script { answer, line: Vec::new(), arriving: VecDeque::new(), asked: Vec::new(), now: Instant::ZERO };
    let mut client = Client::connect(memory.lend(), config, script).expect("connected");
    work(&mut client);
    client.into_parts().0.asked
}

fn page(count: usize) -> Json {
    let tools: Vec<Json> =
        (0..40).map(|n| json!({"name": format!("t{count}-{n}"), "description": "d".repeat(n)})).collect();
    let mut result = json!({"tools": tools, "resultType": "complete"});
    if count < 3 {
        result["nextCursor"] = json!("more");
    }
    result
}

#[test]
fn every_page_of_a_list() {
    let mut names = Vec::new();
    let asked = with(
        |_, count| page(count),
        |client| {
            client.tools(|tool| names.push(tool.name().to_string())).expect("listed");
        },
    );
    let expected: Vec<String> = (1..=3).flat_map(|page| (0..40).map(move |n| format!("t{page}-{n}"))).collect();
    assert_eq!((names, asked), (expected, vec!["tools/list".to_string(); 3]));
}

#[test]
fn no_more_of_a_list() {
    let mut count = 0;
    let asked = with(
        |_, count| page(count),
        |client| {
            let stopped = client.tools(|_| {
                count += 1;
                if count < 45 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            assert_eq!(stopped, Err(Failure::Stopped));
            // The rest of that page is passed over, and the next answer is the next request's.
            let mut first = None;
            client.tools(|tool| first = first.take().or(Some(tool.name().to_string()))).expect("listed");
            assert_eq!(first.as_deref(), Some("t4-0"));
        },
    );
    assert_eq!(count, 45);
    assert_eq!(asked, ["tools/list", "tools/list", "notifications/cancelled", "tools/list"]);
}

fn call(_: &str, _: usize) -> Json {
    json!({
        "content": [{"type": "text", "text": "\u{6f22}\"".repeat(300)}, {"type": "text", "text": "short"}],
        "isError": true, "structuredContent": {"n": 5},
    })
}

#[test]
fn the_content_of_a_call() {
    let (mut long, mut items) = (String::new(), Vec::new());
    with(call, |client| {
        let reply = client.call_items("t", &(), |piece| match piece {
            Piece::Chunk(chunk) => {
                assert_eq!((chunk.list, chunk.path), ("content", &["text"][..]));
                assert!(long.is_empty() || !chunk.text.is_empty() || chunk.is_last);
                long += chunk.text;
            }
            Piece::Item { list, item } => {
                assert_eq!(list, "content");
                items.push(item.get("text").and_then(|text| text.as_text()).expect("a text").to_string());
            }
        });
        let reply = reply.expect("answered");
        assert!(reply.is_error());
        assert_eq!(reply.structured().and_then(|value| value.get("n")?.as_i64()), Some(5));
        assert_eq!(reply.content().count(), 0);
    });
    assert_eq!(long, "\u{6f22}\"".repeat(300));
    assert_eq!(items, ["", "short"]);
    // Whoever wants it whole is told that it does not fit.
    with(call, |client| {
        assert!(matches!(client.call("t", &()), Err(Failure::TooLong { limit: 255 })));
    });
}

#[test]
fn the_bytes_of_a_resource() {
    let contents = |_: &str, _: usize| {
        json!({"contents": [
            {"uri": "a:1", "blob": "QUJDREVG".repeat(400) + "QQ=="}, {"uri": "a:2", "blob": "QUI="},
            {"uri": "a:3", "text": "\u{e9}\n".repeat(400)}, {"uri": "a:4", "text": "end"},
        ]})
    };
    let mut bytes = Vec::new();
    with(contents, |client| {
        client.read_to("a:1", |part| bytes.extend_from_slice(part)).expect("read");
        assert_eq!(client.read_to("a:1", |_| ControlFlow::Break(())).err(), Some(Failure::Stopped));
    });
    let expected = "ABCDEF".repeat(400) + "A" + "AB" + &"\u{e9}\n".repeat(400) + "end";
    assert!(bytes == expected.as_bytes(), "{}", String::from_utf8_lossy(&bytes));
    let wrong = |_: &str, _: usize| json!({"contents": [{"uri": "a:1", "blob": "QUJD*"}]});
    with(wrong, |client| {
        assert_eq!(client.read_to("a:1", |_| ()).err(), Some(Failure::Protocol(Lost::Malformed)));
    });
}

#[test]
fn what_are_no_contents_are_no_bytes() {
    const LONG: usize = 4_000;
    let answers: &[fn(&str, usize) -> Json] = &[
        |_, _| json!({}),
        |_, _| json!({"contents": null}),
        |_, _| json!({"contents": {"uri": "a:1", "blob": "QUJD"}}),
        |_, _| json!({"contents": {"uri": "a:1", "blob": "QUJD".repeat(LONG)}}),
        |_, _| json!({"contents": {"uri": "a:1", "text": "x".repeat(LONG)}}),
        |_, _| json!({"contents": "QUJD"}),
        |_, _| json!({"contents": ["QUJD"]}),
        |_, _| json!({"contents": [{"uri": "a:1"}]}),
        |_, _| json!({"contents": [{"uri": "a:1", "text": 7}]}),
        |_, _| json!({"contents": [{"uri": "a:1", "blob": {}}]}),
        |_, _| json!({"contents": [{"uri": "a:1", "text": null, "blob": null}]}),
        |_, _| json!({"contents": [{"uri": "a:1", "text": "x", "blob": "QUJD"}]}),
        |_, _| json!({"contents": [{"uri": "a:1", "text": "x".repeat(LONG), "blob": "QUJD"}]}),
        |_, _| json!({"contents": [{"uri": "a:1", "text": "x", "blob": "QUJD".repeat(LONG)}]}),
        |_, _| json!({"contents": [{"uri": "a:1", "text": "x".repeat(LONG), "blob": "QUJD".repeat(LONG)}]}),
        |_, _| json!({"contents": [{"uri": "a:1", "blob": "QUJD".repeat(LONG), "text": 7}]}),
    ];
    for answer in answers {
        with(*answer, |client| {
            let failure = client.read_to("a:1", |_| ()).err();
            let is_told = matches!(failure, Some(Failure::Protocol(Lost::Malformed) | Failure::TooLong { .. }));
            assert!(is_told, "{}: {failure:?}", answer("", 0).to_string().chars().take(100).collect::<String>());
        });
    }
    // A member that is null is none.
    let mut bytes = Vec::new();
    with(
        |_, _| json!({"contents": [{"uri": "a:1", "blob": null, "text": "x"}, {"uri": "a:2", "text": null, "blob": "QUJD"}]}),
        |client| {
            client.read_to("a:1", |part| bytes.extend_from_slice(part)).expect("read");
        },
    );
    assert_eq!(bytes, b"xABC");
}

#[test]
fn a_result_without_its_list_is_none() {
    for answer in [|_: &str, _| json!({"messages": 7}), |_: &str, _| json!({"description": "d"})] {
        with(answer, |client| {
            assert_eq!(client.prompt("p", &()).err(), Some(Failure::Protocol(Lost::Malformed)));
        });
    }
    for answer in [|_: &str, _| json!({"content": {}}), |_: &str, _| json!({"content": "text"})] {
        with(answer, |client| assert_eq!(client.call("t", &()).err(), Some(Failure::Protocol(Lost::Malformed))));
    }
}
