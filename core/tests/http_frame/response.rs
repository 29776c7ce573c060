//! Heads of responses.

use crate::rig::{Log, Pieces, Wire, read_response};
use umcp::frame::http::{HeadError, Limits, ResponseHead, Wanted};

static WANTED: Wanted =
    Wanted::new(&["content-type", "mcp-session-id", "www-authenticate", "mcp-auth-server", "location", "retry-after"]);

const TRAILING: &[u8] = b"HTTP/1.1 200 OK\r\n\r\n\0\xff";

fn limits() -> Limits {
    Limits { line: 64, head: 512 }
}

fn read(raw: &[u8], to_head: bool) -> Result<Log, HeadError> {
    let room = limits().line as usize;
    let whole = read_response(&mut Wire::new(raw, room, Pieces::WHOLE), &WANTED, limits(), to_head);
    for pieces in Pieces::all(raw.len()) {
        for room in [room, raw.len().max(room)] {
            let again = read_response(&mut Wire::new(raw, room, pieces), &WANTED, limits(), to_head);
            assert_eq!(again, whole, "{pieces:?} in {room}: {}", raw.escape_ascii());
        }
    }
    whole.map_err(|(_, error)| error)
}

#[test]
fn heads_are_read() {
    let table: &[(&str, &[&str])] = &[
        ("HTTP/1.1 200 OK\r\n\r\n", &["1.1 200 OK", "until close, close"]),
        // The reason may be any text, or empty, or missing with its space.
        ("HTTP/1.1 404 Not  Found:\t\r\n\r\n", &["1.1 404 Not  Found:\t", "until close, close"]),
        ("HTTP/1.1 200 \r\n\r\n", &["1.1 200 ", "until close, close"]),
        ("HTTP/1.1 200\r\n\r\n", &["1.1 200 ", "until close, close"]),
        ("HTTP/1.1 999 ?\r\n\r\n", &["1.1 999 ?", "until close, close"]),
        (
            "HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer realm=\"x\"\r\nmcp-auth-server: u\r\nDate: d\r\nContent-Length: 0\r\n\r\n",
            &["1.1 401 No", "www-authenticate=Bearer realm=\"x\"", "mcp-auth-server=u", "length 0, keep"],
        ),
        // Bodies.
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", &["1.1 200 OK", "length 5, keep"]),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", &["1.1 200 OK", "chunked, keep"]),
        ("HTTP/1.1 204 No\r\n\r\n", &["1.1 204 No", "empty, keep"]),
        ("HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n", &["1.1 204 No", "empty, keep"]),
        ("HTTP/1.1 304 No\r\nTransfer-Encoding: chunked\r\n\r\n", &["1.1 304 No", "empty, keep"]),
        // Connections.
        ("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n", &["1.0 200 OK", "length 5, close"]),
        ("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\n", &["1.0 200 OK", "length 5, keep"]),
        ("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\n", &["1.0 200 OK", "until close, close"]),
        ("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\n", &["1.1 200 OK", "length 5, close"]),
        // Interim responses, with and without headers, say nothing about the final one.
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", &["1.1 200 OK", "until close, close"]),
        (
            "HTTP/1.1 103 Early\r\nContent-Type: no\r\nContent-Length: 7\r\nConnection: close\r\n\r\n\
             HTTP/1.1 102\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: yes\r\nContent-Length: 5\r\n\r\n",
            &["1.1 200 OK", "content-type=yes", "length 5, keep"],
        ),
        ("\r\nHTTP/1.1 204\r\n\r\n", &["1.1 204 ", "empty, keep"]),
    ];
    for (raw, expected) in table {
        let with_trailing = [raw.as_bytes(), TRAILING].concat();
        let log = read(&with_trailing, false).unwrap_or_else(|error| panic!("{raw:?}: {error}"));
        assert_eq!(log.lines, *expected, "{raw:?}");
        let mut wire = Wire::new(&with_trailing, 1000, Pieces::WHOLE);
        read_response(&mut wire, &WANTED, limits(), false).expect("as before");
        assert_eq!(wire.rest(), TRAILING, "{raw:?}");
        for end in 0..raw.len() {
            let log = read(&raw.as_bytes()[..end], false).unwrap_or_else(|error| panic!("{:?}: {error}", &raw[..end]));
            assert_eq!(log.body, None, "{:?}", &raw[..end]);
        }
    }
}

