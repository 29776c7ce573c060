//! How a client comes to be: what it owns, and what borrows from that.

use self_cell::{MutBorrow, self_cell};
use umcp::client::{Config, Host, Lent, Listen, Verdict};
use umcp::http::client::{self as http, Idle};
use umcp::io::{self, Failure};
use umcp::mcp::Era;
use umcp::rpc::Pending;

use super::listener::{Listener, Plan, Shared};
use super::{Client, Error, ServerWire, Settings};
use crate::http::client::Remote;
use crate::{Interrupter, Process};

/// How many requests may be in flight at once.
const PENDING: usize = 32;
/// How many subscriptions may be open at once.
const LISTENS: usize = 8;
/// How many bytes the id of a session may have.
const SESSION: usize = 1024;
/// How much is kept of what an error reply says, in bytes.
const SAID: usize = 2048;
/// For the annotations of tools, in bytes.
const TOOLS: usize = 64 << 10;

/// All that one connection borrows.
pub(super) struct Owned {
    settings: Settings,
    wire: ServerWire,
    /// Where the server is, if it is reached over HTTP.
    remote: Option<Remote>,
    receive: Vec<u8>,
    transmit: Vec<u8>,
    pending: heapless::Vec<Pending, PENDING>,
    listens: heapless::Vec<Listen, LISTENS>,
    session: heapless::Vec<u8, SESSION>,
    said: heapless::Vec<u8, SAID>,
    tools: heapless::Vec<u8, TOOLS>,
}

/// The client as it borrows.
pub type Borrowed<'b> = io::Client<'b, &'b mut ServerWire, &'b mut (dyn Host + Send)>;

self_cell!(
    /// What is borrowed and the client that borrows it, together.
    pub(super) struct Cell {
        owner: MutBorrow<Box<Owned>>,
        #[not_covariant]
        dependent: Borrowed,
    }
);

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
        self.connect_watched(settings, &|_| {})
    }

    /// The same; `opened` is given what ends the waiting, as soon as there is something to wait for.
    pub(crate) fn connect_watched(
        &self,
        mut settings: Settings,
        opened: &dyn Fn(Interrupter),
    ) -> Result<Client, Error> {
        let process = match settings.stderr.take() {
            Some(stderr) => &self.clone().stderr(stderr),
            None => self,
        };
        let start = || {
            let wire = process.spawn()?;
            opened(wire.interrupter());
            Ok::<_, Error>(ServerWire::Process(wire))
        };
        let verdict = settings.verdict;
        match open(settings, start()?, None, verdict) {
            Ok(client) => Ok(client),
            Err((mut owned, error)) if matches!(error.failure(), Some(Failure::ProbeExited)) => {
                owned.wire.close();
                open(owned.settings, start()?, None, Some(Verdict::Legacy)).map_err(refused)
            }
            Err(failed) => Err(refused(failed)),
        }
    }
}

impl Remote {
    /// Connects, as a client of this name and version, with the defaults of [`Settings`].
    ///
    /// # Errors
    /// [`Error`] says what happened and what to do.
    pub fn connect(&self, name: &str, version: &str) -> Result<Client, Error> {
        self.connect_with(Settings::new(name, version))
    }

    /// Connects. With a host, a legacy server that begins a session is also listened to on a thread, since it may say or ask something at any
    /// time.
    ///
    /// # Errors
    /// [`Error`] says what happened and what to do.
    pub fn connect_with(&self, settings: Settings) -> Result<Client, Error> {
        self.connect_watched(settings, &|_| {})
    }

    /// The same; `opened` is given what ends the waiting, as soon as there is something to wait for.
    pub(crate) fn connect_watched(
        &self,
        mut settings: Settings,
        opened: &dyn Fn(Interrupter),
    ) -> Result<Client, Error> {
        let wire = self.wire().map_err(Failure::Wire)?;
        opened(wire.interrupter());
        let has_host = settings.progress;
        let host = Shared::new(std::mem::replace(&mut settings.host, Box::new(())));
        settings.host = Box::new(host.clone());
        let verdict = settings.verdict;
        let mut client = open(settings, ServerWire::Http(wire), Some(self.clone()), verdict).map_err(refused)?;
        if has_host {
            client.listen_beside(self, host)?;
        }
        Ok(client)
    }
}

impl Client {
    fn listen_beside(&mut self, remote: &Remote, host: Shared) -> Result<(), Error> {
        let settings = self.cell.with_dependent(|_, client| {
            let session = client.http_connection().map(http::Connection::session).unwrap_or_default().to_vec();
            (client.revision(), session)
        });
        let (revision, session) = settings;
        if revision.era() == Era::Modern || session.is_empty() {
            return Ok(());
        }
        self.with(|client| client.listen_when_idle(Idle::Never));
        let (name, version, capabilities) = self.identity.clone();
        let plan = Plan {
            remote: remote.clone(),
            wire: remote.wire().map_err(Failure::Wire)?,
            name,
            version,
            capabilities,
            revision,
            session,
            host,
        };
        self.listener = Listener::start(plan);
        Ok(())
    }
}

fn refused((owned, error): (Box<Owned>, Error)) -> Error {
    error.with_last_words(owned.wire.last_words())
}

/// Connects over a wire; if that fails, everything is given back.
fn open(
    settings: Settings,
    wire: ServerWire,
    remote: Option<Remote>,
    verdict: Option<Verdict>,
) -> Result<Client, (Box<Owned>, Error)> {
    let identity = (settings.name.clone(), settings.version.clone(), settings.capabilities);
    let owned = MutBorrow::new(Box::new(Owned {
        receive: vec![0; settings.receive_buffer],
        transmit: vec![0; settings.transmit_buffer],
        settings,
        wire,
        remote,
        pending: heapless::Vec::new(),
        listens: heapless::Vec::new(),
        session: heapless::Vec::new(),
        said: heapless::Vec::new(),
        tools: heapless::Vec::new(),
    }));
    let cell = Cell::try_new_or_recover(owned, |owned| {
        let Owned { settings, wire, remote, receive, transmit, pending, listens, session, said, tools } =
            &mut **owned.borrow_mut();
        let config = Config {
            capabilities: settings.capabilities,
            timeout: settings.timeout,
            probe_timeout: settings.probe_timeout.min(settings.timeout),
            verdict,
            ..Config::new(&settings.name, &settings.version)
        };
        let (progress, max_timeout) = (settings.progress, settings.max_timeout);
        let host: &mut (dyn Host + Send) = &mut *settings.host;
        let client = Lent { receive, transmit, pending, listens };
        let mut client = match remote {
            Some(remote) => {
                io::Client::new_http(http::Lent { client, session, said, tools }, config, remote, wire, host)
            }
            None => io::Client::new(client, config, wire, host),
        };
        client.handshake().map_err(|failure| Error::explained(failure, &client))?;
        (client.options.progress, client.options.max_timeout) = (progress, max_timeout);
        Ok(client)
    });
    let recovered = cell.map_err(|(owned, error)| (owned.into_inner(), error));
    recovered.map(|cell| Client { cell, listener: None, identity })
}
