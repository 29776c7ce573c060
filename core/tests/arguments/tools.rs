//! Tools made of them: what a client is told.

use serde_json::{Value, json};
use umcp::server::{Call, Catalog, Connection, Endpoint, Memory, Outcome, Tool};
use umcp::time::Instant;
use umcp::tool;

use crate::declared::Blink;

#[derive(Default)]
struct App {
    blinks: Vec<u8>,
}

umcp::arguments! {
    struct Echo<'a> { text: &'a str }
}

mod echo {
    use super::{App, Call, Echo, Outcome};

    pub(super) fn say(_: &mut App, Echo { text }: Echo<'_>, call: Call<'_>) -> Outcome {
        call.text(text)
    }
}

fn blink(app: &mut App, Blink { times, .. }: Blink<'_>, call: Call<'_>) -> Outcome {
    app.blinks.push(times);
    call.text("blinked")
}

fn by_hand(app: &mut App, mut call: Call<'_>) -> Outcome {
    let Blink { times, .. } = call.typed()?;
    app.blinks.push(times);
    // The arguments are used up.
    match call.typed::<Blink<'_>>() {
        Ok(_) => call.text("twice"),
        Err(fault) => Err(fault),
    }
}

static CATALOG: Catalog<App> = Catalog::new("typed", "1").tools(&[
    tool!("blink", "Blinks.", blink(&mut App, Blink)).title("Blink"),
    Tool::new("by_hand", "Blinks.", <Blink as umcp::arguments::Arguments>::SCHEMA, by_hand),
    tool!("count", "Counts.", |app, call| call.text(&app.blinks.len().to_string())),
    tool!("echo", "Echoes.", echo::say(&mut App, Echo<'_>)),
]);

fn ask(app: &mut App, method: &str, params: &str) -> Value {
    let mut endpoint = Endpoint::new(&CATALOG);
    let mut memory = Memory::<1024, 4096, 1, 1>::new();
    let mut conn = Connection::line(memory.lend());
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}{meta}}}}}"#) + "\n";
    conn.receive_buffer()[..line.len()].copy_from_slice(line.as_bytes());
    conn.commit(line.len());
    let mut said = Vec::new();
    loop {
        conn.serve(&mut endpoint, app, Instant::ZERO);
        if conn.transmit().is_empty() {
            break;
        }
        said.extend_from_slice(conn.transmit());
        conn.transmitted(conn.transmit().len());
    }
    let message: Value = serde_json::from_slice(&said).unwrap();
    message["result"].clone()
}

#[test]
fn the_list_has_their_schemas() {
    let list = ask(&mut App::default(), "tools/list", "");
    let schemas: Vec<&Value> = list["tools"].as_array().unwrap().iter().map(|tool| &tool["inputSchema"]).collect();
    let blink: Value = serde_json::from_str(<Blink as umcp::arguments::Arguments>::SCHEMA).unwrap();
    let echo = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
    let none = json!({"type": "object", "additionalProperties": false});
    assert_eq!(schemas, [&blink, &blink, &none, &echo]);
    assert_eq!(list["tools"][0]["title"], "Blink");
}

#[test]
fn handlers_are_given_what_was_read() {
    let table = [
        (r#""name":"blink","arguments":{"times":3,"mode":"slow"},"#, "blinked", &[3][..]),
        (r#""name":"count","#, "0", &[]),
        (r#""name":"count","arguments":{},"#, "0", &[]),
        (r#""name":"echo","arguments":{"text":"\"é\u000a"},"#, "\"é\n", &[]),
        (
            r#""name":"blink","arguments":{"times":21,"mode":"slow"},"#,
            "Invalid arguments: `times`: expected an integer from 1 to 20",
            &[],
        ),
        (
            r#""name":"blink","arguments":{"times":2,"mode":"\u0022"},"#,
            "Invalid arguments: `mode`: expected one of `slow`, `Fast`",
            &[],
        ),
        (r#""name":"blink","arguments":{},"#, "Invalid arguments: field `times` is missing", &[]),
        (r#""name":"blink","#, "Invalid arguments: field `times` is missing", &[]),
    ];
    for (params, text, blinks) in table {
        let mut app = App::default();
        let result = ask(&mut app, "tools/call", params);
        assert_eq!(result["content"][0]["text"], text, "{params}");
        assert_eq!(result.get("isError").is_some(), text.starts_with("Invalid"), "{params}");
        assert_eq!(app.blinks, blinks, "{params}");
    }
}

#[test]
fn they_can_be_read_once() {
    let mut app = App::default();
    let result = ask(&mut app, "tools/call", r#""name":"by_hand","arguments":{"times":3,"mode":"slow"},"#);
    assert_eq!((result, app.blinks), (Value::Null, vec![3]));
}
