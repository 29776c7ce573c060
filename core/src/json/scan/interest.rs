//! What a caller wants to find in a message, and where it was found.

use super::lane;

/// Offsets of a value in the canonical text, from the start of the buffer given to
/// [`Scanner::feed`](super::Scanner::feed). Absent unless `start < end`.
///
/// The span of a string includes its quotes, that of a container its brackets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Offset of the value's first byte.
    pub start: u32,
    /// Offset just behind its last byte.
    pub end: u32,
}

impl Span {
    /// No value. (No JSON value is empty, so no value's span is.)
    pub const ABSENT: Span = Span { start: 0, end: 0 };

    /// Whether a value was found.
    pub fn is_present(self) -> bool {
        self.start < self.end
    }

    /// How many bytes it has.
    pub(super) fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    /// The bytes it names in `text`, the buffer the message was scanned in; empty when it is absent or out of range.
    pub fn of(self, text: &[u8]) -> &[u8] {
        text.get(self.start as usize..self.end as usize).unwrap_or(&[])
    }

    /// The same value after the buffer's contents moved `by` bytes towards its front.
    pub(super) fn moved_down(self, by: u32) -> Span {
        Span { start: self.start.saturating_sub(by), end: self.end.saturating_sub(by) }
    }
}

/// How many values can be looked for at once: slots are numbered below this.
pub const SLOTS: usize = 16;

/// Levels of the tree that are followed: envelope, `params`, `_meta`, and one more. (A list is a level.)
///
/// A deeper node is found (its own value gets its span), but not what is wanted inside it.
pub const INTEREST_DEPTH: usize = 4;

/// One member somebody wants to find: a node of the interest tree. Static data.
///
/// The tree describes the members of the top-level object. Objects inside arrays are never followed. Its first
/// entry is special: it is the member that [`Scanner::discard`](super::Scanner::discard) still finds (the id).
#[derive(Debug)]
pub struct Key {
    /// The member's name, compared with the key after unescaping. It must not contain characters
    /// that JSON escapes (quote, backslash, controls): such a name is never found.
    pub name: &'static str,
    /// Where its value's span goes (below [`SLOTS`]), or [`Key::NO_SLOT`]. No two keys share a slot.
    pub slot: u8,
    /// What is wanted inside, if the value is an object.
    pub children: &'static [Key],
    /// What is kept of its value in a message that is taken in pieces.
    pub(super) kept: Kept,
    /// The first and the last word of the name and the quote behind it, and a mask of the bytes in the first.
    head: usize,
    last: [u8; lane::WORD],
    mask: usize,
    /// The bit that stands for the slot.
    pub(super) bit: u16,
}

/// What is kept of a member's value in a message that is taken in pieces ([`Scanner::stream`](super::Scanner::stream)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// All of it.
    All,
    /// If it is an object, the members that are in the tree.
    Named,
    /// If it is an array, none of its elements: they are told one by one.
    NoElement,
    /// Nothing, if that is what the object around it says.
    Nothing,
}

impl Key {
    /// For a member of which only the children are wanted.
    pub const NO_SLOT: u8 = u8::MAX;
    /// A member nobody wants.
    pub(super) const UNWANTED: &'static Key = &Key::new("", Key::NO_SLOT, &[], Kept::Nothing);

    /// A member whose value is wanted as a whole.
    pub const fn leaf(name: &'static str, slot: u8) -> Key {
        Key::node(name, slot, &[])
    }

    /// A member of which the elements are wanted one by one, if its value is an array and the message is taken in
    /// pieces ([`Scanner::stream`](super::Scanner::stream)); then `[]` remains. Else it is a [`leaf`](Key::leaf).
    pub const fn list(name: &'static str, slot: u8) -> Key {
        Key::new(name, slot, &[], Kept::NoElement)
    }

    /// As [`node`](Key::node); of a message that is taken in pieces ([`Scanner::stream`](super::Scanner::stream)) the
    /// members of the value that are not in `children` are dropped as they pass. There has to be one in `children`.
    pub const fn only(name: &'static str, slot: u8, children: &'static [Key]) -> Key {
        Key::new(name, slot, children, Kept::Named)
    }

    /// A member of whose value, if it is an object, some members are wanted.
    pub const fn node(name: &'static str, slot: u8, children: &'static [Key]) -> Key {
        Key::new(name, slot, children, Kept::All)
    }

    const fn new(name: &'static str, slot: u8, children: &'static [Key], kept: Kept) -> Key {
        let bit = if (slot as usize) < SLOTS { 1 << slot } else { 0 };
        let (head, last, mask) = lane::key_words(name.as_bytes());
        Key { name, slot, children, kept, head, last, mask, bit }
    }

    /// What follows in `text`, of which `word` is the first word, if it starts with this key and a quote.
    #[inline(always)]
    pub(super) fn behind<'a>(&self, word: usize, text: &'a [u8]) -> Option<&'a [u8]> {
        if word & self.mask != self.head {
            return None;
        }
        let len = self.name.len();
        if len < lane::WORD {
            return text.get(len + 1..);
        }
        // Names that share their beginning (a prefix) are told apart by their ends.
        let (last, tail) = text.get(len.wrapping_sub(lane::WORD - 1)..)?.split_first_chunk()?;
        (*last == self.last && text.starts_with(self.name.as_bytes())).then_some(tail)
    }
}
