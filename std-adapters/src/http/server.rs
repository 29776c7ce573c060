//! [`HttpServer`]: one thread, a bounded pool of connections, each a state machine of fixed memory.

mod memory;
mod pool;
mod slot;

use std::fmt;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration as Span, Instant as Clock};

use mio::net::TcpListener;
use mio::{Events, Interest, Poll, Token, Waker};
use umcp::http::server::{HttpSession, Sessions, Site};
use umcp::server::{Catalog, Endpoint, Event};
use umcp::time::Instant;

use memory::{Sizes, SlotMemory};
pub use pool::Pool;

/// Bytes of each connection for the headers that a request needs.
pub const HEAD_BUFFER: usize = 1024;
/// Bytes of each connection's receive buffer unless [`HttpServer::buffers`] says otherwise: the longest message, less one.
pub const RECEIVE_BUFFER: usize = 2048;
/// Bytes of its transmit buffer, likewise: the longest reply that a handler writes at once, less one.
pub const TRANSMIT_BUFFER: usize = 2048;
/// How many connections are open at once unless [`HttpServer::connections`] says otherwise.
pub const CONNECTIONS: usize = 64;
/// How many sessions of legacy clients there may be.
pub const SESSIONS: usize = 32;
/// Bytes of events that legacy clients may ask for again.
pub const REPLAY: usize = 16 * 1024;
/// How long an open call may still take after the server was told to stop.
pub const STOP_TIMEOUT: Span = Span::from_secs(5);

/// How long until another look for room.
const ROOM_PAUSE: Span = Span::from_millis(1);
/// How long until another try, after the system had no room for a connection.
const ACCEPT_PAUSE: Span = Span::from_millis(100);

const LISTENER: Token = Token(usize::MAX);
const WAKER: Token = Token(usize::MAX - 1);
const EVENTS: usize = 256;
/// How often in a row the application may go on before the sockets are looked at again.
const TICKS: usize = 16;

/// A server over HTTP: it binds, then [runs](HttpServer::run) on the calling thread until it is [stopped](Stopper::stop).
///
/// No thread waits for a slow peer: every connection is a state machine, and all of them are driven from one loop. Behind the limit of connections,
/// the one that has been idle for longest makes room, then one that is about to close, then the one that has taken longest over its request; if
/// all are being served, a new one is answered with 503.
///
/// ```no_run
/// use umcp::server::Catalog;
/// use umcp_std::http::server::HttpServer;
/// use umcp::tool;
///
/// static CATALOG: Catalog<()> =
///     Catalog::new("greeter", "1.0.0").tools(&[tool!("hello", "Greets.", |(), call| call.text("hello"))]);
///
/// # fn main() -> std::io::Result<()> {
/// let server = HttpServer::bind("127.0.0.1:8080")?;
/// eprintln!("listening on http://{}/mcp", server.address());
/// server.run(&CATALOG, ())
/// # }
/// ```
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    poll: Poll,
    waker: Arc<Waker>,
    stopped: Arc<AtomicBool>,
    site: Site<'static>,
    origins: Vec<String>,
    hosts: Vec<String>,
    connections: usize,
    sizes: Sizes,
}

/// Stops a server, from another thread: subscriptions end with their final result, calls that are open may end within [`STOP_TIMEOUT`].
#[derive(Clone, Debug)]
pub struct Stopper {
    waker: Arc<Waker>,
    stopped: Arc<AtomicBool>,
}

impl Stopper {
    /// Stops it. [`HttpServer::run`] returns soon after.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Without it, the server notices at its next event.
        let _ = self.waker.wake();
    }
}

impl HttpServer {
    /// Listens at this address; only this machine reaches `127.0.0.1`, which is where a server without a proxy belongs. The endpoint is `/mcp`.
    /// A server that is bound to any other address [checks no `Host`](Site::local).
    ///
    /// # Errors
    /// The address is taken, or is none of this machine's.
    pub fn bind(address: impl ToSocketAddrs) -> io::Result<HttpServer> {
        let mut failed = io::Error::new(io::ErrorKind::InvalidInput, "the address names nothing");
        let mut bound = None;
        for address in address.to_socket_addrs()? {
            match TcpListener::bind(address) {
                Ok(listener) => {
                    bound = Some(listener);
                    break;
                }
                Err(error) => failed = error,
            }
        }
        let Some(mut listener) = bound else { return Err(failed) };
        let poll = Poll::new()?;
        let waker = Arc::new(Waker::new(poll.registry(), WAKER)?);
        poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
        let address = listener.local_addr()?;
        let site = Site { local: address.ip().is_loopback(), ..Site::new("/mcp") };
        let stopped = Arc::new(AtomicBool::new(false));
        let (origins, hosts) = (own_origins(address), Vec::new());
        Ok(HttpServer {
            listener,
            address,
            poll,
            waker,
            stopped,
            site,
            origins,
            hosts,
            connections: CONNECTIONS,
            sizes: Sizes::DEFAULT,
        })
    }

