//! Waiting where there is no `poll(2)`: one thread reads, another writes, and a bell says that something has changed.

use std::io::{self, ErrorKind, Read, Write};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant as Clock};

use umcp::io::Moved;
use umcp::time::Instant;

use crate::interrupt::{Alarm, Bell, Interrupter};

/// What one read or write moves at most.
const CHUNK: usize = 8 * 1024;
/// So many chunks wait in each direction. Then the peer, or the caller, has to.
const CHUNKS: usize = 4;
/// How long the last chunks may take to leave when both ends are given up.
const FLUSH: Duration = Duration::from_secs(2);

/// A readable and a writable end, taken together. Bytes count as sent once the writing thread has them.
#[derive(Debug)]
pub(crate) struct Duplex<R, W> {
    arrivals: Receiver<io::Result<Vec<u8>>>,
    /// What has arrived and does not fit the caller's buffer yet.
    rest: Vec<u8>,
    /// `None` when the peer no longer reads, or we have closed it: what is written then goes nowhere.
    departures: Option<SyncSender<Vec<u8>>>,
    shared: Arc<Shared>,
    ended: bool,
    interrupter: Option<Interrupter>,
    start: Clock,
    ends: PhantomData<(R, W)>,
}

/// What the threads tell.
#[derive(Debug, Default)]
struct Shared {
    bell: Arc<Bell>,
    write_error: Mutex<Option<io::Error>>,
    write_is_over: AtomicBool,
}

impl<R: Read + Send + 'static, W: Write + Send + 'static> Duplex<R, W> {
    /// Starts the two threads. The reading one ends when its end does, even if this is dropped before.
    pub(crate) fn private(read: R, write: W) -> io::Result<Duplex<R, W>> {
        let (sender, arrivals) = sync_channel(CHUNKS);
        let (departures, receiver) = sync_channel(CHUNKS);
        let shared = Arc::new(Shared::default());
        let (for_read, for_write) = (shared.clone(), shared.clone());
        thread::Builder::new().name("umcp read".into()).spawn(move || for_read.read(read, sender))?;
        thread::Builder::new().name("umcp write".into()).spawn(move || for_write.write(write, &receiver))?;
        Ok(Duplex {
            arrivals,
            rest: Vec::new(),
            departures: Some(departures),
            shared,
            ended: false,
            interrupter: None,
            start: Clock::now(),
            ends: PhantomData,
        })
    }

    /// The same, since here nothing is done to the ends that another holder could notice.
    pub(crate) fn shared(read: R, write: W) -> io::Result<Duplex<R, W>> {
        Duplex::private(read, write)
    }
}

impl Shared {
    fn read(&self, mut from: impl Read, arrivals: SyncSender<io::Result<Vec<u8>>>) {
        let mut chunk = vec![0; CHUNK];
        loop {
            let arrived = match from.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => Ok(chunk.iter().take(count).copied().collect()),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if is_gone(&error) => break,
                Err(error) => Err(error),
            };
            let failed = arrived.is_err();
            if arrivals.send(arrived).is_err() || failed {
                break;
            }
            self.bell.ring();
        }
        drop(arrivals);
        self.bell.ring();
    }

    fn write(&self, mut to: impl Write, departures: &Receiver<Vec<u8>>) {
        while let Ok(chunk) = departures.recv() {
            if let Err(error) = to.write_all(&chunk).and_then(|()| to.flush()) {
                *self.write_error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                break;
            }
            self.bell.ring();
        }
        drop(to);
        self.write_is_over.store(true, Ordering::SeqCst);
        self.bell.ring();
    }
}

impl<R, W> Duplex<R, W> {
    /// What ends a wait of this from another thread.
    #[expect(clippy::unnecessary_wraps, reason = "where there is poll(2), it can fail")]
    pub(crate) fn interrupter(&mut self) -> io::Result<Interrupter> {
        let bell = &self.shared.bell;
        Ok(self.interrupter.get_or_insert_with(|| Interrupter::new(Alarm::Bell(bell.clone()))).clone())
    }

    /// From now on nothing ends a wait before its time.
    pub(crate) fn ignore_interrupts(&mut self) {
        self.interrupter = None;
    }

    /// Ends what we write, once the chunks that still wait have left. What is sent from now on counts as sent and goes
    /// nowhere.
    pub(crate) fn close_write(&mut self) {
        self.departures = None;
    }

    /// Whether what is written goes nowhere.
    pub(crate) fn write_is_gone(&self) -> bool {
        self.departures.is_none()
    }

