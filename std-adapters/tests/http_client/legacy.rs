//! Legacy servers with sessions: the stream beside, questions, and what is gone.

use std::io::Write;
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use umcp::client::{Event, Host, Input};
use umcp::json::Writer;
use umcp::mcp::{ClientCapabilities, InputKind, Revision};
use umcp_std::Settings;
use umcp_std::http::client::Remote;

use crate::script::{Act, Request, Server, json as json_reply, result};

const ABLE: ClientCapabilities = ClientCapabilities { roots: true, ..ClientCapabilities::NONE };
const EVENTS: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

/// Answers roots, and keeps what it is told.
#[derive(Clone, Default)]
struct Keeper(Arc<Mutex<Vec<String>>>);

impl Host for Keeper {
    fn event(&mut self, event: Event<'_>) {
        self.0.lock().unwrap().push(format!("{event:?}"));
    }

    fn input(&mut self, input: Input<'_>, answer: &mut Writer<'_>) -> bool {
        assert_eq!(input.kind(), InputKind::Roots);
        answer.begin_object().key("roots").begin_array().end_array().end_object();
        true
    }
}

fn event(message: &Value) -> String {
    format!("event: message\ndata: {message}\n\n")
}

/// What a legacy server does first.
fn handshake(request: &Request) -> Option<Act> {
    Some(match request.method() {
        "server/discover" => Act::Say(json_reply(
            "400 Bad Request",
            &json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32000, "message": "no session" } }),
        )),
        "initialize" => {
            let reply =
                String::from_utf8(result(request, json!({ "protocolVersion": "2025-11-25", "capabilities": {} })))
                    .unwrap();
            Act::Say(reply.replacen("\r\n", "\r\nMcp-Session-Id: s-1\r\n", 1).into_bytes())
        }
        "notifications/initialized" | "answer" => {
            Act::Say(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n".to_vec())
        }
        "DELETE" => Act::Say(b"HTTP/1.1 204 No Content\r\n\r\n".to_vec()),
        _ => return None,
    })
}

fn settings(keeper: &Keeper) -> Settings {
    Settings::new("test", "1").host(keeper.clone(), ABLE)
}

