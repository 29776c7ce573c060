//! Ordinary HTTP requests of revision 2026-07-28.

const META: &str =
    r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}"#;

/// A request with this method, name (or nothing) and parameters besides `_meta`.
#[must_use]
pub fn request(method: &str, name: &str, params: &str) -> Vec<u8> {
    let (head, body) = parts(method, name, params);
    format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// The same in chunks, by a client that waits to be told to go on.
#[must_use]
pub fn in_chunks(method: &str, name: &str, params: &str) -> Vec<u8> {
    let (head, body) = parts(method, name, params);
    let (a, b) = body.split_at(body.len() / 3);
    let head = format!("{head}Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n");
    format!("{head}{:x}\r\n{a}\r\n{:X};x=y\r\n{b}\r\n0\r\nT: x\r\n\r\n", a.len(), b.len()).into_bytes()
}

/// The head, as far as it does not say how long the body is, and the body.
fn parts(method: &str, name: &str, params: &str) -> (String, String) {
    let comma = if params.is_empty() { "" } else { "," };
    let meta = format!(r#""_meta":{{"progressToken":"p",{META}}}"#);
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}{comma}{meta}}}}}"#);
    let mut head = String::from("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n");
    head += "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n";
    head += &format!("Mcp-Method: {method}\r\n");
    if !name.is_empty() {
        head += &format!("Mcp-Name: {name}\r\n");
    }
    (head, body)
}

/// A call of a tool.
#[must_use]
pub fn call(tool: &str, arguments: &str) -> Vec<u8> {
    request("tools/call", tool, &format!(r#""name":"{tool}","arguments":{arguments}"#))
}

/// A call that gives back this text.
#[must_use]
pub fn echo(text: &str) -> Vec<u8> {
    call("echo", &format!(r#"{{"text":"{text}"}}"#))
}

/// A subscription to the LED.
#[must_use]
pub fn listen() -> Vec<u8> {
    request("subscriptions/listen", "", r#""notifications":{"resourceSubscriptions":["board://led"]}"#)
}
