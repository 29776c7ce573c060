//! Several servers at once: [`Manager`].
//!
//! ```no_run
//! use std::collections::BTreeMap;
//!
//! use umcp_std::{Config, Manager, Settings};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let config = Config::load("servers.json")?;
//! let manager = Manager::new(&config, None, |_| Settings::new("my-agent", "1.0.0"));
//! manager.start();
//! let tools = manager.tools();
//! for tool in &tools.entries {
//!     println!("{}  {}", tool.name, tool.entry.description());
//! }
//! for problem in &tools.problems {
//!     eprintln!("{problem}");
//! }
//! let arguments = BTreeMap::from([("message", "hello")]);
//! let said = manager.call("echo", &arguments, |reply| reply.text().map(|text| text.to_string()))??;
//! # Ok(())
//! # }
//! ```

mod error;
mod kept;
mod names;
mod saved;
mod slot;
mod threads;

use std::fmt;
use std::io::Error as IoError;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use serde::Serialize;
use umcp::io::{Failure, Reply};
use umcp::mcp::List;

use crate::config::ConfigError;
use crate::process::Closed;
use crate::{Borrowed, Config, Entry, Settings};
pub use error::ManagerError;
pub use kept::LONGEST_LIST;
pub use names::{Found, SEPARATOR};
pub use saved::LONGEST_FILE;
use saved::Saved;
use slot::{Age, Slot};
pub use threads::THREADS;
use threads::side_by_side;

/// The servers of a configuration, connected side by side.
///
/// **When a server is started.** By [`start`](Manager::start), all of them, on at most [`THREADS`] threads of the manager's own; or when
/// something needs it first. It is tried once: a server that could not be connected, or was lost, stays so, and says so to everybody who asks for
/// it, until [`reconnect`](Manager::reconnect) is called. What goes wrong with one does not hold up the others.
///
/// **Who waits.** Requests run on the caller's thread, and any number of threads may share a manager. A server answers one of them at a time; the
/// others wait for their turn, so a server's requests are in the order in which they were made, and different servers work side by side. What a
/// server says by itself in between is read with the next request to it. When a server is lost, each request that was under way or waited for its
/// turn ends once, with [`ManagerError::Lost`].
///
/// **Lists of tools** are kept for as long as the server says (`ttlMs`), or until it says that they have changed. Those that it calls public are
/// saved in a file, if there is a path for it, and stand in for a server that is not connected yet while they are fresh; a call of such a tool waits
/// for the server. Private lists are never saved. Once a server is connected it is asked anew.
///
/// **Memory.** Each connected server has its own buffers ([`Settings::buffers`]), and the list of its tools, of at most [`LONGEST_LIST`] bytes.
///
/// Dropping it stops it and ends the servers that were started, with short patience; [`close`](Manager::close) has more.
pub struct Manager {
    shared: Arc<Shared>,
    starting: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    slots: Vec<Slot>,
    /// Entries of the configuration that cannot be used.
    unusable: Vec<ManagerError>,
    /// All names in the configuration.
    names: Vec<String>,
    saved: Saved,
    stopped: AtomicBool,
    settings: Box<dyn Fn(&str) -> Settings + Send + Sync>,
}

/// How it is with a server, as far as is known without asking it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Status {
    /// Nobody has needed it yet.
    Idle,
    /// It is being connected.
    Connecting,
    /// It is connected.
    Connected,
    /// It cannot be used; the error says why.
    Gone(ManagerError),
}

/// What all servers have in a list.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The entries, by server and then in the order in which it gave them.
    pub entries: Vec<Listed>,
    /// The servers whose list could not be had, and why.
    pub problems: Vec<ManagerError>,
}

/// An entry of a list, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// What to ask the manager for: its name (URI, URI template), or `SERVER/NAME` where several servers have one of that name.
    pub name: String,
    /// The server.
    pub server: String,
    /// The entry, with the name that the server knows.
    pub entry: Entry,
}

