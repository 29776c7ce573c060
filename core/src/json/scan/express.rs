//! The express: reads what is canonical as it stands, or would be but for single spaces between tokens, without going
//! through the state after each token.
//!
//! It does nothing that the engine would not do, only faster. It stops wherever it meets something else (other white space, an escape
//! that gets shorter, a fraction, an error, the end of the bytes), leaving the state it stopped in for the engine to go on.
//!
//! There are two loops of the same shape. `Scanner::members` reads the followed objects; `skip`, which has nothing to find and so
//! needs nothing but the text and the kinds of the containers it opened, reads the containers among their values.

use super::state::{Kind, Nest, State};
use super::string::{self, Run};
use super::tape::Tape;
use super::{Outcome, Scanner};

/// Whether this target has an express: on a small one, it is not worth its flash.
pub(super) const RUNS: bool = size_of::<usize>() >= 8;

impl Scanner {
    /// Reads what can be read.
    pub(super) fn express(&mut self, tape: &mut Tape<'_>) {
        let mut spaces = Spaces { left: [0; 32], count: 0 };
        let (text, offset) = (tape.rest(), tape.offset());
        let mut left = text.len();
        let end = match self.state {
            State::Key if self.is_inside() => self.members(text, offset, &mut spaces),
            State::Value if self.nest.is_empty() => self.message(text, offset, &mut spaces),
            State::Key => self.go_on(text, offset, &mut spaces),
            State::Value if !self.nest.in_object() => self.go_on(text, offset, &mut spaces),
            _ => return,
        };
        for space in spaces.passed() {
            tape.keep(left - space);
            tape.skip(1);
            left = space - 1;
        }
        tape.keep(left - end);
    }

    /// Reads a whole message, if it is an object. Like the next two, it returns how many bytes of `text`,
    /// which is at `offset` of the canonical text, are left.
    fn message(&mut self, text: &[u8], offset: usize, spaces: &mut Spaces) -> usize {
        match text {
            [b'{', tail @ ..] if tail.first() == Some(&b'"') && !self.nest.is_full() => {
                self.outcome = Outcome::Object;
                self.follow.open_object();
                self.nest.push(Kind::Object);
                self.members(tail, offset + 1, spaces)
            }
            _ => text.len(),
        }
    }

    /// Reads on in a container that nobody wants to look into.
    fn go_on(&mut self, text: &[u8], offset: usize, spaces: &mut Spaces) -> usize {
        let levels = self.nest.depth().saturating_sub(self.follow.followed());
        let Some(kinds) = self.nest.kinds(levels) else { return text.len() };
        let skipped = skip(text, kinds, self.nest.room(levels), spaces);
        self.nest.set_kinds(levels, skipped.kinds);
        self.state = skipped.state;
        if skipped.closed {
            let offset = offset + text.len() - skipped.rest.len() - spaces.count;
            if self.is_inside() {
                self.follow.value_ends(offset);
            }
            self.state = if self.nest.is_empty() { State::Done } else { State::After };
        }
        skipped.rest.len()
    }

    /// Reads members of the followed objects, from a key on.
    fn members(&mut self, text: &[u8], offset: usize, spaces: &mut Spaces) -> usize {
        // An offset in the canonical text is this, less the bytes left there, less the spaces passed over.
        let end = offset + text.len();
        let mut rest = text;
        self.state = 'members: loop {
            let [b'"', body @ ..] = rest else {
                match spaces.pass(rest) {
                    Some(tail) => rest = tail,
                    None => break State::Key,
                }
                continue;
            };
            match self.follow.meet(body) {
                Some(tail) => rest = tail,
                None => match string::run(body) {
                    Run::Closed(tail) => rest = tail,
                    Run::Stopped(tail) => {
                        self.follow.key_starts(end - body.len() - spaces.count);
                        rest = tail;
                        break State::InKey;
                    }
                },
            }
            let [b':', value @ ..] = rest else {
                self.follow.key_starts(end - body.len() - spaces.count);
                break State::Colon;
            };
            rest = value;
            self.follow.value_starts(end - rest.len() - spaces.count);
            loop {
                match rest {
                    [b'"', body @ ..] => match string::run(body) {
                        Run::Closed(tail) => rest = tail,
                        Run::Stopped(tail) => {
                            rest = tail;
                            break 'members State::InString;
                        }
                    },
                    [b'{', tail @ ..] if self.follow.leads_on() => match tail {
                        [b'"', ..] if !self.nest.is_full() => {
                            self.follow.open_object();
                            self.nest.push(Kind::Object);
                            rest = tail;
                            continue 'members;
                        }
                        [b'}', tail @ ..] if !self.nest.is_full() => rest = tail,
                        _ => break 'members State::Value,
                    },
                    [b'{' | b'[', ..] => {
                        let skipped = skip(rest, NOTHING, self.nest.room(0), spaces);
                        rest = skipped.rest;
                        if !skipped.closed {
                            self.nest.set_kinds(0, skipped.kinds);
                            break 'members skipped.state;
                        }
                    }
                    _ => match scalar(rest) {
                        Some(tail) => rest = tail,
                        None => match spaces.pass(rest) {
                            Some(tail) => {
                                rest = tail;
                                continue;
                            }
                            None => break 'members State::Value,
                        },
                    },
                }
                break;
            }
            self.follow.value_ends(end - rest.len() - spaces.count);
            loop {
                match rest {
                    [b',', tail @ ..] => {
                        rest = tail;
                        break;
                    }
                    [b'}', tail @ ..] => {
                        rest = tail;
                        self.follow.close_object();
                        self.nest.pop();
                        if self.nest.is_empty() {
                            break 'members State::Done;
                        }
                        self.follow.value_ends(end - rest.len() - spaces.count);
                    }
                    _ => break 'members State::After,
                }
            }
        };
        rest.len()
    }
}

