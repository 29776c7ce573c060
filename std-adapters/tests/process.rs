//! Children of all kinds: well-behaved, deaf, talkative, stubborn, dead.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration as StdDuration, Instant as Clock};

use umcp::io::{Moved, Wire};
use umcp::time::{Duration, Instant};
use umcp_std::process::{CloseTimeouts, Closed, How, Process, ProcessWire, SpawnError, Stderr, end};

const MIB: usize = 1024 * 1024;
/// What any one test waits for at most; reached only when it fails.
const PATIENCE: Duration = Duration::from_secs(10);

fn sh(script: &str) -> Process {
    Process::new("sh").args(["-c", script])
}

fn soon(wire: &mut ProcessWire) -> Instant {
    wire.now() + PATIENCE
}

fn brief(after_eof: u32, after_terminate: u32) -> CloseTimeouts {
    CloseTimeouts {
        after_eof: Duration::from_millis(after_eof),
        after_terminate: Duration::from_millis(after_terminate),
    }
}

/// Sends all of `out` and reads until `enough` bytes have come or the child has closed its output.
fn exchange(wire: &mut ProcessWire, mut out: &[u8], enough: usize) -> Vec<u8> {
    let until = soon(wire);
    let mut received = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let moved = wire.transfer(out, &mut buffer, until).unwrap();
        assert_ne!(moved, Moved::default(), "{} bytes to go, {} received", out.len(), received.len());
        out = &out[moved.sent..];
        received.extend_from_slice(&buffer[..moved.received]);
        if out.is_empty() && (moved.closed || received.len() >= enough) {
            return received;
        }
    }
}

fn is_alive(pid: u32) -> bool {
    fs::exists(format!("/proc/{pid}")).unwrap()
}

/// Whether `pid` ends within a second: a signal takes a moment. As a zombie it has: whoever has inherited it may take
/// its time.
fn ends(pid: u32) -> bool {
    let runs = || fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
    let start = Clock::now();
    while runs() && start.elapsed() < StdDuration::from_secs(1) {
        thread::sleep(StdDuration::from_millis(5));
    }
    !runs()
}

fn line_of(wire: &mut ProcessWire) -> String {
    let mut line = Vec::new();
    while line.last() != Some(&b'\n') {
        line.extend(exchange(wire, &[], 1));
    }
    String::from_utf8(line).unwrap().trim().to_owned()
}

#[test]
fn echo_and_a_clean_end() {
    let mut wire = Process::new("cat").spawn().unwrap();
    let pid = wire.id();
    assert_eq!(exchange(&mut wire, b"{\"jsonrpc\":\"2.0\"}\n", 18), b"{\"jsonrpc\":\"2.0\"}\n");
    assert_eq!(wire.exit_status(), None);
    let start = Clock::now();
    let closed = wire.close(CloseTimeouts::default());
    assert!(start.elapsed() < StdDuration::from_millis(500), "{:?}", start.elapsed());
    assert_eq!((closed.how, closed.status.unwrap().code()), (How::Eof, Some(0)));
    assert_eq!(wire.close(CloseTimeouts::default()), closed);
    assert_eq!(wire.exit_status(), closed.status);
    assert!(!is_alive(pid));
    let moved = wire.transfer(b"late", &mut [0], Instant::NEVER).unwrap();
    assert_eq!(moved, Moved { sent: 4, closed: true, ..Moved::default() });
}

#[test]
fn arguments_environment_and_directory_arrive() {
    let script = "printf '%s|' \"$1\" \"$2\" \"$UMCP_A\" \"${HOME-none}\"; pwd";
    let process = sh(script).args(["sh", "a b", "ä*"]).env("UMCP_A", "1").cwd("/");
    let path = std::env::var("PATH").unwrap();
    let home = std::env::var("HOME").unwrap_or("none".into());
    let table = [(process.clone(), home), (process.env_clear().env("PATH", path), "none".into())];
    for (process, home) in table {
        let said = exchange(&mut process.spawn().unwrap(), &[], usize::MAX);
        assert_eq!(String::from_utf8(said).unwrap(), format!("a b|ä*|1|{home}|/\n"));
    }
}

#[test]
fn the_end_of_output_is_told_again_and_again() {
    let mut wire = sh("printf last").spawn().unwrap();
    assert_eq!(exchange(&mut wire, &[], usize::MAX), b"last");
    let closed = Moved { closed: true, ..Moved::default() };
    assert_eq!(wire.transfer(&[], &mut [0; 8], Instant::NEVER).unwrap(), closed);
    assert_eq!(wire.transfer(&[], &mut [], Instant::NEVER).unwrap(), closed);
}

