//! What is different over HTTP: streams that open and close, tools whose parameters are mirrored into headers, and requests that may be
//! sent again.

use super::framed::Framed;
use super::{Client, Failure, Outcome};
#[cfg(feature = "legacy")]
use crate::client::Lost;
use crate::client::{Config, Happened, Host, ListenFilter};
#[cfg(feature = "legacy")]
use crate::http::client::Idle;
use crate::http::client::{Connection, Lent, Stream, Target};
use crate::io::Wire;
#[cfg(feature = "legacy")]
use crate::mcp::Revision;
use crate::mcp::{List, Method, faults};
use crate::rpc::RequestHandle;
use crate::time::{Duration, Instant};

/// How long it takes until a subscription is opened again, at first and at most.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(60)];

impl<'b, W: Wire> Client<'b, W> {
    /// Connects to a server over HTTP: finds out which era it is of, and shakes hands with it if it is of the legacy one.
    ///
    /// The wire opens and closes its streams when it is told to: see [`Wire::open_stream`].
    ///
    /// # Errors
    /// As [`connect`](Client::connect), and [`Failure::Http`].
    pub fn connect_http(
        memory: Lent<'b>,
        config: Config<'b>,
        target: &'b dyn Target,
        wire: W,
    ) -> Outcome<Client<'b, W>, W> {
        Client::connect_http_with(memory, config, target, wire, ())
    }
}

