//! The comfortable client: it sends, waits and answers, over a blocking [`Wire`].

#![allow(
    clippy::result_large_err,
    reason = "an error keeps the server's own words, and there is no heap to keep them on"
)]

mod failure;
mod lists;
mod reply;

pub use failure::Failure;
pub use reply::Reply;

use serde::Serialize;

use super::{Link, Wire};
use crate::client::{
    Config, Connection, Event, Features, Happened, Host, Lent, ListenEnd, ListenFilter, Options, Reference, Refused,
    Server, Verdict, params,
};
use crate::json::{Value, Writer};
use crate::mcp::{Era, Method, Revision};
use crate::rpc::RequestHandle;
use crate::time::{Duration, Instant};

/// How long a notice that a request was given up may take to leave.
const FAREWELL: Duration = Duration::from_secs(1);

/// A client that waits for its answers.
///
/// What arrives while it waits for something else goes to its [`Host`], which also answers what the server asks; `()` does neither.
/// A [`Reply`] is a view of the receive buffer and lasts until the next call.
#[derive(Debug)]
pub struct Client<'b, W: Wire, H: Host = ()> {
    conn: Connection<'b>,
    wire: W,
    host: H,
    /// How requests are sent for which nothing else is said.
    pub options: Options,
    /// How many pages a list may have. Default: 1,000.
    pub max_pages: u16,
    /// How many rounds of questions a call may take. Default: 8.
    pub max_rounds: u8,
}

type Outcome<T, W> = Result<T, Failure<<W as Wire>::Error>>;

/// How a request that did not fail was answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Result,
    Questions,
}

impl<'b, W: Wire> Client<'b, W> {
    /// Connects: finds out which era the server is of, and shakes hands with it if it is of the legacy one.
    ///
    /// # Errors
    /// [`Failure::ProbeExited`]: start the server again and connect with [`Verdict::Legacy`]. Others say what to do.
    pub fn connect(memory: Lent<'b>, config: Config<'b>, wire: W) -> Outcome<Client<'b, W>, W> {
        Client::connect_with(memory, config, wire, ())
    }
}

