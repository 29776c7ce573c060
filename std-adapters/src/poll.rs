//! The one place that waits for readiness, with `poll(2)`: no thread, no busy waiting.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant as Clock};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use umcp::io::Moved;
use umcp::time::Instant;

use crate::interrupt::{Alarm, Interrupter, Pipe};

/// What a pipe surely takes without blocking when `poll(2)` says that it is writable.
#[cfg(any(target_os = "linux", target_os = "android"))]
const PIPE_BUF: usize = 4096;
/// The least that POSIX allows.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const PIPE_BUF: usize = 512;

/// No single wait is longer, since some systems count it in a small integer. The wait then just goes on.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// A readable and a writable end, taken together.
#[derive(Debug)]
pub(crate) struct Duplex<R, W> {
    read: R,
    /// `None` when the peer no longer reads, or we have closed it: what is written then goes nowhere.
    write: Option<W>,
    ended: bool,
    /// At most so much is written at once.
    chunk: usize,
    /// The ends are as we found them, so that `read` blocks, usually.
    shared: bool,
    interrupter: Option<Interrupter>,
    start: Clock,
}

#[derive(Clone, Copy, Default)]
struct Ready {
    read: bool,
    write: bool,
    interrupt: bool,
    time_is_up: bool,
}

impl<R: AsFd, W: AsFd> Duplex<R, W> {
    /// Ends that nobody else holds. They become non-blocking.
    pub(crate) fn private(read: R, write: W) -> io::Result<Duplex<R, W>> {
        rustix::io::ioctl_fionbio(&read, true)?;
        rustix::io::ioctl_fionbio(&write, true)?;
        let start = Clock::now();
        let duplex = Duplex {
            read,
            write: Some(write),
            ended: false,
            chunk: usize::MAX,
            shared: false,
            interrupter: None,
            start,
        };
        Ok(duplex)
    }

    /// Ends that others may hold too, such as a terminal shared with the shell. `O_NONBLOCK` belongs to all holders, so
    /// it is left alone, and only as much is moved as `poll(2)` promised.
    pub(crate) fn shared(read: R, write: W) -> io::Result<Duplex<R, W>> {
        let start = Clock::now();
        let duplex =
            Duplex { read, write: Some(write), ended: false, chunk: PIPE_BUF, shared: true, interrupter: None, start };
        Ok(duplex)
    }

    /// What ends a wait of this from another thread.
    pub(crate) fn interrupter(&mut self) -> io::Result<Interrupter> {
        let interrupter = match self.interrupter.take() {
            Some(interrupter) => interrupter,
            None => Interrupter::new(Alarm::Pipe(Pipe::new()?)),
        };
        self.interrupter = Some(interrupter.clone());
        Ok(interrupter)
    }

    /// From now on nothing ends a wait before its time.
    pub(crate) fn ignore_interrupts(&mut self) {
        self.interrupter = None;
    }

    /// Ends what we write. What is still sent counts as sent and goes nowhere.
    pub(crate) fn close_write(&mut self) {
        self.write = None;
    }

    /// Whether what is written goes nowhere.
    pub(crate) fn write_is_gone(&self) -> bool {
        self.write.is_none()
    }

    /// Whether the last byte has been read.
    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    /// What can still be read from, and written to: for who waits for several of these at once.
    pub(crate) fn ends(&self) -> (Option<&R>, Option<&W>) {
        ((!self.ended).then_some(&self.read), self.write.as_ref())
    }

