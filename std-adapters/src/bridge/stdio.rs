//! A client on our own standard input and output.

use std::collections::VecDeque;
use std::io::{self, Stdin, Stdout};
use std::os::fd::{AsFd, BorrowedFd};

use umcp::rpc::code;
use umcp::time::Instant;

use super::limits::Limits;
use super::lines::{Lines, Piece};
use super::message::{Message, Unread};
use super::router::{Channel, ClientId, Letter, Router, error, refusal};
use crate::poll::Duplex;

const CHUNK: usize = 16 << 10;

pub(super) struct LineFront {
    duplex: Duplex<Stdin, Stdout>,
    client: ClientId,
    limits: Limits,
    lines: Lines,
    queue: VecDeque<u8>,
    /// The last line was none of the protocol, and that has been said.
    in_noise: bool,
    ended: bool,
}

impl LineFront {
    pub(super) fn new(router: &mut Router, limits: Limits) -> io::Result<LineFront> {
        Ok(LineFront {
            duplex: Duplex::shared(io::stdin(), io::stdout())?,
            client: router.join(Channel::Line),
            limits,
            lines: Lines::new(limits.message),
            queue: VecDeque::new(),
            in_noise: false,
            ended: false,
        })
    }

    /// The client has closed its side, or reads no longer.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    pub(super) fn client(&self) -> ClientId {
        self.client
    }

    /// Whether it has to read before more can be said to it.
    pub(super) fn is_full(&self) -> bool {
        self.queue.len() > self.limits.backlog
    }

    pub(super) fn is_flushed(&self) -> bool {
        self.queue.is_empty() || self.duplex.write_is_gone()
    }

    pub(super) fn ends(&self, reads: bool) -> (Option<BorrowedFd<'_>>, Option<BorrowedFd<'_>>) {
        let (read, write) = self.duplex.ends();
        let read = read.filter(|_| reads && !self.ended);
        (read.map(AsFd::as_fd), write.filter(|_| !self.queue.is_empty()).map(AsFd::as_fd))
    }

    pub(super) fn deliver(&mut self, letter: &Letter) {
        if !letter.text.is_empty() {
            self.say(&letter.text);
        }
    }

    fn say(&mut self, text: &[u8]) {
        self.queue.extend(text);
        self.queue.push_back(b'\n');
    }

    /// Moves what can move.
    pub(super) fn transfer(&mut self, reads: bool, router: &mut Router, now: Instant) -> io::Result<()> {
        let mut chunk = [0; CHUNK];
        let into = if reads && !self.ended { &mut chunk[..] } else { &mut [] };
        let (out, _) = self.queue.as_slices();
        let moved = self.duplex.transfer(out, into, Instant::ZERO)?;
        self.queue.drain(..moved.sent.min(self.queue.len()));
        let mut pieces = Vec::new();
        self.lines.take(into.get(..moved.received).unwrap_or_default(), |piece| pieces.push(piece));
        if (moved.closed || self.duplex.write_is_gone()) && !self.ended {
            self.ended = true;
            pieces.extend(self.lines.finish());
        }
        for piece in pieces {
            self.take(piece, router, now);
        }
        Ok(())
    }

    fn take(&mut self, piece: Piece, router: &mut Router, now: Instant) {
        let read = match piece {
            Piece::Line(line) => Message::read(line),
            Piece::TooLong { id: Some(id), is_answer: false, .. } => {
                let message = format!("Invalid Request: longer than {} bytes", self.limits.message);
                return self.say(&error(Some(&id), code::INVALID_REQUEST, &message));
            }
            // Without an id it is no request; or it is noise, and what it was is not known.
            Piece::TooLong { .. } => return,
        };
        let is_noise = matches!(read, Err(Unread::NotJson));
        match read {
            Ok(message) => drop(router.message(self.client, message, now)),
            Err(Unread::Batch(items)) if !items.is_empty() && router.takes_batches(self.client) => {
                router.batch(self.client, items, now);
            }
            Err(Unread::Batch(_)) => {
                let why = umcp::rpc::Invalid::Batch.message();
                self.say(&error(None, code::INVALID_REQUEST, why));
            }
            Err(Unread::Invalid(malformed)) if !malformed.silent => self.say(&refusal(&malformed)),
            Err(Unread::NotJson) if !self.in_noise => {
                self.say(&error(None, code::PARSE_ERROR, "Parse error: not a JSON text in UTF-8"));
            }
            Err(Unread::Blank) => return,
            Err(Unread::Invalid(_) | Unread::NotJson) => {}
        }
        self.in_noise = is_noise;
    }
}
