//! The express: reads what is canonical as it stands, or would be but for single spaces between tokens, without going
//! through the state after each token.
//!
//! It does nothing that the engine would not do, only faster. It stops wherever it meets something else (other
//! white space, an escape that gets shorter, a fraction, an error, the end of the bytes), leaving the state it
//! stopped in for the engine to go on.
//!
//! There are two loops of the same shape. `Scanner::members` reads the followed objects; `skip`, which has nothing
//! to find and so needs nothing but the text and the kinds of the containers it opened, reads the containers among
//! their values.

use super::state::{Kind, Nest, State};
use super::string::{self, Run};
use super::tape::Tape;
use super::{Outcome, Scanner};

/// Whether this target has an express: on a small one, it is not worth its flash.
pub(super) const RUNS: bool = size_of::<usize>() >= 8;

impl Scanner {
    /// Reads what can be read. Says whether that was anything.
    #[inline(always)]
    pub(super) fn express(&mut self, tape: &mut Tape<'_>, spaces: &mut Spaces) -> bool {
        let (text, offset) = (tape.rest(), tape.offset());
        spaces.count = 0;
        let end = match self.state {
            State::Key if self.is_inside() => self.members(text, offset, spaces),
            State::Value if self.nest.is_empty() => self.message(text, offset, spaces),
            State::Key => self.go_on(text, offset, spaces),
            State::Value if !self.nest.in_object() => self.go_on(text, offset, spaces),
            _ => return false,
        };
        let all = text.len();
        let mut left = all;
        for space in spaces.passed() {
            tape.keep(left - space);
            tape.skip(1);
            left = space - 1;
        }
        tape.keep(left - end);
        end < all
    }

    /// Reads a whole message, if it is an object. Like the next two, it returns how many bytes of `text`,
    /// which is at `offset` of the canonical text, are left.
    fn message(&mut self, text: &[u8], offset: usize, spaces: &mut Spaces) -> usize {
        match text {
            [b'{', tail @ ..] if tail.first() == Some(&b'"') && !self.nest.is_full() => {
                self.outcome = Outcome::Object;
                self.follow.open_object();
                self.members(tail, offset + 1, spaces)
            }
            _ => text.len(),
        }
    }

    /// Reads on in a container that nobody wants to look into.
    fn go_on(&mut self, text: &[u8], offset: usize, spaces: &mut Spaces) -> usize {
        let levels = self.nest.depth().saturating_sub(self.follow.followed());
        let Some(kinds) = self.nest.kinds(levels) else { return text.len() };
        let skipped = skip(text, kinds, room(self.nest.limit().saturating_sub(self.nest.depth() - levels)), spaces);
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
        // An offset in the canonical text is this, less the bytes left there: spaces do not get there.
        let mut end = offset + text.len();
        let mut rest = text;
        // What is open besides the followed objects. (The nest itself is brought up to date at the end.)
        let mut kinds = NOTHING;
        self.state = 'members: loop {
            let [b'"', body @ ..] = rest else {
                let Some(tail) = spaces.pass_to_key(rest) else { break State::Key };
                (rest, end) = (tail, end - 1);
                continue;
            };
            match self.follow.meet(body) {
                Some(tail) => rest = tail,
                None => match string::run(body) {
                    Run::Closed(tail) => rest = tail,
                    Run::Stopped(tail) => {
                        self.follow.key_starts(end - body.len());
                        rest = tail;
                        break State::InKey;
                    }
                },
            }
            let [b':', value @ ..] = rest else {
                self.follow.key_starts(end - body.len());
                break State::Colon;
            };
            rest = value;
            self.follow.value_starts(end - rest.len());
            loop {
                match rest {
                    [b'"', body @ ..] => match string::run(body) {
                        Run::Closed(tail) => rest = tail,
                        Run::Stopped(tail) => {
                            rest = tail;
                            break 'members State::InString;
                        }
                    },
                    [b'{' | b'[', ..] => match self.container(rest, spaces) {
                        Container::Followed(tail) => {
                            rest = tail;
                            continue 'members;
                        }
                        Container::Read(tail) => {
                            rest = tail;
                            end = offset + text.len() - spaces.count;
                        }
                        Container::Stopped(skipped) => {
                            rest = skipped.rest;
                            kinds = skipped.kinds;
                            break 'members skipped.state;
                        }
                    },
                    [b' ', ..] => {
                        let Some(tail) = spaces.pass(rest) else { break 'members State::Value };
                        (rest, end) = (tail, end - 1);
                        continue;
                    }
                    _ => match scalar(rest) {
                        Some(tail) => rest = tail,
                        None => break 'members State::Value,
                    },
                }
                break;
            }
            self.follow.value_ends(end - rest.len());
            while let [b'}', tail @ ..] = rest {
                rest = tail;
                self.follow.close_object();
                if self.follow.followed() == 0 {
                    break 'members State::Done;
                }
                self.follow.value_ends(end - rest.len());
            }
            let [b',', tail @ ..] = rest else { break State::After };
            rest = tail;
        };
        self.nest.set_objects(self.follow.followed());
        self.nest.set_kinds(0, kinds);
        rest.len()
    }

