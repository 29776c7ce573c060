//! Transcripts: what goes in, what comes out, what happens; played whole and in pieces.
//!
//! A script is a text, a step a line:
//!
//! ```text
//! # a remark
//! > a message to the server
//! >> bytes to the server, without an end of line
//! >x EFBBBF    bytes in hexadecimal
//! < a message from the server: what is said of it must be so (see `matching`)
//! * an event, in words
//! ! something the application does (see `Player::act`)
//! ```
//! `$META` is the `_meta` of a modern request, `$BARE` its inside, `$ALL` that of a client that can do everything; `$x(300)` is
//! `x` 300 times, and likewise for any other character.

use serde_json::Value;
use umcp::server::Catalog;

use crate::board::{Board, FULL};
use crate::matching;
use crate::player::{Memory, Player, Sizes};
use crate::schema::Judge;

const BARE: &str =
    r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}"#;
const ALL: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{},"sampling":{},"elicitation":{"form":{},"url":{}}}"#;

/// One conversation.
#[derive(Clone, Copy, Debug)]
pub struct Case<'s> {
    why: &'s str,
    script: &'s str,
    catalog: &'static Catalog<Board>,
    revision: Option<&'static str>,
    capabilities: &'s str,
    sizes: Sizes,
}

/// A conversation in which every request describes itself.
#[must_use]
pub fn modern<'s>(why: &'s str, script: &'s str) -> Case<'s> {
    Case { why, script, catalog: &FULL, revision: None, capabilities: "{}", sizes: Sizes::default() }
}

/// A conversation behind a handshake of this revision.
#[must_use]
pub fn legacy<'s>(revision: &'static str, why: &'s str, script: &'s str) -> Case<'s> {
    Case { revision: Some(revision), ..modern(why, script) }
}

enum Step {
    Send(Vec<u8>),
    Act(String),
}

struct Parsed {
    steps: Vec<Step>,
    expected: Vec<Value>,
    events: Vec<String>,
}

/// What one playing brought.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    out: Vec<u8>,
    events: Vec<String>,
}

impl<'s> Case<'s> {
    /// Serves another catalog.
    #[must_use]
    pub fn catalog(self, catalog: &'static Catalog<Board>) -> Case<'s> {
        Case { catalog, ..self }
    }

    /// Has another receive buffer.
    #[must_use]
    pub fn receive(mut self, bytes: usize) -> Case<'s> {
        self.sizes.receive = bytes;
        self
    }

