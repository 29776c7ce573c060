//! A server over Streamable HTTP.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use umcp::frame::http::HeadWriter;
use umcp::http::client::Target as _;
use umcp::json::Value;
use umcp::mcp::Method;
use umcp::time::{Duration, Instant};

use super::exchange::{self, Said};
use crate::Interrupter;
use crate::bridge::limits::Limits;
use crate::bridge::message::{Kind, Message, slot};
use crate::bridge::router::{Key, Router};
use crate::http::client::Remote;

/// What may wait to be passed on. Then the threads wait.
const QUEUE: usize = 64;
/// When a stream for what the server says by itself is opened again after it has ended.
const REOPEN: Duration = Duration::from_secs(1);
/// The longest head of a request, in bytes: names and URIs stand in it.
const HEAD: usize = 64 << 10;

struct Running {
    what: What,
    /// `None` until its thread runs.
    stop: Option<Interrupter>,
    /// It is not wanted any longer.
    cancelled: bool,
    status: u16,
    /// What an error without an id has said.
    reason: Option<String>,
    /// It was sent in this session.
    in_session: bool,
}

enum What {
    Call {
        key: Key,
        modern: bool,
        handshake: bool,
    },
    /// A notification or an answer; the notification that ends the handshake.
    Other {
        initialized: bool,
    },
    /// The stream for what the server says by itself.
    Listener,
}

pub(in crate::bridge) struct RemoteOutlet {
    remote: Remote,
    limits: Limits,
    wake: Interrupter,
    running: BTreeMap<u64, Running>,
    next: u64,
    sender: SyncSender<(u64, Said)>,
    said: Receiver<(u64, Said)>,
    session: Option<String>,
    /// The legacy revision that was agreed on.
    revision: Option<String>,
    listens_at: Instant,
    /// What legacy clients say until the server has heard that the handshake is complete.
    held: Vec<(Vec<u8>, Option<Key>)>,
}

