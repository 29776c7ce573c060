//! A bridge to a server over HTTP: another bridge, behind which is a scripted server, and the simulated board.

use std::io::{BufRead, BufReader, Read, Write, copy};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration as StdDuration, Instant};

use umcp_std::bridge::{Limits, Server};
use umcp_std::http::client::Remote;

use crate::rig::{Connection, Http, PATIENCE, Place, SILENCE, Scripted, UMCP, expand, id_of};

fn over_http(url: &str) -> Http {
    Http::server(Server::Http(Remote::new(url.parse().unwrap())), Limits::DEFAULT)
}

fn chain() -> (Http, Http, Scripted) {
    let place = Place::new();
    let back = Http::to(&place.target(), Limits::DEFAULT);
    let server = place.accept();
    let front = over_http(&format!("http://{}/mcp", back.address));
    (front, back, server)
}

#[test]
fn modern_requests_have_streams_of_their_own() {
    let (front, _back, server) = chain();
    let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: =?base64?w6k=?=\r\n";
    let request = r#"{~,"id":"a","method":"tools/call","params":{"z":1.50,"name":"é",^,"progressToken":"p"}}}"#;
    let mut connection = front.post(headers, request);
    let heard = server.heard.line();
    let id = id_of(&heard);
    let passed =
        format!(r#"{{~,"id":{id},"method":"tools/call","params":{{"z":1.50,"name":"é",^,"progressToken":{id}}}}}}}"#);
    assert_eq!(heard, expand(&passed));
    server.say(&format!(r#"{{~,"method":"notifications/progress","params":{{"progressToken":{id},"progress":1.0}}}}"#));
    connection.stream();
    connection.expect(r#"{~,"method":"notifications/progress","params":{"progressToken":"p","progress":1.0}}"#);
    server.say(&format!(r#"{{~,"id":{id},"result":{{"z":[],"a":1e2}}}}"#));
    connection.expect(r#"{~,"id":"a","result":{"z":[],"a":1e2}}"#);
    assert_eq!(connection.event(), None);
    // An error keeps its status, a notification passes, and closing cancels, all the way.
    let mut connection = front.modern("x", r#"{~,"id":1,"method":"x","params":{^}}}"#);
    let id = id_of(&server.heard.line());
    server.say(&format!(r#"{{~,"id":{id},"error":{{"code":-32601,"message":"m"}}}}"#));
    let reply = connection.reply();
    assert_eq!((reply.status, reply.body), (404, expand(r#"{~,"id":1,"error":{"code":-32601,"message":"m"}}"#)));
    let connection = front.modern("x", r#"{~,"id":1,"method":"x","params":{^}}}"#);
    let id = id_of(&server.heard.line());
    connection.stream.get_ref().shutdown(Shutdown::Both).unwrap();
    server.heard.expect(&format!(
        r#"{{~,"method":"notifications/cancelled","params":{{"requestId":{id},"reason":"the client has gone"}}}}"#
    ));
}

#[test]
fn a_subscription() {
    let (front, _back, server) = chain();
    let mut connection =
        front.modern("subscriptions/listen", r#"{~,"id":"L","method":"subscriptions/listen","params":{^}}}"#);
    let id = id_of(&server.heard.line());
    let news = |id: &str| {
        format!(r#"{{~,"method":"n","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}}}"#)
    };
    server.say(&news(&id.to_string()));
    connection.stream();
    connection.expect(&news("\"L\""));
    server.say(&format!(r#"{{~,"id":{id},"result":{{}}}}"#));
    connection.expect(r#"{~,"id":"L","result":{}}"#);
    assert_eq!(connection.event(), None);
}

fn listen(http: &Http, session: &str) -> Connection {
    let mut connection = http.connect();
    connection.raw(format!("GET /mcp HTTP/1.1\r\nHost: localhost\r\n{session}\r\n").as_bytes());
    connection.stream();
    connection
}

#[test]
fn a_legacy_session() {
    let (mut front, _back, server) = chain();
    let session = front.session(&server, true);
    let mut stream = listen(&front, &session);
    // What the server says by itself comes on the session's own stream, as soon as that is open.
    let changed = r#"{~,"method":"notifications/tools/list_changed"}"#;
    server.say(changed);
    stream.expect(changed);
    // A question and its answer.
    let mut call = front.post(&session, r#"{~,"id":1,"method":"x"}"#);
    let id = id_of(&server.heard.line());
    server.say(r#"{~,"id":"q","method":"elicitation/create"}"#);
    call.stream();
    call.expect(r#"{~,"id":"q","method":"elicitation/create"}"#);
    assert_eq!(front.post(&session, r#"{~,"id":"q","result":{}}"#).reply().status, 202);
    server.heard.expect(r#"{~,"id":"q","result":{}}"#);
    // A cancellation.
    let cancel = r#"{~,"method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(front.post(&session, cancel).reply().status, 202);
    server.heard.expect(&cancel.replace(":1}", &format!(":{id}}}")));
    assert_eq!(call.event(), None);
    // The end of the bridge ends the session.
    let _call = front.post(&session, r#"{~,"id":2,"method":"x"}"#);
    let id = id_of(&server.heard.line());
    front.stop();
    server.heard.skim(&format!(r#""requestId":{id}"#));
}

#[test]
fn a_session_that_the_server_has_ended() {
    let place = Place::new();
    let mut limits = Limits::DEFAULT;
    limits.sessions = 1;
    limits.session_idle = umcp::time::Duration::from_millis(1);
    let back = Http::to(&place.target(), limits);
    let server = place.accept();
    // A server without a stream of its own would keep the session; this one forgets it when another comes.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let to = back.address;
    thread::spawn(move || refuse_streams(&listener, to));
    let front = over_http(&format!("http://{address}/mcp"));
    let session = front.session(&server, true);
    thread::sleep(StdDuration::from_millis(20));
    back.session(&server, false);
    let reply = front.post(&session, r#"{~,"id":1,"method":"x"}"#).reply();
    assert!(
        reply.body.contains(r#""id":1,"error":{"code":-32603"#) && reply.body.contains("HTTP status 404"),
        "{reply:?}"
    );
    // The next one is preceded by a new handshake.
    thread::sleep(StdDuration::from_millis(20));
    let mut call = front.post(&session, r#"{~,"id":2,"method":"x"}"#);
    let id = id_of(&server.heard.skim(r#""method":"x""#));
    server.say(&format!(r#"{{~,"id":{id},"result":{{}}}}"#));
    assert_eq!(call.reply().body, expand(r#"{~,"id":2,"result":{}}"#));
}

/// A proxy that passes requests on, and answers GET with 405.
fn refuse_streams(listener: &TcpListener, to: std::net::SocketAddr) {
    for stream in listener.incoming() {
        let mut client = stream.unwrap();
        thread::spawn(move || {
            let mut first = [0; 4];
            client.read_exact(&mut first).unwrap();
            if first == *b"GET " {
                return client.write_all(b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n").unwrap();
            }
            let mut server = TcpStream::connect(to).unwrap();
            server.write_all(&first).unwrap();
            let (mut from, mut back) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            thread::spawn(move || {
                let _ = copy(&mut from, &mut server);
                let _ = server.shutdown(Shutdown::Write);
            });
            let _ = copy(&mut back, &mut client);
            let _ = client.shutdown(Shutdown::Both);
        });
    }
}

#[test]
fn a_server_that_cannot_be_reached_or_makes_no_sense() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let front = over_http(&format!("http://{}/mcp", listener.local_addr().unwrap()));
    let replies = [
        ("", "closed the connection"),
        ("220 smtp.example\r\n", "does not speak HTTP"),
        ("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n", "HTTP status 401"),
        ("HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\noops", "HTTP status 500"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine", "without an answer"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{\"jsonrpc\":", "ended in the middle"),
        ("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", "without an answer"),
        ("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {\n\n:x\n\n", "without an answer"),
        (
            "HTTP/1.1 400 Bad Request\r\nContent-Length: 62\r\n\r\n{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-1,\"message\":\"it is broken\"}}",
            "HTTP status 400: it is broken",
        ),
    ];
    for (reply, expected) in replies {
        let mut connection = front.modern("x", r#"{~,"id":1,"method":"x","params":{^}}}"#);
        let (stream, _) = listener.accept().unwrap();
        let mut stream = BufReader::new(stream);
        while stream.get_ref().peek(&mut [0]).is_ok_and(|count| count > 0) {
            let length = stream.fill_buf().unwrap().len();
            stream.consume(length);
            if length < 8000 {
                break;
            }
        }
        say(stream.get_mut(), reply);
        drop(stream);
        let reply = connection.reply();
        assert!(
            reply.body.contains(r#""id":1,"error":{"code":-32603"#) && reply.body.contains(expected),
            "{expected}: {reply:?}"
        );
    }
    drop(listener);
    let reply = front.modern("x", r#"{~,"id":1,"method":"x","params":{^}}}"#).reply();
    assert!(reply.body.contains("cannot reach 127.0.0.1"), "{reply:?}");
}

#[test]
fn nothing_overtakes_the_end_of_a_handshake() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let front = over_http(&format!("http://{}/mcp", listener.local_addr().unwrap()));
    let mut first = front.post("", r#"{~,"id":0,"method":"initialize","params":{}}"#);
    let (request, mut stream) = hear(&listener);
    assert!(request.contains(r#""method":"initialize""#) && !request.contains("Mcp-Session-Id"), "{request}");
    let result = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}"#;
    let head = "HTTP/1.1 200 OK\r\nMcp-Session-Id: s-1\r\nContent-Type: application/json\r\n";
    say(&mut stream, &format!("{head}Content-Length: {}\r\n\r\n{result}", result.len()));
    let session = format!("Mcp-Session-Id: {}\r\n", first.reply().header("mcp-session-id").unwrap());
    assert_eq!(front.post(&session, r#"{~,"method":"notifications/initialized"}"#).reply().status, 202);
    let (request, mut stream) = hear(&listener);
    assert!(request.contains("notifications/initialized"), "{request}");
    for header in ["Mcp-Session-Id: s-1\r\n", "MCP-Protocol-Version: 2025-06-18\r\n"] {
        assert!(request.contains(header), "{request}");
    }
    let _call = front.post(&session, r#"{~,"id":1,"method":"x"}"#);
    listener.set_nonblocking(true).unwrap();
    thread::sleep(SILENCE);
    assert!(listener.accept().is_err());
    listener.set_nonblocking(false).unwrap();
    say(&mut stream, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
    let mut requests = [hear(&listener).0, hear(&listener).0];
    requests.sort();
    assert!(requests[0].starts_with("GET /mcp"), "{requests:?}");
    assert!(requests[1].contains(r#""method":"x""#), "{requests:?}");
}

/// A request, of which all is there at once.
fn hear(listener: &TcpListener) -> (String, TcpStream) {
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_nonblocking(false).unwrap();
    let mut request = Vec::new();
    let is_whole = |request: &[u8]| {
        let text = String::from_utf8_lossy(request);
        text.split_once("\r\n\r\n").is_some_and(|(head, body)| head.starts_with("GET") || body.ends_with('}'))
    };
    while !is_whole(&request) {
        let mut chunk = [0; 4096];
        let count = stream.read(&mut chunk).unwrap();
        request.extend_from_slice(&chunk[..count]);
    }
    (String::from_utf8(request).unwrap(), stream)
}

fn say(stream: &mut TcpStream, reply: &str) {
    stream.write_all(reply.as_bytes()).unwrap();
}

struct Board(Child);

impl Drop for Board {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_simulated_board() {
    let mut command = Command::new(UMCP);
    command.args(["serve", "--http", "127.0.0.1:0"]).stderr(Stdio::piped());
    let mut board = Board(command.spawn().unwrap());
    let mut line = String::new();
    BufReader::new(board.0.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim().strip_prefix("listening on ").unwrap();
    let front = over_http(url);
    let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: blink\r\n";
    let call = r#"{~,"id":1,"method":"tools/call","params":{"name":"blink","arguments":{"times":2,"period_ms":20},^,"progressToken":1}}}"#;
    let mut connections: Vec<_> = (0..5).map(|_| front.post(headers, call)).collect();
    for connection in &mut connections {
        connection.stream();
        let mut last = String::new();
        while let Some(event) = connection.event() {
            last = event;
        }
        assert!(last.contains("blinked 2 times"), "{last}");
    }
    let initialize = r#"{~,"id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let session =
        format!("Mcp-Session-Id: {}\r\n", front.post("", initialize).reply().header("mcp-session-id").unwrap());
    assert_eq!(front.post(&session, r#"{~,"method":"notifications/initialized"}"#).reply().status, 202);
    let start = Instant::now();
    loop {
        let reply = front
            .post(&session, r#"{~,"id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"é"}}}"#)
            .reply();
        if reply.body.contains(r#""text":"é""#) {
            break;
        }
        assert!(start.elapsed() < PATIENCE, "{reply:?}");
    }
}
