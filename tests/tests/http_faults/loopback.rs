//! Over loopback, against the server of `umcp-std`.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use umcp::server::{Calls, Event};
use umcp_std::http::server::{HttpServer, Stopper};
use umcp_tests::board::{Board, FULL};
use umcp_tests::http_reply::{self, Reply};
use umcp_tests::http_request::{call, echo, listen};

/// What anything takes at most; reached only by what fails.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server on a thread of its own. Deferred calls are completed at once, but for those of a connection that is gone.
struct Server {
    address: SocketAddr,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    fn start(connections: usize) -> Server {
        let server = HttpServer::bind("127.0.0.1:0").unwrap().connections(connections);
        let (address, stopper) = (server.address(), server.stopper());
        let thread = thread::spawn(move || {
            let complete = |calls: &mut umcp_std::http::server::Pool<'_>,
                            endpoint: &mut umcp::server::Endpoint<Board>,
                            board: &mut Board,
                            _: umcp::time::Instant| {
                for call in std::mem::take(&mut board.calls) {
                    let _ = calls.complete(endpoint, call, |reply| reply.text("done"));
                }
                None
            };
            server.run_with(&FULL, Board::default(), complete, |_, _: &Event<'_>| {}).unwrap();
        });
        Server { address, stopper, thread: Some(thread) }
    }

    fn connect(&self) -> TcpStream {
        let socket = TcpStream::connect(self.address).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.set_write_timeout(Some(PATIENCE)).unwrap();
        socket
    }

    /// It still serves.
    #[track_caller]
    fn assert_well(&self) {
        let start = Instant::now();
        loop {
            let mut socket = self.connect();
            let sent = socket.write_all(&echo("well"));
            if let Some(reply) = sent.ok().and_then(|()| read(&mut socket))
                && reply.status == 200
            {
                assert_eq!(reply.message()["result"]["content"][0]["text"], "well");
                return;
            }
            assert!(start.elapsed() < PATIENCE, "it serves nobody");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopper.stop();
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(thread::panicking() || ended.is_some_and(|ended| ended.is_ok()));
    }
}

/// The next reply, to its end. `None`: the connection is gone before.
fn read(socket: &mut TcpStream) -> Option<Reply> {
    read_until(socket, |reply| reply.whole)
}

/// The next reply, as far as wanted.
fn read_until(socket: &mut TcpStream, enough: impl Fn(&Reply) -> bool) -> Option<Reply> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = match socket.read(&mut buffer) {
            Ok(count) => count,
            Err(error) => {
                let late = matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut);
                assert!(!late, "it hangs behind {:?}", String::from_utf8_lossy(&bytes));
                return None;
            }
        };
        bytes.extend_from_slice(&buffer[..count]);
        let reply = http_reply::take(&mut &bytes[..], count == 0).unwrap();
        if let Some(reply) = reply.filter(|reply| enough(reply)) {
            return Some(reply);
        }
        if count == 0 {
            return None;
        }
    }
}

#[test]
fn connections_break_anywhere() {
    let server = Server::start(8);
    for request in [echo("hi"), call("steps", "{}"), call("later", "{}"), listen()] {
        for at in (0..=request.len()).step_by(37).chain([request.len() - 1, request.len()]) {
            // It drops in order; it drops one side; it is reset, since something is left unread.
            for way in 0..3 {
                let mut socket = server.connect();
                socket.write_all(&request[..at]).unwrap();
                if way == 1 {
                    socket.shutdown(Shutdown::Write).unwrap();
                }
                if way == 2 && at == request.len() {
                    let mut some = [0; 10];
                    let _ = socket.read(&mut some);
                }
            }
            if at % 3 == 0 {
                server.assert_well();
            }
        }
    }
    server.assert_well();
}

#[test]
fn half_open_connections() {
    let server = Server::start(64);
    let mut open = Vec::new();
    for index in 0..500 {
        let mut socket = server.connect();
        let bytes = echo("never");
        // Nothing at all, some of the head, all but the last of the body.
        let end = [0, 40, bytes.len() - 1][index % 3];
        let _ = socket.write_all(&bytes[..end]);
        open.push(socket);
        if index % 50 == 0 {
            server.assert_well();
        }
    }
    server.assert_well();
}

