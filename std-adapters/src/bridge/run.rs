//! The loop: it waits for all ends at once, and moves what can move.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::TcpListener;
use std::os::fd::AsFd;
use std::process::ExitStatus;
use std::time::Instant as Clock;

use umcp::time::{Duration, Instant};

use super::front::Front;
use super::http::{Allowed, HttpFront};
use super::limits::Limits;
use super::outlet::{Outlet, Server};
use super::router::{Out, Router};
use super::stdio::LineFront;
use super::wait::Ends;
use crate::Interrupter;
use crate::interrupt::{Alarm, Pipe};
use crate::process::SpawnError;

/// How long the answers to what is in flight may take when the client on standard input has closed its side.
const LAST_ANSWERS: Duration = Duration::from_secs(10);
/// How long a process may take to end when it has been told that nothing more comes, and nobody waits for an answer.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// How long the last messages may take to leave.
const LAST_FLUSH: Duration = Duration::from_millis(500);
/// A bridge to one server.
pub struct Bridge {
    router: Router,
    outlet: Outlet,
    front: Front,
    stop: Interrupter,
    wake: Interrupter,
    start: Clock,
}

/// Why a bridge could not be built, or has ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum BridgeError {
    /// The server is a process, and could not be started.
    Spawn(SpawnError),
    /// The server is a process, and has ended by itself; so, if the system tells.
    Ended(Option<ExitStatus>),
    /// Standard input or output failed, or there are too many open files.
    Io(io::Error),
}

impl Bridge {
    /// A bridge from our own standard input and output. It ends with its client, or, if the server is a process, with that.
    ///
    /// # Errors
    /// [`BridgeError::Io`].
    pub fn stdio(server: Server, name: &str, limits: Limits) -> Result<Bridge, BridgeError> {
        let wake = interrupter()?;
        let mut router = Router::new(name.to_owned(), limits, server.is_line());
        let outlet = Outlet::new(server, name.to_owned(), limits, false, wake.clone());
        let front = Front::Line(Box::new(LineFront::new(&mut router, limits)?));
        Ok(Bridge { router, outlet, front, stop: interrupter()?, wake, start: Clock::now() })
    }

    /// A bridge from HTTP, at the path [`PATH`](super::PATH) of what this listener accepts. It ends when somebody [interrupts](Bridge::interrupter) it; a
    /// server that is a process is started again when it ends.
    ///
    /// # Errors
    /// [`BridgeError::Io`].
    pub fn http(
        server: Server,
        name: &str,
        limits: Limits,
        listener: TcpListener,
        allowed: Allowed,
    ) -> Result<Bridge, BridgeError> {
        let wake = interrupter()?;
        let router = Router::new(name.to_owned(), limits, server.is_line());
        let outlet = Outlet::new(server, name.to_owned(), limits, true, wake.clone());
        let front = Front::Http(Box::new(HttpFront::new(listener, allowed, limits)?));
        Ok(Bridge { router, outlet, front, stop: interrupter()?, wake, start: Clock::now() })
    }