    /// Whether the last byte has been read.
    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    /// Milliseconds since this was made.
    pub(crate) fn now(&self) -> Instant {
        Instant::from_millis(u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// As [`umcp::io::Wire::transfer`] says. Once the end has been read, every call says `closed` again, but with
    /// something to send it still waits until that can leave.
    pub(crate) fn transfer(&mut self, out: &[u8], into: &mut [u8], until: Instant) -> io::Result<Moved> {
        let waits_to_send = self.ended && !out.is_empty();
        loop {
            let seen = self.shared.bell.rings();
            let sent = self.send(out)?;
            let received = self.receive(into)?;
            let interrupted = self.interrupter.as_ref().is_some_and(Interrupter::take);
            let moved = Moved { sent, received, closed: self.ended, interrupted };
            let nothing = Moved { closed: waits_to_send, ..Moved::default() };
            if moved != nothing || self.now() >= until {
                return Ok(moved);
            }
            self.shared.bell.wait(seen, self.remaining(until));
        }
    }

    fn remaining(&self, until: Instant) -> Option<Duration> {
        let until = (until != Instant::NEVER).then(|| Duration::from_millis(until.as_millis()))?;
        Some(until.saturating_sub(self.start.elapsed()))
    }

    fn send(&mut self, out: &[u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        let Some(departures) = &self.departures else { return Ok(out.len()) };
        let chunk = out.get(..CHUNK).unwrap_or(out);
        match departures.try_send(chunk.to_vec()) {
            Ok(()) => Ok(chunk.len()),
            Err(TrySendError::Full(_)) => Ok(0),
            Err(TrySendError::Disconnected(_)) => {
                self.departures = None;
                match self.shared.write_error.lock().unwrap_or_else(PoisonError::into_inner).take() {
                    Some(error) if !is_gone(&error) => Err(error),
                    _ => Ok(out.len()),
                }
            }
        }
    }

    fn receive(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        if self.rest.is_empty() {
            match self.arrivals.try_recv() {
                Ok(arrived) => self.rest = arrived?,
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) => self.ended = true,
            }
        }
        let received = self.rest.len().min(into.len());
        for (to, from) in into.iter_mut().zip(self.rest.drain(..received)) {
            *to = from;
        }
        Ok(received)
    }

    fn write_is_over(&self) -> bool {
        self.shared.write_is_over.load(Ordering::SeqCst)
    }
}

/// The peer no longer being there is not an error.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset)
}

/// What has been sent leaves, so that a program's last words are not lost when it ends right after them.
impl<R, W> Drop for Duplex<R, W> {
    fn drop(&mut self) {
        self.departures = None;
        let patience = Clock::now();
        loop {
            let seen = self.shared.bell.rings();
            let left = FLUSH.saturating_sub(patience.elapsed());
            if self.write_is_over() || left.is_zero() {
                return;
            }
            self.shared.bell.wait(seen, Some(left));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pipes() -> (Duplex<io::PipeReader, io::PipeWriter>, io::PipeReader, io::PipeWriter) {
        let (read, their_write) = io::pipe().unwrap();
        let (their_read, write) = io::pipe().unwrap();
        (Duplex::private(read, write).unwrap(), their_read, their_write)
    }

    fn after(duplex: &Duplex<io::PipeReader, io::PipeWriter>, millis: u32) -> Instant {
        duplex.now() + umcp::time::Duration::from_millis(millis)
    }

    #[test]
    fn bytes_go_both_ways_and_the_end_is_told_again_and_again() {
        let (mut duplex, mut their_read, mut their_write) = pipes();
        let mut buffer = [0; 3];
        assert_eq!(duplex.transfer(b"to", &mut [], Instant::NEVER).unwrap().sent, 2);
        let mut heard = [0; 2];
        their_read.read_exact(&mut heard).unwrap();
        assert_eq!(&heard, b"to");
        their_write.write_all(b"from").unwrap();
        drop(their_write);
        assert_eq!(duplex.transfer(&[], &mut buffer, Instant::NEVER).unwrap().received, 3);
        assert_eq!(duplex.transfer(&[], &mut buffer, Instant::NEVER).unwrap().received, 1);
        let closed = Moved { closed: true, ..Moved::default() };
        assert_eq!(duplex.transfer(&[], &mut buffer, Instant::NEVER).unwrap(), closed);
        assert_eq!(duplex.transfer(&[], &mut buffer, Instant::NEVER).unwrap(), closed);
        let sent = duplex.transfer(b"!", &mut buffer, Instant::NEVER).unwrap();
        assert_eq!(sent, Moved { sent: 1, closed: true, ..Moved::default() });
    }

    #[test]
    fn time_and_interruption_end_a_wait() {
        let (mut duplex, _their_read, _their_write) = pipes();
        let until = after(&duplex, 50);
        assert_eq!(duplex.transfer(&[], &mut [0], until).unwrap(), Moved::default());
        assert!(duplex.now() >= until);

        let interrupter = duplex.interrupter().unwrap();
        let other = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            interrupter.interrupt();
        });
        let interrupted = Moved { interrupted: true, ..Moved::default() };
        assert_eq!(duplex.transfer(&[], &mut [0], Instant::NEVER).unwrap(), interrupted);
        other.join().unwrap();
    }

    #[test]
    fn a_full_pipe_is_back_pressure_and_a_gone_reader_is_not_an_error() {
        let (mut duplex, their_read, _their_write) = pipes();
        let mut sent = 0;
        loop {
            let until = after(&duplex, 200);
            match duplex.transfer(&[0; CHUNK], &mut [], until).unwrap().sent {
                0 => break,
                count => sent += count,
            }
        }
        assert!((64 * 1024..=256 * 1024).contains(&sent), "{sent}");
        drop(their_read);
        let until = after(&duplex, 1_000);
        assert_eq!(duplex.transfer(b"nowhere", &mut [], until).unwrap().sent, 7);
    }
}
