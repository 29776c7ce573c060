//! Every verb takes a server on a line: `serial:`, `tcp:`, `unix:`.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::rig::{Folder, Running, UMCP, run};
use crate::support::{pty, serve, tcp_board, unix_board};

fn on_each_line(test: impl Fn(&str)) {
    let folder = Folder::new();
    test(&format!("tcp:127.0.0.1:{}", tcp_board()));
    test(&format!("tcp:localhost:{}", tcp_board()));
    let socket = folder.path("socket");
    unix_board(&socket);
    test(&format!("unix:{socket}"));
    let (ours, path, _open) = pty();
    let mut board = serve(ours.into());
    test(&format!("serial:{path}"));
    test(&format!("serial:{path}@9600"));
    board.kill().unwrap();
    board.wait().unwrap();
}

#[test]
fn the_verbs() {
    on_each_line(|target| {
        let tools = run(&["tools", "--json", target]);
        tools.assert_status(0);
        assert_eq!(tools.json()["tools"][1]["name"], "echo", "{target}");
        let ran = run(&["call", target, "echo", r#"{"text":"hellö"}"#]);
        ran.assert_status(0);
        assert_eq!(ran.out, "hellö\n", "{target}");
        let ran = run(&["read", target, "board://led"]);
        ran.assert_status(0);
        let ran = run(&["call", target, "echo", r#"{"text":1}"#]);
        ran.assert_status(1);
        let ran = run(&["listen", "--for-ms", "50", target, "board://led"]);
        ran.assert_status(0);
    });
}

#[test]
fn trace_passes_what_is_said_on_a_line() {
    on_each_line(|target| {
        let mut running = Running::of(Command::new(UMCP).args(["trace", target]).stdin(Stdio::piped()));
        let mut stdin = running.stdin();
        stdin.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"no\"}\n").unwrap();
        let line = running.line();
        drop(stdin);
        assert!(line.contains(r#""id":7"#), "{line}");
        running.end().assert_status(0);
    });
}

#[test]
fn two_programs_do_not_share_a_serial_line() {
    let (_ours, path, _open) = pty();
    let first = umcp_std::Address::Serial { path: path.clone().into(), baud: 9600 }.open().unwrap();
    let ran = run(&["tools", &format!("serial:{path}")]);
    ran.assert_status(3);
    assert!(ran.err.contains("another program has it open"), "{ran:?}");
    drop(first);
}

#[test]
fn a_line_that_is_not_there() {
    for (target, expected) in [
        ("serial:/dev/no-such-device", "plugged in"),
        ("unix:/no/such/socket", "is the server running"),
        ("tcp:127.0.0.1:1", "is the server running"),
    ] {
        let ran = run(&["tools", target]);
        ran.assert_status(3);
        assert!(ran.err.contains(expected) && ran.err.contains(target), "{ran:?}");
    }
    for target in ["tcp:localhost", "serial:", "serial:x@0"] {
        let ran = run(&["tools", target]);
        ran.assert_status(2);
        assert!(ran.err.contains("is no address"), "{ran:?}");
    }
}
