//! Heads and bodies that are longer than any buffer, and servers in as little memory as they can be in.

use umcp::http::server::{Connection, MIN_HEAD, Memory as Fixed};
use umcp::time::Duration;

use crate::request::{ask, call, call_with_progress, echo, listen};
use crate::rig::{Memory, Rig, SIZES, Sizes, exchange_in};

/// The state besides what is lent: what a device pays for each connection.
#[test]
fn the_size_of_a_connection() {
    assert!(size_of::<Connection<'static>>() <= 768, "{}", size_of::<Connection<'static>>());
    let whole = size_of::<Fixed<1024, 2048, 2048>>() + size_of::<Connection<'static>>();
    assert!(whole <= 6 * 1024 + 512, "{whole}");
}

#[test]
fn a_head_of_16_kb_passes_through_512_bytes() {
    let sizes = Sizes { head: MIN_HEAD, receive: 512, transmit: 512 };
    let mut cookies = echo();
    for index in 0..16 {
        cookies = cookies.with(&format!("X-Cookie-{index}"), "c".repeat(1_000));
    }
    let one = echo().with("Cookie", "c".repeat(16_000));
    let long_name = echo().with(&"N".repeat(16_000), "x");
    let many = (0..2_000).fold(echo(), |request, _| request.with("A", "b"));
    let short = call("steps", "{}").without("Content-Type").with("content-type", "application/json");
    for (name, request) in
        [("many", many), ("several", cookies), ("one", one), ("its name", long_name), ("none", short)]
    {
        let mut memory = Memory::new(sizes);
        let mut rig = Rig::new(&mut memory);
        for piece in request.bytes().chunks(97) {
            rig.receive(piece);
        }
        assert_eq!(rig.replies()[0].status, 200, "{name}: {:?}", rig.replies());
    }
}

/// White space does not count, so a message fits that is longer on its way.
#[test]
fn a_body_of_white_space() {
    let mut memory = Memory::new(Sizes { receive: 512, ..SIZES });
    let mut rig = Rig::new(&mut memory);
    let body = format!("{}{}", " \r\n\t".repeat(2_000), String::from_utf8(bare_body()).unwrap());
    rig.receive(&echo().body(body).bytes());
    assert_eq!(rig.replies()[0].status, 200);
}

fn bare_body() -> Vec<u8> {
    let bytes = echo().bytes();
    let head = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    bytes[head..].to_vec()
}

/// Everything a modern server does, in 1 KB for the head, 2 KB for the body, 2 KB for the reply.
#[test]
fn a_whole_server_in_5_kb() {
    let mut memory = Fixed::<1024, 2048, 2048>::new();
    let mut connection = Connection::new(memory.lend());
    assert!(connection.receive_buffer().len() >= 2048);
    for (name, request, status) in [
        ("call", echo(), 200),
        ("long arguments", call("echo", &format!(r#"{{"text":"{}"}}"#, "x".repeat(1_700))), 200),
        ("longer ones", call("echo", &format!(r#"{{"text":"{}"}}"#, "x".repeat(1_900))), 413),
        ("progress", call_with_progress("steps"), 200),
        ("list", ask("tools/list", ""), 200),
        ("discover", ask("server/discover", ""), 200),
        ("read", ask("resources/read", r#""uri":"board://led""#).with("Mcp-Name", "board://led"), 200),
        ("a token", call("secret", "{}").with("Authorization", "Bearer good"), 200),
        ("a long token", call("secret", "{}").with("Authorization", format!("Bearer {}", "t".repeat(700))), 403),
    ] {
        let replies = exchange_in(name, SIZES, &request);
        assert_eq!(replies.last().unwrap().status, status, "{name}: {replies:?}");
    }
}

/// The smallest memory there may be: it serves what fits, and refuses the rest with a reason.
#[test]
fn the_least_memory() {
    for receive in [64, 100, 256, 400] {
        let sizes = Sizes { head: MIN_HEAD, receive, transmit: 64 };
        let mut memory = Memory::new(sizes);
        let mut rig = Rig::new(&mut memory);
        for request in [echo(), listen(), ask("tools/list", ""), call("later", "{}")] {
            rig.connection.reset();
            rig.out.clear();
            rig.receive(&request.bytes());
            for handle in rig.app.calls.split_off(0) {
                use umcp::server::Calls;
                let _ = rig.connection.complete(&mut rig.endpoint, handle, |reply| reply.text("x"));
            }
            rig.connection.close();
            rig.settle();
            let replies = rig.replies();
            assert!(replies.last().is_some_and(|reply| reply.whole), "{receive}: {replies:?}");
        }
    }
}

/// The limits of a site are exact.
#[test]
fn exact_limits() {
    for (length, status) in [(999, 400), (1_000, 400), (1_001, 413)] {
        for chunked in [false, true] {
            let mut memory = Memory::new(SIZES);
            let mut rig = Rig::new(&mut memory);
            rig.site.max_body = 1_000;
            rig.site.request_timeout = Duration::from_millis(5);
            let request = echo().body(vec![b'"'; length]);
            rig.receive(&if chunked { request.chunked(100) } else { request }.bytes());
            assert_eq!(rig.replies()[0].status, status, "{length}");
        }
    }
    let head = echo().bare().bytes().len();
    for (limit, status) in [(head, 411), (head - 1, 431)] {
        let mut memory = Memory::new(SIZES);
        let mut rig = Rig::new(&mut memory);
        rig.site.max_head = u32::try_from(limit).unwrap();
        rig.receive(&echo().bare().bytes());
        assert_eq!(rig.replies()[0].status, status, "{limit}");
    }
}
