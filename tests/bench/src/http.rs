//! A server over HTTP: CPU and wall time for each `tools/call echo` over connections that stay open, and peak memory.
//!
//! `http UMCP RMCP` compares `umcp serve --http` with the example server of `tests/peers/rmcp` (`--http`, which answers with JSON as ours does, not
//! with streams). Every connection has one call under way at a time. The third, `floor`, is no server: what the system takes for a read and a write.

use std::io::{BufRead, BufReader, Error, Read, Result, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, ExitCode, Stdio};

use crate::turns::{CALLS, Figures, Meter, WARM_UP, compare};

const CONNECTIONS: [usize; 3] = [1, 16, 64];

pub(crate) fn main(args: &[&str]) -> ExitCode {
    let [umcp, rmcp] = args else {
        eprintln!("usage: umcp-bench http PATH_OF_UMCP PATH_OF_RMCP_SERVER");
        return ExitCode::from(2);
    };
    let myself = std::env::current_exe().unwrap_or_default();
    let servers = [
        ("umcp", vec![*umcp, "serve", "--http", "127.0.0.1:0"]),
        ("rmcp", vec![*rmcp, "--http"]),
        ("floor", vec![myself.to_str().unwrap_or_default(), "floor"]),
    ];
    match compare("over HTTP", "connections", &servers, &CONNECTIONS, turn) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("umcp-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Answers whatever arrives with the same reply, a blocking thread for each connection, until it is killed.
pub(crate) fn floor() -> ExitCode {
    match serve_floor() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("umcp-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve_floor() -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    eprintln!("listening on http://{}/", listener.local_addr()?);
    let body = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hello, small world"}],"resultType":"complete"}}"#;
    let reply =
        format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    loop {
        let (mut socket, _) = listener.accept()?;
        socket.set_nodelay(true)?;
        let reply = reply.clone();
        std::thread::spawn(move || {
            let mut request = [0; 2048];
            while socket.read(&mut request).is_ok_and(|count| count > 0) && socket.write_all(reply.as_bytes()).is_ok() {
            }
        });
    }
}

/// One server, warmed up, and `CALLS` calls over so many connections.
fn turn(command: &[&str], connections: usize) -> Result<Figures> {
    let server = Server::start(command)?;
    let mut clients = std::iter::repeat_with(|| server.connect()).take(connections).collect::<Result<Vec<_>>>()?;
    calls(&mut clients, WARM_UP)?;
    let meter = Meter::start(server.child.id())?;
    calls(&mut clients, CALLS)?;
    meter.stop()
}

/// A request on each connection, then the reply of each.
fn calls(clients: &mut [Client], calls: usize) -> Result<()> {
    for first in (0..calls).step_by(clients.len()) {
        let mut round = clients.iter_mut().take(calls - first).collect::<Vec<_>>();
        for (client, id) in round.iter_mut().zip(first..) {
            client.socket.get_mut().write_all(request(id).as_bytes())?;
        }
        for client in round {
            client.read_reply()?;
        }
    }
    Ok(())
}

/// A server that names its address on standard error. It is killed in the end.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(command: &[&str]) -> Result<Server> {
        let mut child = Command::new(command[0])
            .args(&command[1..])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let (mut line, stderr) = (String::new(), child.stderr.take());
        BufReader::new(stderr.ok_or_else(|| Error::other("no pipe"))?).read_line(&mut line)?;
        let address = line.split_once("http://").and_then(|(_, url)| url.split('/').next()).unwrap_or_default();
        Ok(Server { child, address: address.to_owned() })
    }

    fn connect(&self) -> Result<Client> {
        let socket = TcpStream::connect(&self.address)?;
        socket.set_nodelay(true)?;
        Ok(Client { socket: BufReader::new(socket), line: String::new(), body: Vec::new() })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Client {
    socket: BufReader<TcpStream>,
    line: String,
    body: Vec<u8>,
}

impl Client {
    fn read_reply(&mut self) -> Result<()> {
        let mut length = 0;
        loop {
            self.line.clear();
            self.socket.read_line(&mut self.line)?;
            let line = self.line.trim_end().to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().map_err(Error::other)?;
            }
            if line.is_empty() {
                break;
            }
        }
        self.body.resize(length, 0);
        self.socket.read_exact(&mut self.body)?;
        let body = String::from_utf8_lossy(&self.body);
        if body.contains("hello, small world") { Ok(()) } else { Err(Error::other(format!("not an echo: {body}"))) }
    }
}

fn request(id: usize) -> String {
    let body = format!(
        concat!(
            r#"{{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"hello, small world"}},"_meta":{{"#,
            r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}},"#,
            r#""io.modelcontextprotocol/clientInfo":{{"name":"bench","version":"1"}}}}}}}}"#,
        ),
        id
    );
    let head = concat!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n",
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n"
    );
    format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())
}