    /// What ends the bridge from another thread.
    #[must_use]
    pub fn interrupter(&self) -> Interrupter {
        self.stop.clone()
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// [`BridgeError`] says why it ended. That its client has gone, or somebody has interrupted it, is none.
    pub fn run(mut self) -> Result<(), BridgeError> {
        let now = self.now();
        self.outlet.begin(&mut self.router, now).map_err(BridgeError::Spawn)?;
        let outcome = self.serve();
        self.deliver();
        let now = self.now();
        self.front.finish(&mut self.router, now);
        self.deliver();
        self.outlet.close(LAST_FLUSH);
        outcome
    }

    fn serve(&mut self) -> Result<(), BridgeError> {
        let mut ending: Option<Ending> = None;
        loop {
            self.deliver();
            let now = self.now();
            if self.front.has_ended() && ending.is_none() {
                ending = Some(Ending { finished: None, until: now + LAST_ANSWERS });
            }
            let until = match &mut ending {
                Some(ending) => match ending.next(&mut self.outlet, &self.router, &self.front, now) {
                    Some(until) => until,
                    None => return Ok(()),
                },
                None => Instant::NEVER,
            };
            if let Some(status) = self.outlet.is_over()
                && self.front.is_flushed()
            {
                return if ending.is_some() { Ok(()) } else { Err(BridgeError::Ended(status)) };
            }
            if self.step(until)? {
                return Ok(());
            }
        }
    }

    /// Sends on what is to be sent.
    fn deliver(&mut self) {
        let now = self.now();
        while let Some(out) = self.router.next() {
            match out {
                Out::Server { text, call } => self.outlet.push(&text, call, &mut self.router, now),
                Out::Client(letter) => self.front.deliver(&letter, &mut self.router, now),
            }
        }
    }

    /// Waits, and moves what can move. `true`: somebody wants it to end.
    fn step(&mut self, until: Instant) -> Result<bool, BridgeError> {
        // Whoever does not read what is said to it, or more is said than can be sent on, has to wait.
        let (from_server, from_clients) = (!self.front.is_full(), !self.outlet.is_full());
        let mut ends = Ends::default();
        let outlet = ends.add(self.outlet.ends(from_server));
        let front = self.front.ends(from_clients, &mut ends);
        ends.add((self.stop.pipe().map(AsFd::as_fd), None));
        ends.add((self.wake.pipe().map(AsFd::as_fd), None));
        let until = until.min(self.router.expires_at()).min(self.outlet.wakes_at()).min(self.front.wakes_at());
        let limit = (until != Instant::NEVER).then(|| until.as_millis().saturating_sub(self.now().as_millis()));
        let fired = ends.wait(limit)?;
        if self.stop.take() {
            return Ok(true);
        }
        self.wake.take();
        let now = self.now();
        if fired.any(&outlet) {
            self.outlet.transfer(from_server, &mut self.router, now);
        }
        self.front.transfer(&front, &fired, from_clients, &mut self.router, now)?;
        self.outlet.tick(from_server, &mut self.router, now);
        self.router.expire(now);
        Ok(false)
    }

    fn now(&self) -> Instant {
        Instant::from_millis(u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}

/// The client has closed its side: what was asked is still answered.
struct Ending {
    /// The server has been told that nothing more comes, then.
    finished: Option<Instant>,
    until: Instant,
}

impl Ending {
    /// Until when to go on; `None`: it is done.
    fn next(&mut self, outlet: &mut Outlet, router: &Router, front: &Front, now: Instant) -> Option<Instant> {
        // A process is told at once that nothing more comes. Whoever carries a line may take its one end for both, so a line is told when all has
        // been answered.
        let may_finish = outlet.is_flushed() && (outlet.is_process() || router.waiting() == 0);
        if self.finished.is_none() && may_finish {
            outlet.finish();
            self.finished = Some(now);
        }
        if now >= self.until || outlet.is_over().is_some() && front.is_flushed() {
            return None;
        }
        if router.waiting() > 0 || !front.is_flushed() {
            return Some(self.until);
        }
        // A process ends by itself now; anything else only has to have heard everything.
        let words = if outlet.is_process() { LAST_WORDS } else { Duration::ZERO };
        let until = self.finished.map_or(self.until, |finished| finished + words);
        (now < until).then_some(until)
    }
}

fn interrupter() -> io::Result<Interrupter> {
    Ok(Interrupter::new(Alarm::Pipe(Pipe::new()?)))
}

impl From<io::Error> for BridgeError {
    fn from(error: io::Error) -> BridgeError {
        BridgeError::Io(error)
    }
}

impl fmt::Debug for Bridge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bridge").finish_non_exhaustive()
    }
}

impl fmt::Display for BridgeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BridgeError::Spawn(error) => error.fmt(f),
            BridgeError::Ended(Some(status)) => write!(f, "the server ended with {status}"),
            BridgeError::Ended(None) => f.write_str("the server ended"),
            BridgeError::Io(error) => write!(f, "the bridge failed: {error}"),
        }
    }
}

impl Error for BridgeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            BridgeError::Spawn(error) => Some(error),
            BridgeError::Io(error) => Some(error),
            BridgeError::Ended(_) => None,
        }
    }
}
