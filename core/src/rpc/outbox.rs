//! What leaves: a lent buffer into which whole messages are written, and from which the wire drains bytes.

use core::ops::Range;

#[cfg(feature = "client")]
use super::move_up;
use super::{move_down, narrow, widen};
#[cfg(all(feature = "client", feature = "http"))]
use crate::frame::http::HeadFault;
use crate::json::{Capacity, Mark, Writer};

/// What stands around each message on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Affixes {
    pub(crate) before: &'static str,
    pub(crate) after: &'static str,
}

/// The transmit side of a connection, whatever its framing.
#[derive(Debug)]
pub(crate) struct Outbox<'b> {
    buf: &'b mut [u8],
    /// What waits stands from here ...
    start: u32,
    /// ... to here.
    end: u32,
    affixes: &'static Affixes,
}

impl<'b> Outbox<'b> {
    /// Of a buffer of more than 4 GB the rest is not used.
    pub(crate) fn new(buf: &'b mut [u8], affixes: &'static Affixes) -> Outbox<'b> {
        let length = widen(narrow(buf.len()));
        let buf = buf.get_mut(..length).unwrap_or_default();
        Outbox { buf, start: 0, end: 0, affixes }
    }

    pub(crate) fn affixes(&self) -> &'static Affixes {
        self.affixes
    }

    #[cfg(all(feature = "server", feature = "legacy"))]
    pub(crate) fn set_affixes(&mut self, affixes: &'static Affixes) {
        self.affixes = affixes;
    }

    /// The longest message that fits, in bytes.
    pub(crate) fn limit(&self) -> usize {
        self.buf.len().saturating_sub(self.affixes.before.len() + self.affixes.after.len())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Forgets them.
    pub(crate) fn clear(&mut self) {
        self.start = 0;
        self.end = 0;
    }

    /// Bytes that want to leave.
    pub(crate) fn transmit(&self) -> &[u8] {
        self.buf.get(self.waiting()).unwrap_or_default()
    }

    /// Where they stand.
    fn waiting(&self) -> Range<usize> {
        widen(self.start)..widen(self.end)
    }

    /// `count` of them have left.
    pub(crate) fn transmitted(&mut self, count: usize) {
        self.start = self.start.saturating_add(narrow(count)).min(self.end);
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
        }
    }

    /// A pen that writes behind what is there already.
    pub(crate) fn pen(&mut self) -> Pen<'_> {
        if self.start > 0 {
            move_down(self.buf, self.waiting(), 0);
            self.end = self.end.saturating_sub(self.start);
            self.start = 0;
        }
        let free = self.buf.get_mut(widen(self.end)..).unwrap_or_default();
        Pen::new(free, &mut self.end, self.affixes)
    }

    /// Writes one whole message, or nothing.
    pub(crate) fn message(&mut self, write: impl FnOnce(&mut Writer<'_>)) -> Result<(), Capacity> {
        let mut pen = self.pen();
        write(pen.writer());
        pen.seal()
    }

    /// The length of the first message that waits, of which each ends in a newline.
    #[cfg(all(feature = "client", feature = "http"))]
    pub(crate) fn line(&self) -> Option<usize> {
        self.transmit().iter().position(|&byte| byte == b'\n')
    }

    /// How long a head may be that is put before what waits.
    #[cfg(all(feature = "client", feature = "http"))]
    pub(crate) fn head_room(&self) -> usize {
        // One newline is taken away.
        let waiting = self.transmit().len().saturating_sub(1);
        self.buf.len().saturating_sub(waiting)
    }

    /// Puts a head before the first message that waits, a line of `length` bytes, and takes its newline away. `head` writes it into the
    /// room it is given and says how long it is, or how much room it needs; it is called twice. How long the two are together; if
    /// that fails, the message is given up.
    #[cfg(all(feature = "client", feature = "http"))]
    pub(crate) fn put_head(
        &mut self,
        length: usize,
        mut head: impl FnMut(&mut [u8], &[u8]) -> Result<usize, HeadFault>,
    ) -> Result<usize, HeadFault> {
        let needed = match head(&mut [], self.transmit().get(..length).unwrap_or_default()) {
            Err(HeadFault::Capacity { needed }) => self.make_room(length, needed),
            Err(fault) => Err(fault),
            Ok(_) => Err(HeadFault::Invalid),
        };
        let needed = needed.inspect_err(|_| self.transmitted(length.saturating_add(1)))?;
        let (room, rest) = self.buf.split_at_mut_checked(needed).unwrap_or_default();
        let written = head(room, rest.get(..length).unwrap_or_default());
        let written = written.inspect_err(|_| self.transmitted(needed.saturating_add(length)))?;
        // A head that has become shorter since it was measured leaves a gap before it.
        let gap = needed.saturating_sub(written);
        move_up(self.buf, 0..written, gap);
        self.start = narrow(gap);
        Ok(written.saturating_add(length))
    }

    /// Writes a head that goes without a message; how long it is. Nothing else may be waiting.
    #[cfg(all(feature = "client", feature = "legacy", feature = "http"))]
    pub(crate) fn bare_head(
        &mut self,
        head: impl FnOnce(&mut [u8]) -> Result<usize, HeadFault>,
    ) -> Result<usize, HeadFault> {
        let written = head(self.buf)?;
        (self.start, self.end) = (0, narrow(written));
        Ok(written)
    }

    /// Moves the messages so that the first, without its newline, has so much room before it.
    #[cfg(all(feature = "client", feature = "http"))]
    fn make_room(&mut self, length: usize, needed: usize) -> Result<usize, HeadFault> {
        let Range { start, end } = self.waiting();
        let newline = start.saturating_add(length);
        let total = needed.saturating_add(end.saturating_sub(start).saturating_sub(1));
        if total > self.buf.len() {
            return Err(HeadFault::Capacity { needed: total });
        }
        move_down(self.buf, newline.saturating_add(1)..end, newline);
        let messages = start..end.saturating_sub(1);
        match needed.checked_sub(start) {
            Some(count) => move_up(self.buf, messages, count),
            None => move_down(self.buf, messages, needed),
        }
        (self.start, self.end) = (0, narrow(total));
        Ok(needed)
    }

    /// A writer for part of a message that is longer than the buffer: no terminator, nothing rolled back.
    pub(crate) fn part(&mut self, skip: usize, write: impl FnOnce(&mut Writer<'_>)) -> Part {
        let free = self.buf.get_mut(widen(self.end)..).unwrap_or_default();
        let (part, ()) = Part::write(free, skip, write);
        self.end = self.end.saturating_add(narrow(part.written));
        part
    }
}

/// Messages that leave piece by piece.
#[cfg(feature = "client")]
impl Outbox<'_> {
    /// How many bytes there is room for behind what waits.
    pub(crate) fn room(&self) -> usize {
        self.buf.len().saturating_sub(widen(self.end))
    }

    /// As [`part`](Outbox::part), from the start of the message, with what `write` returns.
    pub(crate) fn part_with<T>(&mut self, write: impl FnOnce(&mut Writer<'_>) -> T) -> (Part, T) {
        let free = self.buf.get_mut(widen(self.end)..).unwrap_or_default();
        let (part, done) = Part::write(free, 0, write);
        self.end = self.end.saturating_add(narrow(part.written));
        (part, done)
    }

    /// Puts what waits aside, at the end of the buffer, for what is to leave before it. How many bytes that is; `None`: there would be no
    /// room, and it is given up.
    pub(crate) fn hold(&mut self) -> Option<usize> {
        let (waiting, free) = (self.waiting(), self.room());
        self.clear();
        if free == 0 {
            return None;
        }
        move_up(self.buf, waiting.clone(), free);
        Some(waiting.len())
    }

    /// As [`part`](Outbox::part), before what is [held](Outbox::hold): so many bytes.
    pub(crate) fn part_before(&mut self, held: usize, skip: usize, write: impl FnOnce(&mut Writer<'_>)) -> Part {
        let free = self.buf.get_mut(widen(self.end)..self.buf.len().saturating_sub(held)).unwrap_or_default();
        let (part, ()) = Part::write(free, skip, write);
        self.end = self.end.saturating_add(narrow(part.written));
        part
    }

    /// What is [held](Outbox::hold) leaves now; nothing else may wait.
    pub(crate) fn release(&mut self, held: usize) {
        self.start = narrow(self.buf.len().saturating_sub(held));
        self.end = narrow(self.buf.len());
    }

    /// Takes back the last `count` bytes that wait.
    #[cfg(feature = "http")]
    pub(crate) fn take_back(&mut self, count: usize) {
        self.end = self.end.saturating_sub(narrow(count)).max(self.start);
    }
}

/// How far [`Outbox::part`] came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) written: usize,
    pub(crate) whole: bool,
}

impl Part {
    fn write<T>(room: &mut [u8], skip: usize, write: impl FnOnce(&mut Writer<'_>) -> T) -> (Part, T) {
        let mut writer = Writer::window(room, skip);
        let done = write(&mut writer);
        (Part { written: writer.len(), whole: !writer.overflowed() }, done)
    }
}

/// Writes messages one behind the other. Each leaves once it is [sealed](Pen::seal), as a whole, or not at all.
#[derive(Debug)]
pub(crate) struct Pen<'a> {
    writer: Writer<'a>,
    sealed: Mark,
    end: &'a mut u32,
    affixes: &'static Affixes,
}

impl<'a> Pen<'a> {
    fn new(free: &'a mut [u8], end: &'a mut u32, affixes: &'static Affixes) -> Pen<'a> {
        let mut writer = Writer::new(free);
        writer.literal(affixes.before);
        let sealed = writer.mark();
        Pen { writer, sealed, end, affixes }
    }

    /// The message in progress.
    pub(crate) fn writer(&mut self) -> &mut Writer<'a> {
        &mut self.writer
    }

    /// Nothing of a message has been written since the last seal.
    pub(crate) fn is_at_start(&self) -> bool {
        self.writer.since(&self.sealed) == 0
    }

    /// Gives up the message in progress.
    pub(crate) fn abandon(&mut self) {
        self.writer.rollback(self.sealed);
    }

    /// Ends the message in progress; if it did not fit, it is given up.
    pub(crate) fn seal(&mut self) -> Result<(), Capacity> {
        self.writer.literal(self.affixes.after);
        if self.writer.overflowed() || self.writer.failed() {
            let needed = self.writer.total();
            self.abandon();
            return Err(Capacity { needed });
        }
        let message = self.affixes.before.len() + self.writer.since(&self.sealed);
        *self.end = narrow(widen(*self.end).saturating_add(message));
        self.writer.literal(self.affixes.before);
        self.sealed = self.writer.mark();
        Ok(())
    }
}
