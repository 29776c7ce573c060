//! A client that owns its memory and its server process.

use std::fmt;
use std::io::Error as IoError;

use self_cell::{MutBorrow, self_cell};
use serde::Serialize;
use umcp::client::{Config, Event, Features, Host, Lent, Listen, ListenFilter, Options, Reference, Verdict};
use umcp::io::{self, Failure, Reply, Wire as _};
use umcp::json::{Text, Value};
use umcp::mcp::{ClientCapabilities, List, Revision};
use umcp::rpc::{Pending, RequestHandle};
use umcp::time::Duration;

use crate::process::{CloseTimeouts, Closed, SpawnError};
use crate::{Interrupter, Process, ProcessWire};

/// How many requests may be in flight at once.
const PENDING: usize = 32;
/// How many subscriptions may be open at once.
const LISTENS: usize = 8;

/// Who a client is, and how it behaves: what [`Process::connect_with`] is given.
pub struct Settings {
    name: String,
    version: String,
    capabilities: ClientCapabilities,
    timeout: Duration,
    probe_timeout: Duration,
    verdict: Option<Verdict>,
    receive_buffer: usize,
    transmit_buffer: usize,
    host: Box<dyn Host + Send>,
    progress: bool,
}

impl Settings {
    /// The defaults, for a client of this name and version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Settings {
        Settings {
            name: name.into(),
            version: version.into(),
            capabilities: ClientCapabilities::NONE,
            timeout: Duration::from_secs(30),
            probe_timeout: Duration::from_secs(5),
            verdict: None,
            receive_buffer: 4 << 20,
            transmit_buffer: 256 << 10,
            host: Box::new(()),
            progress: false,
        }
    }

    /// How long to wait for each answer; by default 30 s.
    #[must_use]
    pub fn timeout(mut self, timeout: std::time::Duration) -> Settings {
        self.timeout = millis(timeout);
        self
    }

    /// How long to wait for an answer to the probe before the server is taken for a legacy one; by default 5 s.
    #[must_use]
    pub fn probe_timeout(mut self, timeout: std::time::Duration) -> Settings {
        self.probe_timeout = millis(timeout);
        self
    }

    /// What an earlier connection found out ([`Client::verdict`]), to spare the probe.
    #[must_use]
    pub fn verdict(mut self, verdict: Verdict) -> Settings {
        self.verdict = Some(verdict);
        self
    }

    /// The longest message from the server and to it, in bytes; by default 4 MiB and 256 KiB. It is memory that is touched only as far as it is used.
    #[must_use]
    pub fn buffers(mut self, receive: usize, transmit: usize) -> Settings {
        (self.receive_buffer, self.transmit_buffer) = (receive, transmit);
        self
    }

    /// Who is told of progress, logs and changes, and answers what the server asks; `capabilities` says what it can answer. With a host,
    /// every call asks for progress.
    #[must_use]
    pub fn host(mut self, host: impl Host + Send + 'static, capabilities: ClientCapabilities) -> Settings {
        self.host = Box::new(host);
        self.progress = true;
        self.capabilities = capabilities;
        self
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("name", &self.name).field("version", &self.version).finish_non_exhaustive()
    }
}

/// Why something did not succeed: [`failure`](Error::failure) tells it apart, and `Display` says what to do.
pub struct Error(Failed);

enum Failed {
    /// The server could not be started.
    Spawn(SpawnError),
    /// It was started, and then something went wrong; with the last it wrote to its standard error, if that may matter.
    Client(Box<Failure<IoError>>, String),
}

impl Error {
    /// What went wrong with a server that was started; `None` if it could not be.
    #[must_use]
    pub fn failure(&self) -> Option<&Failure<IoError>> {
        match &self.0 {
            Failed::Spawn(_) => None,
            Failed::Client(failure, _) => Some(failure),
        }
    }

    fn connecting(failure: Failure<IoError>, last_words: String) -> Error {
        Error(Failed::Client(Box::new(failure), last_words))
    }
}

impl From<Failure<IoError>> for Error {
    fn from(failure: Failure<IoError>) -> Error {
        Error(Failed::Client(Box::new(failure), String::new()))
    }
}

impl From<SpawnError> for Error {
    fn from(error: SpawnError) -> Error {
        Error(Failed::Spawn(error))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Failed::Spawn(error) => error.fmt(f),
            Failed::Client(failure, last_words) if last_words.trim().is_empty() => failure.fmt(f),
            Failed::Client(failure, last_words) => write!(f, "{failure}; its last words: {}", last_words.trim()),
        }
    }
}

/// The same words as for people: it is what a `main` that returns an error prints.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Failed::Spawn(error) => Some(error),
            Failed::Client(failure, _) => Some(&**failure),
        }
    }
}

/// All that one connection borrows.
struct Owned {
    settings: Settings,
    wire: ProcessWire,
    receive: Vec<u8>,
    transmit: Vec<u8>,
    pending: heapless::Vec<Pending, PENDING>,
    listens: heapless::Vec<Listen, LISTENS>,
}

/// The client as it borrows.
pub type Borrowed<'b> = io::Client<'b, &'b mut ProcessWire, &'b mut (dyn Host + Send)>;

self_cell!(
    /// What is borrowed and the client that borrows it, together.
    struct Cell {
        owner: MutBorrow<Owned>,
        #[not_covariant]
        dependent: Borrowed,
    }
);

/// A client of one server process. Dropping it closes the server; [`close`](Client::close) does that too, and says how it went.
///
/// What a method returns is a view of the receive buffer, and lasts until the next call.
pub struct Client {
    cell: Cell,
}

type Outcome<T> = Result<T, Error>;

