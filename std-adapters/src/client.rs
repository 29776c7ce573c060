//! A client that owns its memory and its way to the server.

mod connect;
mod entry;
mod error;
mod items;
mod listener;
mod settings;
mod upload;
mod wire;

use std::fmt;
use std::io::Error as IoError;

use serde::Serialize;
use umcp::client::{Event, Features, ListenFilter, Options, Reference, Verdict};
use umcp::io::{Failure, Reply, Wire as _};
use umcp::mcp::{ClientCapabilities, List, Revision};
use umcp::rpc::RequestHandle;
use umcp::time::Duration;

pub use connect::Borrowed;
use connect::Cell;
pub use entry::Entry;
pub use error::Error;
use listener::Listener;
pub use settings::Settings;
pub use wire::ServerWire;

use crate::Interrupter;
use crate::process::Closed;

/// A client of one server, a process or over HTTP. Dropping it ends the process, or the session; [`close`](Client::close) does that too, and
/// says how it went.
///
/// What a method returns is a view of the receive buffer, and lasts until the next call.
pub struct Client {
    cell: Cell,
    /// Where a legacy server over HTTP is listened to.
    listener: Option<Listener>,
    /// As whom it has connected, and what it can do.
    identity: (String, String, ClientCapabilities),
}

type Outcome<T> = Result<T, Error>;

impl Client {
    /// Calls a tool. A tool that fails is a reply too: see [`Reply::is_error`].
    ///
    /// # Errors
    /// [`Error`] says what happened and what to do.
    pub fn call<T: Serialize + ?Sized>(&mut self, name: &str, arguments: &T) -> Outcome<Reply<'_>> {
        self.ask(|client| client.call(name, arguments).map(|_| ()))?;
        Ok(self.with(|client| client.reply()))
    }

    /// Calls a tool, with options for this call: how long to wait, and whether to ask for progress.
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn call_with<T: Serialize + ?Sized>(
        &mut self,
        name: &str,
        arguments: &T,
        options: Options,
    ) -> Outcome<Reply<'_>> {
        self.ask(|client| client.call_with(name, arguments, options).map(|_| ()))?;
        Ok(self.with(|client| client.reply()))
    }

    /// Reads a resource: see [`Reply::contents`].
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn read(&mut self, uri: &str) -> Outcome<Reply<'_>> {
        self.ask(|client| client.read(uri).map(|_| ()))?;
        Ok(self.with(|client| client.reply()))
    }

    /// Gets a prompt; its arguments are strings. See [`Reply::messages`].
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn prompt<T: Serialize + ?Sized>(&mut self, name: &str, arguments: &T) -> Outcome<Reply<'_>> {
        self.ask(|client| client.prompt(name, arguments).map(|_| ()))?;
        Ok(self.with(|client| client.reply()))
    }

    /// Every tool; all pages are fetched.
    ///
    /// # Errors
    /// As [`call`](Client::call), and [`Failure::Pages`](umcp::io::Failure::Pages) for a list without an end.
    pub fn tools(&mut self) -> Outcome<Vec<Entry>> {
        self.list(List::Tools, "name")
    }

    /// Every resource.
    ///
    /// # Errors
    /// As [`tools`](Client::tools).
    pub fn resources(&mut self) -> Outcome<Vec<Entry>> {
        self.list(List::Resources, "uri")
    }

    /// Every resource template.
    ///
    /// # Errors
    /// As [`tools`](Client::tools).
    pub fn templates(&mut self) -> Outcome<Vec<Entry>> {
        self.list(List::ResourceTemplates, "uriTemplate")
    }

    /// Every prompt.
    ///
    /// # Errors
    /// As [`tools`](Client::tools).
    pub fn prompts(&mut self) -> Outcome<Vec<Entry>> {
        self.list(List::Prompts, "name")
    }

    /// Suggestions for the value of an argument: see [`Reply::values`].
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn complete(
        &mut self,
        of: Reference<'_>,
        name: &str,
        value: &str,
        known: &[(&str, &str)],
    ) -> Outcome<Reply<'_>> {
        self.ask(|client| client.complete(of, name, value, known).map(|_| ()))?;
        Ok(self.with(|client| client.reply()))
    }

    /// Waits for what a subscription brings: `Changed`, `Updated` or `ListenEnded`. `None`: nothing came in this time.
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn next_notification(&mut self, timeout: std::time::Duration) -> Outcome<Option<Event<'_>>> {
        Ok(self.with(|client| {
            let until = client.wire().now() + millis(timeout);
            client.next_notification(until)
        })?)
    }

    /// Opens a subscription; what it brings is [`next_notification`](Client::next_notification)'s, or the host's while something else is
    /// waited for.
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn listen(&mut self, filter: &ListenFilter<'_>) -> Outcome<RequestHandle> {
        self.ask(|client| client.listen(filter))
    }

    /// What the server offers.
    pub fn features(&mut self) -> Features {
        self.with(|client| client.features())
    }

    /// The revision that is spoken.
    pub fn revision(&mut self) -> Revision {
        self.with(|client| client.revision())
    }

    /// What to save, to spare the next connection the probe.
    pub fn verdict(&mut self) -> Verdict {
        self.with(|client| client.verdict())
    }

    /// What ends a wait from another thread: the call under way is cancelled on the wire, and returns [`Failure::Cancelled`](umcp::io::Failure::Cancelled).
    pub fn interrupter(&mut self) -> Interrupter {
        self.with(|client| client.wire().interrupter())
    }

    /// Everything else that a client can do: gives the borrowing client to `work`. What is returned may be a view of the receive buffer; an error
    /// says more if it comes from [`ask`](Client::ask).
    pub fn with<'s, T>(&'s mut self, work: impl for<'b> FnOnce(&'s mut Borrowed<'b>) -> T) -> T {
        self.cell.with_dependent_mut(|_, client| work(client))
    }

    /// Asks something else of the server, by the borrowing client. The result of the request is there afterwards, as its
    /// [`reply`](umcp::io::Client::reply).
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn ask<T>(&mut self, work: impl FnOnce(&mut Borrowed<'_>) -> Result<T, Failure<IoError>>) -> Outcome<T> {
        self.with(|client| work(client).map_err(|failure| Error::explained(failure, client)))
    }

    /// Ends the server: closes a process's input, waits, asks it to terminate, waits, kills it; each step is bounded. Over HTTP, it ends the
    /// session of a legacy server, and there is nothing to say about it: `None`.
    pub fn close(mut self) -> Option<Closed> {
        self.end();
        self.with(|client| client.wire().close())
    }

    /// Ends what there is beside the wire.
    fn end(&mut self) {
        self.listener = None;
        self.with(|client| client.close());
    }

    fn list(&mut self, list: List, key: &str) -> Outcome<Vec<Entry>> {
        let mut entries = Vec::new();
        self.ask(|client| client.list(list, |item| entries.push(Entry::new(item, key))))?;
        Ok(entries)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.end();
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

/// The protocol's own durations are whole milliseconds, up to 49 days; from there on it is for ever.
fn millis(span: std::time::Duration) -> Duration {
    u32::try_from(span.as_millis()).map_or(Duration::MAX, Duration::from_millis)
}