impl RemoteOutlet {
    pub(super) fn new(remote: Remote, limits: Limits, wake: Interrupter) -> RemoteOutlet {
        let (sender, said) = sync_channel(QUEUE);
        RemoteOutlet {
            remote,
            limits,
            wake,
            running: BTreeMap::new(),
            next: 0,
            sender,
            said,
            session: None,
            revision: None,
            listens_at: Instant::NEVER,
            held: Vec::new(),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.running.len() + self.held.len() >= 2 * self.limits.requests
    }

    pub(super) fn is_flushed(&self) -> bool {
        self.held.is_empty() && self.running.values().all(|running| !matches!(running.what, What::Other { .. }))
    }

    pub(super) fn wakes_at(&self) -> Instant {
        self.listens_at
    }

    pub(super) fn push(&mut self, text: &[u8], call: Option<Key>, router: &mut Router, now: Instant) {
        let Ok(message) = Message::read(text.to_vec()) else { return };
        if message.is("notifications/cancelled") && self.cancel(message.raw(slot::REQUEST_ID)) {
            return;
        }
        let modern = message.has(slot::VERSION);
        let completes = |running: &Running| matches!(running.what, What::Other { initialized: true });
        if !modern && self.running.values().any(completes) {
            return self.held.push((text.to_vec(), call));
        }
        let handshake = !modern && message.is("initialize");
        if handshake {
            (self.session, self.revision, self.listens_at) = (None, None, Instant::NEVER);
        }
        let what = match call {
            Some(key) => What::Call { key, modern, handshake },
            None => What::Other { initialized: message.is("notifications/initialized") },
        };
        let Some(head) = self.head("POST", Some(&message), modern) else {
            if let Some(key) = call {
                router.give_up(key, "its name is too long for a header", now);
            }
            return;
        };
        if let Some(key) = call {
            router.left(key, now);
        }
        self.start([&head, message.text()].concat(), what, !modern);
    }

    /// Ends the exchange of a modern request: closing its stream says it. `false`: a legacy one has to be told.
    fn cancel(&mut self, id: &[u8]) -> bool {
        for running in self.running.values_mut() {
            if let What::Call { key, modern, .. } = running.what
                && key.text().as_bytes() == id
            {
                running.cancelled = true;
                running.stop.iter().for_each(Interrupter::interrupt);
                return modern;
            }
        }
        false
    }

    /// The head of a request with this message, with what mirrors it.
    fn head(&self, method: &str, message: Option<&Message>, modern: bool) -> Option<Vec<u8>> {
        let mut room = vec![0; HEAD];
        let mut head = HeadWriter::request(&mut room, method, self.remote.path());
        head.header("Host", self.remote.host().as_bytes()).header("Connection", b"close");
        let accepted: &[u8] =
            if message.is_some() { b"application/json, text/event-stream" } else { b"text/event-stream" };
        head.header("Accept", accepted);
        if let Some(message) = message {
            head.header("Content-Type", b"application/json").number("Content-Length", message.text().len() as u64);
        }
        let decoded = |slot: usize| {
            message.and_then(|message| Value::new(message.raw(slot)).as_text()).map(|text| text.to_string())
        };
        if modern {
            for (name, slot) in [("MCP-Protocol-Version", slot::VERSION), ("Mcp-Method", slot::METHOD)] {
                head.header(name, decoded(slot).unwrap_or_default().as_bytes());
            }
            let named_by = match message.and_then(|message| Method::parse(Value::new(message.raw(slot::METHOD)))) {
                Some(Method::CallTool | Method::GetPrompt) => Some(slot::NAME),
                Some(Method::ReadResource) => Some(slot::URI),
                _ => None,
            };
            if let Some(name) = named_by.and_then(decoded) {
                head.text("Mcp-Name", name.bytes());
            }
        } else {
            if let Some(session) = &self.session {
                head.header("Mcp-Session-Id", session.as_bytes());
            }
            if let Some(revision) = &self.revision {
                head.header("MCP-Protocol-Version", revision.as_bytes());
            }
        }
        self.remote.headers(&mut head);
        let head = head.finish().ok()?;
        room.truncate(head.len);
        Some(room)
    }

    fn start(&mut self, request: Vec<u8>, what: What, legacy: bool) {
        self.next += 1;
        let (id, limit) = (self.next, self.limits.message);
        let (remote, sender, wake) = (self.remote.clone(), self.sender.clone(), self.wake.clone());
        let in_session = legacy && self.session.is_some();
        self.running.insert(id, Running { what, stop: None, cancelled: false, status: 0, reason: None, in_session });
        thread::spawn(move || {
            exchange::run(&remote, &request, limit, &mut |said| {
                let is_heard = sender.send((id, said)).is_ok();
                wake.interrupt();
                is_heard
            });
        });
    }

    /// What the threads have to say, as long as that can be passed on.
    pub(super) fn tick(&mut self, reads: bool, router: &mut Router, now: Instant) {
        while reads && let Ok((id, said)) = self.said.try_recv() {
            self.hear(id, said, router, now);
        }
        if self.listens_at <= now {
            self.listens_at = Instant::NEVER;
            if let Some(head) = self.head("GET", None, false) {
                self.start(head, What::Listener, true);
            }
        }
    }

    fn hear(&mut self, id: u64, said: Said, router: &mut Router, now: Instant) {
        let Some(running) = self.running.get_mut(&id) else { return };
        match said {
            Said::Open(stop) => {
                if running.cancelled {
                    stop.interrupt();
                }
                running.stop = Some(stop);
            }
            Said::Head { status, session } => {
                running.status = status;
                if let What::Call { handshake: true, .. } = running.what {
                    self.session = session;
                } else if status == 404 && running.in_session {
                    // The session is gone: it begins anew before the next legacy message.
                    self.session = None;
                    router.forgotten();
                }
            }
            Said::Message(text) => self.message(id, text, router, now),
            Said::Over(outcome) => self.over(id, outcome, router, now),
        }
    }

    fn message(&mut self, id: u64, text: Vec<u8>, router: &mut Router, now: Instant) {
        let Some(running) = self.running.get_mut(&id).filter(|running| !running.cancelled) else { return };
        if let Ok(message) = Message::read(text.clone())
            && message.kind == Kind::Answer
        {
            if message.id().is_none() {
                let said = Value::new(message.raw(slot::ERROR)).get("message").and_then(Value::as_text);
                running.reason = said.map(|said| said.to_string());
                return;
            }
            if let What::Call { handshake: true, .. } = running.what {
                self.revision = Value::new(message.raw(slot::NEGOTIATED)).as_str().map(str::to_owned);
            }
        }
        router.moved(false, true, false, now);
        router.hear(text, now);
    }

    fn over(&mut self, id: u64, outcome: Result<(), String>, router: &mut Router, now: Instant) {
        let Some(Running { what, status, reason, .. }) = self.running.remove(&id) else { return };
        match what {
            What::Call { key, .. } => {
                let why = match outcome {
                    Err(why) => why,
                    Ok(()) if (200..300).contains(&status) => "it has ended its reply without an answer".to_owned(),
                    Ok(()) => {
                        let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
                        format!("it has answered with HTTP status {status}{reason}")
                    }
                };
                // Nothing, if it has been answered.
                router.give_up(key, &why, now);
            }
            What::Other { initialized: true } => {
                if outcome.is_ok() && (200..300).contains(&status) {
                    self.listens_at = now;
                }
                for (text, call) in std::mem::take(&mut self.held) {
                    self.push(&text, call, router, now);
                }
            }
            What::Other { .. } => {}
            // A server that has no such stream says 405.
            What::Listener if status == 200 && self.session.is_some() => self.listens_at = now + REOPEN,
            What::Listener => {}
        }
    }

    /// Ends the session, if there is one, and everything that is under way.
    pub(super) fn close(mut self, limit: Duration) {
        for running in self.running.values_mut() {
            running.cancelled = true;
            running.stop.iter().for_each(Interrupter::interrupt);
        }
        if self.session.is_none() {
            return;
        }
        let Some(head) = self.head("DELETE", None, false) else { return };
        let (done, is_done) = sync_channel::<()>(1);
        let remote = self.remote.clone();
        thread::spawn(move || {
            exchange::run(&remote, &head, HEAD, &mut |_| true);
            // The bridge may have ended meanwhile.
            let _ = done.send(());
        });
        // A server that does not care to answer keeps nobody.
        let _ = is_done.recv_timeout(std::time::Duration::from_millis(limit.as_millis().into()));
    }
}