/// How far `skip` came.
struct Skipped<'a> {
    rest: &'a [u8],
    /// Whether all that was open is closed; if not, the kinds that are open and the state it stopped in.
    closed: bool,
    kinds: u64,
    state: State,
}

/// The kinds of containers when none is open: a sentinel above something that is no object.
const NOTHING: u64 = 0b10;

/// Reads values until all containers in `kinds` (and at least one) are closed. Another may be opened while that is below `full`.
#[inline(never)]
fn skip<'a>(text: &'a [u8], mut kinds: u64, full: u64, spaces: &mut Spaces) -> Skipped<'a> {
    let mut rest = text;
    let state = 'values: loop {
        if kinds & 1 != 0 {
            let [b'"', body @ ..] = rest else {
                match spaces.pass(rest) {
                    Some(tail) => rest = tail,
                    None => break State::Key,
                }
                continue;
            };
            match string::run(body) {
                Run::Closed(tail) => rest = tail,
                Run::Stopped(tail) => {
                    rest = tail;
                    break State::InKey;
                }
            }
            let [b':', value @ ..] = rest else { break State::Colon };
            rest = value;
        }
        loop {
            match rest {
                [b'"', body @ ..] => match string::run(body) {
                    Run::Closed(tail) => rest = tail,
                    Run::Stopped(tail) => {
                        rest = tail;
                        break 'values State::InString;
                    }
                },
                [b'{', tail @ ..] if kinds < full => {
                    rest = tail;
                    kinds = kinds << 1 | 1;
                    match rest {
                        [b'"', ..] => continue 'values,
                        [b'}', ..] => {}
                        _ => break 'values State::FirstKey,
                    }
                }
                [b'[', tail @ ..] if kinds < full => {
                    rest = tail;
                    kinds <<= 1;
                    match rest {
                        [b'"' | b'{' | b'[' | b'-' | b'0'..=b'9', ..] => continue 'values,
                        [b']', ..] => {}
                        _ => break 'values State::FirstItem,
                    }
                }
                _ => match scalar(rest) {
                    Some(tail) => rest = tail,
                    None => match spaces.pass(rest) {
                        Some(tail) => {
                            rest = tail;
                            continue;
                        }
                        None => break 'values State::Value,
                    },
                },
            }
            break;
        }
        loop {
            match rest {
                [b',', tail @ ..] => {
                    rest = tail;
                    break;
                }
                [b'}', tail @ ..] if kinds & 1 != 0 => rest = tail,
                [b']', tail @ ..] if kinds & 1 == 0 => rest = tail,
                _ => break 'values State::After,
            }
            kinds >>= 1;
            if kinds == NOTHING {
                return Skipped { rest, closed: true, kinds, state: State::After };
            }
        }
    };
    Skipped { rest, closed: false, kinds, state }
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

/// Single spaces that were passed over, for the tape to drop.
struct Spaces {
    /// For each, how many bytes of the text were left, it included.
    left: [u32; 32],
    count: usize,
}

impl Spaces {
    /// Passes over a space in front, if that is what is there.
    #[inline(always)]
    fn pass<'a>(&mut self, text: &'a [u8]) -> Option<&'a [u8]> {
        let [b' ', tail @ ..] = text else { return None };
        *self.left.get_mut(self.count)? = text.len() as u32;
        self.count += 1;
        Some(tail)
    }

    fn passed(&self) -> impl Iterator<Item = usize> {
        self.left.iter().take(self.count).map(|left| *left as usize)
    }
}

/// How many containers `skip` can be inside.
const LEVELS: u8 = 61;

impl Nest {
    /// The kinds of the innermost `levels` containers, as `skip` wants them; nothing if they are too many.
    fn kinds(&self, levels: u8) -> Option<u64> {
        if levels > LEVELS { None } else { Some(NOTHING << levels | self.near() & !(u64::MAX << levels)) }
    }

    /// Puts other containers in the place of the innermost `levels`.
    fn set_kinds(&mut self, levels: u8, kinds: u64) {
        for _ in 0..levels {
            self.pop();
        }
        for level in (0..62u32.saturating_sub(kinds.leading_zeros())).rev() {
            self.push(if kinds >> level & 1 != 0 { Kind::Object } else { Kind::Array });
        }
    }

    /// Below this, another container may be opened inside the innermost `levels`.
    #[inline(always)]
    fn room(&self, levels: u8) -> u64 {
        NOTHING << (self.left() + levels).min(LEVELS)
    }
}
