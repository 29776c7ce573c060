//! Recorded connections, both directions, in random pieces through small buffers.

use crate::rig::{Messages, Pieces, Wire, random, read_body, read_request, read_response};
use std::path::{Path, PathBuf};
use umcp::frame::http::{Body, BodyKind, EventBody, Limits, Wanted};

static WANTED: Wanted = Wanted::new(&["host", "content-type", "mcp-session-id", "mcp-method"]).prefix("mcp-param-");

/// The recorded connections: in `UMCP_SHARED`, or in `shared` beside the workspace. They may be missing, except in continuous integration.
fn recordings() -> Option<PathBuf> {
    let shared = match std::env::var_os("UMCP_SHARED") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
    };
    let folder = shared.join("wire");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var_os("CI").is_none(), "there is no {}", folder.display());
    println!("skipped: there is no {} (set UMCP_SHARED to the folder of test data)", folder.display());
    None
}

/// All recorded directions whose names end so.
fn connections(folder: &Path, suffix: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(connections(&path, suffix));
        } else if name.starts_with("conn-") && name.ends_with(suffix) {
            let bytes = std::fs::read(&path).unwrap();
            found.push((path, bytes));
        }
    }
    found
}

fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Value>(text).is_ok_and(|value| value["jsonrpc"] == "2.0")
}

/// Everything of one message: the first line and the headers, then the payload.
type Message = (Vec<String>, Messages);

fn read_requests(bytes: &[u8], room: usize, pieces: Pieces) -> Vec<Message> {
    let mut wire = Wire::new(bytes, room, pieces);
    let mut messages = Vec::new();
    loop {
        let log = read_request(&mut wire, &WANTED, Limits::buffer(room)).expect("a head");
        let Some(kind) = log.body else {
            assert_eq!((wire.rest(), &log.lines[..]), (&b""[..], &[][..]), "broken off in a head");
            return messages;
        };
        let body = read_body(&mut wire, &mut Body::new(kind), true);
        messages.push((log.lines, body));
    }
}

fn read_responses(bytes: &[u8], room: usize, pieces: Pieces) -> Vec<Message> {
    let mut wire = Wire::new(bytes, room, pieces);
    let mut messages = Vec::new();
    loop {
        let log = read_response(&mut wire, &WANTED, Limits::buffer(room), false).expect("a head");
        let Some(kind) = log.body else {
            assert_eq!((wire.rest(), &log.lines[..]), (&b""[..], &[][..]), "broken off in a head");
            return messages;
        };
        let is_stream = log.lines.iter().any(|line| line.starts_with("content-type=text/event-stream"));
        let body = if is_stream {
            read_body(&mut wire, &mut EventBody::new(kind), true)
        } else {
            read_body(&mut wire, &mut Body::new(kind), true)
        };
        let ended = body.error.is_some() || kind == BodyKind::UntilClose;
        messages.push((log.lines, body));
        if ended {
            return messages;
        }
    }
}

fn assert_same_in_pieces(
    bytes: &[u8],
    read: impl Fn(&[u8], usize, Pieces) -> Vec<Message>,
    seed: &mut u64,
) -> Vec<Message> {
    let whole = read(bytes, 65536, Pieces::WHOLE);
    for (room, most) in [(256, 256), (256, 1), (1024, 7), (4096, 2000)] {
        random(seed);
        assert!(read(bytes, room, Pieces::Random(most, *seed)) == whole, "in pieces of up to {most}");
    }
    whole
}

#[test]
fn recorded_requests() {
    let Some(folder) = recordings() else { return };
    let mut seed = 17;
    let (mut requests, mut with_body) = (0, 0);
    let connections = connections(&folder, ".c2s.bin");
    assert!(connections.len() > 200, "{} connections", connections.len());
    for (path, bytes) in connections {
        for (head, body) in assert_same_in_pieces(&bytes, read_requests, &mut seed) {
            requests += 1;
            assert_eq!((body.error, body.whole.len()), (None, 1), "{}: {head:?}", path.display());
            let (payload, _) = &body.whole[0];
            if head[0].starts_with("POST") {
                with_body += 1;
                assert!(is_json(payload), "{}: {head:?}", path.display());
            } else {
                assert_eq!(payload, b"", "{}: {head:?}", path.display());
            }
        }
    }
    println!("{requests} requests, {with_body} with a body");
    assert!(requests > 300 && with_body > 280, "{requests} {with_body}");
}

#[test]
fn recorded_responses() {
    let Some(folder) = recordings() else { return };
    let mut seed = 19;
    let (mut responses, mut messages, mut streams, mut broken_off) = (0, 0, 0, 0);
    for (path, bytes) in connections(&folder, ".s2c.bin") {
        for (head, body) in assert_same_in_pieces(&bytes, read_responses, &mut seed) {
            responses += 1;
            let is_stream = head.iter().any(|line| line.starts_with("content-type=text/event-stream"));
            streams += usize::from(is_stream);
            match body.error {
                None => assert_eq!(body.begun, b"", "{}: {head:?}", path.display()),
                // A client that has what it wants closes a stream.
                Some(_) => {
                    assert!(is_stream, "{}: {head:?}", path.display());
                    broken_off += 1;
                }
            }
            let is_json_body = head.iter().any(|line| line.starts_with("content-type=application/json"));
            for (payload, _) in body.whole {
                let blank = payload.iter().all(u8::is_ascii_whitespace);
                assert!(blank || is_json(&payload) || !(is_stream || is_json_body), "{}: {head:?}", path.display());
                messages += usize::from(!blank);
            }
        }
    }
    println!("{responses} responses, {streams} streams ({broken_off} broken off), {messages} messages");
    assert!(responses > 300 && streams > 180 && messages > 250, "{responses} {streams} {messages}");
}
