//! Drives one HTTP connection of a server as its contract says, and keeps what it said.

use heapless::Vec as Bounded;
use umcp::http::server::{Connection, Lent, Site};
use umcp::server::{Catalog, Deferred, Endpoint, Event, Subscription};
use umcp::time::{Duration, Instant};

use crate::board::Board;
use crate::http_reply::{self, Reply};

/// How much memory a connection is lent, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// For headers.
    pub head: usize,
    /// To receive into.
    pub receive: usize,
    /// To send from.
    pub transmit: usize,
}

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes { head: 1024, receive: 2048, transmit: 2048 }
    }
}

/// The memory itself.
#[derive(Debug, Default)]
pub struct Memory {
    head: Vec<u8>,
    receive: Vec<u8>,
    transmit: Vec<u8>,
    deferred: Bounded<Deferred, 1>,
    subscriptions: Bounded<Subscription, 1>,
}

impl Memory {
    /// Memory of these sizes.
    #[must_use]
    pub fn new(sizes: Sizes) -> Memory {
        Memory {
            head: vec![0; sizes.head],
            receive: vec![0; sizes.receive],
            transmit: vec![0; sizes.transmit],
            ..Memory::default()
        }
    }
}

/// One connection, and everything around it.
#[derive(Debug)]
pub struct Player<'m> {
    /// The connection.
    pub connection: Connection<'m>,
    /// The limits.
    pub site: Site<'static>,
    /// What outlives it.
    pub endpoint: Endpoint<Board>,
    /// The application.
    pub board: Board,
    /// The time.
    pub now: Instant,
    /// All that has left.
    pub out: Vec<u8>,
    /// How many of its calls were cancelled.
    pub cancelled: usize,
    /// How many bytes leave at once.
    pub drain: usize,
    /// How many more bytes the peer takes.
    pub room: usize,
}

impl<'m> Player<'m> {
    /// A connection that serves `catalog`.
    #[must_use]
    pub fn new(catalog: &'static Catalog<Board>, memory: &'m mut Memory) -> Player<'m> {
        let lent = Lent {
            head: &mut memory.head,
            receive: &mut memory.receive,
            transmit: &mut memory.transmit,
            deferred: &mut memory.deferred,
            subscriptions: &mut memory.subscriptions,
        };
        Player {
            connection: Connection::new(lent),
            site: Site::new("/mcp"),
            endpoint: Endpoint::new(catalog),
            board: Board::default(),
            now: Instant::from_millis(1_000),
            out: Vec::new(),
            cancelled: 0,
            drain: usize::MAX,
            room: usize::MAX,
        }
    }

    /// Drains events and bytes, as the contract asks after every call.
    ///
    /// # Panics
    /// It goes on and on, or has something left to say when it is closed.
    pub fn settle(&mut self) {
        for _ in 0..1_000_000 {
            match self.connection.next_event(&mut self.site, &mut self.endpoint, &mut self.board, self.now) {
                Event::NeedData => {}
                Event::Closed => {
                    assert!(self.connection.transmit().is_empty(), "closed, and something is left to be sent");
                    return;
                }
                Event::Cancelled(_) => {
                    self.cancelled += 1;
                    continue;
                }
                _ => continue,
            }
            let leaving = self.connection.transmit();
            let count = leaving.len().min(self.drain).min(self.room);
            if count == 0 {
                return;
            }
            self.out.extend_from_slice(&leaving[..count]);
            self.room -= count;
            self.connection.transmitted(count);
        }
        panic!("it never comes to rest");
    }

    /// Hands over bytes, as many as are taken.
    pub fn receive(&mut self, mut bytes: &[u8]) -> usize {
        let all = bytes.len();
        while !bytes.is_empty() {
            let room = self.connection.receive_buffer();
            let count = room.len().min(bytes.len());
            if count == 0 {
                break;
            }
            room[..count].copy_from_slice(&bytes[..count]);
            self.connection.commit(count);
            self.settle();
            bytes = &bytes[count..];
        }
        all - bytes.len()
    }

    /// The peer closes its side.
    pub fn eof(&mut self) {
        self.connection.eof();
        self.settle();
    }

    /// Time passes.
    pub fn wait(&mut self, span: Duration) {
        self.now = self.now + span;
        self.settle();
    }

    /// Waits for as long as the connection wants something of the clock, at most so many times. `true`: it is closed.
    ///
    /// # Panics
    /// It wants something at once that it has just been given.
    pub fn wait_for_the_end(&mut self, times: usize) -> bool {
        for _ in 0..times {
            let Some(at) = self.connection.poll_at(&self.site) else { break };
            assert!(at > self.now, "a loop that waits for this would spin");
            self.now = at;
            self.settle();
        }
        self.connection.is_closed()
    }

    /// What it has said.
    ///
    /// # Panics
    /// That is not HTTP.
    #[must_use]
    pub fn replies(&self) -> Vec<Reply> {
        let ended = self.connection.is_lingering() || self.connection.is_closed();
        http_reply::read_all(&self.out, ended)
            .unwrap_or_else(|why| panic!("{why}\n{}", String::from_utf8_lossy(&self.out)))
    }
}