#[test]
fn a_child_that_reads_no_longer_is_not_an_error() {
    let mut wire = sh("exec <&-; echo deaf; sleep 0.1; printf done").spawn().unwrap();
    assert_eq!(line_of(&mut wire), "deaf");
    assert_eq!(exchange(&mut wire, &[b'x'; 100_000], usize::MAX), b"done");
}

#[test]
fn waiting_takes_the_time_it_should_and_no_cpu() {
    let mut wire = Process::new("sleep").arg("60").spawn().unwrap();
    for millis in [0, 1, 300] {
        let start = Clock::now();
        let cpu = cpu_time();
        let until = wire.now() + Duration::from_millis(millis);
        assert_eq!(wire.transfer(&[], &mut [0; 8], until).unwrap(), Moved::default());
        assert!(wire.now() >= until);
        let late = start.elapsed().saturating_sub(StdDuration::from_millis(millis.into()));
        assert!(late < StdDuration::from_millis(100), "{late:?} late after {millis} ms");
        let cpu = cpu_time() - cpu;
        assert!(cpu < StdDuration::from_millis(5), "{cpu:?} in {millis} ms");
    }
    let past = Instant::ZERO;
    assert_eq!(wire.transfer(b"x", &mut [0; 8], past).unwrap().sent, 1, "what can move moves, however late it is");
}

/// Of this thread. In nanoseconds from Linux, which the tests of waiting are for; else not looked at.
fn cpu_time() -> StdDuration {
    let figures = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = figures.split(' ').next().and_then(|figure| figure.parse().ok());
    StdDuration::from_nanos(nanos.unwrap_or(0))
}

#[test]
fn another_thread_interrupts_a_wait() {
    let mut wire = Process::new("cat").spawn().unwrap();
    let interrupter = wire.interrupter();
    let interrupted = Moved { interrupted: true, ..Moved::default() };
    let other = thread::spawn(move || {
        thread::sleep(StdDuration::from_millis(100));
        interrupter.interrupt();
        Clock::now()
    });
    assert_eq!(wire.transfer(&[], &mut [0; 8], Instant::NEVER).unwrap(), interrupted);
    let heard = Clock::now();
    let latency = heard.saturating_duration_since(other.join().unwrap());
    assert!(latency < StdDuration::from_millis(100), "{latency:?}");

    wire.interrupter().interrupt();
    wire.interrupter().interrupt();
    assert_eq!(wire.transfer(&[], &mut [0; 8], Instant::NEVER).unwrap(), interrupted, "kept until it is told");
    assert_eq!(wire.transfer(&[], &mut [0; 8], Instant::ZERO).unwrap(), Moved::default(), "and told once");
    assert_eq!(exchange(&mut wire, b"ping", 4), b"ping", "and the wire goes on");
}

#[test]
fn both_pipes_full_is_no_deadlock() {
    let mut wire = sh("head -c 1048576 /dev/zero; head -c 1048576 | wc -c").spawn().unwrap();
    let received = exchange(&mut wire, &vec![b'x'; MIB], usize::MAX);
    assert!(received[..MIB].iter().all(|&byte| byte == 0));
    assert_eq!(String::from_utf8_lossy(&received[MIB..]).trim(), "1048576");
}

#[test]
fn a_flood_on_standard_error_never_blocks_the_child() {
    let heard = Arc::new(Mutex::new(0));
    let count = heard.clone();
    let flood = sh("head -c 1048576 /dev/zero >&2; echo done; printf 'last words' >&2");
    for stderr in [Stderr::Discard, Stderr::to(move |chunk| *count.lock().unwrap() += chunk.len())] {
        let mut wire = flood.clone().stderr(stderr).spawn().unwrap();
        // Only now, so that nobody has called the wire while it flooded.
        thread::sleep(StdDuration::from_millis(200));
        assert_eq!(exchange(&mut wire, &[], usize::MAX), b"done\n");
        assert!(wire.stderr_tail().ends_with("\0\0last words"));
        assert_eq!(wire.stderr_tail().len(), 2048);
    }
    assert_eq!(*heard.lock().unwrap(), MIB + 10);
}

#[test]
fn a_callback_that_blocks_holds_up_neither_the_wire_nor_closing() {
    let (free, blocked) = std::sync::mpsc::channel::<()>();
    let stderr = Stderr::to(move |_| blocked.recv().unwrap_or_default());
    let mut wire = sh("echo log >&2; exec cat").stderr(stderr).spawn().unwrap();
    assert_eq!(exchange(&mut wire, b"ping", 4), b"ping");
    let start = Clock::now();
    assert_eq!(wire.close(CloseTimeouts::default()).how, How::Eof);
    assert!(start.elapsed() < StdDuration::from_secs(1), "{:?}", start.elapsed());
    drop(free);
}