    /// Where it listens: with the port that was chosen, if 0 was asked for.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Allows the web pages of this origin, exactly as a browser sends it: `https://example.com`. Pages of the server's own loopback address are allowed
    /// from the beginning. An origin says which page asks, not who: it is no authentication.
    #[must_use]
    pub fn origin(mut self, origin: impl Into<String>) -> HttpServer {
        self.origins.push(origin.into());
        self
    }

    /// Allows this value of `Host` besides the names of this machine: what a proxy in front of the server puts there.
    #[must_use]
    pub fn host(mut self, host: impl Into<String>) -> HttpServer {
        self.hosts.push(host.into());
        self
    }

    /// The path and the limits; to be changed before it runs.
    pub fn site(&mut self) -> &mut Site<'static> {
        &mut self.site
    }

    /// At most so many connections at once, and at least one. Each takes its buffers and about 2 KB.
    #[must_use]
    pub fn connections(mut self, connections: usize) -> HttpServer {
        self.connections = connections.max(1);
        self
    }

    /// Other buffers for each connection, in bytes: the longest message, and the longest reply that a handler writes at once. Less than
    /// [`MIN_RECEIVE`](umcp::server::MIN_RECEIVE) and [`MIN_TRANSMIT`](umcp::server::MIN_TRANSMIT) counts as that.
    #[must_use]
    pub fn buffers(mut self, receive: usize, transmit: usize) -> HttpServer {
        self.sizes = Sizes::new(receive, transmit);
        self
    }

    /// What stops it.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper { waker: Arc::clone(&self.waker), stopped: Arc::clone(&self.stopped) }
    }

    /// Serves until it is stopped. A handler that defers its call needs [`run_with`](HttpServer::run_with): here nobody would complete it.
    ///
    /// # Errors
    /// The system refuses to wait for events.
    pub fn run<A>(self, catalog: &'static Catalog<A>, app: A) -> io::Result<()> {
        let mut told = false;
        let tick = |pool: &mut Pool<'_>, _: &mut Endpoint<A>, _: &mut A, _| {
            if pool.open_calls() > 0 && !std::mem::replace(&mut told, true) {
                eprintln!(
                    "{}: a call was deferred, which nobody will complete: use HttpServer::run_with, and complete it there",
                    catalog.name()
                );
            }
            None
        };
        self.run_with(catalog, app, tick, |_, _| {})
    }

    /// As [`run`](HttpServer::run), for a server with deferred calls: `tick` runs whenever everything has been served, works on what is
    /// open, and says when it wants to be called again at the latest; `heed` is told each event that is not merely "served".
    ///
    /// # Errors
    /// The system refuses to wait for events.
    pub fn run_with<A>(
        mut self,
        catalog: &'static Catalog<A>,
        mut app: A,
        mut tick: impl FnMut(&mut Pool<'_>, &mut Endpoint<A>, &mut A, Instant) -> Option<Instant>,
        mut heed: impl FnMut(&mut A, &Event<'_>),
    ) -> io::Result<()> {
        // Taken as it is needed: most servers never see as many clients as they would bear.
        let mut memory: Vec<Option<Box<SlotMemory>>> = std::iter::repeat_with(|| None).take(self.connections).collect();
        let mut pool = Pool::new(&mut memory, self.sizes);
        let mut endpoint = Endpoint::new(catalog);
        let mut table = heapless::Vec::<HttpSession, SESSIONS>::new();
        let mut replay = vec![0; REPLAY];
        let (origins, hosts) = (texts(&self.origins), texts(&self.hosts));
        let sessions = Sessions::new(&mut table, &mut replay, random);
        let mut site = Site { origins: &origins, hosts: &hosts, sessions: Some(sessions), ..self.site };
        let start = Clock::now();
        let now = || Instant::from_millis(u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX));
        let mut stop_at: Option<Clock> = None;
        // When to look for those who wait to be let in, if no event will tell.
        let mut knock: Option<Span> = None;
        let mut events = Events::with_capacity(EVENTS);
        loop {
            if self.stopped.load(Ordering::SeqCst) && stop_at.is_none() {
                stop_at = Some(Clock::now() + STOP_TIMEOUT);
                knock = None;
                self.poll.registry().deregister(&mut self.listener)?;
            }
            if stop_at.is_some() {
                pool.close();
            }
            let mut wake = pool.serve(&mut site, &mut endpoint, &mut app, now(), &mut heed);
            let mut ticked = None;
            let mut busy = true;
            // What the application says may make room for more of it.
            for _ in 0..TICKS {
                let known = endpoint.generation();
                ticked = tick(&mut pool, &mut endpoint, &mut app, now());
                busy = pool.has_output() || endpoint.generation() != known;
                if busy {
                    wake = pool.serve(&mut site, &mut endpoint, &mut app, now(), &mut heed);
                    busy = pool.has_moved();
                }
                if !busy {
                    break;
                }
            }
            if let Some(until) = stop_at
                && (pool.is_empty() || Clock::now() >= until)
            {
                return Ok(());
            }
            if busy {
                wake = Some(now());
            }
            let due = wake.into_iter().chain(ticked).min();
            let mut timeout = due.map(|due| Span::from_millis(u64::from(due.since(now()).as_millis())));
            if let Some(until) = stop_at {
                let left = until.saturating_duration_since(Clock::now());
                timeout = Some(timeout.map_or(left, |timeout| timeout.min(left)));
            }
            let timeout = timeout.into_iter().chain(knock).min();
            match self.poll.poll(&mut events, timeout) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                _ => {}
            }
            let mut knocked = knock.is_some();
            for event in &events {
                match event.token() {
                    LISTENER => knocked = stop_at.is_none(),
                    WAKER => {}
                    Token(index) => pool.ready(index, event),
                }
            }
            if knocked {
                // Those that have gone make room first, and those that have asked are served.
                pool.serve(&mut site, &mut endpoint, &mut app, now(), &mut heed);
                knock = self.accept(&mut pool, now());
            }
        }
    }

    /// Takes the connections that wait. If some are left waiting, says when to come again: the system tells of each once.
    fn accept(&self, pool: &mut Pool<'_>, now: Instant) -> Option<Span> {
        while !pool.has_to_wait(now) {
            match self.listener.accept() {
                Ok((socket, _)) => pool.admit(socket, self.poll.registry(), now),
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock => return None,
                    // Who has gone again does not wait.
                    io::ErrorKind::Interrupted | io::ErrorKind::ConnectionAborted => {}
                    // The system is short of something.
                    _ => return Some(ACCEPT_PAUSE),
                },
            }
        }
        Some(ROOM_PAUSE)
    }
}

