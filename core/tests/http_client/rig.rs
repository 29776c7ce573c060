//! Plays a transcript: what arrives and what time it is, and the log of what happened, in virtual time.

use umcp::client::{Config, Happened};
use umcp::http::client::{Connection, Endpoint, Lent, Memory, Stream};
use umcp::time::Instant;

pub(crate) use crate::client_support::config;
use crate::client_support::say;

pub(crate) const TARGET: Endpoint<'static> = Endpoint { host: "h:1", path: "/mcp" };

/// A modern server's answer to the probe.
pub(crate) const MODERN: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"2"}}}}"#;

pub(crate) type Action = fn(&mut Connection<'_>, Instant);
pub(crate) type Hook = fn(&mut Connection<'_>, Happened, Instant);

/// One line of a transcript.
#[derive(Clone, Copy)]
pub(crate) enum Step<'a> {
    /// These bytes arrive.
    In(&'a [u8]),
    /// Since the last such line this has happened: events as [`say`] says them, streams that were opened and closed, requests that were sent as
    /// [`sent`] says them.
    Log(&'a [&'a str]),
    /// It is so many milliseconds after the start.
    At(u64),
    /// The caller does something.
    Do(Action),
    /// From here on this is done at each event, while its message is held.
    On(Hook),
    /// The server closes the stream.
    Eof,
    /// From here on no stream can be opened.
    Unreachable,
    /// From here on no errand is accepted.
    Unaccepted,
}

/// How the arriving bytes are cut.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cut {
    Whole,
    /// One byte at a time.
    Bytes,
    /// Each step in two, behind this many bytes (modulo its length).
    At(usize),
}

pub(crate) struct Rig<'m> {
    pub(crate) conn: Connection<'m>,
    pub(crate) now: Instant,
    hook: Option<Hook>,
    pub(crate) log: Vec<String>,
    sent: Vec<u8>,
    open: bool,
    reachable: bool,
    /// Errands are accepted.
    accepts: bool,
    /// How many bytes leave at a time.
    pub(crate) window: usize,
}

impl<'m> Rig<'m> {
    pub(crate) fn new(memory: Lent<'m>, config: Config<'m>) -> Rig<'m> {
        let conn = Connection::new(memory, config, &TARGET);
        Rig {
            conn,
            now: Instant::ZERO,
            hook: None,
            log: Vec::new(),
            sent: Vec::new(),
            open: false,
            reachable: true,
            accepts: true,
            window: usize::MAX,
        }
    }

    /// Drains events, does what the stream wants, and takes what is to be sent, as the contract wants it.
    pub(crate) fn settle(&mut self) {
        for _ in 0..10_000 {
            let happened = self.conn.advance(self.now);
            if happened != Happened::NeedData {
                if let Some(hook) = self.hook {
                    hook(&mut self.conn, happened, self.now);
                }
                self.log.push(say(self.conn.event(happened)));
                continue;
            }
            #[cfg(feature = "legacy")]
            if !self.conn.errand().is_empty() {
                let (said, length) = sent(self.conn.errand()).expect("a whole message");
                assert_eq!(length, self.conn.errand().len());
                assert!(self.conn.transmit().is_empty());
                self.log.push(format!("errand {}", said.replace(" Connection=close", "")));
                self.conn.errand_done(self.accepts);
                continue;
            }
            match self.conn.stream() {
                Stream::Keep => {}
                Stream::Close => {
                    self.close();
                    self.conn.closed();
                    continue;
                }
                Stream::Open if self.reachable => {
                    self.close();
                    self.log.push("open".into());
                    self.open = true;
                    self.sent.clear();
                    self.conn.opened();
                    continue;
                }
                Stream::Open => {
                    self.close();
                    self.conn.unreachable();
                    continue;
                }
            }
            let leaving = self.conn.transmit();
            if leaving.is_empty() {
                assert!(self.conn.poll_at().is_none_or(|at| at > self.now), "it wants to be called at once");
                return;
            }
            assert!(self.open, "there is no stream to send on");
            let count = leaving.len().min(self.window);
            self.sent.extend_from_slice(&leaving[..count]);
            self.conn.transmitted(count);
            if let Some((said, length)) = sent(&self.sent) {
                self.log.push(said);
                self.sent.drain(..length);
            }
        }
        panic!("it does not come to rest: {:?}", self.log);
    }

    fn close(&mut self) {
        if self.open {
            self.log.push("close".into());
        }
        self.open = false;
    }

    pub(crate) fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = self.conn.receive_buffer();
            if room.is_empty() {
                // It was closed from here, and what else arrives finds nobody.
                return;
            }
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
        self.open = false;
        self.conn.eof();
        self.settle();
    }

    pub(crate) fn act(&mut self, action: Action) {
        action(&mut self.conn, self.now);
        self.settle();
    }

    fn play(&mut self, steps: &[Step<'_>], cut: Cut) {
        for (index, step) in steps.iter().enumerate() {
            match *step {
                Step::In(bytes) => match cut {
                    Cut::Whole => self.feed(bytes),
                    Cut::Bytes => bytes.chunks(1).for_each(|byte| self.feed(byte)),
                    Cut::At(at) => {
                        let (one, other) = bytes.split_at(at % (bytes.len() + 1));
                        self.feed(one);
                        self.feed(other);
                    }
                },
                Step::Log(expected) => {
                    let log = core::mem::take(&mut self.log);
                    assert_eq!(log, expected, "step {index}, {cut:?}, {} bytes leave at a time", self.window);
                }
                Step::At(millis) => self.at(millis),
                Step::Do(action) => self.act(action),
                Step::On(hook) => self.hook = Some(hook),
                Step::Eof => self.eof(),
                Step::Unreachable => self.reachable = false,
                Step::Unaccepted => self.accepts = false,
            }
        }
        assert_eq!(self.log, [""; 0], "{cut:?}: more happened");
    }
}

