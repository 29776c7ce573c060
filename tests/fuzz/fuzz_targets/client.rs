//! The client connection against any bytes in any pieces, with requests open and time passing: no panic, it comes to rest, and every
//! request ends at most once, and exactly once when the stream has ended. Items and chunks are told of open requests alone, and of those that
//! want them. What leaves is lines of JSON, but for calls that were given up while they were leaving piece by piece.
#![no_main]

use std::collections::{BTreeMap, BTreeSet};

use libfuzzer_sys::fuzz_target;
use umcp::client::{
    Config, Connection, Event, Happened, Input, ListenFilter, Memory, Options, Upload, Verdict, params,
};
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

struct Run<'m> {
    conn: Connection<'m>,
    open: BTreeMap<u32, RequestHandle>,
    /// Those that want items.
    items: BTreeSet<u32>,
    now: u64,
    drained: usize,
    /// What has left since the last newline.
    line: Vec<u8>,
}

impl Run<'_> {
    fn now(&self) -> Instant {
        Instant::from_millis(self.now)
    }

    fn opened(&mut self, handle: RequestHandle) {
        assert_eq!(self.open.insert(handle.id(), handle), None, "an id is used twice");
    }

    /// One of the things a caller may do.
    fn act(&mut self, choice: u8) {
        let options = Options {
            timeout: Duration::from_millis(1 + u32::from(choice) * 10),
            max_timeout: (choice & 1 == 1).then_some(Duration::from_secs(5)),
            progress: choice & 2 == 2,
            items: choice & 8 == 8,
        };
        let filter = ListenFilter { tools: true, uris: &["a:1", "a:2"], ..ListenFilter::default() };
        let now = self.now();
        let sent = match choice % 9 {
            8 if self.conn.uploading().is_some() => return self.upload(choice),
            8 => {
                self.conn.call_open("tool", &(), Upload::text("long", (choice & 16 == 16).then_some(40)), options, now)
            }
            0 => self.conn.call("tool", &(), options, now),
            1 => self.conn.list(List::Tools, None, options, now),
            2 => self.conn.listen(&filter, options, now),
            3 => self.conn.read_resource("a:1", options, now),
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
            6 => {
                self.drained = usize::from(choice);
                return;
            }
            _ => self.conn.ping(options, now),
        };
        if let Ok(handle) = sent {
            self.opened(handle);
            // (A subscription has no items, whatever is asked.)
            if options.items && choice % 9 != 2 {
                self.items.insert(handle.id());
            }
        }
    }

    /// Gives a piece of the argument of the call that is open, or ends it.
    fn upload(&mut self, choice: u8) {
        let Some(handle) = self.conn.uploading() else { return };
        let Ok(mut pen) = self.conn.upload(handle) else { panic!("it is open") };
        if choice & 32 == 32 {
            let _ = pen.end();
        } else {
            let _ = pen.text(
                ["a", "\"\u{1}", "\u{1F980}é", "0123456789012345678901234567890123456789"][usize::from(choice >> 6)],
            );
        }
    }

    /// These bytes leave: a line that is no JSON is the beginning of a call with a long argument.
    fn leave(&mut self, count: usize) {
        for &byte in &self.conn.transmit()[..count] {
            if byte != b'\n' {
                self.line.push(byte);
                continue;
            }
            let line = core::mem::take(&mut self.line);
            if serde_json::from_slice::<serde_json::Value>(&line).is_err() {
                let text = String::from_utf8_lossy(&line).into_owned();
                let start = r#"{"jsonrpc":"2.0","id":"#;
                assert!(text.starts_with(start) || start.starts_with(&text), "{text}");
                assert!(!text.contains("method") || text.contains("tools/call") || text.len() < 70, "{text}");
            }
        }
        self.conn.transmitted(count);
    }

    /// Drains events and bytes until nothing more happens.
    fn settle(&mut self) {
        for _ in 0..100_000 {
            let happened = self.conn.advance(self.now());
            match happened {
                Happened::NeedData => {
                    assert!(self.conn.poll_at().is_none_or(|at| at > self.now()), "it wants to be called at once");
                    let leaving = self.conn.transmit().len();
                    if leaving == 0 || self.drained == 0 {
                        return;
                    }
                    self.leave(leaving.min(self.drained));
                    continue;
                }
                Happened::Response(handle)
                | Happened::InputRequired(handle)
                | Happened::Error(handle)
                | Happened::TimedOut(handle)
                | Happened::Cancelled(handle)
                | Happened::Lost(handle, _)
                | Happened::ListenEnded(handle, _) => {
                    assert!(self.open.remove(&handle.id()).is_some(), "{happened:?}: it ended twice");
                }
                Happened::Item(handle) | Happened::Chunk(handle) => {
                    let id = handle.id();
                    assert!(self.open.contains_key(&id) && self.items.contains(&id), "{happened:?}: not asked for");
                }
                _ => {}
            }
            self.answer(happened);
        }
        panic!("it does not come to rest");
    }

    fn answer(&mut self, happened: Happened) {
        let now = self.now();
        if let Happened::InputRequired(_) = happened {
            let answer = |input: Input<'_>, w: &mut Writer<'_>| {
                w.begin_object().end_object();
                input.url().is_none()
            };
            if let Ok(handle) =
                self.conn.retry(Method::CallTool, params::call("tool", &()), answer, Options::DEFAULT, now)
            {
                self.opened(handle);
            }
        }
        if let Happened::Response(_) = happened
            && let Ok(Some(handle)) = self.conn.next_page(List::Tools, Options::DEFAULT, now)
        {
            self.opened(handle);
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
    }
}

fuzz_target!(|data: &[u8]| {
    let [verdict, piece, bytes @ ..] = data else { return };
    let verdict = [None, Some(Verdict::Modern), Some(Verdict::Legacy)].get(usize::from(verdict % 3)).copied().flatten();
    let mut memory: Memory<300, 600, 4, 2> = Memory::new();
    let config = Config { verdict, capabilities: ABLE, ..Config::new("fuzz", "1") };
    let conn = Connection::line(memory.lend(), config);
    let mut run =
        Run { conn, open: BTreeMap::new(), items: BTreeSet::new(), now: 0, drained: usize::MAX, line: Vec::new() };
    run.settle();
    for chunk in bytes.chunks(usize::from(*piece).max(1)) {
        // A byte that no message has begins an act of the caller's.
        let mut rest = chunk;
        while let [first, after @ ..] = rest {
            if *first >= 0xF8 {
                let [choice, after @ ..] = after else { break };
                run.act(*choice);
                rest = after;
            } else {
                let room = run.conn.receive_buffer();
                if room.is_empty() {
                    // An answer of ours waits for room, or for the end of a call that leaves piece by piece.
                    run.drained = usize::MAX;
                    if let Some(handle) = run.conn.uploading() {
                        run.conn.cancel(handle, None);
                    }
                } else {
                    let until = after.iter().position(|byte| *byte >= 0xF8).map_or(rest.len(), |at| at + 1);
                    let count = until.min(room.len());
                    room[..count].copy_from_slice(&rest[..count]);
                    run.conn.commit(count);
                    rest = &rest[count..];
                }
            }
            run.settle();
        }
    }
    run.conn.eof();
    run.settle();
    assert!(run.open.is_empty(), "{:?} never ended", run.open);
    assert_eq!(run.conn.poll_at(), None);
});
