//! What goes wrong on the way: bounds, floods, slow peers, connections that break off anywhere.

use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::Duration as StdDuration;

use umcp::time::Duration;
use umcp_std::bridge::Limits;

use crate::rig::{Http, Place, Program, Scripted, expand, id_of};

fn rig(limits: Limits) -> (Http, Scripted) {
    let place = Place::new();
    let http = Http::to(&place.target(), limits);
    let server = place.accept();
    (http, server)
}

const CALL: &str = r#"{~,"id":1,"method":"x","params":{^}}}"#;

#[track_caller]
fn works(http: &Http, server: &Scripted) {
    let mut connection = http.modern("x", CALL);
    let id = id_of(&server.heard.skim(r#""method":"x""#));
    server.say(&format!(r#"{{~,"id":{id},"result":{{}}}}"#));
    assert_eq!(connection.reply().body, expand(r#"{~,"id":1,"result":{}}"#));
}

#[test]
fn a_request_that_breaks_off_anywhere() {
    let mut limits = Limits::DEFAULT;
    limits.connections = 500;
    let (http, server) = rig(limits);
    let body = expand(CALL);
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: x\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
        body.len()
    );
    for length in (0..request.len()).step_by(3) {
        let mut connection = http.connect();
        connection.raw(&request.as_bytes()[..length]);
        connection.stream.get_ref().shutdown(Shutdown::Both).unwrap();
    }
    works(&http, &server);
}

#[test]
fn a_request_in_pieces() {
    let (http, server) = rig(Limits::DEFAULT);
    let mut connection = http.connect();
    let body = expand(CALL);
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: x\r\n";
    let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
    for byte in request.as_bytes() {
        connection.raw(&[*byte]);
    }
    let id = id_of(&server.heard.line());
    server.say(&format!(r#"{{~,"id":{id},"result":{{}}}}"#));
    assert_eq!(connection.reply().status, 200);
}

#[test]
fn too_many_connections() {
    let mut limits = Limits::DEFAULT;
    limits.connections = 3;
    limits.idle = Duration::from_millis(300);
    let (http, server) = rig(limits);
    let busy: Vec<_> = (0..3).map(|_| http.modern("x", CALL)).collect();
    (0..3).for_each(|_| drop(server.heard.line()));
    let mut refused = http.connect();
    assert_eq!(refused.reply().status, 503);
    assert!(refused.is_closed());
    drop(busy);
    // Half a request, and none at all, do not last.
    (0..3).for_each(|_| drop(server.heard.line()));
    thread::sleep(StdDuration::from_millis(50));
    let mut open: Vec<_> = (0..2).map(|_| http.connect()).collect();
    open[0].raw(b"POST /mcp HTTP/1.1\r\nX: ");
    assert_eq!(open[0].reply().status, 408);
    assert!(open[1].is_closed());
    drop(open);
    thread::sleep(StdDuration::from_millis(50));
    works(&http, &server);
}

#[test]
fn who_trickles_makes_room() {
    let mut limits = Limits::DEFAULT;
    limits.connections = 3;
    limits.idle = Duration::from_millis(600);
    let (http, server) = rig(limits);
    let mut slow: Vec<_> = (0..3).map(|_| http.connect()).collect();
    for one in &mut slow {
        one.raw(
            b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
        );
    }
    thread::sleep(StdDuration::from_millis(100));
    works(&http, &server);
    // A byte now and then is not a request: the time for it is counted from its first.
    for _ in 0..8 {
        thread::sleep(StdDuration::from_millis(100));
        slow[2].raw(b" ");
    }
    assert_eq!(slow[2].reply().status, 408);
}

#[test]
fn half_open_connections_in_numbers() {
    let (http, server) = rig(Limits::DEFAULT);
    let first = http.modern("x", CALL);
    let id = id_of(&server.heard.line());
    let mut open: Vec<_> = (0..500).map(|_| TcpStream::connect(http.address).unwrap()).collect();
    let mut first = first;
    server.say(&format!(r#"{{~,"id":{id},"result":{{}}}}"#));
    assert_eq!(first.reply().status, 200);
    open.clear();
    thread::sleep(StdDuration::from_millis(100));
    works(&http, &server);
}

#[test]
fn too_many_requests() {
    let mut limits = Limits::DEFAULT;
    limits.requests = 2;
    let (http, server) = rig(limits);
    let mut open: Vec<_> = (0..2).map(|_| http.modern("x", CALL)).collect();
    let ids = [id_of(&server.heard.line()), id_of(&server.heard.line())];
    let reply = http.modern("x", CALL).reply();
    assert_eq!(reply.status, 200);
    assert!(
        reply.body.contains(r#""id":1,"error":{"code":-32603"#) && reply.body.contains(r#""data":{"limit":2}"#),
        "{reply:?}"
    );
    for id in ids {
        server.say(&format!(r#"{{~,"id":{id},"result":{{}}}}"#));
    }
    open.iter_mut().for_each(|connection| assert_eq!(connection.reply().status, 200));
    works(&http, &server);
}

#[test]
fn messages_that_are_too_long() {
    let mut limits = Limits::DEFAULT;
    limits.message = 1000;
    let (http, server) = rig(limits);
    let long = format!(r#"{{~,"id":1,"method":"x","params":{{"x":"{}",^}}}}}}"#, "x".repeat(1000));
    let reply = http.modern("x", &long).reply();
    assert_eq!(reply.status, 413, "{reply:?}");
    assert!(reply.body.contains("longer than 1000 bytes"), "{reply:?}");
    // In chunks, and much more of it than is read.
    let mut connection = http.connect();
    connection.raw(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n");
    connection.raw(&[b' '; 64 << 10]);
    assert_eq!(connection.reply().status, 413);
    // The server's.
    let mut connection = http.modern("x", CALL);
    let id = id_of(&server.heard.line());
    server.say(&format!(r#"{{~,"result":{{"x":"{}"}},"id":{id}}}"#, "y".repeat(100_000)));
    let reply = connection.reply();
    assert!(
        reply.body.contains(r#""id":1,"error":{"code":-32603"#) && reply.body.contains("more than 1000 bytes"),
        "{reply:?}"
    );
    works(&http, &server);
}

#[test]
fn a_server_that_goes_and_comes_back() {
    let place = Place::new();
    let http = Http::to(&place.target(), Limits::DEFAULT);
    let server = place.accept();
    let session = http.session(&server, true);
    let mut calls = [http.modern("x", CALL), http.post(&session, r#"{~,"id":1,"method":"x"}"#)];
    server.heard.line();
    server.heard.line();
    server.close();
    for call in &mut calls {
        let reply = call.reply();
        assert_eq!(reply.status, 200);
        assert!(
            reply.body.contains(r#""id":1,"error":{"code":-32603"#) && reply.body.contains("not known"),
            "{reply:?}"
        );
    }
    let server = place.accept();
    let id = id_of(&server.heard.skim("initialize"));
    server.say(&format!(r#"{{~,"id":{id},"result":{{}}}}"#));
    server.heard.expect(r#"{~,"method":"notifications/initialized"}"#);
    works(&http, &server);
    let mut call = http.post(&session, r#"{~,"id":1,"method":"x"}"#);
    let id = id_of(&server.heard.line());
    server.say(&format!(r#"{{~,"id":{id},"result":{{}}}}"#));
    assert_eq!(call.reply().status, 200);
}

#[test]
fn a_client_that_does_not_read() {
    let mut limits = Limits::DEFAULT;
    limits.message = 64 << 10;
    limits.backlog = 64 << 10;
    let (http, server) = rig(limits);
    let slow = http.modern("x", r#"{~,"id":1,"method":"x","params":{^,"progressToken":1}}}"#);
    let id = id_of(&server.heard.line());
    let progress = format!(
        r#"{{~,"method":"notifications/progress","params":{{"progressToken":{id},"progress":1,"message":"{}"}}}}"#,
        "x".repeat(32 << 10)
    );
    // As much as the system takes, and then as much as the bridge does.
    for _ in 0..1000 {
        server.say(&progress);
    }
    server.heard.expect(&format!(
        r#"{{~,"method":"notifications/cancelled","params":{{"requestId":{id},"reason":"the client has gone"}}}}"#
    ));
    works(&http, &server);
    drop(slow);
}

#[test]
fn a_server_that_does_not_read() {
    let mut limits = Limits::DEFAULT;
    limits.answer = Some(Duration::from_millis(200));
    limits.backlog = 64 << 10;
    let place = Place::new();
    let http = Http::to(&place.target(), limits);
    let (listener, _kept) = place.unread();
    let big = format!(r#"{{~,"id":1,"method":"x","params":{{"x":"{}",^}}}}}}"#, "x".repeat(3 << 20));
    let mut calls: Vec<_> = (0..4).map(|_| http.modern("x", &big)).collect();
    for call in calls.iter_mut().take(1) {
        let reply = call.reply();
        assert!(reply.body.contains("has not answered within 200 ms"), "{reply:?}");
    }
    drop(listener);
}

#[test]
fn a_client_on_standard_output_that_does_not_read_holds_the_server_back() {
    let place = Place::new();
    let mut bridge = Program::start(&[&place.target()]);
    let server = place.accept();
    bridge.say(r#"{~,"id":1,"method":"x"}"#);
    server.heard.line();
    let news = format!(r#"{{~,"method":"n","params":"{}"}}"#, "x".repeat(100 << 10));
    let flood = thread::spawn(move || {
        for _ in 0..300 {
            server.say(&news);
        }
        server.say(r#"{~,"id":1,"result":{}}"#);
        server
    });
    let mut count = 0;
    while !bridge.heard.line().contains(r#""id":1"#) {
        count += 1;
    }
    assert_eq!(count, 300);
    flood.join().unwrap();
}
