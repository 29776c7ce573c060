//! Running the program, with a limit on everything, and scripted servers for it.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

pub(crate) const UMCP: &str = env!("CARGO_BIN_EXE_umcp");
/// What any one run takes at most; reached only when it fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) took: Duration,
}

impl Ran {
    /// Standard output, which is one JSON value and nothing else.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    #[track_caller]
    pub(crate) fn assert_status(&self, expected: i32) {
        assert_eq!(self.status, Some(expected), "{self:?}");
    }
}

/// The program while it runs.
pub(crate) struct Running {
    child: Child,
    out: Receiver<String>,
    err: Receiver<String>,
    start: Instant,
}

/// Starts the program, with nothing on its standard input.
pub(crate) fn start<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Running {
    Running::of(Command::new(UMCP).args(args).stdin(Stdio::null()))
}

/// Runs the program to its end.
pub(crate) fn run<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Ran {
    start(args).end()
}

/// Runs the program against a server.
pub(crate) fn against(args: &[&str], server: &[String]) -> Ran {
    start_against(args, server).end()
}

pub(crate) fn start_against(args: &[&str], server: &[String]) -> Running {
    let args = args.iter().copied().chain(["--"]).chain(server.iter().map(String::as_str));
    start(&args.collect::<Vec<_>>())
}

impl Running {
    pub(crate) fn of(command: &mut Command) -> Running {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (out, err) = (lines(child.stdout.take().unwrap()), lines(child.stderr.take().unwrap()));
        Running { child, out, err, start: Instant::now() }
    }

    pub(crate) fn stdin(&mut self) -> std::process::ChildStdin {
        self.child.stdin.take().unwrap()
    }

    /// Waits for the next line on standard output.
    pub(crate) fn line(&mut self) -> String {
        self.out.recv_timeout(PATIENCE).unwrap()
    }

    /// Waits for the next line on standard error.
    pub(crate) fn err_line(&mut self) -> String {
        self.err.recv_timeout(PATIENCE).unwrap()
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the end.
    pub(crate) fn end(mut self) -> Ran {
        let status = self.wait();
        let took = self.start.elapsed();
        Ran { status: status.code(), out: self.out.iter().collect(), err: self.err.iter().collect(), took }
    }

    fn wait(&mut self) -> ExitStatus {
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(self.start.elapsed() < PATIENCE, "it hangs");
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It fails if all went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads lines as they come, so that no pipe is ever full.
fn lines(from: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut from = BufReader::new(from);
        let mut line = Vec::new();
        while from.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            let _ = sender.send(String::from_utf8_lossy(&line).into_owned());
            line.clear();
        }
    });
    receiver
}

/// The simulated board.
pub(crate) fn board() -> Vec<String> {
    vec![UMCP.into(), "serve".into()]
}

/// A server that is a shell script. `say LINE` sends a line, `hear` waits for one.
pub(crate) fn script(body: &str) -> Vec<String> {
    let prelude = "say() { printf '%s\\n' \"$1\"; }; hear() { IFS= read -r heard; }\n";
    vec!["sh".into(), "-c".into(), format!("{prelude}{body}")]
}

/// A modern server that has been discovered, and has heard one request, number 2.
pub(crate) fn modern(body: &str) -> Vec<String> {
    script(&format!("hear; say '{DISCOVERED}'; hear\n{body}"))
}

pub(crate) const DISCOVERED: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{"subscribe":true}}}}"#;
pub(crate) const REFUSED: &str = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#;

/// The answer to `initialize`.
pub(crate) fn initialized(id: u32) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"old","version":"1"}}}}}}"#
    )
}

/// The answer to a call.
pub(crate) fn said(id: u32, text: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","content":[{{"type":"text","text":"{text}"}}]}}}}"#
    )
}

/// A folder of a test's own.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("program-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.0.join(name), text).unwrap();
        self.path(name)
    }

    /// The lines of a file that may still be written.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        fs::read_to_string(self.0.join(name)).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    /// Waits until the file has a line with this in it.
    pub(crate) fn wait_for(&self, name: &str, text: &str) {
        let start = Instant::now();
        while !self.lines(name).iter().any(|line| line.contains(text)) {
            assert!(start.elapsed() < PATIENCE, "no {text} in {:?}", self.lines(name));
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Asserts that the process whose number is in this file has ended, or ends within a second.
    pub(crate) fn assert_gone(&self, name: &str) {
        let pid = self.lines(name).first().unwrap().clone();
        let runs = || fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
        let start = Instant::now();
        while runs() {
            assert!(start.elapsed() < Duration::from_secs(1), "the server is left behind");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
