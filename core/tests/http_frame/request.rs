//! Heads of requests.

use crate::rig::{Log, Pieces, Wire, read_request};
use umcp::frame::http::{HeadError, Limits, RequestHead, Wanted};

static WANTED: Wanted = Wanted::new(&["host", "mcp-method", "mcp-name", "content-length"]).prefix("mcp-param-");

const TRAILING: &[u8] = b"{\"a\":1}\r\n\r\nGET / HTTP/1.1\r\n\r\n\0\xff";

fn limits() -> Limits {
    Limits { line: 64, head: 512 }
}

/// Reads a head in every way it can arrive, and says what came of it, which is always the same.
fn read(raw: &[u8], limits: Limits) -> Result<Log, HeadError> {
    let room = limits.line as usize;
    let mut wire = Wire::new(raw, room, Pieces::WHOLE);
    let whole = read_request(&mut wire, &WANTED, limits);
    for pieces in Pieces::all(raw.len()) {
        for room in [room, room + 1, 4 * room, raw.len().max(room)] {
            let mut wire = Wire::new(raw, room, pieces);
            assert_eq!(read_request(&mut wire, &WANTED, limits), whole, "{pieces:?} in {room}: {}", raw.escape_ascii());
        }
    }
    whole.map_err(|(_, error)| error)
}

fn assert_reads(raw: &str, expected: &[&str]) {
    let with_trailing = [raw.as_bytes(), TRAILING].concat();
    let log = read(&with_trailing, limits()).unwrap_or_else(|error| panic!("{raw:?}: {error}"));
    assert_eq!(log.lines, expected, "{raw:?}");
    let mut wire = Wire::new(&with_trailing, with_trailing.len(), Pieces::WHOLE);
    read_request(&mut wire, &WANTED, limits()).expect("as before");
    assert_eq!(wire.rest(), TRAILING, "{raw:?}");
    // As long as it is not whole, nothing is refused and nothing ends.
    for end in 0..raw.len() {
        let log = read(&raw.as_bytes()[..end], limits()).unwrap_or_else(|error| panic!("{:?}: {error}", &raw[..end]));
        assert_eq!(log.body, None, "{:?}", &raw[..end]);
        assert!(expected.join("\n").starts_with(&log.lines.join("\n")), "{:?}", &raw[..end]);
    }
}

#[test]
fn heads_are_read() {
    let table: &[(&str, &[&str])] = &[
        ("GET / HTTP/1.1\r\n\r\n", &["GET / 1.1", "empty, keep"]),
        ("POST /mcp?a=b HTTP/1.1\r\nHost: h\r\n\r\n", &["POST /mcp?a=b 1.1", "host=h", "empty, keep"]),
        ("X-Y * HTTP/1.0\r\n\r\n", &["X-Y * 1.0", "empty, close"]),
        // Names in any case, white space around values, values with anything in them, empty ones.
        ("GET / HTTP/1.1\r\nHOST:h\r\n\r\n", &["GET / 1.1", "host=h", "empty, keep"]),
        ("GET / HTTP/1.1\r\nhost: \t a b \t \r\n\r\n", &["GET / 1.1", "host=a b", "empty, keep"]),
        ("GET / HTTP/1.1\r\nhost: a:b, \"c\"\t~\r\n\r\n", &["GET / 1.1", "host=a:b, \"c\"\t~", "empty, keep"]),
        ("GET / HTTP/1.1\r\nhost:\r\nhost: \r\n\r\n", &["GET / 1.1", "host=", "host=", "empty, keep"]),
        // What nobody needs is passed over; what begins like something needed, too.
        ("GET / HTTP/1.1\r\nCookie: a\r\nHost: h\r\nX:\r\n\r\n", &["GET / 1.1", "host=h", "empty, keep"]),
        ("GET / HTTP/1.1\r\nHosts: a\r\nHos: b\r\nMcp-Para: c\r\n\r\n", &["GET / 1.1", "empty, keep"]),
        // By prefix, with the name as it was sent; and repeated.
        (
            "GET / HTTP/1.1\r\nMcp-Param-A: 1\r\nMCP-PARAM-b: 2\r\nmcp-param-: 3\r\nMcp-Param-A: 4\r\n\r\n",
            &["GET / 1.1", "Mcp-Param-A=1", "MCP-PARAM-b=2", "mcp-param-=3", "Mcp-Param-A=4", "empty, keep"],
        ),
        // Bodies. What frames one is yielded only if it is wanted as well.
        ("POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", &["POST / 1.1", "content-length=0", "length 0, keep"]),
        (
            "POST / HTTP/1.1\r\nContent-Length: 17\r\ncontent-length:17\r\n\r\n",
            &["POST / 1.1", "content-length=17", "content-length=17", "length 17, keep"],
        ),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n", &["POST / 1.1", "chunked, keep"]),
        ("POST / HTTP/1.1\r\nExpect: 100-Continue\r\n\r\n", &["POST / 1.1", "empty, keep, expects"]),
        ("POST / HTTP/1.1\r\nExpect: something\r\n\r\n", &["POST / 1.1", "empty, keep"]),
        ("POST / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n", &["POST / 1.0", "empty, close"]),
        // Connections.
        ("GET / HTTP/1.1\r\nConnection: close\r\n\r\n", &["GET / 1.1", "empty, close"]),
        ("GET / HTTP/1.1\r\nConnection: Upgrade , CLOSE\r\n\r\n", &["GET / 1.1", "empty, close"]),
        ("GET / HTTP/1.1\r\nConnection: closed\r\n\r\n", &["GET / 1.1", "empty, keep"]),
        ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", &["GET / 1.0", "empty, keep"]),
        ("GET / HTTP/1.0\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n", &["GET / 1.0", "empty, close"]),
        ("GET / HTTP/1.1\r\nConnection: close\r\nConnection: keep-alive\r\n\r\n", &["GET / 1.1", "empty, close"]),
        // Empty lines before it.
        ("\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\n\r\n", &["GET / 1.1", "empty, keep"]),
    ];
    for (raw, expected) in table {
        assert_reads(raw, expected);
    }
}

