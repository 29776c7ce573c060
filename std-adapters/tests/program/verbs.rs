//! Every verb, against the board.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::rig::{Running, UMCP, against, board, run};

#[test]
fn for_people() {
    let table: &[(&[&str], &[&str])] = &[
        (&["discover"], &["umcp-board", "2026-07-28 (modern)", "tools"]),
        (&["tools"], &["blink(times, period_ms)", "echo(text)", "Turn the LED on or off."]),
        (&["call", "echo", r#"{"text":"a\nb ü"}"#], &["a\nb ü\n"]),
        (&["call", "temperature_read"], &["celsius"]),
        (&["call", "blink", r#"{"times":2,"period_ms":5}"#], &["blinked 2 times\n"]),
        (&["resources"], &["board://led", "board://log"]),
        (&["resources", "--templates"], &["board://pin/{n}"]),
        (&["read", "board://led"], &["off\n"]),
        (&["read", "board://pin/3"], &["low\n"]),
        (&["prompts"], &["diagnose(symptom)"]),
        (&["prompt", "diagnose", r#"{"symptom":"hot"}"#], &["user: The board shows this: hot."]),
    ];
    for (args, expected) in table {
        let ran = against(args, &board());
        ran.assert_status(0);
        assert_eq!(ran.err, "", "{args:?}");
        for text in *expected {
            assert!(ran.out.contains(text), "{args:?}: no {text:?} in {}", ran.out);
        }
    }
}

#[test]
fn for_programs() {
    let table: &[(&[&str], &str, Value)] = &[
        (&["discover"], "/supportedVersions", json!(["2026-07-28"])),
        (&["tools"], "/tools/1/name", json!("echo")),
        (&["call", "echo", r#"{"text":"a\nb"}"#], "/content/0/text", json!("a\nb")),
        (&["call", "led_set", r#"{"on":true}"#], "/content/0/text", json!("on")),
        (&["call", "temperature_read", "{}"], "/structuredContent/celsius", json!(20.1)),
        (&["call", "blink", r#"{"times":2,"period_ms":5}"#], "/content/0/text", json!("blinked 2 times")),
        (&["resources"], "/resources/0/uri", json!("board://led")),
        (&["resources", "--templates"], "/resourceTemplates/0/uriTemplate", json!("board://pin/{n}")),
        (&["read", "board://led"], "/contents/0/text", json!("off")),
        (&["prompts"], "/prompts/0/arguments/0/required", json!(true)),
        (&["prompt", "diagnose", r#"{"symptom":"hot"}"#], "/messages/0/role", json!("user")),
    ];
    for (args, pointer, expected) in table {
        let ran = against(&[*args, &["--json"]].concat(), &board());
        ran.assert_status(0);
        assert_eq!(ran.json().pointer(pointer), Some(expected), "{args:?}");
        assert_eq!(ran.err, "", "{args:?}");
        assert!(ran.out.ends_with('\n') && ran.out.lines().count() == 1, "{args:?}: {}", ran.out);
    }
}

#[test]
fn the_demo_shows_everything() {
    let ran = run(&["demo"]);
    ran.assert_status(0);
    let steps: Vec<&str> = ran.err.lines().filter(|line| line.starts_with("# ")).collect();
    assert_eq!(steps.len(), 7, "{steps:?}");
    for text in
        ["server/discover", "héllo 世界", "notifications/progress", "It has blinked.", "It was.", "bytes of state"]
    {
        assert!(ran.err.contains(text), "no {text}: {}", ran.err);
    }
    assert_eq!(ran.out, "");
}

#[test]
fn messages_are_shown_where_that_is_asked_for() {
    let ran = against(&["call", "echo", r#"{"text":"x"}"#, "--verbose", "--json"], &board());
    ran.assert_status(0);
    assert_eq!(ran.json().pointer("/content/0/text"), Some(&json!("x")));
    let arrows: Vec<_> = ran.err.lines().filter_map(|line| line.chars().next()).collect();
    assert_eq!(arrows, ['→', '←', '→', '←'], "{}", ran.err);
}

#[test]
fn the_server_ends_with_its_input_and_answers_first() {
    let mut command = Command::new(UMCP);
    let mut server = Running::of(command.arg("serve").stdin(Stdio::piped()));
    let ping = |id: u32| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"server/discover"}}"#);
    let requests: String = (1..=50).map(|id| ping(id) + "\n").collect();
    server.stdin().write_all((requests + &ping(51)).as_bytes()).unwrap();
    let ran = server.end();
    ran.assert_status(0);
    let answers: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<u64> = answers.iter().filter_map(|answer| answer["id"].as_u64()).collect();
    assert_eq!(ids, (1..=50).collect::<Vec<_>>(), "all but the torso at the end");
}