impl Manager {
    /// A manager of all servers of a configuration. Nothing is started yet.
    ///
    /// `saved` is the file in which public lists of tools outlive the program, one for each configuration; it is made where it is not there, with
    /// its folder. `settings` is asked for the settings of each connection, by the server's name, and must not use the manager; the
    /// configuration's `timeout` goes before theirs.
    pub fn new(
        config: &Config,
        saved: Option<PathBuf>,
        settings: impl Fn(&str) -> Settings + Send + Sync + 'static,
    ) -> Manager {
        let mut servers = Vec::new();
        let mut unusable = Vec::new();
        for name in config.names() {
            match config.server(name) {
                Ok(server) => servers.push(server),
                Err(error) => unusable.push(ManagerError::Config(Arc::new(error))),
            }
        }
        let saved = Saved::at(saved);
        let lists = saved.load(servers.iter());
        let slots = servers.into_iter().zip(lists).map(|(server, tools)| Slot::new(server, tools)).collect();
        let names = config.names().map(str::to_owned).collect();
        let stopped = AtomicBool::new(false);
        let shared = Shared { slots, unusable, names, saved, stopped, settings: Box::new(settings) };
        Manager { shared: Arc::new(shared), starting: Mutex::new(None) }
    }

    /// Begins to connect all servers that nobody has needed yet, and to ask them for their tools, and returns at once. What goes wrong is
    /// reported by whatever asks for that server.
    pub fn start(&self) {
        let mut starting = self.starting.lock().unwrap_or_else(PoisonError::into_inner);
        if starting.as_ref().is_some_and(|thread| !thread.is_finished()) {
            return;
        }
        let shared = Arc::clone(&self.shared);
        let all = move || {
            side_by_side(&shared.slots, |slot| {
                let connected = slot.connect(&*shared.settings);
                // Whoever asks is told.
                let _ = connected.and_then(|()| slot.tools(&*shared.settings, &shared.saved, Age::Fresh));
            });
        };
        // Without a thread they are connected when they are needed.
        *starting = Builder::new().name("umcp-servers".to_owned()).spawn(all).ok();
    }

    /// The names of all servers in the configuration, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.shared.names.iter().map(String::as_str)
    }

    /// How it is with a server, as far as is known without asking it.
    ///
    /// # Errors
    /// The configuration has no server of this name, or none that can be used.
    pub fn status(&self, server: &str) -> Result<Status, ManagerError> {
        Ok(self.shared.slot(server)?.status())
    }

    /// The tools of all servers. Those whose servers are not connected yet come from the file, if they are fresh; the other servers are
    /// connected and waited for, side by side.
    #[must_use]
    pub fn tools(&self) -> Listing {
        self.list(List::Tools)
    }

    /// A list of all servers. Lists other than of tools are asked for each time.
    #[must_use]
    pub fn list(&self, list: List) -> Listing {
        self.shared.list(list, Age::Fresh)
    }

    /// Whose this is: `name` is the name of a tool or a prompt or the URI of a resource, where only one server has it, or `SERVER/NAME`.
    /// Where a tool is, is known from the last list of each server, unless that has changed.
    ///
    /// # Errors
    /// [`ManagerError::Unknown`] and [`ManagerError::Ambiguous`]; or, where the server is named, why its list could not be had.
    pub fn find(&self, list: List, name: &str) -> Result<Found, ManagerError> {
        self.shared.find(list, name)
    }

    /// Calls a tool, by a name as [`tools`](Manager::tools) has it; `take` gets the reply, which lasts no longer.
    ///
    /// # Errors
    /// As [`find`](Manager::find) and [`ask`](Manager::ask).
    pub fn call<T>(
        &self,
        name: &str,
        arguments: &(impl Serialize + ?Sized),
        take: impl FnOnce(Reply<'_>) -> T,
    ) -> Result<T, ManagerError> {
        let found = self.find(List::Tools, name)?;
        self.ask(&found.server, |client| client.call(&found.name, arguments).map(take))
    }

    /// Anything else that a client can do, with the server of this name: connects it if nobody has needed it yet, waits for the turn, and gives
    /// the connection to `work`.
    ///
    /// # Errors
    /// Each [`ManagerError`] says what happened, to which server, and what to do.
    pub fn ask<T>(
        &self,
        server: &str,
        work: impl FnOnce(&mut Borrowed<'_>) -> Result<T, Failure<IoError>>,
    ) -> Result<T, ManagerError> {
        self.shared.slot(server)?.ask(&*self.shared.settings, work)
    }

    /// Does the same with each server, side by side, and returns what came of it, by the servers' names; those that the configuration has wrong
    /// are among them.
    pub fn ask_all<T: Send>(
        &self,
        work: impl Fn(&mut Borrowed<'_>) -> Result<T, Failure<IoError>> + Sync,
    ) -> Vec<(String, Result<T, ManagerError>)> {
        self.shared.each(|slot| slot.ask(&*self.shared.settings, &work))
    }

    /// Ends the connection to a server, if there is one, and connects it anew. What waits for it now ends with [`ManagerError::Lost`] or is
    /// asked of the new connection.
    ///
    /// # Errors
    /// It could not be connected.
    pub fn reconnect(&self, server: &str) -> Result<(), ManagerError> {
        let slot = self.shared.slot(server)?;
        slot.reset()?;
        slot.connect(&*self.shared.settings)
    }

    /// What stops the manager from elsewhere, for example when the user presses Ctrl-C.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.shared))
    }

    /// Stops, and ends the servers that were started as [`Client::close`](crate::Client::close) does, side by side; how each ended, by its name.
    pub fn close(self) -> Vec<(String, Option<Closed>)> {
        self.end(true)
    }

    fn end(&self, patiently: bool) -> Vec<(String, Option<Closed>)> {
        self.stopper().stop();
        if let Some(starting) = self.starting.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // It has panicked if the settings have; that has been shown.
            let _ = starting.join();
        }
        let closed = self.shared.in_order(|slot| slot.close(patiently));
        self.shared.slots.iter().map(|slot| slot.server.name.clone()).zip(closed).collect()
    }
}