#[test]
fn the_response_to_a_head_request_has_no_body() {
    for header in ["", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"] {
        let raw = format!("HTTP/1.1 200 OK\r\n{header}\r\n");
        assert_eq!(read(raw.as_bytes(), true).expect("a head").lines, ["1.1 200 OK", "empty, keep"], "{raw:?}");
    }
}

#[test]
fn heads_are_refused() {
    use HeadError::*;
    let table: &[(&str, HeadError)] = &[
        ("GET / HTTP/1.1\r\n", StartLine),
        ("HTTP/1.1\r\n", StartLine),
        ("HTTP/1.1 \r\n", StartLine),
        ("HTTP/1.1 20\r\n", StartLine),
        ("HTTP/1.1 2000\r\n", StartLine),
        ("HTTP/1.1 2x0 OK\r\n", StartLine),
        ("HTTP/1.1  200 OK\r\n", StartLine),
        ("HTTP/1.1 099 OK\r\n", StartLine),
        ("HTTP/1.1 200\tOK\r\n", StartLine),
        ("HTTP/1.1 101 Switching Protocols\r\n", StartLine),
        ("ICY 200 OK\r\n", StartLine),
        ("{\"jsonrpc\":\"2.0\"}\r\n", StartLine),
        ("\x15\x03\x01", StartLine),
        ("HTTP/1.1 200 O\0", StartLine),
        ("HTTP/2.0 200 OK\r\n", Version),
        ("HTTP/1.1 200 OK\n", LineEnd),
        ("HTTP/1.1 200 OK\r\nA: b\n", LineEnd),
        ("HTTP/1.1 200 OK\r\nA b\r\n", Header),
        ("HTTP/1.1 100 C\r\nA b\r\n", Header),
        ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n", ContentLength),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n", TransferEncoding),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", Ambiguous),
        ("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", Ambiguous),
    ];
    for (raw, expected) in table {
        for trailing in [&b""[..], TRAILING] {
            let raw = [raw.as_bytes(), trailing].concat();
            assert_eq!(read(&raw, false).map(|log| log.lines), Err(*expected), "{}", raw.escape_ascii());
        }
    }
}

#[test]
fn interim_responses_count_to_the_last_byte() {
    let raw = "HTTP/1.1 100\r\nA: b\r\n\r\nHTTP/1.1 100\r\n\r\nHTTP/1.1 204\r\n\r\n";
    for (head, expected) in [(raw.len(), None), (raw.len() - 1, Some(HeadError::HeadTooLong))] {
        let limits = Limits { line: 64, head: head as u32 };
        for pieces in Pieces::all(raw.len()) {
            let result = read_response(&mut Wire::new(raw.as_bytes(), 64, pieces), &WANTED, limits, false);
            assert_eq!(result.map_err(|(_, error)| error).err(), expected, "{head} {pieces:?}");
        }
    }
}

#[test]
fn interim_responses_without_end_are_refused() {
    let raw = "HTTP/1.1 100 Continue\r\n\r\n".repeat(100);
    assert_eq!(read(raw.as_bytes(), false).map(|log| log.lines), Err(HeadError::HeadTooLong));
    let raw = format!("HTTP/1.1 200 {}\r\n", "r".repeat(100));
    assert_eq!(read(raw.as_bytes(), false).map(|log| log.lines), Err(HeadError::StartLineTooLong));
}

#[test]
fn it_is_idle_until_something_comes() {
    for (raw, expected) in [("", true), ("\r\n", true), ("H", false), ("HTTP/1.1 100\r\n", false)] {
        let mut head = ResponseHead::new(&WANTED, limits());
        let _ = head.next(raw.as_bytes());
        assert_eq!(head.is_idle(), expected, "{raw:?}");
    }
}
