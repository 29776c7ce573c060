//! A server that was built without the handshake revisions.
#![cfg(all(feature = "server", not(feature = "legacy")))]

use serde_json::{Value, json};
use umcp::server::{Call, Catalog, Connection, Endpoint, Memory, Outcome};
use umcp::time::Instant;
use umcp::tool;

static CATALOG: Catalog<()> = Catalog::new("modern", "1").tools(&[tool!("hello", "Say it.", hello)]);

fn hello((): &mut (), call: Call<'_>) -> Outcome {
    call.text("hello")
}

fn ask(lines: &str) -> Vec<Value> {
    let mut memory = Memory::<512, 1024>::new();
    let mut connection = Connection::line(memory.lend());
    let mut endpoint = Endpoint::new(&CATALOG);
    let mut out = Vec::new();
    for &byte in lines.as_bytes() {
        connection.receive_buffer()[0] = byte;
        connection.commit(1);
        connection.serve(&mut endpoint, &mut (), Instant::ZERO);
        out.extend_from_slice(connection.transmit());
        let left = connection.transmit().len();
        connection.transmitted(left);
    }
    let lines = out.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).expect("a line is JSON")).collect()
}

#[test]
fn a_handshake_is_told_which_versions_there_are() {
    let replies = ask(concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
        "\n",
        r#"[{"jsonrpc":"2.0","id":3,"method":"ping"}]"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"hello","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
        "\n",
    ));
    let told: Vec<_> = replies.iter().map(|reply| (&reply["id"], &reply["error"]["code"])).collect();
    let expected =
        [(json!(1), json!(-32601)), (json!(2), json!(-32602)), (Value::Null, json!(-32600)), (json!(4), Value::Null)];
    assert_eq!(told, expected.iter().map(|(id, code)| (id, code)).collect::<Vec<_>>());
    assert_eq!(replies[0]["error"]["data"]["supported"], json!(["2026-07-28"]));
    assert_eq!(replies[3]["result"]["content"][0]["text"], "hello");
}
