//! A way to end a wait from elsewhere.

#[cfg(any(not(unix), test))]
mod bell;
#[cfg(unix)]
mod pipe;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(any(not(unix), test))]
pub(crate) use bell::Bell;
#[cfg(unix)]
pub(crate) use pipe::Pipe;

/// Ends the waiting of one wire from any thread, for example from the one that handles Ctrl-C.
///
/// The wish is kept until the wire has reported it: a wire that was not waiting says `interrupted` at its next
/// transfer. Wishes that come before that count as one. Clones speak to the same wire.
#[derive(Clone, Debug)]
pub struct Interrupter(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    wanted: AtomicBool,
    alarm: Alarm,
}

/// What the wire listens to while it waits.
#[derive(Debug)]
pub(crate) enum Alarm {
    #[cfg(unix)]
    Pipe(Pipe),
    #[cfg(any(not(unix), test))]
    Bell(Arc<Bell>),
    /// Of who waits for streams that it opens and closes.
    Waker(mio::Waker),
}

impl Interrupter {
    pub(crate) fn new(alarm: Alarm) -> Interrupter {
        Interrupter(Arc::new(Shared { wanted: AtomicBool::new(false), alarm }))
    }

    /// Makes the wire's transfer return `interrupted` at once, or its next one if none is waiting.
    ///
    /// On Unix this is an atomic store and a `write(2)`, so a signal handler may call it too.
    pub fn interrupt(&self) {
        if self.0.wanted.swap(true, Ordering::SeqCst) {
            return;
        }
        match &self.0.alarm {
            #[cfg(unix)]
            Alarm::Pipe(pipe) => pipe.fill(),
            #[cfg(any(not(unix), test))]
            Alarm::Bell(bell) => bell.ring(),
            // It fails only where the system has no memory left for one event; the wish is then seen at the next transfer.
            Alarm::Waker(waker) => drop(waker.wake()),
        }
    }

    /// Whether a wish is pending.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.wanted.load(Ordering::SeqCst)
    }

    /// Whether somebody has interrupted since the last time; the wish is then fulfilled.
    ///
    /// The pipe is emptied before the flag falls. The other way round, a wish between the two would lose its byte.
    pub(crate) fn take(&self) -> bool {
        #[cfg(unix)]
        if let Some(pipe) = self.pipe() {
            pipe.empty();
        }
        self.0.wanted.swap(false, Ordering::SeqCst)
    }

    /// What is readable while a wish is pending.
    #[cfg(unix)]
    pub(crate) fn pipe(&self) -> Option<&Pipe> {
        match &self.0.alarm {
            Alarm::Pipe(pipe) => Some(pipe),
            #[cfg(test)]
            Alarm::Bell(_) => None,
            Alarm::Waker(_) => None,
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn interrupter() -> Interrupter {
        Interrupter::new(Alarm::Pipe(Pipe::new().unwrap()))
    }

    #[test]
    fn wishes_are_kept_until_taken_and_count_as_one() {
        let interrupter = interrupter();
        assert!(!interrupter.take());
        interrupter.clone().interrupt();
        interrupter.interrupt();
        assert!(interrupter.take());
        assert!(!interrupter.take());
    }

    #[test]
    fn no_wish_is_lost_in_a_race() {
        let interrupter = interrupter();
        let other = interrupter.clone();
        let wishes = std::thread::spawn(move || (0..20_000).for_each(|_| other.interrupt()));
        while !wishes.is_finished() {
            interrupter.take();
        }
        wishes.join().unwrap();
        interrupter.take();
        interrupter.interrupt();
        let bytes = rustix::io::read(interrupter.pipe().unwrap(), &mut [0_u8; 4]);
        assert_eq!(bytes, Ok(1), "a wish that is pending makes the pipe readable");
        assert!(interrupter.take());
    }
}
