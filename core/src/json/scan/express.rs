//! The express: reads what is canonical as it stands, without looking at the state between two tokens.
//!
//! It does nothing that the engine would not do, only faster, and stops wherever it meets something else (white space, an escape
//! that gets shorter, a fraction, an error, the end of the bytes), leaving the state it stopped in for the engine to go on.
//!
//! There are two loops of the same shape. `Scanner::express` reads the followed objects; `skip`, which has nothing to find and so
//! needs nothing but the text and the kinds of the open containers, reads the containers among their values.

use super::state::{Kind, State};
use super::string::{self, Run};
use super::tape::Tape;
use super::{Outcome, Scanner};

/// Whether this target has an express: on a small one, it is not worth its flash.
pub(super) const RUNS: bool = size_of::<usize>() >= 8;

/// Between which tokens a loop stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Value,
    Key,
    After,
}

impl Scanner {
    /// Reads what can be read. Says whether it stopped between two tokens, where there may be white space.
    #[inline(always)]
    pub(super) fn express(&mut self, tape: &mut Tape<'_>) -> bool {
        let at = match self.state {
            State::Value => At::Value,
            State::Key => At::Key,
            State::After => At::After,
            _ => return false,
        };
        let (rest, offset) = (tape.rest(), tape.offset());
        let count = self.members(rest, offset, at);
        tape.keep(count);
        !matches!(self.state, State::InKey | State::InString)
    }

    /// Reads the front of `text`, which is at `offset` of the canonical text; returns how much of it.
    #[inline(never)]
    fn members(&mut self, text: &[u8], offset: usize, mut at: At) -> usize {
        // What is left of the text starts at this offset of the canonical text, less its own length.
        let end = offset + text.len();
        let mut rest = text;
        if self.nest.is_empty() {
            match text {
                [b'{', tail @ ..] if at == At::Value && tail.first() == Some(&b'"') && !self.nest.is_full() => {
                    self.outcome = Outcome::Object;
                    self.open_object();
                    (rest, at) = (tail, At::Key);
                }
                _ => return 0,
            }
        }
        let mut outside = !self.is_inside();
        self.state = loop {
            if outside {
                let Some(kinds) = self.nest.kinds() else { break at.state() };
                let skipped = skip(rest, at, kinds, self.follow.followed(), self.nest.full());
                rest = skipped.rest;
                self.nest.set_kinds(skipped.kinds);
                if !skipped.closed {
                    break skipped.state;
                }
                self.follow.value_ends(end - rest.len());
                if self.nest.is_empty() {
                    break State::Done;
                }
                (at, outside) = (At::After, false);
            }
            if at == At::After {
                match rest {
                    [b',', tail @ ..] => (rest, at) = (tail, At::Key),
                    [b'}', tail @ ..] => {
                        rest = tail;
                        self.follow.close_object();
                        self.nest.pop();
                        self.follow.value_ends(end - rest.len());
                        if self.nest.is_empty() {
                            break State::Done;
                        }
                        continue;
                    }
                    _ => break State::After,
                }
            }
            if at == At::Key {
                let [b'"', body @ ..] = rest else { break State::Key };
                self.follow.key_starts(end - body.len());
                let (head, run) = string::run_key(body);
                match run {
                    Run::Closed(tail) => {
                        self.follow.key_ends(head, body);
                        rest = tail;
                    }
                    Run::Stopped(tail) => {
                        rest = tail;
                        break State::InKey;
                    }
                }
                let [b':', tail @ ..] = rest else { break State::Colon };
                rest = tail;
                self.follow.value_starts(end - rest.len());
                at = At::Value;
            }
            match rest {
                [b'"', body @ ..] => match string::run(body) {
                    Run::Closed(tail) => rest = tail,
                    Run::Stopped(tail) => {
                        rest = tail;
                        break State::InString;
                    }
                },
                [b'{', tail @ ..] if tail.first() == Some(&b'"') && !self.nest.is_full() => {
                    self.open_object();
                    (rest, at, outside) = (tail, At::Key, !self.is_inside());
                    continue;
                }
                [b'[', ..] | [b'{', b'}', ..] => {
                    outside = true;
                    continue;
                }
                _ => match scalar(rest) {
                    Some(tail) => rest = tail,
                    None => break State::Value,
                },
            }
            self.follow.value_ends(end - rest.len());
            at = At::After;
        };
        text.len() - rest.len()
    }

