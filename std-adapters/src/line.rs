//! Servers that are reached rather than started, and speak a message a line: on a serial line, a TCP socket or a Unix socket.

mod address;
mod end;
#[cfg(unix)]
mod serial;

use std::io;
use std::time::Duration as StdDuration;

use umcp::io::{Moved, Wire};
use umcp::time::Instant;

pub use address::{Address, AddressError, DEFAULT_BAUD, OpenError};

use crate::Interrupter;
use crate::poll::Duplex;
use end::End;

/// How long a TCP connection may take to be made, for each address that its name stands for.
pub const CONNECT_TIMEOUT: StdDuration = StdDuration::from_secs(5);

/// An open line as a [`Wire`].
///
/// `closed` means that the peer has closed its side, or that the device has gone: a cable that is pulled is no error, what arrived before still
/// counts, and [`Address::open`] opens the line again once the device is back.
#[derive(Debug)]
pub struct LineWire {
    duplex: Duplex<End, End>,
    /// To say that nothing more comes from us.
    end: End,
    interrupter: Interrupter,
    gone: bool,
}

impl LineWire {
    fn of(end: End) -> io::Result<LineWire> {
        let mut duplex = Duplex::private(end.try_clone()?, end.try_clone()?)?;
        let interrupter = duplex.interrupter()?;
        Ok(LineWire { duplex, end, interrupter, gone: false })
    }

    /// What ends a wait of this wire from another thread.
    #[must_use]
    pub fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    /// Says that nothing more will be sent, where the line can tell its peer so: a serial line cannot. What the peer still sends can be read.
    pub fn close_write(&mut self) {
        self.duplex.close_write();
        // It fails if the peer has gone already.
        let _ = self.end.shutdown_write();
    }

    /// The same line a second time, as plain streams that block: one to read from, one to write to.
    ///
    /// # Errors
    /// There are too many open files.
    pub fn into_streams(self) -> io::Result<(impl io::Read + Send + 'static, impl io::Write + Send + 'static)> {
        let LineWire { duplex, end, .. } = self;
        drop(duplex);
        end.set_blocking()?;
        Ok((end.try_clone()?, end))
    }

    /// What to wait for, for who waits for several wires at once.
    #[cfg(unix)]
    pub(crate) fn ends(&self) -> (Option<std::os::fd::BorrowedFd<'_>>, Option<std::os::fd::BorrowedFd<'_>>) {
        let (read, write) = self.duplex.ends();
        (read.map(std::os::fd::AsFd::as_fd), write.map(std::os::fd::AsFd::as_fd))
    }
}

impl Wire for LineWire {
    type Error = io::Error;

    /// Milliseconds since the line was opened.
    fn now(&mut self) -> Instant {
        self.duplex.now()
    }

    fn transfer(&mut self, out: &[u8], into: &mut [u8], until: Instant) -> io::Result<Moved> {
        if self.gone {
            return Ok(Moved { closed: true, ..Moved::default() });
        }
        match self.duplex.transfer(out, into, until) {
            Err(error) if end::has_gone(&error) => {
                self.gone = true;
                Ok(Moved { closed: true, ..Moved::default() })
            }
            moved => moved,
        }
    }
}
