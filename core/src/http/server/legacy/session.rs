//! One session.

use heapless::Vec;

use crate::rpc::{Id, KeptId};
use crate::server::deferred::Question;
use crate::server::legacy::Session;
use crate::server::{CallHandle, Subscription};
use crate::time::Instant;

/// Questions of one session that are open at once, on whatever connections.
const MAX_QUESTIONS: usize = 4;
/// Calls that were cancelled on another connection than their own, and wait for that to look.
const MAX_CANCELLED: usize = 4;
/// Streams of one session that may be taken up again.
pub(super) const MAX_STREAMS: usize = 4;

/// The id of a session: 128 random bits in hexadecimal digits.
pub(in crate::http::server) type SessionId = [u8; 32];

/// One session of a legacy client. The caller lends a vector of these; its capacity bounds how many there may be, and the one that has been idle
/// for longest makes room for a new one.
#[derive(Debug)]
pub struct HttpSession {
    pub(super) id: SessionId,
    pub(super) serial: u32,
    pub(super) last_used: Instant,
    /// It has a stream open, or a call, whose connection will be looked at again before then.
    pub(super) busy_until: Instant,
    /// What the handshake has agreed upon.
    pub(super) state: Session,
    /// What it is subscribed to, unless a connection has it on loan.
    pub(super) subscription: Option<Subscription>,
    questions: Vec<Question, MAX_QUESTIONS, u8>,
    cancelled: Vec<KeptId, MAX_CANCELLED, u8>,
    streams: Vec<u32, MAX_STREAMS, u8>,
}

impl HttpSession {
    pub(super) fn new(id: SessionId, serial: u32, state: Session, now: Instant) -> HttpSession {
        HttpSession {
            id,
            serial,
            last_used: now,
            busy_until: now,
            state,
            subscription: None,
            questions: Vec::new(),
            cancelled: Vec::new(),
            streams: Vec::new(),
        }
    }

    /// A question has been asked in the stream of a reply. Its answer comes over any connection.
    pub(super) fn ask(&mut self, question: Question) {
        if !self.questions.contains(&question) {
            push_newest(&mut self.questions, question);
        }
    }

    /// Has this question been answered?
    pub(super) fn is_answered(&self, question: Question) -> bool {
        !self.questions.contains(&question)
    }

    /// An answer has come: to which call?
    pub(super) fn answer(&mut self, question: Question) -> Option<CallHandle> {
        let index = self.questions.iter().position(|open| *open == question)?;
        Some(self.questions.swap_remove(index).call)
    }

    /// The client no longer wants the request with this id, which is open on some other connection, if anywhere.
    pub(super) fn cancel(&mut self, id: Id<'_>) {
        if let Some(id) = id.keep() {
            push_newest(&mut self.cancelled, id);
        }
    }

    /// Whether the client no longer wants this request; asked once.
    pub(super) fn take_cancelled(&mut self, id: Id<'_>) -> bool {
        let index = self.cancelled.iter().position(|cancelled| cancelled.id() == id);
        index.map(|index| self.cancelled.swap_remove(index)).is_some()
    }

    /// A stream that may be taken up again has begun.
    pub(super) fn open_stream(&mut self, stream: u32) {
        push_newest(&mut self.streams, stream);
    }

    /// It has come to its end: what is kept of it is all there will be.
    pub(super) fn close_stream(&mut self, stream: u32) {
        self.streams.retain(|open| *open != stream);
    }

    pub(super) fn has_stream(&self, stream: u32) -> bool {
        self.streams.contains(&stream)
    }
}

/// The oldest makes room.
fn push_newest<T, const N: usize>(list: &mut Vec<T, N, u8>, item: T) {
    if list.is_full() {
        let mut is_oldest = true;
        list.retain(|_| !core::mem::take(&mut is_oldest));
    }
    let _ = list.push(item);
}
