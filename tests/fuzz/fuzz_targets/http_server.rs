//! The HTTP connection of a server: arbitrary bytes and ordinary requests in arbitrary pieces, through buffers of arbitrary sizes, drained a little
//! at a time by a peer that stalls, while calls are completed, lists change, time passes, and the end may come anywhere.
//!
//! What leaves is well-formed HTTP; the connection always comes to rest, never asks for what it was given, and ends when it is told to.
#![no_main]

use libfuzzer_sys::fuzz_target;
use umcp::json::Decimal;
use umcp::mcp::{Fault, List};
use umcp::server::Calls;
use umcp::time::Duration;
use umcp_tests::board::{FULL, GUARDED, PAGED};
use umcp_tests::http_player::{Memory, Player, Sizes};
use umcp_tests::http_reply;

/// Bodies to begin with; `$` stands for the members of `_meta`, and the method and name are mirrored.
const BODIES: [(&str, &str, &str); 12] = [
    ("tools/call", "echo", r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi \u00e9"},"_meta":{$}}}"#),
    ("tools/call", "later", r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"later","_meta":{"progressToken":1,$}}}"#),
    ("tools/call", "steps", r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"steps","_meta":{"progressToken":"p",$}}}"#),
    ("tools/call", "half", r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"half","_meta":{"progressToken":"p",$}}}"#),
    ("tools/list", "", r#"{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"_meta":{$}}}"#),
    ("subscriptions/listen", "", r#"{"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["board://led"]},"_meta":{$}}}"#),
    ("resources/read", "board://slow", r#"{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"board://slow","_meta":{$}}}"#),
    ("notifications/cancelled", "", r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#),
    ("tools/call", "store", r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"store","_meta":{$},"arguments":{"slot":1,"data":"01234567 01234567 01234567 01234567 01234567 01234567 01234567 01234567 01234567 \u00e9\ud83d\ude00\n 01234567 01234567 01234567 01234567 01234567 01234567 01234567 01234567 01234567 01234567 01234567 01234567"}}}"#),
    ("tools/call", "store", r#"{"method":"tools/call","params":{"arguments":{"data":"short!","slot":1},"name":"store","_meta":{$}},"jsonrpc":"2.0","id":8}"#),
    ("tools/call", "echo", r#"{"method":"tools/call","params":{"name":"echo","x":["01234567 01234567 01234567 01234567 01234567 01234567 01234567 01234567 01234567 01234567"],"_meta":{$},"arguments":{"text":"hi"}},"jsonrpc":"2.0","id":9}"#),
    ("no/such", "", "{"),
];
const META: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}"#;

/// An ordinary request, but for what `odd` makes of it.
fn request(which: usize, odd: u8) -> Vec<u8> {
    let (method, name, body) = BODIES[which % BODIES.len()];
    let body = body.replace('$', META);
    let mut head = String::from(if odd & 1 == 0 { "POST /mcp HTTP/1.1\r\n" } else { "POST /mcp HTTP/1.0\r\n" });
    head += "Host: localhost\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n";
    head += &format!("Mcp-Method: {method}\r\n");
    if !name.is_empty() {
        head += &format!("Mcp-Name: {name}\r\n");
    }
    match odd >> 1 & 3 {
        0 => head += "Accept: application/json, text/event-stream\r\n",
        1 => head += "Accept: application/json\r\n",
        2 => head += "Accept: text/event-stream\r\nConnection: close\r\n",
        _ => head += "Connection: keep-alive\r\nCookie: a=b\r\n",
    }
    if odd & 8 != 0 {
        head += "Expect: 100-continue\r\n";
    }
    if odd & 0x30 == 0x30 {
        let (a, b) = body.split_at(body.len() / 2);
        return format!("{head}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{a}\r\n{:X};x\r\n{b}\r\n0\r\n\r\n", a.len(), b.len()).into_bytes();
    }
    format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fuzz_target!(|data: &[u8]| {
    let [head, receive, transmit, drain, catalog, steps @ ..] = data else { return };
    let sizes = Sizes {
        head: 256 + usize::from(*head) * 4,
        receive: 64 + usize::from(*receive) * 8,
        transmit: 64 + usize::from(*transmit) * 8,
    };
    let mut memory = Memory::new(sizes);
    let catalog = [&FULL, &PAGED, &GUARDED][usize::from(*catalog) % 3];
    let mut player = Player::new(catalog, &mut memory);
    player.drain = 1 + usize::from(*drain);
    player.site.max_body = 3_000;
    player.site.max_head = 3_000;

    let mut steps = steps;
    while let [step, rest @ ..] = steps {
        let step_size = usize::from(*step);
        steps = rest;
        match step {
            0..80 => {
                let (odd, rest) = rest.split_first().unwrap_or((&0, &[]));
                let bytes = request(step_size, *odd);
                // Some are broken off.
                let len = if step % 7 == 0 { bytes.len() * usize::from(*odd) / 256 } else { bytes.len() };
                bytes[..len].chunks(1 + step_size % 50).for_each(|piece| {
                    player.receive(piece);
                });
                steps = rest;
            }
            80..150 => {
                let (raw, rest) = rest.split_at(rest.len().min(step_size - 79));
                raw.chunks(1 + step_size % 9).for_each(|piece| {
                    player.receive(piece);
                });
                steps = rest;
            }
            _ => act(&mut player, step_size),
        }
        let reads = http_reply::read_all(&player.out, player.connection.is_closed());
        assert!(reads.is_ok(), "{reads:?}\n{}", String::from_utf8_lossy(&player.out));
    }
    end(&mut player);
});

fn act(player: &mut Player<'_>, step: usize) {
    let call = player.board.calls.last().copied();
    player.now = player.now + Duration::from_millis(5);
    match (step % 14, call) {
        (0, _) => player.endpoint.resource_updated("board://led"),
        (1, _) => player.endpoint.list_changed(List::Tools),
        (2, _) => player.wait(Duration::from_millis(14_000)),
        (3, _) => player.wait(Duration::from_millis(1_000)),
        (4, _) => player.room = step,
        (5, _) => player.room = usize::MAX,
        (6, Some(call)) => drop(player.connection.complete(&mut player.endpoint, call, |reply| reply.text("done"))),
        (7, Some(call)) => {
            let fault = Fault::application(7, "no, and here is why not, at some length, so that it needs some room");
            let _ = player.connection.complete(&mut player.endpoint, call, |_| Err(fault));
        }
        (8, Some(call)) => {
            let _ = player.connection.progress(call, Decimal::from_i64(step as i64), None, Some("on"), player.now);
        }
        (9, Some(call)) => drop(player.connection.complete(&mut player.endpoint, call, |_| Err(Fault::Unauthorized))),
        (10, _) if step > 240 => player.connection.close(),
        (11, _) if step > 230 => player.connection.eof(),
        (12, _) if step > 200 => player.connection.transmitted(0),
        (13, _) if step > 240 => {
            player.connection.reset();
            player.out.clear();
        }
        _ => {}
    }
    player.settle();
}

/// Whatever came before, it can be ended, and the memory is as good as new.
fn end(player: &mut Player<'_>) {
    player.room = usize::MAX;
    player.settle();
    let before = player.out.len();
    player.connection.eof();
    player.settle();
    assert!(player.wait_for_the_end(100), "it does not end: {:?}", player.connection);
    assert_eq!(player.connection.open_calls(), 0);
    let replies = http_reply::read_all(&player.out, true);
    assert!(replies.is_ok(), "{replies:?} from {before}");
    player.connection.reset();
    player.out.clear();
    player.receive(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let expected: &[u8] = b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nAllow: POST\r\n\r\n";
    assert_eq!(player.out, expected, "{}", String::from_utf8_lossy(&player.out));
}
