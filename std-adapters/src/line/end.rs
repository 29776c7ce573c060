//! One open line, whatever it is.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};

#[cfg(unix)]
use std::fs::File;
#[cfg(unix)]
use std::os::fd::{AsFd, BorrowedFd};
#[cfg(unix)]
use std::os::unix::net::UnixStream;

#[derive(Debug)]
pub(crate) enum End {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
    #[cfg(unix)]
    Serial(File),
}

impl End {
    pub(super) fn try_clone(&self) -> io::Result<End> {
        match self {
            End::Tcp(stream) => stream.try_clone().map(End::Tcp),
            #[cfg(unix)]
            End::Unix(stream) => stream.try_clone().map(End::Unix),
            #[cfg(unix)]
            End::Serial(file) => file.try_clone().map(End::Serial),
        }
    }

    /// A serial line has no end that could be sent.
    pub(super) fn shutdown_write(&self) -> io::Result<()> {
        match self {
            End::Tcp(stream) => stream.shutdown(Shutdown::Write),
            #[cfg(unix)]
            End::Unix(stream) => stream.shutdown(Shutdown::Write),
            #[cfg(unix)]
            End::Serial(_) => Ok(()),
        }
    }

    pub(super) fn set_blocking(&self) -> io::Result<()> {
        match self {
            End::Tcp(stream) => stream.set_nonblocking(false),
            #[cfg(unix)]
            End::Unix(stream) => stream.set_nonblocking(false),
            #[cfg(unix)]
            End::Serial(file) => Ok(rustix::io::ioctl_fionbio(file, false)?),
        }
    }
}

/// Whether this is how the system says that the peer or the device is no longer there.
pub(super) fn has_gone(error: &io::Error) -> bool {
    use io::ErrorKind;
    let kinds = [
        ErrorKind::ConnectionReset,
        ErrorKind::ConnectionAborted,
        ErrorKind::BrokenPipe,
        ErrorKind::TimedOut,
        ErrorKind::HostUnreachable,
        ErrorKind::NetworkUnreachable,
        ErrorKind::NetworkDown,
    ];
    #[cfg(unix)]
    let device_has_gone = {
        use rustix::io::Errno;
        let errors = [Errno::IO, Errno::NXIO, Errno::NODEV];
        errors.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
    };
    #[cfg(not(unix))]
    let device_has_gone = false;
    device_has_gone || kinds.contains(&error.kind())
}

#[cfg(unix)]
impl AsFd for End {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            End::Tcp(stream) => stream.as_fd(),
            End::Unix(stream) => stream.as_fd(),
            End::Serial(file) => file.as_fd(),
        }
    }
}

impl Read for End {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            End::Tcp(stream) => stream.read(into),
            #[cfg(unix)]
            End::Unix(stream) => stream.read(into),
            #[cfg(unix)]
            End::Serial(file) => file.read(into),
        }
    }
}

impl Write for End {
    fn write(&mut self, out: &[u8]) -> io::Result<usize> {
        match self {
            End::Tcp(stream) => stream.write(out),
            #[cfg(unix)]
            End::Unix(stream) => stream.write(out),
            #[cfg(unix)]
            End::Serial(file) => file.write(out),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
