//! Arguments that are taken as they arrive, at many splits and through buffers of many sizes, on a line and over HTTP.
#![cfg(all(feature = "server", feature = "legacy", feature = "http"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use serde::Deserialize;
use serde_json::{Value as Json, json};
use umcp::http::server as http;
use umcp::mcp::Fault;
use umcp::server::{
    Access, Call, Catalog, Connection, Endpoint, Event, Lent, Outcome, Principal, Tool, Upload, UploadId,
};
use umcp::time::Instant;

/// What an application has heard. Pieces of one upload are put together, since how they are cut is nobody's business.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Heard {
    Text(String),
    Last,
    Void,
    Handler { slot: u8 },
    HandlerWithout,
}

#[derive(Default)]
struct App {
    heard: Vec<Heard>,
    open: Option<UploadId>,
    pieces: usize,
    asked: usize,
    longest: usize,
    /// Every piece is put off this many times.
    put_off: usize,
    put_off_now: usize,
    /// It refuses what contains this.
    refuses: Option<char>,
}

fn take(app: &mut App, upload: Upload<'_>) -> nb::Result<(), Fault> {
    if upload.is_void() {
        assert_eq!((app.open.take(), upload.text()), (Some(upload.id()), ""));
        app.heard.push(Heard::Void);
        return Ok(());
    }
    if app.put_off_now < app.put_off {
        app.put_off_now += 1;
        return Err(nb::Error::WouldBlock);
    }
    app.put_off_now = 0;
    if app.refuses.is_some_and(|char| upload.text().contains(char)) {
        app.open = None;
        return Err(nb::Error::Other(Fault::application(9, "not that")));
    }
    assert_eq!(upload.principal(), Principal(7));
    assert_eq!(upload.is_first(), app.open.is_none());
    assert_eq!(*app.open.get_or_insert(upload.id()), upload.id());
    app.pieces += 1;
    app.longest = app.longest.max(upload.text().len());
    match app.heard.last_mut() {
        Some(Heard::Text(text)) if !upload.is_first() => text.push_str(upload.text()),
        _ => app.heard.push(Heard::Text(upload.text().to_owned())),
    }
    if upload.is_last() {
        app.heard.push(Heard::Last);
    }
    Ok(())
}

fn write(app: &mut App, mut call: Call<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Write {
        #[serde(default)]
        slot: u8,
    }
    let Write { slot } = call.args()?;
    match call.upload() {
        Some(id) => {
            assert_eq!(app.open.take(), Some(id));
            app.heard.push(Heard::Handler { slot });
        }
        None => app.heard.push(Heard::HandlerWithout),
    }
    call.text("written")
}

fn authorize(app: &mut App, access: &Access<'_>) -> Result<Principal, Fault> {
    app.asked += 1;
    let is_forbidden = access.subject.is_some_and(|name| name.is_str("secret"));
    if is_forbidden { Err(Fault::Forbidden) } else { Ok(Principal(7)) }
}

const WRITE_SCHEMA: &str = r#"{"type":"object","properties":{"slot":{"type":"integer"},"data":{"type":"string"}}}"#;
const DATA_SCHEMA: &str = r#"{"type":"object","properties":{"data":{"type":"string"}}}"#;
const TOOLS: &[Tool<App>] = &[
    Tool::new("write", "d", WRITE_SCHEMA, write).upload("data", take),
    Tool::new("secret", "d", DATA_SCHEMA, write).upload("data", take),
    Tool::new("plain", "d", DATA_SCHEMA, |_, call| call.text("plain")),
];
static CATALOG: Catalog<App> = Catalog::new("test", "1").tools(TOOLS).authorize(authorize);

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// A text with everything in it that a piece could be cut in.
fn text(len: usize) -> String {
    "ab\u{e9}\\\"\n\u{1}\u{1F600}€/".chars().cycle().take(len).collect()
}

/// The content of a JSON string: with characters as they are, and with all of them escaped.
fn spellings(text: &str) -> [String; 2] {
    let plain = serde_json::to_string(text).unwrap();
    let escaped = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
    [plain[1..plain.len() - 1].to_owned(), escaped]
}

