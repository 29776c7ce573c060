//! The server connection: arbitrary bytes at arbitrary splits into buffers of arbitrary sizes, drained a little at a time, while
//! deferred calls are completed and lists change.
//!
//! What leaves is one JSON text a line; no id is answered more often than it was sent; every valid request is answered.
#![no_main]

use std::collections::HashMap;

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use umcp::json::Decimal;
use umcp::mcp::{Fault, InputKind, Level, List};
use umcp::server::NotOpen;
use umcp::time::Duration;
use umcp_tests::board::{FULL, PAGED};
use umcp_tests::player::{Memory, Player, Sizes};

/// Whole lines to begin with, so that not every byte has to be found by chance; `@` stands for an id.
const LINES: [&str; 21] = [
    r#"{"jsonrpc":"2.0","id":@,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{"roots":{},"sampling":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{},"elicitation":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"tools/call","params":{"name":"later","_meta":{"progressToken":@}}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi \u00e9"},"_meta":{$}}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"tools/call","params":{"_meta":{"progressToken":@,$},"name":"later"}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"tools/call","params":{"name":"form","_meta":{$}}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"resources/list","params":{"_meta":{$},"cursor":"2"}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"resources/read","params":{"uri":"board://slow","_meta":{$}}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"resources/subscribe","params":{"uri":"board://led"}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["board://led"]},"_meta":{$}}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"prompts/get","params":{"name":"diagnose","arguments":{"symptom":"x"},"_meta":{$}}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"server/discover","params":{"_meta":{$}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":@}}"#,
    r#"{"jsonrpc":"2.0","id":"q1","result":{"roots":[]}}"#,
    r#"[{"jsonrpc":"2.0","id":@,"method":"tools/list"},{"jsonrpc":"2.0","method":"x"},5,{"jsonrpc":"2.0","id":@,"method":"ping"}]"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"tools/call","params":{"name":"store",$M,"arguments":{"slot":1,"data":"abc\u00e9\n\ud83d\ude00 and so on, and so on, until it is longer than most of the buffers that there are, which takes a while, since they may be of a thousand bytes each, so that they have to be filled by more than this: 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789"}}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"tools/call","params":{"arguments":{"data":"short","slot":2},"name":"store",$M}}"#,
    r#"{"jsonrpc":"2.0","x":["dropped",{"id":7}],"id":@,"method":"tools/call","params":{"name":"echo","icons":"0123456789 0123456789 0123456789 0123456789 0123456789","arguments":{"text":"hi"},$M}}"#,
    "noise {",
];
const META: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"io.modelcontextprotocol/logLevel":"info""#;