fn texts(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}

/// The origins of pages that a server at this loopback address might have itself.
fn own_origins(address: SocketAddr) -> Vec<String> {
    let port = address.port();
    let names = if address.ip().is_loopback() { &["127.0.0.1", "localhost", "[::1]"][..] } else { &[] };
    names.iter().map(|name| format!("http://{name}:{port}")).collect()
}

/// From the system's generator. Without one, no id could be trusted, so there is nothing to go on with.
fn random(bits: &mut [u8; 16]) {
    if let Err(error) = getrandom::fill(bits) {
        eprintln!("the system has no random numbers: {error}");
        std::process::abort();
    }
}

impl fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpServer").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Serves a catalog at this address until the process ends, and says how that went: the whole of `main`. A handler that defers its call needs
/// [`HttpServer::run_with`]: here nobody would complete it. The address it listens on goes to
/// standard error.
pub fn serve_http<A>(catalog: &'static Catalog<A>, app: A, address: impl ToSocketAddrs) -> ExitCode {
    let served = HttpServer::bind(address).and_then(|server| {
        eprintln!("{}: listening on http://{}{}", catalog.name(), server.address(), server.site.path);
        server.run(catalog, app)
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: cannot serve: {error}", catalog.name());
            ExitCode::from(3)
        }
    }
}