    /// Has another transmit buffer.
    #[must_use]
    pub fn transmit(mut self, bytes: usize) -> Case<'s> {
        self.sizes.transmit = bytes;
        self
    }

    /// Has tables of one entry.
    #[must_use]
    pub fn small_tables(mut self) -> Case<'s> {
        self.sizes.small_tables = true;
        self
    }

    /// The client declares this in its handshake.
    #[must_use]
    pub fn capabilities(self, capabilities: &'s str) -> Case<'s> {
        Case { capabilities, ..self }
    }

    /// Plays it whole and compares what comes out and what happens; judges every message by the official schemas; then plays it
    /// in two pieces, at every place, and byte by byte, in and out, which must come to the same.
    ///
    /// # Panics
    /// Something is not as it should be.
    pub fn check(&self) {
        let parsed = self.parse();
        let whole = self.play(&parsed, usize::MAX, usize::MAX, usize::MAX);
        self.compare(&parsed, &whole);
        self.judge(&parsed, &whole.out);
        let length: usize = parsed.sent().map(<[u8]>::len).sum();
        for at in 1..length {
            // One byte leaves at a time in some of the playings, a few or all at once in the others.
            let drain = [usize::MAX, 3, 64][at % 3];
            assert_eq!(self.play(&parsed, at, usize::MAX, drain), whole, "{}: split at {at}", self.why);
        }
        assert_eq!(self.play(&parsed, 0, 1, 1), whole, "{}: byte by byte", self.why);
        assert_eq!(self.play(&parsed, 0, 7, usize::MAX), whole, "{}: by sevens", self.why);
    }

    /// What is said when it is played whole.
    ///
    /// # Panics
    /// A line is no JSON.
    #[must_use]
    pub fn replies(&self) -> Vec<Value> {
        let out = self.play(&self.parse(), usize::MAX, usize::MAX, usize::MAX).out;
        let lines = out.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_slice(line).expect("a line is JSON")).collect()
    }

    /// Plays it: in two pieces at `at`, each of at most `chunk` bytes at a time.
    fn play(&self, parsed: &Parsed, at: usize, chunk: usize, drain: usize) -> Outcome {
        let mut memory = Memory::new(self.sizes);
        let mut player = Player::new(self.catalog, &mut memory, drain);
        let mut sent = 0;
        for step in &parsed.steps {
            match step {
                Step::Act(line) => player.act(line),
                Step::Send(bytes) => {
                    let (before, after) = bytes.split_at(at.saturating_sub(sent).min(bytes.len()));
                    for piece in [before, after] {
                        piece.chunks(chunk.max(1).min(bytes.len())).for_each(|piece| player.receive(piece));
                    }
                    sent += bytes.len();
                }
            }
        }
        Outcome { out: player.out, events: player.events }
    }

    fn compare(&self, parsed: &Parsed, whole: &Outcome) {
        let shown = String::from_utf8_lossy(&whole.out);
        assert!(whole.out.is_empty() || whole.out.ends_with(b"\n"), "{}: an unfinished line\n{shown}", self.why);
        let lines: Vec<&str> = shown.lines().collect();
        for (index, expected) in parsed.expected.iter().enumerate() {
            let Some(line) = lines.get(index) else {
                panic!("{}: nothing more is said, but should be: {expected}\n{shown}\n{:#?}", self.why, whole.events);
            };
            let actual: Value =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error}: {line}", self.why));
            if let Err(difference) = matching::check(expected, &actual) {
                panic!("{}: message {index}{difference}\n{shown}\n{:#?}", self.why, whole.events);
            }
        }
        assert_eq!(lines.len(), parsed.expected.len(), "{}: more is said than should be\n{shown}", self.why);
        if !parsed.events.is_empty() {
            assert_eq!(whole.events, parsed.events, "{}: events", self.why);
        }
    }

    fn judge(&self, parsed: &Parsed, out: &[u8]) {
        let mut judge = Judge::new(self.sizes.receive - 1);
        let sent = parsed.sent().collect::<Vec<_>>().concat();
        sent.split(|&byte| byte == b'\n')
            .filter(|line| !line.trim_ascii().is_empty())
            .for_each(|line| judge.client_says(line));
        for line in out.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            judge.server_says(line).unwrap_or_else(|why| panic!("{}: {why}", self.why));
        }
    }

    fn parse(&self) -> Parsed {
        let mut parsed = Parsed { steps: Vec::new(), expected: Vec::new(), events: Vec::new() };
        if let Some(revision) = self.revision {
            parsed.send(format!(
                r#"{{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{},"clientInfo":{{"name":"c","version":"1"}}}}}}
{{"jsonrpc":"2.0","method":"notifications/initialized"}}
"#,
                self.capabilities
            ).into_bytes());
            parsed.expected.push(serde_json::json!({"id": "hello", "result": {"protocolVersion": revision}}));
        }
        for line in self.script.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
            let rest = expand(rest);
            match mark {
                ">" => parsed.send([rest.as_bytes(), b"\n"].concat()),
                ">>" => parsed.send(rest.into_bytes()),
                ">x" => parsed.send(hex(&rest)),
                "<" => parsed
                    .expected
                    .push(serde_json::from_str(&rest).unwrap_or_else(|error| panic!("{}: {error}: {rest}", self.why))),
                "*" => parsed.events.push(rest),
                "!" => parsed.steps.push(Step::Act(rest)),
                _ => panic!("{}: what is this: {line}", self.why),
            }
        }
        if self.revision.is_some() && !parsed.events.is_empty() {
            let handshake = ["served initialize", "ignored notification"].map(str::to_owned);
            parsed.events.splice(0..0, handshake);
        }
        parsed
    }
}

impl Parsed {
    /// Neighbouring messages are one piece.
    fn send(&mut self, bytes: Vec<u8>) {
        match self.steps.last_mut() {
            Some(Step::Send(before)) => before.extend(bytes),
            _ => self.steps.push(Step::Send(bytes)),
        }
    }

    fn sent(&self) -> impl Iterator<Item = &[u8]> {
        self.steps.iter().filter_map(|step| match step {
            Step::Send(bytes) => Some(bytes.as_slice()),
            Step::Act(_) => None,
        })
    }
}

fn hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(str::from_utf8(pair).expect("ASCII"), 16).expect("two digits"))
        .collect()
}

/// Puts in what the short forms stand for.
fn expand(line: &str) -> String {
    let line = line
        .replace("$META", &format!("\"_meta\":{{{BARE}}}"))
        .replace("$BARE", BARE)
        .replace("$ALL", &format!("\"_meta\":{{{ALL}}}"));
    let mut expanded = String::new();
    let mut rest = line.as_str();
    while let Some((before, behind)) = rest.split_once('$') {
        expanded.push_str(before);
        let mut chars = behind.chars();
        let repeated = chars.next();
        let number = chars.as_str().strip_prefix('(').and_then(|number| number.split_once(')'));
        match (repeated, number.map(|(number, behind)| (number.parse::<usize>(), behind))) {
            (Some(char), Some((Ok(times), behind))) => {
                expanded.extend(std::iter::repeat_n(char, times));
                rest = behind;
            }
            _ => {
                expanded.push('$');
                rest = behind;
            }
        }
    }
    expanded + rest
}

#[cfg(test)]
mod tests {
    use super::{expand, hex};

    #[test]
    fn short_forms() {
        assert_eq!(expand("a$x(3)b$[(2)"), "axxxb[[");
        assert_eq!(expand("\"$any\" $ $x() $x(y)"), "\"$any\" $ $x() $x(y)");
        assert!(expand("$META").starts_with("\"_meta\":{\"io."));
        assert_eq!(hex("EF BB"), [0xEF, 0xBB]);
    }
}
