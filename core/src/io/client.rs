//! The comfortable client: it sends, waits and answers, over a blocking [`Wire`].

mod base64;
mod explained;
mod failure;
mod framed;
#[cfg(feature = "http")]
mod http;
mod listens;
mod lists;
mod pieces;
mod reply;
mod upload;
mod wait;

pub use explained::Explained;
pub use failure::Failure;
pub use pieces::{Flow, Piece};
pub use reply::Reply;

use framed::Framed;

use serde::Serialize;

use super::Wire;
use crate::client::{
    Config, Connection, Engine, Features, Happened, Host, Lent, Options, Reference, Refused, Server, Verdict, params,
};
use crate::json::{Value, Writer};
use crate::mcp::{Era, Method, Revision};
use crate::time::{Duration, Instant};

/// A client that waits for its answers.
///
/// What arrives while it waits for something else goes to its [`Host`], which also answers what the server asks; `()` does neither.
/// A [`Reply`] is a view of the receive buffer and lasts until the next call.
#[derive(Debug)]
pub struct Client<'b, W: Wire, H: Host = ()> {
    conn: Framed<'b>,
    wire: W,
    host: H,
    /// How requests are sent for which nothing else is said.
    pub options: Options,
    /// How many pages a list may have. Default: 1,000.
    pub max_pages: u16,
    /// How many rounds of questions a call may take. Default: 8.
    pub max_rounds: u8,
    /// The list of tools has been asked for, for the headers that their parameters are mirrored into.
    #[cfg(feature = "http")]
    listed: bool,
    /// What arrives item by item is the list of tools.
    #[cfg(feature = "http")]
    learns: bool,
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
    /// As [`handshake`](Client::handshake). Of a client that could not connect nothing is left to [explain](Client::explain) that; use
    /// [`new`](Client::new) and [`handshake`](Client::handshake) to hear what the server says, or where the stack is small: they need not hand a
    /// client from one place to another.
    pub fn connect(memory: Lent<'b>, config: Config<'b>, wire: W) -> Outcome<Client<'b, W>, W> {
        Client::connect_with(memory, config, wire, ())
    }
}

impl<'b, W: Wire, H: Host> Client<'b, W, H> {
    /// Connects, with a host.
    ///
    /// # Errors
    /// As [`connect`](Client::connect).
    #[inline]
    pub fn connect_with(memory: Lent<'b>, config: Config<'b>, wire: W, host: H) -> Outcome<Client<'b, W, H>, W> {
        let mut client = Client::new(memory, config, wire, host);
        client.handshake()?;
        Ok(client)
    }

    /// A client that is yet to connect: [`handshake`](Client::handshake) does.
    #[must_use]
    #[inline]
    pub fn new(memory: Lent<'b>, config: Config<'b>, wire: W, host: H) -> Client<'b, W, H> {
        let timeout = config.timeout;
        Client::of(Framed::Line(Connection::line(memory, config)), timeout, wire, host)
    }

    #[inline]
    fn of(conn: Framed<'b>, timeout: Duration, wire: W, host: H) -> Client<'b, W, H> {
        Client {
            conn,
            wire,
            host,
            options: Options { timeout, ..Options::DEFAULT },
            max_pages: 1_000,
            max_rounds: 8,
            #[cfg(feature = "http")]
            listed: false,
            #[cfg(feature = "http")]
            learns: false,
        }
    }

    /// Connects: finds out which era the server is of, and shakes hands with it if it is of the legacy one. Before that, every request is
    /// [`Refused::NotReady`]. It is done once.
    ///
    /// # Errors
    /// [`Failure::ProbeExited`]: start the server again and connect with [`Verdict::Legacy`]. Others say what to do.
    #[inline(never)]
    pub fn handshake(&mut self) -> Outcome<(), W> {
        while !self.conn.engine().is_ready() {
            match self.next(Instant::NEVER)? {
                Some(Happened::Connected) => break,
                Some(other) => self.tell(other),
                None => {}
            }
        }
        Ok(())
    }

    /// The server. What it says about itself is there until the first request.
    #[must_use]
    pub fn server(&self) -> Server<'_> {
        self.conn.engine().server()
    }

    /// What the server offers.
    #[must_use]
    pub fn features(&self) -> Features {
        self.conn.engine().features()
    }

    /// The revision that is spoken.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.server().revision()
    }

    /// What to save, to spare the next connection the probe.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.server().verdict()
    }

    /// The engine below, for what can be known that is not here.
    #[must_use]
    pub fn engine(&self) -> &Engine<'b> {
        self.conn.engine()
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
            Ok(_) | Err(Failure::Remote { .. }) => Ok(()),
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
        let handle = self.send_request(method, &params, options)?;
        match self.wait(handle)? {
            Answer::Result => Ok(Reply::new(self.conn.result_mut())),
            Answer::Questions => Err(Failure::Rounds { budget: 0 }),
        }
    }

    fn operate(&mut self, method: Method, params: &dyn Fn(&mut Writer<'_>), options: Options) -> Outcome<Reply<'_>, W> {
        self.operate_each(method, params, options, &mut |_, _| true)
    }
}
