//! A message that is larger than the buffer, in pieces: elements of lists one by one, long strings in chunks, and
//! without what nobody has named.

use super::engine::Step;
use super::state::State;
use super::string::{self, Body};
use super::tape::Tape;
use super::{Key, OpenText, Outcome, ScanError, Scanner, Span, Window};
use crate::json::text::unescape_in_place;

/// An element of a list that was told by itself.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// The list.
    pub list: &'static Key,
    /// Where the element stands.
    pub span: Span,
}

impl Scanner {
    /// Takes the message in pieces, from its start on, so that it need not fit the buffer:
    ///
    /// - the elements of a [list](Key::list) are told one by one: [`feed`](Scanner::feed) stops behind each, which is
    ///   then the [`item`](Scanner::item), and goes on once that has been [dropped](Scanner::drop_item);
    /// - a long string can be taken in chunks while it is read: see [`open_text`](Scanner::open_text);
    /// - members that are not in the tree are dropped as they pass, from the outermost object and where the tree says
    ///   [`only`](Key::only).
    ///
    /// What remains is canonical text all the time, has everything else, and its spans stay valid.
    ///
    /// It may begin before the message's first byte, or late: when the buffer is full, or when all is there. What has been
    /// read is read again then: the window's canonical text becomes raw bytes in front of those it has. The caller
    /// calls it when all that has arrived has been fed (but for the raw tail that `feed` leaves), has closed the gap before
    /// (`out == read`), and feeds again before anything is appended.
    ///
    /// A buffer is large enough if it holds what remains, the longest item (or the longest name in the tree and two
    /// quotes), and 12 bytes more. Whoever finds it full and has no chunk to take calls [`discard`](Scanner::discard).
    ///
    /// What is told is provisional until [`finish`](Scanner::finish), called when `feed` has nothing to tell, returns
    /// [`Outcome::Object`]. A message that is too deep tells nothing more, and is discarded at once.
    ///
    /// `false`, and nothing has changed: there is a gap, or the message is lost, too deep, discarded, or taken in pieces
    /// already.
    ///
    /// ```
    /// use umcp::json::scan::{Key, Outcome, Scanner, Window};
    ///
    /// static TREE: [Key; 2] = [Key::leaf("id", 0), Key::node("result", 1, &[Key::list("tools", Key::NO_SLOT)])];
    /// let source = br#"{"result":{"tools":[{"name":"a"},{"name":"b"}],"next":1},"_meta":["dropped"],"id":7}"#;
    /// let mut buf = [0; 48];
    /// let mut window = Window::default();
    /// let mut scanner = Scanner::new(&TREE, Scanner::DEFAULT_DEPTH);
    /// let mut items = 0;
    ///
    /// scanner.stream(&mut window);
    /// for byte in source {
    ///     buf[window.out] = *byte;                          // (one at a time, so that there is no gap)
    ///     window = Window { read: window.out, end: window.out + 1, ..window };
    ///     scanner.feed(&mut buf, &mut window)?;
    ///     if let Some(item) = scanner.item(&window) {
    ///         items += 1;
    ///         assert!(item.list.name == "tools" && item.span.of(&buf).starts_with(br#"{"name":""#));
    ///         scanner.drop_item(&mut window);
    ///     }
    /// }
    /// assert_eq!(scanner.finish(&mut buf, &mut window)?, Outcome::Object);
    /// assert_eq!((items, &buf[..window.out]), (2, &br#"{"result":{"tools":[],"next":1},"id":7}"#[..]));
    /// # Ok::<(), umcp::json::scan::ScanError>(())
    /// ```
    pub fn stream(&mut self, w: &mut Window) -> bool {
        let can = w.out == w.read
            && self.follow.is_whole()
            && self.outcome != Outcome::TooDeep
            && self.state != State::Failed;
        if can {
            self.again = matches!(self.state, State::After | State::Done);
            self.reset();
            self.follow.stream();
            (w.out, w.read) = (w.start, w.start);
        }
        can
    }

    /// What remains of a message that was taken in pieces, and is whole, counts as all of it: it can be taken in pieces once more. Nothing of
    /// it has been told.
    #[cfg(feature = "server")]
    pub(crate) fn forget_pieces(&mut self) {
        if self.state == State::Done && self.follow.in_pieces() && !self.has_told() {
            self.follow.keep_whole();
        }
    }

    /// The element that [`feed`](Scanner::feed) has stopped behind. The raw bytes behind it wait: they are not fed
    /// before it has been [dropped](Scanner::drop_item).
    pub fn item(&self, w: &Window) -> Option<Item> {
        if self.state != State::AfterItem {
            return None;
        }
        let (list, start) = self.follow.present()?;
        Some(Item { list, span: Span { start: start as u32, end: w.out as u32 } })
    }

    /// The innermost entry of the tree whose value is being read, of a message that is taken in pieces, and where that starts.
    pub fn present(&self) -> Option<(&'static Key, usize)> {
        if self.follow.is_picking() { self.follow.present() } else { None }
    }

