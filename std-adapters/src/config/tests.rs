use super::*;

fn one(entry: &str) -> Result<Server, String> {
    let config =
        Config::parse(&format!("{{\"mcpServers\": {{\"one\": {entry}}}}}")).map_err(|error| error.to_string())?;
    config.server("one").map_err(|error| error.to_string())
}

#[test]
fn a_full_entry() {
    let server =
        one(r#"{"type": "stdio", "command": "npx", "args": ["-y", "server"], "env": {"TOKEN": "a", "PORT": 8080},
            "cwd": "/tmp", "timeout": 5000, "disabled": false, "headers": {"x": "y"}, "url": "http://a"}"#);
    let expected = Transport::Process {
        command: "npx".into(),
        args: vec!["-y".into(), "server".into()],
        env: BTreeMap::from([("TOKEN".into(), "a".into()), ("PORT".into(), "8080".into())]),
        cwd: Some("/tmp".into()),
    };
    let expected = Server { name: "one".into(), transport: expected, timeout: Some(Duration::from_secs(5)) };
    assert_eq!(server, Ok(expected));
}

#[test]
fn servers_over_http() {
    let url: Url = "https://a.example/mcp".parse().unwrap();
    let headers =
        BTreeMap::from([("Authorization".to_owned(), "Bearer s3cret".to_owned()), ("X-A".into(), "1".into())]);
    let with = r#""url": "https://a.example/mcp", "headers": {"Authorization": "Bearer s3cret", "X-A": 1}"#;
    let types = ["", r#""type": "http","#, r#""type": "sse","#, r#""type": "streamable-http", "command": "a","#];
    for kind in types {
        let server = one(&format!("{{{kind} {with}, \"timeout\": 7}}")).unwrap();
        let expected = Transport::Http { url: url.clone(), headers: headers.clone() };
        assert_eq!(server.transport, expected, "{kind}");
        assert_eq!(server.timeout, Some(Duration::from_millis(7)));
        assert_eq!(server.secrets().collect::<Vec<_>>(), ["Bearer s3cret", "1"]);
        let shown = format!("{server:?} {:?}", server.place());
        assert!(shown.contains("Authorization") && !shown.contains("s3cret"), "{shown}");
    }
}

#[test]
fn what_is_missing_or_null_has_its_default() {
    let nulls = r#"{"command": "a", "type": null, "args": null, "env": null, "cwd": null, "timeout": null}"#;
    for entry in [r#"{"command": "a"}"#, nulls, r#"{"command": "a", "url": "http://a"}"#] {
        let transport = Transport::Process { command: "a".into(), args: vec![], env: BTreeMap::new(), cwd: None };
        let expected = Server { name: "one".into(), transport, timeout: None };
        assert_eq!(one(entry), Ok(expected), "{entry}");
    }
}

#[test]
fn what_is_wrong_with_an_entry_is_said() {
    let url = "`url` is missing: where the server is";
    let command = "`command` is missing: the program to start";
    let args = "`args` must be an array of strings";
    let timeout = "`timeout` must be a whole number of milliseconds, up to 4294967295";
    let unknown = "its type `pigeon` is unknown; it may be `stdio` (or missing), `http`, `sse` or `streamable-http`";
    let table = [
        (r#"{}"#, command),
        (r#"{"command": ""}"#, command),
        (r#"{"type": "stdio", "url": "http://a"}"#, command),
        (r#"{"command": ["npx"]}"#, "`command` must be a string"),
        (
            r#"{"url": "https://secret@host"}"#,
            "`url`: a URL with a name or a password in it is not supported: give a token or a header instead",
        ),
        (r#"{"url": "host"}"#, "`url`: a server's URL begins with http:// or https://"),
        (r#"{"type": "http"}"#, url),
        (r#"{"type": "streamable-http", "command": "a"}"#, url),
        (r#"{"type": "sse", "url": 7}"#, "`url` must be a string"),
        (r#"{"url": "http://a", "headers": ["secret"]}"#, "`headers` must be an object of strings"),
        (r#"{"url": "http://a", "headers": {"X": ["secret"]}}"#, "`X` in `headers` must be a string"),
        (r#"{"url": "http://a", "headers": {"a b": "secret"}}"#, "`headers`: `a b` is not the name of a header"),
        (r#"{"type": "pigeon", "command": "a"}"#, unknown),
        (r#"{"type": 1, "command": "a"}"#, "`type` must be a string"),
        (r#"{"command": "a", "args": "secret"}"#, args),
        (r#"{"command": "a", "args": ["b", 1]}"#, args),
        (r#"{"command": "a", "env": ["secret"]}"#, "`env` must be an object of strings"),
        (r#"{"command": "a", "env": {"TOKEN": ["secret"]}}"#, "`TOKEN` in `env` must be a string"),
        (r#"{"command": "a", "cwd": 1}"#, "`cwd` must be a string"),
        (r#"{"command": "a", "timeout": -1}"#, timeout),
        (r#"{"command": "a", "timeout": "30s"}"#, timeout),
        (r#"{"command": "a", "timeout": 4294967296}"#, timeout),
        (r#""npx server""#, "it must be an object"),
    ];
    for (entry, reason) in table {
        assert_eq!(one(entry), Err(format!("configuration: server `one`: {reason}")), "{entry}");
    }
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let no_servers = "configuration: there is no object `mcpServers` (or `servers`) at the top";
    let table = [
        ("", "configuration:1:0: not JSON: EOF while parsing a value"),
        ("{\n  // servers\n}", "configuration:2:3: not JSON: key must be a string"),
        ("{}", no_servers),
        ("[]", no_servers),
        ("{\"mcpServers\": []}", no_servers),
    ];
    for (text, expected) in table {
        assert_eq!(Config::parse(text).map_err(|error| error.to_string()).err().as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn names_are_sorted_and_unknown_ones_are_told_the_known() {
    let config =
        Config::parse("\u{FEFF}{\"servers\": {\"b\": {\"command\": \"b\"}, \"a\": 1}, \"inputs\": []}").unwrap();
    assert_eq!(config.names().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(config.server("b").unwrap().name, "b");
    let unknown = config.server("c").unwrap_err().to_string();
    assert_eq!(unknown, "configuration: there is no server `c`; there is: a, b");
    let none = Config::parse("{\"mcpServers\": {}}").unwrap().server("c").unwrap_err().to_string();
    assert_eq!(none, "configuration: there is no server `c`, nor any other");
}

#[test]
fn a_file_is_named_in_its_errors() {
    let missing = Config::load("/nowhere/mcp.json").unwrap_err().to_string();
    assert!(missing.starts_with("cannot read `/nowhere/mcp.json`: "), "{missing}");
    let path = std::env::temp_dir().join(format!("umcp-config-{}.json", std::process::id()));
    for (bytes, expected) in
        [(&b"{"[..], ":1:1: not JSON: "), (b"\"\xFF\"", ":1:2: not JSON: "), (b"{}", ": there is no ")]
    {
        std::fs::write(&path, bytes).unwrap();
        let message = Config::load(&path).unwrap_err().to_string();
        assert!(message.starts_with(&format!("{}{expected}", path.display())), "{message}");
    }
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn debug_output_has_no_secrets() {
    let text = r#"{"mcpServers": {"one": {"command": "a", "env": {"TOKEN": "s3cret"}, "headers": {"a": "s3cret"}}}}"#;
    let config = Config::parse(text).unwrap();
    let server = config.server("one").unwrap();
    let shown = format!("{config:?} {server:?} {:?}", server.place());
    assert!(shown.contains("TOKEN") && !shown.contains("s3cret"), "{shown}");
}
