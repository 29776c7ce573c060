//! Legacy sessions.

use std::collections::VecDeque;

use umcp::time::{Duration, Instant};

use super::peer::PeerId;
use crate::bridge::router::ClientId;

/// How many messages wait for a client that has no stream open. Then the oldest goes.
const BACKLOG: usize = 64;

pub(super) struct Session {
    /// 128 random bits in hexadecimal: who knows it, is in.
    pub(super) id: String,
    pub(super) client: ClientId,
    /// Where it listens for what the server says by itself.
    pub(super) stream: Option<PeerId>,
    backlog: VecDeque<Vec<u8>>,
    used: Instant,
}

#[derive(Default)]
pub(super) struct Sessions(Vec<Session>);

impl Sessions {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// A new one.
    pub(super) fn add(&mut self, client: ClientId, now: Instant) -> Result<String, getrandom::Error> {
        let id = random()?;
        self.0.push(Session { id: id.clone(), client, stream: None, backlog: VecDeque::new(), used: now });
        Ok(id)
    }

    pub(super) fn find(&mut self, id: &[u8], now: Instant) -> Option<&mut Session> {
        let session = self.0.iter_mut().find(|session| session.id.as_bytes() == id)?;
        session.used = now;
        Some(session)
    }

    pub(super) fn of(&mut self, client: ClientId) -> Option<&mut Session> {
        self.0.iter_mut().find(|session| session.client == client)
    }

    pub(super) fn remove(&mut self, client: ClientId) -> Option<Session> {
        let index = self.0.iter().position(|session| session.client == client)?;
        Some(self.0.remove(index))
    }

    /// The one that has been idle longest, if for at least so long. `busy`: something of it is under way.
    pub(super) fn idlest(&self, idle: Duration, now: Instant, busy: impl Fn(ClientId) -> bool) -> Option<ClientId> {
        let idle_ones = self
            .0
            .iter()
            .filter(|session| session.stream.is_none() && !busy(session.client) && now.since(session.used) >= idle);
        idle_ones.min_by_key(|session| session.used).map(|session| session.client)
    }

    /// This connection has closed.
    pub(super) fn closed(&mut self, peer: PeerId) {
        self.0.iter_mut().filter(|session| session.stream == Some(peer)).for_each(|session| session.stream = None);
    }
}

impl Session {
    pub(super) fn keep(&mut self, text: &[u8]) {
        if self.backlog.len() >= BACKLOG {
            self.backlog.pop_front();
        }
        self.backlog.push_back(text.to_vec());
    }

    pub(super) fn take_backlog(&mut self) -> VecDeque<Vec<u8>> {
        std::mem::take(&mut self.backlog)
    }
}

fn random() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
