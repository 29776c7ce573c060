//! Modern servers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant as Clock};

use serde_json::json;
use umcp::client::{Event, ListenEnd, ListenFilter, Verdict};
use umcp::io::{Failure, Wire as _};
use umcp::server::{Call, Catalog, Outcome};
use umcp::time::Instant;
use umcp::tool;
use umcp_std::Settings;
use umcp_std::http::client::{Remote, call_once};
use umcp_std::http::server::HttpServer;

use crate::script::{Act, Server, json as json_reply, modern, result};

fn remote(url: &str) -> Remote {
    Remote::new(url.parse().unwrap())
}

fn answer(request: &crate::script::Request) -> Act {
    modern(request)
        .unwrap_or_else(|| Act::Say(result(request, json!({ "content": [{ "type": "text", "text": "ok" }] }))))
}

/// Of an error that the server answered with.
fn code(error: &umcp_std::Error) -> Option<i64> {
    match error.failure() {
        Some(Failure::Remote { code }) => Some(*code),
        _ => None,
    }
}

umcp::arguments! {
    struct Echo<'a> { text: &'a str }
}

fn echo(_: &mut (), Echo { text }: Echo<'_>, call: Call<'_>) -> Outcome {
    call.text(text)
}

static CATALOG: Catalog<()> = Catalog::new("t", "1").tools(&[tool!("echo", "Echo.", echo(&mut (), Echo))]);

#[test]
fn our_own_server() {
    let server = HttpServer::bind("127.0.0.1:0").unwrap();
    let url = format!("http://localhost:{}/mcp", server.address().port());
    thread::spawn(move || server.run(&CATALOG, ()));
    let mut agent = remote(&url).connect("test", "1").unwrap();
    assert_eq!(agent.tools().unwrap()[0].name(), "echo");
    for text in ["hello", "w\u{f6}rld\n"] {
        assert_eq!(agent.call("echo", &json!({ "text": text })).unwrap().text().unwrap().to_string(), text);
    }
    assert_eq!(code(&agent.call("nothing", &()).unwrap_err()), Some(-32602));
    assert_eq!(agent.close(), None);

    let params = json!({ "name": "echo", "arguments": { "text": "once" } });
    let reply: serde_json::Value = serde_json::from_str(&call_once(&url, "tools/call", &params).unwrap()).unwrap();
    assert_eq!(reply["content"][0]["text"], "once");
    assert!(call_once(&url, "tools/list", &()).unwrap().contains("echo"));
    assert!(call_once(&url, "tools/list", "no object").is_err());
    assert!(call_once("nonsense", "tools/list", &()).is_err());
}

#[test]
fn one_stream_serves_many_calls() {
    let server = Server::start("127.0.0.1:0", answer);
    let mut agent = remote(&server.url()).connect("test", "1").unwrap();
    for _ in 0..5 {
        assert!(agent.call("t", &()).is_ok());
    }
    let seen = server.seen();
    assert_eq!(seen.len(), 7, "{:?}", server.methods());
    assert!(seen.iter().all(|request| request.connection == 0));
}

#[test]
fn a_server_that_closes_idle_streams_is_not_noticed() {
    // Not behind the list, which the first call asks for: the call follows at once, and might cross with the end of the stream.
    let server = Server::start("127.0.0.1:0", |request| match answer(request) {
        Act::Say(bytes) if request.method() != "tools/list" => Act::Close(bytes),
        other => other,
    });
    let mut agent = remote(&server.url()).connect("test", "1").unwrap();
    for _ in 0..3 {
        thread::sleep(Duration::from_millis(300));
        assert!(agent.call("t", &()).is_ok());
    }
    assert_eq!(server.seen().last().unwrap().connection, 3);
}

#[test]
fn a_call_is_never_sent_twice_and_what_is_harmless_is() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    // On a stream that has been used, every second request gets no answer.
    let server = Server::start("127.0.0.1:0", |request| match request.method() {
        "tools/call" | "resources/read" if CALLS.fetch_add(1, Ordering::SeqCst).is_multiple_of(2) => {
            Act::Close(Vec::new())
        }
        "resources/read" => Act::Say(result(request, json!({ "contents": [] }))),
        _ => answer(request),
    });
    let mut agent = remote(&server.url()).connect("test", "1").unwrap();
    assert!(matches!(agent.call("t", &()).unwrap_err().failure(), Some(Failure::Unanswered)));
    assert!(agent.call("t", &()).is_ok());
    assert!(agent.read("a:b").is_ok());
    let methods = server.methods();
    assert_eq!(methods.iter().filter(|method| *method == "tools/call").count(), 2);
    assert_eq!(methods.iter().filter(|method| *method == "resources/read").count(), 2);
}

