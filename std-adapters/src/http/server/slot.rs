//! One place for a connection: its state machine, and the socket that is there at present.

use std::io::{self, IoSlice, Read as _, Write as _};
use std::net::Shutdown;

use mio::net::TcpStream;
use umcp::http::server::{Connection, Lent, Site};
use umcp::server::{Endpoint, Event};
use umcp::time::{Duration, Instant};

/// How often one connection is looked at before it is the turn of the others: a peer that always has more to say keeps nobody waiting.
const TURNS: usize = 16;

/// How long who has just come may take before it makes room for others.
const GRACE: Duration = Duration::from_millis(50);

/// Whether a read or write of less than there was room for means that there is no more at present, so that the system need not be asked to say so.
/// Where it is asked for readiness by overlapped operations, it goes on only after it has been heard to say so.
const SHORT_IS_ALL: bool = cfg!(unix);

pub(crate) struct Slot<'b> {
    pub(super) connection: Connection<'b>,
    pub(super) socket: Option<TcpStream>,
    /// The system has said that there is something to read, and has not said since that there is nothing.
    pub(super) readable: bool,
    pub(super) writable: bool,
    /// It has said that the peer's side is at its end: what is to be read ends with that, and no more will be said.
    pub(super) ended: bool,
    /// Our side has been shut down.
    shut: bool,
    /// When the socket was taken.
    taken: Instant,
    /// It has more to do than there were turns for.
    pub(super) busy: bool,
}

impl<'b> Slot<'b> {
    pub(crate) fn new(memory: Lent<'b>) -> Slot<'b> {
        let connection = Connection::new(memory);
        Slot {
            connection,
            socket: None,
            readable: false,
            writable: false,
            ended: false,
            shut: false,
            taken: Instant::ZERO,
            busy: false,
        }
    }

    /// A new peer. What the slot was taken for before is over.
    pub(super) fn take(&mut self, socket: TcpStream, now: Instant) {
        self.connection.reset();
        self.socket = Some(socket);
        self.readable = true;
        self.writable = true;
        self.ended = false;
        self.shut = false;
        self.taken = now;
    }

    /// Moves what can move, and serves what has arrived. `true`: something has moved.
    pub(super) fn drive<A>(
        &mut self,
        site: &mut Site<'_>,
        endpoint: &mut Endpoint<A>,
        app: &mut A,
        now: Instant,
        heed: &mut impl FnMut(&mut A, &Event<'_>),
    ) -> bool {
        let mut any = false;
        let mut turns = 0..TURNS;
        self.busy = loop {
            if turns.next().is_none() {
                break true;
            }
            let moved = self.transfer();
            self.serve(site, endpoint, app, now, heed);
            match moved {
                Ok(true) => any = true,
                Ok(false) if !self.can_write() && !self.can_read() => break false,
                Ok(false) => {}
                Err(_) => {
                    // The peer is gone: what was open on it is cancelled.
                    self.socket = None;
                    break false;
                }
            }
        };
        if self.connection.is_detached() {
            self.socket = None;
        } else if self.socket.is_none() || self.is_over() {
            self.leave(site, endpoint, app, now, heed);
        }
        any
    }

    fn serve<A>(
        &mut self,
        site: &mut Site<'_>,
        endpoint: &mut Endpoint<A>,
        app: &mut A,
        now: Instant,
        heed: &mut impl FnMut(&mut A, &Event<'_>),
    ) {
        loop {
            match self.connection.next_event(site, endpoint, app, now) {
                Event::NeedData | Event::Closed => return,
                Event::Served { .. } => {}
                event => heed(app, &event),
            }
        }
    }

    /// Writes and reads as much as goes at once. `true`: something has moved.
    fn transfer(&mut self) -> io::Result<bool> {
        let wrote = self.write()?;
        let read = self.read()?;
        if self.connection.is_lingering() && !self.shut {
            self.shut = true;
            if let Some(socket) = &self.socket {
                // The peer may have gone already.
                let _ = socket.shutdown(Shutdown::Write);
            }
        }
        Ok(wrote || read)
    }

    fn write(&mut self) -> io::Result<bool> {
        let Some(socket) = &mut self.socket else { return Ok(false) };
        let mut moved = false;
        while self.writable {
            let pieces = self.connection.transmit_pieces();
            let total: usize = pieces.iter().map(|piece| piece.len()).sum();
            if total == 0 {
                break;
            }
            match socket.write_vectored(&pieces.map(IoSlice::new)) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => {
                    self.connection.transmitted(count);
                    self.writable = count == total || !SHORT_IS_ALL;
                    moved = true;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.writable = false,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(moved)
    }

    fn read(&mut self) -> io::Result<bool> {
        let Some(socket) = &mut self.socket else { return Ok(false) };
        if !self.readable {
            return Ok(false);
        }
        let buffer = self.connection.receive_buffer();
        if buffer.is_empty() {
            return Ok(false);
        }
        match socket.read(buffer) {
            Ok(0) => {
                self.readable = false;
                self.connection.eof();
                Ok(true)
            }
            Ok(count) => {
                self.readable = self.ended || count == buffer.len() || !SHORT_IS_ALL;
                self.connection.commit(count);
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.readable = false;
                // It was said of the socket that was here before.
                self.ended = false;
                Ok(false)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// There is something to write, and room for it.
    fn can_write(&self) -> bool {
        self.writable && !self.connection.transmit().is_empty()
    }

    /// There is something to read, and there has been no room for it until now.
    fn can_read(&mut self) -> bool {
        self.readable && !self.connection.receive_buffer().is_empty()
    }

    fn is_over(&self) -> bool {
        self.connection.is_closed() && self.connection.transmit().is_empty()
    }

    /// The socket is closed, and what was open on it ends.
    pub(super) fn leave<A>(
        &mut self,
        site: &mut Site<'_>,
        endpoint: &mut Endpoint<A>,
        app: &mut A,
        now: Instant,
        heed: &mut impl FnMut(&mut A, &Event<'_>),
    ) {
        self.socket = None;
        self.connection.eof();
        self.connection.abort();
        self.serve(site, endpoint, app, now, heed);
        if !self.connection.is_detached() {
            self.connection.reset();
        }
    }

    /// Whether somebody is served here: over a socket, or a call whose client is away.
    pub(super) fn is_taken(&self) -> bool {
        self.socket.is_some() || self.connection.is_detached()
    }

    /// Whether the peer has only just come, and what it wants may still be on its way.
    pub(super) fn is_new(&self, now: Instant) -> bool {
        self.socket.is_some() && now.since(self.taken) < GRACE
    }

    /// How ready it is to make room for another: the higher, the sooner. `None`: a request is being served.
    pub(super) fn readiness_to_go(&self, now: Instant) -> Option<u8> {
        let connection = &self.connection;
        if self.is_new(now) || connection.is_uploading() {
            return None;
        }
        match (connection.is_idle(), connection.is_lingering(), connection.is_arriving()) {
            _ if connection.is_detached() => Some(0),
            (true, ..) => Some(3),
            (_, true, _) => Some(2),
            (.., true) => Some(1),
            _ => None,
        }
    }
}
