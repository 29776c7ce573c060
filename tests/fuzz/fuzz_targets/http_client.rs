//! The client's HTTP connection against any bytes in any pieces, with requests, streams that end and time passing: no panic, it comes to
//! rest, every request ends exactly once, and nothing is sent but whole requests.
#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use umcp::client::{Config, Event, Happened, Input, ListenFilter, Options, Verdict, params};
use umcp::http::client::{Connection, Endpoint, Idle, Memory, Stream};
use umcp::json::Writer;
use umcp::mcp::{ClientCapabilities, List, Method};
use umcp::rpc::RequestHandle;
use umcp::time::{Duration, Instant};

const ABLE: ClientCapabilities = ClientCapabilities {
    roots: true,
    sampling: true,
    sampling_tools: false,
    elicitation_form: true,
    elicitation_url: false,
};

const TARGET: Endpoint<'static> = Endpoint { host: "h", path: "/" };

struct Run<'m> {
    conn: Connection<'m>,
    open: BTreeMap<u32, RequestHandle>,
    now: u64,
    is_open: bool,
    reachable: bool,
    sent: Vec<u8>,
}

impl Run<'_> {
    fn now(&self) -> Instant {
        Instant::from_millis(self.now)
    }

    fn opened(&mut self, handle: RequestHandle) {
        assert_eq!(self.open.insert(handle.id(), handle), None, "an id is used twice");
    }

    /// One of the things a caller, a server or a clock may do.
    fn act(&mut self, choice: u8) {
        let options = Options {
            timeout: Duration::from_millis(1 + u32::from(choice) * 10),
            max_timeout: (choice & 1 == 1).then_some(Duration::from_secs(5)),
            progress: choice & 2 == 2,
            items: choice & 4 == 4,
        };
        let filter = ListenFilter { tools: true, uris: &["a:1", "a:2"], ..ListenFilter::default() };
        let now = self.now();
        let sent = match choice % 11 {
            0 => self.conn.send(|engine| engine.call("tool", &BTreeMap::from([("a", 1)]), options, now)),
            1 => self.conn.send(|engine| engine.list(List::Tools, None, options, now)),
            2 => self.conn.send(|engine| engine.listen(&filter, options, now)),
            3 => self.conn.send(|engine| engine.read_resource("a:1", options, now)),
            4 => {
                if let Some((_, &handle)) = self.open.first_key_value() {
                    let _ = self.conn.cancel(handle, Some("why"))
                        || self.conn.close_listen(handle, filter.uris, now).is_ok();
                }
                return;
            }
            5 => {
                self.now += u64::from(choice) * 50;
                return;
            }
            6 => return self.end(),
            7 => {
                self.reachable = choice & 16 == 0;
                return;
            }
            8 => {
                self.conn.listen_when_idle(if choice & 16 == 0 { Idle::Always } else { Idle::Subscribed });
                return;
            }
            9 => {
                self.conn.errand_done(choice & 16 == 0);
                if choice > 250 {
                    self.conn.close();
                }
                return;
            }
            _ => self.conn.send(|engine| engine.ping(options, now)),
        };
        if let Ok(handle) = sent {
            self.opened(handle);
        }
    }

    /// The server closes the stream.
    fn end(&mut self) {
        self.is_open = false;
        self.sent.clear();
        self.conn.eof();
    }

    /// Drains events and bytes until nothing more happens.
    fn settle(&mut self) {
        for _ in 0..100_000 {
            let happened = self.conn.advance(self.now());
            if happened != Happened::NeedData {
                self.heed(happened);
                continue;
            }
            match self.conn.stream() {
                Stream::Close => {
                    self.is_open = false;
                    self.sent.clear();
                    self.conn.closed();
                    continue;
                }
                Stream::Open => {
                    self.sent.clear();
                    self.is_open = self.reachable;
                    if self.reachable { self.conn.opened() } else { self.conn.unreachable() }
                    continue;
                }
                Stream::Keep => {}
            }
            let leaving = self.conn.transmit().to_vec();
            if leaving.is_empty() {
                assert!(self.conn.poll_at().is_none_or(|at| at > self.now()), "it wants to be called at once");
                return;
            }
            assert!(self.is_open, "there is no stream to send on");
            self.sent.extend_from_slice(&leaving);
            self.conn.transmitted(leaving.len());
            self.take_requests();
        }
        panic!("it does not come to rest");
    }

    /// Everything that has left is whole requests.
    fn take_requests(&mut self) {
        while !self.sent.is_empty() {
            let end = self.sent.windows(4).position(|end| end == b"\r\n\r\n").expect("a head") + 4;
            let head = std::str::from_utf8(&self.sent[..end]).expect("ASCII");
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
            let length: usize = length.map_or(0, |length| length.parse().expect("a number"));
            let body = &self.sent[end..][..length];
            assert!(length == 0 || serde_json::from_slice::<serde_json::Value>(body).is_ok(), "{body:?}");
            self.sent.drain(..end + length);
        }
    }

    fn heed(&mut self, happened: Happened) {
        match happened {
            Happened::Response(handle)
            | Happened::InputRequired(handle)
            | Happened::Error(handle)
            | Happened::TimedOut(handle)
            | Happened::Cancelled(handle)
            | Happened::Lost(handle, _)
            | Happened::ListenEnded(handle, _) => {
                assert!(self.open.remove(&handle.id()).is_some(), "{happened:?}: it ended twice");
            }
            _ => {}
        }
        self.answer(happened);
    }

    fn answer(&mut self, happened: Happened) {
        let now = self.now();
        if let Happened::InputRequired(_) = happened {
            let answer = |input: Input<'_>, w: &mut Writer<'_>| {
                w.begin_object().end_object();
                input.url().is_none()
            };
            let retried = self.conn.send(|engine| {
                engine.retry(Method::CallTool, params::call("tool", &()), answer, Options::DEFAULT, now)
            });
            if let Ok(handle) = retried {
                self.opened(handle);
            }
        }
        if let Happened::Response(_) = happened {
            self.conn.learn_tools(true, |_, _| {});
        }
        match self.conn.event(happened) {
            Event::NeedData => panic!("{happened:?} has no view"),
            Event::Request(request) => {
                let _ = request.answer(|w| {
                    w.begin_object().end_object();
                    true
                });
            }
            other => drop(format!("{other:?}")),
        }
        drop(self.conn.reply().to_string());
    }
}

