//! The streams to an HTTP server as a [`Wire`].

use std::fmt;
use std::io;
use std::net::{Ipv6Addr, SocketAddr, ToSocketAddrs as _};
use std::time::{Duration as Span, Instant as Clock};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token, Waker};
use umcp::io::{Moved, Wire};
use umcp::time::Instant;

use super::roots::{Roots, Trust};
use super::stream::Stream;
use super::url::Url;
use crate::Interrupter;
use crate::interrupt::Alarm;

/// How long a connection may take to be made, for each address that a host's name stands for.
pub const CONNECT_TIMEOUT: Span = Span::from_secs(5);

/// How long a message may take that leaves on a stream of its own.
pub const ERRAND_TIMEOUT: Span = Span::from_secs(5);
/// How long a status line is as far as the status: `HTTP/1.1 202`.
const STATUS: usize = 12;

const STREAM: Token = Token(0);
const WAKER: Token = Token(1);
/// No single wait is longer: the system counts it in a small integer. The wait then just goes on.
const LONGEST_WAIT: Span = Span::from_secs(3600);

/// One stream at a time to the host of a URL, opened and closed as the connection over it wants.
///
/// All addresses of a name are tried, in the order in which the system gives them: `localhost` may be `::1` where the server only listens at
/// `127.0.0.1`. `https` streams are verified, always.
pub struct HttpWire {
    url: Url,
    trust: Trust,
    poll: Poll,
    events: Events,
    stream: Option<Stream>,
    interrupter: Interrupter,
    start: Clock,
}

impl HttpWire {
    /// A wire to the host of this URL. Nothing is opened yet.
    ///
    /// # Errors
    /// There are too many open files.
    pub fn new(url: Url, roots: Roots) -> io::Result<HttpWire> {
        let poll = Poll::new()?;
        let waker = Waker::new(poll.registry(), WAKER)?;
        let interrupter = Interrupter::new(Alarm::Waker(waker));
        Ok(HttpWire {
            url,
            trust: Trust::new(roots),
            poll,
            events: Events::with_capacity(4),
            stream: None,
            interrupter,
            start: Clock::now(),
        })
    }

    /// A second wire to the same host, on which nothing is open yet.
    ///
    /// # Errors
    /// As [`new`](HttpWire::new).
    pub fn another(&self) -> io::Result<HttpWire> {
        let mut wire = HttpWire::new(self.url.clone(), self.trust.roots.clone())?;
        wire.trust = self.trust.clone();
        Ok(wire)
    }

    /// What ends a wait of this wire from another thread.
    #[must_use]
    pub fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    fn connect(&mut self, until: Instant) -> io::Result<Stream> {
        let (host, port) = (self.url.host(), self.url.port());
        let found = (host, port).to_socket_addrs().map_err(|error| self.unreachable(error))?;
        let mut addresses: Vec<SocketAddr> = found.collect();
        if host == "localhost" {
            // Both of them, whatever the system's table of names says (RFC 6761, section 6.3).
            let loopbacks = [SocketAddr::from(([127, 0, 0, 1], port)), SocketAddr::from((Ipv6Addr::LOCALHOST, port))];
            addresses.extend(loopbacks.into_iter().filter(|address| !addresses.contains(address)).collect::<Vec<_>>());
        }
        let mut last = io::Error::new(io::ErrorKind::NotFound, "the name stands for no address");
        for address in addresses {
            match self.connect_to(address, until) {
                Ok(tcp) => return Stream::new(tcp, &self.url, &mut self.trust),
                Err(error) => last = error,
            }
        }
        Err(self.unreachable(last))
    }

    fn unreachable(&self, error: io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("cannot reach {}: {error}", self.url.authority()))
    }

    fn connect_to(&mut self, address: SocketAddr, until: Instant) -> io::Result<TcpStream> {
        let mut tcp = TcpStream::connect(address)?;
        self.poll.registry().register(&mut tcp, STREAM, Interest::READABLE | Interest::WRITABLE)?;
        let limit = Clock::now() + CONNECT_TIMEOUT;
        loop {
            let left = limit.saturating_duration_since(Clock::now());
            let left = self.remaining(until).map_or(left, |until| until.min(left));
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.wait(Some(left))?;
            if self.interrupter.is_wanted() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            if let Some(error) = tcp.take_error()? {
                return Err(error);
            }
            match tcp.peer_addr() {
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::NotConnected => {}
                Err(error) => return Err(error),
            }
        }
        // Requests are small and wait for their answers.
        tcp.set_nodelay(true)?;
        Ok(tcp)
    }

    fn remaining(&self, until: Instant) -> Option<Span> {
        let until = (until != Instant::NEVER).then(|| Span::from_millis(until.as_millis()))?;
        Some(until.saturating_sub(self.start.elapsed()))
    }

    fn wait(&mut self, limit: Option<Span>) -> io::Result<()> {
        let limit = limit.map_or(LONGEST_WAIT, |limit| limit.min(LONGEST_WAIT));
        match self.poll.poll(&mut self.events, Some(limit)) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            waited => waited,
        }
    }
}

impl Wire for HttpWire {
    type Error = io::Error;

    /// Milliseconds since this was made.
    fn now(&mut self) -> Instant {
        Instant::from_millis(u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// It reads before it writes: a server that has closed an idle stream is noticed before a request is lost on it.
    fn transfer(&mut self, out: &[u8], into: &mut [u8], until: Instant) -> io::Result<Moved> {
        loop {
            let mut moved = Moved { interrupted: self.interrupter.take(), ..Moved::default() };
            if let Some(stream) = &mut self.stream {
                (moved.received, moved.closed) = stream.receive(into)?;
                if moved.received == 0 && !moved.closed {
                    moved.sent = stream.send(out)?;
                }
            }
            if moved != Moved::default() {
                return Ok(moved);
            }
            let left = self.remaining(until);
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(moved);
            }
            self.wait(left)?;
        }
    }

    fn open_stream(&mut self, until: Instant) -> io::Result<()> {
        self.close_stream();
        self.stream = Some(self.connect(until)?);
        Ok(())
    }

    /// While it takes, the open stream waits; it is bounded by [`CONNECT_TIMEOUT`] and by [`ERRAND_TIMEOUT`].
    fn errand(&mut self, post: &[u8], until: Instant) -> io::Result<bool> {
        let mut wire = self.another()?;
        let left = self.remaining(until).unwrap_or(ERRAND_TIMEOUT).min(ERRAND_TIMEOUT);
        let until = Instant::from_millis(u64::try_from(left.as_millis()).unwrap_or(u64::MAX));
        wire.open_stream(until)?;
        let (mut sent, mut reply, mut received) = (0, [0; STATUS], 0);
        while received < reply.len() && wire.now() < until {
            let (_, into) = reply.split_at_mut(received);
            let moved = wire.transfer(post.get(sent..).unwrap_or_default(), into, until)?;
            sent += moved.sent;
            received += moved.received;
            if moved.closed {
                break;
            }
        }
        Ok(reply.get(9) == Some(&b'2'))
    }

    fn close_stream(&mut self) {
        if let Some(stream) = self.stream.take() {
            stream.close();
        }
    }
}

impl fmt::Debug for HttpWire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpWire").field("url", &self.url).field("open", &self.stream.is_some()).finish_non_exhaustive()
    }
}
