//! What arrives: a lent buffer in which one message at a time is scanned while the raw bytes of the next wait behind it.

mod pieces;
mod place;

use super::{move_down, move_up, narrow, widen};
use crate::frame::Run;
use crate::json::scan::{Key, Outcome, ScanError, Scanner, Window};
use place::Place;

/// What came of the bytes received so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// No message is whole yet.
    Nothing,
    /// An object; the spans of its members are with the scanner.
    Object,
    /// An array.
    Array,
    /// A JSON text that is neither.
    Scalar,
    /// A text that is no JSON, or not UTF-8.
    NotJson,
    /// A message nested deeper than the limit; its id may have been found.
    TooDeep,
    /// A message longer than the limit; its id may have been found.
    TooLong,
    /// The buffer is full, and the message at hand goes on. The next [`poll`](Inbox::poll) gives it up, and follows it to its end
    /// as too long, unless the caller has it [in pieces](Inbox::stream), or, if it is, takes a [chunk](Inbox::take_text).
    Full,
    /// An [element of a list](Inbox::item) of a message that is taken in pieces. The next [`poll`](Inbox::poll) drops it.
    Item,
    /// A string of which something was taken has ended: the next [`take_text`](Inbox::take_text) takes the last of it.
    TextEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A message is being scanned.
    Scanning,
    /// The same, in pieces.
    InPieces,
    /// It is being scanned, in pieces or not, and has filled the buffer.
    Full,
    /// It has outgrown the buffer: only its id is kept.
    Following,
    /// It is no JSON: its bytes are passed over.
    Skipping,
    /// It is whole, and stays where it is until it is released.
    Held,
}

/// The framing has not named the end of the message. (No framing has a terminator of more than two bytes.)
const GOES_ON: u8 = u8::MAX;

/// The receive side of a connection, whatever its framing.
pub(crate) struct Inbox<'b> {
    buf: &'b mut [u8],
    window: Place,
    /// Bytes of payload that the framing has named and the scanner has left for later: half an escape, half a character; at most 11.
    /// More while an item or the end of a text is told, and what stands behind it waits.
    unread: u32,
    /// What the caller has noted about the message at hand.
    note: u32,
    /// How long the chunk is that was taken last: it stands in the gap of the window until the next `poll`.
    chunk_len: u32,
    scanner: Scanner,
    state: State,
    eof: bool,
    /// How many bytes of framing follow behind what is unread, if the message ends there; else `GOES_ON`.
    terminator: u8,
    /// The chunk that was taken last is the last of its string.
    chunk_is_last: bool,
}

