//! Both ends, the link between them, and a clock.

use umcp::client::{self, Deferred};
use umcp::rpc::RequestHandle;
use umcp::server::{self, Endpoint};
use umcp::time::Instant;
use umcp_tests::rng::Rng;

use crate::board::{Board, CATALOG};
use crate::book::{Book, Rules};
use crate::plan::{Plan, pick};
use crate::wire::{Pipe, Traffic};

/// More events than any schedule has between two rests; reached only by one that never comes to rest.
const LIVELOCK: usize = 20_000;

pub(crate) struct World<'m> {
    pub(crate) rng: Rng,
    pub(crate) plan: Plan,
    pub(crate) client: client::Connection<'m>,
    pub(crate) server: server::Connection<'m>,
    pub(crate) endpoint: Endpoint<Board>,
    pub(crate) board: Board,
    pub(crate) up: Pipe,
    pub(crate) down: Pipe,
    pub(crate) traffic: Traffic,
    pub(crate) book: Book,
    /// Questions that the client has put off.
    pub(crate) questions: Vec<Deferred>,
    /// The subscriptions that were asked for, and how many URIs each has.
    pub(crate) listens: Vec<(RequestHandle, usize)>,
    /// The tool of each numbered call.
    pub(crate) calls: Vec<&'static str>,
    pub(crate) now: u64,
    /// The latest time that the client has been told, and has heard of for certain.
    pub(crate) latest: Instant,
    pub(crate) advanced: Instant,
    server_eof: bool,
    pub(crate) server_closed: bool,
    /// What happens is told as it happens.
    pub(crate) tells: bool,
    /// How many more events may follow before the schedule moves on.
    budget: usize,
}

