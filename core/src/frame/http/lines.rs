//! The lines of a head, one by one.

use super::chars::{is_token_byte, is_value_byte};
use super::{HeadError, Limits};

/// What the bytes at hand came to, and how many of them, from the first, are done with.
///
/// A step borrows from the bytes it was read from. Once it has been looked at, drop the first `taken` of them; the others have to be there
/// again the next time, with what has arrived behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next<S> {
    /// Bytes to be dropped, from the first.
    pub taken: usize,
    /// What they came to.
    pub step: S,
}

/// Takes lines off the wire, and sees to the limits. Nothing beyond a limit is looked at, so that a verdict does not depend on how the bytes
/// have arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines {
    /// Bytes the head may still have.
    left: u32,
    /// The longest line that is taken whole.
    line: u32,
    /// Bytes of the line at hand that are known to hold no line end.
    scanned: u32,
}

/// How far a line that is passed over has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passing {
    /// In the name.
    Name,
    /// In the value.
    Value,
    /// Behind the CR.
    Lf,
}

impl Lines {
    pub(super) const fn new(limits: Limits) -> Lines {
        Lines { left: limits.head, line: limits.line, scanned: 0 }
    }

    /// Whether some bytes of a line have come, but not its end.
    pub(super) const fn inside_line(&self) -> bool {
        self.scanned > 0
    }

    /// As much of `raw` as one line may have.
    pub(super) fn visible<'r>(&self, raw: &'r [u8]) -> &'r [u8] {
        let limit = usize::try_from(self.line.min(self.left)).unwrap_or(usize::MAX);
        raw.get(..limit).unwrap_or(raw)
    }

    /// The line that begins here, without its end (2 bytes); `None` if it is not whole yet. It is not taken.
    ///
    /// `bad` is what a byte that stands in no line is called, and `too_long` a line longer than the limit.
    pub(super) fn line<'r>(
        &mut self,
        raw: &'r [u8],
        bad: HeadError,
        too_long: HeadError,
    ) -> Result<Option<&'r [u8]>, HeadError> {
        let visible = self.visible(raw);
        let scanned = usize::try_from(self.scanned).unwrap_or(usize::MAX);
        let fresh = visible.get(scanned..).unwrap_or_default();
        let Some(within) = fresh.iter().position(|&byte| !is_value_byte(byte)) else {
            return self.wait(visible, visible.len(), too_long);
        };
        let end = scanned.saturating_add(within);
        match visible.get(end..).unwrap_or_default() {
            [b'\r', b'\n', ..] => Ok(visible.get(..end)),
            [b'\r'] => self.wait(visible, end, too_long),
            [b'\r' | b'\n', ..] => Err(HeadError::LineEnd),
            _ => Err(bad),
        }
    }

    /// More bytes are needed, if there may be more.
    pub(super) fn wait<'r>(
        &mut self,
        visible: &[u8],
        scanned: usize,
        too_long: HeadError,
    ) -> Result<Option<&'r [u8]>, HeadError> {
        let full = |limit: u32| usize::try_from(limit).is_ok_and(|limit| visible.len() >= limit);
        if full(self.left) {
            return Err(HeadError::HeadTooLong);
        }
        if full(self.line) {
            return Err(too_long);
        }
        self.scanned = u32::try_from(scanned).unwrap_or(u32::MAX);
        Ok(None)
    }

    /// The first `count` bytes are done with, and the next line begins behind them.
    pub(super) fn take(&mut self, count: usize) {
        self.left = self.left.saturating_sub(u32::try_from(count).unwrap_or(u32::MAX));
        self.scanned = 0;
    }

    /// Takes what there is of a header nobody needs: how many bytes, and how far they have brought it (`None`: to its end).
    pub(super) fn pass(&mut self, raw: &[u8], mut passing: Passing) -> Result<(usize, Option<Passing>), HeadError> {
        let limit = usize::try_from(self.left).unwrap_or(usize::MAX);
        let visible = raw.get(..limit).unwrap_or(raw);
        for (index, &byte) in visible.iter().enumerate() {
            passing = match (passing, byte) {
                (Passing::Name, byte) if is_token_byte(byte) => Passing::Name,
                (Passing::Name, b':') => Passing::Value,
                (Passing::Value, byte) if is_value_byte(byte) => Passing::Value,
                (Passing::Value, b'\r') => Passing::Lf,
                (Passing::Lf, b'\n') => {
                    self.take(index + 1);
                    return Ok((index + 1, None));
                }
                (Passing::Lf, _) | (Passing::Value, b'\n') => return Err(HeadError::LineEnd),
                _ => return Err(HeadError::Header),
            };
        }
        self.take(visible.len());
        if self.left == 0 {
            return Err(HeadError::HeadTooLong);
        }
        Ok((visible.len(), Some(passing)))
    }
}
