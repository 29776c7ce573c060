//! What a blocking driver needs of the outside world: a byte stream that can wait, and a clock.

use embedded_io::{ErrorType, Read, ReadReady, Write};

use crate::time::Instant;

/// What one [`Wire::transfer`] did. All zero and `false`: the time was up first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Bytes of `out` that have left.
    pub sent: usize,
    /// Bytes that have arrived in `into`.
    pub received: usize,
    /// The peer has closed its side; nothing more will arrive.
    pub closed: bool,
    /// Somebody wants the waiting to stop, for example a user who pressed Ctrl-C.
    pub interrupted: bool,
}

/// A two-way byte stream with a clock beside it. It moves whichever direction can move, so that two ends
/// with full buffers never wait for each other.
pub trait Wire {
    /// What can go wrong below.
    type Error;

    /// The time now.
    fn now(&mut self) -> Instant;

    /// Waits until some of `out` can leave or something can be read, or until `until`, then moves what it can.
    ///
    /// With `out` empty it only reads; with `into` empty it only writes; a short transfer is normal.
    ///
    /// # Errors
    /// The stream failed. A peer that merely went away is `closed`, not an error: what it sent before still counts.
    fn transfer(&mut self, out: &[u8], into: &mut [u8], until: Instant) -> Result<Moved, Self::Error>;

    /// Waits until everything that [`transfer`](Wire::transfer) has taken is on its way. A wire that gathers what it sends, to send it
    /// together, also does this by itself before it waits for something to read.
    ///
    /// # Errors
    /// The stream failed.
    fn flush(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Opens a stream to the server, and closes the one before if there is one. Until then, and after [`close_stream`](Wire::close_stream), there is none:
    /// [`transfer`](Wire::transfer) then only waits. Only called over HTTP, where every wire has to have it.
    ///
    /// # Errors
    /// No stream could be opened by `until`.
    fn open_stream(&mut self, until: Instant) -> Result<(), Self::Error> {
        let _ = until;
        Ok(())
    }

    /// Closes the stream, both ways. Only called over HTTP.
    fn close_stream(&mut self) {}

    /// Sends all of this on a stream of its own, beside the one that is open, and says whether the server's reply begins with a status below
    /// 300. Only called over HTTP, with legacy servers: their questions are answered so. `false` where there can be but one stream: the question stays
    /// unanswered.
    ///
    /// # Errors
    /// No stream could be opened by `until`, or it failed.
    fn errand(&mut self, post: &[u8], until: Instant) -> Result<bool, Self::Error> {
        let _ = (post, until);
        Ok(false)
    }
}

impl<W: Wire + ?Sized> Wire for &mut W {
    type Error = W::Error;

    fn now(&mut self) -> Instant {
        (**self).now()
    }

    fn transfer(&mut self, out: &[u8], into: &mut [u8], until: Instant) -> Result<Moved, W::Error> {
        (**self).transfer(out, into, until)
    }

    fn flush(&mut self) -> Result<(), W::Error> {
        (**self).flush()
    }

    fn open_stream(&mut self, until: Instant) -> Result<(), W::Error> {
        (**self).open_stream(until)
    }

    fn close_stream(&mut self) {
        (**self).close_stream();
    }

    fn errand(&mut self, post: &[u8], until: Instant) -> Result<bool, W::Error> {
        (**self).errand(post, until)
    }
}

/// A [`Wire`] over an `embedded_io` stream, such as a UART, and a clock: it asks [`ReadReady`] until the time is up and
/// calls `idle` in between, which may sleep until the next interrupt.
///
/// Writing blocks as the stream's own `write` does.
#[derive(Debug)]
pub struct Polled<S, C, I> {
    stream: S,
    clock: C,
    idle: I,
}

impl<S, C, I> Polled<S, C, I>
where
    S: Read + Write + ReadReady,
    C: FnMut() -> Instant,
    I: FnMut(),
{
    /// A wire of `stream`; `clock` tells the time, and `idle` is called whenever there is nothing to do.
    pub fn new(stream: S, clock: C, idle: I) -> Polled<S, C, I> {
        Polled { stream, clock, idle }
    }

    /// The stream, given back.
    pub fn into_inner(self) -> S {
        self.stream
    }
}

impl<S: ErrorType, C, I> Wire for Polled<S, C, I>
where
    S: Read + Write + ReadReady,
    C: FnMut() -> Instant,
    I: FnMut(),
{
    type Error = S::Error;

    fn now(&mut self) -> Instant {
        (self.clock)()
    }

    fn transfer(&mut self, out: &[u8], into: &mut [u8], until: Instant) -> Result<Moved, S::Error> {
        loop {
            if !into.is_empty() && self.stream.read_ready()? {
                let received = self.stream.read(into)?;
                return Ok(Moved { received, closed: received == 0, ..Moved::default() });
            }
            if !out.is_empty() {
                let sent = self.stream.write(out)?;
                if sent == out.len() {
                    self.stream.flush()?;
                }
                return Ok(Moved { sent, ..Moved::default() });
            }
            if self.now() >= until {
                return Ok(Moved::default());
            }
            (self.idle)();
        }
    }
}
