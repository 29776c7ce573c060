//! Drives one server connection as its contract says, and keeps what it said.

use heapless::{Vec as Bounded, VecView};
use umcp::json::{Decimal, Writer};
use umcp::mcp::{InputKind, Level};
use umcp::server::{AskError, Catalog, Connection, Deferred, Endpoint, Event, Lent, NotOpen, Subscription};
use umcp::time::{Duration, Instant};

use crate::board::{Board, list_named};

/// How much memory a connection is lent.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Bytes to receive into.
    pub receive: usize,
    /// Bytes to send from.
    pub transmit: usize,
    /// Small tables: one deferred call and one subscription instead of four.
    pub small_tables: bool,
}

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes { receive: 4096, transmit: 8192, small_tables: false }
    }
}

/// The memory itself.
#[derive(Debug, Default)]
pub struct Memory {
    receive: Vec<u8>,
    transmit: Vec<u8>,
    deferred: Bounded<Deferred, 4>,
    one_deferred: Bounded<Deferred, 1>,
    subscriptions: Bounded<Subscription, 4>,
    one_subscription: Bounded<Subscription, 1>,
    small_tables: bool,
}

impl Memory {
    /// Memory of these sizes.
    #[must_use]
    pub fn new(sizes: Sizes) -> Memory {
        Memory {
            receive: vec![0; sizes.receive],
            transmit: vec![0; sizes.transmit],
            small_tables: sizes.small_tables,
            ..Memory::default()
        }
    }

    fn lend(&mut self) -> Lent<'_> {
        let (deferred, subscriptions): (&mut VecView<Deferred>, &mut VecView<Subscription>) = if self.small_tables {
            (&mut self.one_deferred, &mut self.one_subscription)
        } else {
            (&mut self.deferred, &mut self.subscriptions)
        };
        Lent { receive: &mut self.receive, transmit: &mut self.transmit, deferred, subscriptions }
    }
}

/// One connection, and everything around it.
#[derive(Debug)]
pub struct Player<'m> {
    /// The connection.
    pub connection: Connection<'m>,
    /// What outlives it.
    pub endpoint: Endpoint<Board>,
    /// The application.
    pub board: Board,
    /// The time.
    pub now: Instant,
    /// All that has left.
    pub out: Vec<u8>,
    /// What happened, a line each.
    pub events: Vec<String>,
    drain: usize,
    closed: bool,
}

