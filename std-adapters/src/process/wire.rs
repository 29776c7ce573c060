//! A running child as a wire, and how it comes to its end.

use std::io;
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus};
use std::thread::sleep;
use std::time::{Duration as StdDuration, Instant as Clock};

use umcp::io::{Moved, Wire};
use umcp::time::{Duration, Instant};

use super::platform;
use super::stderr::{Drain, Stderr};
use crate::Interrupter;
use crate::poll::Duplex;

/// How long to wait for a killed child: it cannot refuse, but it may be stuck in the kernel.
const AFTER_KILL: StdDuration = StdDuration::from_secs(1);
/// How long a child's own children may hold its pipes when it has ended itself and they have been asked to go.
const AFTER_LEADER: StdDuration = StdDuration::from_millis(250);
/// How long the last words may take to be read once nobody can write any more.
const LAST_WORDS: StdDuration = StdDuration::from_millis(100);
/// The pauses between two looks at a child, which double from the one to the other.
const PAUSES: [StdDuration; 2] = [StdDuration::from_millis(1), StdDuration::from_millis(50)];

/// The standard input and output of a child as a [`Wire`].
///
/// `closed` means that the child has closed its output, usually because it has ended. A child that reads no longer is not
/// an error: what is sent then counts as sent and goes nowhere.
///
/// Dropping this closes it with short timeouts (0.2 s each): neither the child nor a zombie remains. If we are killed
/// ourselves, the child sees the end of its input.
#[derive(Debug)]
pub struct ProcessWire {
    child: Child,
    duplex: Duplex<ChildStdout, ChildStdin>,
    interrupter: Interrupter,
    stderr: Drain,
    closed: Option<Closed>,
}

/// How long each step of [`ProcessWire::close`] may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CloseTimeouts {
    /// From closing the child's input until it is asked to terminate; by default 2 s.
    pub after_eof: Duration,
    /// From then until it is killed; by default 2 s.
    pub after_terminate: Duration,
}

impl CloseTimeouts {
    const SHORT: CloseTimeouts =
        CloseTimeouts { after_eof: Duration::from_millis(200), after_terminate: Duration::from_millis(200) };
}

impl Default for CloseTimeouts {
    fn default() -> CloseTimeouts {
        CloseTimeouts { after_eof: Duration::from_secs(2), after_terminate: Duration::from_secs(2) }
    }
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed {
    /// Its exit status; `None` if the system does not tell (`SIGCHLD` is ignored, or the child is stuck in the kernel).
    pub status: Option<ExitStatus>,
    /// What it took.
    pub how: How,
}

/// What it took to end a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It ended by itself, at the end of its input at the latest.
    Eof,
    /// It had to be asked: `SIGTERM`; on Windows, where nothing is that gentle, `TerminateProcess`.
    Terminated,
    /// It had to be killed.
    Killed,
}

impl ProcessWire {
    /// The wire of a child whose three standard streams are pipes.
    pub(super) fn of(mut child: Child, stderr: Stderr) -> io::Result<ProcessWire> {
        let wire = ProcessWire::parts(&mut child, stderr);
        match wire {
            Ok((duplex, interrupter, stderr)) => Ok(ProcessWire { child, duplex, interrupter, stderr, closed: None }),
            Err(error) => {
                platform::kill(&mut child);
                child.wait()?;
                Err(error)
            }
        }
    }

