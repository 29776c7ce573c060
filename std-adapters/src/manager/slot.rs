//! One server of many: connected once, by whoever needs it first; used by one at a time.

use std::io::Error as IoError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};

use umcp::client::{Event, Host, Input, ListenFilter, Refused};
use umcp::io::{Failure, Wire as _};
use umcp::json::Writer;
use umcp::mcp::{Era, List};

use super::error::ManagerError;
use super::kept::{Kept, fetch, now};
use super::saved::Saved;
use crate::config::{Place, Server};
use crate::process::Closed;
use crate::{Borrowed, Client, Error, Interrupter, Settings};

/// How many notifications are heard at a time. A server that says more is heard on next time.
const HEARD: usize = 256;

/// Where a server is in its life. The manager never goes back by itself.
#[derive(Clone, Debug)]
enum State {
    /// Nobody has needed it yet.
    Idle,
    /// Somebody connects; the others wait.
    Connecting,
    Ready,
    Failed(Arc<Error>),
    Lost(Arc<Error>),
    Stopped,
}

#[derive(Debug)]
struct Shared {
    state: State,
    /// Ends whatever the connection waits for.
    interrupter: Option<Interrupter>,
    stopping: bool,
    tools: Option<Arc<Kept>>,
}

/// A server of the configuration, and its connection if it has one.
pub(super) struct Slot {
    pub(super) server: Server,
    shared: Mutex<Shared>,
    /// The state has changed.
    turned: Condvar,
    /// Whoever holds it has the connection to himself. It is never waited for while `shared` is held.
    client: Mutex<Option<Client>>,
    news: Arc<News>,
}

/// How new a list of tools has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Age {
    /// As the server says: no older than its `ttlMs`, and not changed since.
    Fresh,
    /// Old enough to know whose a tool is: not known to have changed.
    Known,
}

impl Slot {
    pub(super) fn new(server: Server, tools: Option<Kept>) -> Slot {
        let tools = tools.map(Arc::new);
        Slot {
            server,
            shared: Mutex::new(Shared { state: State::Idle, interrupter: None, stopping: false, tools }),
            turned: Condvar::new(),
            client: Mutex::new(None),
            news: Arc::default(),
        }
    }

    /// Connects, unless that has been done; waits, if somebody else does it.
    pub(super) fn connect(&self, settings: &dyn Fn(&str) -> Settings) -> Result<(), ManagerError> {
        let mut shared = self.shared();
        loop {
            match &shared.state {
                State::Ready => return Ok(()),
                State::Idle => break,
                State::Connecting => {
                    shared = self.turned.wait(shared).unwrap_or_else(PoisonError::into_inner);
                }
                State::Failed(_) | State::Lost(_) | State::Stopped => return Err(self.gone(&shared.state)),
            }
        }
        let settings = settings(&self.server.name);
        shared.state = State::Connecting;
        drop(shared);
        self.connect_now(settings)
    }

    fn connect_now(&self, mut settings: Settings) -> Result<(), ManagerError> {
        if let Some(timeout) = self.server.timeout {
            settings.timeout = timeout;
        }
        self.news.forget();
        settings.host = Box::new(Minder { host: settings.host, news: Arc::clone(&self.news) });
        let opened = |interrupter: Interrupter| {
            let mut shared = self.shared();
            if shared.stopping {
                interrupter.interrupt();
            }
            shared.interrupter = Some(interrupter);
        };
        let connected = match self.server.place() {
            Place::Process(process) => process.connect_watched(settings, &opened),
            Place::Http(remote) => remote.connect_watched(settings, &opened),
        };
        let mut link = self.link();
        let mut shared = self.shared();
        shared.state = match connected {
            // The client is closed when nobody waits for us any more.
            _ if shared.stopping => State::Stopped,
            Ok(client) => {
                *link = Some(client);
                State::Ready
            }
            Err(error) => State::Failed(Arc::new(error)),
        };
        self.turned.notify_all();
        match &shared.state {
            State::Ready => Ok(()),
            other => Err(self.gone(other)),
        }
    }

