//! A message that is taken in pieces, so that it need not fit the buffer: see [`Scanner::stream`](crate::json::scan::Scanner::stream).

use super::{Arrival, Inbox, Place, State, narrow, widen};
use crate::json::scan::{Item, OpenText, Window};
#[cfg(feature = "server")]
use crate::json::scan::{Key, Span};
use crate::rpc::move_up;

impl Inbox<'_> {
    /// Has the message at hand taken in pieces, from its start on, while it is being scanned or when it is held: it is read once more, the
    /// elements of its lists are told, and, behind them, what it is. `false`: it cannot be, and nothing has changed.
    pub(crate) fn stream(&mut self) -> bool {
        let is_held = self.state == State::Held;
        if !is_held {
            self.compact();
        }
        let place = self.window.wide();
        let Window { start, out, read, .. } = place;
        let kept = out.saturating_sub(start);
        let mut window = if is_held { Window { read: out, end: out, ..place } } else { place };
        let can = self.scanner.stream(&mut window);
        if can {
            let mut start = start;
            if is_held {
                // What ended it has been passed already: the text moves up to that place.
                let gap = read.saturating_sub(out);
                move_up(self.buf, start..out, gap);
                start = start.saturating_add(gap);
                self.terminator = 0;
            }
            self.window = Place::of(Window { start, out: start, read: start, ..place });
            self.unread = self.unread.saturating_add(narrow(kept));
            self.state = State::InPieces;
        }
        can
    }

    /// Has a message begun that is not taken in pieces, nor too long?
    pub(crate) fn is_scanning(&self) -> bool {
        self.state == State::Scanning && !self.scanner.is_blank()
    }

    /// Has the held message taken in pieces, also where it has been already; of the string whose content starts this many bytes behind the front of the buffer the
    /// first chunk, which is empty, is taken. `false`: it cannot be, and nothing has changed.
    #[cfg(feature = "server")]
    pub(crate) fn stream_from(&mut self, content: usize) -> bool {
        let ahead = content.saturating_sub(self.window.wide().start);
        self.scanner.forget_pieces();
        if !self.stream() {
            return false;
        }
        let Window { end, read, .. } = self.window.wide();
        let named = self.named();
        let mut window = Window { end: read.saturating_add(ahead).min(named), ..self.window.wide() };
        // It is canonical: none of it is wrong, nor left for later.
        let _ = self.scanner.feed(self.buf, &mut window);
        self.unread = narrow(named.saturating_sub(window.read));
        self.window = Place::of(Window { end, ..window });
        self.take_text();
        true
    }

    /// The member that is being read, if somebody wants it, and what there is of its value.
    #[cfg(feature = "server")]
    pub(crate) fn present(&self) -> Option<(&'static Key, Span)> {
        let (key, start) = self.scanner.present()?;
        Some((key, Span { start: narrow(start), end: narrow(self.window.wide().out) }))
    }

    /// Whether the string has ended of which something was taken.
    #[cfg(feature = "server")]
    pub(crate) fn text_ends(&self) -> bool {
        self.scanner.text_ends()
    }

    /// The element that was told.
    pub(crate) fn item(&self) -> Option<Item> {
        self.scanner.item(&self.window.wide())
    }

    /// The string that is being read, of which a chunk can be taken.
    pub(crate) fn open_text(&self) -> Option<OpenText<'_>> {
        self.scanner.open_text(self.buf, &self.window.wide())
    }

    /// Takes what has been read of it, which makes room: the [`chunk`](Inbox::chunk).
    pub(crate) fn take_text(&mut self) {
        self.chunk_is_last = self.scanner.text_ends();
        let mut window = self.window.wide();
        self.chunk_len = narrow(self.scanner.take_text(self.buf, &mut window).len());
        self.window = Place::of(window);
        if self.state == State::Full {
            self.state = State::InPieces;
        }
    }

    /// The chunk that was taken, decoded, and whether it is the last of its string. It lasts until bytes are received, or the next `poll`.
    pub(crate) fn chunk(&self) -> (&str, bool) {
        let start = self.window.wide().out;
        let text = self.buf.get(start..start.saturating_add(widen(self.chunk_len))).unwrap_or_default();
        (core::str::from_utf8(text).unwrap_or_default(), self.chunk_is_last)
    }

    /// Notes something about the message at hand, for as long as it is.
    pub(crate) fn set_note(&mut self, note: u32) {
        self.note = note;
    }

    /// What was noted; 0 if nothing was.
    pub(crate) fn note(&self) -> u32 {
        self.note
    }

    /// The rest of the message is not wanted: it is followed to its end as too long. (Not while one is held.)
    pub(crate) fn give_up(&mut self) {
        if self.state != State::Held {
            self.follow();
            self.scan(0);
        }
    }

    /// Reads on behind what was told.
    pub(super) fn go_on(&mut self) {
        if self.scanner.text_ends() {
            self.take_text();
        }
        let mut window = self.window.wide();
        self.scanner.drop_item(&mut window);
        self.window = Place::of(window);
        self.scan(0);
    }

    /// What the scanner has stopped for.
    pub(super) fn told(&self) -> Option<Arrival> {
        match () {
            () if self.item().is_some() => Some(Arrival::Item),
            () if self.scanner.text_ends() => Some(Arrival::TextEnd),
            () => None,
        }
    }
}