#[test]
fn heads_are_refused() {
    use HeadError::*;
    let table: &[(&str, HeadError)] = &[
        // The first line.
        ("GET /\r\n", StartLine),
        ("GET\r\n", StartLine),
        ("GET  / HTTP/1.1\r\n", StartLine),
        ("GET / HTTP/1.1 \r\n", StartLine),
        (" GET / HTTP/1.1\r\n", StartLine),
        ("GET / / HTTP/1.1\r\n", StartLine),
        ("G(T / HTTP/1.1\r\n", StartLine),
        ("GET /\u{e9} HTTP/1.1\r\n", StartLine),
        ("GET /\t HTTP/1.1\r\n", StartLine),
        ("GET / http/1.1\r\n", StartLine),
        ("GET / HTTP/1\r\n", StartLine),
        ("GET / HTTP/11.1\r\n", StartLine),
        ("\r\n\r\n\r\n\r\n\r\n", StartLine),
        ("HTTP/1.1 200 OK\r\n", StartLine),
        // A client that means to speak TLS is refused at its first byte.
        ("\x16", StartLine),
        ("GET /\0", StartLine),
        ("GET /\x7f", StartLine),
        ("GET / HTTP/2.0\r\n", Version),
        ("PRI * HTTP/2.0\r\n", Version),
        ("GET / HTTP/1.2\r\n", Version),
        ("GET / HTTP/0.9\r\n", Version),
        // Line ends.
        ("GET / HTTP/1.1\n", LineEnd),
        ("GET / HTTP/1.1\r\r", LineEnd),
        ("GET /\r HTTP/1.1", LineEnd),
        ("\n", LineEnd),
        ("GET / HTTP/1.1\r\nHost: h\n", LineEnd),
        ("GET / HTTP/1.1\r\nHost: h\rx", LineEnd),
        ("GET / HTTP/1.1\r\nX: h\n", LineEnd),
        ("GET / HTTP/1.1\r\nX: h\r\r", LineEnd),
        ("GET / HTTP/1.1\r\n\n", LineEnd),
        ("GET / HTTP/1.1\r\n\rx", LineEnd),
        // Headers, whether or not they are needed.
        ("GET / HTTP/1.1\r\nHost\r\n", Header),
        ("GET / HTTP/1.1\r\nHost : h\r\n", Header),
        ("GET / HTTP/1.1\r\nHost\t: h\r\n", Header),
        ("GET / HTTP/1.1\r\n: h\r\n", Header),
        ("GET / HTTP/1.1\r\n Host: h\r\n", Header),
        ("GET / HTTP/1.1\r\nHost: h\r\n folded\r\n", Header),
        ("GET / HTTP/1.1\r\nX: h\r\n\tfolded\r\n", Header),
        ("GET / HTTP/1.1\r\nHost: a\0", Header),
        ("GET / HTTP/1.1\r\nHost: a\x7f", Header),
        ("GET / HTTP/1.1\r\nX: a\0", Header),
        ("GET / HTTP/1.1\r\nX: a\x1b", Header),
        ("GET / HTTP/1.1\r\nX : h\r\n", Header),
        ("GET / HTTP/1.1\r\nX\r\n", Header),
        ("GET / HTTP/1.1\r\nX(: h\r\n", Header),
        ("GET / HTTP/1.1\r\nX\u{e9}: h\r\n", Header),
        ("GET / HTTP/1.1\r\nMcp-Param-\u{e9}: h\r\n", Header),
        // Bodies.
        ("GET / HTTP/1.1\r\nContent-Length: 1, 1\r\n", ContentLength),
        ("GET / HTTP/1.1\r\nContent-Length: +1\r\n", ContentLength),
        ("GET / HTTP/1.1\r\nContent-Length:\r\n", ContentLength),
        ("GET / HTTP/1.1\r\nContent-Length: 18446744073709551616\r\n", ContentLength),
        ("GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n", ContentLength),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n", TransferEncoding),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: identity\r\n", TransferEncoding),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n", TransferEncoding),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", TransferEncoding),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", Ambiguous),
        ("GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", Ambiguous),
        ("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", Ambiguous),
    ];
    for (raw, expected) in table {
        for trailing in [&b""[..], TRAILING] {
            let raw = [raw.as_bytes(), trailing].concat();
            assert_eq!(read(&raw, limits()).map(|log| log.lines), Err(*expected), "{}", raw.escape_ascii());
        }
    }
}