    /// A modern server tells of changes to whoever listens, a legacy one to everybody. Over HTTP, where that would take a stream of its own,
    /// `ttlMs` has to do; likewise where the subscription is refused.
    fn subscribe(&self, client: &mut Borrowed<'_>) -> Result<(), Failure<IoError>> {
        if self.news.subscribed.swap(true, Ordering::SeqCst) || self.is_http() || !client.features().tools_changed {
            return Ok(());
        }
        if client.revision().era() == Era::Modern {
            match client.listen(&ListenFilter { tools: true, ..ListenFilter::default() }) {
                Ok(_) => {}
                Err(Failure::Cancelled) => return Err(Failure::Cancelled),
                Err(failure) if is_loss(&failure) => return Err(failure),
                Err(_) => return Ok(()),
            }
        }
        self.news.announces.store(true, Ordering::SeqCst);
        Ok(())
    }

    /// Does something with the connection, alone, on the caller's thread. If the connection ends meanwhile, this is the one request that is told
    /// so by its own end; those who wait for their turn are told too, each once.
    pub(super) fn ask<T>(
        &self,
        settings: &dyn Fn(&str) -> Settings,
        work: impl FnOnce(&mut Borrowed<'_>) -> Result<T, Failure<IoError>>,
    ) -> Result<T, ManagerError> {
        self.connect(settings)?;
        let mut link = self.link();
        self.work(&mut link, work)
    }

    fn work<T>(
        &self,
        link: &mut Option<Client>,
        work: impl FnOnce(&mut Borrowed<'_>) -> Result<T, Failure<IoError>>,
    ) -> Result<T, ManagerError> {
        let stopping = self.shared().stopping;
        let Some(client) = link.as_mut().filter(|_| !stopping) else { return Err(self.gone(&self.state())) };
        let error = match client.ask(work) {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        if self.shared().stopping && matches!(error.failure(), Some(Failure::Cancelled)) {
            return Err(ManagerError::Stopped);
        }
        if self.is_http() || !error.failure().is_some_and(is_loss) {
            return Err(ManagerError::Request { server: self.server.name.clone(), error: Arc::new(error) });
        }
        let last_words = client.with(|client| client.wire().last_words());
        let lost = State::Lost(Arc::new(error.with_last_words(last_words)));
        *link = None;
        let mut shared = self.shared();
        shared.state = if shared.stopping { State::Stopped } else { lost };
        shared.interrupter = None;
        Err(self.gone(&shared.state))
    }

    /// Its tools. While it is not connected, a saved list that is fresh stands in.
    pub(super) fn tools(
        &self,
        settings: &dyn Fn(&str) -> Settings,
        saved: &Saved,
        age: Age,
    ) -> Result<Arc<Kept>, ManagerError> {
        if let Some(kept) = self.stand_in() {
            return Ok(kept);
        }
        self.connect(settings)?;
        let mut link = match self.client.try_lock() {
            Ok(link) => link,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            // Whoever has the connection hears of changes.
            Err(TryLockError::WouldBlock) => match self.current(age) {
                Some(kept) => return Ok(kept),
                None => self.link(),
            },
        };
        self.work(&mut link, |client| self.hear(client))?;
        if let Some(kept) = self.current(age) {
            return Ok(kept);
        }
        self.news.changed.store(false, Ordering::SeqCst);
        let fetched = self.work(&mut link, |client| {
            self.subscribe(client)?;
            fetch(client, List::Tools)
        });
        if fetched.is_err() {
            self.news.changed.store(true, Ordering::SeqCst);
        }
        let kept = Arc::new(fetched?);
        self.shared().tools = Some(Arc::clone(&kept));
        let is_current = !self.news.changed.load(Ordering::SeqCst);
        saved.put(&self.server, is_current.then_some(&kept));
        Ok(kept)
    }

    fn stand_in(&self) -> Option<Arc<Kept>> {
        let shared = self.shared();
        let stands_in = matches!(shared.state, State::Idle | State::Connecting) && !shared.stopping;
        shared.tools.clone().filter(|kept| stands_in && kept.is_fresh(now()))
    }

    /// The list from this connection, if it need not be asked for again.
    fn current(&self, age: Age) -> Option<Arc<Kept>> {
        let kept = self.shared().tools.clone()?;
        let told_of_changes = kept.ttl.is_none() && self.news.announces.load(Ordering::SeqCst);
        let may_be_old = age == Age::Known || told_of_changes || kept.is_fresh(now());
        (may_be_old && !kept.saved && !self.news.changed.load(Ordering::SeqCst)).then_some(kept)
    }

    /// Hears what the server has said since it was last asked something. It is not waited for.
    fn hear(&self, client: &mut Borrowed<'_>) -> Result<(), Failure<IoError>> {
        if self.is_http() {
            return Ok(());
        }
        let at_once = client.wire().now();
        for _ in 0..HEARD {
            match client.next_notification(at_once)? {
                Some(event) => self.news.note(&event),
                None => break,
            }
        }
        Ok(())
    }

    /// Forgets that it could not be connected, or was lost, or its connection; the next who needs it connects.
    pub(super) fn reset(&self) -> Result<(), ManagerError> {
        let mut link = self.link();
        let mut shared = self.shared();
        while matches!(shared.state, State::Connecting) {
            // Whoever connects needs the connection's place.
            drop(link);
            drop(self.turned.wait(shared).unwrap_or_else(PoisonError::into_inner));
            link = self.link();
            shared = self.shared();
        }
        if shared.stopping {
            return Err(ManagerError::Stopped);
        }
        shared.state = State::Idle;
        shared.interrupter = None;
        // What it lists now may be something else, but what was saved is as good as before.
        shared.tools = shared.tools.take().filter(|kept| kept.saved);
        drop(shared);
        *link = None;
        Ok(())
    }

    /// From now on nothing is begun, and what is under way is cancelled.
    pub(super) fn stop(&self) {
        let mut shared = self.shared();
        shared.stopping = true;
        if let State::Idle = shared.state {
            shared.state = State::Stopped;
        }
        if let Some(interrupter) = &shared.interrupter {
            interrupter.interrupt();
        }
    }

    /// Closes what is stopped; with time for the server to end by itself, or nearly none.
    pub(super) fn close(&self, patiently: bool) -> Option<Closed> {
        let client = self.link().take();
        self.shared().state = State::Stopped;
        client.filter(|_| patiently).and_then(Client::close)
    }

    /// Whether the connection is there, as far as is known without asking.
    pub(super) fn status(&self) -> super::Status {
        let state = self.state();
        match &state {
            State::Idle => super::Status::Idle,
            State::Connecting => super::Status::Connecting,
            State::Ready => super::Status::Connected,
            gone => super::Status::Gone(self.gone(gone)),
        }
    }

    fn is_http(&self) -> bool {
        matches!(self.server.place(), Place::Http(_))
    }

    fn gone(&self, state: &State) -> ManagerError {
        let server = self.server.name.clone();
        match state {
            State::Failed(error) => ManagerError::NotConnected { server, error: Arc::clone(error) },
            State::Lost(error) => ManagerError::Lost { server, error: Arc::clone(error) },
            _ => ManagerError::Stopped,
        }
    }

    fn state(&self) -> State {
        self.shared().state.clone()
    }

    /// A holder that has panicked has left nothing half done.
    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn link(&self) -> MutexGuard<'_, Option<Client>> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a server has said about its tools.
#[derive(Debug, Default)]
struct News {
    /// It has been asked to tell of changes, if it can.
    subscribed: AtomicBool,
    /// They have changed since they were asked for.
    changed: AtomicBool,
    /// It says so whenever they do.
    announces: AtomicBool,
}

impl News {
    fn forget(&self) {
        for one in [&self.subscribed, &self.changed, &self.announces] {
            one.store(false, Ordering::SeqCst);
        }
    }

    fn note(&self, event: &Event<'_>) {
        let over = matches!(event, Event::ListenEnded { .. });
        if over {
            self.announces.store(false, Ordering::SeqCst);
        }
        if over || matches!(event, Event::Changed { list: List::Tools, .. }) {
            self.changed.store(true, Ordering::SeqCst);
        }
    }
}

/// Takes note of what the server tells while something else is waited for, and passes it on.
struct Minder {
    host: Box<dyn Host + Send>,
    news: Arc<News>,
}

impl Host for Minder {
    fn event(&mut self, event: Event<'_>) {
        self.news.note(&event);
        self.host.event(event);
    }

    fn input(&mut self, input: Input<'_>, answer: &mut Writer<'_>) -> bool {
        self.host.input(input, answer)
    }
}

/// Whether there is no connection any more. (Over HTTP there is none that could be lost.)
fn is_loss(failure: &Failure<IoError>) -> bool {
    matches!(failure, Failure::Closed | Failure::Wire(_) | Failure::Refused(Refused::Closed))
}