impl<'m> Player<'m> {
    /// A connection that serves `catalog`, whose wire takes `drain` bytes at a time.
    #[must_use]
    pub fn new(catalog: &'static Catalog<Board>, memory: &'m mut Memory, drain: usize) -> Player<'m> {
        Player {
            connection: Connection::line(memory.lend()),
            endpoint: Endpoint::new(catalog),
            board: Board::default(),
            now: Instant::from_millis(1_000),
            out: Vec::new(),
            events: Vec::new(),
            drain,
            closed: false,
        }
    }

    /// Hands over bytes as fast as they are taken.
    ///
    /// # Panics
    /// Nothing is taken although everything has been drained: the connection would be stuck for ever.
    pub fn receive(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = self.connection.receive_buffer();
            assert!(!room.is_empty(), "stuck: no room to receive, and nothing left to do");
            let count = room.len().min(bytes.len());
            let (now, later) = bytes.split_at(count);
            room[..count].copy_from_slice(now);
            self.connection.commit(count);
            self.settle();
            bytes = later;
        }
    }

    /// The peer closes its side.
    pub fn eof(&mut self) {
        self.connection.eof();
        self.settle();
    }

    /// Drains events and bytes, as the contract asks after every call.
    ///
    /// # Panics
    /// It goes on and on.
    pub fn settle(&mut self) {
        for _ in 0..1_000_000 {
            self.drain_events();
            let waiting = self.connection.transmit();
            if waiting.is_empty() {
                return;
            }
            let count = waiting.len().min(self.drain);
            self.out.extend_from_slice(&waiting[..count]);
            self.connection.transmitted(count);
        }
        panic!("it never comes to rest");
    }

    fn drain_events(&mut self) {
        loop {
            let calls = &self.board.calls.clone();
            match self.connection.next_event(&mut self.endpoint, &mut self.board, self.now) {
                Event::NeedData => return,
                Event::Closed => {
                    if !std::mem::replace(&mut self.closed, true) {
                        self.events.push("closed".to_owned());
                    }
                    return;
                }
                event => self.events.push(describe(&event, calls)),
            }
        }
    }

    /// Does what a line of a script says, and notes what came of it.
    ///
    /// # Panics
    /// The line means nothing.
    pub fn act(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        let verb = words.next().unwrap_or_default();
        let rest: Vec<&str> = words.collect();
        let word = |index: usize| rest.get(index).copied().unwrap_or_default();
        match verb {
            "eof" => return self.eof(),
            "wait" => self.now = self.now + Duration::from_millis(word(0).parse().expect("milliseconds")),
            "updated" => self.endpoint.resource_updated(word(0)),
            "changed" => self.endpoint.list_changed(list_named(word(0))),
            "end" => {
                for _ in 0..100 {
                    if self.connection.end_subscriptions(&self.endpoint) {
                        break;
                    }
                    self.settle();
                }
            }
            _ => {
                let done = self.act_on_call(verb, &rest);
                self.events.push(format!("{line} = {done}"));
            }
        }
        self.settle();
    }

    fn act_on_call(&mut self, verb: &str, rest: &[&str]) -> String {
        let number = rest.first().expect("which call");
        let call = self.board.calls[number.parse::<usize>().expect("a number")];
        let word = |index: usize| rest.get(index).copied().unwrap_or_default();
        let text = rest.get(1..).unwrap_or_default().join(" ");
        let (connection, endpoint) = (&mut self.connection, &mut self.endpoint);
        match verb {
            "complete" => shown(connection.complete(endpoint, call, |reply| reply.text(&text))),
            "contents" => shown(connection.complete(endpoint, call, |reply| {
                use umcp::mcp::content::{Body, ResourceContents};
                reply
                    .contents()
                    .push(ResourceContents { uri: "board://slow", mime_type: None, body: Body::Text(&text) })
                    .done()
            })),
            "messages" => {
                shown(connection.complete(endpoint, call, |reply| {
                    reply.messages().text(umcp::server::Role::Assistant, &text).done()
                }))
            }
            "structured" => shown(connection.complete(endpoint, call, |reply| reply.structured(&[(); 0]))),
            "fail" => shown(connection.complete(endpoint, call, |reply| reply.fail(&text))),
            "error" => {
                shown(connection.complete(endpoint, call, |_| Err(umcp::mcp::Fault::application(17, LONG_MESSAGE))))
            }
            "long" => shown(
                connection.complete(endpoint, call, |reply| reply.text(&"x".repeat(word(1).parse().expect("bytes")))),
            ),
            "progress" => {
                let value = Decimal::parse(word(1)).expect("a number");
                shown(connection.progress(call, value, Decimal::parse(word(2)), rest.get(3).copied(), self.now))
            }
            "log" => shown(connection.log(call, Level::parse(word(1)).expect("a level"), "board", word(2))),
            "ask" => shown_ask(connection.ask(call, kind(word(1)), question(word(1)))),
            "open" => connection.is_open(call).to_string(),
            _ => panic!("no such action: {verb}"),
        }
    }
}

/// The longest message of an error that the tests make up.
pub const LONG_MESSAGE: &str =
    "out of ink, which is sold in the shop around the corner, at the usual price, on any day but Sunday";

fn kind(word: &str) -> InputKind {
    match word {
        "roots" => InputKind::Roots,
        "sampling" => InputKind::Sampling,
        _ => InputKind::Elicitation,
    }
}

fn question(word: &str) -> impl FnOnce(&mut Writer<'_>) {
    let params = match word {
        "sampling" => (r#"[{"role":"user","content":{"type":"text","text":"hi"}}]"#, "messages"),
        _ => (r#"{"type":"object","properties":{"name":{"type":"string"}}}"#, "requestedSchema"),
    };
    move |w| {
        w.member_raw(params.1, params.0.as_bytes());
        if params.1 == "messages" {
            w.member_int("maxTokens", 5);
        } else {
            w.member_str("message", "Your name?");
        }
    }
}

fn shown<T: std::fmt::Debug>(done: Result<T, NotOpen>) -> String {
    match done {
        Ok(_) if size_of::<T>() == 0 => "done".to_owned(),
        Ok(value) => format!("{value:?}"),
        Err(error) => format!("{error:?}"),
    }
}

fn shown_ask(done: Result<(), AskError>) -> String {
    done.map_or_else(|error| format!("{error:?}"), |()| "done".to_owned())
}

fn describe(event: &Event<'_>, calls: &[umcp::server::CallHandle]) -> String {
    let number = |call| calls.iter().position(|&known| known == call).map_or("?".to_owned(), |n| n.to_string());
    match event {
        Event::Served { method, fault } => {
            let method = method.map_or("-", umcp::mcp::Method::as_str);
            fault.map_or(format!("served {method}"), |fault| format!("served {method} {fault:?}"))
        }
        Event::Cancelled(call) => format!("cancelled {}", number(*call)),
        Event::Answered { call, answer } => match answer {
            Ok(value) => format!("answered {} {}", number(*call), text(value)),
            Err(value) => format!("refused {} {}", number(*call), text(value)),
        },
        Event::Ignored(what) => format!("ignored {what:?}").to_lowercase(),
        other => format!("{other:?}"),
    }
}

fn text(value: &umcp::json::Value<'_>) -> String {
    String::from_utf8_lossy(value.raw()).into_owned()
}
