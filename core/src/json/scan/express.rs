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

mod skip;
mod spaces;

pub(super) use spaces::Spaces;

use super::follow::Member;
use super::state::State;
use super::string::{self, Run};
use super::tape::Tape;
use super::{Key, Outcome, Scanner};
use skip::{NOTHING, Skipped, room, scalar, skip};

/// Whether this target has an express: on a small one, it is not worth its flash.
pub(super) const RUNS: bool = size_of::<usize>() >= 8;

/// How far the express went.
pub(super) enum Ride {
    None,
    Part,
    /// To the end of the bytes.
    Whole,
}

impl Scanner {
    /// Reads what can be read.
    #[inline(always)]
    pub(super) fn express(&mut self, tape: &mut Tape<'_>, spaces: &mut Spaces) -> Ride {
        let (text, offset) = (tape.rest(), tape.offset());
        spaces.count = 0;
        let end = match self.state {
            State::Key if self.is_inside() => self.members(text, offset, spaces),
            State::Value if self.nest.is_empty() => self.message(text, offset, spaces),
            State::Key => self.go_on(text, offset, spaces),
            State::Value if !self.nest.in_object() => self.go_on(text, offset, spaces),
            _ => return Ride::None,
        };
        let all = text.len();
        let mut left = all;
        for space in spaces.passed() {
            tape.keep(left - space);
            tape.skip(1);
            left = space - 1;
        }
        tape.keep(left - end);
        match end {
            _ if end == all => Ride::None,
            0 => Ride::Whole,
            _ => Ride::Part,
        }
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
            let offset = spaces.offset(offset + text.len(), skipped.rest);
            if self.is_inside() {
                self.follow.value_ends(offset as usize);
            }
            self.state = if self.nest.is_empty() { State::Done } else { State::After };
        }
        skipped.rest.len()
    }

    /// Reads members of the followed objects, from a key on.
    fn members(&mut self, text: &[u8], offset: usize, spaces: &mut Spaces) -> usize {
        let end = offset + text.len();
        let mut rest = text;
        // These live here while it runs; the scanner is brought up to date at the end.
        let mut wanted = self.follow.wanted();
        let mut member = Member::NONE;
        let mut kinds = NOTHING;
        self.state = 'members: loop {
            let body = match rest {
                [b'"', body @ ..] => body,
                [b' ', b'"', body @ ..] if spaces.pass_to_key(rest.len()) => body,
                _ => {
                    member = Member::NONE;
                    break State::Key;
                }
            };
            (member.key, rest) = match self.follow.meet(wanted, body) {
                Some(found) => found,
                None => match string::run(body) {
                    Run::Closed(tail) => (Key::UNWANTED, tail),
                    Run::Stopped(tail) => {
                        member.start = spaces.offset(end, body);
                        rest = tail;
                        break State::InKey;
                    }
                },
            };
            let value = match rest {
                [b':', b' ', value @ ..] if spaces.pass(rest.len() - 1) => value,
                [b':', value @ ..] => value,
                _ => {
                    member.start = spaces.offset(end, body);
                    break State::Colon;
                }
            };
            member.start = spaces.offset(end, value);
            match value {
                [b'"', body @ ..] => match string::run(body) {
                    // The straight line: a string, and another member behind it.
                    Run::Closed(tail @ [b',', next @ ..]) => {
                        self.follow.found(member, spaces.offset(end, tail));
                        rest = next;
                        continue;
                    }
                    Run::Closed(tail) => rest = tail,
                    Run::Stopped(tail) => {
                        rest = tail;
                        break State::InString;
                    }
                },
                [b'{', members @ ..] if matches!(members, [b'"', ..]) && self.enters(member) => {
                    wanted = member.key.children;
                    rest = members;
                    continue;
                }
                [b'{' | b'[', ..] => match self.container(member.key, value, spaces) {
                    Ok(tail) => rest = tail,
                    Err(skipped) => {
                        rest = skipped.rest;
                        kinds = skipped.kinds;
                        break skipped.state;
                    }
                },
                _ => match scalar(value) {
                    Some(tail) => rest = tail,
                    None => {
                        rest = value;
                        break State::Value;
                    }
                },
            }
            self.follow.found(member, spaces.offset(end, rest));
            while let [b'}', tail @ ..] = rest {
                rest = tail;
                member = self.follow.leave();
                if self.follow.followed() == 0 {
                    break 'members State::Done;
                }
                wanted = self.follow.wanted();
                self.follow.found(member, spaces.offset(end, rest));
            }
            let [b',', tail @ ..] = rest else {
                member = Member::NONE;
                break State::After;
            };
            rest = tail;
        };
        self.follow.set_member(member);
        self.nest.set_objects(self.follow.followed());
        self.nest.set_kinds(0, kinds);
        rest.len()
    }

    /// Enters the value of a member, which is an object, if it is to be followed.
    #[inline(always)]
    fn enters(&mut self, member: Member) -> bool {
        let enters = self.follow.leads_on(member.key) && self.follow.followed() < self.nest.limit();
        if enters {
            self.follow.enter(member);
        }
        enters
    }

    /// Reads the container that a member's value starts with, if it is not one to be followed.
    #[inline(always)]
    fn container<'a>(&mut self, key: &Key, text: &'a [u8], spaces: &mut Spaces) -> Result<&'a [u8], Skipped<'a>> {
        if let [b'{', tail @ ..] = text
            && self.follow.leads_on(key)
            && tail.first() != Some(&b'}')
        {
            // White space, an error, or the end of the bytes: the engine must find out.
            return Err(Skipped { rest: text, closed: false, kinds: NOTHING, state: State::Value });
        }
        let levels = self.nest.limit().saturating_sub(self.follow.followed());
        let skipped = skip(text, NOTHING, room(levels), spaces);
        if skipped.closed { Ok(skipped.rest) } else { Err(skipped) }
    }
}