fuzz_target!(|data: &[u8]| {
    let [receive, transmit, drain, tables, steps @ ..] = data else { return };
    let receive = 64 + usize::from(*receive) * 4;
    let sizes = Sizes { receive, transmit: 16 + usize::from(*transmit) * 8, small_tables: tables & 1 == 1 };
    let mut memory = Memory::new(sizes);
    let catalog = if tables & 2 == 2 { &FULL } else { &PAGED };
    let mut player = Player::new(catalog, &mut memory, 1 + usize::from(*drain));
    let mut sent = Vec::new();

    let mut steps = steps;
    while let [step, rest @ ..] = steps {
        let step = usize::from(*step);
        steps = rest;
        match step {
            0..LINE_STEPS => {
                let (id, rest) = rest.split_first().unwrap_or((&0, &[]));
                let id = if id % 3 == 0 { format!("\"{}\"", id % 8) } else { (id % 8).to_string() };
                let line = LINES[step % LINES.len()].replace('@', &id).replace("$M", &format!(r#""_meta":{{{META}}}"#)).replace('$', META) + if step % 5 == 0 { "" } else { "\n" };
                say(&mut player, line.as_bytes(), 1 + step, &mut sent);
                steps = rest;
            }
            LINE_STEPS..RAW_STEPS => {
                let (raw, rest) = rest.split_at(rest.len().min(step - LINE_STEPS));
                say(&mut player, raw, 1 + step % 9, &mut sent);
                steps = rest;
            }
            _ => act(&mut player, step),
        }
    }
    say(&mut player, b"\n", 1, &mut sent);
    for index in 0..player.board.calls.len() {
        let call = player.board.calls[index];
        let _ = player.connection.complete(&mut player.endpoint, call, |reply| reply.text("done"));
        player.settle();
    }
    check(&sent, &player.out, receive);
    player.eof();
    assert_eq!(player.connection.open_calls(), 0);
});

const LINE_STEPS: usize = 90;
const RAW_STEPS: usize = 150;

fn say(player: &mut Player<'_>, bytes: &[u8], piece: usize, sent: &mut Vec<u8>) {
    sent.extend_from_slice(bytes);
    bytes.chunks(piece).for_each(|piece| player.receive(piece));
}

fn act(player: &mut Player<'_>, step: usize) {
    let calls = player.board.calls.len();
    let call = player.board.calls.get(step % calls.max(1)).copied();
    player.now = player.now + Duration::from_millis(1);
    match (step % 11, call) {
        (0, _) => player.endpoint.resource_updated("board://led"),
        (1, _) => player.endpoint.list_changed(List::Tools),
        (2, _) => (0..20).for_each(|n| player.endpoint.resource_updated(&format!("board://pin/{n}"))),
        (3, _) => drop(player.connection.end_subscriptions(&player.endpoint)),
        (4, Some(call)) => {
            let done = player.connection.complete(&mut player.endpoint, call, |reply| reply.text("done"));
            assert_ne!(done, Err(NotOpen::Busy), "it was drained");
        }
        (5, Some(call)) => {
            let fault = Fault::application(7, "no, and here is why not, at some length, so that it needs some room");
            let _ = player.connection.complete(&mut player.endpoint, call, |_| Err(fault));
        }
        (6, Some(call)) => {
            let _ = player.connection.progress(call, Decimal::from_i64(step as i64), None, Some("on"), player.now);
        }
        (7, Some(call)) => drop(player.connection.log(call, Level::Alert, "board", "red")),
        (8, Some(call)) => drop(player.connection.ask(call, InputKind::Roots, |_| {})),
        (9, Some(call)) => {
            let _ = player.connection.complete(&mut player.endpoint, call, |reply| reply.text(&"long ".repeat(step)));
        }
        _ => {}
    }
    player.settle();
}

fn check(sent: &[u8], out: &[u8], receive: usize) {
    assert!(out.is_empty() || out.ends_with(b"\n"));
    let mut answers: HashMap<String, usize> = HashMap::new();
    for line in out.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        // A lone surrogate's escape is echoed as it came; it is JSON, but `serde_json` does not take it.
        let line = str::from_utf8(line).expect("UTF-8").replace("\\ud", "\\u0");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        for message in message.as_array().map_or(std::slice::from_ref(&message), Vec::as_slice) {
            if let (None, Some(id)) = (message.get("method"), message.get("id")) {
                *answers.entry(id.to_string()).or_default() += 1;
            }
        }
    }
    // No id is answered that does not occur, nor more often than it does. (Ids inside of noise count as well.)
    for (id, &times) in &answers {
        let plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'"');
        if plain && !sent.contains(&b'\\') {
            let occurs = sent.windows(id.len()).filter(|window| *window == id.as_bytes()).count();
            assert!(times <= occurs, "{id} is answered {times} times");
        }
    }
    for line in sent.split(|&byte| byte == b'\n').filter(|line| line.len() < receive) {
        if let Some(id) = must_be_answered(line) {
            assert!(answers.contains_key(&id), "{id} is never answered: {}", String::from_utf8_lossy(line));
        }
    }
}

/// The id of a valid request that is neither a subscription nor one that may be deferred, and then cancelled.
fn must_be_answered(line: &[u8]) -> Option<String> {
    let twice = line.windows(3).filter(|window| *window == b"id\"").count() != 1;
    if twice || line.windows(2).any(|window| window == b"\\u") {
        return None;
    }
    let message: Value = serde_json::from_slice(line).ok()?;
    let id = message.get("id").filter(|id| id.is_string() || id.is_i64() || id.is_u64())?;
    let method = message.get("method")?.as_str()?;
    let deferrable = ["tools/call", "resources/read", "prompts/get", "subscriptions/listen"].contains(&method);
    let is_answer = message.get("result").is_some() || message.get("error").is_some();
    (message.get("jsonrpc")? == "2.0" && !deferrable && !is_answer).then(|| id.to_string())
}
