//! A string that has not come to its end, in the text there is.

use super::Key;
use crate::json::text::{Text, content_len};
use crate::json::value::{Value, value_len};

/// A string that is being read, of which a chunk can be taken: see [`Scanner::open_text`](super::Scanner::open_text).
#[derive(Clone, Copy, Debug)]
pub struct OpenText<'a> {
    key: &'static Key,
    in_list: bool,
    text: &'a [u8],
    len: usize,
}

impl<'a> OpenText<'a> {
    /// The unfinished string at the end of `text`, which is an unfinished value.
    pub(super) fn find(key: &'static Key, in_list: bool, text: &'a [u8]) -> Option<OpenText<'a>> {
        let mut rest = text;
        loop {
            rest = match rest {
                [b'"', content @ ..] => return Some(OpenText { key, in_list, text, len: content.len() }),
                _ => last(rest)?.1,
            };
        }
    }

    /// The innermost entry of the tree that it belongs to: it stands in an element of that list, or in the value of that member.
    #[must_use]
    pub fn key(&self) -> &'static Key {
        self.key
    }

    /// Whether it stands in an element of a list.
    #[must_use]
    pub fn is_in_list(&self) -> bool {
        self.in_list
    }

    /// The element or the value as far as it has been read, and kept: what stands in front of the string can be looked up in it.
    #[must_use]
    pub fn so_far(&self) -> Value<'a> {
        Value::new(self.text)
    }

    /// How many bytes of the string, escapes and all, are waiting to be taken.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing waits to be taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether it is found in [`so_far`](OpenText::so_far) by following `path`, one key for each level of objects;
    /// the empty path leads to the value itself. There is no path through an array.
    #[must_use]
    pub fn is_at(&self, path: &[&str]) -> bool {
        let mut rest = self.text;
        for name in path {
            match last(rest) {
                Some((Some(key), value)) if key.is(name) => rest = value,
                _ => return false,
            }
        }
        matches!(rest, [b'"', ..])
    }
}

/// The value that an unfinished container ends in, itself unfinished, and in an object its key.
fn last(text: &[u8]) -> Option<(Option<Text<'_>>, &[u8])> {
    let is_object = text.first() == Some(&b'{');
    let mut rest = text;
    loop {
        // A bracket at first, then commas.
        rest = rest.get(1..)?;
        let mut key = None;
        if is_object {
            let content = rest.get(1..)?;
            let (name, behind) = content.split_at_checked(content_len(content)?)?;
            (key, rest) = (Some(Text::new(name)), behind.get(2..)?);
        }
        match value_len(rest) {
            Some(len) => rest = rest.get(len..)?,
            None => return Some((key, rest)),
        }
    }
}
