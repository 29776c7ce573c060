//! Standing in the middle: every byte passes, every message is shown.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;

use crate::rig::{DISCOVERED, Folder, PATIENCE, Running, UMCP, board, run, script};

fn trace(args: &[&str], server: &[String]) -> Running {
    let mut command = Command::new(UMCP);
    Running::of(command.arg("trace").args(args).arg("--").args(server).stdin(Stdio::piped()))
}

#[test]
fn every_byte_passes_both_ways() {
    let folder = Folder::new();
    let heard = folder.path("heard");
    let (up, down) = (b"noise \xff\xfe\r\n\n{\"half\":", b"\xef\xbb\xbfback \xff\n\r\n{\"id\":1}\r\nno end");
    let said = folder.path("said");
    std::fs::write(&said, down).unwrap();
    let mut running = trace(&[], &script(&format!("cat >{heard}; cat {said}")));
    running.stdin().write_all(up).unwrap();
    let ran = running.end();
    ran.assert_status(0);
    assert_eq!(std::fs::read(&heard).unwrap(), up);
    assert_eq!(ran.out, String::from_utf8_lossy(down));
}

#[test]
fn messages_are_shown_and_labelled() {
    let probe = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let initialize = r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let mut running = trace(&[], &board());
    running.stdin().write_all(format!("{probe}\n{initialize}\nwhat?\n").as_bytes()).unwrap();
    let ran = running.end();
    ran.assert_status(0);
    assert_eq!(ran.out.lines().count(), 3, "{ran:?}");
    let has = |start: &str, text: &str| ran.err.lines().any(|line| line.starts_with(start) && line.contains(text));
    for (start, text) in [
        ("→ [modern] {", "server/discover"),
        ("→ [legacy] {", "initialize"),
        ("→ (no JSON) what?", ""),
        ("← [modern] {", r#""id":1"#),
        ("← [legacy] {", r#""protocolVersion":"2025-11-25""#),
        ("← {", "-32700"),
    ] {
        assert!(has(start, text), "no {start} {text}: {}", ran.err);
    }
}

#[test]
fn secrets_are_not_shown() {
    let folder = Folder::new();
    let says = format!("say '{}'", r#"{"method":"x","params":{"password":"open","text":"it is hunter2-hunter2"}}"#);
    let config = serde_json::json!({ "mcpServers": { "a": {
        "command": "sh", "args": script(&says)[1..], "env": { "KEY": "hunter2-hunter2" },
    }}});
    let ran = run(&["trace", "--config", &folder.write("servers.json", &config.to_string())]);
    ran.assert_status(0);
    assert!(ran.out.contains("hunter2-hunter2") && ran.out.contains("open"), "the bytes are as they were: {ran:?}");
    assert!(!ran.err.contains("hunter2") && !ran.err.contains("open") && ran.err.contains("***"), "{ran:?}");
}

#[test]
fn it_ends_with_the_server() {
    let mut running = trace(&[], &script(&format!("hear; say '{DISCOVERED}'; echo goodbye >&2; exit 4")));
    let mut stdin = running.stdin();
    stdin.write_all(b"{}\n").unwrap();
    // Our end stays open.
    let ran = running.end();
    ran.assert_status(3);
    assert!(ran.err.contains("goodbye") && ran.err.contains("exit status: 4"), "{ran:?}");
    assert!(ran.took < PATIENCE / 2, "{ran:?}");
    let ran = run(&["trace", "--", "umcp-no-such-program"]);
    ran.assert_status(3);
}

#[test]
fn a_signal_ends_the_server_too() {
    for signal in [Signal::INT, Signal::TERM] {
        let folder = Folder::new();
        let pid = folder.path("pid");
        // Deaf to the end of its input.
        let mut running = trace(&[], &script(&format!("echo $$ >{pid}; say ready; exec sleep 60")));
        assert_eq!(running.line(), "ready\n");
        running.signal(signal);
        let ran = running.end();
        assert!(ran.took < Duration::from_secs(5), "{ran:?}");
        assert_eq!(ran.status, Some(130), "{ran:?}");
        folder.assert_gone("pid");
    }
}