#[test]
fn more_clients_at_once_than_places() {
    let server = Server::start(8);
    let address = server.address;
    let threads: Vec<_> = (0..100)
        .map(|index| {
            thread::spawn(move || {
                let mut socket = TcpStream::connect(address).unwrap();
                socket.set_read_timeout(Some(PATIENCE)).unwrap();
                let text = format!("number {index}");
                socket.write_all(&echo(&text)).ok()?;
                let reply = read(&mut socket)?;
                if reply.status == 200 {
                    assert_eq!(reply.message()["result"]["content"][0]["text"], text.as_str());
                }
                Some(reply.status)
            })
        })
        .collect();
    let statuses: Vec<Option<u16>> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    // Each is served: whoever has been answered makes room.
    assert!(statuses.iter().all(|status| *status == Some(200)), "{statuses:?}");
}

#[test]
fn a_flood_of_subscriptions() {
    const PLACES: usize = 16;
    let server = Server::start(PLACES);
    let acknowledged = |socket: &mut TcpStream| {
        socket.write_all(&listen()).unwrap();
        read_until(socket, |reply| reply.status != 200 || !reply.messages().is_empty())
    };
    let mut open: Vec<TcpStream> = Vec::new();
    while open.len() < PLACES {
        let mut socket = server.connect();
        assert_eq!(acknowledged(&mut socket).map(|reply| reply.status), Some(200));
        open.push(socket);
    }
    for _ in 0..100 {
        let mut socket = server.connect();
        let _ = socket.write_all(&listen());
        let reply = read(&mut socket);
        assert_eq!(reply.map(|reply| (reply.status, reply.closes())), Some((503, true)));
    }
    // One goes, and there is room again; all the others are told the news.
    drop(open.pop());
    server.assert_well();
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        let mut socket = server.connect();
        socket.write_all(&call("touch", r#"{"uri":"board://led"}"#)).unwrap();
        if read(&mut socket).is_some_and(|reply| reply.status == 200) {
            break;
        }
    }
    for socket in &mut open {
        let (mut said, mut buffer) = (Vec::new(), [0; 4096]);
        while !said.windows(17).any(|word| word == b"resources/updated") {
            let count = socket.read(&mut buffer).unwrap();
            assert_ne!(count, 0, "{}", String::from_utf8_lossy(&said));
            said.extend_from_slice(&buffer[..count]);
        }
    }
    // The server stops: each gets its final result.
    server.stopper.stop();
    for socket in &mut open {
        let mut rest = String::new();
        let _ = socket.read_to_string(&mut rest);
        assert!(rest.contains(r#""resultType":"complete""#) && rest.ends_with("0\r\n\r\n"), "{rest}");
    }
}

/// Those who read nothing are told what fits, and hold up nobody.
#[test]
fn slow_readers() {
    let server = Server::start(24);
    let mut deaf: Vec<TcpStream> = Vec::new();
    for index in 0..20 {
        let mut socket = server.connect();
        if index % 2 == 0 {
            socket.write_all(&listen()).unwrap();
        } else {
            // As many requests as the system takes, and not one reply read.
            socket.set_nonblocking(true).unwrap();
            let many = echo(&"x".repeat(800)).repeat(50);
            while socket.write(&many).is_ok() {}
        }
        deaf.push(socket);
    }
    let mut socket = server.connect();
    let start = Instant::now();
    for _ in 0..300 {
        socket.write_all(&call("touch", r#"{"uri":"board://led"}"#)).unwrap();
        assert_eq!(read(&mut socket).map(|reply| reply.status), Some(200));
    }
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
}

/// Those who always have another request ready hold up nobody either.
#[test]
fn a_peer_that_never_stops() {
    let server = Server::start(8);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            let mut socket = server.connect();
            let mut reader = socket.try_clone().unwrap();
            scope.spawn(move || {
                let mut buffer = [0; 65_536];
                while reader.read(&mut buffer).is_ok_and(|count| count > 0) {}
            });
            let stop = &stop;
            scope.spawn(move || {
                let many = echo("more").repeat(100);
                while !stop.load(Ordering::Relaxed) && socket.write_all(&many).is_ok() {}
                let _ = socket.shutdown(Shutdown::Both);
            });
        }
        thread::sleep(Duration::from_millis(50));
        let start = Instant::now();
        for _ in 0..20 {
            server.assert_well();
        }
        let took = start.elapsed();
        stop.store(true, Ordering::Relaxed);
        assert!(took < Duration::from_secs(5), "{took:?}");
    });
}