#[test]
fn a_question_on_the_stream_beside_is_answered_while_a_call_waits() {
    let beside: Arc<Mutex<Option<TcpStream>>> = Arc::default();
    let waiting: Arc<Mutex<Option<(TcpStream, Value)>>> = Arc::default();
    let (of_get, of_call) = (beside.clone(), waiting.clone());
    let server = Server::start("127.0.0.1:0", move |request| {
        if let Some(act) = handshake(request) {
            return act;
        }
        match request.method() {
            "GET" => {
                let beside = of_get.clone();
                Act::Stay(EVENTS.into(), Box::new(move |stream| *beside.lock().unwrap() = Some(stream)))
            }
            "tools/call" => {
                let question = event(&json!({ "jsonrpc": "2.0", "id": "q", "method": "roots/list" }));
                // It asks on the other stream, and only there.
                let mut beside = of_get.lock().unwrap();
                beside
                    .as_mut()
                    .expect("the stream is there before the first request")
                    .write_all(question.as_bytes())
                    .unwrap();
                let (waiting, id) = (of_call.clone(), request.message["id"].clone());
                Act::Stay(EVENTS.into(), Box::new(move |stream| *waiting.lock().unwrap() = Some((stream, id))))
            }
            "POST" => {
                assert_eq!(request.message, json!({ "jsonrpc": "2.0", "id": "q", "result": { "roots": [] } }));
                let of_call = of_call.clone();
                thread::spawn(move || {
                    thread::sleep(Duration::from_millis(50));
                    let (mut stream, id) = of_call.lock().unwrap().take().unwrap();
                    let answer = json!({ "jsonrpc": "2.0", "id": id, "result": { "content": [{ "type": "text", "text": "asked" }] } });
                    stream.write_all(event(&answer).as_bytes()).unwrap();
                });
                Act::Close(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n".to_vec())
            }
            other => panic!("{other}"),
        }
    });
    let keeper = Keeper::default();
    let mut agent = Remote::new(server.url().parse().unwrap()).connect_with(settings(&keeper)).unwrap();
    assert_eq!(agent.revision(), Revision::V2025_11_25);
    assert_eq!(agent.call("t", &()).unwrap().text().unwrap().to_string(), "asked");

    let notice = event(&json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }));
    beside.lock().unwrap().as_mut().unwrap().write_all(notice.as_bytes()).unwrap();
    for _ in 0..200 {
        if keeper.0.lock().unwrap().iter().any(|event| event.starts_with("Changed")) {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    assert!(
        keeper.0.lock().unwrap().iter().any(|event| event.starts_with("Changed")),
        "{:?}",
        keeper.0.lock().unwrap()
    );
    agent.close();
    let seen = server.seen();
    let of = |method: &str| seen.iter().position(|request| request.method() == method);
    assert!(of("GET") < of("tools/call"), "{:?}", server.methods());
    assert_eq!(seen.iter().filter(|request| request.verb == "GET").count(), 1);
    assert_eq!(seen.last().unwrap().verb, "DELETE");
    let after_handshake = seen.iter().skip_while(|request| request.method() != "notifications/initialized");
    for request in after_handshake {
        assert_eq!(request.header("Mcp-Session-Id"), Some("s-1"), "{request:?}");
        assert_eq!(request.header("MCP-Protocol-Version"), Some("2025-11-25"), "{request:?}");
    }
}

#[test]
fn a_session_that_is_gone_is_begun_anew_and_the_call_made_again() {
    let calls = Mutex::new(0);
    let server = Server::start("127.0.0.1:0", move |request| {
        handshake(request).unwrap_or_else(|| match request.method() {
            "GET" => Act::Say(b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n".to_vec()),
            _ => {
                let mut calls = calls.lock().unwrap();
                *calls += 1;
                match *calls {
                    1 => Act::Say(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec()),
                    _ => Act::Say(result(request, json!({ "content": [] }))),
                }
            }
        })
    });
    let mut agent = Remote::new(server.url().parse().unwrap()).connect_with(settings(&Keeper::default())).unwrap();
    assert!(agent.call("t", &()).is_ok());
    drop(agent);
    let methods = server.methods();
    assert_eq!(methods.iter().filter(|method| *method == "initialize").count(), 2, "{methods:?}");
    assert_eq!(methods.iter().filter(|method| *method == "tools/call").count(), 2, "{methods:?}");
    assert_eq!(methods.last().unwrap(), "DELETE");
}

#[test]
fn a_reply_that_goes_on_elsewhere_is_followed() {
    let server = Server::start("127.0.0.1:0", move |request| {
        handshake(request).unwrap_or_else(|| match (request.method(), request.header("Last-Event-ID")) {
            ("GET", Some("event-1")) => {
                let answer = event(&json!({ "jsonrpc": "2.0", "id": 3, "result": { "content": [{ "type": "text", "text": "later" }] } }));
                Act::Stay([EVENTS, &answer].concat().into_bytes(), Box::new(|_| thread::sleep(Duration::from_secs(5))))
            }
            ("GET", _) => Act::Say(b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n".to_vec()),
            _ => Act::Close([EVENTS, "id: event-1\nretry: 300\ndata: \n\n"].concat().into_bytes()),
        })
    });
    let mut agent = Remote::new(server.url().parse().unwrap()).connect("test", "1").unwrap();
    let begin = std::time::Instant::now();
    assert_eq!(agent.call("t", &()).unwrap().text().unwrap().to_string(), "later");
    let took = begin.elapsed();
    assert!((Duration::from_millis(290)..Duration::from_millis(900)).contains(&took), "{took:?}");
}