impl<'b, W: Wire, H: Host> Client<'b, W, H> {
    /// Connects, with a host.
    ///
    /// # Errors
    /// As [`connect`](Client::connect).
    pub fn connect_with(memory: Lent<'b>, config: Config<'b>, wire: W, host: H) -> Outcome<Client<'b, W, H>, W> {
        let options = Options { timeout: config.timeout, ..Options::DEFAULT };
        let conn = Connection::line(memory, config);
        let mut client = Client { conn, wire, host, options, max_pages: 1_000, max_rounds: 8 };
        loop {
            match client.next(Instant::NEVER)? {
                Some(Happened::Connected) => return Ok(client),
                Some(other) => client.tell(other),
                None => {}
            }
        }
    }

    /// The server. What it says about itself is there until the first request.
    #[must_use]
    pub fn server(&self) -> Server<'_> {
        self.conn.server()
    }

    /// What the server offers.
    #[must_use]
    pub fn features(&self) -> Features {
        self.conn.features()
    }

    /// The revision that is spoken.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.conn.server().revision()
    }

    /// What to save, to spare the next connection the probe.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.conn.server().verdict()
    }

    /// The connection, for what is not here.
    pub fn connection(&mut self) -> &mut Connection<'b> {
        &mut self.conn
    }

    /// The wire.
    pub fn wire(&mut self) -> &mut W {
        &mut self.wire
    }

    /// The host.
    pub fn host(&mut self) -> &mut H {
        &mut self.host
    }

    /// The wire and the host, given back.
    pub fn into_parts(self) -> (W, H) {
        (self.wire, self.host)
    }

    /// Calls a tool. A tool that fails is a reply too: see [`Reply::is_error`].
    ///
    /// # Errors
    /// [`Failure`] says what happened and what to do.
    pub fn call<T: Serialize + ?Sized>(&mut self, name: &str, arguments: &T) -> Outcome<Reply<'_>, W> {
        self.call_with(name, arguments, self.options)
    }

    /// Calls a tool, with options for this call.
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn call_with<T: Serialize + ?Sized>(
        &mut self,
        name: &str,
        arguments: &T,
        options: Options,
    ) -> Outcome<Reply<'_>, W> {
        self.operate(Method::CallTool, &params::call(name, arguments), options)
    }

    /// Calls a tool with arguments that are JSON text already, as [`client::arguments`](crate::client::arguments) returns it.
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn call_raw(&mut self, name: &str, arguments: Value<'_>, options: Options) -> Outcome<Reply<'_>, W> {
        if !arguments.is_object() || arguments.raw().contains(&b'\n') {
            return Err(Failure::Refused(Refused::Arguments));
        }
        self.operate(Method::CallTool, &params::call_raw(name, arguments), options)
    }

    /// Reads a resource: see [`Reply::contents`].
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn read(&mut self, uri: &str) -> Outcome<Reply<'_>, W> {
        self.operate(Method::ReadResource, &params::read(uri), self.options)
    }

    /// Gets a prompt; its arguments are strings. See [`Reply::messages`].
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn prompt<T: Serialize + ?Sized>(&mut self, name: &str, arguments: &T) -> Outcome<Reply<'_>, W> {
        self.operate(Method::GetPrompt, &params::prompt(name, arguments), self.options)
    }

    /// Completes an argument: see [`params::complete`] and [`Reply::values`].
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn complete(
        &mut self,
        of: Reference<'_>,
        name: &str,
        value: &str,
        known: &[(&str, &str)],
    ) -> Outcome<Reply<'_>, W> {
        self.operate(Method::Complete, &params::complete(of, name, value, known), self.options)
    }

    /// What the server says about itself now. Only a modern one can be asked; see [`server`](Client::server) for what a legacy one said.
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn discover(&mut self) -> Outcome<Reply<'_>, W> {
        self.operate(Method::Discover, &|_| {}, self.options)
    }

    /// Is the server there? Any answer says so.
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn ping(&mut self) -> Outcome<(), W> {
        let method = if self.revision().era() == Era::Modern { Method::Discover } else { Method::Ping };
        match self.operate(method, &|_| {}, self.options) {
            Ok(_) | Err(Failure::Remote(_)) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// Any request; `params` writes the members of `params`, except `_meta`.
    ///
    /// # Errors
    /// As [`call`](Client::call). The server's questions are not answered here: [`Failure::Rounds`].
    pub fn request(
        &mut self,
        method: &str,
        params: impl Fn(&mut Writer<'_>),
        options: Options,
    ) -> Outcome<Reply<'_>, W> {
        let handle = self.send(|conn, now| conn.request(method, &params, options, now))?;
        match self.wait(handle)? {
            Answer::Result => Ok(Reply::new(self.conn.result_mut())),
            Answer::Questions => Err(Failure::Rounds { budget: 0 }),
        }
    }

    fn operate(&mut self, method: Method, params: &dyn Fn(&mut Writer<'_>), options: Options) -> Outcome<Reply<'_>, W> {
        let mut handle = self.send(|conn, now| conn.request(method.as_str(), params, options, now))?;
        for _ in 0..=self.max_rounds {
            if self.wait(handle)? == Answer::Result {
                return Ok(Reply::new(self.conn.result_mut()));
            }
            // Nobody is asked twice: there is room before the question is put.
            self.drain()?;
            let (host, now) = (&mut self.host, self.wire.now());
            handle = self
                .conn
                .retry(method, params, |input, w| host.input(input, w), options, now)
                .map_err(Failure::Refused)?;
        }
        self.conn.cancel(handle, None);
        self.say_farewell();
        Err(Failure::Rounds { budget: self.max_rounds })
    }
}

/// Subscriptions.
impl<W: Wire, H: Host> Client<'_, W, H> {
    /// Opens a subscription and waits until it is acknowledged. What it then brings is [`next_notification`](Client::next_notification)'s,
    /// or the host's while something else is waited for.
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn listen(&mut self, filter: &ListenFilter<'_>) -> Outcome<RequestHandle, W> {
        let options = self.options;
        let handle = self.send(|conn, now| conn.listen(filter, options, now))?;
        loop {
            match self.next_of(handle)? {
                Some(Happened::Acknowledged(begun)) if begun == handle => return Ok(handle),
                Some(Happened::ListenEnded(ended, _)) if ended == handle => return Err(Failure::Closed),
                Some(other) => self.settle(other, handle).map(drop)?,
                None => {}
            }
        }
    }

    /// Opens subscriptions again on a new connection. `opened` is told each one's name. What they are about may have changed meanwhile
    /// without notice: fetch it again.
    ///
    /// # Errors
    /// As [`call`](Client::call); those opened before stay open.
    pub fn relisten(
        &mut self,
        filters: &[ListenFilter<'_>],
        mut opened: impl FnMut(&ListenFilter<'_>, RequestHandle),
    ) -> Outcome<(), W> {
        for filter in filters {
            opened(filter, self.listen(filter)?);
        }
        Ok(())
    }

    /// Waits for what a subscription brings: `Changed`, `Updated` or `ListenEnded`. `None`: nothing until `until`. Other events are the host's.
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn next_notification(&mut self, until: Instant) -> Outcome<Option<Event<'_>>, W> {
        loop {
            match self.next(until)? {
                Some(found @ (Happened::Changed(..) | Happened::Updated(_) | Happened::ListenEnded(..))) => {
                    return Ok(Some(self.conn.event(found)));
                }
                Some(other) => self.tell(other),
                None if self.wire.now() >= until => return Ok(None),
                None => {}
            }
        }
    }

    /// Closes a subscription, and waits until it is; `uris` are those of its filter.
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn close_listen(&mut self, handle: RequestHandle, uris: &[&str]) -> Outcome<(), W> {
        self.send(|conn, now| conn.close_listen(handle, uris, now))?;
        loop {
            match self.next(Instant::NEVER)? {
                Some(Happened::ListenEnded(ended, ListenEnd::Closed)) if ended == handle => return self.drain(),
                Some(other) => self.tell(other),
                None => {}
            }
        }
    }
}

/// Waiting.
impl<W: Wire, H: Host> Client<'_, W, H> {
    /// Sends as soon as there is room.
    fn send<T>(&mut self, send: impl Fn(&mut Connection<'_>, Instant) -> Result<T, Refused>) -> Outcome<T, W> {
        loop {
            let now = self.wire.now();
            match send(&mut self.conn, now) {
                Err(Refused::Busy) => self.drain()?,
                sent => return sent.map_err(Failure::Refused),
            }
        }
    }

    /// Waits until everything has left. What arrives stays where it is, behind what is held.
    fn drain(&mut self) -> Outcome<(), W> {
        let until = self.wire.now() + self.options.timeout;
        while !self.conn.transmit().is_empty() {
            if self.exchange(until)? {
                return Err(Failure::Cancelled);
            }
            if self.conn.is_ended() {
                return Err(Failure::Closed);
            }
            if self.wire.now() >= until {
                return Err(Failure::TimedOut);
            }
        }
        Ok(())
    }

    /// Waits for the answer to a request.
    fn wait(&mut self, handle: RequestHandle) -> Outcome<Answer, W> {
        loop {
            if let Some(happened) = self.next_of(handle)?
                && let Some(answer) = self.settle(happened, handle)?
            {
                return Ok(answer);
            }
        }
    }

    /// What happens next while a request is waited for. If the waiting is interrupted, the server is told.
    fn next_of(&mut self, handle: RequestHandle) -> Outcome<Option<Happened>, W> {
        let next = self.next(Instant::NEVER);
        if let Err(Failure::Cancelled) = next
            && (self.conn.cancel(handle, Some("interrupted"))
                || self.conn.close_listen(handle, &[], Instant::ZERO).is_ok())
        {
            self.say_farewell();
        }
        next
    }

    /// Is this the end of that request? If not, it is the host's.
    fn settle(&mut self, happened: Happened, handle: RequestHandle) -> Outcome<Option<Answer>, W> {
        match happened {
            Happened::Response(ended) if ended == handle => Ok(Some(Answer::Result)),
            Happened::InputRequired(ended) if ended == handle => Ok(Some(Answer::Questions)),
            Happened::Error(ended) if ended == handle => Err(Failure::remote(self.conn.event(happened))),
            Happened::Lost(ended, why) if ended == handle => Err(Failure::lost(why)),
            Happened::Cancelled(ended) if ended == handle => Err(Failure::Cancelled),
            Happened::TimedOut(ended) if ended == handle => {
                self.say_farewell();
                Err(Failure::TimedOut)
            }
            other => {
                self.tell(other);
                Ok(None)
            }
        }
    }

    /// What happens next, until `until`. `None`: bytes have moved, or the time is up.
    fn next(&mut self, until: Instant) -> Outcome<Option<Happened>, W> {
        let now = self.wire.now();
        match self.conn.advance(now) {
            Happened::NeedData if self.exchange(until)? => Err(Failure::Cancelled),
            Happened::NeedData => Ok(None),
            #[cfg(feature = "legacy")]
            asked @ Happened::Request(_) => self.answer_server(asked).map(|()| None),
            Happened::ProbeExited => Err(Failure::ProbeExited),
            Happened::Closed => Err(Failure::Closed),
            failed @ Happened::Failed(_) => Err(Failure::handshake(self.conn.event(failed))),
            happened => Ok(Some(happened)),
        }
    }

    /// A legacy server asks: the host answers. Nobody is asked twice: there is room before the question is put.
    #[cfg(feature = "legacy")]
    fn answer_server(&mut self, asked: Happened) -> Outcome<(), W> {
        self.drain()?;
        let host = &mut self.host;
        if let Event::Request(request) = self.conn.event(asked) {
            let input = request.input();
            // An answer that is no use is replaced by an error when the next event is asked for.
            let _ = request.answer(|w| host.input(input, w));
        }
        Ok(())
    }

    fn tell(&mut self, happened: Happened) {
        self.host.event(self.conn.event(happened));
    }

    /// Moves bytes, and waits if there are none. `true`: somebody wants the waiting to stop.
    fn exchange(&mut self, until: Instant) -> Result<bool, W::Error> {
        let until = self.conn.poll_at().map_or(until, |at| at.min(until));
        let (out, into) = self.conn.buffers();
        let moved = self.wire.transfer(out, into, until)?;
        self.conn.transmitted(moved.sent);
        self.conn.commit(moved.received);
        if moved.closed {
            self.conn.eof();
        }
        Ok(moved.interrupted)
    }

    /// Lets what waits leave, for a while. A server that no longer reads does not get it.
    fn say_farewell(&mut self) {
        let until = self.wire.now() + FAREWELL;
        while !self.conn.transmit().is_empty() && self.wire.now() < until {
            let Ok(moved) = self.wire.transfer(self.conn.transmit(), &mut [], until) else { return };
            self.conn.transmitted(moved.sent);
            if moved.closed {
                return;
            }
        }
    }
}
