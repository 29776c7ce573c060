//! `umcp trace`: every byte is passed on as it is; every message is shown.

use std::io::{self, Read, Write};
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use umcp::client;
use umcp::json::Value;
use umcp_std::process::{self, CloseTimeouts};
use umcp_std::{Address, Process};

use crate::args::Words;
use crate::exit::{CLOSED, Exit, INTERRUPTED};
use crate::interrupt;
use crate::place::Place;
use crate::target::Target;
use crate::watch::{Side, show};

const BUFFER: usize = 64 << 10;

/// How long the rest of the server's standard error may take when the server has gone.
const LAST_WORDS: Duration = Duration::from_millis(250);
/// How long a server on a line may take for what it still has to say when our input has ended.
const LAST_ANSWERS: Duration = Duration::from_secs(1);
/// How long a server that is asked to terminate may take.
const AT_ONCE: CloseTimeouts =
    CloseTimeouts { after_eof: umcp::time::Duration::ZERO, after_terminate: umcp::time::Duration::from_secs(1) };

/// Stands between our standard streams and a server, until the server has closed its output. Its exit status becomes ours, if it failed.
pub(crate) fn trace(args: &Words<0>) -> Result<(), Exit> {
    let target = Target::of(args, 0)?;
    match &target.place {
        Place::Process(process) => trace_process(process, &target.secrets),
        Place::Line(address) => trace_line(address),
        Place::Http(_) => Err(Exit::usage(
            "trace stands between a client and a server on pipes or a line; for HTTP use a verb with -v",
        )),
    }
}

fn trace_process(process: &Process, secrets: &[String]) -> Result<(), Exit> {
    let mut child = process.spawn_piped().map_err(|error| Exit::new(CLOSED, error.to_string()))?;
    let hidden = secrets.to_vec();
    if let Some(stdin) = child.stdin.take() {
        // It ends with our input, or with the program: nobody waits for it.
        thread::spawn(move || pass(io::stdin(), stdin, "→", &hidden));
    }
    let stderr = child.stderr.take().map(|mut stderr| thread::spawn(move || io::copy(&mut stderr, &mut io::stderr())));
    let stdout = child.stdout.take();
    let running = Running(Arc::new(Mutex::new(Some(child))));
    let interrupted = running.clone();
    interrupt::before_end(move || drop(interrupted.end(AT_ONCE)));
    let passed = match stdout {
        Some(stdout) => pass(stdout, io::stdout(), "←", secrets),
        None => Ok(()),
    };
    let status = running.end(CloseTimeouts::default()).transpose()?;
    let since = Instant::now();
    while stderr.as_ref().is_some_and(|stderr| !stderr.is_finished()) && since.elapsed() < LAST_WORDS {
        thread::sleep(Duration::from_millis(1));
    }
    passed?;
    match status {
        Some(status) if status.success() => Ok(()),
        Some(status) => Err(Exit::new(CLOSED, format!("the server ended with {status}"))),
        // The user was first.
        None => Err(Exit::new(INTERRUPTED, "")),
    }
}

/// A server on a line is not ours to end: when our input has ended, what it still sends is passed on for a moment.
fn trace_line(address: &Address) -> Result<(), Exit> {
    let wire = address.open().map_err(|error| Exit::new(CLOSED, error.to_string()))?;
    let (from, to) = wire.into_streams()?;
    let ahead = thread::spawn(move || pass(io::stdin(), to, "→", &[]));
    let back = thread::spawn(move || pass(from, io::stdout(), "←", &[]));
    let mut our_end = None;
    while !back.is_finished() {
        if ahead.is_finished() && our_end.get_or_insert_with(Instant::now).elapsed() >= LAST_ANSWERS {
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// The server, until somebody has ended it: we, because it has closed its output, or the user.
#[derive(Clone)]
struct Running(Arc<Mutex<Option<Child>>>);

impl Running {
    fn end(&self, timeouts: CloseTimeouts) -> Option<io::Result<ExitStatus>> {
        let mut child = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        child.take().map(|mut child| process::end(&mut child, timeouts))
    }
}

/// Passes bytes on as they come. Whoever no longer takes them ends it, as the end of the input does.
fn pass(mut from: impl Read, mut to: impl Write, arrow: &str, secrets: &[String]) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER];
    let mut side = Side::default();
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let bytes = buffer.get(..count).unwrap_or_default();
        to.write_all(bytes).and_then(|()| to.flush())?;
        side.take(bytes, |message| show(arrow, label(message), message, secrets));
    }
}

/// How a message shows its era, if it does: modern requests and results describe themselves, and the handshake is legacy.
fn label(message: &[u8]) -> &'static str {
    let mut text = message.to_vec();
    let Ok(value) = client::arguments(&mut text) else {
        return "";
    };
    let has = |path: &[&str]| value.at(path).is_some();
    if has(&["params", "_meta", umcp::mcp::PROTOCOL_VERSION])
        || has(&["params", "_meta", umcp::mcp::SUBSCRIPTION_ID])
        || has(&["result", "resultType"])
    {
        "[modern] "
    } else if value
        .get("method")
        .is_some_and(|method| method.is_str("initialize") || method.is_str("notifications/initialized"))
        || has(&["result", "protocolVersion"])
    {
        "[legacy] "
    } else {
        label_of_error(value)
    }
}

fn label_of_error(value: Value<'_>) -> &'static str {
    match value.at(&["error", "code"]).and_then(Value::as_i32) {
        Some(code) if umcp::mcp::faults::is_modern_code(code) => "[modern] ",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eras_are_told() {
        let table = [
            (r#"{"method":"initialize","params":{}}"#, "[legacy] "),
            (r#"{"id":1,"result":{"protocolVersion":"2025-11-25"}}"#, "[legacy] "),
            (r#"{"id":1,"result":{"resultType":"complete"}}"#, "[modern] "),
            (r#"{"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#, "[modern] "),
            (r#"{"id":1,"error":{"code":-32022}}"#, "[modern] "),
            (r#"{"id":1,"error":{"code":-32601}}"#, ""),
            ("noise", ""),
        ];
        for (message, expected) in table {
            assert_eq!(label(message.as_bytes()), expected, "{message}");
        }
    }

    #[test]
    fn bytes_pass_unchanged() {
        let bytes = b"noise \xff\n{\"a\":1}\r\n\n{\"half";
        let mut passed = Vec::new();
        pass(&bytes[..], &mut passed, "→", &[]).expect("memory does not fail");
        assert_eq!(passed, bytes);
    }
}
