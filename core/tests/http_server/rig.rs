//! A connection on which bytes move in every way they can.

use heapless::Vec as Table;
use umcp::http::server::{Connection, Lent, Site};
use umcp::server::{Deferred, Endpoint, Event, Subscription};
use umcp::time::Instant;

use crate::app::{App, CATALOG};
use crate::reply::{self, Reply};
use crate::request::{Request, echo};

/// How much memory a connection has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) head: usize,
    pub(crate) receive: usize,
    pub(crate) transmit: usize,
}

/// What a small server has.
pub(crate) const SIZES: Sizes = Sizes { head: 1024, receive: 2048, transmit: 2048 };

/// The memory of one connection.
pub(crate) struct Memory {
    head: Vec<u8>,
    receive: Vec<u8>,
    transmit: Vec<u8>,
    deferred: Table<Deferred, 1>,
    subscriptions: Table<Subscription, 1>,
}

impl Memory {
    pub(crate) fn new(sizes: Sizes) -> Memory {
        let bytes = |len| vec![0xAA; len];
        Memory {
            head: bytes(sizes.head),
            receive: bytes(sizes.receive),
            transmit: bytes(sizes.transmit),
            deferred: Table::new(),
            subscriptions: Table::new(),
        }
    }
}

/// One connection of a server, its time, and all that it has sent.
pub(crate) struct Rig<'m> {
    pub(crate) connection: Connection<'m>,
    pub(crate) site: Site<'static>,
    pub(crate) endpoint: Endpoint<App>,
    pub(crate) app: App,
    pub(crate) now: Instant,
    pub(crate) out: Vec<u8>,
    pub(crate) events: Vec<String>,
    /// How many bytes leave at once.
    pub(crate) drain: usize,
    /// The peer takes nothing at present.
    pub(crate) stalled: bool,
}

/// The site of these tests.
pub(crate) fn site() -> Site<'static> {
    Site {
        origins: &["https://good.example"],
        max_body: 10_000,
        unauthorized: Some("Bearer realm=\"board\""),
        forbidden: Some("Bearer error=\"insufficient_scope\""),
        ..Site::new("/mcp")
    }
}

impl<'m> Rig<'m> {
    pub(crate) fn new(memory: &'m mut Memory) -> Rig<'m> {
        let lent = Lent {
            head: &mut memory.head,
            receive: &mut memory.receive,
            transmit: &mut memory.transmit,
            deferred: &mut memory.deferred,
            subscriptions: &mut memory.subscriptions,
        };
        Rig {
            connection: Connection::new(lent),
            site: site(),
            endpoint: Endpoint::new(&CATALOG),
            app: App::default(),
            now: Instant::from_millis(1_000),
            out: Vec::new(),
            events: Vec::new(),
            drain: usize::MAX,
            stalled: false,
        }
    }

    /// Serves and drains until nothing moves.
    pub(crate) fn settle(&mut self) {
        loop {
            let event = self.connection.next_event(&mut self.site, &mut self.endpoint, &mut self.app, self.now);
            match event {
                Event::NeedData => {}
                Event::Closed => {
                    assert!(self.connection.transmit().is_empty(), "closed, and something is left to be sent");
                    return;
                }
                event => {
                    self.events.push(format!("{event:?}"));
                    continue;
                }
            }
            let pieces = self.connection.transmit_pieces().concat();
            let leaving = self.connection.transmit();
            assert!(pieces.starts_with(leaving), "the pieces are what leaves");
            let count = leaving.len().min(self.drain);
            if count == 0 || self.stalled {
                return;
            }
            self.out.extend_from_slice(leaving.get(..count).unwrap());
            self.connection.transmitted(count);
        }
    }

    /// These bytes arrive. `false`: not all of them were taken, since the connection is over or is full.
    pub(crate) fn receive(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            let buffer = self.connection.receive_buffer();
            let count = buffer.len().min(bytes.len());
            buffer[..count].copy_from_slice(&bytes[..count]);
            self.connection.commit(count);
            self.settle();
            if count == 0 {
                return false;
            }
            bytes = &bytes[count..];
        }
        true
    }

    pub(crate) fn eof(&mut self) {
        self.connection.eof();
        self.settle();
    }

    /// It is so many milliseconds later.
    pub(crate) fn wait(&mut self, millis: u32) {
        self.now = self.now + umcp::time::Duration::from_millis(millis);
        self.settle();
    }

    pub(crate) fn replies(&self) -> Vec<Reply> {
        let ended = self.connection.is_lingering() || self.connection.is_closed();
        let replies = reply::read_all(&self.out, ended);
        replies.unwrap_or_else(|why| panic!("{why}\n{}", String::from_utf8_lossy(&self.out)))
    }
}

/// What comes of these bytes, as they arrive.
fn played(sizes: Sizes, pieces: &[&[u8]], drain: usize) -> (Vec<u8>, usize) {
    let mut memory = Memory::new(sizes);
    let mut rig = Rig::new(&mut memory);
    rig.drain = drain;
    for piece in pieces {
        rig.receive(piece);
    }
    (rig.out, rig.app.ran)
}

/// Plays a request in every way, and returns its replies, the last of which ends it.
pub(crate) fn exchange(name: &str, request: &Request) -> Vec<Reply> {
    exchange_in(name, SIZES, request)
}

pub(crate) fn exchange_in(name: &str, sizes: Sizes, request: &Request) -> Vec<Reply> {
    let bytes = request.bytes();
    let (out, ran) = played(sizes, &[&bytes], usize::MAX);
    let mut memory = Memory::new(sizes);
    let mut rig = Rig::new(&mut memory);
    rig.receive(&bytes);
    let replies = rig.replies();
    assert!(replies.last().is_some_and(|reply| reply.whole), "{name}: {replies:?}");
    let same = |pieces: &[&[u8]], drain, how: &str| {
        let other = played(sizes, pieces, drain);
        let shown = String::from_utf8_lossy(&other.0);
        assert!(other == (out.clone(), ran), "{name}, {how}: {shown}\ninstead of {}", String::from_utf8_lossy(&out));
    };
    // At each byte; of long requests, at each of a thousand or so.
    for at in (0..bytes.len()).step_by(bytes.len() / 1_000 + 1) {
        let (first, second) = bytes.split_at(at);
        same(&[first, second], usize::MAX, &format!("split at {at}"));
    }
    for (size, drain) in [(1, 1), (1, usize::MAX), (usize::MAX, 1), (3, 2), (7, 5), (64, 3)] {
        let pieces: Vec<&[u8]> = bytes.chunks(size.min(bytes.len())).collect();
        same(&pieces, drain, &format!("in pieces of {size}, {drain} leaving at once"));
    }
    behind(name, sizes, &bytes, &out, &replies);
    replies
}

/// With another request behind it, that is answered if the connection goes on, and only then.
fn behind(name: &str, sizes: Sizes, bytes: &[u8], out: &[u8], replies: &[Reply]) {
    let second = echo().bytes();
    let both = [bytes, &second].concat();
    let expected = match replies.last() {
        Some(last) if last.closes() => out.to_vec(),
        _ => [out, &played(sizes, &[&second], usize::MAX).0].concat(),
    };
    for size in [usize::MAX, 1, 11] {
        let pieces: Vec<&[u8]> = both.chunks(size.min(both.len())).collect();
        let (shown, _) = played(sizes, &pieces, usize::MAX);
        assert!(shown == expected, "{name}, pieces of {size}, a request behind: {}", String::from_utf8_lossy(&shown));
    }
}
