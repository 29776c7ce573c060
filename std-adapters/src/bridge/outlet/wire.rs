//! A server on one wire, which is opened again when it is lost.

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::os::fd::BorrowedFd;
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread;

use umcp::io::{Moved, Wire as _};
use umcp::time::{Duration, Instant};

use super::Server;
use crate::bridge::limits::Limits;
use crate::bridge::lines::{Lines, Piece};
use crate::bridge::router::{Key, Router};
use crate::process::{CloseTimeouts, SpawnError, Stderr};
use crate::{Address, Interrupter, LineWire, Process, ProcessWire};

/// Tells whoever looks after the bridge.
fn note(name: &str, what: &str) {
    // Nothing can be done about a standard error that takes no more.
    let _ = writeln!(io::stderr().lock(), "umcp: {name}: {what}");
}

/// What is read at once.
const CHUNK: usize = 16 << 10;
/// The pauses between two attempts to reach a server again, which double from the one to the other.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(2)];
/// A server that was there for so long is not one that fails at once.
const STEADY: Duration = Duration::from_secs(5);

enum Wire {
    Process(ProcessWire),
    Line(LineWire),
}

enum State {
    Up {
        wire: Wire,
        since: Instant,
    },
    /// Another thread tries to open it.
    Opening(Receiver<Result<Wire, String>>),
    /// It is tried again then.
    Down(Instant),
    /// It has ended, and is not started again.
    Over(Option<ExitStatus>),
}

pub(in crate::bridge) struct WireOutlet {
    server: Server,
    name: String,
    limits: Limits,
    state: State,
    lines: Lines,
    queue: VecDeque<u8>,
    /// The requests in the queue, each with the count of bytes to its end.
    marks: VecDeque<(u64, Key)>,
    queued: u64,
    sent: u64,
    pause: Duration,
    /// A process that ends is started again.
    again: bool,
    /// Nothing more will be sent.
    finishing: bool,
    /// What wakes the loop when another thread has something to say.
    wake: Interrupter,
}

impl WireOutlet {
    /// `again`: a process that ends is started again. A line is opened again in any case.
    pub(super) fn new(server: Server, name: String, limits: Limits, again: bool, wake: Interrupter) -> WireOutlet {
        let [shortest, _] = PAUSES;
        WireOutlet {
            server,
            name,
            limits,
            state: State::Down(Instant::ZERO),
            lines: Lines::new(limits.message),
            queue: VecDeque::new(),
            marks: VecDeque::new(),
            queued: 0,
            sent: 0,
            pause: shortest,
            again,
            finishing: false,
            wake,
        }
    }

    /// Opens it for the first time. A line that cannot be opened is tried again; a process that cannot be started is an error.
    pub(super) fn begin(&mut self, router: &mut Router, now: Instant) -> Result<(), SpawnError> {
        match &self.server {
            Server::Process(process) => {
                let wire = Wire::Process(start(process)?);
                self.up(wire, router, now);
            }
            server => match open(server) {
                Ok(wire) => self.up(wire, router, now),
                Err(why) => {
                    note(&self.name, &format!("{why}; it is tried again"));
                    self.down(&why, router, now);
                }
            },
        }
        Ok(())
    }

    pub(super) fn push(&mut self, text: &[u8], call: Option<Key>) {
        if !matches!(self.state, State::Up { .. }) {
            return;
        }
        self.queue.extend(text);
        self.queue.push_back(b'\n');
        self.queued += text.len() as u64 + 1;
        self.marks.extend(call.map(|key| (self.queued, key)));
    }

    /// Whether clients have to wait before they say more.
    pub(super) fn is_full(&self) -> bool {
        self.queue.len() > self.limits.backlog
    }

    pub(super) fn is_flushed(&self) -> bool {
        self.queue.is_empty()
    }

    pub(super) fn is_line(&self) -> bool {
        self.server.is_line()
    }

    /// How the server ended, if it has for good.
    pub(super) fn is_over(&self) -> Option<Option<ExitStatus>> {
        match self.state {
            State::Over(status) => Some(status),
            _ => None,
        }
    }

    /// What to wait for: what can be read from, and what is to be written to. `reads`: what it says can be passed on.
    pub(super) fn ends(&self, reads: bool) -> (Option<BorrowedFd<'_>>, Option<BorrowedFd<'_>>) {
        let (read, write) = match &self.state {
            State::Up { wire: Wire::Process(wire), .. } => wire.ends(),
            State::Up { wire: Wire::Line(wire), .. } => wire.ends(),
            _ => (None, None),
        };
        (read.filter(|_| reads), write.filter(|_| !self.queue.is_empty()))
    }

    pub(super) fn wakes_at(&self) -> Instant {
        match self.state {
            State::Down(again) => again,
            _ => Instant::NEVER,
        }
    }

    /// Moves what can move.
    pub(super) fn transfer(&mut self, reads: bool, router: &mut Router, now: Instant) {
        let State::Up { wire, .. } = &mut self.state else { return };
        let mut chunk = [0; CHUNK];
        let into = if reads { &mut chunk[..] } else { &mut [] };
        let (out, _) = self.queue.as_slices();
        let moved = match wire {
            Wire::Process(wire) => wire.transfer(out, into, Instant::ZERO),
            Wire::Line(wire) => wire.transfer(out, into, Instant::ZERO),
        };
        match moved {
            Ok(moved) => {
                let received = into.get(..moved.received).unwrap_or_default().to_vec();
                self.moved(moved, &received, router, now);
            }
            Err(error) => self.down(&format!("the connection failed: {error}"), router, now),
        }
    }

