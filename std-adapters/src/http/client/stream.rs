//! One TCP stream, with TLS over it or without. Nothing here waits.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::Shutdown;

use mio::net::TcpStream;

use super::roots::Trust;
#[cfg(feature = "tls")]
use super::tls::Tls;
use super::url::Url;

pub(super) enum Stream {
    Plain(TcpStream),
    #[cfg(feature = "tls")]
    Tls(Box<Tls>),
}

impl Stream {
    pub(super) fn new(tcp: TcpStream, url: &Url, trust: &mut Trust) -> io::Result<Stream> {
        if !url.is_secure() {
            return Ok(Stream::Plain(tcp));
        }
        #[cfg(feature = "tls")]
        return Ok(Stream::Tls(Box::new(Tls::new(tcp, url, trust)?)));
        #[cfg(not(feature = "tls"))]
        Err(io::Error::new(
            ErrorKind::Unsupported,
            format!(
                "{url}: this build has no TLS, and trusts nobody ({:?}): build it with the feature `tls`",
                trust.roots
            ),
        ))
    }

    /// How much has been read, and whether the peer has closed the stream. A reset is a close: what came before still counts.
    pub(super) fn receive(&mut self, into: &mut [u8]) -> io::Result<(usize, bool)> {
        if into.is_empty() {
            return Ok((0, false));
        }
        let received = match self {
            Stream::Plain(tcp) => tcp.read(into),
            #[cfg(feature = "tls")]
            Stream::Tls(tls) => tls.receive(into),
        };
        match received {
            Ok(received) => Ok((received, received == 0)),
            Err(error) if is_pause(&error) => Ok((0, false)),
            Err(error) if is_end(&error) => Ok((0, true)),
            Err(error) => Err(error),
        }
    }

    /// How much has been taken. A peer that takes nothing any more is told of by [`receive`](Stream::receive), with what it has said before.
    pub(super) fn send(&mut self, out: &[u8]) -> io::Result<usize> {
        let sent = match self {
            Stream::Plain(tcp) if !out.is_empty() => tcp.write(out),
            Stream::Plain(_) => Ok(0),
            #[cfg(feature = "tls")]
            Stream::Tls(tls) => tls.send(out),
        };
        match sent {
            Err(error) if is_pause(&error) => Ok(0),
            Err(error) if is_end(&error) => Ok(out.len()),
            sent => sent,
        }
    }

    /// Closes it, both ways: a server that still works on a request notices.
    pub(super) fn close(self) {
        // It may be closed already.
        let _ = match self {
            Stream::Plain(tcp) => tcp.shutdown(Shutdown::Both),
            #[cfg(feature = "tls")]
            Stream::Tls(tls) => tls.into_tcp().shutdown(Shutdown::Both),
        };
    }
}

fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

fn is_end(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe | ErrorKind::UnexpectedEof
    )
}
