//! [`Uploading`]: what writes the long argument.

use core::fmt;

use super::engine::Engine;
use super::upload::{Content, Open, Stage};

/// The pen for an argument of any length: see [`Engine::call_open`].
///
/// What is written leaves as soon as the wire takes it, so it cannot be taken back. Each method takes as much as there is room for and says how
/// much that was; when that is nothing, drain the transmit buffer and go on from there the next time. To give it up, [cancel](Engine::cancel) the
/// request.
#[derive(Debug)]
pub struct Uploading<'e, 'b> {
    pub(super) engine: &'e mut Engine<'b>,
}

/// Why a piece of an argument was not taken. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum NotTaken {
    /// Nothing more is wanted: the request has been answered, or was given up, or was never opened. Its event says how it ended; stop.
    Ended,
    /// It is more than was announced. What has been taken stands; end the message, or cancel the request.
    TooLong {
        /// How much is still to come, in the measure in which it was announced.
        left: u64,
    },
    /// It cannot be ended yet: it is less than was announced. Give the rest, or cancel the request.
    TooShort {
        /// How much is missing, in the measure in which it was announced.
        missing: u64,
    },
    /// It is a text, and bytes were announced, or the other way round. Give what was announced, or cancel the request.
    Mixed,
    /// It was to be a text, and is not UTF-8. (Only [`io::Client`](crate::io::Client) takes texts as bytes. It has cancelled the request.)
    NotUtf8,
}

impl Uploading<'_, '_> {
    /// Goes on with a text. Returns how many bytes of it were taken, which is 0 where there is no room.
    ///
    /// # Errors
    /// [`NotTaken`] says why none of it was taken, and what to do.
    pub fn text(&mut self, text: &str) -> Result<usize, NotTaken> {
        let left = self.check(Content::Text)?.left();
        if self.room() == 0 {
            return Ok(0);
        }
        let (taken, length) = self.engine.put(|w| {
            let (start, before) = (w.mark(), w.len());
            let taken = w.string_start(text);
            let length = w.len().saturating_sub(before) as u64;
            if left.is_some_and(|left| length > left) {
                w.rollback(start);
            }
            (taken, length)
        });
        self.taken(taken, length)
    }

    /// Goes on with bytes; they are encoded on the way. Returns how many were taken, which is 0 where there is no room.
    ///
    /// # Errors
    /// As [`text`](Uploading::text).
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<usize, NotTaken> {
        let open = self.check(Content::Bytes)?;
        if let Some(left) = open.left()
            && bytes.len() as u64 > left
        {
            return Err(NotTaken::TooLong { left });
        }
        let mut base64 = open.base64;
        if self.room() == 0 {
            return Ok(0);
        }
        let taken = self.engine.put(|w| {
            // What waits for the rest of its group has its room as well.
            let groups = (w.room() / 4).saturating_sub(1);
            let taken = bytes.get(..bytes.len().min(groups.saturating_mul(3))).unwrap_or_default();
            base64.part(w, taken);
            taken.len()
        });
        if let Some(open) = &mut self.engine.open {
            open.base64 = base64;
        }
        self.taken(taken, taken as u64)
    }

    /// Ends the argument, and with it the message: from here on the request is as any other. `false`: there is no room now.
    ///
    /// # Errors
    /// [`NotTaken::TooShort`]: there is less than was announced.
    pub fn end(&mut self) -> Result<bool, NotTaken> {
        match self.engine.open {
            None => Err(NotTaken::Ended),
            Some(open) => match (open.left(), open.stage) {
                (Some(missing @ 1..), _) => Err(NotTaken::TooShort { missing }),
                (_, Stage::Envelope { .. }) => Ok(false),
                _ => Ok(self.engine.end_message()),
            },
        }
    }

    /// How many bytes there is room for now, of JSON text.
    #[must_use]
    pub fn room(&self) -> usize {
        match self.engine.open {
            Some(Open { stage: Stage::Inside, .. }) => self.engine.outbox.room(),
            _ => 0,
        }
    }

    /// What is open, if it is of this kind.
    fn check(&self, content: Content) -> Result<Open, NotTaken> {
        match self.engine.open {
            Some(open) if open.content == content => Ok(open),
            Some(_) => Err(NotTaken::Mixed),
            None => Err(NotTaken::Ended),
        }
    }

    /// So much has been taken, which has this length where it is counted.
    fn taken(&mut self, taken: usize, length: u64) -> Result<usize, NotTaken> {
        let Some(open) = &mut self.engine.open else { return Err(NotTaken::Ended) };
        if !open.take(length) {
            return Err(NotTaken::TooLong { left: open.left().unwrap_or(0) });
        }
        open.moved |= taken > 0;
        Ok(taken)
    }
}

impl fmt::Display for NotTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotTaken::Ended => f.write_str("the request has ended: stop"),
            NotTaken::TooLong { left } => {
                write!(f, "the argument is longer than was announced: {left} bytes were left")
            }
            NotTaken::TooShort { missing } => {
                write!(f, "the argument is shorter than was announced: {missing} bytes are missing")
            }
            NotTaken::Mixed => f.write_str("the argument is of the other kind: text and bytes do not mix"),
            NotTaken::NotUtf8 => f.write_str("the argument is no text: it is not UTF-8"),
        }
    }
}

impl core::error::Error for NotTaken {}
