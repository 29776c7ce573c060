//! Headers that mirror the body (2026-07-28, *Streamable HTTP: Request Metadata* and *Server Validation*).

use crate::request::{META, Request, ask, call, echo, post, sentinel};
use crate::rig::exchange;

/// Status and code of the only reply; 0 is a result.
fn outcome(name: &str, request: &Request) -> (u16, i64) {
    let replies = exchange(name, request);
    let [reply] = &replies[..] else { panic!("{name}: {replies:?}") };
    let message = reply.message();
    assert_eq!(message["id"], 1, "{name}: {message}");
    (reply.status, message["error"]["code"].as_i64().unwrap_or(0))
}

const AGREES: (u16, i64) = (200, 0);
const DIFFERS: (u16, i64) = (400, -32020);

#[track_caller]
fn check(table: &[(&str, Request, (u16, i64))]) {
    for (name, request, expected) in table {
        assert_eq!(outcome(name, request), *expected, "{name}");
    }
}

#[test]
fn standard_headers() {
    let version = "MCP-Protocol-Version";
    let other = META.replace("2026-07-28", "2099-01-01");
    let other = |headers: &str| {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{other}}}}}"#);
        post("tools/list", body).set(version, headers)
    };
    check(&[
        ("no version", echo().without(version), DIFFERS),
        ("another version", echo().set(version, "2025-11-25"), DIFFERS),
        ("an unknown version", echo().set(version, "2099-01-01"), DIFFERS),
        ("the same version twice", echo().with(version, "2026-07-28"), AGREES),
        ("two versions", echo().with(version, "2025-11-25"), DIFFERS),
        ("a version in another case", echo().without(version).with("mcp-protocol-VERSION", "2026-07-28"), AGREES),
        ("an encoded version", echo().set(version, sentinel("2026-07-28")), DIFFERS),
        ("an unsupported version", other("2099-01-01"), (400, -32022)),
        ("unsupported, and the header differs", other("2026-07-28"), DIFFERS),
        ("no method", echo().without("Mcp-Method"), DIFFERS),
        ("another method", echo().set("Mcp-Method", "tools/list"), DIFFERS),
        ("a method in another case", echo().set("Mcp-Method", "Tools/call"), DIFFERS),
        ("an encoded method", echo().set("Mcp-Method", sentinel("tools/call")), DIFFERS),
        ("two methods", echo().with("Mcp-Method", "tools/list"), DIFFERS),
        ("the same method twice", echo().with("mcp-method", "tools/call"), AGREES),
        ("white space around the method", echo().set("Mcp-Method", " \t tools/call\t "), AGREES),
        ("bytes of the upper half", echo().set("Mcp-Method", b"tools/call\xFF"), DIFFERS),
        ("an unknown method", ask("no/such", ""), (404, -32601)),
        ("an unknown method, and the header differs", ask("no/such", "").set("Mcp-Method", "x"), DIFFERS),
        // In the order of the design: what `_meta` lacks comes first.
        (
            "no capabilities, and no method",
            {
                let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
                post("x", body)
            },
            (400, -32602),
        ),
        ("no _meta at all", post("tools/list", r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#), (400, -32602)),
    ]);
}

#[test]
fn names() {
    let read = |uri: &str| ask("resources/read", &format!(r#""uri":"{uri}""#));
    check(&[
        ("no name", echo().without("Mcp-Name"), DIFFERS),
        ("another name", echo().set("Mcp-Name", "later"), DIFFERS),
        ("in another case", echo().set("Mcp-Name", "Echo"), DIFFERS),
        ("empty", echo().set("Mcp-Name", ""), DIFFERS),
        ("two names", echo().with("Mcp-Name", "later"), DIFFERS),
        ("twice the same", echo().with("MCP-NAME", "echo"), AGREES),
        ("twice the same, one encoded", echo().with("Mcp-Name", sentinel("echo")), DIFFERS),
        ("encoded", echo().set("Mcp-Name", sentinel("echo")), AGREES),
        ("encoded, another", echo().set("Mcp-Name", sentinel("echO")), DIFFERS),
        ("encoded twice over", echo().set("Mcp-Name", sentinel(&sentinel("echo"))), DIFFERS),
        ("marked in another case", echo().set("Mcp-Name", "=?BASE64?ZWNobw==?="), DIFFERS),
        ("without padding", echo().set("Mcp-Name", "=?base64?ZWNobw?="), DIFFERS),
        ("bits left over", echo().set("Mcp-Name", "=?base64?ZWNobx==?="), DIFFERS),
        ("white space inside", echo().set("Mcp-Name", "=?base64?ZWNo bw==?="), DIFFERS),
        ("no end", echo().set("Mcp-Name", "=?base64?ZWNobw=="), DIFFERS),
        ("not ASCII, encoded", call("grüße", "{}").set("Mcp-Name", sentinel("grüße")), AGREES),
        ("not ASCII, as it is", call("grüße", "{}"), DIFFERS),
        ("with a space", call("late_fault", "{}"), (400, -32602)),
        ("an unknown tool", call("nothing", "{}"), (400, -32602)),
        ("an unknown tool, and the header differs", call("nothing", "{}").set("Mcp-Name", "echo"), DIFFERS),
        ("a literal that looks encoded", call("=?base64?ZWNobw==?=", "{}"), DIFFERS),
        (
            "the same, encoded",
            call("=?base64?ZWNobw==?=", "{}").set("Mcp-Name", sentinel("=?base64?ZWNobw==?=")),
            (400, -32602),
        ),
        ("a resource", read("board://led").with("Mcp-Name", "board://led"), AGREES),
        ("a resource without a name", read("board://led"), DIFFERS),
        ("another resource", read("board://led").with("Mcp-Name", "board://log"), DIFFERS),
        ("a resource that is not ASCII", read("board://größe").with("Mcp-Name", sentinel("board://größe")), AGREES),
        ("escapes in the body", read("board:\\u002F/led").with("Mcp-Name", "board://led"), AGREES),
        ("no name in the body", ask("tools/call", "").with("Mcp-Name", "echo"), DIFFERS),
        ("no name anywhere", ask("tools/call", ""), (400, -32602)),
        ("a prompt without a name", ask("prompts/get", r#""name":"x""#), DIFFERS),
        ("a name where none belongs", ask("tools/list", "").with("Mcp-Name", "anything"), AGREES),
        ("two of them where none belongs", ask("tools/list", "").with("Mcp-Name", "a").with("Mcp-Name", "b"), DIFFERS),
    ]);
}

#[test]
fn mirrored_arguments() {
    let plain = |arguments: &str| call("mirrored", arguments);
    let with = |arguments: &str, name: &str, value: &str| plain(arguments).with(&format!("Mcp-Param-{name}"), value);
    let region = |value: &str, header: &str| with(&format!(r#"{{"region":"{value}"}}"#), "Region", header);
    let count = |value: &str, header: &str| with(&format!(r#"{{"count":{value}}}"#), "Count", header);
    check(&[
        ("no arguments", plain("{}"), AGREES),
        ("null arguments", plain("null"), AGREES),
        ("a null", plain(r#"{"region":null,"count":null}"#), AGREES),
        ("a null, and a header", with(r#"{"region":null}"#, "Region", "null"), DIFFERS),
        ("a header without an argument", with("{}", "Region", "us"), DIFFERS),
        ("an empty header without an argument", with("{}", "Region", ""), DIFFERS),
        ("an argument without a header", plain(r#"{"region":"us"}"#), DIFFERS),
        ("an empty text", region("", ""), AGREES),
        ("a text", region("us-west1", "us-west1"), AGREES),
        ("a text in another case", region("us", "US"), DIFFERS),
        ("the name in any case", with(r#"{"region":"us"}"#, "rEGION", "us"), AGREES),
        ("the prefix in any case", plain(r#"{"region":"us"}"#).with("MCP-PARAM-REGION", "us"), AGREES),
        ("white space at the ends", region(" us ", " us "), DIFFERS),
        ("white space, encoded", region(" us ", &sentinel(" us ")), AGREES),
        ("two lines, encoded", region("a\\nb", &sentinel("a\nb")), AGREES),
        ("not ASCII, encoded", region("日本", &sentinel("日本")), AGREES),
        ("not ASCII, as it is", region("日本", "日本"), DIFFERS),
        ("an escape in the body", region("\\u65E5", &sentinel("日")), AGREES),
        ("encoded without need", region("us", &sentinel("us")), AGREES),
        ("a lookalike, as it is", region("=?base64?eA==?=", "=?base64?eA==?="), DIFFERS),
        ("a lookalike, encoded", region("=?base64?eA==?=", &sentinel("=?base64?eA==?=")), AGREES),
        ("broken base64", region("us", "=?base64?d*==?="), DIFFERS),
        ("twice", region("us", "us").with("mcp-param-region", "us"), AGREES),
        ("twice, and different", region("us", "us").with("mcp-param-region", "eu"), DIFFERS),
        (
            "three times, the last different",
            region("us", "us").with("mcp-param-region", "us").with("mcp-param-region", "x"),
            DIFFERS,
        ),
        ("one that nobody knows", plain("{}").with("Mcp-Param-Else", "x").with("Mcp-Param-Else", "y"), AGREES),
        ("one that nobody knows, with odd bytes", plain("{}").with("Mcp-Param-Else", b"\xFF"), AGREES),
        ("one without a name", plain("{}").with("Mcp-Param-", "x"), AGREES),
        ("a longer name", with("{}", "Regions", "x"), AGREES),
        ("odd bytes", plain(r#"{"region":"us"}"#).with("Mcp-Param-Region", b"us\xFF"), DIFFERS),
        ("a text where a number looks the same", region("42", "42.0"), DIFFERS),
        ("a text of digits", region("042", "042"), AGREES),
        ("an integer", count("42", "42"), AGREES),
        ("a fraction of nothing", count("42", "42.0"), AGREES),
        ("and in the body", count("42.0", "42"), AGREES),
        ("an exponent", count("4.2e1", "42"), AGREES),
        ("negative", count("-7", "-7.00"), AGREES),
        ("zero below zero", count("0", "-0"), AGREES),
        ("another integer", count("42", "43"), DIFFERS),
        ("nearly", count("42", "42.5"), DIFFERS),
        ("padded", count("42", "042"), DIFFERS),
        ("padded, below zero", count("-7", "-07"), DIFFERS),
        ("with a sign", count("42", "+42"), DIFFERS),
        ("hexadecimal", count("42", "0x2A"), DIFFERS),
        ("no number", count("42", "forty-two"), DIFFERS),
        ("empty", count("42", ""), DIFFERS),
        ("encoded", count("42", &sentinel("42.0")), AGREES),
        ("2^53", count("9007199254740993", "9007199254740993"), AGREES),
        ("2^53, as floats see it", count("9007199254740993", "9007199254740992"), DIFFERS),
        ("longer than any", count(&"9".repeat(40), &"9".repeat(40)), AGREES),
        ("longer than any, and different", count(&"9".repeat(40), &"9".repeat(41)), DIFFERS),
        ("true", with(r#"{"urgent":true}"#, "Urgent", "true"), AGREES),
        ("true in another case", with(r#"{"urgent":true}"#, "Urgent", "True"), DIFFERS),
        ("true and false", with(r#"{"urgent":true}"#, "Urgent", "false"), DIFFERS),
        ("inside", with(r#"{"place":{"level":3}}"#, "Level", "3"), AGREES),
        ("inside, without its header", plain(r#"{"place":{"level":3}}"#), DIFFERS),
        ("inside of something else", plain(r#"{"level":3,"place":7}"#), AGREES),
        ("inside of a list", plain(r#"{"place":[{"level":3}]}"#), AGREES),
        (
            "all of them",
            plain(r#"{"region":"us","count":1,"urgent":false,"place":{"level":-1}}"#)
                .with("Mcp-Param-Region", "us")
                .with("Mcp-Param-Count", "1")
                .with("Mcp-Param-Urgent", "false")
                .with("Mcp-Param-Level", "-1"),
            AGREES,
        ),
        (
            "all but the last",
            plain(r#"{"region":"us","count":1,"urgent":false,"place":{"level":-1}}"#)
                .with("Mcp-Param-Region", "us")
                .with("Mcp-Param-Count", "1")
                .with("Mcp-Param-Urgent", "false"),
            DIFFERS,
        ),
        ("on a tool that mirrors nothing", echo().with("Mcp-Param-Region", "us").with("Mcp-Param-Text", "no"), AGREES),
    ]);
}
