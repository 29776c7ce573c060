//! The pipe that ends a `poll(2)`.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

/// What makes `poll(2)` return. Neither end blocks.
#[derive(Debug)]
pub(crate) struct Pipe {
    read: io::PipeReader,
    write: io::PipeWriter,
}

impl Pipe {
    pub(crate) fn new() -> io::Result<Pipe> {
        let (read, write) = io::pipe()?;
        rustix::io::ioctl_fionbio(&read, true)?;
        rustix::io::ioctl_fionbio(&write, true)?;
        Ok(Pipe { read, write })
    }

    /// A full pipe is as good as one more byte in it, so the result does not matter.
    pub(super) fn fill(&self) {
        let _ = rustix::io::write(&self.write, &[1]);
    }

    /// More than one byte is in it only when a wish and its fulfilment crossed.
    pub(super) fn empty(&self) {
        let _ = rustix::io::read(&self.read, &mut [0_u8; 16]);
    }
}

impl AsFd for Pipe {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.read.as_fd()
    }
}
