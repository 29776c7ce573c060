//! Ctrl-C, and what it leaves behind: nothing.

use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use crate::rig::{Folder, UMCP, modern, script, start_against};

#[test]
fn a_long_call_is_cancelled() {
    let folder = Folder::new();
    let (log, pid) = (folder.path("log"), folder.path("pid"));
    let server = script(&format!("echo $$ >{pid}; tee {log} | {UMCP} serve"));
    let running = start_against(&["call", "--json", "blink", r#"{"times":1000,"period_ms":1000}"#], &server);
    folder.wait_for("log", "tools/call");
    running.signal(Signal::INT);
    let ran = running.end();
    ran.assert_status(130);
    assert_eq!(ran.out, "");
    assert!(ran.took < Duration::from_secs(10), "{ran:?}");
    folder.wait_for("log", "notifications/cancelled");
    let last = folder.lines("log").pop().unwrap();
    assert!(last.contains(r#""method":"notifications/cancelled""#), "{last}");
    folder.assert_gone("pid");
}

#[test]
fn a_second_time_it_ends_at_once() {
    let folder = Folder::new();
    let (log, pid) = (folder.path("log"), folder.path("pid"));
    // It neither answers nor goes: closing takes seconds.
    let server = modern(&format!("trap '' TERM; echo $$ >{pid}; echo called >{log}; while :; do sleep 0.05; done"));
    let running = start_against(&["call", "t1"], &server);
    folder.wait_for("log", "called");
    running.signal(Signal::INT);
    thread::sleep(Duration::from_millis(300));
    running.signal(Signal::INT);
    let ran = running.end();
    ran.assert_status(130);
    assert!(ran.took < Duration::from_secs(2), "{ran:?}");
    folder.assert_gone("pid");
}

#[test]
fn during_the_handshake() {
    let folder = Folder::new();
    let (log, pid) = (folder.path("log"), folder.path("pid"));
    let running = start_against(&["tools"], &script(&format!("echo $$ >{pid}; cat >{log}")));
    folder.wait_for("log", "server/discover");
    running.signal(Signal::INT);
    let ran = running.end();
    ran.assert_status(130);
    assert!(ran.took < Duration::from_secs(5), "{ran:?}");
    folder.assert_gone("pid");
    assert_eq!(folder.lines("log").len(), 1, "a probe is not cancelled: {:?}", folder.lines("log"));
}