    /// Milliseconds since this was made.
    pub(crate) fn now(&self) -> Instant {
        Instant::from_millis(u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// As [`umcp::io::Wire::transfer`] says. Once the end has been read, every call says `closed` again, but with
    /// something to send it still waits until that can leave.
    pub(crate) fn transfer(&mut self, out: &[u8], into: &mut [u8], until: Instant) -> io::Result<Moved> {
        if let Some(sent) = self.send_at_once(out)? {
            return Ok(Moved { sent, closed: self.ended, ..Moved::default() });
        }
        let mut only_read = self.may_block_in_read(out, into, until);
        loop {
            let ready = match only_read {
                true => Ready { read: true, ..Ready::default() },
                false => self.wait(!out.is_empty(), !into.is_empty(), until)?,
            };
            only_read = false;
            let sent = if ready.write { self.send(out)? } else { 0 };
            let received = if ready.read { self.receive(into)? } else { 0 };
            let interrupted = ready.interrupt && self.interrupter.as_ref().is_some_and(Interrupter::take);
            let moved = Moved { sent, received, closed: self.ended, interrupted };
            if moved != Moved::default() || ready.time_is_up {
                return Ok(moved);
            }
        }
    }

    /// A server that has nothing to send and nothing to look after may wait in `read(2)` itself: one system call less.
    /// Should the end turn out to be non-blocking, `poll(2)` follows.
    fn may_block_in_read(&self, out: &[u8], into: &[u8], until: Instant) -> bool {
        let only_reads = out.is_empty() && !into.is_empty() && until == Instant::NEVER;
        only_reads && self.shared && !self.ended && self.interrupter.is_none()
    }

    fn wait(&self, sends: bool, receives: bool, until: Instant) -> io::Result<Ready> {
        let read = (receives && !self.ended).then_some(&self.read);
        let write = self.write.as_ref().filter(|_| sends);
        let interrupt = self.interrupter.as_ref().and_then(Interrupter::pipe);
        let goes_nowhere = sends && write.is_none();

        let mut ends = Vec::with_capacity(3);
        ends.extend(read.map(|end| PollFd::new(end, PollFlags::IN)));
        ends.extend(write.map(|end| PollFd::new(end, PollFlags::OUT)));
        ends.extend(interrupt.map(|end| PollFd::new(end, PollFlags::IN)));

        let at_once = goes_nowhere || (self.ended && !sends);
        let limit = if at_once { Some(Duration::ZERO) } else { self.remaining(until) };
        match poll(&mut ends, limit.map(timespec).as_ref()) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(Ready::default()),
            Err(error) => return Err(error.into()),
        }

        // In the order in which they were put in. A hang-up or an error is for `read` and `write` to tell.
        let mut fired = ends.iter().map(|end| !end.revents().is_empty());
        let mut has_fired = |watched: bool| watched && fired.next().unwrap_or(false);
        Ok(Ready {
            read: has_fired(read.is_some()),
            write: has_fired(write.is_some()) || goes_nowhere,
            interrupt: has_fired(interrupt.is_some()),
            time_is_up: limit == Some(Duration::ZERO) || self.now() >= until,
        })
    }

    fn remaining(&self, until: Instant) -> Option<Duration> {
        if until == Instant::NEVER {
            return None;
        }
        let left = Duration::from_millis(until.as_millis()).saturating_sub(self.start.elapsed());
        Some(left.min(LONGEST_WAIT))
    }

    /// Sends what can leave without waiting, where the system can be asked for that: one system call less than to ask first.
    /// `None`: it cannot, or nothing can leave now.
    #[cfg(target_os = "linux")]
    fn send_at_once(&mut self, out: &[u8]) -> io::Result<Option<usize>> {
        use rustix::io::{ReadWriteFlags, pwritev2};
        /// The position of a stream, which has none.
        const NOWHERE: u64 = u64::MAX;
        let Some(write) = self.write.as_ref().filter(|_| self.shared && !out.is_empty()) else { return Ok(None) };
        match pwritev2(write, &[io::IoSlice::new(out)], NOWHERE, ReadWriteFlags::NOWAIT) {
            // Another error is told again by the ordinary way.
            Err(_) | Ok(0) => Ok(None),
            Ok(sent) => Ok(Some(sent)),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn send_at_once(&mut self, _out: &[u8]) -> io::Result<Option<usize>> {
        Ok(None)
    }

    fn send(&mut self, out: &[u8]) -> io::Result<usize> {
        let Some(write) = &self.write else { return Ok(out.len()) };
        match rustix::io::write(write, out.get(..self.chunk).unwrap_or(out)) {
            Ok(sent) => Ok(sent),
            Err(Errno::AGAIN | Errno::INTR) => Ok(0),
            Err(Errno::PIPE | Errno::CONNRESET | Errno::BADF) => {
                self.write = None;
                Ok(out.len())
            }
            Err(error) => Err(error.into()),
        }
    }

    fn receive(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match rustix::io::read(&self.read, into) {
            Ok(received) => {
                self.ended = received == 0;
                Ok(received)
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(0),
            Err(Errno::CONNRESET | Errno::BADF) => {
                self.ended = true;
                Ok(0)
            }
            Err(error) => Err(error.into()),
        }
    }
}

fn timespec(span: Duration) -> Timespec {
    Timespec { tv_sec: span.as_secs().cast_signed(), tv_nsec: span.subsec_nanos().into() }
}
