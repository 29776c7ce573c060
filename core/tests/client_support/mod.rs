//! Plays a transcript: a table of what arrives, what is sent, and what happens, in virtual time.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::VecDeque;

use umcp::client::{Config, Connection, Event, Happened, Lent, Memory};
use umcp::json::Value;
use umcp::time::{Duration, Instant};

/// The metadata of every modern request that asks for nothing more.
pub(crate) const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;
/// The probe.
pub(crate) const PROBE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{%M}}"#;
/// A modern server's answer to it.
pub(crate) const MODERN: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"2"}}}}"#;
/// What follows from it.
pub(crate) const CONNECTED: &str = "connected 2026-07-28 s 2";

pub(crate) type Action = fn(&mut Connection<'_>, Instant);
pub(crate) type Hook = fn(&mut Connection<'_>, Happened, Instant);

/// One line of a transcript.
#[derive(Clone, Copy)]
pub(crate) enum Step<'a> {
    /// These bytes arrive, and a newline.
    In(&'a str),
    /// These bytes arrive.
    Raw(&'a [u8]),
    /// This line has been sent; `%M` stands for [`META`].
    Out(&'a str),
    /// This has happened, as [`say`] says it.
    Is(&'a str),
    /// It is so many milliseconds after the start.
    At(u64),
    /// The caller does something.
    Do(Action),
    /// From here on this is done at each event, while its message is held.
    On(Hook),
    /// The stream ends.
    Eof,
}

/// How the arriving bytes are cut.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cut {
    Whole,
    /// One byte at a time.
    Bytes,
    /// Each step in two, behind this many bytes (modulo its length).
    At(usize),
    /// Each step together with the first half of the next.
    Trailing,
}

pub(crate) struct Rig<'m> {
    pub(crate) conn: Connection<'m>,
    now: Instant,
    hook: Option<Hook>,
    events: VecDeque<String>,
    sent: Vec<u8>,
    /// How many bytes leave at a time.
    pub(crate) window: usize,
}

impl<'m> Rig<'m> {
    pub(crate) fn new(memory: Lent<'m>, config: Config<'m>) -> Rig<'m> {
        let conn = Connection::line(memory, config);
        let mut rig =
            Rig { conn, now: Instant::ZERO, hook: None, events: VecDeque::new(), sent: Vec::new(), window: usize::MAX };
        rig.settle();
        rig
    }

    /// Drains events and what is to be sent, as the contract wants it.
    pub(crate) fn settle(&mut self) {
        for _ in 0..10_000 {
            let happened = self.conn.advance(self.now);
            if happened != Happened::NeedData {
                if let Some(hook) = self.hook {
                    hook(&mut self.conn, happened, self.now);
                }
                self.events.push_back(say(self.conn.event(happened)));
                continue;
            }
            let leaving = self.conn.transmit();
            if leaving.is_empty() {
                return;
            }
            let count = leaving.len().min(self.window);
            self.sent.extend_from_slice(&leaving[..count]);
            self.conn.transmitted(count);
        }
        panic!("it does not come to rest");
    }

    pub(crate) fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = self.conn.receive_buffer();
            assert!(!room.is_empty(), "no room");
            let count = room.len().min(bytes.len());
            room[..count].copy_from_slice(&bytes[..count]);
            self.conn.commit(count);
            bytes = &bytes[count..];
            self.settle();
        }
    }

    pub(crate) fn at(&mut self, millis: u64) {
        self.now = Instant::from_millis(millis);
        self.settle();
    }

    pub(crate) fn eof(&mut self) {
        self.conn.eof();
        self.settle();
    }

    pub(crate) fn act(&mut self, action: Action) {
        action(&mut self.conn, self.now);
        self.settle();
    }

    pub(crate) fn next_event(&mut self) -> Option<String> {
        self.events.pop_front()
    }

    pub(crate) fn next_sent(&mut self) -> Option<String> {
        let end = self.sent.iter().position(|&byte| byte == b'\n')?;
        let line = self.sent.drain(..=end).collect::<Vec<u8>>();
        Some(String::from_utf8(line[..end].to_vec()).expect("UTF-8"))
    }

    fn play(&mut self, steps: &[Step<'_>], cut: Cut) {
        let mut early = 0;
        for (index, step) in steps.iter().enumerate() {
            let place = || format!("step {index}, {cut:?}");
            match *step {
                Step::In(line) => {
                    let bytes = [line.as_bytes(), b"\n"].concat();
                    early = self.feed_cut(&bytes, early, cut, &steps[index + 1..]);
                }
                Step::Raw(bytes) => early = self.feed_cut(bytes, early, cut, &steps[index + 1..]),
                Step::Out(line) => {
                    assert_eq!(self.next_sent(), Some(line.replace("%M", META)), "{}", place());
                }
                Step::Is(event) => assert_eq!(self.next_event().as_deref(), Some(event), "{}", place()),
                Step::At(millis) => self.at(millis),
                Step::Do(action) => self.act(action),
                Step::On(hook) => self.hook = Some(hook),
                Step::Eof => self.eof(),
            }
        }
        assert_eq!(self.next_event(), None, "{cut:?}: more happened");
        assert_eq!(self.next_sent(), None, "{cut:?}: more was sent");
    }

    /// Feeds the bytes of a step, of which `early` have been fed before. How many of the next were fed early.
    fn feed_cut(&mut self, bytes: &[u8], early: usize, cut: Cut, rest: &[Step<'_>]) -> usize {
        let bytes = &bytes[early..];
        match cut {
            Cut::Whole => self.feed(bytes),
            Cut::Bytes => bytes.chunks(1).for_each(|byte| self.feed(byte)),
            Cut::At(at) => {
                let (one, other) = bytes.split_at(at % (bytes.len() + 1));
                self.feed(one);
                self.feed(other);
            }
            Cut::Trailing => {
                // Only an arrival that follows with nothing but events in between may come early.
                let next = rest.iter().find(|step| !matches!(step, Step::Is(_)));
                let next = match next {
                    Some(Step::In(line)) => line.as_bytes(),
                    Some(Step::Raw(bytes)) => bytes,
                    _ => b"",
                };
                let half = &next[..next.len() / 2];
                self.feed(&[bytes, half].concat());
                return half.len();
            }
        }
        0
    }
}

/// Plays a transcript in every way.
pub(crate) fn play(config: Config<'_>, steps: &[Step<'_>]) {
    let longest = steps.iter().map(|step| match step {
        Step::In(line) => line.len() + 1,
        Step::Raw(bytes) => bytes.len(),
        _ => 0,
    });
    let longest = longest.max().unwrap_or(0);
    let cuts = [Cut::Whole, Cut::Bytes, Cut::Trailing].into_iter().chain((0..=longest).map(Cut::At));
    for cut in cuts {
        for window in [usize::MAX, 7] {
            let mut memory: Memory<1024, 1024> = Memory::new();
            let mut rig = Rig::new(memory.lend(), config);
            rig.window = window;
            rig.play(steps, cut);
        }
    }
}

pub(crate) fn config() -> Config<'static> {
    Config { probe_timeout: Duration::from_secs(5), ..Config::new("t", "1") }
}

