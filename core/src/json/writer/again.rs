//! Texts that are JSON already, and rearranging what has been written.

use super::Writer;

impl Writer<'_> {
    /// A decimal number inside a string that is being written.
    pub fn uint_part(&mut self, value: u64) -> &mut Self {
        self.put(crate::digits::Digits::new(value).as_bytes());
        self
    }

    /// One complete JSON value that is text already and may be spread over lines: the line breaks are left out, since inside a string
    /// there are none.
    pub fn raw_text(&mut self, value: &str) -> &mut Self {
        self.begin(b"");
        for piece in value.as_bytes().split(|byte| matches!(byte, b'\n' | b'\r')) {
            self.put(piece);
        }
        self.end(b"")
    }

    /// A text of a message inside a string that is being written: it is escaped already.
    pub fn text_part(&mut self, text: crate::json::Text<'_>) -> &mut Self {
        self.put(text.raw());
        self
    }

    /// A string of the bytes kept from `from` to before `to`, which are canonical JSON text: a value once more, as text.
    ///
    /// It is for transactional use: after an overflow, or in a window, the bytes may not be there, and the text is lost with the rest.
    pub fn string_again(&mut self, from: usize, to: usize) -> &mut Self {
        self.begin_string();
        for at in from..to {
            let Some(&byte) = self.buf.get(at) else { break };
            match byte {
                // Canonical text has no other byte that a string escapes.
                b'"' | b'\\' => self.put(&[b'\\', byte]),
                _ => self.put(&[byte]),
            }
        }
        self.end_string()
    }

    /// Takes out the bytes kept from `from` to before `to`, with the comma that follows them. For transactional use, as
    /// [`string_again`](Writer::string_again).
    pub fn cut(&mut self, from: usize, to: usize) {
        let to = if self.buf.get(to) == Some(&b',') { to.saturating_add(1) } else { to };
        if self.overflowed() || from > to || to > self.len {
            return;
        }
        // Byte by byte, since `copy_within` cannot be shown not to panic.
        let mut write = from;
        for read in to..self.len {
            let Some(&byte) = self.buf.get(read) else { break };
            if let Some(place) = self.buf.get_mut(write) {
                *place = byte;
            }
            write += 1;
        }
        self.len = write;
    }
}
