//! What the engine tells `Follow`, on the tape; and how all but the id is thrown away: see `Scanner::discard`.

use super::super::tape::{Tape, Window};
use super::super::{Key, SLOTS, Span};
use super::{Follow, LOST, Member, longest};
use core::ptr;

/// How long an id may be that is kept while the rest of its message is discarded, at most.
const KEPT: usize = 512;

/// How long an id may be so that, of `len` bytes, enough are left for the rest.
pub(crate) fn kept(len: usize) -> usize {
    KEPT.min(len / 2)
}

impl Follow {
    /// A key of the innermost followed object opens; its quote was read.
    pub(crate) fn key_opens(&mut self, tape: &mut Tape<'_>) {
        if self.discarding {
            tape.rewind(tape.floor);
        }
        self.key_starts(tape.offset());
    }

    /// It closes; its closing quote was read.
    pub(crate) fn key_closes(&mut self, tape: &mut Tape<'_>) {
        match tape.since(self.member.start as usize) {
            [] => self.forget(),
            key => self.member.key = self.meet(self.wanted(), key).map_or(Key::UNWANTED, |(key, _)| key),
        }
    }

    /// The value of a member of the innermost followed object starts; its colon was read.
    pub(crate) fn value_opens(&mut self, tape: &mut Tape<'_>) {
        if self.discarding && self.reads_id() {
            tape.rewind(tape.floor);
        }
        self.value_starts(tape.offset());
    }

    /// The value of a member of the innermost followed object is complete.
    pub(crate) fn value_closes(&mut self, tape: &mut Tape<'_>) {
        if self.discarding && self.reads_id() {
            if tape.offset().saturating_sub(self.member.start as usize) > tape.limit {
                return self.forget();
            }
            tape.floor = tape.offset();
        }
        self.value_ends(tape.offset());
    }

    /// From here on, only the id is wanted, if it is no longer than `limit`. `in_key`: the scanner is inside a key of the
    /// top-level object.
    pub(crate) fn discard(&mut self, w: &mut Window, limit: usize, in_key: bool) {
        (self.discarding, self.in_pieces, self.dropping) = (true, false, false);
        while self.followed > 1 {
            self.close_object();
        }
        if !self.reads_id() && !in_key {
            self.forget();
        }
        let id = self.id();
        self.spans = [Span::ABSENT; SLOTS];
        if id.is_present() && id.len() <= limit {
            if let Some(place) = self.id_slot().and_then(|slot| self.spans.get_mut(slot)) {
                *place = id;
            }
            (w.start, w.out) = (id.start as usize, id.end as usize);
        } else if let Some(start) = self.unfinished(in_key, w.out, limit) {
            w.start = start;
            return;
        } else {
            w.out = w.start;
        }
        self.forget();
    }

    /// While discarding: where what stays at the window's start ends, and how long an id may be that is kept,
    /// so that in a buffer of `len` bytes there is room for the rest.
    pub(crate) fn bounds(&self, len: usize, w: Window) -> (usize, usize) {
        let id = self.id();
        let floor = if id.is_present() { id.end as usize } else { w.start };
        (floor, kept(len.saturating_sub(w.start)))
    }

    /// While discarding, after all there was has been read: throws away what is not wanted.
    pub(crate) fn let_go(&mut self, tape: &mut Tape<'_>, in_key: bool) {
        if self.unfinished(in_key, tape.offset(), tape.limit).is_none() {
            self.forget();
            tape.rewind(tape.floor);
        }
    }

    /// Where what may be a key of the tree, or is the id's value, starts, if that is being read and is short enough to be kept.
    fn unfinished(&self, in_key: bool, offset: usize, limit: usize) -> Option<usize> {
        let limit = match self.followed {
            1 if in_key => longest(self.tree),
            1 if self.reads_id() => limit,
            _ => return None,
        };
        let start = self.member.start as usize;
        (offset.checked_sub(start)? <= limit).then_some(start)
    }

    /// While discarding: whether the id is being read, from its key's end on.
    fn reads_id(&self) -> bool {
        self.followed == 1 && self.tree.first().is_some_and(|id| ptr::eq(id, self.member.key))
    }

    /// The front of what is being read is lost, so it cannot be found any more.
    fn forget(&mut self) {
        self.member = Member { start: LOST, ..Member::NONE };
    }

    fn id(&self) -> Span {
        self.id_slot().and_then(|slot| self.spans.get(slot)).copied().unwrap_or(Span::ABSENT)
    }

    fn id_slot(&self) -> Option<usize> {
        self.tree.first().map(|key| usize::from(key.slot))
    }
}