    /// Reads the container that a member's value starts with: all of it, or, if it is an object to be followed, its
    /// bracket.
    #[inline(always)]
    fn container<'a>(&mut self, text: &'a [u8], spaces: &mut Spaces) -> Container<'a> {
        let levels = self.nest.limit().saturating_sub(self.follow.followed());
        match text {
            [b'{', tail @ ..] if tail.first() == Some(&b'"') && levels > 0 && self.follow.leads_on() => {
                self.follow.open_object();
                return Container::Followed(tail);
            }
            // White space or an error, or the end of the bytes: the engine must find out.
            [b'{', tail @ ..] if self.follow.leads_on() && tail.first() != Some(&b'}') => {
                return Container::Stopped(Skipped { rest: text, closed: false, kinds: NOTHING, state: State::Value });
            }
            _ => {}
        }
        let skipped = skip(text, NOTHING, room(levels), spaces);
        if skipped.closed { Container::Read(skipped.rest) } else { Container::Stopped(skipped) }
    }
}

/// How far `Scanner::container` came.
enum Container<'a> {
    /// It is followed: its members come next.
    Followed(&'a [u8]),
    /// All of it was read.
    Read(&'a [u8]),
    /// It was read in part, or not at all.
    Stopped(Skipped<'a>),
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

/// Reads values until all containers in `kinds` (and at least one) are closed. Another may be opened while that is
/// below `full`.
#[inline(never)]
fn skip<'a>(text: &'a [u8], mut kinds: u64, full: u64, spaces: &mut Spaces) -> Skipped<'a> {
    let mut rest = text;
    let state = 'values: loop {
        if kinds & 1 != 0 {
            let [b'"', body @ ..] = rest else {
                let Some(tail) = spaces.pass_to_key(rest) else { break State::Key };
                rest = tail;
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
                [b' ', ..] => {
                    let Some(tail) = spaces.pass(rest) else { break 'values State::Value };
                    rest = tail;
                    continue;
                }
                _ => match scalar(rest) {
                    Some(tail) => rest = tail,
                    None => break 'values State::Value,
                },
            }
            break;
        }
        loop {
            match rest {
                [b'}', tail @ ..] if kinds & 1 != 0 => rest = tail,
                [b']', tail @ ..] if kinds & 1 == 0 => rest = tail,
                _ => break,
            }
            kinds >>= 1;
            if kinds == NOTHING {
                return Skipped { rest, closed: true, kinds, state: State::After };
            }
        }
        let [b',', tail @ ..] = rest else { break State::After };
        rest = tail;
    };
    Skipped { rest, closed: false, kinds, state }
}

/// Reads a literal, or an integer that ends in plain view.
#[inline(always)]
fn scalar(text: &[u8]) -> Option<&[u8]> {
    match text {
        [b'0'..=b'9', ..] => integer(text),
        [b'-', digits @ ..] => integer(digits),
        [b't', b'r', b'u', b'e', tail @ ..] => Some(tail),
        [b'f', b'a', b'l', b's', b'e', tail @ ..] => Some(tail),
        [b'n', b'u', b'l', b'l', tail @ ..] => Some(tail),
        _ => None,
    }
}

/// Reads an integer that ends in plain view.
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
pub(super) struct Spaces {
    /// For each, how many bytes of the text were left, it included.
    left: [u32; Spaces::MAX],
    count: usize,
}

impl Spaces {
    const MAX: usize = 32;
    pub(super) const NONE: Spaces = Spaces { left: [0; Spaces::MAX], count: 0 };

    /// Passes over a space in front, if that is what is there.
    #[cold]
    fn pass<'a>(&mut self, text: &'a [u8]) -> Option<&'a [u8]> {
        let [b' ', tail @ ..] = text else { return None };
        *self.left.get_mut(self.count)? = text.len() as u32;
        self.count += 1;
        Some(tail)
    }

    /// The same in front of a key: only if that leaves room for one in front of its value, where the express cannot
    /// start again.
    fn pass_to_key<'a>(&mut self, text: &'a [u8]) -> Option<&'a [u8]> {
        if self.count + 1 < Spaces::MAX { self.pass(text) } else { None }
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
}

/// `skip` may open another container while its kinds are below this, if `levels` may be open.
#[inline(always)]
fn room(levels: u8) -> u64 {
    NOTHING << levels.min(LEVELS)
}
