//! What is refused before a message is read: the status, and whether the connection goes on.

use crate::request::{Request, call, echo, post};
use crate::rig::{Memory, Rig, SIZES, Sizes, exchange, exchange_in, site};

/// The last reply to a request: it has this status, and closes the connection or does not.
fn refused(name: &str, request: &Request, status: u16, closes: bool) -> crate::reply::Reply {
    let replies = exchange(name, request);
    let [reply] = &replies[..] else { panic!("{name}: {replies:?}") };
    assert_eq!((reply.status, reply.closes()), (status, closes), "{name}: {reply:?}");
    for error in reply.messages() {
        assert_eq!(error["jsonrpc"], "2.0", "{name}");
        assert!(error.get("id").is_none() && error["error"]["code"].is_i64(), "{name}: {error}");
        assert!(error["error"]["message"].as_str().is_some_and(|message| !message.is_empty()), "{name}: {error}");
    }
    reply.clone()
}

#[test]
fn by_the_head() {
    let get = || echo().line("GET /mcp HTTP/1.1").bare();
    let table: &[(&str, Request, u16, bool)] = &[
        // Lines that are none.
        ("two words", echo().line("POST /mcp"), 400, true),
        ("two spaces", echo().line("POST  /mcp HTTP/1.1"), 400, true),
        ("a method that is none", echo().line("PO(ST /mcp HTTP/1.1"), 400, true),
        ("another protocol", echo().line("POST /mcp RTSP/1.1"), 400, true),
        ("a version of the future", echo().line("POST /mcp HTTP/2.0"), 505, true),
        ("a long target", echo().line(&format!("POST /mcp?{} HTTP/1.1", "x".repeat(3_000))), 414, true),
        ("no colon", echo().with("X: y\r\nno colon\r\nZ", ""), 400, true),
        ("a space before the colon", echo().with("Accept ", "a"), 400, true),
        ("a folded header", echo().with("X", "a\r\n b"), 400, true),
        ("a bare LF", echo().with("X", "a\nY: b"), 400, true),
        ("a bare CR", echo().with("X", "a\rb"), 400, true),
        ("a NUL", echo().with("Mcp-Name", "ec\0ho"), 400, true),
        ("a long header that is needed", echo().with("Authorization", "x".repeat(3_000)), 431, true),
        ("needed headers that do not fit together", echo().with("Mcp-Param-A", "x".repeat(1_000)), 431, true),
        ("a long name", echo().with(&format!("Mcp-Param-{}", "x".repeat(300)), "x"), 431, true),
        ("a head that does not end", echo().with("X", "x".repeat(70_000)), 431, true),
        // Lengths that are none.
        ("no length", echo().bare(), 411, false),
        ("a length that is no number", echo().unmeasured().with("Content-Length", "1e2"), 400, true),
        ("two lengths", echo().with("Content-Length", "5"), 400, true),
        ("a length and chunks", echo().chunked(9).with("Content-Length", "5"), 400, true),
        ("another coding", echo().unmeasured().with("Transfer-Encoding", "gzip, chunked"), 501, true),
        ("chunks in HTTP/1.0", echo().line("POST /mcp HTTP/1.0").chunked(9), 400, true),
        ("a long body", echo().body(vec![b' '; 10_001]), 413, true),
        ("a long body in chunks", echo().body(vec![b' '; 10_001]).chunked(4_000), 413, true),
        // Who asks, and where.
        ("no host", echo().without("Host"), 400, true),
        ("two hosts", echo().with("Host", "localhost:8080"), 400, true),
        ("a foreign host", echo().set("Host", "evil.example"), 403, true),
        ("a host that begins well", echo().set("Host", "localhost.evil.example"), 403, true),
        ("an empty host", echo().set("Host", ""), 403, true),
        ("a target at a foreign host", echo().line("POST http://evil.example/mcp HTTP/1.1"), 403, true),
        ("a foreign origin", echo().with("Origin", "https://evil.example"), 403, true),
        ("the null origin", echo().with("Origin", "null"), 403, true),
        (
            "one origin of two",
            echo().with("Origin", "https://good.example").with("Origin", "https://e.example"),
            403,
            true,
        ),
        ("an origin in another case", echo().with("Origin", "https://GOOD.example"), 403, true),
        ("another path", echo().line("POST /mcp/ HTTP/1.1"), 404, true),
        ("no path", echo().line("POST * HTTP/1.1"), 404, true),
        ("another path, no body", echo().line("GET / HTTP/1.1").bare(), 404, false),
        ("a head of another path", echo().line("HEAD / HTTP/1.1").bare(), 404, false),
        ("a head from a foreign origin", echo().line("HEAD /mcp HTTP/1.1").bare().with("Origin", "null"), 403, false),
        // What, and how.
        ("GET", get(), 405, false),
        ("GET and close", get().with("Connection", "close"), 405, true),
        ("DELETE", echo().line("DELETE /mcp HTTP/1.1").bare().with("Mcp-Session-Id", "s"), 405, false),
        ("PUT with a body", echo().line("PUT /mcp HTTP/1.1"), 405, true),
        ("OPTIONS", echo().line("OPTIONS /mcp HTTP/1.1").bare(), 405, false),
        ("post, in small letters", echo().line("post /mcp HTTP/1.1"), 405, true),
        ("takes pictures", echo().set("Accept", "image/*"), 406, true),
        ("takes nothing", echo().set("Accept", ""), 406, true),
        ("a form", echo().set("Content-Type", "application/x-www-form-urlencoded"), 415, true),
        ("no type", echo().without("Content-Type"), 415, true),
        ("nearly JSON", echo().set("Content-Type", "application/json5"), 415, true),
        ("text that mentions JSON", echo().set("Content-Type", "text/plain;x=,application/json"), 415, true),
        ("two types", echo().with("Content-Type", "text/plain"), 415, true),
        (
            "two types, JSON behind",
            echo().set("Content-Type", "text/plain").with("Content-Type", "application/json"),
            415,
            true,
        ),
        ("two authorizations", echo().with("Authorization", "a").with("Authorization", "b"), 400, true),
    ];
    for (name, request, status, closes) in table {
        let reply = refused(name, request, *status, *closes);
        assert_eq!(reply.header("Allow"), (*status == 405).then_some("POST"), "{name}");
        let is_post = String::from_utf8_lossy(&request.bytes()).starts_with("POST ") || *status == 400;
        assert!(is_post || reply.body.is_empty(), "{name}: a body for who may have asked for a head alone");
    }
}

