//! Heads on their way out.

use crate::rig::{Pieces, Wire, read_request, read_response};
use umcp::frame::http::{Head, HeadFault, HeadWriter, Limits, Wanted, reason};

static ALL: Wanted = Wanted::new(&[]).prefix("");

const RESPONSE: &[u8] = b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer realm=\"x\"\r\nRetry-After: 120\r\nContent-Length:          7\r\n\r\n";

fn write_response(buf: &mut [u8]) -> Result<Head, HeadFault> {
    let mut w = HeadWriter::response(buf, 401);
    w.header_parts("WWW-Authenticate", &[b"Bearer ", b"realm=\"x\""]).number("Retry-After", 120).length_later();
    w.finish()
}

#[test]
fn a_response_is_written_whole_or_not_at_all() {
    let mut buf = [0xAA; 200];
    let head = write_response(&mut buf).expect("it fits");
    assert_eq!(head.len, RESPONSE.len());
    let length = head.length.expect("left open");
    assert!(length.fill(&mut buf[..head.len], 7));
    assert_eq!(&buf[..head.len], RESPONSE);
    for (size, expected) in [(RESPONSE.len() - 1, false), (RESPONSE.len(), true), (0, false), (30, false)] {
        let result = write_response(&mut vec![0; size]);
        assert_eq!(result.is_ok(), expected, "{size}");
        if !expected {
            assert_eq!(result, Err(HeadFault::Capacity { needed: RESPONSE.len() }), "{size}");
        }
    }
    let mut wire = Wire::new(RESPONSE, 200, Pieces::WHOLE);
    let log = read_response(&mut wire, &ALL, Limits::buffer(200), false).expect("what is written can be read");
    assert_eq!(
        log.lines[1..],
        ["WWW-Authenticate=Bearer realm=\"x\"", "Retry-After=120", "Content-Length=7", "length 7, keep"]
    );
}

#[test]
fn a_length_is_filled_in_at_any_width() {
    for (length, expected) in [
        (0, Some("         0")),
        (1_234_567_890, Some("1234567890")),
        (9_999_999_999, Some("9999999999")),
        (10_000_000_000, None),
        (u64::MAX, None),
    ] {
        let mut buf = [0; 64];
        let mut w = HeadWriter::response(&mut buf, 200);
        w.length_later();
        let head = w.finish().expect("it fits");
        let field = head.length.expect("left open");
        let before = buf;
        assert_eq!(field.fill(&mut buf, length), expected.is_some(), "{length}");
        match expected {
            Some(digits) => {
                assert_eq!(&buf[..head.len], format!("HTTP/1.1 200 OK\r\nContent-Length: {digits}\r\n\r\n").as_bytes());
            }
            None => assert_eq!(buf, before),
        }
        assert!(!field.fill(&mut buf[..20], 1), "that is not the head");
    }
}

#[test]
fn a_request_is_written() {
    let mut buf = [0; 200];
    let mut w = HeadWriter::request(&mut buf, "POST", "/mcp?a=b");
    w.header("Host", b"localhost:80")
        .text("Mcp-Name", "é".bytes())
        .text("Mcp-Method", "ping".bytes())
        .number("Content-Length", u64::MAX);
    let head = w.finish().expect("it fits");
    let expected = "POST /mcp?a=b HTTP/1.1\r\nHost: localhost:80\r\nMcp-Name: =?base64?w6k=?=\r\nMcp-Method: ping\r\nContent-Length: 18446744073709551615\r\n\r\n";
    assert_eq!(&buf[..head.len], expected.as_bytes());
    let mut wire = Wire::new(&buf[..head.len], 200, Pieces::WHOLE);
    let log = read_request(&mut wire, &ALL, Limits::buffer(200)).expect("what is written can be read");
    assert_eq!(log.lines[0], "POST /mcp?a=b 1.1");
    assert_eq!(log.lines[5], "length 18446744073709551615, keep");
}

#[test]
fn what_would_break_the_head_is_refused() {
    for (method, target) in
        [("", "/"), ("A B", "/"), ("G\r\n", "/"), ("GET", ""), ("GET", "/ x"), ("GET", "/\r\nA: b"), ("GET", "/é")]
    {
        let result = HeadWriter::request(&mut [0; 100], method, target).finish();
        assert_eq!(result, Err(HeadFault::Invalid), "{method:?} {target:?}");
    }
    for (name, value) in [
        ("", "x"),
        ("a b", "x"),
        ("a:", "x"),
        ("a\r\n", "x"),
        ("a", "x\r\nb: c"),
        ("a", "\0"),
        ("a", "é"),
        ("a", " x"),
        ("a", "x\t"),
    ] {
        // Also where it does not fit.
        for size in [100, 25, 0] {
            let mut buf = vec![0; size];
            let mut w = HeadWriter::response(&mut buf, 200);
            w.header(name, value.as_bytes());
            assert_eq!(w.finish(), Err(HeadFault::Invalid), "{name:?} {value:?} {size}");
        }
    }
    for status in [0, 99, 1000, u16::MAX] {
        assert_eq!(HeadWriter::response(&mut [0; 100], status).finish(), Err(HeadFault::Invalid), "{status}");
    }
    for status in 100..=999 {
        let mut buf = [0; 100];
        let head = HeadWriter::response(&mut buf, status).finish().expect("it fits");
        assert_eq!(&buf[..head.len], format!("HTTP/1.1 {status} {}\r\n\r\n", reason(status)).as_bytes());
    }
}
