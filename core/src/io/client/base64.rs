//! The bytes of a resource, as its pieces arrive.

use super::pieces::Piece;
use crate::json::{Base64Decoder, NotBase64, Text, Utf8, Value};

/// Decodes the contents of a resource.
pub(super) struct Decoder {
    base64: Base64Decoder,
    /// Of the item at hand something has come in chunks.
    in_chunks: bool,
}

/// Takes decoded bytes; `false`: no more.
type Put<'p> = &'p mut dyn FnMut(&[u8]) -> bool;

/// These are no contents: no text nor blob, both, or a blob that is no Base64.
#[derive(Debug)]
pub(super) struct NotContents;

impl From<NotBase64> for NotContents {
    fn from(_: NotBase64) -> NotContents {
        NotContents
    }
}

/// How many bytes of a text are given out at a time.
const PART: usize = 192;

impl Decoder {
    pub(super) const fn new() -> Decoder {
        Decoder { base64: Base64Decoder::new(), in_chunks: false }
    }

    /// Gives out the bytes of a piece of a resource's contents. `false`: no more are wanted.
    pub(super) fn piece(&mut self, piece: Piece<'_>, put: Put<'_>) -> Result<bool, NotContents> {
        match piece {
            Piece::Chunk(chunk) => {
                self.in_chunks = true;
                match chunk.path {
                    ["text"] => Ok(put(chunk.text.as_bytes())),
                    ["blob"] => {
                        Ok(self.base64.part(chunk.text.bytes(), put)? && (!chunk.is_last || self.base64.end(put)?))
                    }
                    _ => Ok(true),
                }
            }
            Piece::Item { item, .. } => self.item(item, put),
        }
    }

    /// Each item has a text or a blob. One that came in chunks is `""` here.
    fn item(&mut self, item: Value<'_>, put: Put<'_>) -> Result<bool, NotContents> {
        let is_source =
            |(name, value): &(Text<'_>, Value<'_>)| (name.is("text") || name.is("blob")) && !value.is_null();
        let mut sources = item.members().filter(is_source);
        let (Some((name, value)), None) = (sources.next(), sources.next()) else { return Err(NotContents) };
        let text = value.as_text().ok_or(NotContents)?;
        match core::mem::take(&mut self.in_chunks) {
            true => Ok(true),
            false if name.is("text") => Ok(write(text, put)),
            false => Ok(self.base64.part(bytes(text), put)? && self.base64.end(put)?),
        }
    }
}

fn bytes(text: Text<'_>) -> impl Iterator<Item = u8> {
    text.chars().flat_map(|char| Utf8::new(char).into_bytes())
}

/// Gives out a text in UTF-8.
fn write(text: Text<'_>, put: Put<'_>) -> bool {
    let mut part = heapless::Vec::<u8, PART>::new();
    for byte in bytes(text) {
        if part.push(byte).is_err() {
            if !put(&part) {
                return false;
            }
            part.clear();
            // It is empty.
            let _ = part.push(byte);
        }
    }
    part.is_empty() || put(&part)
}