    fn parts(child: &mut Child, to: Stderr) -> io::Result<(Duplex<ChildStdout, ChildStdin>, Interrupter, Drain)> {
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::Error::other("a standard stream is not a pipe"));
        };
        let drain = Drain::start(stderr, to)?;
        let mut duplex = Duplex::private(stdout, stdin)?;
        let interrupter = duplex.interrupter()?;
        Ok((duplex, interrupter, drain))
    }

    /// What to wait for, for who waits for several wires at once.
    #[cfg(unix)]
    pub(crate) fn ends(&self) -> (Option<std::os::fd::BorrowedFd<'_>>, Option<std::os::fd::BorrowedFd<'_>>) {
        let (read, write) = self.duplex.ends();
        (read.map(std::os::fd::AsFd::as_fd), write.map(std::os::fd::AsFd::as_fd))
    }

    /// Says that nothing more will be sent.
    #[cfg(unix)]
    pub(crate) fn close_write(&mut self) {
        self.duplex.close_write();
    }

    /// What ends a wait of this wire from another thread. While the wire is [closed](ProcessWire::close), it ends the waiting for the
    /// child to go by itself.
    #[must_use]
    pub fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    /// The child's process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How the child ended, if it has. It may take a moment from `closed` until then; [`close`](ProcessWire::close) waits.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        match self.closed {
            Some(closed) => closed.status,
            None => platform::ended(&mut self.child).flatten(),
        }
    }

    /// The last 2 KB of the child's standard error, for an error message. When the child has closed its output, its last
    /// words may still be under way: this then waits up to 0.1 s for them.
    #[must_use]
    pub fn stderr_tail(&self) -> String {
        if self.duplex.ended() {
            self.stderr.wait(LAST_WORDS);
        }
        self.stderr.tail()
    }

    /// Ends the child: closes its input; waits; asks it to terminate; waits; kills it. What it still writes meanwhile is
    /// read and thrown away, so that it can flush. Each step is bounded, and skipped if somebody [interrupts](ProcessWire::interrupter);
    /// a second call only repeats the answer.
    ///
    /// On Unix, what the child has started in turn is asked to terminate when the child itself has ended, and killed if it
    /// then still holds the child's output or standard error after a quarter of a second. What has left the
    /// child's process group (a daemon) is not waited for.
    pub fn close(&mut self, timeouts: CloseTimeouts) -> Closed {
        if let Some(closed) = self.closed {
            return closed;
        }
        self.duplex.ignore_interrupts();
        // What was meant for a wait before does not count.
        self.interrupter.take();
        self.duplex.close_write();
        let how = self.end_child(timeouts);
        self.end_descendants();
        let closed = Closed { status: self.reap(), how };
        self.closed = Some(closed);
        closed
    }

    fn end_child(&mut self, timeouts: CloseTimeouts) -> How {
        if self.wait_for_child(std(timeouts.after_eof)) {
            return How::Eof;
        }
        platform::terminate(&mut self.child);
        if self.wait_for_child(std(timeouts.after_terminate)) {
            return How::Terminated;
        }
        platform::kill(&mut self.child);
        self.interrupter.take();
        self.wait_for_child(AFTER_KILL);
        How::Killed
    }

    /// Reads until the child has ended or the time is up; whether it has ended. The pauses start over at the end of its
    /// output, since it is about to go then.
    fn wait_for_child(&mut self, limit: StdDuration) -> bool {
        let [shortest, longest] = PAUSES;
        let start = Clock::now();
        let mut pause = shortest;
        loop {
            if platform::ended(&mut self.child).is_some() {
                return true;
            }
            let left = limit.saturating_sub(start.elapsed());
            if left.is_zero() || self.interrupter.is_wanted() {
                return false;
            }
            let had_ended = self.duplex.ended();
            self.drain_for(pause.min(left));
            pause = if self.duplex.ended() == had_ended { longest.min(pause * 2) } else { shortest };
        }
    }

    /// The child itself has ended and has not been waited for, so the number of its group is still its own.
    fn end_descendants(&mut self) {
        platform::terminate(&mut self.child);
        let start = Clock::now();
        while !self.duplex.ended() && start.elapsed() < AFTER_LEADER {
            self.drain_for(AFTER_LEADER.saturating_sub(start.elapsed()));
        }
        let nobody_reads = self.stderr.wait(AFTER_LEADER.saturating_sub(start.elapsed()));
        if !self.duplex.ended() || !nobody_reads {
            platform::kill(&mut self.child);
            self.stderr.wait(LAST_WORDS);
        }
    }

    /// Throws away what the child writes, for `span` or a little less.
    fn drain_for(&mut self, span: StdDuration) {
        let millis = u32::try_from(span.as_millis()).unwrap_or(u32::MAX);
        let until = self.duplex.now() + Duration::from_millis(millis.max(1));
        // At the end of the output there is nothing to wait for, except once more time passes.
        let had_ended = self.duplex.ended();
        let moved = self.duplex.transfer(&[], &mut [0; 4096], until);
        if had_ended || moved.is_err() {
            sleep(span);
        }
    }

    fn reap(&mut self) -> Option<ExitStatus> {
        platform::ended(&mut self.child)?;
        self.child.wait().ok()
    }
}

fn std(span: Duration) -> StdDuration {
    StdDuration::from_millis(span.as_millis().into())
}

impl Wire for ProcessWire {
    type Error = io::Error;

    /// Milliseconds since the child was started.
    fn now(&mut self) -> Instant {
        self.duplex.now()
    }

    fn transfer(&mut self, out: &[u8], into: &mut [u8], until: Instant) -> io::Result<Moved> {
        self.duplex.transfer(out, into, until)
    }
}

impl Drop for ProcessWire {
    fn drop(&mut self) {
        self.close(CloseTimeouts::SHORT);
    }
}
