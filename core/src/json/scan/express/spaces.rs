//! The spaces that the express passes over.

/// Single spaces that were passed over, for the tape to drop.
pub(crate) struct Spaces {
    /// For each, how many bytes of the text were left, it included.
    left: [u32; Spaces::MAX],
    pub(crate) count: usize,
}

impl Spaces {
    const MAX: usize = 32;
    pub(crate) const NONE: Spaces = Spaces { left: [0; Spaces::MAX], count: 0 };

    /// Passes over a space, if there is room to note it; `left` is how many bytes of the text are left, it included.
    #[cold]
    pub(crate) fn pass(&mut self, left: usize) -> bool {
        let Some(place) = self.left.get_mut(self.count) else { return false };
        *place = left as u32;
        self.count += 1;
        true
    }

    /// The same in front of a key: only if that leaves room for one in front of its value, where the express cannot
    /// start again.
    pub(crate) fn pass_to_key(&mut self, left: usize) -> bool {
        self.count + 1 < Spaces::MAX && self.pass(left)
    }

    /// The offset in the canonical text, where spaces do not get, of what is left of a text that ends at `end` with them.
    #[inline(always)]
    pub(crate) fn offset(&self, end: usize, left: &[u8]) -> u32 {
        (end - self.count - left.len()) as u32
    }

    pub(crate) fn passed(&self) -> impl Iterator<Item = usize> {
        self.left.iter().take(self.count).map(|left| *left as usize)
    }
}