impl<'m> World<'m> {
    pub(crate) fn new(
        plan: Plan,
        rng: Rng,
        client: client::Connection<'m>,
        server: server::Connection<'m>,
    ) -> World<'m> {
        World {
            book: Book::new(Rules { roomy: plan.roomy }),
            up: Pipe::new(plan.pipe),
            down: Pipe::new(plan.pipe),
            rng,
            plan,
            client,
            server,
            endpoint: Endpoint::new(&CATALOG),
            board: Board::default(),
            traffic: Traffic::default(),
            questions: Vec::new(),
            listens: Vec::new(),
            calls: Vec::new(),
            now: 10_000,
            latest: Instant::ZERO,
            advanced: Instant::ZERO,
            server_eof: false,
            server_closed: false,
            tells: false,
            budget: LIVELOCK,
        }
    }

    pub(crate) fn tell(&self, what: std::fmt::Arguments<'_>) {
        if self.tells {
            println!("{:>6}  {what}", self.now);
        }
    }

    /// Plays the whole schedule: accidents, then rest, then the end.
    pub(crate) fn play(&mut self) {
        self.drain_client();
        for step in 0..self.plan.steps {
            if self.plan.end_at == Some(step) {
                self.close_somewhere();
            }
            self.accident();
        }
        self.come_to_rest();
        self.end();
    }

    fn accident(&mut self) {
        self.budget = LIVELOCK;
        let most = pick(&mut self.rng, &[1, 20, 300, usize::MAX]);
        match self.rng.below(32) {
            0..=5 => self.leave_client(most),
            6..=11 => self.reach_server(most),
            12..=17 => self.leave_server(most),
            18..=23 => self.reach_client(most),
            24..=25 => self.client_acts(),
            26..=28 => self.server_acts(),
            29 => self.let_time_pass(),
            _ => false,
        };
        // Usually both are asked at once what is new; sometimes only after more bytes.
        if !self.rng.one_in(4) {
            self.drain_client();
            self.drain_server();
        }
    }

    pub(crate) fn spend(&mut self) {
        self.budget = self.budget.checked_sub(1).expect("a livelock");
    }

    /// `true`, as in all that moves bytes: some have moved.
    pub(crate) fn leave_client(&mut self, most: usize) -> bool {
        let (count, lines) = self.up.write(self.client.transmit(), most);
        self.client.transmitted(count);
        for line in lines {
            self.tell(format_args!("→ {line}"));
            self.traffic.sent(&line);
        }
        count > 0
    }

    fn reach_server(&mut self, most: usize) -> bool {
        let count = self.up.read(self.server.receive_buffer(), most);
        self.server.commit(count);
        if self.up.shut && self.up.is_empty() && !self.server_eof {
            self.server_eof = true;
            self.server.eof();
            return true;
        }
        count > 0
    }

    fn leave_server(&mut self, most: usize) -> bool {
        let (count, lines) = self.down.write(self.server.transmit(), most);
        self.server.transmitted(count);
        for line in lines {
            self.tell(format_args!("← {line}"));
            self.traffic.received(&line);
        }
        self.down.shut |= self.server_closed && self.server.transmit().is_empty();
        count > 0
    }

    fn reach_client(&mut self, most: usize) -> bool {
        let count = self.down.read(self.client.receive_buffer(), most);
        self.client.commit(count);
        if self.down.shut && self.down.is_empty() && !self.book.eof {
            self.client_eof();
            return true;
        }
        count > 0
    }

    fn client_eof(&mut self) {
        self.client.eof();
        self.book.eof = true;
    }

    fn let_time_pass(&mut self) -> bool {
        let due = self.client.poll_at().filter(|&at| at != Instant::NEVER);
        self.now += match (self.rng.below(12), due) {
            (0, Some(at)) => at.as_millis().saturating_sub(self.now),
            (1, _) => 10_000,
            _ => pick(&mut self.rng, &[1, 5, 100]),
        };
        true
    }

    /// One side closes, in one of the ways there are.
    fn close_somewhere(&mut self) {
        let how = self.rng.below(3);
        self.tell(format_args!("close {how}"));
        match how {
            // The client closes what it writes to, and reads on.
            0 => self.up.shut = true,
            // The server dies.
            1 => {
                self.down.shut = true;
                self.up.broken = true;
                self.board.jobs.clear();
            }
            // The client dies, or thinks that the server has.
            _ => {
                self.client_eof();
                self.up.shut = true;
                self.down.broken = true;
            }
        }
    }

    /// No more accidents: what can move moves, what is open is finished, and deadlines pass.
    fn come_to_rest(&mut self) {
        self.up.stalled = self.plan.stalls;
        for round in 0.. {
            assert!(round < LIVELOCK, "it does not come to rest");
            self.budget = LIVELOCK;
            let moved = self.drain_client()
                | self.drain_server()
                | self.leave_client(usize::MAX)
                | self.reach_server(usize::MAX)
                | self.leave_server(usize::MAX)
                | self.reach_client(usize::MAX)
                | self.finish_jobs()
                | self.finish_questions();
            if moved {
                continue;
            }
            match self.client.poll_at().filter(|&at| at != Instant::NEVER && !self.client.is_ended()) {
                Some(at) => self.now = self.now.max(at.as_millis()),
                None => break,
            }
        }
        self.book.assert_settled();
        let cut = self.book.eof || self.book.failed || self.up.broken || self.up.shut || self.up.stalled;
        if !cut {
            assert!(self.up.is_empty() && self.down.is_empty(), "bytes are left in the link");
            assert!(self.client.transmit().is_empty() && self.server.is_idle(), "bytes are left at an end");
            assert_eq!(self.board.jobs.len(), 0, "a call is left");
        }
    }

    /// Both ends close, and everything ends.
    fn end(&mut self) {
        self.client_eof();
        self.drain_client();
        self.book.assert_closed();
        if self.down.shut && !self.server_closed {
            return;
        }
        self.server.eof();
        self.down.broken = true;
        while !self.server_closed {
            self.spend();
            self.leave_server(usize::MAX);
            self.drain_server();
        }
        assert_eq!(self.board.jobs.len(), 0, "a call is left");
    }
}
