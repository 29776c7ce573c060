//! As much of a text as there is room for.

use super::Writer;

impl Writer<'_> {
    /// A part of a string, as much of `text` as fits, whole characters and whole escapes. Returns how many bytes of it that was.
    pub(crate) fn string_start(&mut self, text: &str) -> usize {
        let mut len = floor(text, self.room());
        while len > 0 {
            let mark = self.mark();
            self.string_part(text.get(..len).unwrap_or_default());
            if !self.overflowed() {
                return len;
            }
            self.rollback(mark);
            len = floor(text, len / 2);
        }
        0
    }
}

/// The longest start of a text that ends at a character and is at most `len` bytes.
fn floor(text: &str, len: usize) -> usize {
    (0..=len.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0)
}
