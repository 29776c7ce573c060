//! The exit statuses, and servers of all kinds that lead to them.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::rig::{DISCOVERED, Folder, REFUSED, Ran, UMCP, against, board, initialized, modern, said, script};

const CALL: &[&str] = &["call", "--json", "--timeout-ms", "1000", "t1"];

fn call(server: &[String]) -> Ran {
    against(CALL, server)
}

#[test]
fn done() {
    let answer = said(2, "hi");
    let modern_answer = format!("say '{answer}'; cat >/dev/null");
    let noise = format!(
        "echo starting; echo; echo '[1]'; echo '\"x\"'; hear; say '{DISCOVERED}'; echo '{{'; hear; say '{answer}'"
    );
    let flood = format!("head -c 300000 /dev/zero | tr '\\0' 'w' >&2; hear; say '{DISCOVERED}'; hear; say '{answer}'");
    let legacy = format!("hear; say '{REFUSED}'; hear; say '{}'; hear; hear; say '{}'", initialized(2), said(3, "hi"));
    let servers = [modern(&modern_answer), script(&noise), script(&flood), script(&legacy)];
    for server in servers {
        let ran = call(&server);
        ran.assert_status(0);
        assert_eq!(ran.json().pointer("/content/0/text").unwrap(), "hi", "{server:?}");
        assert_eq!(ran.err, "", "{server:?}");
    }
}

#[test]
fn the_server_says_no() {
    let ran = against(&["call", "nothing"], &board());
    ran.assert_status(1);
    assert!(ran.err.starts_with("umcp: -32602: ") && ran.out.is_empty(), "{ran:?}");
    for json in [true, false] {
        let args = ["call", "blink", r#"{"times":0,"period_ms":5}"#, "--json"];
        let ran = against(&args[..if json { 4 } else { 3 }], &board());
        ran.assert_status(1);
        assert!(
            ran.err.contains("blink failed") && ran.out.contains("`times`: expected an integer from 1 to 1000"),
            "{ran:?}"
        );
        assert!(!json || ran.json()["isError"] == true);
    }
    let ran = against(&["read", "board://nowhere", "--json"], &board());
    ran.assert_status(1);
    assert_eq!(ran.out, "", "an error is no result");
}

#[test]
fn there_is_no_server() {
    let dies = ["exit 7", "echo its last words >&2; exit 7"];
    let table: Vec<(Vec<String>, &[&str])> = vec![
        (vec!["umcp-no-such-program".into()], &["umcp-no-such-program"]),
        (vec!["/".into()], &["/"]),
        (script(dies[0]), &["exit status: 7"]),
        (script(dies[1]), &["exit status: 7", "its last words"]),
        (modern(dies[1]), &["exit status: 7", "its last words"]),
        (modern("exec >&-; cat >/dev/null"), &["closed"]),
        (vec!["true".into()], &["exit status: 0"]),
    ];
    for (server, expected) in table {
        let ran = call(&server);
        ran.assert_status(3);
        assert_eq!(ran.out, "");
        for text in expected {
            assert!(ran.err.contains(text), "{server:?}: {}", ran.err);
        }
    }
}

#[test]
fn the_server_takes_too_long() {
    let folder = Folder::new();
    let log = folder.path("log");
    let silent = script("cat >/dev/null");
    let ran = call(&silent);
    ran.assert_status(4);
    // It was deaf to both kinds of greeting.
    assert!(ran.took < Duration::from_secs(5), "{ran:?}");
    assert!(ran.err.contains("in time"), "{ran:?}");

    let ran = call(&modern(&format!("cat >{log}")));
    ran.assert_status(4);
    assert_eq!(ran.out, "");
    let heard = folder.lines("log");
    let [cancelled] = &heard[..] else { panic!("{heard:?}") };
    assert!(cancelled.contains(r#""method":"notifications/cancelled","params":{"requestId":2}"#), "{cancelled}");
}

#[test]
fn the_server_breaks_the_protocol() {
    let answer = |rest: &str| modern(&format!(r#"say '{{"jsonrpc":"2.0","id":2{rest}}}'; cat >/dev/null"#));
    let table = [
        (answer(""), "no JSON-RPC response"),
        (answer(r#","result":7"#), "a required part of its answer is missing"),
        (answer(r#","result":{"resultType":"magic"}"#), "unknown type"),
        (answer(r#","result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}"#), "input"),
        (
            modern(
                "printf '{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":\"'; head -c 9000000 /dev/zero | tr '\\0' x; say '\"}'",
            ),
            "more than 262143 bytes",
        ),
    ];
    for (server, expected) in table {
        let ran = call(&server);
        ran.assert_status(5);
        assert!(ran.err.contains(expected) && ran.out.is_empty(), "{server:?}: {ran:?}");
    }
}

#[test]
fn a_list_without_an_end() {
    let page = r#"n=2; while say "{\"jsonrpc\":\"2.0\",\"id\":$n,\"result\":{\"resultType\":\"complete\",\"tools\":[],\"nextCursor\":\"x\"}}"; hear; do n=$((n+1)); done"#;
    let ran = against(&["tools", "--json"], &modern(page));
    ran.assert_status(5);
    assert!(ran.err.contains("1000 pages") && ran.out.is_empty(), "{ran:?}");
}

#[test]
fn a_server_that_ends_at_the_probe_is_started_again() {
    let folder = Folder::new();
    let log = folder.path("log");
    let body = format!(
        "hear; printf '%s\\n' \"$heard\" >>{log}; case $heard in *discover*) exit 1;; esac; say '{}'; hear; hear; say '{}'",
        initialized(1),
        said(2, "hi")
    );
    let ran = call(&script(&body));
    ran.assert_status(0);
    assert_eq!(ran.json().pointer("/content/0/text").unwrap(), "hi");
    let heard = folder.lines("log");
    let methods: Vec<_> =
        heard.iter().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["method"].clone()).collect();
    assert_eq!(methods, ["server/discover", "initialize"]);
}

#[test]
fn a_server_that_will_not_go_is_made_to() {
    let folder = Folder::new();
    let pid = folder.path("pid");
    let stubborn = format!("trap '' TERM; echo $$ >{pid}; say '{}'; while :; do sleep 0.05; done", said(2, "hi"));
    let ran = call(&modern(&stubborn));
    ran.assert_status(0);
    assert_eq!(ran.json().pointer("/content/0/text").unwrap(), "hi");
    assert!(ran.took < Duration::from_secs(8), "{ran:?}");
    folder.assert_gone("pid");
}

/// Whoever reads our output may go away, and a disk may be full.
#[test]
fn output_that_takes_no_more() {
    let table: &[(&[&str], &str)] = &[
        (&["tools"], ""),
        (&["tools", "--json"], ""),
        (&["call", "echo", r#"{"text":"x"}"#], ""),
        (&["listen", "--for-ms", "100"], ""),
        (&["discover"], "umcp: standard output: "),
    ];
    for (args, message) in table {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let (reader, closed) = std::io::pipe().unwrap();
        drop(reader);
        let out = if message.is_empty() { Stdio::from(closed) } else { Stdio::from(full) };
        let ran = Command::new(UMCP).args(*args).arg("--").args(board()).stdout(out).output().unwrap();
        let err = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(3), "{args:?}: {err}");
        assert!(if message.is_empty() { err.is_empty() } else { err.starts_with(message) }, "{args:?}: {err}");
        assert!(err.lines().count() <= 1, "{args:?}: {err}");
    }
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    assert_eq!(Command::new(UMCP).arg("demo").stderr(full).status().unwrap().code(), Some(3));
}
