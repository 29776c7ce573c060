//! Calls that are answered later.

use heapless::VecView;

use crate::json::Decimal;
#[cfg(feature = "legacy")]
use crate::json::{Value, Writer};
use crate::mcp::{Level, Method, Revision};
use crate::rpc::{Id, KeptId};
use crate::time::Instant;

use super::Principal;
use super::catalog::CacheHint;

/// Names one deferred call of an endpoint, whichever of its connections it came from. It is not reused: a call that was completed or
/// cancelled, or belongs to another connection, is merely unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct CallHandle(u32);

/// What a deferred call needs until it is answered. The caller lends a vector of these; its capacity bounds how many may be open.
#[derive(Clone, Debug)]
pub struct Deferred {
    serial: u32,
    pub(crate) id: KeptId,
    pub(crate) token: Option<KeptId>,
    pub(crate) method: Method,
    pub(crate) revision: Revision,
    pub(crate) level: Option<Level>,
    pub(crate) principal: Principal,
    pub(crate) cache: Option<CacheHint>,
    pub(crate) progress: Option<Decimal>,
    pub(crate) progress_at: Option<Instant>,
    /// How many questions the client has been asked on its behalf (legacy).
    pub(crate) asked: u16,
    /// The latest of them has not been answered.
    pub(crate) asking: bool,
    #[cfg(all(feature = "legacy", feature = "http"))]
    /// Its session has been told of that question, since the answer may come over another connection.
    pub(crate) told: bool,
}

/// One question to a client, by which its answer is known. No two of one endpoint are the same.
#[cfg(feature = "legacy")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) call: CallHandle,
    /// From 1.
    number: u16,
}

#[cfg(feature = "legacy")]
impl Question {
    /// The question with this id: `"q7"` is the first on behalf of call 7, `"q7.2"` the second.
    pub(crate) fn parse(id: Value<'_>) -> Option<Question> {
        let text = id.raw().strip_prefix(b"\"q")?.strip_suffix(b"\"")?;
        let number = |digits: &[u8]| {
            let is_plain = !digits.starts_with(b"0");
            Id::new(Value::new(digits)).filter(|_| is_plain)?.as_u32()
        };
        match text.iter().position(|&byte| byte == b'.') {
            None => Some(Question { call: CallHandle(number(text)?), number: 1 }),
            Some(dot) => {
                let later = number(text.get(dot.saturating_add(1)..)?).and_then(|number| u16::try_from(number).ok());
                Some(Question { call: CallHandle(number(text.get(..dot)?)?), number: later.filter(|&n| n > 1)? })
            }
        }
    }

    /// Writes the id: a string, so that not even a message of which only the id could be read is taken for its answer by mistake.
    pub(crate) fn write_id(self, w: &mut Writer<'_>) {
        w.literal("\"q").uint_part(u64::from(self.call.0));
        if self.number > 1 {
            w.literal(".").uint_part(u64::from(self.number));
        }
        w.literal("\"");
    }
}

#[cfg(feature = "legacy")]
impl Deferred {
    /// Its name.
    #[cfg(feature = "http")]
    pub(crate) fn handle(&self) -> CallHandle {
        CallHandle(self.serial)
    }

    /// The latest question that was asked on its behalf.
    pub(crate) fn question(&self) -> Question {
        Question { call: CallHandle(self.serial), number: self.asked }
    }
}

/// Why nothing was said about a deferred call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum NotOpen {
    /// It was cancelled, or completed before: forget it.
    Ended,
    /// Bytes are still waiting to leave: drain `transmit`, and try again.
    Busy,
}

impl core::fmt::Display for NotOpen {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            NotOpen::Ended => "the call was cancelled or completed before: forget it",
            NotOpen::Busy => "earlier bytes have not left yet: drain them, and try again",
        })
    }
}

impl core::error::Error for NotOpen {}

/// The table of deferred calls.
#[derive(Debug)]
pub(crate) struct DeferredTable<'b> {
    entries: &'b mut VecView<Deferred>,
}