impl<'b, W: Wire, H: Host> Client<'b, W, H> {
    /// Connects over HTTP, with a host.
    ///
    /// # Errors
    /// As [`connect_http`](Client::connect_http).
    pub fn connect_http_with(
        memory: Lent<'b>,
        config: Config<'b>,
        target: &'b dyn Target,
        wire: W,
        host: H,
    ) -> Outcome<Client<'b, W, H>, W> {
        let mut client = Client::new_http(memory, config, target, wire, host);
        client.handshake()?;
        Ok(client)
    }

    /// A client over HTTP that is yet to connect: [`handshake`](Client::handshake) does.
    #[must_use]
    pub fn new_http(
        memory: Lent<'b>,
        config: Config<'b>,
        target: &'b dyn Target,
        wire: W,
        host: H,
    ) -> Client<'b, W, H> {
        let timeout = config.timeout;
        Client::of(Framed::Http(Connection::new(memory, config, target)), timeout, wire, host)
    }

    /// A client that listens in the session of another, which has shaken hands and speaks this revision; see [`Connection::join`]. `None`: the id does
    /// not fit the memory for it.
    #[cfg(feature = "legacy")]
    pub fn join_http(
        memory: Lent<'b>,
        config: Config<'b>,
        target: &'b dyn Target,
        wire: W,
        host: H,
        revision: Revision,
        session: &[u8],
    ) -> Option<Client<'b, W, H>> {
        let timeout = config.timeout;
        let mut conn = Connection::new(memory, config, target);
        conn.listen_when_idle(Idle::Always);
        conn.join(revision, session).then(|| Client::of(Framed::Http(conn), timeout, wire, host))
    }

    /// Opens a subscription again, under a new id, that was [lost](crate::client::ListenEnd::Lost) with its stream: after a second, and while no stream can be
    /// opened after 2 s, 4 s, up to a minute, until `until`. `None`: that has come. What changed meanwhile was not told: fetch
    /// again what it is about.
    ///
    /// # Errors
    /// As [`listen`](Client::listen), except that there is no stream. On anything but HTTP [`Failure::Closed`]: connect again.
    pub fn listen_again(&mut self, filter: &ListenFilter<'_>, until: Instant) -> Outcome<Option<RequestHandle>, W> {
        let mut pause = PAUSES[0];
        loop {
            let again = self.wire.now() + pause;
            pause = Duration::from_millis(pause.as_millis().saturating_mul(2)).min(PAUSES[1]);
            while self.wire.now() < again.min(until) {
                if let Some(happened) = self.next(again.min(until))? {
                    self.tell(happened);
                }
            }
            if self.wire.now() >= until {
                return Ok(None);
            }
            match self.listen(filter) {
                Err(Failure::Wire(_) | Failure::Closed | Failure::Unanswered) if self.http().is_some() => {}
                opened => return opened.map(Some),
            }
        }
    }

    /// The connection, where it is one over HTTP: for its [session](Connection::session), its latest [reply](Connection::reply).
    #[must_use]
    pub fn http_connection(&self) -> Option<&Connection<'b>> {
        match &self.conn {
            Framed::Http(conn) => Some(conn),
            Framed::Line(_) => None,
        }
    }

    /// The connection, where it is one over HTTP.
    pub(super) fn http(&mut self) -> Option<&mut Connection<'b>> {
        match &mut self.conn {
            Framed::Http(conn) => Some(conn),
            Framed::Line(_) => None,
        }
    }

    /// Opens or closes the stream, as the connection wants it. `true`: it did want something.
    pub(super) fn mind_stream(&mut self, until: Instant) -> Result<bool, W::Error> {
        let Framed::Http(conn) = &mut self.conn else { return Ok(false) };
        #[cfg(feature = "legacy")]
        if !conn.errand().is_empty() {
            // One that fails is one that the server has not got, as it will show.
            let accepted = self.wire.errand(conn.errand(), until).unwrap_or(false);
            conn.errand_done(accepted);
            return Ok(true);
        }
        match conn.stream() {
            Stream::Keep => return Ok(false),
            Stream::Close => {
                self.wire.close_stream();
                conn.closed();
            }
            Stream::Open => match self.wire.open_stream(until) {
                Ok(()) => conn.opened(),
                Err(error) => {
                    conn.unreachable();
                    return Err(error);
                }
            },
        }
        Ok(true)
    }

    /// Before a tool is called: which of its parameters are mirrored into headers is known from the list of tools.
    pub(super) fn prepare(&mut self, method: Method) -> Outcome<(), W> {
        let features = self.features();
        let is_known = self.http().is_none_or(|conn| conn.knows_tools());
        if method != Method::CallTool || is_known || self.listed || (features.known && !features.tools) {
            return Ok(());
        }
        self.list_tools()
    }

    /// A list that cannot be had is no reason not to call: the server says so if it misses a header.
    fn list_tools(&mut self) -> Outcome<(), W> {
        self.listed = true;
        match self.walk(List::Tools, &mut |_, _| true) {
            Err(failure @ (Failure::Cancelled | Failure::Wire(_))) => Err(failure),
            _ => Ok(()),
        }
    }

    /// May a request that ended so be sent once more? Only where the server has not done what it asks for, or that could do no harm.
    pub(super) fn may_ask_again(&mut self, method: Method, failure: &Failure<W::Error>) -> Outcome<bool, W> {
        if self.http().is_none() {
            return Ok(false);
        }
        match failure {
            Failure::Unanswered => Ok(method != Method::CallTool),
            Failure::Remote { code } if *code == i64::from(faults::HEADER_MISMATCH) => {
                if method == Method::CallTool {
                    self.list_tools()?;
                }
                Ok(method == Method::CallTool)
            }
            #[cfg(feature = "legacy")]
            Failure::Protocol(Lost::SessionGone) => self.await_session().map(|()| true),
            _ => Ok(false),
        }
    }

    /// Waits until a new session has begun.
    #[cfg(feature = "legacy")]
    fn await_session(&mut self) -> Outcome<(), W> {
        while !self.conn.engine().is_ready() {
            if let Some(happened) = self.next(Instant::NEVER)? {
                self.tell(happened);
            }
        }
        Ok(())
    }

    /// Ends the session with a legacy server over HTTP, if there is one: the server is told, for a second at most, and may refuse.
    #[cfg(feature = "legacy")]
    pub fn close(&mut self) {
        let until = self.wire.now() + super::wait::FAREWELL;
        if let Some(conn) = self.http() {
            conn.close();
        }
        while self.http().is_some_and(|conn| conn.has_session()) && self.wire.now() < until {
            let now = self.wire.now();
            let happened = self.conn.advance(now);
            match happened {
                // What has arrived may have been the end of it: then there is nothing more to wait for.
                Happened::NeedData if self.http().is_some_and(|conn| !conn.has_session()) => return,
                Happened::NeedData if self.exchange(until).is_ok() => {}
                Happened::NeedData | Happened::Closed | Happened::Failed(_) => return,
                happened => self.tell(happened),
            }
        }
    }

    /// When a legacy server over HTTP is listened to while nothing is asked of it; see [`Connection::listen_when_idle`]. What it says is heard
    /// while something is waited for: by [`next_notification`](Client::next_notification).
    #[cfg(feature = "legacy")]
    pub fn listen_when_idle(&mut self, when: Idle) {
        if let Some(conn) = self.http() {
            conn.listen_when_idle(when);
        }
    }

    /// Lets what was given up end: the stream that is closed for it, the notice that says so.
    pub(super) fn let_go(&mut self, until: Instant) {
        loop {
            let now = self.wire.now();
            let happened = self.conn.advance(now);
            if happened != Happened::NeedData {
                self.tell(happened);
                continue;
            }
            match self.mind_stream(until) {
                Ok(true) => {}
                Ok(false) if self.conn.has_unsent() && now < until => {
                    if self.exchange(until).is_err() {
                        return;
                    }
                }
                _ => return,
            }
        }
    }
}