    /// Drops the item, if there is one: its text leaves the window.
    pub fn drop_item(&mut self, w: &mut Window) {
        if let Some(item) = self.item(w) {
            self.state = State::After;
            w.out = w.out.min(item.span.start as usize);
        }
    }

    /// The string that is being read, if it stands in an item or in the value of a member that is in the tree, and the
    /// message is [taken in pieces](Scanner::stream): what has been read of it can be [taken](Scanner::take_text).
    pub fn open_text<'a>(&self, buf: &'a [u8], w: &Window) -> Option<OpenText<'a>> {
        let is_text = matches!(self.state, State::InString | State::InText | State::TextEnd);
        if !is_text || !self.follow.is_picking() {
            return None;
        }
        let (key, start) = self.follow.present()?;
        OpenText::find(key, self.follow.is_in_list(), buf.get(start..w.out)?)
    }

    /// Whether [`feed`](Scanner::feed) has stopped at the end of a string of which something was taken: the next
    /// [`take_text`](Scanner::take_text) takes its last chunk, which may be empty, and lets it go on.
    pub fn text_ends(&self) -> bool {
        self.state == State::TextEnd
    }

    /// Takes what has been read of the [open string](Scanner::open_text) out of the window, decoded (a lone surrogate is
    /// U+FFFD); nothing if none is open. Characters and escapes are whole. The string is `""` afterwards, and at its end
    /// as well, where `feed` stops [once more](Scanner::text_ends).
    ///
    /// The text stands in the gap of the window, and lasts until the next call.
    pub fn take_text<'a>(&mut self, buf: &'a mut [u8], w: &mut Window) -> &'a str {
        let Some(waiting) = self.open_text(buf, w).map(|open| open.len()) else { return "" };
        self.state = if self.state == State::TextEnd { State::InString } else { State::InText };
        self.follow.tell();
        let taken = w.out.saturating_sub(waiting)..w.out;
        w.out = taken.start;
        let text = buf.get_mut(taken).and_then(unescape_in_place).unwrap_or_default();
        core::str::from_utf8(text).unwrap_or_default()
    }

    /// Whether an item or a chunk of this message was told: it is void if the message is lost.
    pub fn has_told(&self) -> bool {
        self.follow.has_told()
    }

    /// A key of the innermost followed object is complete.
    pub(super) fn key_closes(&mut self, tape: &mut Tape<'_>) {
        if self.follow.is_dropping() {
            return;
        }
        self.follow.key_closes(tape);
        if self.follow.in_pieces()
            && let Some(cut) = self.follow.drop_unwanted()
        {
            self.cut = cut;
        }
    }

    /// A value in the innermost followed container is complete.
    pub(super) fn value_closes(&mut self, tape: &mut Tape<'_>) {
        if !self.follow.in_pieces() {
            self.follow.value_closes(tape);
        } else if self.follow.is_dropping() {
            tape.rewind(self.cut as usize);
            self.follow.dropped();
        } else if !self.follow.is_in_list() {
            self.follow.value_closes(tape);
        } else if self.outcome != Outcome::TooDeep {
            self.follow.tell();
            self.state = State::AfterItem;
        } else {
            tape.rewind(self.follow.member_start());
        }
    }

    /// An array opens in the innermost followed container; its bracket was read.
    pub(super) fn open_list(&mut self, tape: &Tape<'_>) {
        if self.follow.is_picking() && self.nest.in_object() {
            self.follow.open_list(tape);
        }
    }

    /// Reads a comma; none is kept behind what was dropped.
    pub(super) fn comma_in_pieces(&mut self, tape: &mut Tape<'_>) {
        if matches!(tape.last(), Some(b',' | b'[' | b'{')) {
            tape.skip(1);
        } else {
            tape.keep(1);
        }
        if self.is_inside() && !self.nest.in_object() {
            self.follow.element_starts(tape);
        }
    }

    /// Reads on inside a string that is taken in chunks.
    pub(super) fn in_text(&mut self, tape: &mut Tape<'_>) -> Result<Step, ScanError> {
        if let Body::Closed = string::body(tape)? {
            tape.unread();
            self.state = State::TextEnd;
        }
        Ok(Step::Wait)
    }

    /// All there was has been read: what is being dropped need not wait for its end.
    pub(super) fn let_pass(&mut self, tape: &mut Tape<'_>) {
        if self.again && tape.peek().is_none() {
            self.again = false;
            if self.state == State::InNumber {
                // White space ended it, which is gone.
                self.value_ends(tape);
            }
        }
        if self.state == State::InKey
            && self.is_inside()
            && let Some(cut) = self.follow.drop_long_key(tape.offset())
        {
            self.cut = cut;
        }
        if self.follow.is_dropping() {
            tape.rewind(self.cut as usize);
        }
    }
}