    fn moved(&mut self, moved: Moved, received: &[u8], router: &mut Router, now: Instant) {
        self.queue.drain(..moved.sent.min(self.queue.len()));
        self.sent += moved.sent as u64;
        while let Some((end, key)) = self.marks.front().copied().filter(|(end, _)| *end <= self.sent) {
            debug_assert!(end <= self.queued);
            router.left(key, now);
            self.marks.pop_front();
        }
        let mut pieces = Vec::new();
        self.lines.take(received, |piece| pieces.push(piece));
        router.moved(moved.sent > 0, moved.received > 0, self.lines.is_inside(), now);
        if moved.closed {
            pieces.extend(self.lines.finish());
        }
        for piece in pieces {
            match piece {
                Piece::Line(line) => router.hear(line, now),
                Piece::TooLong { id, is_call: false, .. } => router.too_long(id, now),
                Piece::TooLong { id: Some(id), .. } => router.question_too_long(&id),
                Piece::TooLong { .. } => {}
            }
        }
        if moved.closed {
            self.closed(router, now);
        }
    }

    fn closed(&mut self, router: &mut Router, now: Instant) {
        let mut why = match self.server {
            Server::Line(Address::Serial { .. }) => "the device has gone".to_owned(),
            _ => "the server has closed the connection".to_owned(),
        };
        let mut status = None;
        if let State::Up { wire: Wire::Process(wire), .. } = &mut self.state {
            status = wire.close(CloseTimeouts::default()).status;
            why = status.map_or_else(
                || "the server has ended".to_owned(),
                |status| format!("the server has ended with {status}"),
            );
        }
        if matches!(self.server, Server::Process(_)) && (self.finishing || !self.again) {
            router.lost(&why);
            self.state = State::Over(status);
            return;
        }
        self.down(&why, router, now);
    }

    fn up(&mut self, wire: Wire, router: &mut Router, now: Instant) {
        self.state = State::Up { wire, since: now };
        self.lines = Lines::new(self.limits.message);
        router.opened(now);
    }

    fn down(&mut self, why: &str, router: &mut Router, now: Instant) {
        let [shortest, longest] = PAUSES;
        if let State::Up { since, .. } = self.state {
            note(&self.name, why);
            if now.since(since) >= STEADY {
                self.pause = shortest;
            }
        }
        router.lost(why);
        self.queue.clear();
        self.marks.clear();
        self.sent = self.queued;
        self.state = State::Down(now + self.pause);
        self.pause = longest.min(Duration::from_millis(self.pause.as_millis() * 2));
    }

    /// Tries again if it is time to, and looks how that went.
    pub(super) fn tick(&mut self, router: &mut Router, now: Instant) {
        match &self.state {
            State::Down(again) if *again <= now && !self.finishing => {
                let (sender, receiver) = sync_channel(1);
                let (server, wake) = (self.server.clone(), self.wake.clone());
                thread::spawn(move || {
                    // Nobody may wait for it any longer.
                    let _ = sender.send(open(&server));
                    wake.interrupt();
                });
                self.state = State::Opening(receiver);
            }
            State::Opening(receiver) => match receiver.try_recv() {
                Ok(Ok(wire)) => {
                    note(&self.name, "it is there again");
                    self.up(wire, router, now);
                }
                Ok(Err(why)) => self.down(&why, router, now),
                Err(TryRecvError::Disconnected) => self.down("it cannot be opened", router, now),
                Err(TryRecvError::Empty) => {}
            },
            _ => {}
        }
    }

    /// Says that nothing more will come, once all has left.
    pub(super) fn finish(&mut self) {
        self.finishing = true;
        match &mut self.state {
            State::Up { wire: Wire::Process(wire), .. } => wire.close_write(),
            State::Up { wire: Wire::Line(wire), .. } => wire.close_write(),
            _ => {}
        }
    }

    /// Ends it: what is in the queue may take `limit` to leave.
    pub(super) fn close(mut self, limit: Duration) {
        if let State::Up { wire, .. } = &mut self.state {
            let until = match wire {
                Wire::Process(wire) => wire.now(),
                Wire::Line(wire) => wire.now(),
            } + limit;
            while !self.queue.is_empty() {
                let (out, _) = self.queue.as_slices();
                let moved = match wire {
                    Wire::Process(wire) => wire.transfer(out, &mut [], until),
                    Wire::Line(wire) => wire.transfer(out, &mut [], until),
                };
                match moved {
                    Ok(moved) if moved.sent > 0 => drop(self.queue.drain(..moved.sent.min(self.queue.len()))),
                    _ => break,
                }
            }
            if let Wire::Process(wire) = wire {
                wire.close(CloseTimeouts::default());
            }
        }
    }
}

fn open(server: &Server) -> Result<Wire, String> {
    match server {
        Server::Process(process) => start(process).map(Wire::Process).map_err(|error| error.to_string()),
        Server::Line(address) => address.open().map(Wire::Line).map_err(|error| error.to_string()),
        Server::Http(_) => Err("it has no wire".to_owned()),
    }
}

fn start(process: &Process) -> Result<ProcessWire, SpawnError> {
    process.clone().stderr(Stderr::Inherit).spawn()
}