#[test]
fn a_line_of_exactly_the_limit_is_taken() {
    // Each as (before, repeated, behind), the repeated part making the line as long as wanted.
    let line = 64;
    let table: &[(&str, &str, HeadError)] = &[
        ("", "GET /$ HTTP/1.1\r\n", HeadError::StartLineTooLong),
        ("GET / HTTP/1.1\r\n", "Host: $\r\n", HeadError::HeaderTooLong),
        ("GET / HTTP/1.1\r\n", "Mcp-Param-$: x\r\n", HeadError::HeaderTooLong),
        ("GET / HTTP/1.1\r\n", "Connection: $\r\n", HeadError::HeaderTooLong),
    ];
    for (before, template, error) in table {
        for (len, expected) in [(line - 1, None), (line, None), (line + 1, Some(*error)), (line + 100, Some(*error))] {
            let fill = "a".repeat(len - (template.len() - 1));
            let raw = format!("{before}{}\r\n{}", template.replace('$', &fill), "x".repeat(200));
            let head = if before.is_empty() { raw.replacen("\r\n", "\r\n\r\n", 1) } else { raw };
            assert_eq!(read(head.as_bytes(), limits()).err(), expected, "{len} {head:?}");
        }
    }
}

#[test]
fn a_head_of_exactly_the_limit_is_taken() {
    for fill in ["X: ", "a-long-name-that-nobody-needs-and-that-has-no-end", "X: y\r\nX: y\r\nX:"] {
        for (len, expected) in [(511, None), (512, None), (513, Some(HeadError::HeadTooLong))] {
            let start = format!("GET / HTTP/1.1\r\n{fill}");
            let colon = if fill.contains(':') { "" } else { ":" };
            let raw = format!("{start}{}{colon}\r\n\r\n", "z".repeat(len - start.len() - 4 - colon.len()));
            assert_eq!(raw.len(), len);
            assert_eq!(read(raw.as_bytes(), limits()).err(), expected, "{raw:?}");
        }
    }
    // Empty lines before the first count, and a first line is not looked at beyond the limit.
    let limits = Limits { line: 64, head: 19 };
    assert_eq!(read(b"\r\nGET / HTTP/1.1\r\n\r\n", limits).err(), Some(HeadError::HeadTooLong));
    assert_eq!(read(b"\r\nGET / HTTP/1.1\r\n\r\n", limits.head(20)).err(), None);
    assert_eq!(read(b"\r\nGET /aaaaaaaaaaaa", limits).err(), Some(HeadError::HeadTooLong));
}

#[test]
fn sixteen_kilobytes_pass_through_a_small_buffer() {
    let junk: String = (0..40).map(|n| format!("X-Junk-{n}: {}\r\n", "j".repeat(400))).collect();
    let raw = format!("POST /mcp HTTP/1.1\r\n{junk}Mcp-Method: ping\r\n{junk}Content-Length: 2\r\n\r\n{{}}");
    assert!(raw.len() > 32_000);
    for size in [1, 3, 64, 100, 1000] {
        let limits = Limits::buffer(64);
        let mut wire = Wire::new(raw.as_bytes(), 64, Pieces::Every(size));
        let log = read_request(&mut wire, &WANTED, limits).expect("within the limits");
        assert_eq!(log.lines, ["POST /mcp 1.1", "mcp-method=ping", "content-length=2", "length 2, keep"]);
        assert_eq!(wire.rest(), b"{}");
    }
    let mut wire = Wire::new(raw.as_bytes(), 64, Pieces::Every(64));
    let refused = read_request(&mut wire, &WANTED, Limits::buffer(64).head(16 * 1024));
    assert_eq!(refused.map_err(|(_, error)| error), Err(HeadError::HeadTooLong));
}

#[test]
fn it_is_idle_until_something_comes() {
    for (raw, expected) in [("", true), ("\r\n", true), ("\r\n\r\n", true), ("G", false), ("GET / HTTP/1.1\r\n", false)]
    {
        let mut head = RequestHead::new(&WANTED, limits());
        let _ = head.next(raw.as_bytes());
        assert_eq!(head.is_idle(), expected, "{raw:?}");
    }
}