#[test]
fn by_the_chunks() {
    let table = [
        ("no digits", "x\r\n"),
        ("a bare LF", "2\n{}\r\n"),
        ("longer than it says", "1\r\n{}\r\n0\r\n\r\n"),
        ("a size of 2^64", "10000000000000000\r\n"),
        ("a trailer that is none", "2\r\n{}\r\n0\r\n\0\r\n"),
    ];
    for (name, body) in table {
        let request = echo().unmeasured().body(body).with("Transfer-Encoding", "chunked");
        refused(name, &request, 400, true);
    }
}

/// What is accepted, though it looks odd.
#[test]
fn not_refused() {
    let table: &[(&str, Request)] = &[
        ("HTTP/1.0", echo().line("POST /mcp HTTP/1.0")),
        ("HTTP/1.0 without a host", echo().line("POST /mcp HTTP/1.0").without("Host")),
        ("HTTP/1.0, kept alive", echo().line("POST /mcp HTTP/1.0").with("Connection", "keep-alive")),
        ("to be closed", echo().with("Connection", "x, Close")),
        ("a query", echo().line("POST /mcp?a=b/c HTTP/1.1")),
        ("an absolute target", echo().line("POST http://localhost:8080/mcp HTTP/1.1")),
        ("an absolute target and a query", echo().line("POST HTTP://127.0.0.1/mcp?x HTTP/1.1")),
        ("another name of this machine", echo().set("Host", "[::1]:80")),
        ("a friendly origin", echo().with("Origin", "https://good.example")),
        ("no Accept", echo().without("Accept")),
        ("Accept in two headers", echo().set("Accept", "application/json").with("Accept", "text/event-stream")),
        ("Accept, pictures first", echo().set("Accept", "image/png").with("Accept", "application/json;q=0.1")),
        ("anything", echo().set("Accept", "*/*")),
        ("JSON only", echo().set("Accept", "application/json")),
        ("a type with parameters", echo().set("Content-Type", "Application/JSON ; charset=utf-8")),
        ("the same type twice", echo().with("Content-Type", "application/json")),
        ("the same length twice", {
            let request = echo();
            let length = request.bytes().len() - request.clone().body("").bytes().len();
            let length = length - (length.to_string().len() - 1);
            request.with("Content-Length", length.to_string())
        }),
        ("in chunks", echo().chunked(7)),
        ("in chunks of one byte", echo().chunked(1)),
        ("another expectation", echo().with("Expect", "the best")),
        ("empty lines before it", echo().line("\r\n\r\nPOST /mcp HTTP/1.1")),
        ("a session and an event of another era", echo().with("Mcp-Session-Id", "x").with("Last-Event-ID", "9")),
        ("names in any case", echo().without("Mcp-Method").with("mCP-mETHOD", "tools/call")),
        ("a body of exactly the limit", {
            let body =
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{}}}}}"#, crate::request::META);
            let spaces = " ".repeat(10_000 - body.len());
            post("tools/list", spaces + &body)
        }),
    ];
    for (name, request) in table {
        let replies = exchange(name, request);
        let [reply] = &replies[..] else { panic!("{name}: {replies:?}") };
        assert_eq!(reply.status, 200, "{name}: {reply:?}");
        let text = String::from_utf8_lossy(&request.bytes()).into_owned();
        let old = text.contains(" HTTP/1.0\r\n");
        let closes = text.contains("Close") || (old && !text.contains("keep-alive"));
        let connection = if closes { Some("close") } else { old.then_some("keep-alive") };
        assert_eq!(reply.header("Connection"), connection, "{name}");
        assert_eq!(reply.message()["id"], 1, "{name}");
    }
}

