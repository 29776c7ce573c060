//! One connection with its socket, and what it is doing.

use std::io::{self, ErrorKind, Write};
use std::net::{Shutdown, TcpStream};

use umcp::time::Instant;

use super::connection::{Connection, LINGER};
use super::request::Request;
use crate::bridge::limits::Limits;
use crate::bridge::router::{ClientId, Key};

/// Names a connection; used once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PeerId(pub(super) u64);

pub(super) struct Peer {
    pub(super) stream: TcpStream,
    pub(super) connection: Connection,
    pub(super) doing: Option<Doing>,
    /// We have said that nothing more comes.
    shut: bool,
}

/// The request that a connection waits for the answer to, or the stream it is.
pub(super) struct Doing {
    pub(super) client: ClientId,
    /// `None`: the stream of a session.
    pub(super) key: Option<Key>,
    pub(super) modern: bool,
    pub(super) takes_events: bool,
    /// The session that begins with this, if it succeeds.
    pub(super) session: Option<String>,
}

impl Peer {
    pub(super) fn new(stream: TcpStream, connection: Connection) -> Peer {
        Peer { stream, connection, doing: None, shut: false }
    }

    pub(super) fn is_doing(&self, client: ClientId) -> bool {
        self.doing.as_ref().is_some_and(|doing| doing.client == client)
    }

    pub(super) fn takes_events(&self) -> bool {
        self.doing.as_ref().is_some_and(|doing| doing.takes_events)
    }

    pub(super) fn wakes_at(&self, limits: &Limits) -> Instant {
        let span = match &self.doing {
            Some(doing) if doing.takes_events => limits.keep_alive,
            Some(_) => return Instant::NEVER,
            None if self.connection.is_lingering() => LINGER,
            None => limits.idle,
        };
        self.connection.since + span
    }

    pub(super) fn send(&mut self) -> io::Result<()> {
        while self.connection.pending() > 0 {
            match self.stream.write(self.connection.output()) {
                Ok(count) => self.connection.sent(count),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if self.connection.is_lingering() && !self.shut {
            self.shut = true;
            return self.stream.shutdown(Shutdown::Write);
        }
        Ok(())
    }
}

impl Doing {
    pub(super) fn call(client: ClientId, key: Key, modern: bool, request: &Request) -> Doing {
        Doing { client, key: Some(key), modern, takes_events: request.takes_events(), session: None }
    }
}
