//! Reading a container with nothing to find in it.

use super::super::lane;
use super::super::state::{Kind, Nest, State};
use super::super::string::{self, Run};
use super::spaces::Spaces;

/// How far `skip` came.
pub(crate) struct Skipped<'a> {
    pub(crate) rest: &'a [u8],
    /// Whether all that was open is closed; if not, the kinds that are open and the state it stopped in.
    pub(crate) closed: bool,
    pub(crate) kinds: u64,
    pub(crate) state: State,
}

/// The kinds of containers when none is open: a sentinel above something that is no object.
pub(crate) const NOTHING: u64 = 0b10;

/// Reads values until all containers in `kinds` (and at least one) are closed. Another may be opened while that is
/// below `full`.
#[inline(never)]
pub(crate) fn skip<'a>(text: &'a [u8], mut kinds: u64, full: u64, spaces: &mut Spaces) -> Skipped<'a> {
    let mut rest = text;
    let state = loop {
        let mut place = Place::Value(rest);
        if kinds & 1 != 0 {
            let body = match rest {
                [b'"', body @ ..] => body,
                [b' ', b'"', body @ ..] if spaces.pass_to_key(rest.len()) => body,
                _ => break State::Key,
            };
            place = members_of_text(body);
            if let Place::Key(odd) = place {
                rest = match string::run_from(odd) {
                    Run::Closed(tail) => tail,
                    Run::Stopped(tail) => {
                        rest = tail;
                        break State::InKey;
                    }
                };
                let [b':', value @ ..] = rest else { break State::Colon };
                place = Place::Value(value);
            }
        }
        let value = match place {
            Place::Value(value @ [b' ', tail @ ..]) if spaces.pass(value.len()) => Some(tail),
            Place::Value(value) => Some(value),
            Place::Key(odd) | Place::Text(odd) => match string::run_from(odd) {
                Run::Closed(tail) => {
                    rest = tail;
                    None
                }
                Run::Stopped(tail) => {
                    rest = tail;
                    break State::InString;
                }
            },
        };
        match value {
            None => {}
            Some([b'"', body @ ..]) => match string::run(body) {
                Run::Closed([b',', tail @ ..]) => {
                    rest = tail;
                    continue;
                }
                Run::Closed(tail) => rest = tail,
                Run::Stopped(tail) => {
                    rest = tail;
                    break State::InString;
                }
            },
            Some([b'{', tail @ ..]) if kinds < full => {
                rest = tail;
                kinds = kinds << 1 | 1;
                match rest {
                    [b'"', ..] => continue,
                    [b'}', ..] => {}
                    _ => break State::FirstKey,
                }
            }
            Some([b'[', tail @ ..]) if kinds < full => {
                rest = tail;
                kinds <<= 1;
                match rest {
                    [b'"' | b'{' | b'[' | b'-' | b'0'..=b'9', ..] => continue,
                    [b']', ..] => {}
                    _ => break State::FirstItem,
                }
            }
            Some(value) => match scalar(value) {
                Some(tail) => rest = tail,
                None => {
                    rest = value;
                    break State::Value;
                }
            },
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

/// Where in a container something is.
#[derive(Clone, Copy)]
enum Place<'a> {
    /// At a value.
    Value(&'a [u8]),
    /// Inside a key, or a value that is a string: at something that is not plain, if only the quote at its end.
    Key(&'a [u8]),
    Text(&'a [u8]),
}

/// Reads members whose values are strings, from inside a key on, up to something else.
///
/// Where a string starts is known only when the end of the one before is, and this chain of dependent operations is what
/// takes the time. So there is no step between two strings that could be saved.
#[inline(always)]
fn members_of_text(body: &[u8]) -> Place<'_> {
    let mut body = body;
    loop {
        let text = match lane::after_plain(body) {
            [b'"', b':', b'"', text @ ..] => text,
            odd => return Place::Key(odd),
        };
        body = match lane::after_plain(text) {
            [b'"', b',', b'"', body @ ..] => body,
            odd => return Place::Text(odd),
        };
    }
}

/// Reads a literal, or an integer that ends in plain view.
#[inline(always)]
pub(crate) fn scalar(text: &[u8]) -> Option<&[u8]> {
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

/// How many containers `skip` can be inside.
const LEVELS: u8 = 61;

impl Nest {
    /// The kinds of the innermost `levels` containers, as `skip` wants them; nothing if they are too many.
    pub(crate) fn kinds(&self, levels: u8) -> Option<u64> {
        if levels > LEVELS { None } else { Some(NOTHING << levels | self.near() & !(u64::MAX << levels)) }
    }

    /// Puts other containers in the place of the innermost `levels`.
    pub(crate) fn set_kinds(&mut self, levels: u8, kinds: u64) {
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
pub(crate) fn room(levels: u8) -> u64 {
    NOTHING << levels.min(LEVELS)
}
