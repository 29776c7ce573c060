//! Answers that are taken item by item, in a body and in a stream of events.

use umcp::client::Options;
use umcp::http::client::{Connection, Memory};
use umcp::time::Instant;

use crate::modern::known;
use crate::rig::{Rig, events, json};

fn list(conn: &mut Connection<'_>, now: Instant) {
    let options = Options { items: true, ..Options::DEFAULT };
    conn.send(|engine| engine.list(umcp::mcp::List::Tools, None, options, now)).expect("sent");
}

/// What happens at this reply, and then the end of the stream, with a buffer of `R` bytes, cut there.
fn log<const R: usize>(reply: &[u8], cut: usize) -> Vec<String> {
    let mut memory: Box<Memory<R, 1024>> = Box::new(Memory::new());
    let mut rig = Rig::new(memory.lend(), known());
    rig.settle();
    rig.act(list);
    rig.log.clear();
    if cut < reply.len() {
        let (one, other) = reply.split_at(cut);
        rig.feed(one);
        rig.feed(other);
    } else {
        reply.chunks(1).for_each(|byte| rig.feed(byte));
    }
    rig.eof();
    rig.at(200);
    rig.log.retain(|line| line != "open" && line != "close");
    rig.log
}

fn always(reply: &[u8], expected: &[String]) {
    for cut in 0..=reply.len() {
        assert_eq!(log::<256>(reply, cut), expected, "256 bytes, {cut}");
        assert_eq!(log::<300>(reply, cut), expected, "300 bytes, {cut}");
        assert_eq!(log::<4096>(reply, cut), expected, "4096 bytes, {cut}");
    }
}

fn tools() -> (String, Vec<String>) {
    let tools: Vec<String> =
        (0..12).map(|n| format!(r#"{{"name":"t{n}","description":"{}"}}"#, "\u{6f22}".repeat(n))).collect();
    let told = tools.iter().map(|tool| format!("item 1 tools {tool}"));
    let rest = r#"response 1 {"tools":[],"ttlMs":5}"#.to_string();
    (format!(r#""result":{{"tools":[{}],"ttlMs":5}}"#, tools.join(", ")), told.chain([rest]).collect())
}

#[test]
fn the_same_in_a_body_and_in_events() {
    let (result, expected) = tools();
    // The stream is its own: an id that comes last is known all the same.
    for message in
        [format!(r#"{{"jsonrpc":"2.0","id":1,{result}}}"#), format!(r#"{{{result},"jsonrpc":"2.0","id":1}}"#)]
    {
        always(&json("200 OK", &message), &expected);
        always(&events(&format!("data: {message}\n\n")), &expected);
        always(&events(&format!(": hello\n\nid: 1\ndata: {}\n\n", message.replace(", ", ",\ndata:  "))), &expected);
    }
}

#[test]
fn a_body_that_breaks_off() {
    let (result, expected) = tools();
    let message = format!(r#"{{"jsonrpc":"2.0","id":1,{result}}}"#);
    let reply = json("200 OK", &message);
    for end in (1..message.len()).step_by(7) {
        let short = &reply[..reply.len() - end];
        let events = log::<256>(short, short.len());
        let (last, told) = events.split_last().expect("an event");
        assert_eq!(last, "lost 1 Closed");
        assert!(expected.starts_with(told), "{told:?}");
        // The same, in a body that is whole, and no JSON.
        let text = &message.as_bytes()[..message.len() - end];
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", text.len());
        let events = log::<256>(&[head.as_bytes(), text].concat(), usize::MAX);
        let [told @ .., noise, last] = &events[..] else { panic!("{events:?}") };
        assert_eq!((&**noise, &**last), ("ignored Noise", "lost 1 NoResponse"));
        assert!(expected.starts_with(told), "{told:?}");
    }
}

#[test]
fn another_id() {
    let (result, expected) = tools();
    for id in [r#","id":7"#, ""] {
        let reply = json("200 OK", &format!(r#"{{{result},"jsonrpc":"2.0"{id}}}"#));
        for cut in (0..reply.len()).step_by(5) {
            let events = log::<256>(&reply, cut);
            let [told @ .., lost, rest] = &events[..] else { panic!("{events:?}") };
            assert_eq!((&**lost, rest.starts_with("ignored TooLong")), ("lost 1 OtherId", true));
            assert_eq!(told, &expected[..12]);
        }
    }
}
