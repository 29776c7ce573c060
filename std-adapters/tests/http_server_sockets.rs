//! A server over HTTP on real sockets: however the system groups what arrives and how it ends, every request is answered and every connection ends.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use umcp::server::Catalog;
use umcp::tool;
use umcp_std::http::server::{HttpServer, RECEIVE_BUFFER, Stopper};

static CATALOG: Catalog<()> =
    Catalog::new("sockets", "1.0.0").tools(&[tool!("hello", "Greets.", |(), call| call.text("hello"))]);

/// Longer than the server takes for anything here, shorter than any of its own times.
const PATIENCE: Duration = Duration::from_secs(5);

struct Served {
    address: SocketAddr,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    fn new(connections: usize) -> Served {
        let server = HttpServer::bind("127.0.0.1:0").expect("a free port").connections(connections);
        let (address, stopper) = (server.address(), server.stopper());
        let thread = Some(thread::spawn(move || server.run(&CATALOG, ()).expect("it serves")));
        Served { address, stopper, thread }
    }

    fn connect(&self) -> TcpStream {
        let socket = TcpStream::connect(self.address).expect("a connection");
        socket.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        socket.set_nodelay(true).expect("an option");
        socket
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stopper.stop();
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(thread::panicking() || matches!(ended, Some(Ok(()))), "the server ended badly");
    }
}

/// A call that is so many bytes longer than it has to be.
fn call(id: usize, padding: usize) -> String {
    let body = format!(
        concat!(
            r#"{{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"hello","arguments":{{}},"_meta":{{"#,
            r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}{}}}"#
        ),
        id,
        " ".repeat(padding)
    );
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: tools/call\r\nMcp-Name: hello\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Reads until so many replies have come.
fn replies(socket: &mut TcpStream, count: usize) -> String {
    let (mut text, mut buffer) = (String::new(), [0; 4096]);
    while text.matches(r#""text":"hello""#).count() < count {
        let read = socket.read(&mut buffer).expect("a reply");
        assert!(read > 0, "the connection ended after {text}");
        text.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    text
}

/// Whether the server has ended its side.
fn ends(socket: &mut TcpStream) -> bool {
    matches!(socket.read(&mut [0; 16]), Ok(0))
}

#[test]
fn a_request_is_answered_though_the_client_has_shut_its_side() {
    let server = Served::new(4);
    for pause in [0, 20] {
        let mut socket = server.connect();
        socket.write_all(call(1, 0).as_bytes()).expect("sent");
        thread::sleep(Duration::from_millis(pause));
        socket.shutdown(Shutdown::Write).expect("shut");
        replies(&mut socket, 1);
        assert!(ends(&mut socket), "after {pause} ms");
    }
}

#[test]
fn the_end_is_noticed_whenever_it_comes() {
    let server = Served::new(4);
    for (sent, pause) in [("", 0), ("", 20), ("POST /mcp HTTP/1.1\r\nHo", 0), ("POST /mcp HTTP/1.1\r\nHo", 20)] {
        let mut socket = server.connect();
        socket.write_all(sent.as_bytes()).expect("sent");
        thread::sleep(Duration::from_millis(pause));
        socket.shutdown(Shutdown::Write).expect("shut");
        assert!(ends(&mut socket), "{sent:?}, {pause} ms");
    }
}

#[test]
fn requests_that_fill_the_buffer_in_any_way_are_all_answered() {
    let server = Served::new(4);
    let plain = call(1, 0).len();
    // One that ends just where the buffer does, one byte before and behind it; and many at once.
    for padding in [RECEIVE_BUFFER - plain - 8, RECEIVE_BUFFER - plain, RECEIVE_BUFFER, 3 * RECEIVE_BUFFER] {
        for behind in 0..8 {
            let mut socket = server.connect();
            socket.write_all(call(1, padding + behind).as_bytes()).expect("sent");
            replies(&mut socket, 1);
        }
    }
    let mut socket = server.connect();
    let all: String = (0..40).map(|id| call(id, 0)).collect();
    socket.write_all(all.as_bytes()).expect("sent");
    let text = replies(&mut socket, 40);
    let found = (0..40).filter(|id| text.contains(&format!(r#""id":{id},"#))).count();
    assert_eq!(found, 40, "{text}");
}

#[test]
fn bytes_that_come_one_by_one_are_read_to_the_end() {
    let server = Served::new(4);
    let mut socket = server.connect();
    for byte in call(1, 0).as_bytes() {
        socket.write_all(&[*byte]).expect("sent");
    }
    replies(&mut socket, 1);
}

#[test]
fn one_place_serves_one_client_after_the_other() {
    let server = Served::new(1);
    for id in 0..20 {
        let mut socket = server.connect();
        socket.write_all(call(id, 0).as_bytes()).expect("sent");
        let text = replies(&mut socket, 1);
        assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
        if id % 2 == 0 {
            socket.shutdown(Shutdown::Both).expect("shut");
        }
        // The others are idle, and make room.
    }
}

#[test]
fn places_are_taken_as_they_are_needed_and_taken_again() {
    let server = Served::new(16);
    for _ in 0..3 {
        let mut sockets: Vec<TcpStream> = (0..16).map(|_| server.connect()).collect();
        for (id, socket) in sockets.iter_mut().enumerate() {
            socket.write_all(call(id, 0).as_bytes()).expect("sent");
        }
        for (id, socket) in sockets.iter_mut().enumerate() {
            let text = replies(socket, 1);
            assert!(text.contains(&format!(r#""id":{id},"#)), "{text}");
        }
    }
}
