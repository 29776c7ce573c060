//! Listening to a legacy server over HTTP while a request is in flight: on a thread, on a connection of its own.

use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration as Span;

use umcp::client::{Config, Event, Host, Input, Lent};
use umcp::http::client as http;
use umcp::io::{Client, Wire as _};
use umcp::json::Writer;
use umcp::mcp::{ClientCapabilities, Revision};
use umcp::time::Duration;

use crate::Interrupter;
use crate::http::client::{HttpWire, Remote};

/// How long the server may take to begin the stream before requests are sent without waiting for it.
const BEGIN: Span = Span::from_secs(2);
/// How often it is looked whether the stream has begun, and then whether it is still there.
const LOOKS: [Duration; 2] = [Duration::from_millis(5), Duration::from_secs(60)];
/// The longest message from the server, and to it.
const BUFFERS: [usize; 2] = [1 << 20, 256 << 10];

/// A host that several connections turn to.
#[derive(Clone)]
pub(super) struct Shared(Arc<Mutex<Box<dyn Host + Send>>>);

impl Shared {
    pub(super) fn new(host: Box<dyn Host + Send>) -> Shared {
        Shared(Arc::new(Mutex::new(host)))
    }
}

impl Host for Shared {
    fn event(&mut self, event: Event<'_>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).event(event);
    }

    fn input(&mut self, input: Input<'_>, answer: &mut Writer<'_>) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).input(input, answer)
    }
}

/// What it takes to listen.
pub(super) struct Plan {
    pub(super) remote: Remote,
    pub(super) wire: HttpWire,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) capabilities: ClientCapabilities,
    pub(super) revision: Revision,
    pub(super) session: Vec<u8>,
    pub(super) host: Shared,
}

/// A thread that listens. It ends when this is dropped, or when the server has no stream to listen on.
pub(super) struct Listener {
    interrupter: Interrupter,
}

impl Listener {
    /// Starts it, and waits for a while until the server has begun the stream: what it asks before is lost. `None`: there is no thread to
    /// be had.
    pub(super) fn start(plan: Plan) -> Option<Listener> {
        let interrupter = plan.wire.interrupter();
        let (begun, has_begun): (Sender<()>, Receiver<()>) = channel();
        thread::Builder::new().name("umcp listen".into()).spawn(move || listen(plan, begun)).ok()?;
        // It has begun, or will not.
        let _ = has_begun.recv_timeout(BEGIN);
        Some(Listener { interrupter })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.interrupter.interrupt();
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").finish_non_exhaustive()
    }
}

/// Listens until it is interrupted, or there is nothing to listen to. What is heard is the host's.
fn listen(plan: Plan, begun: Sender<()>) {
    let Plan { remote, wire, name, version, capabilities, revision, session, mut host } = plan;
    let [receive, transmit] = BUFFERS.map(|size| vec![0; size]);
    let (mut receive, mut transmit) = (receive, transmit);
    let mut tables = (heapless::Vec::<_, 2>::new(), heapless::Vec::<_, 1>::new());
    let mut notes = (vec_of(&session), heapless::Vec::<u8, 512>::new(), heapless::Vec::<u8, 1>::new());
    let lent = http::Lent {
        client: Lent { receive: &mut receive, transmit: &mut transmit, pending: &mut tables.0, listens: &mut tables.1 },
        session: &mut notes.0,
        said: &mut notes.1,
        tools: &mut notes.2,
    };
    let config = Config { capabilities, ..Config::new(&name, &version) };
    let heard = host.clone();
    let Some(mut client) = Client::join_http(lent, config, &remote, wire, heard, revision, &session) else { return };
    let mut begun = Some(begun);
    loop {
        let Some(is_open) = client.http_connection().and_then(http::Connection::is_listening_when_idle) else { return };
        if is_open {
            begun = None;
        }
        let [often, seldom] = LOOKS;
        let until = client.wire().now() + if begun.is_some() { often } else { seldom };
        match client.next_notification(until) {
            Ok(Some(event)) => host.event(event),
            Ok(None) => {}
            // Without the stream everything else goes on; it is asked for again.
            Err(umcp::io::Failure::Wire(_)) => thread::sleep(Span::from_secs(1)),
            Err(_) => return,
        }
    }
}

fn vec_of(session: &[u8]) -> heapless::Vec<u8, 1024> {
    heapless::Vec::from_slice(session).unwrap_or_default()
}
