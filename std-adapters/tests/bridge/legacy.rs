//! Legacy clients over HTTP: sessions, their streams, and what the server asks.

use std::net::Shutdown;
use std::thread;
use std::time::Duration as StdDuration;

use umcp::time::Duration;
use umcp_std::bridge::Limits;

use crate::rig::{Connection, Http, Place, Scripted, expand, id_of};

fn rig(limits: Limits) -> (Http, Scripted) {
    let place = Place::new();
    let http = Http::to(&place.target(), limits);
    let server = place.accept();
    (http, server)
}

fn listen(http: &Http, session: &str) -> Connection {
    let mut connection = http.connect();
    connection
        .raw(format!("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n{session}\r\n").as_bytes());
    connection.stream();
    assert_eq!(connection.chunk().as_deref(), Some(":\n\n"));
    connection
}

fn delete(http: &Http, session: &str) -> u16 {
    let mut connection = http.connect();
    connection.raw(format!("DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n{session}\r\n").as_bytes());
    connection.reply().status
}

#[test]
fn sessions_share_a_server() {
    let (http, server) = rig(Limits::DEFAULT);
    let (one, two) = (http.session(&server, true), http.session(&server, false));
    assert_ne!(one, two);
    let request = r#"{~,"id":1,"method":"x"}"#;
    let (mut first, mut second) = (http.post(&one, request), http.post(&two, request));
    let ids = [id_of(&server.heard.line()), id_of(&server.heard.line())];
    for id in ids {
        server.say(&format!(r#"{{~,"id":{id},"error":{{"code":-32601,"message":"m"}}}}"#));
    }
    // In this era, errors have no statuses.
    for connection in [&mut first, &mut second] {
        let reply = connection.reply();
        assert_eq!((reply.status, reply.body), (200, expand(r#"{~,"id":1,"error":{"code":-32601,"message":"m"}}"#)));
    }
    // Gone is gone, and the other stays.
    assert_eq!(delete(&http, &one), 200);
    assert_eq!(delete(&http, &one), 404);
    assert_eq!(http.post(&one, request).reply().status, 404);
    let mut other = http.post(&two, request);
    let id = id_of(&server.heard.line());
    server.say(&format!(r#"{{~,"id":{id},"result":{{}}}}"#));
    assert_eq!(other.reply().status, 200);
    let wrong = two.replace("2025-11-25", "1999-01-01");
    assert_eq!(http.post(&wrong, request).reply().status, 400);
}

#[test]
fn what_the_server_says_by_itself() {
    let (http, server) = rig(Limits::DEFAULT);
    let (one, two) = (http.session(&server, true), http.session(&server, false));
    let changed = r#"{~,"method":"notifications/tools/list_changed"}"#;
    let mut first = listen(&http, &one);
    server.say(changed);
    first.expect(changed);
    // The other opens its stream later.
    let mut second = listen(&http, &two);
    second.expect(changed);
    // A stream that is opened again takes the place of the one before.
    let mut again = listen(&http, &one);
    assert_eq!(first.event(), None);
    server.say(changed);
    again.expect(changed);
    second.expect(changed);
    assert_eq!(delete(&http, &one), 200);
    assert_eq!(again.event(), None);
}

#[test]
fn what_the_server_asks() {
    let (http, server) = rig(Limits::DEFAULT);
    let session = http.session(&server, true);
    // In the reply of the request that is open.
    let mut call = http.post(&session, r#"{~,"id":1,"method":"x"}"#);
    let id = id_of(&server.heard.line());
    server.say(r#"{~,"id":1,"method":"elicitation/create"}"#);
    call.stream();
    call.expect(r#"{~,"id":1,"method":"elicitation/create"}"#);
    assert_eq!(http.post(&session, r#"{~,"id":1,"result":{"a":1.0}}"#).reply().status, 202);
    server.heard.expect(r#"{~,"id":1,"result":{"a":1.0}}"#);
    // Nobody has asked this.
    assert_eq!(http.post(&session, r#"{~,"id":1,"result":{}}"#).reply().status, 202);
    server.heard.silence();
    server.say(&format!(r#"{{~,"id":{id},"result":{{}}}}"#));
    call.expect(r#"{~,"id":1,"result":{}}"#);
    assert_eq!(call.event(), None);
    // On the session's stream, where no request is open.
    server.say(r#"{~,"id":"q","method":"roots/list"}"#);
    let mut stream = listen(&http, &session);
    stream.expect(r#"{~,"id":"q","method":"roots/list"}"#);
    assert_eq!(http.post(&session, r#"{~,"id":"q","result":{"roots":[]}}"#).reply().status, 202);
    server.heard.expect(r#"{~,"id":"q","result":{"roots":[]}}"#);
    // A session that ends leaves no question open.
    server.say(r#"{~,"id":"r","method":"roots/list"}"#);
    stream.expect(r#"{~,"id":"r","method":"roots/list"}"#);
    assert_eq!(delete(&http, &session), 200);
    server.heard.expect(r#"{~,"id":"r","error":{"code":-32603,"message":"the client has gone"}}"#);
}

#[test]
fn closing_does_not_cancel_and_a_notification_does() {
    let (http, server) = rig(Limits::DEFAULT);
    let session = http.session(&server, true);
    let call = http.post(&session, r#"{~,"id":1,"method":"x"}"#);
    let id = id_of(&server.heard.line());
    call.stream.get_ref().shutdown(Shutdown::Both).unwrap();
    server.heard.silence();
    server.say(&format!(r#"{{~,"id":{id},"result":{{}}}}"#));
    let mut call = http.post(&session, r#"{~,"id":1,"method":"x"}"#);
    let id = id_of(&server.heard.line());
    let cancel = r#"{~,"method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(http.post(&session, cancel).reply().status, 202);
    server.heard.expect(&cancel.replace(":1}", &format!(":{id}}}")));
    assert_eq!(call.reply().body, "");
}

#[test]
fn a_handshake_that_fails_leaves_no_session() {
    let mut limits = Limits::DEFAULT;
    limits.sessions = 1;
    let (http, server) = rig(limits);
    let initialize = r#"{~,"id":0,"method":"initialize","params":{}}"#;
    for _ in 0..3 {
        let mut connection = http.post("", initialize);
        let id = id_of(&server.heard.line());
        server.say(&format!(r#"{{~,"id":{id},"error":{{"code":-32602,"message":"m"}}}}"#));
        let reply = connection.reply();
        assert_eq!((reply.status, reply.header("mcp-session-id")), (200, None));
    }
    let session = http.session(&server, true);
    // One is all there may be, as long as it is in use.
    let reply = http.post("", initialize).reply();
    assert_eq!(reply.status, 503);
    assert!(
        reply.body.contains(r#""id":0,"error":{"code":-32603,"message":"too many sessions: at most 1"#),
        "{reply:?}"
    );
    assert_eq!(delete(&http, &session), 200);
    http.session(&server, false);
}

#[test]
fn an_idle_session_makes_room() {
    let mut limits = Limits::DEFAULT;
    limits.sessions = 2;
    limits.session_idle = Duration::from_millis(300);
    let (http, server) = rig(limits);
    let one = http.session(&server, true);
    let two = http.session(&server, false);
    let _stream = listen(&http, &one);
    thread::sleep(StdDuration::from_millis(350));
    let three = http.session(&server, false);
    let status = |session: &str| http.post(session, r#"{~,"method":"n"}"#).reply().status;
    assert_eq!([status(&one), status(&two), status(&three)], [202, 404, 202]);
}

#[test]
fn a_batch_comes_back_as_one() {
    let (http, server) = rig(Limits::DEFAULT);
    let mut connection = http.post("", r#"{~,"id":0,"method":"initialize","params":{}}"#);
    server.heard.line();
    server.say(r#"{~,"id":1,"result":{"protocolVersion":"2025-03-26"}}"#);
    let session = format!("Mcp-Session-Id: {}\r\n", connection.reply().header("mcp-session-id").unwrap());
    let mut batch = http.post(&session, r#"[{~,"id":1,"method":"a"},{~,"id":2,"method":"b"},{~,"method":"n"}]"#);
    let ids = [id_of(&server.heard.line()), id_of(&server.heard.line())];
    for id in ids {
        server.say(&format!(r#"{{~,"id":{id},"result":{{}}}}"#));
    }
    assert_eq!(batch.reply().body, expand(r#"[{~,"id":1,"result":{}},{~,"id":2,"result":{}}]"#));
    assert_eq!(http.post(&session, r#"[{~,"method":"n"}]"#).reply().status, 202);
    assert_eq!(http.post(&session, "[]").reply().status, 400);
}

#[test]
fn eras_share_a_server_and_nothing_else() {
    let (http, server) = rig(Limits::DEFAULT);
    let session = http.session(&server, true);
    let mut stream = listen(&http, &session);
    // With a session, a modern request is still one of its own.
    let headers = format!(
        "{}MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: x\r\n",
        session.lines().next().unwrap().to_owned() + "\r\n"
    );
    let mut modern = http.post(&headers, r#"{~,"id":1,"method":"x","params":{^}}}"#);
    let id = id_of(&server.heard.line());
    server.say(r#"{~,"method":"notifications/tools/list_changed"}"#);
    stream.expect(r#"{~,"method":"notifications/tools/list_changed"}"#);
    server.say(&format!(r#"{{~,"id":{id},"result":{{}}}}"#));
    let reply = modern.reply();
    assert_eq!((reply.status, reply.header("mcp-session-id")), (200, None));
}