impl Client {
    /// Calls a tool. A tool that fails is a reply too: see [`Reply::is_error`].
    ///
    /// # Errors
    /// [`Error`] says what happened and what to do.
    pub fn call<T: Serialize + ?Sized>(&mut self, name: &str, arguments: &T) -> Outcome<Reply<'_>> {
        Ok(self.with(|client| client.call(name, arguments))?)
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
        Ok(self.with(|client| client.call_with(name, arguments, options))?)
    }

    /// Reads a resource: see [`Reply::contents`].
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn read(&mut self, uri: &str) -> Outcome<Reply<'_>> {
        Ok(self.with(|client| client.read(uri))?)
    }

    /// Gets a prompt; its arguments are strings. See [`Reply::messages`].
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn prompt<T: Serialize + ?Sized>(&mut self, name: &str, arguments: &T) -> Outcome<Reply<'_>> {
        Ok(self.with(|client| client.prompt(name, arguments))?)
    }

    /// Every tool; all pages are fetched.
    ///
    /// # Errors
    /// As [`call`](Client::call), and [`Failure::Pages`] for a list without an end.
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
        Ok(self.with(|client| client.complete(of, name, value, known))?)
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
        Ok(self.with(|client| client.listen(filter))?)
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

    /// What ends a wait from another thread: the call under way is cancelled on the wire, and returns [`Failure::Cancelled`].
    pub fn interrupter(&mut self) -> Interrupter {
        self.with(|client| client.wire().interrupter())
    }

    /// Everything else that a client can do: gives the borrowing client to `work`.
    pub fn with<'s, T>(&'s mut self, work: impl for<'b> FnOnce(&'s mut Borrowed<'b>) -> T) -> T {
        self.cell.with_dependent_mut(|_, client| work(client))
    }

    /// Ends the server: closes its input, waits, asks it to terminate, waits, kills it; each step is bounded.
    pub fn close(mut self) -> Closed {
        self.with(|client| client.wire().close(CloseTimeouts::default()))
    }

    fn list(&mut self, list: List, key: &str) -> Outcome<Vec<Entry>> {
        let mut entries = Vec::new();
        self.with(|client| client.list(list, |item| entries.push(Entry::new(item, key))))?;
        Ok(entries)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

/// One entry of a list, with the members that all lists have in common; the rest is in [`json`](Entry::json).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    key: String,
    description: String,
    json: String,
}

impl Entry {
    fn new(item: Value<'_>, key: &str) -> Entry {
        let text = |member: &str| item.get(member).and_then(Value::as_text).map(|text: Text<'_>| text.to_string());
        Entry {
            key: text(key).unwrap_or_default(),
            description: text("description").or_else(|| text("title")).unwrap_or_default(),
            json: String::from_utf8_lossy(item.raw()).into_owned(),
        }
    }

    /// What it is asked for by: a name, a URI, a URI template.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.key
    }

    /// What it is, in words; empty if the server does not say.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// All of it, as the server wrote it, in JSON.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.json
    }
}

impl Process {
    /// Starts the server and connects to it, as a client of this name and version, with the defaults of [`Settings`].
    ///
    /// # Errors
    /// [`Error`] says what happened and what to do.
    pub fn connect(&self, name: &str, version: &str) -> Result<Client, Error> {
        self.connect_with(Settings::new(name, version))
    }

    /// Starts the server and connects to it. A server that ends at the sight of a modern request is started again, with the legacy
    /// handshake at once.
    ///
    /// # Errors
    /// [`Error`] says what happened and what to do.
    pub fn connect_with(&self, settings: Settings) -> Result<Client, Error> {
        let verdict = settings.verdict;
        let wire = self.spawn()?;
        match open(settings, wire, verdict) {
            Ok(client) => Ok(client),
            Err((mut owned, Failure::ProbeExited)) => {
                owned.wire.close(CloseTimeouts::default());
                let wire = self.spawn()?;
                open(owned.settings, wire, Some(Verdict::Legacy)).map_err(refused)
            }
            Err(failed) => Err(refused(failed)),
        }
    }
}

fn refused((owned, failure): (Box<Owned>, Failure<IoError>)) -> Error {
    Error::connecting(failure, owned.wire.stderr_tail())
}

/// Connects over a wire; if that fails, everything is given back.
fn open(
    settings: Settings,
    wire: ProcessWire,
    verdict: Option<Verdict>,
) -> Result<Client, (Box<Owned>, Failure<IoError>)> {
    let owned = MutBorrow::new(Owned {
        receive: vec![0; settings.receive_buffer],
        transmit: vec![0; settings.transmit_buffer],
        settings,
        wire,
        pending: heapless::Vec::new(),
        listens: heapless::Vec::new(),
    });
    let cell = Cell::try_new_or_recover(owned, |owned| {
        let Owned { settings, wire, receive, transmit, pending, listens } = owned.borrow_mut();
        let config = Config {
            capabilities: settings.capabilities,
            timeout: settings.timeout,
            probe_timeout: settings.probe_timeout.min(settings.timeout),
            verdict,
            ..Config::new(&settings.name, &settings.version)
        };
        let progress = settings.progress;
        let host: &mut (dyn Host + Send) = &mut *settings.host;
        let mut client = io::Client::connect_with(Lent { receive, transmit, pending, listens }, config, wire, host)?;
        client.options.progress = progress;
        Ok(client)
    });
    cell.map(|cell| Client { cell }).map_err(|(owned, failure)| (Box::new(owned.into_inner()), failure))
}

/// The protocol's own durations are whole milliseconds, up to 49 days; from there on it is for ever.
fn millis(span: std::time::Duration) -> Duration {
    u32::try_from(span.as_millis()).map_or(Duration::MAX, Duration::from_millis)
}