/// A wire: what goes in, and what came out.
trait Wire {
    fn run(&self, app: &mut App, receive: usize, split: usize, input: &[u8]) -> Vec<Json>;
}

struct Line;

impl Wire for Line {
    fn run(&self, app: &mut App, receive: usize, split: usize, input: &[u8]) -> Vec<Json> {
        let (mut receive, mut transmit) = (vec![0; receive], vec![0; 2048]);
        let mut deferred = heapless::Vec::<_, 2>::new();
        let mut subscriptions = heapless::Vec::<_, 1>::new();
        let lent = Lent {
            receive: &mut receive,
            transmit: &mut transmit,
            deferred: &mut deferred,
            subscriptions: &mut subscriptions,
        };
        let (mut conn, mut endpoint, mut out) = (Connection::line(lent), Endpoint::new(&CATALOG), Vec::new());
        let mut drain = |conn: &mut Connection<'_>, app: &mut App| {
            loop {
                let event = conn.next_event(&mut endpoint, app, Instant::ZERO);
                let (needs_data, is_closed) = (matches!(event, Event::NeedData), matches!(event, Event::Closed));
                match () {
                    () if needs_data && !conn.transmit().is_empty() => {
                        out.extend_from_slice(conn.transmit());
                        conn.transmitted(conn.transmit().len());
                    }
                    () if needs_data && conn.is_held_back() => assert!(conn.receive_buffer().is_empty()),
                    () if needs_data || is_closed => return,
                    () => {}
                }
            }
        };
        for mut piece in input.chunks(split) {
            while !piece.is_empty() {
                let room = conn.receive_buffer();
                let count = room.len().min(piece.len());
                assert!(count > 0, "there is no room");
                room[..count].copy_from_slice(&piece[..count]);
                conn.commit(count);
                piece = &piece[count..];
                drain(&mut conn, app);
            }
        }
        conn.eof();
        drain(&mut conn, app);
        out.split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect()
    }
}

/// Each line of the input is the body of a request.
struct Http {
    /// What `Mcp-Name` says.
    name: &'static str,
}

impl Wire for Http {
    fn run(&self, app: &mut App, receive: usize, split: usize, input: &[u8]) -> Vec<Json> {
        let (mut receive, mut transmit, mut head) = (vec![0; receive], vec![0; 2048], [0; 512]);
        let mut deferred = heapless::Vec::<_, 2>::new();
        let mut subscriptions = heapless::Vec::<_, 1>::new();
        let mut conn = http::Connection::new(http::Lent {
            receive: &mut receive,
            transmit: &mut transmit,
            head: &mut head,
            deferred: &mut deferred,
            subscriptions: &mut subscriptions,
        });
        let (mut site, mut endpoint, mut out) = (http::Site::new("/mcp"), Endpoint::new(&CATALOG), Vec::new());
        let mut drain = |conn: &mut http::Connection<'_>, app: &mut App| {
            loop {
                let event = conn.next_event(&mut site, &mut endpoint, app, Instant::ZERO);
                let (needs_data, is_closed) = (matches!(event, Event::NeedData), matches!(event, Event::Closed));
                match () {
                    () if needs_data && !conn.transmit().is_empty() => {
                        out.extend_from_slice(conn.transmit());
                        conn.transmitted(conn.transmit().len());
                    }
                    // It is to be asked again, without new bytes.
                    () if needs_data && conn.receive_buffer().is_empty() && app.put_off_now > 0 => {}
                    () if needs_data || is_closed => return,
                    () => {}
                }
            }
        };
        for (index, body) in input.split(|&byte| byte == b'\n').filter(|body| !body.is_empty()).enumerate() {
            let mut wire = format!(
                "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
                 MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {}\r\n",
                self.name
            )
            .into_bytes();
            if index % 2 == 0 {
                wire.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
                wire.extend_from_slice(body);
            } else {
                wire.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
                for piece in body.chunks(37) {
                    wire.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
                    wire.extend_from_slice(piece);
                    wire.extend_from_slice(b"\r\n");
                }
                wire.extend_from_slice(b"0\r\n\r\n");
            }
            for mut piece in wire.chunks(split) {
                while !piece.is_empty() {
                    let room = conn.receive_buffer();
                    let count = room.len().min(piece.len());
                    assert!(count > 0, "there is no room");
                    room[..count].copy_from_slice(&piece[..count]);
                    conn.commit(count);
                    piece = &piece[count..];
                    drain(&mut conn, app);
                }
            }
        }
        conn.eof();
        drain(&mut conn, app);
        bodies(&out)
    }
}

