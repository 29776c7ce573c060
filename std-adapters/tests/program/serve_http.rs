//! `umcp serve --http`: what it answers, what it takes, and how it ends.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::rig::{PATIENCE, Running, UMCP, run};

/// The program, serving at a port of its own.
struct Server {
    running: Running,
    address: String,
}

impl Server {
    fn start(args: &[&str]) -> Server {
        let mut running = Running::of(Command::new(UMCP).args(["serve", "--http", "127.0.0.1:0"]).args(args));
        let line = running.err_line();
        let address = line.trim().strip_prefix("listening on http://").and_then(|rest| rest.strip_suffix("/mcp"));
        let address = address.unwrap_or_else(|| panic!("{line:?}")).to_owned();
        Server { running, address }
    }

    fn connect(&self) -> TcpStream {
        let socket = TcpStream::connect(&self.address).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket
    }

    /// Sends a request and reads to the end of the connection: the head and the body.
    fn ask(&self, request: &str) -> (String, String) {
        let mut socket = self.connect();
        socket.write_all(request.as_bytes()).unwrap();
        let mut reply = String::new();
        socket.read_to_string(&mut reply).unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{reply:?}"));
        (head.to_owned(), body.to_owned())
    }

    fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.running.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }
}

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// A request, with these headers besides its own.
fn post(method: &str, name: &str, params: &str, headers: &str) -> String {
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params},{META}}}}}"#);
    let host = if headers.contains("Host: ") { "" } else { "Host: localhost\r\n" };
    let head = format!("POST /mcp HTTP/1.1\r\n{host}Content-Type: application/json\r\n{headers}");
    let head = format!("{head}MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\nMcp-Name: {name}\r\n");
    format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())
}

fn echo(text: &str, headers: &str) -> String {
    post("tools/call", "echo", &format!(r#""name":"echo","arguments":{{"text":"{text}"}}"#), headers)
}

fn listen() -> String {
    post("subscriptions/listen", "", r#""notifications":{"resourceSubscriptions":["board://led"]}"#, "")
}

#[test]
fn it_answers() {
    let server =
        Server::start(&["--origin", "https://a.example", "--origin", "https://b.example", "--max-body", "600"]);
    let text = |body: &str| serde_json::from_str::<Value>(body).unwrap()["result"]["content"][0]["text"].clone();
    let close = "Connection: close\r\n";
    let (head, body) = server.ask(&echo("hi", close));
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert_eq!(text(&body), "hi");
    for (headers, status) in [
        ("Origin: https://b.example\r\n", "200 "),
        ("Origin: https://c.example\r\n", "403 "),
        ("Host: evil.example\r\n", "403 "),
    ] {
        let (head, _) = server.ask(&echo("hi", &format!("{headers}{close}")));
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{headers}: {head}");
    }
    let (head, _) = server.ask(&echo(&"x".repeat(500), close));
    assert!(head.starts_with("HTTP/1.1 413 "), "{head}");
    // Progress, from a call that is worked on meanwhile.
    let meta = META.replace("{\"io", "{\"progressToken\":1,\"io");
    let blink = post("tools/call", "blink", r#""name":"blink","arguments":{"times":3,"period_ms":10}"#, close)
        .replace(META, &meta);
    let length = blink.split_once("\r\n\r\n").unwrap().1.len();
    let blink = blink.lines().map(|line| match line.strip_prefix("Content-Length: ") {
        Some(_) => format!("Content-Length: {length}"),
        None => line.to_owned(),
    });
    let (head, body) = server.ask(&blink.collect::<Vec<_>>().join("\r\n"));
    assert!(head.contains("text/event-stream"), "{head}");
    assert_eq!(body.matches("notifications/progress").count(), 3, "{body}");
    assert!(body.contains("blinked 3 times"), "{body}");
}

#[test]
fn it_cannot_serve() {
    let server = Server::start(&[]);
    for address in [server.address.as_str(), "192.0.2.1:80", "nowhere", "127.0.0.1:port"] {
        let ran = run(&["serve", "--http", address]);
        ran.assert_status(3);
        assert!(ran.err.contains(&format!("cannot serve at {address}: ")), "{}", ran.err);
    }
    for args in [&["serve", "--max-body", "5"][..], &["serve", "--origin", "x"], &["serve", "--http"]] {
        run(args).assert_status(2);
    }
}

/// Interrupted, it ends subscriptions with their final result, lets calls end, and is gone.
#[test]
fn it_is_interrupted() {
    for signal in [Signal::INT, Signal::TERM] {
        let server = Server::start(&[]);
        let mut idle = server.connect();
        idle.write_all(b"POST /m").unwrap();
        let mut socket = server.connect();
        socket.write_all(listen().as_bytes()).unwrap();
        let mut call = server.connect();
        let blink = r#""name":"blink","arguments":{"times":20,"period_ms":50}"#;
        call.write_all(post("tools/call", "blink", blink, "").as_bytes()).unwrap();
        let mut heard = [0; 1024];
        let count = socket.read(&mut heard).unwrap();
        assert!(String::from_utf8_lossy(&heard[..count]).starts_with("HTTP/1.1 200 "));
        drop(idle);
        // It can let a call end that it has heard of.
        std::thread::sleep(Duration::from_millis(300));
        let start = Instant::now();
        server.running.signal(signal);
        let mut rest = String::new();
        socket.read_to_string(&mut rest).unwrap();
        assert!(rest.contains(r#""resultType":"complete""#) && rest.ends_with("0\r\n\r\n"), "{rest}");
        assert!(start.elapsed() < Duration::from_secs(2), "subscriptions wait for nobody");
        let mut answer = String::new();
        call.read_to_string(&mut answer).unwrap();
        assert!(answer.contains("blinked 20 times"), "{answer}");
        let ran = server.running.end();
        ran.assert_status(0);
        assert_eq!(ran.out, "", "standard output is nobody's");
    }
}

/// Its memory is what it began with, whatever is done to it.
#[test]
#[cfg(target_os = "linux")]
fn its_memory_is_bounded() {
    /// What the stacks, the allocator and the pages of tables not used before may add, in KiB.
    const SLACK: u64 = 1024;
    let server = Server::start(&[]);
    server.ask(&echo("hi", "Connection: close\r\n"));
    let before = server.memory();
    let mut open = Vec::new();
    for index in 0..500 {
        let mut socket = server.connect();
        let bytes = echo("never", "");
        // Half-open, in all stages; bodies that do not end; subscriptions; heads without an end.
        let _ = match index % 5 {
            0 => Ok(()),
            1 => socket.write_all(&bytes.as_bytes()[..50]),
            2 => socket.write_all(&bytes.as_bytes()[..bytes.len() - 1]),
            3 => socket.write_all(listen().as_bytes()),
            _ => socket.write_all(format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(60_000)).as_bytes()),
        };
        open.push(socket);
    }
    for socket in open.drain(..) {
        drop(socket);
    }
    let mut socket = server.connect();
    let many = echo(&"x".repeat(400), "").repeat(10);
    let mut buffer = [0; 65_536];
    for _ in 0..200 {
        socket.write_all(many.as_bytes()).unwrap();
        let mut answers = 0;
        while answers < 10 {
            let count = socket.read(&mut buffer).unwrap();
            answers += buffer[..count].windows(9).filter(|window| *window == b"HTTP/1.1 ").count();
        }
    }
    let after = server.memory();
    println!("{before} KiB before, {after} KiB after");
    assert!(after < before + SLACK, "{before} KiB before, {after} KiB after");
}
