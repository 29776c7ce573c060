//! What `Follow` knows of a message that is taken in pieces: see `Scanner::stream`.

use super::super::Key;
use super::super::tape::Tape;
use super::{Follow, Kept, longest};

impl Follow {
    /// From the message's start on, it is taken in pieces.
    pub(crate) fn stream(&mut self) {
        self.in_pieces = true;
    }

    /// All of it is kept.
    #[cfg(feature = "server")]
    pub(crate) fn keep_whole(&mut self) {
        self.in_pieces = false;
    }

    pub(crate) fn in_pieces(&self) -> bool {
        self.in_pieces
    }

    /// Whether it is in pieces, and in the midst of what is kept or told, where something may have been dropped.
    pub(crate) fn is_picking(&self) -> bool {
        self.in_pieces && !self.dropping
    }

    /// Whether the present member is dropped as it passes.
    pub(crate) fn is_dropping(&self) -> bool {
        self.dropping
    }

    /// The key of the present member, if somebody wants it, or the list of which an element is; and where the value starts.
    pub(crate) fn present(&self) -> Option<(&'static Key, usize)> {
        (self.member.key.kept != Kept::Nothing).then_some((self.member.key, self.member_start()))
    }

    pub(crate) fn member_start(&self) -> usize {
        self.member.start as usize
    }

    /// Whether the innermost followed container is a list.
    pub(crate) fn is_in_list(&self) -> bool {
        self.innermost().is_some_and(|key| key.kept == Kept::NoElement)
    }

    /// Whether something was told that the message's end alone makes good.
    pub(crate) fn has_told(&self) -> bool {
        self.told
    }

    pub(crate) fn tell(&mut self) {
        self.told = true;
    }

    /// An array opens, which is the value of the present member; its bracket was read. If it is a list, it is followed.
    pub(crate) fn open_list(&mut self, tape: &Tape<'_>) {
        let list = self.member.key;
        if list.kept == Kept::NoElement && usize::from(self.followed) < super::INTEREST_DEPTH {
            self.enter(self.member);
            self.element_starts(tape);
        }
    }

    /// In a list: the next element would start here.
    pub(crate) fn element_starts(&mut self, tape: &Tape<'_>) {
        self.member.start = tape.offset() as u32;
    }

    /// The key of the present member is complete: if nobody wants it, it is dropped from the offset that is returned on.
    pub(crate) fn drop_unwanted(&mut self) -> Option<u32> {
        (self.member.key.kept == Kept::Nothing && self.is_choosy()).then(|| self.drop_member())
    }

    /// The same of a key that is not complete, but already longer than any that is wanted.
    pub(crate) fn drop_long_key(&mut self, offset: usize) -> Option<u32> {
        let is_longer = offset.saturating_sub(self.member.start as usize) > longest(self.wanted());
        (is_longer && !self.dropping && self.is_choosy()).then(|| self.drop_member())
    }

    fn drop_member(&mut self) -> u32 {
        self.dropping = true;
        // With the quote in front of its key.
        self.member.start.saturating_sub(1)
    }

    /// What was dropped has passed.
    pub(crate) fn dropped(&mut self) {
        self.dropping = false;
        self.member.key = Key::UNWANTED;
    }

    /// Whether of the innermost followed object only what is named is kept.
    fn is_choosy(&self) -> bool {
        self.innermost().is_none_or(|key| key.kept == Kept::Named)
    }

    /// The key whose value is the innermost followed container, but for the outermost.
    fn innermost(&self) -> Option<&'static Key> {
        self.around.get(usize::from(self.followed).wrapping_sub(2)).copied()
    }
}
