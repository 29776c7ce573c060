//! Sending a call one of whose arguments is of any length: it leaves piece by piece, as the transmit buffer drains, and never exists whole.

use serde::Serialize;

use super::config::Options;
use super::engine::Engine;
use super::error::Refused;
use super::kind::Kind;
use super::letter::Letter;
use super::uploading::{NotTaken, Uploading};
use crate::json::{Base64, Value, Writer};
use crate::mcp::Method;
use crate::rpc::{RequestHandle, narrow};
use crate::time::Instant;

/// An argument of a `tools/call` that is a string of any length, given piece by piece: see [`Engine::call_open`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upload<'a> {
    pub(crate) argument: &'a str,
    pub(crate) content: Content,
    pub(crate) length: Option<u64>,
}

/// What the string is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Text,
    /// Bytes, in Base64.
    Bytes,
}

impl<'a> Upload<'a> {
    /// The argument of this name is a text. `length` is how many bytes it has once it is escaped, the sum of the
    /// [`escaped_len`](crate::json::escaped_len)s of its pieces; on a line it may be left open.
    #[must_use]
    pub const fn text(argument: &'a str, length: Option<u64>) -> Upload<'a> {
        Upload { argument, content: Content::Text, length }
    }

    /// The argument of this name is Base64 (RFC 4648, the standard alphabet, padded) of so many bytes, which are encoded on the way; on a line
    /// their number may be left open.
    #[must_use]
    pub const fn bytes(argument: &'a str, length: Option<u64>) -> Upload<'a> {
        Upload { argument, content: Content::Bytes, length }
    }

    pub(crate) fn is_text(&self) -> bool {
        self.content == Content::Text
    }
}

/// A call that is on its way.
#[derive(Clone, Copy)]
pub(crate) struct Open {
    work: &'static Work,
    pub(super) handle: RequestHandle,
    pub(super) stage: Stage,
    pub(super) content: Content,
    /// How much of the argument is still to come, if that is known: bytes that are encoded, or bytes of escaped text.
    left: u64,
    /// Bytes that wait for the rest of their group of three.
    pub(super) base64: Base64,
    /// Something of it has left.
    begun: bool,
    /// Something has moved since the time was last taken.
    pub(super) moved: bool,
    /// It has no head yet.
    #[cfg(feature = "http")]
    headless: bool,
}

/// It is not known how much of the argument is still to come.
const UNKNOWN: u64 = u64::MAX;

impl Open {
    /// How much of the argument is still to come, if that is known.
    pub(super) fn left(&self) -> Option<u64> {
        (self.left != UNKNOWN).then_some(self.left)
    }

    /// So much of it has come. `false`: that is more than was to come.
    pub(super) fn take(&mut self, count: u64) -> bool {
        let fits = count <= self.left;
        if fits && self.left != UNKNOWN {
            self.left -= count;
        }
        fits
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// So many bytes of the envelope have been written. What follows it waits at the end of the buffer: so many bytes.
    Envelope { written: u32, held: u32 },
    /// In the argument.
    Inside,
    /// In the argument, of which nothing more will come: the message is to be ended.
    Ending,
    /// The message is whole, and leaves.
    Leaving,
    /// It has left: from the next look at the clock on, the request is as any other.
    Left,
}

/// From the open string to the end of the message.
pub(super) const TAIL: &str = "\"}}}";

impl<'b> Engine<'b> {
    /// `tools/call` with an argument of any length: begins the message, up to the open string. Go on with [`upload`](Engine::upload).
    ///
    /// `arguments` are the others: an object, or what serializes to `null`. Where `Options::items` is asked for, and in everything else, its
    /// answer is as that of any [`call`](Engine::call); it may come before the message has been sent, and then nothing more of that is wanted.
    ///
    /// Until the message has left nothing else can leave: requests are [`Refused::Busy`], notices wait, and so does what a legacy server
    /// asks, with all that has arrived behind it. Every byte that moves starts `timeout` and `max_timeout` anew, the last one as well.
    /// If the request is given up in the middle (cancelled, timed out), its message is broken off: on a line by a newline, which makes noise of
    /// it; over HTTP by the end of the stream.
    ///
    /// The name, the other arguments and the name of this one have to fit the transmit buffer. On a line the envelope need not fit beside them;
    /// over HTTP it has to, and so has the head.
    ///
    /// # Errors
    /// [`Refused`] says why it was not begun, and what to do: [`Refused::Arguments`] also if the others have one of this name,
    /// [`Refused::Length`] if its length is left open over HTTP, [`Refused::Busy`] if the transmit buffer is not empty.
    pub fn call_open<T: Serialize + ?Sized>(
        &mut self,
        name: &str,
        arguments: &T,
        upload: Upload<'_>,
        options: Options,
        now: Instant,
    ) -> Result<RequestHandle, Refused> {
        let arguments = |w: &mut Writer<'_>| {
            w.value(arguments);
        };
        self.begin_upload(name, &arguments, upload, options, now)
    }

    /// The same, the other arguments being JSON text already: see [`call_raw`](Engine::call_raw).
    ///
    /// # Errors
    /// As [`call_open`](Engine::call_open).
    pub fn call_raw_open(
        &mut self,
        name: &str,
        arguments: Value<'_>,
        upload: Upload<'_>,
        options: Options,
        now: Instant,
    ) -> Result<RequestHandle, Refused> {
        let arguments = |w: &mut Writer<'_>| {
            w.raw(arguments.raw());
        };
        self.begin_upload(name, &arguments, upload, options, now)
    }

    /// The call that is on its way piece by piece, while more of its argument is wanted.
    #[must_use]
    pub fn uploading(&self) -> Option<RequestHandle> {
        let open = self
            .open
            .filter(|open| !matches!(open.stage, Stage::Ending | Stage::Leaving | Stage::Left) && !self.ended)?;
        self.pending.tag(open.handle).map(|_| open.handle)
    }

    /// The pen for the argument of a call that has been [opened](Engine::call_open).
    ///
    /// # Errors
    /// [`NotTaken::Ended`]: nothing more of it is wanted. The request's event says why.
    pub fn upload(&mut self, handle: RequestHandle) -> Result<Uploading<'_, 'b>, NotTaken> {
        if self.uploading() == Some(handle) { Ok(Uploading { engine: self }) } else { Err(NotTaken::Ended) }
    }

    pub(crate) fn begin_upload(
        &mut self,
        name: &str,
        arguments: &dyn Fn(&mut Writer<'_>),
        upload: Upload<'_>,
        options: Options,
        now: Instant,
    ) -> Result<RequestHandle, Refused> {
        self.check()?;
        #[cfg(feature = "http")]
        if self.exchanges && upload.length.is_none() {
            return Err(Refused::Length);
        }
        self.now = self.now.max(now);
        let kind = Kind::of_method(Method::CallTool.as_str()).with(options);
        let handle = self.reserve(kind, options.patience())?;
        let begun = if self.is_free() {
            self.write_opening(handle, kind, name, arguments, upload.argument)
        } else {
            Err(Refused::Busy)
        };
        match begun {
            Ok(stage) => {
                if let Some(left) = self.open {
                    self.pending.restart(left.handle, self.now);
                }
                self.open = Some(Open {
                    work: &WORK,
                    handle,
                    stage,
                    content: upload.content,
                    left: upload.length.unwrap_or(UNKNOWN),
                    base64: Base64::new(),
                    begun: false,
                    moved: false,
                    #[cfg(feature = "http")]
                    headless: self.exchanges,
                });
                self.refill();
                Ok(handle)
            }
            Err(refused) => {
                self.pending.remove(handle);
                Err(refused)
            }
        }
    }

    /// Nothing waits to leave.
    fn is_free(&self) -> bool {
        !self.is_uploading() && self.outbox.is_empty()
    }

    /// The next bytes of an envelope that does not fit the buffer beside what is held, if there is one.
    pub(super) fn refill(&mut self) {
        let Some(open) = &mut self.open else { return };
        let (Stage::Envelope { written, held }, true) = (open.stage, self.outbox.is_empty()) else { return };
        let kind = self.pending.tag(open.handle).map_or(Kind::PLAIN, Kind::from_tag);
        let letter = Letter::new(&self.config, self.revision, kind);
        let handle = open.handle;
        let part = self.outbox.part_before(held as usize, written as usize, |w| letter.open(w, handle));
        if part.written == 0 {
            self.outbox.release(held as usize);
            open.stage = Stage::Inside;
        } else {
            open.stage = Stage::Envelope { written: written.saturating_add(narrow(part.written)), held };
        }
    }

    /// `count` bytes have left.
    pub(crate) fn transmitted(&mut self, count: usize) {
        self.outbox.transmitted(count);
        if let (Some(work), 1..) = (self.open.as_ref().map(|open| open.work), count) {
            (work.go_on)(self);
        }
    }

    /// Is a message on its way in pieces, so that nothing else may leave?
    pub(crate) fn is_uploading(&self) -> bool {
        self.open.is_some_and(|open| open.stage != Stage::Left)
    }

    /// Looks after a message that is on its way in pieces. `true`: there is one, and nothing else may leave.
    pub(super) fn mind_upload(&mut self) -> bool {
        self.open.as_ref().map(|open| open.work).is_some_and(|work| (work.mind)(self))
    }
}

/// What is done about a message that is on its way in pieces. It is reached through this, which only the beginning of such a message refers to,
/// so that a program without any does not have it in its flash.
struct Work {
    mind: fn(&mut Engine<'_>) -> bool,
    /// Something has left.
    go_on: fn(&mut Engine<'_>),
}

static WORK: Work = Work { mind: |engine| engine.mind(), go_on: |engine| engine.go_on() };

impl Engine<'_> {
    fn go_on(&mut self) {
        let Some(open) = &mut self.open else { return };
        open.begun = true;
        open.moved = true;
        match open.stage {
            Stage::Envelope { .. } => self.refill(),
            Stage::Ending => {
                self.end_message();
            }
            Stage::Leaving if self.outbox.is_empty() => open.stage = Stage::Left,
            Stage::Inside | Stage::Leaving | Stage::Left => {}
        }
    }

    fn mind(&mut self) -> bool {
        let Some(open) = &mut self.open else { return false };
        if self.pending.tag(open.handle).is_none() {
            self.leave_off();
            return self.open.is_some();
        }
        if core::mem::take(&mut open.moved) {
            self.pending.restart(open.handle, self.now);
        }
        if open.stage == Stage::Left {
            self.open = None;
            return false;
        }
        self.refill();
        true
    }

    /// Its request has ended. If it was answered, the server has read as much as it wants, and gets the end of the message; if it was given up,
    /// nothing of it may count, and a line that ends in the middle is noise. (Over HTTP, the stream is closed.)
    pub(super) fn leave_off(&mut self) {
        let Some(open) = &mut self.open else { return };
        #[cfg(feature = "http")]
        if self.exchanges {
            return;
        }
        if matches!(open.stage, Stage::Leaving | Stage::Left) {
            self.open = None;
            return;
        }
        let was_given_up = self.pending.is_abandoned(open.handle);
        self.pending.notice_given(open.handle);
        if was_given_up || !open.begun || matches!(open.stage, Stage::Envelope { .. }) {
            let begun = open.begun;
            self.open = None;
            self.outbox.clear();
            if begun {
                // The buffer is empty.
                self.outbox.part(0, |w| {
                    w.literal("\n");
                });
            }
            return;
        }
        open.stage = Stage::Ending;
        self.end_message();
    }

    /// Ends the message. `false`: there is no room now.
    pub(super) fn end_message(&mut self) -> bool {
        let Some(Open { mut base64, .. }) = self.open else { return true };
        #[cfg(feature = "http")]
        let after = if self.exchanges { "" } else { self.outbox.affixes().after };
        #[cfg(not(feature = "http"))]
        let after = self.outbox.affixes().after;
        let ended = self.put(|w| {
            let start = w.mark();
            base64.end(w);
            w.literal(TAIL).literal(after);
            let fits = !w.overflowed();
            if !fits {
                w.rollback(start);
            }
            fits
        });
        if let (Some(open), true) = (&mut self.open, ended) {
            open.stage = Stage::Leaving;
        }
        ended
    }

    /// Writes behind what is there.
    pub(super) fn put<T>(&mut self, write: impl FnOnce(&mut Writer<'_>) -> T) -> T {
        let outbox = &mut self.outbox;
        let (part, done) = outbox.part_with(write);
        #[cfg(feature = "http")]
        if self.exchanges {
            self.uploaded = self.uploaded.saturating_add(narrow(part.written));
        }
        #[cfg(not(feature = "http"))]
        let _ = part;
        done
    }
}

/// Where each message is an exchange of its own.
#[cfg(feature = "http")]
impl Engine<'_> {
    /// Takes back what has just been opened.
    pub(crate) fn take_back(&mut self) {
        if let Some(open) = self.open.take() {
            self.pending.remove(open.handle);
        }
        self.outbox.clear();
    }

    /// Does the call that is on its way need a head?
    pub(crate) fn is_headless(&self) -> bool {
        self.open.is_some_and(|open| open.headless)
    }

    /// It gets its head: how many bytes of its argument are to come.
    pub(crate) fn give_head(&mut self) -> Option<u64> {
        let open = self.open.as_mut().filter(|open| open.headless)?;
        open.headless = false;
        Some(match open.content {
            Content::Text => open.left,
            Content::Bytes => Base64::encoded_len(open.left),
        })
    }

    /// The request that is on its way piece by piece, if it has ended meanwhile: nothing more of it is written.
    pub(crate) fn dropped_upload(&mut self) -> Option<RequestHandle> {
        let is_dropped = |open: &Open| open.stage != Stage::Left && self.pending.tag(open.handle).is_none();
        let handle = self.open.filter(is_dropped)?.handle;
        self.pending.notice_given(handle);
        self.open = None;
        Some(handle)
    }
}
