//! In memory: every position.

use umcp::json::Decimal;
use umcp::server::Calls;
use umcp::time::Duration;
use umcp_tests::board::FULL;
use umcp_tests::http_player::{Memory, Player, Sizes};
use umcp_tests::http_request::{call, echo, in_chunks, listen, request};

/// What happens to a connection, and when it has to be over.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// The peer closes its side.
    Drops,
    /// It says nothing more, and takes nothing more.
    Stalls,
    /// It is gone.
    Resets,
}

const FAULTS: [Fault; 3] = [Fault::Drops, Fault::Stalls, Fault::Resets];

fn requests() -> Vec<(&'static str, Vec<u8>)> {
    let arguments = r#""name":"echo","arguments":{"text":"hi"}"#;
    vec![
        ("a call", echo("hi")),
        ("in chunks", in_chunks("tools/call", "echo", arguments)),
        ("a stream", call("steps", "{}")),
        ("a list", request("tools/list", "", "")),
        ("later", call("later", "{}")),
        ("a subscription", listen()),
        ("refused", echo("hi").replace_path()),
    ]
}

trait ReplacePath {
    fn replace_path(self) -> Self;
}

impl ReplacePath for Vec<u8> {
    fn replace_path(self) -> Vec<u8> {
        String::from_utf8(self).unwrap().replacen("/mcp", "/pcm", 1).into_bytes()
    }
}

/// All that a server says, if nothing goes wrong: open calls are worked on and completed, listeners told, and then the server stops.
fn play(player: &mut Player<'_>, request: &[u8]) {
    player.receive(request);
    work(player);
    player.connection.close();
    player.settle();
}

fn work(player: &mut Player<'_>) {
    player.endpoint.resource_updated("board://led");
    player.settle();
    for step in 1..3 {
        player.wait(Duration::from_millis(10));
        for call in player.board.calls.clone() {
            let _ = player.connection.progress(call, Decimal::from_i64(step), None, None, player.now);
        }
        player.settle();
    }
    for call in player.board.calls.clone() {
        let _ = player.connection.complete(&mut player.endpoint, call, |reply| reply.text("done"));
    }
    player.settle();
}

fn strike(player: &mut Player<'_>, fault: Fault) {
    match fault {
        Fault::Drops => player.connection.eof(),
        Fault::Stalls => player.room = 0,
        Fault::Resets => player.connection.abort(),
    }
    player.settle();
}

/// The connection ends in bounded time, with nothing open; its memory serves the next one as if nothing had been.
fn assert_over(player: &mut Player<'_>, what: &str) {
    let start = player.now;
    assert!(player.wait_for_the_end(20), "{what}: it does not end");
    assert!(player.now.since(start) <= Duration::from_secs(150), "{what}: {:?}", player.now.since(start));
    assert_eq!(player.connection.open_calls(), 0, "{what}");
    player.connection.reset();
    player.out.clear();
    player.room = usize::MAX;
    player.receive(&echo("well"));
    let replies = player.replies();
    assert_eq!(replies.len(), 1, "{what}");
    // (In very little memory the answer is that it does not fit.)
    assert_eq!((replies[0].status, &replies[0].message()["id"]), (200, &serde_json::json!(1)), "{what}");
}

#[test]
fn at_each_byte_of_a_request() {
    for (name, bytes) in requests() {
        for at in 0..bytes.len() {
            for fault in FAULTS {
                let what = format!("{name}, {fault:?} at {at}");
                let mut memory = Memory::new(Sizes::default());
                let mut player = Player::new(&FULL, &mut memory);
                player.receive(&bytes[..at]);
                let ran = player.replies().iter().any(|reply| reply.status == 200);
                strike(&mut player, fault);
                work(&mut player);
                assert!(!ran, "{what}: half a request was served");
                if fault == Fault::Stalls && at > 0 && player.out.is_empty() {
                    // Nobody takes bytes, but whoever does is told why.
                    player.room = usize::MAX;
                    player.wait(Duration::from_secs(30));
                    assert_eq!(player.replies().last().map(|reply| reply.status), Some(408), "{what}");
                }
                assert_over(&mut player, &what);
            }
        }
    }
}

#[test]
fn at_each_byte_of_a_reply() {
    for transmit in [2_048, 100] {
        for (name, bytes) in requests() {
            let sizes = Sizes { transmit, ..Sizes::default() };
            let mut memory = Memory::new(sizes);
            let mut player = Player::new(&FULL, &mut memory);
            play(&mut player, &bytes);
            assert!(player.replies().last().is_some_and(|reply| reply.whole), "{name}: {:?}", player.replies());
            let whole = std::mem::take(&mut player.out);
            // Of a long list, which leaves in like pieces, not each byte.
            for at in (0..whole.len()).step_by(whole.len() / 500 + 1) {
                for fault in FAULTS {
                    let what = format!("{name}, {fault:?} at {at} of {}", whole.len());
                    let mut memory = Memory::new(sizes);
                    let mut player = Player::new(&FULL, &mut memory);
                    player.room = at;
                    player.receive(&bytes);
                    work(&mut player);
                    strike(&mut player, fault);
                    work(&mut player);
                    let said = player.out.len();
                    assert!(said <= at && whole.starts_with(&player.out) || name == "later", "{what}");
                    assert_over(&mut player, &what);
                }
            }
        }
    }
}

/// The peer takes one byte, waits for nearly as long as it may, and takes the next: all of it arrives.
#[test]
fn windows_of_one_byte() {
    for (name, bytes) in requests() {
        let mut memory = Memory::new(Sizes::default());
        let mut player = Player::new(&FULL, &mut memory);
        player.site.keep_alive = Duration::from_secs(1_000_000);
        player.site.request_timeout = Duration::from_secs(1_000_000);
        for byte in &bytes {
            player.room = 0;
            if player.receive(&[*byte]) == 0 {
                assert_eq!(name, "refused");
            }
            player.room = 1;
            player.wait(Duration::from_secs(25));
        }
        let grow = |player: &mut Player<'_>| {
            let mut said = usize::MAX;
            while said != player.out.len() {
                said = player.out.len();
                player.room = 1;
                player.wait(Duration::from_secs(25));
            }
        };
        grow(&mut player);
        for call in player.board.calls.clone() {
            player.connection.complete(&mut player.endpoint, call, |reply| reply.text("done")).unwrap();
        }
        player.connection.close();
        grow(&mut player);
        let replies = player.replies();
        assert!(replies.last().is_some_and(|reply| reply.whole), "{name}: {replies:?}");
    }
}