#[test]
fn headers_that_do_not_match_lead_to_one_new_list_and_one_more_call() {
    static LISTS: AtomicUsize = AtomicUsize::new(0);
    let server = Server::start("127.0.0.1:0", |request| match request.method() {
        // It changes its mind once.
        "tools/list" => {
            let annotation = if LISTS.fetch_add(1, Ordering::SeqCst) == 0 { json!(null) } else { json!("Region") };
            let mut property = json!({ "type": "string" });
            if annotation.is_string() {
                property["x-mcp-header"] = annotation;
            }
            let schema = json!({ "type": "object", "properties": { "region": property } });
            Act::Say(result(request, json!({ "tools": [{ "name": "t", "inputSchema": schema }] })))
        }
        "tools/call" if request.header("Mcp-Param-Region") != Some("x") => {
            let error = json!({ "code": -32020, "message": "Header mismatch" });
            Act::Say(json_reply(
                "400 Bad Request",
                &json!({ "jsonrpc": "2.0", "id": request.message["id"], "error": error }),
            ))
        }
        _ => answer(request),
    });
    let mut agent = remote(&server.url()).connect("test", "1").unwrap();
    assert!(agent.call("t", &json!({ "region": "x" })).is_ok());
    assert_eq!(code(&agent.call("other", &json!({})).unwrap_err()), Some(-32020));
    let expected = [
        "server/discover",
        "tools/list",
        "tools/call",
        "tools/list",
        "tools/call",
        "tools/call",
        "tools/list",
        "tools/call",
    ];
    assert_eq!(server.methods(), expected);
}

#[test]
fn a_timeout_and_an_interruption_close_the_stream() {
    let (closed, was_closed) = std::sync::mpsc::channel();
    let closed = std::sync::Mutex::new(closed);
    let server = Server::start("127.0.0.1:0", move |request| {
        modern(request).unwrap_or_else(|| {
            let closed = closed.lock().unwrap().clone();
            let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n:\n\n".to_vec();
            Act::Stay(
                head,
                Box::new(move |mut stream| {
                    let ended = matches!(std::io::Read::read(&mut stream, &mut [0]), Ok(0) | Err(_));
                    let _ = closed.send(ended);
                }),
            )
        })
    });
    let settings = Settings::new("test", "1").timeout(Duration::from_millis(300));
    let mut agent = remote(&server.url()).connect_with(settings).unwrap();
    assert!(matches!(agent.call("t", &()).unwrap_err().failure(), Some(Failure::TimedOut)));
    assert_eq!(was_closed.recv_timeout(Duration::from_secs(2)), Ok(true));

    let interrupter = agent.interrupter();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        interrupter.interrupt();
    });
    assert!(matches!(agent.call("t", &()).unwrap_err().failure(), Some(Failure::Cancelled)));
    assert_eq!(was_closed.recv_timeout(Duration::from_secs(2)), Ok(true));
    assert!(!server.methods().contains(&"notifications/cancelled".to_owned()));
}

#[test]
fn a_subscription_that_is_lost_is_opened_again() {
    let server = Server::start("127.0.0.1:0", |request| {
        let id = &request.message["id"];
        let meta = json!({ "io.modelcontextprotocol/subscriptionId": id });
        let said = |method: &str, params: serde_json::Value| {
            format!("data: {}\n\n", json!({ "jsonrpc": "2.0", "method": method, "params": params }))
        };
        match request.method() {
            "subscriptions/listen" => {
                let begun = said(
                    "notifications/subscriptions/acknowledged",
                    json!({ "_meta": meta, "notifications": { "toolsListChanged": true } }),
                );
                let changed = said("notifications/tools/list_changed", json!({ "_meta": meta }));
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
                Act::Close([head, &begun, &changed].concat().into_bytes())
            }
            _ => answer(request),
        }
    });
    let mut agent = remote(&server.url()).connect("test", "1").unwrap();
    let filter = ListenFilter { tools: true, ..ListenFilter::default() };
    let mut handle = agent.listen(&filter).unwrap();
    for _ in 0..2 {
        let wait = Duration::from_secs(2);
        let changed = agent.next_notification(wait).unwrap();
        assert!(matches!(changed, Some(Event::Changed { handle: Some(of), .. }) if of == handle), "{changed:?}");
        let ended = agent.next_notification(wait).unwrap();
        assert!(matches!(ended, Some(Event::ListenEnded { end: ListenEnd::Lost, .. })), "{ended:?}");
        assert!(agent.call("t", &()).is_ok());
        let again = agent.with(|client| client.listen_again(&filter, Instant::NEVER)).unwrap();
        assert_ne!(again, Some(handle), "a new id");
        handle = again.unwrap();
    }
    let ended = agent.with(|client| {
        let now = client.wire().now();
        client.listen_again(&filter, now)
    });
    assert_eq!(ended.unwrap(), None);
}

