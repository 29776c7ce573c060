//! A scripted server: it reads requests, and a closure answers them with bytes.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) verb: String,
    pub(crate) head: String,
    pub(crate) message: Value,
    /// Which connection it came on, counted from 0.
    pub(crate) connection: usize,
}

impl Request {
    pub(crate) fn method(&self) -> &str {
        self.message["method"].as_str().unwrap_or(&self.verb)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// What a server does about a request.
pub(crate) enum Act {
    /// These bytes, and the connection stays.
    Say(Vec<u8>),
    /// These bytes, and then it closes the connection.
    Close(Vec<u8>),
    /// These bytes, and the connection is left to this.
    Stay(Vec<u8>, Box<dyn FnOnce(TcpStream) + Send>),
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Serves until the test program ends.
    pub(crate) fn start(at: &str, answer: impl Fn(&Request) -> Act + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind(at).unwrap();
        let address = listener.local_addr().unwrap();
        let seen: Arc<Mutex<Vec<Request>>> = Arc::default();
        let (answer, log) = (Arc::new(answer), seen.clone());
        thread::spawn(move || {
            for (connection, stream) in listener.incoming().enumerate() {
                let (answer, log) = (answer.clone(), log.clone());
                thread::spawn(move || serve(stream.unwrap(), connection, &*answer, &log));
            }
        });
        Server { address, seen }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }

    /// The methods, or verbs, of all requests in order.
    pub(crate) fn methods(&self) -> Vec<String> {
        self.seen().iter().map(|request| request.method().to_owned()).collect()
    }
}

fn serve(mut stream: TcpStream, connection: usize, answer: &dyn Fn(&Request) -> Act, log: &Mutex<Vec<Request>>) {
    let mut bytes = Vec::new();
    loop {
        let Some((request, length)) = parse(&bytes, connection) else {
            let mut more = [0; 4096];
            match stream.read(&mut more) {
                Ok(0) | Err(_) => return,
                Ok(count) => bytes.extend_from_slice(&more[..count]),
            }
            continue;
        };
        bytes.drain(..length);
        log.lock().unwrap().push(request.clone());
        match answer(&request) {
            Act::Say(reply) => drop(stream.write_all(&reply)),
            Act::Close(reply) => {
                let _ = stream.write_all(&reply);
                return;
            }
            Act::Stay(reply, then) => {
                let _ = stream.write_all(&reply);
                return then(stream);
            }
        }
    }
}

pub(crate) fn parse(bytes: &[u8], connection: usize) -> Option<(Request, usize)> {
    let end = bytes.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let verb = head.split(' ').next().unwrap_or_default().to_owned();
    let mut request = Request { verb, head, message: Value::Null, connection };
    let length: usize = request.header("Content-Length").map_or(0, |length| length.parse().unwrap());
    let body = bytes.get(end..end + length)?;
    if length > 0 {
        request.message = serde_json::from_slice(body).unwrap();
    }
    Some((request, end + length))
}

/// A JSON reply with this status.
pub(crate) fn json(status: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
    [head, body].concat().into_bytes()
}

/// The answer to a request.
pub(crate) fn result(request: &Request, result: Value) -> Vec<u8> {
    json("200 OK", &serde_json::json!({ "jsonrpc": "2.0", "id": request.message["id"], "result": result }))
}

/// A modern server's answer to the probe and to the list of tools; `None` to anything else.
pub(crate) fn modern(request: &Request) -> Option<Act> {
    let answer = match request.method() {
        "server/discover" => {
            serde_json::json!({ "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} } })
        }
        "tools/list" => serde_json::json!({ "tools": [] }),
        _ => return None,
    };
    Some(Act::Say(result(request, answer)))
}
