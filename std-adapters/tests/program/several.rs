//! Every verb with all servers of a configuration.

use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::rig::{Folder, Ran, Running, UMCP, modern, said};

/// Runs the program with a configuration of these servers, and a cache of the test's own.
fn start(folder: &Folder, servers: &Value, args: &[&str]) -> Running {
    let file = folder.write("servers.json", &json!({ "mcpServers": servers }).to_string());
    let mut command = Command::new(UMCP);
    command.args(args).args(["--config", &file]).env("XDG_CACHE_HOME", folder.path("cache")).stdin(Stdio::null());
    Running::of(&mut command)
}

fn board() -> Value {
    json!({ "command": UMCP, "args": ["serve"] })
}

fn scripted(body: &str) -> Value {
    let words = modern(body);
    json!({ "command": words[0], "args": words[1..] })
}

#[test]
fn two_boards() {
    let folder = Folder::new();
    let servers = json!({ "a": board(), "b": board() });
    let text = r#"{"text":"hi"}"#;
    let table: &[(&[&str], &str)] = &[
        (&["tools"], "b/echo(text)"),
        (&["resources"], "a/board://led"),
        (&["resources", "--templates"], "a/board://pin/{n}"),
        (&["prompts"], "b/diagnose(symptom)"),
        (&["discover"], "umcp-board"),
        (&["call", "b/echo", text], "hi"),
        (&["read", "a/board://pin/3"], "low"),
        (&["prompt", "a/diagnose", r#"{"symptom":"hot"}"#], "user: The board shows this: hot."),
    ];
    for (args, expected) in table {
        let ran = start(&folder, &servers, args).end();
        ran.assert_status(0);
        assert!(ran.out.contains(expected) && ran.err.is_empty(), "{args:?}: {ran:?}");
    }
    let ran = start(&folder, &servers, &["call", "echo", text]).end();
    ran.assert_status(2);
    assert!(ran.err.contains("a/echo, b/echo"), "{ran:?}");
    let ran = start(&folder, &servers, &["call", "nothing"]).end();
    ran.assert_status(1);
    let ran = start(&folder, &servers, &["call", "a/blink", r#"{"times":0,"period_ms":5}"#, "--json"]).end();
    ran.assert_status(1);
    assert!(ran.json()["isError"] == true && ran.err.contains("a/blink failed"), "{ran:?}");
    let ran = start(&folder, &servers, &["read", "a/board://nowhere"]).end();
    ran.assert_status(1);
    assert!(ran.err.contains("server `a`") && ran.err.contains("-32602: "), "{ran:?}");
}

#[test]
fn shapes_for_programs() {
    let folder = Folder::new();
    let servers = json!({ "a": board(), "absent": { "command": "umcp-no-such-program" }, "b": { "type": "pigeon" } });
    let table: &[(&[&str], &str, &str)] = &[
        (&["tools"], "tools", "echo"),
        (&["resources"], "resources", "board://log"),
        (&["resources", "--templates"], "resourceTemplates", "board://pin/{n}"),
        (&["prompts"], "prompts", "diagnose"),
        (&["discover"], "servers", ""),
    ];
    for (args, member, name) in table {
        let ran = start(&folder, &servers, &[*args, &["--json"]].concat()).end();
        ran.assert_status(3);
        let json = ran.json();
        let items = json[*member].as_array().unwrap();
        let item = items.iter().find(|item| *args == ["discover"] || item["name"] == *name).unwrap();
        assert!(item["server"] == "a" && item["item"].is_object(), "{item}");
        let errors: Vec<_> =
            json["errors"].as_array().unwrap().iter().map(|error| (&error["server"], &error["status"])).collect();
        assert_eq!(errors, [(&json!("absent"), &json!(3)), (&json!("b"), &json!(2))]);
        assert!(ran.err.contains("server `absent`") && ran.err.contains("server `b`"), "{ran:?}");
    }
    let ran = start(&folder, &servers, &["call", "a/echo", r#"{"text":"x"}"#, "--json"]).end();
    ran.assert_status(0);
    assert_eq!(ran.json().pointer("/content/0/text"), Some(&json!("x")));
}

#[test]
fn statuses() {
    let folder = Folder::new();
    let call = |body: &str, args: &[&str]| -> Ran { start(&folder, &json!({ "one": scripted(body) }), args).end() };
    let list = r#"say '{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","tools":[{"name":"t"}]}}'; hear; "#;
    let table = [
        (format!("{list} say '{}'; cat >/dev/null", said(3, "hi")), 0, ""),
        (format!("{list} exit 7"), 3, "server `one` was lost"),
        (format!("{list} cat >/dev/null"), 4, "server `one`: timed out"),
        (format!("{list} say '{{\"jsonrpc\":\"2.0\",\"id\":3}}'; cat >/dev/null"), 5, "server `one`"),
        ("exit 7".to_owned(), 3, "server `one`"),
    ];
    for (body, status, expected) in table {
        let ran = call(&body, &["call", "t", "--timeout-ms", "700"]);
        ran.assert_status(status);
        assert!(ran.err.contains(expected), "{body}: {ran:?}");
    }
}

#[test]
fn public_lists_are_saved_for_the_user() {
    let folder = Folder::new();
    let list = r#"say '{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","tools":[{"name":"t"}],"ttlMs":600000,"cacheScope":"public"}}'"#;
    let servers = json!({ "one": scripted(&format!("echo started >>{}; {list}; cat >/dev/null", folder.path("log"))) });
    for _ in 0..2 {
        let ran = start(&folder, &servers, &["tools"]).end();
        ran.assert_status(0);
        assert!(ran.out.starts_with("t()"), "{ran:?}");
    }
    assert_eq!(folder.lines("log"), ["started"], "the second time it is not needed");
}

#[test]
fn ctrl_c_ends_the_waiting() {
    let folder = Folder::new();
    let body = format!("echo heard >{}; cat >/dev/null", folder.path("log"));
    let running = start(&folder, &json!({ "one": scripted(&body), "two": board() }), &["tools"]);
    folder.wait_for("log", "heard");
    running.signal(Signal::INT);
    let ran = running.end();
    ran.assert_status(130);
}

#[test]
fn a_server_over_http_is_one_of_them() {
    let mut command = Command::new(UMCP);
    let mut child = command.args(["serve", "--http", "127.0.0.1:0"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stderr.take().unwrap()), &mut line).unwrap();
    let url = line.split_whitespace().find(|word| word.starts_with("http://")).unwrap().to_owned();
    let folder = Folder::new();
    let servers = json!({ "near": board(), "far": { "type": "http", "url": url, "headers": { "X-Who": "me" } } });
    let listed = start(&folder, &servers, &["tools"]).end();
    let called = start(&folder, &servers, &["call", "far/echo", r#"{"text":"hi"}"#]).end();
    child.kill().unwrap();
    child.wait().unwrap();
    listed.assert_status(0);
    assert!(listed.out.contains("far/echo(text)") && listed.out.contains("near/echo(text)"), "{listed:?}");
    called.assert_status(0);
    assert_eq!(called.out, "hi\n");
}
