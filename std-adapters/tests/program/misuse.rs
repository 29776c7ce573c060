//! What makes no sense is refused with a reason, and starts nothing.

use crate::rig::{Folder, run};

#[test]
fn the_command_line() {
    let folder = Folder::new();
    let started = folder.path("started");
    let touch = ["--", "touch", &started];
    let table: &[(&[&str], &str)] = &[
        (&[], "Usage"),
        (&["fly"], "unrecognized subcommand"),
        (&["tools"], "which server?"),
        (&["tools", "--config"], "a value is required"),
        (&["tools", "--server", "x"], "--config"),
        (&["call", "echo", "--"], "which server?"),
        (&["tools", "--timeout-ms", "0"], "timeout-ms"),
        (&["tools", "--timeout-ms", "soon"], "timeout-ms"),
        (&["listen", "--for-ms", "0"], "for-ms"),
        (&["--json"], "--json"),
        (&["call", "echo", "--file"], "a value is required"),
        (&["call", "echo", "--file", "a=b", "--text-file", "c=d"], "cannot be used with"),
        (&["call", "echo", "--file", "a=b", "--file", "c=d"], "cannot be used multiple times"),
        (&["call", "echo", "--file", "x", "--", "true"], "--file takes ARGUMENT=PATH"),
        (&["call", "echo", "--text-file", "=x", "--", "true"], "--text-file takes ARGUMENT=PATH"),
        (&["call", "echo", "--file", "x=", "--", "true"], "--file takes ARGUMENT=PATH"),
    ];
    for (args, expected) in table {
        let ran = run(args);
        ran.assert_status(2);
        assert!(ran.err.contains(expected), "{args:?}: {}", ran.err);
        assert_eq!(ran.out, "", "{args:?}");
    }
    let table: &[(&[&str], &str)] = &[
        (&["tools", "--config", "x"], "not both"),
        (&["tools", "word"], "takes no words"),
        (&["read"], "takes one word"),
        (&["read", "a", "b"], "takes one word"),
        (&["call"], "takes at least one word"),
        (&["call", "echo", "{}", "{}"], "takes at most 2 words"),
        (&["call", "echo", "{"], "calling echo"),
        (&["call", "echo", "[1]"], "calling echo"),
        (&["call", "echo", "7"], "calling echo"),
        (&["call", "echo", ""], "calling echo"),
        (&["call", "echo", "{} {}"], "calling echo"),
        (&["prompt", "diagnose", r#"{"symptom":7}"#], "values are strings"),
        (&["prompt", "diagnose", "[]"], "values are strings"),
        (&["prompt"], "takes at least one word"),
    ];
    let (text, folder_word) = (format!("text={}", folder.write("text", "x")), format!("text={}", folder.path(".")));
    let latin = format!("text={}", folder.path("latin"));
    std::fs::write(folder.path("latin"), b"gr\xfc\xdfe").unwrap();
    let files: &[(&[&str], &str)] = &[
        (&["call", "echo", r#"{"text":"y"}"#, "--text-file", &text], "text is given twice"),
        (&["call", "echo", "--text-file", &latin], "it is not UTF-8"),
        (&["call", "echo", "--file", &folder_word], "it is a directory"),
    ];
    for (args, expected) in table.iter().chain(files) {
        let ran = run(&[*args, &touch].concat());
        ran.assert_status(2);
        assert!(ran.err.contains(expected), "{args:?}: {}", ran.err);
        assert_eq!(ran.out, "", "{args:?}");
        assert!(
            folder.lines("started").is_empty() && !std::fs::exists(&started).unwrap(),
            "{args:?} started the server"
        );
    }
}

#[test]
fn the_configuration() {
    let folder = Folder::new();
    let table = [
        ("{", "not JSON"),
        ("{}", "there is no object `mcpServers`"),
        (r#"{"mcpServers":{}}"#, "which server?"),
        (r#"{"mcpServers":{"a":{"type":"http"}}}"#, "`url` is missing"),
        (r#"{"mcpServers":{"a":{"url":"ftp://localhost/"}}}"#, "begins with http://"),
        (r#"{"mcpServers":{"a":{"type":"pigeon"}}}"#, "`pigeon` is unknown"),
        (r#"{"mcpServers":{"a":{"args":[]}}}"#, "`command` is missing"),
        (r#"{"mcpServers":{"a":{"command":"x","env":{"TOKEN":["s3cret-value"]}}}}"#, "`TOKEN` in `env`"),
    ];
    for (text, expected) in table {
        let ran = run(&["tools", "--config", &folder.write("servers.json", text)]);
        ran.assert_status(2);
        assert!(ran.err.contains(expected), "{text}: {}", ran.err);
        assert!(!ran.err.contains("s3cret"), "{}", ran.err);
    }
    for unreadable in [folder.path("missing.json"), folder.path(".")] {
        let ran = run(&["tools", "--config", &unreadable]);
        ran.assert_status(2);
        assert!(ran.err.contains("cannot read") && ran.err.contains(&unreadable), "{}", ran.err);
    }
    let two = folder.write("servers.json", r#"{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}}}"#);
    for verb in ["listen", "trace"] {
        let ran = run(&[verb, "--config", &two]);
        ran.assert_status(2);
        assert!(ran.err.contains("--server: a, b"), "{}", ran.err);
    }
    let ran = run(&["tools", "--config", &two, "--server", "c"]);
    ran.assert_status(2);
    assert!(ran.err.contains("there is no server `c`; there is: a, b"), "{}", ran.err);
}

#[test]
fn a_configured_server_is_used() {
    let folder = Folder::new();
    let text = serde_json::json!({ "mcpServers": {
        "board": { "command": crate::rig::UMCP, "args": ["serve"], "timeout": 5_000 },
        "other": { "command": "false" },
    }});
    let file = folder.write("servers.json", &text.to_string());
    let ran = run(&["call", "echo", r#"{"text":"x"}"#, "--config", &file, "--server", "board"]);
    ran.assert_status(0);
    assert_eq!(ran.out, "x\n");
}
