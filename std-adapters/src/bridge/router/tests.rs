//! Tables: what comes in, and all that goes out because of it. No I/O takes part.
//!
//! A row's event is `a: MESSAGE` (a client says it), `s: MESSAGE` (the server), or a word about the server, a client or the time. `~` in a message
//! is `"jsonrpc":"2.0"`, `^` is the `_meta` of a modern request without its closing brace. What goes out is marked: `s:` to the server, and to client
//! `a` an answer `a!`, a question `a?` or a notification `a.`.

use std::collections::BTreeMap;

use umcp::time::{Duration, Instant};

use super::*;
use crate::bridge::message::{Message, Unread};

mod legacy;
mod modern;

struct Rig {
    router: Router,
    names: BTreeMap<ClientId, char>,
    now: Instant,
    /// What is sent leaves at once.
    flows: bool,
}

impl Rig {
    fn new(limits: Limits) -> Rig {
        let mut router = Router::new("srv".to_owned(), limits, true);
        router.opened(Instant::ZERO);
        Rig { router, names: BTreeMap::new(), now: Instant::ZERO, flows: true }
    }

    fn event(&mut self, event: &str) {
        let (who, what) = event.split_once(':').map_or((event, ""), |(who, what)| (who, what.trim()));
        let words: Vec<&str> = event.split_whitespace().collect();
        match (who, words.as_slice()) {
            ("lost", _) => self.router.lost("the line was lost"),
            ("opened", _) => self.router.opened(self.now),
            ("stalls", _) => self.flows = false,
            (_, ["wait", millis]) => {
                self.now = self.now + Duration::from_millis(millis.parse().unwrap());
                self.router.expire(self.now);
            }
            (_, ["arriving", millis]) => {
                self.now = self.now + Duration::from_millis(millis.parse().unwrap());
                self.router.moved(false, true, true, self.now);
                self.router.expire(self.now);
            }
            (_, ["line" | "session" | "exchange", name]) => {
                let channel = match words[0] {
                    "line" => Channel::Line,
                    "session" => Channel::Session,
                    _ => Channel::Exchange,
                };
                let id = self.router.join(channel);
                self.names.insert(id, name.chars().next().unwrap());
            }
            (_, ["gone", name]) => {
                let id = self.client(name);
                self.router.leave(id);
            }
            ("s", _) => {
                self.router.moved(false, true, false, self.now);
                self.router.hear(expand(what).into_bytes(), self.now);
            }
            ("long", _) => self.router.too_long(Some(what.as_bytes().to_vec()), self.now),
            (name, _) => {
                let id = self.client(name);
                match Message::read(expand(what).into_bytes()) {
                    Ok(message) => drop(self.router.message(id, message, self.now)),
                    Err(Unread::Batch(items)) => drop(self.router.batch(id, items, self.now)),
                    Err(unread) => panic!("{event}: {unread:?}"),
                }
            }
        }
    }

    fn client(&self, name: &str) -> ClientId {
        *self.names.iter().find(|(_, other)| name == other.to_string()).unwrap().0
    }

    fn out(&mut self) -> Vec<String> {
        let mut told = Vec::new();
        while let Some(out) = self.router.next() {
            told.push(match out {
                Out::Server { text, call } => {
                    if let Some(key) = call.filter(|_| self.flows) {
                        self.router.left(key, self.now);
                    }
                    format!("s: {}", String::from_utf8(text).unwrap())
                }
                Out::Client(letter) => {
                    let mark = match letter.sort {
                        Sort::Answer(_) => '!',
                        Sort::Question => '?',
                        Sort::News => '.',
                    };
                    format!("{}{mark} {}", self.names[&letter.to], String::from_utf8(letter.text).unwrap())
                }
            });
        }
        told
    }
}

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28""#;

fn expand(text: &str) -> String {
    text.replace('~', r#""jsonrpc":"2.0""#).replace('^', META)
}

fn play(rows: &[(&str, &[&str])]) {
    play_with(Limits::DEFAULT, rows);
}

fn play_with(limits: Limits, rows: &[(&str, &[&str])]) {
    let mut rig = Rig::new(limits);
    for (index, (event, expected)) in rows.iter().enumerate() {
        rig.event(event);
        let expected: Vec<String> = expected.iter().map(|text| expand(text)).collect();
        assert_eq!(rig.out(), expected, "row {index}: {event}");
    }
}
