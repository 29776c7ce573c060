//! A child's standard error: always read, by a thread of its own, so that no flood of messages ever blocks the child.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How much of the end is kept for error messages, in bytes.
const TAIL: usize = 2 * 1024;
/// The largest chunk that is handed on, in bytes.
const CHUNK: usize = 4 * 1024;
/// The thread's stack, in bytes: little, but a callback may format, print and, at worst, panic.
const STACK: usize = 256 * 1024;

/// Where a child's standard error goes. It may be logging of any kind, and does not mean that something is wrong.
#[derive(Clone, Default)]
pub enum Stderr {
    /// Nowhere. The end is kept for [`ProcessWire::stderr_tail`](super::ProcessWire::stderr_tail), as always.
    #[default]
    Discard,
    /// To our own standard error. If that takes no more, the child waits at its next message.
    Inherit,
    /// To a function; see [`Stderr::to`].
    Callback(Callback),
}

/// A function that takes chunks. Every child started from the same [`Process`](super::Process) shares it.
#[derive(Clone)]
pub struct Callback(Arc<Mutex<Take>>);

type Take = dyn FnMut(&[u8]) + Send;

impl Stderr {
    /// To `callback`, in chunks of 1 to 4096 bytes as they come, which need not end at a line or a character. It is
    /// called on a thread of its own; for the last time, usually, before the wire has closed.
    ///
    /// While it blocks, the child can write about one more pipe (64 KiB on Linux) before it has to wait; messages on
    /// the wire go on, and closing does not wait for it. If it panics, it is not called again; the rest is discarded.
    pub fn to(callback: impl FnMut(&[u8]) + Send + 'static) -> Stderr {
        Stderr::Callback(Callback(Arc::new(Mutex::new(callback))))
    }

    fn take(&self, chunk: &[u8]) {
        match self {
            Stderr::Discard => {}
            // When it is closed there is nobody left to tell.
            Stderr::Inherit => drop(io::stderr().write_all(chunk)),
            Stderr::Callback(callback) => callback.call(chunk),
        }
    }
}

impl Callback {
    fn call(&self, chunk: &[u8]) {
        // A panic inside poisons the mutex, and that is how it is known the next time.
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            if let Ok(mut callback) = self.0.lock() {
                callback(chunk);
            }
        }));
        // The panic has been printed by its hook.
        drop(outcome);
    }
}

impl fmt::Debug for Stderr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stderr::Discard => "Discard",
            Stderr::Inherit => "Inherit",
            Stderr::Callback(_) => "Callback",
        })
    }
}

/// The reading thread, seen from outside. When this goes, the thread lives on until the last writer has gone.
#[derive(Debug)]
pub(super) struct Drain(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    tail: VecDeque<u8>,
    ended: bool,
}

impl Drain {
    pub(super) fn start(from: impl Read + Send + 'static, to: Stderr) -> io::Result<Drain> {
        let shared = Arc::new(Shared::default());
        let drain = Drain(shared.clone());
        let builder = thread::Builder::new().name("umcp stderr".into()).stack_size(STACK);
        builder.spawn(move || shared.run(from, &to))?;
        Ok(drain)
    }

    /// Waits until everything has been read and handed on, at most for `limit`; whether it has.
    pub(super) fn wait(&self, limit: Duration) -> bool {
        let state = self.0.lock();
        let outcome = self.0.changed.wait_timeout_while(state, limit, |state| !state.ended);
        outcome.unwrap_or_else(PoisonError::into_inner).0.ended
    }

    /// The last bytes as text, without a character that was cut at the start.
    pub(super) fn tail(&self) -> String {
        let state = self.0.lock();
        let is_whole = state.tail.len() < TAIL;
        let inside_character = |byte: &u8| !is_whole && (0x80..0xC0).contains(byte);
        let bytes: Vec<u8> = state.tail.iter().copied().skip_while(inside_character).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Shared {
    fn run(&self, mut from: impl Read, to: &Stderr) {
        let mut buffer = [0; CHUNK];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    let chunk = buffer.get(..count).unwrap_or_default();
                    self.keep(chunk);
                    to.take(chunk);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        self.lock().ended = true;
        self.changed.notify_all();
    }

    fn keep(&self, chunk: &[u8]) {
        let tail = &mut self.lock().tail;
        tail.extend(chunk);
        let surplus = tail.len().saturating_sub(TAIL);
        tail.drain(..surplus);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(5);

    #[test]
    fn the_tail_is_the_end_and_whole_characters() {
        let table: &[(String, String)] = &[
            (String::new(), String::new()),
            ("short".into(), "short".into()),
            ("a".repeat(3_000) + "end", "a".repeat(TAIL - 3) + "end"),
            ("ä".repeat(2_000) + "!", "ä".repeat(TAIL / 2 - 1) + "!"),
        ];
        for (said, kept) in table {
            let drain = Drain::start(io::Cursor::new(said.clone().into_bytes()), Stderr::Discard).unwrap();
            assert!(drain.wait(PATIENCE));
            assert_eq!(&drain.tail(), kept);
        }
    }

    #[test]
    fn a_callback_gets_everything_in_order() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let said: Vec<u8> = (0..100_000_u32).map(|at| at.to_le_bytes()[0]).collect();
        let ear = heard.clone();
        let to = Stderr::to(move |chunk| ear.lock().unwrap().extend_from_slice(chunk));
        assert!(Drain::start(io::Cursor::new(said.clone()), to).unwrap().wait(PATIENCE));
        assert!(*heard.lock().unwrap() == said);
    }

    #[test]
    fn a_callback_that_panics_is_not_called_again() {
        let calls = Arc::new(Mutex::new(0));
        let count = calls.clone();
        let to = Stderr::to(move |_| {
            *count.lock().unwrap() += 1;
            std::panic::resume_unwind(Box::new("a panic, without a message on the terminal"));
        });
        let drain = Drain::start(io::Cursor::new(vec![b'x'; 3 * CHUNK]), to).unwrap();
        assert!(drain.wait(PATIENCE));
        assert_eq!((*calls.lock().unwrap(), drain.tail().len()), (1, TAIL));
    }
}
