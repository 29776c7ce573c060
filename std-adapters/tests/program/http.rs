//! The verbs over HTTP: against `umcp serve --http`, and where there is nothing.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::rig::{Running, UMCP, run};

/// A board over HTTP, which ends with this.
pub(crate) struct Board {
    child: Child,
    pub(crate) url: String,
}

impl Board {
    pub(crate) fn start() -> Board {
        let mut command = Command::new(UMCP);
        command.args(["serve", "--http", "127.0.0.1:0"]).stdin(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().rsplit(' ').next().unwrap().to_owned();
        Board { child, url }
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn every_verb_takes_a_url() {
    let board = Board::start();
    let url = board.url.as_str();
    let table: &[(&[&str], &str)] = &[
        (&["discover", url], "umcp-board"),
        (&["tools", url], "led_set(on)"),
        (&["call", url, "echo", r#"{"text":"hello"}"#], "hello"),
        (&["call", url, "blink", r#"{"times":2,"period_ms":10}"#], "2 times"),
        (&["resources", url], "board://led"),
        (&["resources", "--templates", url], "board://pin/{n}"),
        (&["read", url, "board://led"], "off"),
        (&["prompts", url], "diagnose(symptom)"),
        (&["prompt", url, "diagnose", r#"{"symptom":"dark"}"#], "dark"),
    ];
    for (args, expected) in table {
        let ran = run(args);
        ran.assert_status(0);
        assert!(ran.out.contains(expected), "{args:?}: {ran:?}");
    }
    let tools = run(&["tools", "--json", url]).json();
    assert_eq!(tools["tools"].as_array().unwrap().len(), 4, "{tools}");
    run(&["call", url, "nothing"]).assert_status(1);
}

#[test]
fn changes_are_heard() {
    let board = Board::start();
    let mut command = Command::new(UMCP);
    command.args(["listen", "--for-ms", "3000", &board.url, "board://led"]).stdin(Stdio::null());
    let mut listening = Running::of(&mut command);
    assert!(listening.line().starts_with("listening"));
    run(&["call", &board.url, "led_set", r#"{"on":true}"#]).assert_status(0);
    assert_eq!(listening.line().trim_end(), "board://led has changed");
    listening.end().assert_status(0);
}

#[test]
fn a_token_is_sent_and_never_shown() {
    let board = Board::start();
    let mut command = Command::new(UMCP);
    command.args([
        "call",
        "-v",
        "--header",
        "X-Key: very-secret",
        "--token-env",
        "BOARD_TOKEN",
        &board.url,
        "echo",
        r#"{"text":"x"}"#,
    ]);
    let ran = Running::of(command.env("BOARD_TOKEN", "even-more-secret").stdin(Stdio::null())).end();
    ran.assert_status(0);
    assert!(ran.err.contains("Authorization: ") && ran.err.contains("X-Key:"), "{ran:?}");
    assert!(!ran.err.contains("secret"), "{ran:?}");
}

#[test]
fn what_goes_wrong() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nobody = format!("http://{nobody}/mcp");
    let table: &[(&[&str], i32, &str)] = &[
        (&["tools", &nobody], 3, "cannot reach"),
        (&["tools", "ftp://h/"], 2, "http://"),
        (&["tools", "http://user:pass@h/"], 2, "a name or a password"),
        (&["tools", "http://h:99999/"], 2, "port"),
        (&["tools", "--header", "nothing", &nobody], 2, "--header"),
        (&["tools", "--header", "Host: x", &nobody], 2, "Host"),
        (&["tools", "--header", "a b: x", &nobody], 2, "a b"),
        (&["call", &nobody], 2, "at least one word"),
        (&["trace", &nobody], 2, "trace"),
    ];
    for (args, status, words) in table {
        let ran = run(args);
        ran.assert_status(*status);
        assert!(ran.err.contains(words), "{args:?}: {ran:?}");
    }
}