fuzz_target!(|data: &[u8]| {
    let [verdict, piece, bytes @ ..] = data else { return };
    let verdict = [None, Some(Verdict::Modern), Some(Verdict::Legacy)].get(usize::from(verdict % 3)).copied().flatten();
    let mut memory: Memory<300, 900, 128, 3, 2> = Memory::new();
    let config = Config { verdict, capabilities: ABLE, ..Config::new("fuzz", "1") };
    let conn = Connection::new(memory.lend(), config, &TARGET);
    let mut run = Run { conn, open: BTreeMap::new(), now: 0, is_open: false, reachable: true, sent: Vec::new() };
    run.settle();
    for chunk in bytes.chunks(usize::from(*piece).max(1)) {
        // A byte that no text has begins an act.
        let mut rest = chunk;
        while let [first, after @ ..] = rest {
            if *first >= 0xF8 {
                let [choice, after @ ..] = after else { break };
                run.act(*choice);
                rest = after;
            } else {
                let until = after.iter().position(|byte| *byte >= 0xF8).map_or(rest.len(), |at| at + 1);
                let room = run.conn.receive_buffer();
                // Nobody is there to hear it.
                let count = if room.is_empty() { until } else { until.min(room.len()) };
                if !room.is_empty() {
                    room[..count].copy_from_slice(&rest[..count]);
                    run.conn.commit(count);
                }
                rest = &rest[count..];
            }
            run.settle();
        }
    }
    // Whatever is still open has a deadline, or is a subscription, which can be closed.
    for _ in 0..8 {
        run.now += 100_000_000;
        run.settle();
        for handle in run.open.values().copied().collect::<Vec<_>>() {
            let now = run.now();
            let _ = run.conn.close_listen(handle, &[], now);
        }
        run.settle();
        run.end();
        run.conn.errand_done(false);
        run.settle();
    }
    assert!(run.open.is_empty(), "{:?} never ended", run.open);
});