/// `100 Continue` comes where a body is wanted, and not before a refusal.
#[test]
fn expectations() {
    let expects = |request: Request| request.with("Expect", "100-Continue");
    let table: &[(&str, Request, &[u16])] = &[
        ("wanted", expects(echo()), &[100, 200]),
        ("wanted in chunks", expects(echo().chunked(30)), &[100, 200]),
        ("too long", expects(echo().body(vec![b' '; 20_000])), &[413]),
        ("no JSON", expects(echo().set("Content-Type", "text/plain")), &[415]),
        ("HTTP/1.0 has none", expects(echo().line("POST /mcp HTTP/1.0")), &[200]),
    ];
    for (name, request, statuses) in table {
        let replies = exchange(name, request);
        let given: Vec<u16> = replies.iter().map(|reply| reply.status).collect();
        assert_eq!(given, *statuses, "{name}");
    }
    // It comes before the body does.
    let mut memory = Memory::new(SIZES);
    let mut rig = Rig::new(&mut memory);
    let bytes = expects(echo()).bytes();
    let head = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    rig.receive(&bytes[..head]);
    assert_eq!(rig.out, b"HTTP/1.1 100 Continue\r\n\r\n");
    rig.receive(&bytes[head..]);
    assert_eq!(rig.replies().last().map(|reply| reply.status), Some(200));
}

/// The `authorize` hook decides; the site says what challenges go with it.
#[test]
fn authorization() {
    let secret = || call("secret", "{}");
    let table: &[(&str, Request, u16, Option<&str>)] = &[
        ("nobody", secret(), 401, Some("Bearer realm=\"board\"")),
        (
            "somebody else",
            secret().with("Authorization", "Bearer bad"),
            403,
            Some("Bearer error=\"insufficient_scope\""),
        ),
        ("not text", secret().with("Authorization", b"Bearer \xFF"), 401, Some("Bearer realm=\"board\"")),
        ("who may", secret().with("authorization", "Bearer good"), 200, None),
    ];
    for (name, request, status, challenge) in table {
        let replies = exchange(name, request);
        let [reply] = &replies[..] else { panic!("{name}: {replies:?}") };
        assert_eq!((reply.status, reply.header("WWW-Authenticate")), (*status, *challenge), "{name}");
        assert_eq!(reply.message()["id"], 1, "{name}: {reply:?}");
        assert!(!reply.closes(), "{name}");
    }
    // A page of a foreign origin is told nothing of it.
    let foreign = secret().with("Origin", "null");
    assert_eq!(refused("foreign", &foreign, 403, true).header("WWW-Authenticate"), None);
    // Where the site has no challenge, or one that fits no head, there is none.
    for challenge in [None, Some("two\r\nlines"), Some(LONG)] {
        let mut memory = Memory::new(Sizes { head: 256, ..SIZES });
        let mut rig = Rig::new(&mut memory);
        rig.site.unauthorized = challenge;
        rig.receive(&secret().bytes());
        let replies = rig.replies();
        assert_eq!((replies[0].status, replies[0].header("WWW-Authenticate")), (401, None));
    }
}

const LONG: &str = "Bearer a=\"...............................................................................................................\
    ..............................................................................................................................\"";

/// A site that is reached under other names than this machine's takes any host.
#[test]
fn a_site_with_a_name() {
    let mut memory = Memory::new(SIZES);
    let mut rig = Rig::new(&mut memory);
    rig.site.local = false;
    rig.receive(&echo().set("Host", "board.example").bytes());
    rig.receive(&echo().line("POST http://board.example/mcp HTTP/1.1").bytes());
    rig.receive(&echo().without("Host").bytes());
    let statuses: Vec<u16> = rig.replies().iter().map(|reply| reply.status).collect();
    assert_eq!(statuses, [200, 200, 400]);
    assert!(!site().origins.is_empty());
}

/// A refusal is the same however small the buffers are.
#[test]
fn in_little_memory() {
    let sizes = Sizes { head: 256, receive: 512, transmit: 128 };
    for (name, request, status) in [
        ("path", echo().line("POST / HTTP/1.1"), 404),
        ("type", echo().set("Content-Type", "text/plain"), 415),
        ("message", echo().body("{"), 400),
    ] {
        let replies = exchange_in(name, sizes, &request);
        assert_eq!(replies.iter().map(|reply| reply.status).collect::<Vec<_>>(), [status], "{name}");
    }
}