#[test]
fn a_child_that_dies_at_once_leaves_its_status_and_its_last_words() {
    let table = [("echo no token >&2; exit 3", Some(3), None), ("echo no token >&2; kill -9 $$", None, Some(9))];
    for (script, code, signal) in table {
        let mut wire = sh(script).spawn().unwrap();
        assert_eq!(exchange(&mut wire, b"{}\n", usize::MAX), b"");
        assert_eq!(wire.stderr_tail(), "no token\n");
        let start = Clock::now();
        while wire.exit_status().is_none() && start.elapsed() < StdDuration::from_secs(1) {}
        let looked = wire.exit_status();
        let closed = wire.close(CloseTimeouts::default());
        assert_eq!(closed, Closed { status: looked, how: How::Eof }, "looking first changes nothing");
        let status = closed.status.unwrap();
        assert_eq!((status.code(), status.signal()), (code, signal), "{script}");
    }
}

#[test]
fn each_step_of_closing_is_taken_in_turn_and_in_time() {
    let table = [
        ("cat; sleep 0.1; exit 7", How::Eof, 100..900),
        ("echo ready; exec sleep 60", How::Terminated, 300..900),
        ("trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done", How::Terminated, 300..900),
        ("trap '' TERM; echo ready; sleep 60; sleep 60", How::Killed, 600..1300),
    ];
    for (script, how, millis) in table {
        let mut wire = sh(script).spawn().unwrap();
        if script.contains("ready") {
            assert_eq!(line_of(&mut wire), "ready");
        }
        let start = Clock::now();
        let closed = wire.close(brief(300, 300));
        let took = start.elapsed().as_millis();
        assert_eq!(closed.how, how, "{script}");
        assert!(millis.contains(&took), "{took} ms: {script}");
        assert!(!is_alive(wire.id()), "{script}");
    }
}

#[test]
fn a_child_that_ends_with_a_lot_to_say_can_say_it() {
    let mut wire = sh("cat; head -c 1048576 /dev/zero; exit 6").spawn().unwrap();
    let closed = wire.close(brief(3_000, 100));
    assert_eq!((closed.how, closed.status.unwrap().code()), (How::Eof, Some(6)));
}

#[test]
fn grandchildren_go_with_the_child_and_never_hold_up_closing() {
    let table = [
        // What it does, what it takes, and whether the grandchild is in the group.
        ("sleep 60 & echo $!; exec cat", How::Eof, true),
        ("trap '' TERM; sleep 60 & echo $!; exec cat", How::Eof, true),
        ("trap '' TERM; sleep 60 >&- 2>&- & echo $!; trap - TERM; exec sleep 60", How::Terminated, false),
        ("trap '' TERM; sleep 60 & echo $!; wait", How::Killed, true),
        ("setsid sleep 3 & echo $!; exec cat", How::Eof, false),
    ];
    for (script, how, goes_too) in table {
        let mut wire = sh(script).spawn().unwrap();
        let grandchild: u32 = line_of(&mut wire).parse().unwrap();
        assert!(is_alive(grandchild), "{script}");
        let start = Clock::now();
        assert_eq!(wire.close(brief(200, 200)).how, how, "{script}");
        assert!(start.elapsed() < StdDuration::from_millis(1_000), "{:?}: {script}", start.elapsed());
        if goes_too {
            assert!(ends(grandchild), "{script}");
        } else {
            drop(std::process::Command::new("kill").args(["-9", &grandchild.to_string()]).status());
        }
    }
}

#[test]
fn neither_an_orphan_nor_a_zombie_is_left_after_a_drop() {
    for script in ["exec cat", "exec sleep 60", "trap '' TERM; echo ready; sleep 60", "exit 1"] {
        let mut wire = sh(script).spawn().unwrap();
        if script.contains("ready") {
            line_of(&mut wire);
        }
        let pid = wire.id();
        let start = Clock::now();
        drop(wire);
        assert!(!is_alive(pid), "{script}");
        assert!(start.elapsed() < StdDuration::from_millis(1_000), "{:?}: {script}", start.elapsed());
    }
}