/// Plays a transcript in every way.
pub(crate) fn play(config: Config<'_>, steps: &[Step<'_>]) {
    let longest = steps.iter().map(|step| if let Step::In(bytes) = step { bytes.len() } else { 0 }).max();
    let cuts = [Cut::Whole, Cut::Bytes].into_iter().chain((0..=longest.unwrap_or(0)).map(Cut::At));
    for cut in cuts {
        for window in [usize::MAX, 7] {
            let mut memory: Memory<1024, 2048> = Memory::new();
            let mut rig = Rig::new(memory.lend(), config);
            rig.window = window;
            rig.settle();
            rig.play(steps, cut);
        }
    }
}

/// A request in a few words, and its length: `POST server/discover 2026-07-28`, then what other headers it has. Those that all have are checked.
fn sent(bytes: &[u8]) -> Option<(String, usize)> {
    let head_len = bytes.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&bytes[..head_len]).expect("ASCII");
    let mut lines = head.trim_end().split("\r\n");
    let first = lines.next().expect("a first line").split(' ').collect::<Vec<_>>();
    let mut headers: Vec<(&str, &str)> = lines.map(|line| line.split_once(": ").expect("a header")).collect();
    let mut take = |name: &str| {
        let at = headers.iter().position(|(header, _)| *header == name)?;
        Some(headers.remove(at).1)
    };
    assert_eq!((first[2], take("Host")), ("HTTP/1.1", Some(TARGET.host)));
    let length: usize = take("Content-Length").map_or(0, |length| length.parse().expect("a number"));
    let body = bytes[head_len..].get(..length)?;
    if first[0] == "GET" {
        assert_eq!(take("Accept"), Some("text/event-stream"));
    }
    if first[0] == "POST" {
        assert_eq!(take("Content-Type"), Some("application/json"));
        assert_eq!(take("Accept"), Some("application/json, text/event-stream"));
    }
    let message: serde_json::Value = match body {
        [] => serde_json::Value::Null,
        body => serde_json::from_slice(body).expect("JSON"),
    };
    let answer = if message.is_object() { "answer" } else { "-" };
    let method = message["method"].as_str().unwrap_or(answer);
    let version = take("MCP-Protocol-Version");
    let meta = &message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
    if let Some(mirrored) = take("Mcp-Method") {
        assert_eq!((Some(mirrored), version), (Some(method), meta.as_str()));
    }
    let mut said = format!("{} {method} {}", first[0], version.unwrap_or("-"));
    if first[1] != TARGET.path {
        said += &format!(" at {}", first[1]);
    }
    for (name, value) in headers {
        said += &format!(" {name}={value}");
    }
    Some((said, head_len + length))
}

/// A JSON reply.
pub(crate) fn json(status: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len())
        .into_bytes()
}

/// An event stream in chunks, which ends.
pub(crate) fn events(body: &str) -> Vec<u8> {
    [stream(body), b"0\r\n\r\n".to_vec()].concat()
}

/// An event stream in chunks, which does not end.
pub(crate) fn stream(body: &str) -> Vec<u8> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    format!("{head}{:x}\r\n{body}\r\n", body.len()).into_bytes()
}
