//! A scripted server on a socket, the program as a bridge, the library as a bridge, and raw HTTP to it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use umcp_std::bridge::{Allowed, Bridge, BridgeError, Limits, Server};
use umcp_std::{Address, Interrupter};

pub(crate) use crate::support::UMCP;

/// What anything takes at most; reached only when it fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// How long nothing has to happen until it counts as nothing.
pub(crate) const SILENCE: Duration = Duration::from_millis(150);

pub(crate) const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}"#;

/// `~` is `"jsonrpc":"2.0"`, `^` a modern `_meta` without its closing brace.
pub(crate) fn expand(text: &str) -> String {
    text.replace('~', r#""jsonrpc":"2.0""#).replace('^', META)
}

/// Lines as they come.
pub(crate) struct Heard(Receiver<String>);

impl Heard {
    pub(crate) fn of(from: impl Read + Send + 'static) -> Heard {
        let (sender, receiver) = channel();
        thread::spawn(move || {
            let mut from = BufReader::new(from);
            let mut line = Vec::new();
            while from.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
                if sender.send(String::from_utf8_lossy(&line).trim_end_matches('\n').to_owned()).is_err() {
                    break;
                }
                line.clear();
            }
        });
        Heard(receiver)
    }

    #[track_caller]
    pub(crate) fn line(&self) -> String {
        self.0.recv_timeout(PATIENCE).unwrap()
    }

    /// The next line that is not blank, which has to be this.
    #[track_caller]
    pub(crate) fn expect(&self, expected: &str) {
        let mut line = self.line();
        while line.is_empty() {
            line = self.line();
        }
        assert_eq!(line, expand(expected));
    }

    /// The next line with this in it.
    #[track_caller]
    pub(crate) fn skim(&self, part: &str) -> String {
        loop {
            let line = self.line();
            if line.contains(part) {
                return line;
            }
        }
    }

    #[track_caller]
    pub(crate) fn silence(&self) {
        match self.0.recv_timeout(SILENCE) {
            Err(RecvTimeoutError::Timeout) => {}
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    pub(crate) fn end(&self) {
        match self.0.recv_timeout(PATIENCE) {
            Err(RecvTimeoutError::Disconnected) => {}
            other => panic!("{other:?}"),
        }
    }
}

/// Where a scripted server is reached.
pub(crate) struct Place(TcpListener);

/// One connection to it.
pub(crate) struct Scripted {
    stream: TcpStream,
    pub(crate) heard: Heard,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    pub(crate) fn target(&self) -> String {
        format!("tcp:{}", self.0.local_addr().unwrap())
    }

    /// A connection that nobody reads from.
    pub(crate) fn unread(&self) -> (TcpStream, SocketAddr) {
        self.0.accept().unwrap()
    }

    /// Waits until somebody connects.
    pub(crate) fn accept(&self) -> Scripted {
        let (stream, _) = self.0.accept().unwrap();
        stream.set_nodelay(true).unwrap();
        Scripted { heard: Heard::of(stream.try_clone().unwrap()), stream }
    }
}

impl Scripted {
    pub(crate) fn say(&self, message: &str) {
        self.raw(format!("{}\n", expand(message)).as_bytes());
    }

    pub(crate) fn raw(&self, bytes: &[u8]) {
        (&self.stream).write_all(bytes).unwrap();
    }

    pub(crate) fn close(self) {
        self.stream.shutdown(Shutdown::Both).unwrap();
    }
}

/// The program, as a bridge from its standard input and output.
pub(crate) struct Program {
    child: Child,
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) heard: Heard,
    pub(crate) err: Heard,
}

impl Program {
    pub(crate) fn start(args: &[&str]) -> Program {
        let mut command = Command::new(UMCP);
        command.arg("bridge").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        Program { stdin: child.stdin.take(), heard: Heard::of(out), err: Heard::of(err), child }
    }

    pub(crate) fn say(&mut self, message: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{}\n", expand(message)).as_bytes()).unwrap();
    }

    /// Closes its input, and waits for its end.
    pub(crate) fn end(mut self) -> Option<i32> {
        drop(self.stdin.take());
        self.wait()
    }

    pub(crate) fn wait(&mut self) -> Option<i32> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(start.elapsed() < PATIENCE, "it hangs");
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The library, as a bridge from HTTP.
pub(crate) struct Http {
    pub(crate) address: SocketAddr,
    stop: Interrupter,
    thread: Option<JoinHandle<Result<(), BridgeError>>>,
}

impl Http {
    pub(crate) fn to(target: &str, limits: Limits) -> Http {
        let address: Address = target.parse().unwrap();
        Http::server(Server::Line(address), limits)
    }

    pub(crate) fn server(server: Server, limits: Limits) -> Http {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let bridge = Bridge::http(server, "the board", limits, listener, Allowed::default()).unwrap();
        let stop = bridge.interrupter();
        Http { address, stop, thread: Some(thread::spawn(|| bridge.run())) }
    }

    pub(crate) fn connect(&self) -> Connection {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Connection { stream: BufReader::new(stream) }
    }

    /// One modern request on a connection of its own.
    pub(crate) fn modern(&self, method: &str, body: &str) -> Connection {
        let mut connection = self.connect();
        connection.modern(method, body);
        connection
    }

    pub(crate) fn post(&self, headers: &str, body: &str) -> Connection {
        let mut connection = self.connect();
        connection.post(headers, body);
        connection
    }

    /// A legacy client that has shaken hands, over a server that answers it: the session's header line.
    pub(crate) fn session(&self, server: &Scripted, first: bool) -> String {
        let initialize = r#"{~,"id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
        let mut connection = self.post("", initialize);
        if first {
            let request = server.heard.skim("initialize");
            let id = id_of(&request);
            server.say(&format!(r#"{{~,"id":{id},"result":{{"protocolVersion":"2025-11-25"}}}}"#));
        }
        let reply = connection.reply();
        assert_eq!(reply.status, 200, "{reply:?}");
        assert!(reply.body.contains(r#""id":"i","result""#), "{reply:?}");
        let session = format!(
            "Mcp-Session-Id: {}\r\nMCP-Protocol-Version: 2025-11-25\r\n",
            reply.header("mcp-session-id").unwrap()
        );
        assert_eq!(self.post(&session, r#"{~,"method":"notifications/initialized"}"#).reply().status, 202);
        if first {
            server.heard.expect(r#"{~,"method":"notifications/initialized"}"#);
        }
        session
    }

    pub(crate) fn stop(&mut self) {
        self.stop.interrupt();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap().unwrap();
        }
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        self.stop.interrupt();
    }
}

/// The id that the bridge has given to a request.
pub(crate) fn id_of(request: &str) -> u64 {
    serde_json::from_str::<serde_json::Value>(request).unwrap()["id"].as_u64().unwrap()
}

pub(crate) struct Connection {
    pub(crate) stream: BufReader<TcpStream>,
}

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    /// Without chunks; of an event stream, only what comes with the head is here.
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

impl Connection {
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).unwrap();
    }

    pub(crate) fn post(&mut self, headers: &str, body: &str) {
        let body = expand(body);
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n",
            body.len()
        );
        self.raw(format!("{head}{body}").as_bytes());
    }

    pub(crate) fn modern(&mut self, method: &str, body: &str) {
        self.post(&format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n"), body);
    }

    pub(crate) fn head(&mut self) -> Reply {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.stream.read_line(&mut line).unwrap() > 0, "closed: {lines:?}");
            let line = line.trim_end().to_owned();
            if line.is_empty() {
                break;
            }
            lines.push(line);
        }
        let status = lines[0].split(' ').nth(1).unwrap().parse().unwrap();
        let header = |line: &String| {
            let (name, value) = line.split_once(':').unwrap();
            (name.to_ascii_lowercase(), value.trim().to_owned())
        };
        Reply { status, headers: lines[1..].iter().map(header).collect(), body: String::new() }
    }

    /// A reply of one body.
    pub(crate) fn reply(&mut self) -> Reply {
        let mut reply = self.head();
        let length = reply.header("content-length").unwrap_or_else(|| panic!("{reply:?}")).parse().unwrap();
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        reply.body = String::from_utf8(body).unwrap();
        reply
    }

    /// The head of an event stream.
    #[track_caller]
    pub(crate) fn stream(&mut self) -> Reply {
        let head = self.head();
        assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")), "{head:?}");
        head
    }

    /// The next event of a stream; comments are passed over. `None`: it has come to its end.
    pub(crate) fn event(&mut self) -> Option<String> {
        loop {
            let chunk = self.chunk()?;
            if chunk != ":\n\n" {
                return Some(chunk.strip_prefix("data: ").unwrap().strip_suffix("\n\n").unwrap().to_owned());
            }
        }
    }

    #[track_caller]
    pub(crate) fn expect(&mut self, expected: &str) {
        assert_eq!(self.event(), Some(expand(expected)));
    }

    pub(crate) fn chunk(&mut self) -> Option<String> {
        let mut size = String::new();
        self.stream.read_line(&mut size).unwrap();
        let size = usize::from_str_radix(size.trim_end(), 16).unwrap_or_else(|_| panic!("{size:?}"));
        let mut chunk = vec![0; size + 2];
        self.stream.read_exact(&mut chunk).unwrap();
        chunk.truncate(size);
        (size > 0).then(|| String::from_utf8(chunk).unwrap())
    }

    /// Whether the server closes it.
    pub(crate) fn is_closed(&mut self) -> bool {
        matches!(self.stream.read(&mut [0; 1]), Ok(0))
    }
}

/// Our side of a pseudo-terminal, as a scripted board.
pub(crate) struct Board {
    pub(crate) line: File,
    pub(crate) heard: Heard,
    /// Keeps the device open.
    pub(crate) device: File,
    pub(crate) path: String,
}

impl Board {
    pub(crate) fn new() -> Board {
        let (line, path, device) = crate::support::pty();
        Board { heard: Heard::of(line.try_clone().unwrap()), line, device, path }
    }

    pub(crate) fn say(&mut self, message: &str) {
        self.line.write_all(format!("{}\n", expand(message)).as_bytes()).unwrap();
    }
}