#[test]
fn no_file_descriptor_is_left_over() {
    let mut most = 0;
    for round in 0..30 {
        drop(sh("echo x >&2; exec cat").spawn().unwrap());
        let open = fs::read_dir("/proc/self/fd").unwrap().count();
        // The other tests run beside this one, so only growth by every round counts.
        most = if round < 5 { most.max(open) } else { most };
        assert!(open < most + 60, "{open} open after {round} rounds");
    }
}

#[test]
fn a_process_can_be_started_again() {
    let process = Process::new("cat");
    for _ in 0..2 {
        assert_eq!(exchange(&mut process.spawn().unwrap(), b"again", 5), b"again");
    }
}

#[test]
fn what_cannot_be_started_says_why_and_what_to_do() {
    let directory = std::env::temp_dir().join(format!("umcp-spawn-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let file = |name: &str, text: &[u8], mode| -> PathBuf {
        let path = directory.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    let plain = file("plain", b"hello", 0o644);
    let script = file("script", b"#!/nowhere/python\n", 0o755);
    let noise = file("noise", b"\x7FELF\x00\x00noise", 0o755);
    let missing = directory.join("missing");
    let inside_plain = plain.join("x");

    let not_on_path = "there is no program of this name on PATH; install it, correct the name, or give its full path";
    let no_file = "there is no such file; correct the path";
    let no_interpreter = "the file is there, but what runs it is not; \
         install the interpreter that its first line (`#!`) names, or a build for this system";
    let not_executable = "it is not a file that may be executed; \
         name the program itself, not its directory, and make it executable (`chmod +x`)";
    let wrong_format = "it is not a program for this machine; \
         get the right build, or begin a script with a line such as `#!/bin/sh`";
    let no_directory = |cwd: &PathBuf| {
        format!("its working directory `{}` is not a directory; create it or correct `cwd`", cwd.display())
    };
    let table: Vec<(Process, String)> = vec![
        (Process::new("umcp-no-such-program"), not_on_path.into()),
        (Process::new(&missing), no_file.into()),
        (Process::new("./missing").cwd(&directory), no_file.into()),
        (Process::new(&inside_plain), no_file.into()),
        (Process::new(&script), no_interpreter.into()),
        (Process::new(&plain), not_executable.into()),
        (Process::new(&directory), not_executable.into()),
        (Process::new("./plain").cwd(&directory), not_executable.into()),
        (Process::new(&noise), wrong_format.into()),
        (Process::new("cat").cwd(&missing), no_directory(&missing)),
        (Process::new("cat").cwd(&plain), no_directory(&plain)),
        (Process::new("cat").arg("a\0b"), "nul byte found in provided data".into()),
    ];
    for (process, reason) in table {
        let message = process.spawn().unwrap_err().to_string();
        let (start, rest) = message.split_once("`: ").unwrap();
        assert!(start.starts_with("cannot start `"), "{message}");
        assert_eq!(rest, reason, "{process:?}");
    }
    let empty = Process::new("").spawn().unwrap_err();
    assert!(matches!(empty, SpawnError::Empty));
    assert_eq!(empty.to_string(), "cannot start a server: its command is empty");
    fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn closing_is_hurried_by_an_interrupt() {
    let mut wire = sh("trap '' TERM; echo ready; while :; do sleep 0.02; done").spawn().unwrap();
    assert_eq!(line_of(&mut wire), "ready");
    let (pid, interrupter) = (wire.id(), wire.interrupter());
    // What came before the closing does not count.
    interrupter.interrupt();
    let hurry = thread::spawn(move || {
        thread::sleep(StdDuration::from_millis(300));
        interrupter.interrupt();
    });
    let start = Clock::now();
    let closed = wire.close(brief(10_000, 10_000));
    let took = start.elapsed();
    assert_eq!(closed.how, How::Killed);
    assert!((StdDuration::from_millis(250)..StdDuration::from_secs(3)).contains(&took), "{took:?}");
    assert!(!is_alive(pid));
    hurry.join().unwrap();
}

#[test]
fn a_child_that_is_no_wire_is_ended() {
    let table = [
        ("exit 3", brief(5_000, 5_000), (Some(3), None)),
        ("exec sleep 60", brief(0, 5_000), (None, Some(15))),
        ("trap '' TERM; echo ready; while :; do sleep 0.02; done", brief(0, 100), (None, Some(9))),
    ];
    for (script, timeouts, expected) in table {
        let mut child = sh(script).spawn_piped().unwrap();
        if script.contains("ready") {
            std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0; 6]).unwrap();
        }
        let status = end(&mut child, timeouts).unwrap();
        assert_eq!((status.code(), status.signal()), expected, "{script}");
    }
}
