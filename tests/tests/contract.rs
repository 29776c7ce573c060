//! What a connection promises to whoever drives it.

use umcp::io::Link;
use umcp::json::Decimal;
use umcp::mcp::{InputKind, Level, List};
use umcp::server::{AskError, Endpoint, Event, Ignored, NotOpen};
use umcp::time::Instant;
use umcp_tests::board::{Board, FULL};
use umcp_tests::player::{Memory, Player, Sizes};

const HELLO: &[u8] = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}}}}
"#;
const LATER: &[u8] =
    br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"later","_meta":{"progressToken":1}}}
"#;
const LEVEL: &[u8] = br#"{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"debug"}}
"#;
const PING: &[u8] = br#"{"jsonrpc":"2.0","id":3,"method":"ping"}
"#;

/// Nothing is said about a deferred call while other bytes wait to leave, and nothing is lost by trying.
#[test]
fn busy_while_bytes_wait() {
    let mut memory = Memory::new(Sizes::default());
    let mut player = Player::new(&FULL, &mut memory, usize::MAX);
    player.receive(&[HELLO, LEVEL, LATER].concat());
    let (call, now) = (player.board.calls[0], Instant::from_millis(1));
    let connection = &mut player.connection;
    assert!(connection.is_idle() && connection.is_open(call));
    assert_eq!(connection.open_calls(), 1);

    give(connection, PING);
    connection.serve(&mut player.endpoint, &mut player.board, now);
    assert!(!connection.is_idle());
    let (one, two) = (Decimal::from_i64(1), Decimal::from_i64(2));
    assert_eq!(connection.progress(call, one, None, None, now), Err(NotOpen::Busy));
    assert_eq!(connection.log(call, Level::Info, "l", "t"), Err(NotOpen::Busy));
    assert_eq!(connection.ask(call, InputKind::Roots, |_| {}), Err(AskError::Busy));
    let mut ran = false;
    let done = connection.complete(&mut player.endpoint, call, |reply| {
        ran = true;
        reply.text("x")
    });
    assert_eq!((done, ran), (Err(NotOpen::Busy), false));
    assert!(!connection.end_subscriptions(&player.endpoint));

    player.settle();
    assert_eq!(player.connection.progress(call, one, None, None, now), Ok(true));
    player.settle();
    assert_eq!(player.connection.progress(call, two, None, None, now), Ok(false), "too soon after the last");
    assert_eq!(player.connection.complete(&mut player.endpoint, call, |reply| reply.text("x")), Ok(()));
    player.settle();
    let out = String::from_utf8(player.out).expect("UTF-8");
    assert_eq!(out.lines().count(), 5, "{out}");
    assert_eq!(player.connection.poll_at(), None);
}

/// Too many bytes reported, calls without a reason, and time that stands still or goes back do no harm.
#[test]
fn spurious_calls_are_harmless() {
    let mut memory = Memory::new(Sizes::default());
    let mut player = Player::new(&FULL, &mut memory, usize::MAX);
    let connection = &mut player.connection;
    connection.commit(0);
    connection.transmitted(99);
    for millis in [5, 5, 0] {
        let now = Instant::from_millis(millis);
        assert!(matches!(connection.next_event(&mut player.endpoint, &mut player.board, now), Event::NeedData));
    }
    give(connection, HELLO);
    connection.serve(&mut player.endpoint, &mut player.board, Instant::ZERO);
    let waiting = connection.transmit().to_vec();
    connection.serve(&mut player.endpoint, &mut player.board, Instant::ZERO);
    assert_eq!(connection.transmit(), waiting);
    connection.transmitted(10);
    assert_eq!(connection.transmit(), &waiting[10..]);
    connection.transmitted(usize::MAX);
    assert!(connection.is_idle());
    connection.commit(usize::MAX);
    connection.serve(&mut player.endpoint, &mut player.board, Instant::ZERO);

    connection.eof();
    assert!(connection.receive_buffer().is_empty());
    // What was reported and never came is a line without an end.
    let last = connection.next_event(&mut player.endpoint, &mut player.board, Instant::ZERO);
    assert!(matches!(last, Event::Ignored(Ignored::Torso)));
    for _ in 0..3 {
        assert!(matches!(connection.next_event(&mut player.endpoint, &mut player.board, Instant::ZERO), Event::Closed));
    }
}

/// Through the surface that drivers use, the same.
#[test]
fn a_link_is_a_connection() {
    let mut memory = Memory::new(Sizes::default());
    let mut player = Player::new(&FULL, &mut memory, usize::MAX);
    let link: &mut dyn Link = &mut player.connection;
    let (out, into) = link.buffers();
    assert!(out.is_empty());
    into[..PING.len()].copy_from_slice(PING);
    link.commit(PING.len());
    player.connection.serve(&mut player.endpoint, &mut player.board, Instant::ZERO);
    let link: &mut dyn Link = &mut player.connection;
    let length = link.buffers().0.len();
    assert!(length > 0, "a request before the handshake is refused, not dropped");
    link.transmitted(length);
    link.eof();
    assert!(link.buffers().0.is_empty() && link.buffers().1.is_empty());
}

/// An endpoint starts without a past: what changed before a subscription is no news to it.
#[test]
fn an_endpoint_counts_from_its_start() {
    let mut endpoint: Endpoint<Board> = Endpoint::new(&FULL);
    assert_eq!(endpoint.catalog().name(), "proof");
    endpoint.list_changed(List::Tools);
    let mut memory = Memory::new(Sizes::default());
    let mut player = Player::new(&FULL, &mut memory, usize::MAX);
    player.endpoint = endpoint;
    player.receive(HELLO);
    player.endpoint.list_changed(List::Prompts);
    player.settle();
    let out = String::from_utf8(player.out).expect("UTF-8");
    assert_eq!(out.matches("list_changed\"").count(), 1, "{out}");
    assert!(out.contains("prompts/list_changed"));
}

fn give(connection: &mut umcp::server::Connection<'_>, bytes: &[u8]) {
    connection.receive_buffer()[..bytes.len()].copy_from_slice(bytes);
    connection.commit(bytes.len());
}

/// A server may run on another thread than the one that made it.
#[test]
fn a_connection_moves_between_threads() {
    const fn is_send<T: Send>() {}
    is_send::<umcp::server::Connection<'static>>();
    is_send::<Endpoint<Board>>();
}

/// A last line that was cut off is passed over, and said to be, wherever it was cut; a stream that ends between lines has none.
#[test]
fn a_torso_is_told() {
    for (cut, torso) in (0..=PING.len()).map(|cut| (cut, cut > 0 && cut < PING.len())) {
        let mut memory = Memory::new(Sizes::default());
        let mut player = Player::new(&FULL, &mut memory, usize::MAX);
        give(&mut player.connection, &PING[..cut]);
        player.connection.eof();
        let mut torsos = 0;
        for _ in 0..10 {
            match player.connection.next_event(&mut player.endpoint, &mut player.board, Instant::ZERO) {
                Event::Ignored(Ignored::Torso) => torsos += 1,
                Event::Closed => break,
                _ => {
                    let sent = player.connection.transmit().len();
                    player.connection.transmitted(sent);
                }
            }
        }
        assert_eq!(torsos, u32::from(torso), "cut at {cut}");
    }
}
