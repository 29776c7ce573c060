//! Finding what is wanted: the path from the envelope down to the innermost followed object.
//!
//! The followed objects are the outermost open containers, one inside the other: the scanner is directly inside the
//! innermost of them exactly when as many containers are open as are followed.

mod discard;

use super::{INTEREST_DEPTH, Key, SLOTS, Span, lane};

/// No entry of the tree matched the present member's key.
const NONE: u8 = u8::MAX;
/// The start of a key of which the front was thrown away: it lies behind any text.
const LOST: u32 = u32::MAX;

/// Where the scanner stands in the interest tree, and what was found.
pub(super) struct Follow {
    tree: &'static [Key],
    /// What is wanted of the innermost followed object,
    wanted: &'static [Key],
    /// and which of its members is being read.
    member: Member,
    /// The same for the objects around it, outermost first: the entries of the members that lead inwards, and where
    /// they start.
    around: [u8; INTEREST_DEPTH - 1],
    around_starts: [u32; INTEREST_DEPTH - 1],
    spans: [Span; SLOTS],
    /// A bit for each slot whose key was read.
    seen: u16,
    /// How many objects are followed.
    followed: u8,
    duplicate: bool,
    /// Only the tree's first entry is still wanted, and nothing else is kept.
    discarding: bool,
}

/// A member that is being read.
#[derive(Clone, Copy)]
struct Member {
    /// Where its key starts, behind the quote; from the colon on, where its value does.
    start: u32,
    /// Which of the wanted ones it is.
    entry: u8,
    /// Where its value's span goes.
    slot: u8,
}

impl Member {
    /// One that is not wanted.
    const NONE: Member = Member { start: 0, entry: NONE, slot: Key::NO_SLOT };
}

impl Follow {
    pub(super) const fn new(tree: &'static [Key]) -> Follow {
        Follow {
            tree,
            wanted: &[],
            member: Member::NONE,
            around: [NONE; INTEREST_DEPTH - 1],
            around_starts: [0; INTEREST_DEPTH - 1],
            spans: [Span::ABSENT; SLOTS],
            seen: 0,
            followed: 0,
            duplicate: false,
            discarding: false,
        }
    }

    pub(super) fn reset(&mut self) {
        self.wanted = &[];
        self.member = Member::NONE;
        self.spans = [Span::ABSENT; SLOTS];
        self.seen = 0;
        self.followed = 0;
        self.duplicate = false;
        self.discarding = false;
    }

    pub(super) fn spans(&self) -> &[Span; SLOTS] {
        &self.spans
    }

    pub(super) fn duplicate(&self) -> bool {
        self.duplicate
    }

    pub(super) fn discarding(&self) -> bool {
        self.discarding
    }

    /// How many objects are followed.
    #[inline(always)]
    pub(super) fn followed(&self) -> u8 {
        self.followed
    }

    /// An object opens, which is the top-level value or a member's of the innermost followed object.
    pub(super) fn open_object(&mut self) {
        if self.followed == 0 {
            self.wanted = self.wanted_at_top();
            self.followed = 1;
            return;
        }
        let level = usize::from(self.followed) - 1;
        let Some(key) = self.wanted.get(usize::from(self.member.entry)) else { return };
        let (Some(entry), Some(start)) = (self.around.get_mut(level), self.around_starts.get_mut(level)) else {
            return;
        };
        if key.children.is_empty() || self.discarding {
            return;
        }
        (*entry, *start) = (self.member.entry, self.member.start);
        self.wanted = key.children;
        self.member = Member::NONE;
        self.followed += 1;
    }

    /// The innermost followed object closes.
    pub(super) fn close_object(&mut self) {
        self.followed = self.followed.saturating_sub(1);
        self.member = Member::NONE;
        let Some(level) = usize::from(self.followed).checked_sub(1) else { return };
        let (Some(outer), Some(&entry), Some(&start)) =
            (self.around.get(..level), self.around.get(level), self.around_starts.get(level))
        else {
            return;
        };
        self.wanted = outer.iter().fold(self.wanted_at_top(), |wanted, &entry| children(wanted, entry));
        if let Some(key) = self.wanted.get(usize::from(entry)) {
            self.member = Member { start, entry, slot: key.slot };
        }
    }

    /// A key of the innermost followed object starts at `offset`, behind its quote.
    #[inline(always)]
    pub(super) fn key_starts(&mut self, offset: usize) {
        self.member.start = offset as u32;
    }

    /// Reads the key of a wanted member, if that is what `text` starts with; returns what follows its closing quote.
    #[inline(always)]
    pub(super) fn meet<'a>(&mut self, text: &'a [u8]) -> Option<&'a [u8]> {
        let word = lane::head(text);
        let mut keys = self.wanted;
        while let [key, others @ ..] = keys {
            if let Some(tail) = key.behind(word, text) {
                let entry = (self.wanted.len() - keys.len()) as u8;
                (self.member.entry, self.member.slot) =
                    if self.seen & key.bit == 0 { (entry, key.slot) } else { (NONE, Key::NO_SLOT) };
                self.duplicate |= self.seen & key.bit != 0;
                self.seen |= key.bit;
                return Some(tail);
            }
            keys = others;
        }
        (self.member.entry, self.member.slot) = (NONE, Key::NO_SLOT);
        None
    }

    /// Whether the value that starts now is followed in its turn if it is an object.
    #[inline(always)]
    pub(super) fn leads_on(&self) -> bool {
        usize::from(self.followed) < INTEREST_DEPTH && !children(self.wanted, self.member.entry).is_empty()
    }

    /// The value of a member of the innermost followed object starts at `offset`.
    #[inline(always)]
    pub(super) fn value_starts(&mut self, offset: usize) {
        self.member.start = offset as u32;
    }

    /// It ends at `offset`.
    #[inline(always)]
    pub(super) fn value_ends(&mut self, offset: usize) {
        if let Some(place) = self.spans.get_mut(usize::from(self.member.slot)) {
            *place = Span { start: self.member.start, end: offset as u32 };
        }
        (self.member.entry, self.member.slot) = (NONE, Key::NO_SLOT);
    }

    /// Everything moved `by` bytes towards the buffer's front.
    pub(super) fn shift(&mut self, by: u32) {
        for span in self.spans.iter_mut().filter(|span| span.is_present()) {
            *span = span.moved_down(by);
        }
        for start in self.around_starts.iter_mut().chain([&mut self.member.start]) {
            if *start != LOST {
                *start = start.saturating_sub(by);
            }
        }
    }
}

/// What is wanted of the value of one of the `wanted` members.
fn children(wanted: &'static [Key], entry: u8) -> &'static [Key] {
    wanted.get(usize::from(entry)).map_or(&[], |key| key.children)
}