/// An event in a few words.
pub(crate) fn say(event: Event<'_>) -> String {
    let name =
        |handle: Option<umcp::rpc::RequestHandle>| handle.map_or("-".to_string(), |handle| handle.id().to_string());
    let raw = |value: Option<Value<'_>>| value.map_or(String::new(), |value| format!("{value:?}"));
    match event {
        Event::NeedData => "nothing".into(),
        Event::Connected(server) => {
            let (name, version) = (server.name().map(|t| t.to_string()), server.version().map(|t| t.to_string()));
            format!("connected {} {} {}", server.revision(), name.unwrap_or_default(), version.unwrap_or_default())
        }
        Event::Item { handle, list, item } => format!("item {} {list} {item:?}", handle.id()),
        Event::Chunk { handle, chunk } => format!(
            "chunk {} {} {} {:?} {}",
            handle.id(),
            chunk.list,
            chunk.path.join("/"),
            chunk.text,
            if chunk.is_last { "end" } else { "..." }
        ),
        Event::Response { handle, result } => format!("response {} {result:?}", handle.id()),
        Event::InputRequired { handle, input } => {
            let kinds =
                input.inputs().map(|(key, input)| format!("{key}={}", input.kind().as_str())).collect::<Vec<_>>();
            format!("input {} {} {}", handle.id(), kinds.join(","), raw(input.state()))
        }
        Event::Error { handle, error } => format!("error {} {error}", handle.id()),
        Event::TimedOut { handle } => format!("timeout {}", handle.id()),
        Event::Cancelled { handle } => format!("cancelled {}", handle.id()),
        Event::Lost { handle, why } => format!("lost {} {why:?}", handle.id()),
        Event::Progress { handle, progress, total, message } => format!(
            "progress {} {progress}/{} {}",
            handle.id(),
            total.map_or("-".into(), |total| total.to_string()),
            message.map_or(String::new(), |message| message.to_string())
        ),
        Event::Log { level, logger, data } => {
            format!("log {} {} {data:?}", level.as_str(), logger.map_or("-".into(), |logger| logger.to_string()))
        }
        Event::Acknowledged { handle, filter } => format!("begun {} {}", handle.id(), raw(filter)),
        Event::Changed { handle, list } => format!("changed {} {list:?}", name(handle)),
        Event::Updated { handle, uri } => format!("updated {} {uri}", name(handle)),
        Event::ListenEnded { handle, end } => format!("ended {} {end:?}", handle.id()),
        #[cfg(feature = "legacy")]
        Event::Request(request) => format!("asked {} {:?}", request.input().kind().as_str(), request.id()),
        #[cfg(feature = "legacy")]
        Event::Withdrawn { id } => format!("withdrawn {id:?}"),
        Event::Ignored { why, .. } => format!("ignored {why:?}"),
        Event::ProbeExited => "probe exited".into(),
        Event::Failed { why, error, versions } => {
            format!("failed {why:?} {}{}", error.map_or(String::new(), |error| error.to_string()), raw(versions))
        }
        Event::Closed => "closed".into(),
        other => format!("{other:?}"),
    }
}