impl<'b> Inbox<'b> {
    pub(crate) fn new(buf: &'b mut [u8], tree: &'static [Key], max_depth: u8) -> Inbox<'b> {
        Inbox {
            buf,
            window: Place::FRONT,
            unread: 0,
            note: 0,
            chunk_len: 0,
            scanner: Scanner::new(tree, max_depth),
            state: State::Scanning,
            eof: false,
            terminator: GOES_ON,
            chunk_is_last: false,
        }
    }

    /// The longest message, in bytes of canonical text: the buffer less the byte that a terminator needs.
    pub(crate) fn limit(&self) -> usize {
        self.buf.len().saturating_sub(1)
    }

    /// Where the next bytes go. Empty only while a held message leaves no room, or after the end of the stream.
    pub(crate) fn receive_buffer(&mut self) -> &mut [u8] {
        if self.eof {
            return &mut [];
        }
        if self.state != State::Held {
            self.make_room();
        }
        self.buf.get_mut(self.window.end()..).unwrap_or_default()
    }

    /// `count` bytes have been put into the receive buffer.
    pub(crate) fn commit(&mut self, count: usize) {
        let end = self.window.end().saturating_add(count).min(self.buf.len());
        self.window.set_end(end);
    }

    /// No more bytes will come.
    pub(crate) fn eof(&mut self) {
        self.eof = true;
    }

    /// The stream has ended, and every whole message has been taken.
    pub(crate) fn is_closed(&self) -> bool {
        self.eof && self.state != State::Held
    }

    /// At the end of the stream: drops what has no end of its own. `true`: there was something.
    pub(crate) fn drop_torso(&mut self) -> bool {
        let Window { start, end, .. } = self.window.wide();
        let torso = self.state != State::Held && (start < end || !self.scanner.is_blank());
        if torso {
            self.window.set_read(end);
            self.restart();
        }
        torso
    }

    /// Drops the held message, if any, and makes its room free.
    pub(crate) fn release(&mut self) {
        if self.state == State::Held {
            self.scanner.reset();
            self.state = State::Scanning;
            self.note = 0;
            self.window.begin();
        }
    }

    /// Scans what has been received, up to the end of a message, which is then held until [`release`](Inbox::release).
    pub(crate) fn poll(&mut self, mut split: impl FnMut(&[u8]) -> Option<Run>) -> Arrival {
        match self.state {
            State::Held => return Arrival::Nothing,
            State::Full => self.follow(),
            State::InPieces => self.go_on(),
            _ => {}
        }
        loop {
            if self.state == State::InPieces
                && let Some(arrival) = self.told()
            {
                return arrival;
            }
            if self.terminator != GOES_ON {
                match self.finish() {
                    Some(arrival) => return arrival,
                    None => self.restart(),
                }
            }
            let raw = self.buf.get(self.named()..self.window.end()).unwrap_or_default();
            let Some(run) = split(raw) else {
                return self.wait();
            };
            self.skip(run.skip);
            self.scan(run.payload);
            self.terminator = run.terminator.map_or(GOES_ON, |count| u8::try_from(count).unwrap_or(0));
            let has_more = self.terminator != GOES_ON || self.named() < self.window.end();
            if !has_more && self.state != State::InPieces {
                return self.wait();
            }
        }
    }

    /// The bytes behind the message at hand that nobody has looked at: the head of the next, where the framing has heads.
    #[cfg(feature = "http")]
    pub(crate) fn raw(&self) -> &[u8] {
        self.buf.get(self.named()..self.window.end()).unwrap_or_default()
    }

    /// Drops the first `count` of those bytes, between messages.
    #[cfg(feature = "http")]
    pub(crate) fn take(&mut self, count: usize) {
        self.skip(count.min(self.raw().len()));
    }

    /// Forgets all that has arrived.
    #[cfg(feature = "http")]
    pub(crate) fn reset(&mut self) {
        self.window = Place::FRONT;
        self.eof = false;
        self.restart();
    }

    /// Drops what has been scanned of a message that will not come to its end.
    #[cfg(feature = "http")]
    pub(crate) fn abandon(&mut self) {
        self.window.set_read(self.named());
        self.restart();
    }

    /// The canonical text in the buffer, to which spans refer.
    pub(crate) fn text(&self) -> &[u8] {
        self.buf
    }

    /// Where in the buffer the canonical text of the held message stands.
    pub(crate) fn bounds(&self) -> (usize, usize) {
        let Window { start, out, .. } = self.window.wide();
        (start, out)
    }

    /// The scanner that found the spans of the held message.
    #[cfg(feature = "client")]
    pub(crate) fn scanner(&self) -> &Scanner {
        &self.scanner
    }

    /// The buffer, and the scanner, lent out while a message is held: for the items of a batch.
    #[cfg(feature = "legacy")]
    pub(crate) fn parts_mut(&mut self) -> (&mut [u8], &mut Scanner) {
        (self.buf, &mut self.scanner)
    }

    /// The buffer, to which spans refer, and the scanner that found them.
    pub(crate) fn parts(&mut self) -> (&mut [u8], &Scanner) {
        (self.buf, &self.scanner)
    }

    /// Passes over `count` bytes of framing. They leave a gap behind the canonical text, or move an empty message on; what is unread moves
    /// up to its continuation.
    fn skip(&mut self, count: usize) {
        let unread = self.window.read()..self.named();
        self.window.set_read(unread.start.saturating_add(count));
        if count > 0 && !unread.is_empty() {
            move_up(self.buf, unread, count);
        }
        if self.window.is_empty() && self.scanner.is_blank() {
            self.window.begin();
        }
    }

    /// Gives `count` raw bytes to the scanner, behind those it has left for later.
    fn scan(&mut self, count: usize) {
        let mut window = self.window.wide();
        let end = window.end;
        let run_end = self.named().saturating_add(count).min(end);
        if self.state == State::Skipping {
            self.window.set_read(run_end);
            return;
        }
        window.end = run_end;
        let scanned = self.scanner.feed(self.buf, &mut window);
        window.end = end;
        self.window = Place::of(window);
        if let Err(ScanError::Syntax | ScanError::Utf8) = scanned {
            self.skip_message();
            self.window.set_read(run_end);
        }
        self.unread = narrow(run_end.saturating_sub(self.window.read()));
    }

    /// The end of the bytes that the framing has named.
    fn named(&self) -> usize {
        self.window.read().saturating_add(widen(self.unread))
    }

    /// The message ends here. What the scanner has left unread is an unfinished escape or character. `None`: it is blank.
    fn finish(&mut self) -> Option<Arrival> {
        let arrival = self.outcome();
        self.window.set_read(self.named().saturating_add(self.terminator.into()));
        (self.unread, self.terminator) = (0, GOES_ON);
        if arrival.is_some() {
            self.state = State::Held;
        }
        arrival
    }

    fn outcome(&mut self) -> Option<Arrival> {
        if self.state == State::Skipping {
            return Some(Arrival::NotJson);
        }
        let followed = self.state == State::Following;
        let mut window = self.window.wide();
        let end = window.end;
        window.end = window.read;
        let outcome = self.scanner.finish(self.buf, &mut window);
        window.end = end;
        self.window = Place::of(window);
        match outcome {
            Err(_) => Some(Arrival::NotJson),
            Ok(Outcome::Blank) => None,
            Ok(_) if followed => Some(Arrival::TooLong),
            Ok(Outcome::TooDeep) => Some(Arrival::TooDeep),
            Ok(Outcome::Object) => Some(Arrival::Object),
            Ok(Outcome::Array) => Some(Arrival::Array),
            Ok(Outcome::Scalar) => Some(Arrival::Scalar),
        }
    }

    /// More bytes are needed. Is there no room for one?
    fn wait(&mut self) -> Arrival {
        if self.window.end() == self.buf.len() {
            self.compact();
        }
        if self.window.end() == self.buf.len() && matches!(self.state, State::Scanning | State::InPieces) {
            self.state = State::Full;
            return Arrival::Full;
        }
        Arrival::Nothing
    }

    /// The message is too long: it is followed to its end.
    fn follow(&mut self) {
        self.state = State::Following;
        let mut window = self.window.wide();
        self.scanner.discard(&mut window);
        self.window = Place::of(window);
        self.compact();
    }

    fn skip_message(&mut self) {
        self.state = State::Skipping;
        self.window.empty();
    }

    fn restart(&mut self) {
        (self.unread, self.terminator, self.note) = (0, GOES_ON, 0);
        self.scanner.reset();
        self.state = State::Scanning;
        self.window.begin();
    }

    /// Moves on to the front of the buffer where that costs nothing, or where little room is left behind.
    fn make_room(&mut self) {
        let Window { start, end, .. } = self.window.wide();
        if start == end {
            self.window = Place::FRONT;
        } else if self.buf.len().saturating_sub(end) < self.buf.len() / 2 {
            self.compact();
        }
    }

    /// Moves the message to the front of the buffer, and the raw bytes next to it.
    fn compact(&mut self) {
        let Window { start, out, read, end } = self.window.wide();
        let (Some(kept), Some(raw)) = (out.checked_sub(start), end.checked_sub(read)) else {
            return;
        };
        if start > 0 {
            move_down(self.buf, start..out, 0);
            self.scanner.shift(start);
        }
        if read > kept {
            move_down(self.buf, read..end, kept);
        }
        self.window = Place::of(Window { start: 0, out: kept, read: kept, end: kept.saturating_add(raw) });
    }
}

impl core::fmt::Debug for Inbox<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Inbox").field("window", &self.window).field("state", &self.state).finish_non_exhaustive()
    }
}