/// What a call brings into the table.
#[derive(Debug)]
pub(crate) struct Opening<'a> {
    pub(crate) id: Id<'a>,
    pub(crate) token: Option<Id<'a>>,
    pub(crate) method: Method,
    pub(crate) revision: Revision,
    pub(crate) level: Option<Level>,
    pub(crate) principal: Principal,
    pub(crate) cache: Option<CacheHint>,
    pub(crate) progress: Option<Decimal>,
}

/// Why a call cannot be deferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CannotDefer {
    TableFull,
    IdTooLong,
}

impl<'b> DeferredTable<'b> {
    pub(crate) fn new(entries: &'b mut VecView<Deferred>) -> DeferredTable<'b> {
        entries.clear();
        DeferredTable { entries }
    }

    /// The right to open one call; `serial` counts those of the endpoint.
    pub(crate) fn opener<'a>(&'a mut self, serial: &'a mut u32) -> Opener<'a> {
        Opener { entries: self.entries, serial }
    }

    pub(crate) fn get(&mut self, handle: CallHandle) -> Option<&mut Deferred> {
        self.entries.iter_mut().find(|entry| entry.serial == handle.0)
    }

    /// The id of the request.
    pub(crate) fn id(&self, handle: CallHandle) -> Option<Id<'_>> {
        self.entries.iter().find(|entry| entry.serial == handle.0).map(|entry| entry.id.id())
    }

    /// What was asked, and in which revision.
    pub(crate) fn request(&self, handle: CallHandle) -> Option<(Method, Revision)> {
        self.entries.iter().find(|entry| entry.serial == handle.0).map(|entry| (entry.method, entry.revision))
    }

    pub(crate) fn close(&mut self, handle: CallHandle) {
        self.entries.retain(|entry| entry.serial != handle.0);
    }

    /// The open call with this request id.
    pub(crate) fn by_id(&self, id: Id<'_>) -> Option<CallHandle> {
        self.entries.iter().find(|entry| entry.id.id() == id).map(|entry| CallHandle(entry.serial))
    }

    /// The open call on whose behalf this question was asked.
    #[cfg(feature = "legacy")]
    pub(crate) fn by_question(&self, id: Value<'_>) -> Option<CallHandle> {
        let question = Question::parse(id)?;
        let is_open = |entry: &&Deferred| entry.asking && entry.question() == question;
        self.entries.iter().find(is_open).map(|_| question.call)
    }

    /// Any open call, off the table: the peer is gone.
    pub(crate) fn drain(&mut self) -> Option<CallHandle> {
        self.entries.pop().map(|entry| CallHandle(entry.serial))
    }

    #[cfg(feature = "http")]
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Deferred> {
        self.entries.iter_mut()
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}

/// The right to open one call in a table.
#[derive(Debug)]
pub(crate) struct Opener<'a> {
    entries: &'a mut VecView<Deferred>,
    serial: &'a mut u32,
}

impl Opener<'_> {
    pub(crate) fn is_open(&self, handle: CallHandle) -> bool {
        self.entries.iter().any(|entry| entry.serial == handle.0)
    }

    pub(crate) fn open(self, opening: &Opening<'_>) -> Result<CallHandle, CannotDefer> {
        let id = opening.id.keep().ok_or(CannotDefer::IdTooLong)?;
        let token = match opening.token {
            Some(token) => Some(token.keep().ok_or(CannotDefer::IdTooLong)?),
            None => None,
        };
        *self.serial = self.serial.wrapping_add(1);
        let entry = Deferred {
            serial: *self.serial,
            id,
            token,
            method: opening.method,
            revision: opening.revision,
            level: opening.level,
            principal: opening.principal,
            cache: opening.cache,
            progress: opening.progress,
            progress_at: None,
            asked: 0,
            asking: false,
            #[cfg(all(feature = "legacy", feature = "http"))]
            told: false,
        };
        self.entries.push(entry).map_err(|_| CannotDefer::TableFull)?;
        Ok(CallHandle(*self.serial))
    }
}
