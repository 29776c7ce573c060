//! Heads beside `httparse`: what is accepted here, it accepts and reads alike; what only it accepts is what is refused here on purpose.

use crate::rig::{Pieces, Wire, random, read_request, read_response};
use httparse::Status;
use umcp::frame::http::{HeadError, Limits, Wanted};

static ALL: Wanted = Wanted::new(&[]).prefix("");

const LIMITS: Limits = Limits { line: 4096, head: 65536 };

const REQUESTS: &[&str] = &[
    "GET / HTTP/1.1\r\n\r\n",
    "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAccept: application/json, text/event-stream\r\nContent-Length: 12\r\n\r\n",
    "\r\nDELETE /mcp?x=%20 HTTP/1.0\r\nmcp-session-id:\tabc \r\nConnection: keep-alive\r\nX:\r\n\r\n",
    "POST /a/b HTTP/1.1\r\nTransfer-Encoding: chunked\r\nMcp-Param-A: =?base64?w6k=?=\r\nX: \u{e9}\r\n\r\nrest",
];

const RESPONSES: &[&str] = &[
    "HTTP/1.1 200 OK\r\n\r\n",
    "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{}",
    "HTTP/1.0 202\r\nTransfer-Encoding: chunked\r\n\r\n",
    "HTTP/1.1 204 \r\nDate:\tnow \r\nX:\r\n\r\n",
];

/// A head with a few bytes changed, put in, taken out, or doubled.
fn mutated(heads: &[&str], seed: &mut u64) -> Vec<u8> {
    let bytes = b"\0\t\n\r\r\n\n !\"():;,.09AZaz~\x7f\x80\xff";
    let mut head = heads[random(seed) as usize % heads.len()].as_bytes().to_vec();
    for _ in 0..random(seed) % 4 {
        let at = random(seed) as usize % head.len();
        let byte = bytes[random(seed) as usize % bytes.len()];
        match random(seed) % 4 {
            0 => head[at] = byte,
            1 => head.insert(at, byte),
            2 => drop(head.remove(at)),
            _ => head.extend_from_within(at..),
        }
    }
    head
}

/// Whether httparse may have taken this where it is refused here.
fn is_stricter(error: HeadError, head: &[u8]) -> bool {
    let bare_line_end = |pair: &[u8]| (pair[0] != b'\r' && pair[1] == b'\n') || (pair[0] == b'\r' && pair[1] != b'\n');
    let first_line =
        head.split(|byte| *byte == b'\n').find(|line| !line.is_empty() && *line != b"\r").unwrap_or_default();
    match error {
        HeadError::ContentLength | HeadError::TransferEncoding | HeadError::Ambiguous => true,
        HeadError::LineEnd => head.starts_with(b"\n") || head.windows(2).any(bare_line_end),
        // Bytes of the upper half in a target; an informational status nobody asked for, or one that is none.
        HeadError::StartLine => {
            !first_line.is_ascii() || first_line.get(9..10).is_some_and(|digit| matches!(digit, b"0" | b"1"))
        }
        _ => false,
    }
}

fn header_line(header: &httparse::Header<'_>) -> String {
    format!("{}={}", header.name, header.value.iter().copied().map(char::from).collect::<String>())
}

#[test]
fn requests_agree_with_httparse() {
    let mut seed = 11;
    let (mut accepted, mut refused, mut stricter) = (0, 0, 0);
    for _ in 0..100_000 {
        let head = mutated(REQUESTS, &mut seed);
        let mut wire = Wire::new(&head, 4096, Pieces::Random(40, seed));
        let ours = read_request(&mut wire, &ALL, LIMITS);
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut theirs = httparse::Request::new(&mut headers);
        let status = theirs.parse(&head);
        let shown = head.escape_ascii();
        match (ours, status) {
            (Ok(log), Ok(Status::Complete(len))) if log.body.is_some() => {
                accepted += 1;
                let version = if theirs.version == Some(1) { "1.1" } else { "1.0" };
                let first = format!("{} {} {version}", theirs.method.unwrap(), theirs.path.unwrap());
                let lines: Vec<_> = std::iter::once(first).chain(theirs.headers.iter().map(header_line)).collect();
                assert_eq!(log.lines[..log.lines.len() - 1], lines, "{shown}");
                assert_eq!(wire.rest(), &head[len..], "{shown}");
            }
            (Ok(log), status) => {
                assert!(log.body.is_none(), "httparse refuses {shown}: {status:?}");
                assert!(!matches!(status, Ok(Status::Complete(_))), "httparse sees the end of {shown}");
            }
            (Err((_, error)), Ok(_)) => {
                stricter += 1;
                assert!(is_stricter(error, &head), "{error:?}: {shown}");
            }
            (Err(_), Err(_)) => refused += 1,
        }
    }
    assert!(accepted > 10_000 && refused > 10_000 && stricter > 1000, "{accepted} {refused} {stricter}");
}

#[test]
fn responses_agree_with_httparse() {
    let mut seed = 13;
    let (mut accepted, mut refused, mut stricter) = (0, 0, 0);
    for _ in 0..100_000 {
        let head = mutated(RESPONSES, &mut seed);
        let mut wire = Wire::new(&head, 4096, Pieces::Random(40, seed));
        let ours = read_response(&mut wire, &ALL, LIMITS, false);
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut theirs = httparse::Response::new(&mut headers);
        let status = theirs.parse(&head);
        let shown = head.escape_ascii();
        let interim = theirs.code.is_some_and(|code| code < 200);
        match (ours, status) {
            (Ok(log), Ok(Status::Complete(len))) if log.body.is_some() && !interim => {
                accepted += 1;
                let version = if theirs.version == Some(1) { "1.1" } else { "1.0" };
                assert!(log.lines[0].starts_with(&format!("{version} {} ", theirs.code.unwrap())), "{shown}");
                let lines: Vec<_> = theirs.headers.iter().map(header_line).collect();
                assert_eq!(log.lines[1..log.lines.len() - 1], lines, "{shown}");
                assert_eq!(wire.rest(), &head[len..], "{shown}");
            }
            (Ok(_), _) if interim => {}
            (Ok(log), status) => {
                assert!(log.body.is_none(), "httparse refuses {shown}: {status:?}");
                assert!(!matches!(status, Ok(Status::Complete(_))), "httparse sees the end of {shown}");
            }
            (Err((_, error)), Ok(_)) => {
                stricter += 1;
                assert!(interim || is_stricter(error, &head), "{error:?}: {shown}");
            }
            (Err(_), Err(_)) => refused += 1,
        }
    }
    assert!(accepted > 10_000 && refused > 10_000 && stricter > 1000, "{accepted} {refused} {stricter}");
}
