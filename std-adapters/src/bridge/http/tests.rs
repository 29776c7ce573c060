//! Connections as tables: bytes in at every split, requests and bytes out.

use umcp::time::Instant;

use super::connection::Connection;
use super::policy::{Allowed, Policy};
use crate::bridge::limits::Limits;

/// The requests, each with its method, its body and one header, and all that was sent.
fn play(stream: &[u8], cuts: &[usize]) -> (Vec<String>, String) {
    let limits = Limits { message: 64, ..Limits::DEFAULT };
    let policy = Policy::new("127.0.0.1:80".parse().unwrap(), Allowed::default());
    let mut connection = Connection::new(Instant::ZERO);
    let (mut requests, mut start) = (Vec::new(), 0);
    for end in cuts.iter().copied().chain([stream.len()]) {
        connection.receive(&stream[start..end], Instant::ZERO);
        start = end;
        while let Some(request) = connection.next(&policy, &limits, Instant::ZERO) {
            let body = String::from_utf8_lossy(&request.body).into_owned();
            requests.push(format!("{} {} {:?}", request.method, body, request.mcp_name.text()));
            match request.method.as_str() {
                "GET" => {
                    connection.begin_stream(None, Instant::ZERO);
                    connection.event(b"{}", Instant::ZERO);
                    connection.comment(Instant::ZERO);
                    connection.end_stream(Instant::ZERO);
                }
                _ => connection.reply(200, &[], b"[]", Instant::ZERO),
            }
        }
    }
    let mut sent = Vec::new();
    while connection.pending() > 0 {
        sent.extend_from_slice(connection.output());
        connection.sent(connection.output().len());
    }
    (requests, String::from_utf8(sent).unwrap())
}

const REPLY: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]";
const STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nX-Accel-Buffering: no\r\nTransfer-Encoding: chunked\r\n\r\na\r\ndata: {}\n\n\r\n3\r\n:\n\n\r\n0\r\n\r\n";

#[test]
fn requests_are_the_same_at_every_split() {
    let closing = REPLY.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
    let junk = format!("X-Junk: {}\r\n", "j".repeat(300));
    let table: &[(String, &[&str], String)] = &[
        (
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nMCP-NAME: a\r\nContent-Length: 3\r\n\r\n{1}\
             POST /mcp?q HTTP/1.1\r\nhost:localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{2\r\n1;x\r\n}\r\n0\r\nT: t\r\n\r\n\
             GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n"
                .to_owned(),
            &["POST {1} Some(\"a\")", "POST {2} None", "GET  None"],
            format!("{REPLY}{REPLY}{STREAM}"),
        ),
        (
            format!("POST /mcp HTTP/1.1\r\n{junk}Host: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\nGET /mcp HTTP/1.1\r\n"),
            &["POST  None"],
            closing.clone(),
        ),
        (
            "POST /mcp HTTP/1.0\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}".to_owned(),
            &["POST {} None"],
            closing,
        ),
    ];
    for (stream, expected, sent) in table {
        let whole = play(stream.as_bytes(), &[]);
        assert_eq!(
            (whole.0.as_slice(), &whole.1),
            (expected.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>().as_slice(), sent)
        );
        let every: Vec<usize> = (1..stream.len()).collect();
        assert_eq!(play(stream.as_bytes(), &every), whole, "a byte at a time");
        for cut in 0..stream.len() {
            assert_eq!(play(stream.as_bytes(), &[cut]), whole, "cut at {cut}");
        }
    }
}

#[test]
fn a_refusal_is_the_same_at_every_split() {
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\n";
    let table = [
        (format!("{head}Content-Length: 65\r\n\r\n"), "413"),
        (format!("{head}Transfer-Encoding: chunked\r\n\r\n41\r\n{}", "x".repeat(65)), "413"),
        (format!("{head}Transfer-Encoding: chunked\r\n\r\nzz\r\n"), "400"),
        (format!("{head}Content-Length: x\r\n\r\n"), "400"),
        (format!("{head}\r\n"), "411"),
        ("POST /other HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}".to_owned(), "404"),
        ("BREW /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}".to_owned(), "405"),
        ("POST /mcp HTTP/1.1\nHost: localhost\n\n".to_owned(), "400"),
    ];
    for (stream, status) in table {
        for cut in 0..stream.len() {
            let (requests, sent) = play(stream.as_bytes(), &[cut]);
            assert!(requests.is_empty(), "{stream}");
            assert!(sent.starts_with(&format!("HTTP/1.1 {status} ")), "{stream}: {sent}");
            assert_eq!(sent.matches("HTTP/1.1").count(), 1, "{stream}: {sent}");
        }
    }
}

#[test]
fn the_body_is_asked_for_once() {
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
    let (requests, sent) = play(format!("{head}{{}}").as_bytes(), &[head.len()]);
    assert_eq!(requests, ["POST {} None"]);
    assert_eq!(sent, format!("HTTP/1.1 100 Continue\r\n\r\n{REPLY}"));
    // It has come unasked.
    assert_eq!(play(format!("{head}{{}}").as_bytes(), &[]).1, REPLY);
}