impl Drop for Manager {
    fn drop(&mut self) {
        self.end(false);
    }
}

impl fmt::Debug for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let servers = self.shared.slots.iter().map(|slot| (&slot.server.name, slot.status()));
        f.debug_map().entries(servers).finish()
    }
}

/// Stops a [`Manager`] for good, from any thread: requests under way are cancelled, and their servers told; nothing is begun any more.
/// All of them end with [`ManagerError::Stopped`].
#[derive(Clone)]
pub struct Stopper(Arc<Shared>);

impl Stopper {
    /// Stops it.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::SeqCst);
        self.0.slots.iter().for_each(Slot::stop);
    }
}

impl fmt::Debug for Stopper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stopper").field("stopped", &self.0.stopped).finish()
    }
}

impl Shared {
    fn slot(&self, server: &str) -> Result<&Slot, ManagerError> {
        if let Some(slot) = self.slots.iter().find(|slot| slot.server.name == server) {
            return Ok(slot);
        }
        let unusable = self.unusable.iter().find(|error| error.server() == Some(server));
        Err(unusable.cloned().unwrap_or_else(|| {
            let (name, names) = (server.to_owned(), self.names.clone());
            ManagerError::Config(Arc::new(ConfigError::Unknown { path: None, name, names }))
        }))
    }

    /// Does `work` for all servers, side by side.
    fn in_order<T: Send>(&self, work: impl Fn(&Slot) -> T + Sync) -> Vec<T> {
        let slots: Vec<(&Slot, Mutex<Option<T>>)> = self.slots.iter().map(|slot| (slot, Mutex::new(None))).collect();
        side_by_side(&slots, |(slot, done)| {
            let result = work(slot);
            *done.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        });
        slots.into_iter().filter_map(|(_, done)| done.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    /// The same, with the servers' names, and those that cannot be used; in alphabetical order.
    fn each<T: Send>(
        &self,
        work: impl Fn(&Slot) -> Result<T, ManagerError> + Sync,
    ) -> Vec<(String, Result<T, ManagerError>)> {
        let done = self.in_order(|slot| work(slot));
        let mut all: Vec<_> = self.slots.iter().map(|slot| slot.server.name.clone()).zip(done).collect();
        all.extend(
            self.unusable.iter().map(|error| (error.server().unwrap_or_default().to_owned(), Err(error.clone()))),
        );
        all.sort_by(|(one, _), (other, _)| one.cmp(other));
        all
    }
}
