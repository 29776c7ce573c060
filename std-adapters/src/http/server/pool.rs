//! All the connections of one server.

use std::io::{Read as _, Write as _};
use std::net::Shutdown;

use mio::event::Event as Readiness;
use mio::net::TcpStream;
use mio::{Interest, Registry, Token};
use umcp::http::server::Site;
use umcp::server::{CallHandle, Calls, Desk, Endpoint, Event};
use umcp::time::Instant;

use super::memory::{Sizes, SlotMemory};
use super::slot::Slot;

/// What a connection is told for which there is no room.
const BUSY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\nConnection: close\r\n\r\n";

/// The connections of a server: where its deferred calls are open.
pub struct Pool<'b> {
    /// As many as there have been connections at once.
    slots: Vec<Slot<'b>>,
    /// Where the memory of others will be.
    spare: std::slice::IterMut<'b, Option<Box<SlotMemory>>>,
    sizes: Sizes,
    moved: bool,
}

impl<'b> Pool<'b> {
    pub(super) fn new(memory: &'b mut [Option<Box<SlotMemory>>], sizes: Sizes) -> Pool<'b> {
        Pool { slots: Vec::new(), spare: memory.iter_mut(), sizes, moved: false }
    }

    /// A new connection, which takes the place of an idle one if need be.
    pub(super) fn admit(&mut self, mut socket: TcpStream, registry: &Registry, now: Instant) {
        // A reply leaves as a whole; waiting for more of it would only delay it.
        let _ = socket.set_nodelay(true);
        let Some(index) = self.room(now) else { return refuse(socket) };
        let interest = Interest::READABLE | Interest::WRITABLE;
        if registry.register(&mut socket, Token(index), interest).is_err() {
            return refuse(socket);
        }
        if let Some(slot) = self.slots.get_mut(index) {
            slot.take(socket, now);
        }
    }

    /// There is no room, but there may be as soon as it is known what those want who have just come.
    pub(super) fn has_to_wait(&self, now: Instant) -> bool {
        let has_room = self.spare.len() > 0 || self.slots.iter().any(|slot| !slot.is_taken());
        !has_room && self.slots.iter().any(|slot| slot.is_new(now)) && self.replaceable(now).is_none()
    }

    fn room(&mut self, now: Instant) -> Option<usize> {
        if let Some(free) = self.slots.iter().position(|slot| !slot.is_taken()) {
            return Some(free);
        }
        if let Some(memory) = self.spare.next() {
            self.slots.push(Slot::new(memory.insert(Box::new(SlotMemory::new(self.sizes))).lend()));
            return self.slots.len().checked_sub(1);
        }
        self.replaceable(now)
    }

    /// The connection that makes room for another.
    fn replaceable(&self, now: Instant) -> Option<usize> {
        let candidates = self.slots.iter().enumerate();
        candidates
            .filter_map(|(index, slot)| Some((slot.readiness_to_go(now)?, slot.connection.since(), index)))
            .max_by_key(|&(readiness, since, _)| (readiness, std::cmp::Reverse(since)))
            .map(|(.., index)| index)
    }

    pub(super) fn ready(&mut self, index: usize, event: &Readiness) {
        if let Some(slot) = self.slots.get_mut(index) {
            slot.ended |= event.is_read_closed() || event.is_error();
            slot.readable |= event.is_readable() || slot.ended;
            slot.writable |= event.is_writable() || event.is_write_closed() || event.is_error();
        }
    }

    /// Drives every connection until nothing moves any more; says when one wants to be driven again without an event.
    pub(super) fn serve<A>(
        &mut self,
        site: &mut Site<'_>,
        endpoint: &mut Endpoint<A>,
        app: &mut A,
        now: Instant,
        heed: &mut impl FnMut(&mut A, &Event<'_>),
    ) -> Option<Instant> {
        self.moved = false;
        // What one connection has brought about may be news to another that was driven before it.
        for _ in 0..2 {
            for slot in self.slots.iter_mut().filter(|slot| slot.is_taken()) {
                self.moved |= slot.drive(site, endpoint, app, now, heed);
            }
        }
        let open = self.slots.iter().filter(|slot| slot.socket.is_some());
        open.filter_map(|slot| if slot.busy { Some(now) } else { slot.connection.poll_at(site) }).min()
    }

    /// Whether anything was read or written when they were driven last.
    pub(super) fn has_moved(&self) -> bool {
        self.moved
    }

    /// How many calls are open, on all connections.
    #[must_use]
    pub fn open_calls(&self) -> usize {
        self.slots.iter().map(|slot| slot.connection.open_calls()).sum()
    }

    /// The server is about to stop.
    pub(super) fn close(&mut self) {
        for slot in self.slots.iter_mut().filter(|slot| slot.socket.is_some()) {
            slot.connection.close();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.slots.iter().all(|slot| slot.socket.is_none())
    }

    /// The application has said something that can leave.
    pub(super) fn has_output(&self) -> bool {
        self.slots.iter().any(|slot| slot.socket.is_some() && slot.connection.has_output())
    }
}

/// Answers at once and closes. What the peer has sent is read, so that the answer is not lost with it.
fn refuse(mut socket: TcpStream) {
    let mut dropped = [0; 4096];
    let _ = socket.write(BUSY);
    let _ = socket.shutdown(Shutdown::Write);
    let _ = socket.read(&mut dropped);
}

impl Calls for Pool<'_> {
    fn at<R>(&mut self, call: CallHandle, work: impl FnOnce(Desk<'_, '_>) -> R) -> Option<R> {
        let index = self.slots.iter_mut().position(|slot| slot.connection.is_open(call))?;
        self.slots.get_mut(index)?.connection.at(call, work)
    }
}

impl std::fmt::Debug for Pool<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("connections", &self.slots.len()).finish_non_exhaustive()
    }
}