#[test]
fn the_token_of_the_moment_is_sent() {
    let server = Server::start("127.0.0.1:0", |request| match request.header("Authorization") {
        Some("Bearer token-2") => answer(request),
        Some(_) | None => Act::Say(
            b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer realm=\"x\"\r\nContent-Length: 2\r\n\r\nno"
                .to_vec(),
        ),
    });
    let token = std::sync::Arc::new(AtomicUsize::new(1));
    let moment = token.clone();
    let remote = remote(&server.url())
        .header("X-Other", " yes ")
        .unwrap()
        .token_by(std::sync::Arc::new(move || Some(format!("token-{}", moment.load(Ordering::SeqCst)))));
    let refused = remote.connect("test", "1").unwrap_err();
    assert!(refused.to_string().contains("401") && refused.to_string().contains("realm=\"x\""), "{refused}");
    token.store(2, Ordering::SeqCst);
    let mut agent = remote.connect("test", "1").unwrap();
    assert!(agent.call("t", &()).is_ok());
    assert!(server.seen().iter().all(|request| request.header("X-Other") == Some("yes")));
    assert!(!format!("{remote:?}").contains("yes"));
}

#[test]
fn headers_that_cannot_be_sent_are_refused_at_once() {
    for (name, value) in
        [("a b", "x"), ("", "x"), ("X", "a\nb"), ("X", "h\u{e9}"), ("host", "x"), ("Mcp-Session-Id", "x")]
    {
        assert!(remote("http://h/").header(name, value).is_err(), "{name}");
    }
    assert!(remote("http://h/").token("a\r\nb").is_err());
    assert!(remote("http://h/").token("").is_err());
}

#[test]
fn nobody_is_there() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = remote(&format!("http://{closed}/mcp")).connect("test", "1").unwrap_err();
    assert!(matches!(error.failure(), Some(Failure::Wire(_))), "{error}");
    assert!(error.to_string().contains(&closed.to_string()), "{error}");
    let error = remote("http://no-such-host.invalid/mcp").connect("test", "1").unwrap_err();
    assert!(error.to_string().contains("no-such-host.invalid"), "{error}");
}

#[test]
fn a_server_that_says_nothing_is_given_up() {
    let server =
        Server::start("127.0.0.1:0", |_| Act::Stay(Vec::new(), Box::new(|_| thread::sleep(Duration::from_secs(20)))));
    let settings = Settings::new("test", "1").timeout(Duration::from_millis(200));
    let begin = Clock::now();
    let error = remote(&server.url()).connect_with(settings).unwrap_err();
    assert!(begin.elapsed() < Duration::from_secs(3), "{error}");
    let settings = Settings::new("test", "1").verdict(Verdict::Modern).timeout(Duration::from_millis(200));
    let mut agent = remote(&server.url()).connect_with(settings).unwrap();
    assert!(matches!(agent.read("a:b").unwrap_err().failure(), Some(Failure::TimedOut)));
}

#[test]
fn localhost_is_found_wherever_it_is() {
    for at in ["127.0.0.1:0", "[::1]:0"] {
        // Some systems have no IPv6.
        if std::net::TcpListener::bind(at).is_err() {
            continue;
        }
        let server = Server::start(at, answer);
        let mut agent = remote(&format!("http://localhost:{}/", server.address.port())).connect("test", "1").unwrap();
        assert!(agent.call("t", &()).is_ok(), "{at}");
    }
}
