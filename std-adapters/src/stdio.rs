//! Our own standard input and output: the wire of a server that a client has started.

use std::io::{self, Stdin, Stdout};

use umcp::io::{Moved, Wire};
use umcp::time::Instant;

use crate::Interrupter;
use crate::poll::Duplex;

/// Standard input and output as a [`Wire`], whatever they are: pipes, sockets, files, a terminal, `/dev/null`, closed.
///
/// Nothing else may read from the one or print to the other meanwhile: `println!` in a handler lands between two
/// messages. There is no buffer in between, so nothing has to be flushed at the end.
///
/// The streams are left as they were found, blocking or not, since a terminal's belong to the shell too. The price: on
/// a terminal that takes no more (Ctrl-S), and on one that is written to by others at the same time, a write may take
/// longer than `until`.
#[derive(Debug)]
pub struct Stdio {
    duplex: Duplex<Stdin, Stdout>,
    /// What has been taken and has not left: the answers to requests that arrived together leave together.
    gathered: Vec<u8>,
}

/// How much is gathered at most.
const GATHERED: usize = 8 << 10;

impl Stdio {
    /// The standard streams of this program.
    ///
    /// # Errors
    /// On Unix none. Elsewhere two threads do the waiting, and they could not be started.
    pub fn new() -> io::Result<Stdio> {
        Ok(Stdio { duplex: Duplex::shared(io::stdin(), io::stdout())?, gathered: Vec::new() })
    }

    /// What ends a wait from another thread. A server that needs none saves a system call for each message.
    ///
    /// # Errors
    /// There are too many open files.
    pub fn interrupter(&mut self) -> io::Result<Interrupter> {
        self.duplex.interrupter()
    }
}

impl Wire for Stdio {
    type Error = io::Error;

    /// Milliseconds since this was made.
    fn now(&mut self) -> Instant {
        self.duplex.now()
    }

    /// A client that reads no longer gets no answers, so it is `closed` as well, once what it sent before has been read.
    fn transfer(&mut self, out: &[u8], into: &mut [u8], until: Instant) -> io::Result<Moved> {
        if !out.is_empty() && self.gathered.len() + out.len() <= GATHERED {
            self.gathered.extend_from_slice(out);
            return Ok(Moved { sent: out.len(), ..Moved::default() });
        }
        loop {
            let gathered = !self.gathered.is_empty();
            let mut moved = self.step(if gathered { None } else { Some(out) }, into, until)?;
            if gathered {
                self.gathered.drain(..moved.sent);
                let sent = std::mem::take(&mut moved.sent);
                // What was gathered has left, and nothing else has happened: go on to what was asked for.
                if sent > 0 && moved == Moved::default() {
                    continue;
                }
            }
            return Ok(moved);
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        while !self.gathered.is_empty() {
            let moved = self.duplex.transfer(&self.gathered, &mut [], Instant::NEVER)?;
            self.gathered.drain(..moved.sent);
        }
        Ok(())
    }
}

impl Stdio {
    /// One transfer of `out`, or of what has been gathered.
    fn step(&mut self, out: Option<&[u8]>, into: &mut [u8], until: Instant) -> io::Result<Moved> {
        let nobody_listens = self.duplex.write_is_gone();
        let until = if nobody_listens { Instant::ZERO } else { until };
        let mut moved = self.duplex.transfer(out.unwrap_or(&self.gathered), into, until)?;
        moved.closed |= nobody_listens && moved.received == 0;
        Ok(moved)
    }
}
