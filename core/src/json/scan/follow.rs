//! Finding what is wanted: the path from the envelope down to the innermost followed object.
//!
//! The followed objects are the outermost open containers, one inside the other: the scanner is directly inside the
//! innermost of them exactly when as many containers are open as are followed.

mod discard;
mod pieces;

pub(super) use discard::kept;

use super::interest::Kept;
use super::{INTEREST_DEPTH, Key, SLOTS, Span, lane};

/// The start of a key of which the front was thrown away: it lies behind any text.
const LOST: u32 = u32::MAX;

/// Where the scanner stands in the interest tree, and what was found.
pub(super) struct Follow {
    tree: &'static [Key],
    /// The member of the innermost followed object that is being read,
    member: Member,
    /// and those that lead to it, outermost first. (Where their values start, their spans say, which have no end yet.)
    around: [&'static Key; INTEREST_DEPTH - 1],
    spans: [Span; SLOTS],
    /// A bit for each slot whose key was read.
    seen: u16,
    /// How many objects are followed.
    followed: u8,
    duplicate: bool,
    /// Only the tree's first entry is still wanted, and nothing else is kept.
    discarding: bool,
    /// The message is taken in pieces: see `Scanner::stream`.
    in_pieces: bool,
    /// In pieces: the present member is dropped as it passes.
    dropping: bool,
    /// In pieces: something was told that the message's end alone makes good.
    told: bool,
}

/// A member that is being read.
#[derive(Clone, Copy)]
pub(super) struct Member {
    /// Where its key starts, behind the quote; from the colon on, where its value does.
    pub(super) start: u32,
    /// What is wanted of it, from its key's end on.
    pub(super) key: &'static Key,
}

/// The length of the longest name among these.
fn longest(keys: &[Key]) -> usize {
    keys.iter().map(|key| key.name.len()).max().unwrap_or(0)
}

impl Member {
    /// One that is not wanted.
    pub(super) const NONE: Member = Member { start: 0, key: Key::UNWANTED };
}

impl Follow {
    pub(super) const fn new(tree: &'static [Key]) -> Follow {
        Follow {
            tree,
            member: Member::NONE,
            around: [Key::UNWANTED; INTEREST_DEPTH - 1],
            spans: [Span::ABSENT; SLOTS],
            seen: 0,
            followed: 0,
            duplicate: false,
            discarding: false,
            in_pieces: false,
            dropping: false,
            told: false,
        }
    }

    pub(super) fn reset(&mut self) {
        self.member = Member::NONE;
        self.spans = [Span::ABSENT; SLOTS];
        self.seen = 0;
        self.followed = 0;
        self.duplicate = false;
        self.discarding = false;
        self.in_pieces = false;
        self.dropping = false;
        self.told = false;
    }

    pub(super) fn spans(&self) -> &[Span; SLOTS] {
        &self.spans
    }

    pub(super) fn duplicate(&self) -> bool {
        self.duplicate
    }

    /// Whether the key with this slot was read, whatever became of its value.
    pub(super) fn has_seen(&self, slot: usize) -> bool {
        u32::try_from(slot).is_ok_and(|slot| 1u16.checked_shl(slot).is_some_and(|bit| self.seen & bit != 0))
    }

    pub(super) fn discarding(&self) -> bool {
        self.discarding
    }

    /// Whether all of the message is kept.
    #[inline(always)]
    pub(super) fn is_whole(&self) -> bool {
        !(self.discarding | self.in_pieces)
    }

    /// How many objects are followed.
    #[inline(always)]
    pub(super) fn followed(&self) -> u8 {
        self.followed
    }

    /// The present member.
    #[inline(always)]
    pub(super) fn set_member(&mut self, member: Member) {
        self.member = member;
    }

    /// What is wanted of the innermost followed object.
    #[inline(always)]
    pub(super) fn wanted(&self) -> &'static [Key] {
        let level = usize::from(self.followed).wrapping_sub(2);
        match self.around.get(level) {
            Some(key) => key.children,
            None if self.discarding => self.tree.get(..1).unwrap_or(&[]),
            None => self.tree,
        }
    }

    /// An object opens, which is the top-level value or a member's of the innermost followed object.
    pub(super) fn open_object(&mut self) {
        if self.followed == 0 {
            self.followed = 1;
        } else if self.leads_on(self.member.key) {
            self.enter(self.member);
            self.member = Member::NONE;
        }
    }

    /// Whether the value of a member of the innermost followed object is followed in its turn if it is an object.
    #[inline(always)]
    pub(super) fn leads_on(&self, key: &Key) -> bool {
        !key.children.is_empty() && usize::from(self.followed) < INTEREST_DEPTH && !self.discarding
    }

    /// The value of a member that leads on opens, and is followed.
    #[inline(always)]
    pub(super) fn enter(&mut self, member: Member) {
        if let Some(place) = self.around.get_mut(usize::from(self.followed).wrapping_sub(1)) {
            *place = member.key;
            self.followed += 1;
            self.found(member, 0);
        }
    }

    /// The innermost followed object closes; its end is still to be told.
    pub(super) fn close_object(&mut self) {
        self.member = self.leave();
    }

    /// The same; returns the member whose value it is.
    #[inline(always)]
    pub(super) fn leave(&mut self) -> Member {
        self.followed = self.followed.saturating_sub(1);
        let level = usize::from(self.followed).wrapping_sub(1);
        let key = *self.around.get(level).unwrap_or(&Key::UNWANTED);
        let start = self.spans.get(usize::from(key.slot)).map_or(0, |span| span.start);
        Member { start, key }
    }

    /// A key of the innermost followed object starts at `offset`, behind its quote.
    #[inline(always)]
    pub(super) fn key_starts(&mut self, offset: usize) {
        self.member.start = offset as u32;
    }

    /// Reads the key of a member that is `wanted`, if that is what `text` starts with; returns what is wanted, and
    /// what follows its closing quote.
    #[inline(always)]
    pub(super) fn meet<'a>(&mut self, wanted: &'static [Key], text: &'a [u8]) -> Option<(&'static Key, &'a [u8])> {
        let word = lane::head(text);
        let mut keys = wanted;
        while let [key, others @ ..] = keys {
            if let Some(tail) = key.behind(word, text) {
                if self.seen & key.bit != 0 {
                    self.duplicate = true;
                    return Some((Key::UNWANTED, tail));
                }
                self.seen |= key.bit;
                return Some((key, tail));
            }
            keys = others;
        }
        None
    }

    /// The value of a member of the innermost followed object starts at `offset`.
    #[inline(always)]
    pub(super) fn value_starts(&mut self, offset: usize) {
        self.member.start = offset as u32;
    }

    /// It ends at `offset`.
    #[inline(always)]
    pub(super) fn value_ends(&mut self, offset: usize) {
        self.found(self.member, offset as u32);
        self.member.key = Key::UNWANTED;
    }

    /// A member's value was found; it ends at `offset`. (0: later.)
    #[inline(always)]
    pub(super) fn found(&mut self, member: Member, offset: u32) {
        if let Some(place) = self.spans.get_mut(usize::from(member.key.slot)) {
            *place = Span { start: member.start, end: offset };
        }
    }

    /// Everything moved `by` bytes towards the buffer's front.
    pub(super) fn shift(&mut self, by: u32) {
        for span in &mut self.spans {
            *span = span.moved_down(by);
        }
        if self.member.start != LOST {
            self.member.start = self.member.start.saturating_sub(by);
        }
    }
}