/// The JSON in these replies.
fn bodies(mut out: &[u8]) -> Vec<Json> {
    let mut bodies = Vec::new();
    while let Some(end) = out.windows(4).position(|window| window == b"\r\n\r\n") {
        let head = str::from_utf8(&out[..end]).unwrap().to_ascii_lowercase();
        let length =
            head.lines().find_map(|line| line.strip_prefix("content-length: ")).map_or(0, |n| n.parse().unwrap());
        let body = &out[end + 4..][..length];
        bodies.push(serde_json::from_slice(body).unwrap());
        out = &out[end + 4 + length..];
    }
    bodies
}

const WIRES: [(&str, &dyn Wire); 2] = [("line", &Line), ("http", &Http { name: "write" })];

fn call(id: u32, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}",{META},"arguments":{arguments}}}}}"#
    )
}

fn whole(text: &str, slot: u8) -> [Heard; 3] {
    [Heard::Text(text.to_owned()), Heard::Last, Heard::Handler { slot }]
}

#[test]
fn any_length_comes_through_any_buffer() {
    for (wire_name, wire) in WIRES {
        for len in [0, 1, 7, 100, 600, 3000] {
            let text = text(len);
            let mut input = String::new();
            for (index, spelling) in spellings(&text).iter().enumerate() {
                input += &call(index as u32, "write", &format!(r#"{{"slot":{index},"data":"{spelling}"}}"#));
                input += "\n";
                input += &call(index as u32 + 2, "write", &format!(r#"{{ "data" : "{spelling}" , "slot":{index}}}"#));
                input += "\n";
            }
            let expected: Vec<Heard> = [0, 0, 1, 1].iter().flat_map(|&slot| whole(&text, slot)).collect();
            for receive in [280, 281, 290, 311, 400, 512, 1024, 40_000] {
                for split in [1, 2, 3, 7, 64, 511, usize::MAX] {
                    let mut app = App::default();
                    let replies = wire.run(&mut app, receive, split, input.as_bytes());
                    let context = format!("{wire_name}, {len} characters, {receive} bytes, split {split}");
                    assert_eq!(app.heard, expected, "{context}: {replies:?}");
                    assert_eq!(app.asked, 4, "{context}: the hook is asked once a call");
                    assert_eq!(replies.len(), 4, "{context}");
                    for (reply, id) in replies.iter().zip([0, 2, 1, 3]) {
                        assert_eq!(reply["id"], id, "{context}");
                        assert_eq!(reply["result"]["content"][0]["text"], "written", "{context}: {reply}");
                    }
                    // A larger buffer means larger pieces.
                    assert!(app.longest <= receive && (app.longest == text.len() || app.longest > 20), "{context}");
                    assert!(app.open.is_none());
                }
            }
        }
    }
}

#[test]
fn a_piece_that_cannot_be_taken_is_offered_again() {
    let text = text(500);
    for (name, wire) in WIRES {
        for (put_off, receive, split) in [(1, 300, 1), (3, 300, 50), (1, 40_000, 7), (2, 40_000, 40_000)] {
            let mut app = App { put_off, ..App::default() };
            let data = &spellings(&text)[0];
            let input =
                call(1, "write", &format!(r#"{{"data":"{data}","slot":3}}"#)) + "\n" + &call(2, "plain", "{}") + "\n";
            let input = if name == "line" { input } else { input.lines().next().unwrap().to_owned() };
            let replies = wire.run(&mut app, receive, split, input.as_bytes());
            assert_eq!(app.heard, whole(&text, 3), "{name}, {put_off}, {receive}, {split}");
            assert_eq!(replies.len(), if name == "line" { 2 } else { 1 });
        }
    }
}

/// What is heard, and the error that is answered, if one is.
fn play(wire: &dyn Wire, receive: usize, message: &str) -> (Vec<Heard>, Json) {
    let mut app = App { refuses: Some('~'), ..App::default() };
    let replies = wire.run(&mut app, receive, 50, format!("{message}\n").as_bytes());
    assert!(app.open.is_none(), "{message}: an upload is left open");
    assert!(replies.len() <= 1, "{message}: {replies:?}");
    // The beginning of what becomes void depends on the buffer.
    app.heard.retain(|heard| !matches!(heard, Heard::Text(_) | Heard::Last));
    (app.heard, replies.first().cloned().unwrap_or(Json::Null))
}

#[test]
fn what_cannot_be_taken_is_refused_and_says_why() {
    const RECEIVE: usize = 400;
    let x = "x".repeat(2000);
    let table: &[(&str, String, Vec<Heard>, Json)] = &[
        (
            "the name comes late",
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{META},"arguments":{{"data":"{x}"}},"name":"write"}}}}"#
            ),
            vec![],
            json!({"code": -32600, "message": "Invalid Request: longer than this server can hold: at most 399 bytes, or any length of \
                arguments behind id, method, name and _meta, in that order or another", "data": {"limit": 399}}),
        ),
        (
            "so does the id",
            format!(
                r#"{{"jsonrpc":"2.0","method":"tools/call","params":{{"name":"write",{META},"arguments":{{"data":"{x}"}}}},"id":1}}"#
            ),
            vec![],
            json!({"code": -32600, "message": "Invalid Request: longer than this server can hold: at most 399 bytes, or any length of \
                data behind id, method, name and _meta, in that order or another", "data": {"limit": 399}}),
        ),
        (
            "so does _meta",
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"write","arguments":{{"data":"{x}"}},{META}}}}}"#
            ),
            vec![],
            json!({"code": -32600, "message": "Invalid Request: longer than this server can hold: at most 399 bytes, or any length of \
                data behind id, method, name and _meta, in that order or another", "data": {"limit": 399}}),
        ),
        (
            "another argument is too long",
            call(1, "write", &format!(r#"{{"data":"{x}","other":"{x}"}}"#)),
            vec![Heard::Void],
            json!({"code": -32600, "message": "Invalid Request: longer than this server can hold: at most 399 bytes; the part that did \
                not fit is arguments", "data": {"limit": 399, "part": "arguments"}}),
        ),
        (
            "another string of this name is too long",
            call(1, "write", &format!(r#"{{"more":{{"data":"{x}"}}}}"#)),
            vec![],
            json!({"code": -32600, "message": "Invalid Request: longer than this server can hold: at most 399 bytes; the part that did \
                not fit is arguments", "data": {"limit": 399, "part": "arguments"}}),
        ),
        (
            "another tool",
            call(1, "plain", &format!(r#"{{"data":"{x}"}}"#)),
            vec![],
            json!({"code": -32600, "message": "Invalid Request: longer than this server can hold: at most 399 bytes; the part that did \
                not fit is arguments", "data": {"limit": 399, "part": "arguments"}}),
        ),
        (
            "no tool",
            call(1, "writ", &format!(r#"{{"data":"{x}"}}"#)),
            vec![],
            json!({"code": -32602, "message": "Unknown tool"}),
        ),
        (
            "the argument stands there twice",
            call(1, "write", &format!(r#"{{"data":"{x}","data":"{x}"}}"#)),
            vec![Heard::Void],
            json!({"code": -32600, "message": "Invalid Request: longer than this server can hold: at most 399 bytes; the part that did \
                not fit is arguments", "data": {"limit": 399, "part": "arguments"}}),
        ),
        (
            "the hook refuses",
            call(1, "secret", &format!(r#"{{"data":"{x}"}}"#)),
            vec![],
            json!({"code": -32600, "message": "Forbidden"}),
        ),
        (
            "the tool refuses",
            call(1, "write", &format!(r#"{{"data":"{x}~{x}"}}"#)),
            vec![],
            json!({"code": 9, "message": "not that"}),
        ),
        (
            "it is of another version",
            call(1, "write", &format!(r#"{{"data":"{x}"}}"#)).replace("2026-07-28", "2030-01-01"),
            vec![],
            json!({"code": -32022, "message": "Unsupported protocol version", "data": {"supported": ["2026-07-28"], "requested": "2030-01-01"}}),
        ),
    ];
    for (name, message, heard, error) in table {
        assert_eq!(
            play(&Line, RECEIVE, message),
            (heard.clone(), json!({"jsonrpc": "2.0", "id": 1, "error": error})),
            "{name}"
        );
    }
}

#[test]
fn what_nobody_asks_for_keeps_no_argument_from_being_told() {
    let junk = format!(r#""junk":{{"icons":["{}",[{{}}]]}}"#, "j".repeat(1500));
    let plain = |order: usize, data: &str| {
        let arguments = format!(r#""arguments":{{"data":"{data}","slot":4}}"#);
        let (name, id, method) = (r#""name":"write""#, r#""id":1"#, r#""jsonrpc":"2.0","method":"tools/call""#);
        match order {
            0 => format!(r#"{{{method},{id},"params":{{{name},{META},{arguments}}}}}"#),
            1 => format!(r#"{{{method},{id},"params":{{{arguments},{name},{META}}}}}"#),
            _ => format!(r#"{{"params":{{{META},{arguments},{name}}},{method},{id}}}"#),
        }
    };
    let places: [fn(&str, &str) -> String; 5] = [
        |plain, junk| plain.replacen('{', &format!("{{{junk},"), 1),
        |plain, junk| format!("{},{junk}}}", &plain[..plain.len() - 1]),
        |plain, junk| plain.replacen(r#""params":{"#, &format!(r#""params":{{{junk},"#), 1),
        |plain, junk| plain.replacen(r#""name":"write""#, &format!(r#""name":"write",{junk}"#), 1),
        |plain, junk| plain.replacen(r#""_meta":{"#, &format!(r#""_meta":{{{junk},"#), 1),
    ];
    for (wire_name, wire) in WIRES {
        for (order, place) in (0..3).flat_map(|order| (0..places.len()).map(move |place| (order, place))) {
            for len in [0, 5, 40] {
                let text = text(len);
                for data in spellings(&text) {
                    let message = places[place](&plain(order, &data), &junk);
                    for receive in [800, 1024, 40_000] {
                        for split in [1, 64, usize::MAX] {
                            let mut app = App::default();
                            let replies = wire.run(&mut app, receive, split, format!("{message}\n").as_bytes());
                            let context =
                                format!("{wire_name}, {receive} bytes, split {split}: {message}: {replies:?}");
                            assert_eq!(app.heard, whole(&text, 4), "{context}");
                            assert_eq!(app.asked, 1, "{context}: the hook is asked once a call");
                            assert_eq!(replies[0]["result"]["content"][0]["text"], "written", "{context}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn whoever_gives_the_argument_too_early_is_told_so_whatever_fills_the_buffer() {
    let orders: [fn(&str) -> String; 2] = [
        |data| {
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"write","arguments":{{"data":"{data}"}},{META}}}}}"#
            )
        },
        |data| {
            format!(
                r#"{{"jsonrpc":"2.0","method":"tools/call","params":{{"name":"write",{META},"arguments":{{"data":"{data}"}}}},"id":1}}"#
            )
        },
    ];
    const RECEIVE: usize = 400;
    for order in orders {
        let envelope = order("").len();
        for len in RECEIVE - envelope - 20..RECEIVE - envelope + 300 {
            let message = order(&"x".repeat(len));
            let (heard, reply) = play(&Line, RECEIVE, &message);
            let told = reply["error"]["message"].as_str().unwrap_or_default();
            match heard.as_slice() {
                [Heard::Handler { .. }] => assert!(message.len() < RECEIVE, "{reply}"),
                _ => {
                    assert!(message.len() >= RECEIVE && told.contains("any length of data behind id"), "{len}: {reply}")
                }
            }
            assert_eq!(reply["id"], 1);
        }
    }
}

#[test]
fn what_is_given_twice_is_refused_whatever_its_length() {
    let [short, long] = ["s".to_owned(), "l".repeat(900)];
    for one in [&short, &long] {
        for other in [&format!("\"{short}\""), "null", "7", "{}"] {
            for message in [
                call(1, "write", &format!(r#"{{"data":"{one}","slot":2,"data":{other}}}"#)),
                call(1, "write", &format!(r#"{{"data":{other},"slot":2,"data":"{one}"}}"#)),
            ] {
                let (heard, reply) = play(&Line, 400, &message);
                assert!(heard.iter().all(|heard| *heard == Heard::Void), "{message}: {heard:?}");
                assert_eq!(reply["result"]["isError"], true, "{message}: {reply}");
                let told = reply["result"]["content"][0]["text"].as_str().unwrap_or_default();
                assert!(told.contains("`data` is given twice"), "{message}: {reply}");
            }
        }
    }
}

#[test]
fn an_id_that_is_none_is_refused_for_that() {
    let long = "l".repeat(900);
    for id in ["null", "1.5", "{}", "true"] {
        for data in ["short", &long] {
            let message =
                call(1, "write", &format!(r#"{{"data":"{data}"}}"#)).replace(r#""id":1"#, &format!(r#""id":{id}"#));
            let (heard, reply) = play(&Line, 400, &message);
            assert_eq!(
                (heard, &reply["error"]["code"], &reply["id"]),
                (vec![], &json!(-32600), &Json::Null),
                "{message}"
            );
            assert!(
                reply["error"]["message"].as_str().unwrap_or_default().contains("`id` must be"),
                "{message}: {reply}"
            );
        }
    }
}

#[test]
fn what_breaks_off_is_void() {
    let x = "x".repeat(2000);
    let good = call(1, "write", &format!(r#"{{"data":"{x}","slot":1}}"#));
    let head = good.find(&x).unwrap();
    for (name, message, code) in [
        ("bad JSON behind it", good.replace(r#""slot":1"#, r#""slot":1,"#), Some(-32700)),
        ("bad JSON in it", good.replace(&x, &format!("{x}\u{1}")), Some(-32700)),
        ("a bad escape in it", good.replace(&x, &format!("{x}\\x")), Some(-32700)),
        (
            "too deep behind it",
            good.replace(r#""slot":1"#, &format!(r#""slot":{}{}"#, "[".repeat(40), "]".repeat(40))),
            Some(-32600),
        ),
        ("a member twice", good.replacen("}}}", "},\"name\":\"write\"}}", 1), Some(-32600)),
        ("a bad argument", good.replace(r#""slot":1"#, r#""slot":"one""#), None),
    ] {
        let (heard, reply) = play(&Line, 400, &message);
        match code {
            Some(code) => {
                assert_eq!((heard, &reply["error"]["code"]), (vec![Heard::Void], &json!(code)), "{name}: {reply}");
            }
            // The handler has not answered.
            None => {
                assert_eq!((heard, &reply["result"]["isError"]), (vec![Heard::Void], &json!(true)), "{name}: {reply}")
            }
        }
    }
    // The peer goes away: in the middle of the text, of an escape, of a character, between its end and that of the message.
    let message = good.replace(&x, &format!("{x}\\u00e9\u{e9}"));
    let cuts = [head + 500, head + 1999, head + 2001, head + 2003, head + 2007, message.len() - 4, message.len()];
    for cut in cuts {
        let mut app = App::default();
        let replies = Line.run(&mut app, 400, 50, &message.as_bytes()[..cut]);
        assert_eq!((app.heard.last(), replies.len()), (Some(&Heard::Void), 0), "cut at {cut}");
    }
    let body_cut = &message.as_bytes()[..head + 1000];
    let mut app = App::default();
    assert_eq!(Http { name: "write" }.run(&mut app, 400, 50, body_cut).len(), 1, "what arrives is no JSON");
    assert_eq!(app.heard.last(), Some(&Heard::Void));
}

#[test]
fn headers_stand_in_for_what_comes_late() {
    let x = "x".repeat(2000);
    let late_id = format!(
        r#"{{"method":"tools/call","params":{{{META},"name":"write","arguments":{{"data":"{x}","slot":2}}}},"jsonrpc":"2.0","id":1}}"#
    );
    let http = Http { name: "write" };
    let mut app = App::default();
    let replies = http.run(&mut app, 400, 50, late_id.as_bytes());
    assert_eq!((app.heard, &replies[0]["id"]), (whole(&x, 2).to_vec(), &json!(1)));

    let mut app = App::default();
    let other = Http { name: "plain" };
    let replies = other.run(&mut app, 400, 50, late_id.as_bytes());
    assert_eq!((app.heard.len(), &replies[0]["error"]["code"]), (0, &json!(-32020)), "the header names another tool");
}

#[test]
fn without_the_argument_there_is_no_upload() {
    for arguments in ["{}", r#"{"data":5}"#, r#"{"data":null}"#, r#"{"data":["x"]}"#, r#"{"more":{"data":"x"}}"#] {
        for (name, wire) in WIRES {
            let (heard, reply) = play(wire, 400, &call(1, "write", arguments));
            assert_eq!(heard, [Heard::HandlerWithout], "{name}, {arguments}: {reply}");
        }
    }
}

#[test]
fn legacy_clients_upload_as_well() {
    let x = text(2000);
    let data = &spellings(&x)[0];
    let handshake = |version: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}}}}}"#
        )
    };
    let upload = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"write","arguments":{{"slot":4,"data":"{data}"}}}}}}"#
    );
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        for receive in [300, 40_000] {
            let mut app = App::default();
            let replies = Line.run(&mut app, receive, 33, format!("{}\n{upload}\n", handshake(version)).as_bytes());
            assert_eq!((app.heard, replies.len()), (whole(&x, 4).to_vec(), 2), "{version}, {receive}");
        }
    }
    let batch = format!("{}\n[{upload}]\n", handshake("2025-03-26"));
    let mut app = App::default();
    let replies = Line.run(&mut app, 40_000, 33, batch.as_bytes());
    assert_eq!(app.heard, []);
    assert_eq!(replies[1][0]["error"]["message"], "Invalid params: this tool cannot be called in a batch");
    // Before the handshake, nothing is taken.
    let (heard, reply) = play(&Line, 400, &upload);
    assert_eq!((heard, &reply["error"]["code"]), (vec![], &json!(-32600)));
}

#[test]
fn uploads_follow_one_another() {
    let (x, y) = ("x".repeat(1000), "y".repeat(1000));
    let input = [
        call(1, "write", &format!(r#"{{"data":"{x}","other":"{x}"}}"#)),
        call(2, "write", &format!(r#"{{"data":"{y}","slot":2}}"#)),
        call(3, "plain", &format!(r#"{{"data":"{x}"}}"#)),
        call(4, "write", r#"{"data":"short","slot":4}"#),
    ]
    .join("\n");
    let mut app = App::default();
    let replies = Line.run(&mut app, 300, 64, format!("{input}\n").as_bytes());
    let mut expected = vec![Heard::Text(x), Heard::Last, Heard::Void];
    expected.extend(whole(&y, 2));
    expected.extend(whole("short", 4));
    assert_eq!(app.heard, expected);
    let errors: Vec<bool> = replies.iter().map(|reply| reply.get("error").is_some()).collect();
    assert_eq!(errors, [true, false, true, false]);
}
