//! The messages that are measured: recorded ones where they are at hand, else a few built in.

use std::path::{Path, PathBuf};

/// Messages of one size class, in one of the shapes JSON comes in.
pub(crate) struct Corpus {
    pub(crate) messages: Vec<Vec<u8>>,
}

impl Corpus {
    pub(crate) fn load(class: &str, shape: &str) -> Option<Corpus> {
        let fits: fn(&[u8]) -> bool = match class {
            "small" => |message| message.len() < 600,
            "large" => |message| message.len() >= 600,
            _ => return None,
        };
        let reshape: fn(&str) -> String = match shape {
            "compact" => str::to_owned,
            "spaced" => spaced,
            "escaped" => escaped,
            _ => return None,
        };
        let messages = recorded().unwrap_or_else(built_in);
        let messages = messages.iter().filter(|message| fits(message));
        let messages = messages.filter_map(|message| Some(reshape(std::str::from_utf8(message).ok()?).into_bytes()));
        Some(Corpus { messages: messages.collect() })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.messages.iter().map(Vec::len).sum()
    }
}

/// Every line of every recorded stdio session.
fn recorded() -> Option<Vec<Vec<u8>>> {
    let folder = std::env::var_os("UMCP_SHARED").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"));
    let mut sessions: Vec<_> =
        std::fs::read_dir(folder.join("wire")).ok()?.flatten().map(|entry| entry.path()).collect();
    sessions.sort();
    let mut messages = Vec::new();
    for session in sessions {
        for side in ["c2s.bin", "s2c.bin"] {
            let Ok(bytes) = std::fs::read(session.join(side)) else { continue };
            messages.extend(bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec));
        }
    }
    Some(messages)
}

/// `", "` and `": "`, as many writers' defaults have it.
fn spaced(message: &str) -> String {
    let mut text = String::new();
    let (mut in_string, mut escaped) = (false, false);
    for c in message.chars() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if c.is_ascii_whitespace() {
            continue;
        } else {
            in_string = c == '"';
        }
        text.push(c);
        if !in_string && matches!(c, ',' | ':') {
            text.push(' ');
        }
    }
    text
}

/// Everything beyond ASCII as `\u` escapes.
fn escaped(message: &str) -> String {
    let mut text = String::new();
    for c in message.chars() {
        if c.is_ascii() {
            text.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    text
}

fn built_in() -> Vec<Vec<u8>> {
    let long = BUILT_IN.iter().map(|message| message.as_bytes().to_vec());
    let tools = r#"{"name":"read_sensor","description":"Reads one of the board's sensors – temperature, humidity or light – and returns its value with the unit.\nAn unknown sensor is an error.","inputSchema":{"type":"object","properties":{"sensor":{"type":"string","enum":["temperature","humidity","light"]},"samples":{"type":"integer","minimum":1,"maximum":64}},"required":["sensor"]},"annotations":{"readOnlyHint":true}}"#;
    let list = format!(r#"{{"jsonrpc":"2.0","id":3,"result":{{"tools":[{}]}}}}"#, [tools; 12].join(","));
    long.chain([list.into_bytes()]).collect()
}

const BUILT_IN: &[&str] = &[
    r#"{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"agent","version":"1.4.0"}},"jsonrpc":"2.0","id":0}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"{"method":"tools/list","jsonrpc":"2.0","id":1}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"led_set","arguments":{"on":true},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"agent","version":"1.4.0"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{},"url":{}}},"progressToken":2}}}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"text":"héllo 世界 😀 \"q\" \\ \n\t"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":50,"total":100,"message":"step 50"}}"#,
    r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"on"}],"isError":false,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"blinky","version":"1.0.0"}}}}"#,
    r#"{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"unknown tool","data":{"tool":"led_get"}}}"#,
    r#"{"jsonrpc":"2.0","id":"a7c1","method":"resources/read","params":{"uri":"board://sensors/temperature"}}"#,
    r#"{"result":{"contents":[{"uri":"board://sensors/temperature","mimeType":"text/plain","text":"21.5 °C"}]},"jsonrpc":"2.0","id":"a7c1"}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"timeout"}}"#,
    r#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
];