    #[inline(always)]
    fn open_object(&mut self) {
        self.follow.open_object();
        self.nest.push(Kind::Object);
    }
}

impl At {
    fn state(self) -> State {
        match self {
            At::Value => State::Value,
            At::Key => State::Key,
            At::After => State::After,
        }
    }
}

/// How far `skip` came.
struct Skipped<'a> {
    rest: &'a [u8],
    kinds: u64,
    /// Whether the container is closed that was to be read; else, the state it stopped in.
    closed: bool,
    state: State,
}

/// Reads values until no more than `floor` containers are open.
#[inline(never)]
fn skip(text: &[u8], mut at: At, mut kinds: u64, floor: u8, full: u64) -> Skipped<'_> {
    let floor = (2 << floor) - 1;
    let mut rest = text;
    let state = loop {
        if at == At::After {
            match *rest {
                [b',', ref tail @ ..] => {
                    rest = tail;
                    at = if kinds & 1 != 0 { At::Key } else { At::Value };
                }
                [b'}' | b']', ref tail @ ..] => {
                    let closes = rest.first() == Some(&b'}');
                    if closes != (kinds & 1 != 0) {
                        break State::After;
                    }
                    rest = tail;
                    kinds >>= 1;
                    if kinds == floor {
                        return Skipped { rest, kinds, closed: true, state: State::After };
                    }
                    continue;
                }
                _ => break State::After,
            }
        }
        if at == At::Key {
            let [b'"', body @ ..] = rest else { break State::Key };
            match string::run(body) {
                Run::Closed(tail) => rest = tail,
                Run::Stopped(tail) => {
                    rest = tail;
                    break State::InKey;
                }
            }
            let [b':', tail @ ..] = rest else { break State::Colon };
            rest = tail;
        }
        match *rest {
            [b'"', ref body @ ..] => match string::run(body) {
                Run::Closed(tail) => rest = tail,
                Run::Stopped(tail) => {
                    rest = tail;
                    break State::InString;
                }
            },
            [b'{', ref tail @ ..] if kinds < full => {
                rest = tail;
                kinds = kinds << 1 | 1;
                at = match rest {
                    [b'"', ..] => At::Key,
                    [b'}', ..] => At::After,
                    _ => break State::FirstKey,
                };
                continue;
            }
            [b'[', ref tail @ ..] if kinds < full => {
                rest = tail;
                kinds <<= 1;
                at = match rest {
                    [b' ' | b'\n' | b'\r' | b'\t', ..] | [] => break State::FirstItem,
                    [b']', ..] => At::After,
                    _ => At::Value,
                };
                continue;
            }
            _ => match scalar(rest) {
                Some(tail) => rest = tail,
                None => break State::Value,
            },
        }
        at = At::After;
    };
    Skipped { rest, kinds, closed: false, state }
}

/// Reads a literal, or an integer that ends in plain view.
#[inline(always)]
fn scalar(text: &[u8]) -> Option<&[u8]> {
    match text {
        [b't', b'r', b'u', b'e', tail @ ..] => Some(tail),
        [b'f', b'a', b'l', b's', b'e', tail @ ..] => Some(tail),
        [b'n', b'u', b'l', b'l', tail @ ..] => Some(tail),
        [b'-', digits @ ..] => integer(digits),
        digits => integer(digits),
    }
}

#[inline(always)]
fn integer(digits: &[u8]) -> Option<&[u8]> {
    let rest = match digits {
        [b'0', tail @ ..] => tail,
        [b'1'..=b'9', tail @ ..] => {
            let mut rest = tail;
            while let [b'0'..=b'9', tail @ ..] = rest {
                rest = tail;
            }
            rest
        }
        _ => return None,
    };
    if let [b',' | b'}' | b']', ..] = rest { Some(rest) } else { None }
}
