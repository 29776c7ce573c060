//! The bytes of a resource, as its pieces arrive.

use super::pieces::Piece;
use crate::json::{Base64Decoder, NotBase64, Text, Utf8, Value};

/// Decodes the contents of a resource.
pub(super) struct Decoder(Base64Decoder);

/// Takes decoded bytes; `false`: no more.
type Put<'p> = &'p mut dyn FnMut(&[u8]) -> bool;

/// How many bytes of a text are given out at a time.
const PART: usize = 192;

impl Decoder {
    pub(super) const fn new() -> Decoder {
        Decoder(Base64Decoder::new())
    }

    /// Gives out the bytes of a piece of a resource's contents. `false`: no more are wanted.
    pub(super) fn piece(&mut self, piece: Piece<'_>, put: Put<'_>) -> Result<bool, NotBase64> {
        match piece {
            Piece::Chunk(chunk) if chunk.path == ["text"] => Ok(put(chunk.text.as_bytes())),
            Piece::Chunk(chunk) if chunk.path == ["blob"] => {
                Ok(self.0.part(chunk.text.bytes(), put)? && (!chunk.is_last || self.0.end(put)?))
            }
            Piece::Chunk(_) => Ok(true),
            Piece::Item { item, .. } => self.item(item, put),
        }
    }

    fn item(&mut self, item: Value<'_>, put: Put<'_>) -> Result<bool, NotBase64> {
        let text = |name: &str| item.get(name).and_then(Value::as_text);
        match (text("text"), text("blob")) {
            (Some(text), _) => Ok(write(text, put)),
            (None, Some(blob)) => Ok(self.0.part(bytes(blob), put)? && self.0.end(put)?),
            (None, None) => Ok(true),
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
