//! The scanner every message passes once, as it arrives: it checks the grammar (RFC 8259, strictly) and the UTF-8,
//! rewrites the text in place into *canonical* form, and finds the values the caller is interested in.
//!
//! Canonical text has no white space outside strings and the shortest escapes: only `\" \\ \b \f \n \r \t`,
//! `\u00xx` for the other controls, and a lone surrogate's `\udxxx` remain, in lower case; everything else is
//! UTF-8. Numbers and literals keep their bytes. It is never longer than its source, so it needs no second buffer,
//! and while nothing has been removed nothing is copied. Whoever reads it afterwards compares keys as bytes:
//! `"\u006dethod"` has become `"method"`.
//!
//! A message that does not fit the buffer can be taken [in pieces](Scanner::stream), or [discarded](Scanner::discard)
//! but for its id.
//!
//! The scanner is iterative, may be suspended after any byte, and its state has a fixed size whatever comes in.
//!
//! ```
//! use umcp::json::scan::{Key, Outcome, Scanner, Window};
//!
//! static TREE: [Key; 2] = [Key::leaf("id", 0), Key::leaf("method", 1)];
//! let mut buf = *br#"{ "id": 7, "\u006dethod": "ping" }"#;
//! let mut window = Window { end: buf.len(), ..Window::default() };
//! let mut scanner = Scanner::new(&TREE, Scanner::DEFAULT_DEPTH);
//!
//! scanner.feed(&mut buf, &mut window)?;                // as often as bytes arrive
//! assert_eq!(scanner.finish(&mut buf, &mut window)?, Outcome::Object);
//! assert_eq!(&buf[window.start..window.out], br#"{"id":7,"method":"ping"}"#);
//! assert_eq!(scanner.spans()[1].of(&buf), br#""ping""#);
//! # Ok::<(), umcp::json::scan::ScanError>(())
//! ```

mod engine;
mod express;
mod follow;
mod interest;
mod lane;
mod open;
mod pieces;
mod state;
mod string;
mod tape;

pub use interest::{INTEREST_DEPTH, Key, SLOTS, Span};
pub use open::OpenText;
pub use pieces::Item;
pub use tape::Window;

use core::fmt;
use follow::Follow;
use state::{Nest, Number, State};
use tape::Tape;

/// Why a message is lost. After either, skip to its end and [`reset`](Scanner::reset).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanError {
    /// It is not JSON (or ended before it was).
    Syntax,
    /// A string in it is not UTF-8.
    Utf8,
}

impl fmt::Display for ScanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ScanError::Syntax => "not valid JSON",
            ScanError::Utf8 => "not valid UTF-8",
        })
    }
}

impl core::error::Error for ScanError {}

/// What a whole message turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// An object.
    Object,
    /// An array.
    Array,
    /// A string, a number, `true`, `false` or `null`.
    Scalar,
    /// Containers nested deeper than the scanner's limit. What lies within the limit was checked and searched as
    /// always, so that an id is still found. What lies beyond it is missing from the canonical text, which
    /// therefore is not JSON; of it, only the brackets were counted and the strings checked.
    TooDeep,
    /// Nothing but white space.
    Blank,
}

/// The scanner. One message at a time: [`reset`](Scanner::reset) makes it ready for the next.
pub struct Scanner {
    follow: Follow,
    nest: Nest,
    /// Where in the canonical text what is being dropped would have started: a container beyond the depth limit, or
    /// a member.
    cut: u32,
    state: State,
    /// How far into a number it is, if that is the state.
    number: Number,
    /// The text there was before `stream` is read again, and ends behind a value.
    again: bool,
    outcome: Outcome,
}

// Of these bytes, 128 are the spans; the rest is the way through the interest tree and a bit for each open container.
const _: () = assert!(size_of::<Scanner>() <= 224);

impl Scanner {
    /// The default of `max_depth`: levels of containers in a message.
    pub const DEFAULT_DEPTH: u8 = 32;
    /// The highest `max_depth` there can be.
    pub const MAX_DEPTH: u8 = Nest::MAX_DEPTH;

    /// A scanner that looks for the values in `tree`, of which the first is the one [`discard`](Scanner::discard)
    /// keeps (the id), and takes containers nested `max_depth` deep (at most [`MAX_DEPTH`](Scanner::MAX_DEPTH)).
    pub const fn new(tree: &'static [Key], max_depth: u8) -> Scanner {
        Scanner {
            follow: Follow::new(tree),
            nest: Nest::new(max_depth),
            cut: 0,
            state: State::Value,
            number: Number::Zero,
            again: false,
            outcome: Outcome::Blank,
        }
    }

    /// Makes ready for the next message.
    pub fn reset(&mut self) {
        self.follow.reset();
        self.nest.reset();
        self.state = State::Value;
        self.outcome = Outcome::Blank;
    }

    /// Reads the window's raw bytes, writes canonical ones in their place, and updates the window.
    ///
    /// All raw bytes are read but for a short tail, at most 11 bytes of an escape, a character or a literal that is
    /// not all there: it is left, as `read..end`, for the next call. Offsets that are out of order or outside `buf`
    /// are clamped.
    ///
    /// An error loses the message: the window is empty then, and further calls return [`ScanError::Syntax`] until
    /// [`reset`](Scanner::reset).
    pub fn feed(&mut self, buf: &mut [u8], w: &mut Window) -> Result<(), ScanError> {
        *w = w.within(buf.len().min(u32::MAX as usize));
        let (floor, limit) = if self.follow.discarding() { self.follow.bounds(buf.len(), *w) } else { (0, 0) };
        let mut tape = Tape::new(buf, *w, floor, limit);
        let result = self.run(&mut tape);
        if let Err(error) = result {
            self.state = State::Failed;
            *w = Window { start: w.start, out: w.start, read: w.end, end: w.end };
            return Err(error);
        }
        if self.nest.is_over() {
            tape.rewind(self.cut as usize);
        }
        if self.follow.is_whole() {
            (w.out, w.read) = tape.finish();
            return Ok(());
        }
        if self.follow.discarding() {
            self.follow.let_go(&mut tape, self.in_top_key());
        } else {
            self.let_pass(&mut tape);
        }
        (w.out, w.read) = tape.finish();
        if self.outcome == Outcome::TooDeep && self.follow.in_pieces() {
            self.keep_only_id(w, buf.len());
        }
        Ok(())
    }

    /// The message's bytes have ended (a newline, the end of a body): reads what is left, and says whether it was
    /// one whole JSON text.
    pub fn finish(&mut self, buf: &mut [u8], w: &mut Window) -> Result<Outcome, ScanError> {
        self.feed(buf, w)?;
        match self.state {
            _ if w.read < w.end => {}
            State::Value if self.is_blank() => return Ok(Outcome::Blank),
            State::InNumber if self.nest.is_empty() && self.number.is_whole() => {
                self.state = State::Done;
                return Ok(self.outcome);
            }
            State::Done => return Ok(self.outcome),
            _ => {}
        }
        self.state = State::Failed;
        Err(ScanError::Syntax)
    }

    /// Where the values of the interest tree were found; what is not complete yet is absent.
    pub fn spans(&self) -> &[Span; SLOTS] {
        self.follow.spans()
    }

    /// Whether a key that has a slot came twice. (The first one's value is the one that is found.)
    pub fn duplicate(&self) -> bool {
        self.follow.duplicate()
    }

    /// Whether the key with this slot was read in the outermost object or below, also where its value was thrown away
    /// ([`discard`](Scanner::discard)) or was too deep.
    pub fn has_seen(&self, slot: usize) -> bool {
        self.follow.has_seen(slot)
    }

    /// Whether nothing but white space was read.
    pub fn is_blank(&self) -> bool {
        self.outcome == Outcome::Blank
    }

    /// Whether a whole top-level container, string or literal was read. (A top-level number is complete only when
    /// something follows it.)
    pub fn is_complete(&self) -> bool {
        self.state == State::Done
    }

    /// The caller moved the window's contents `by` bytes towards the front of the buffer (and changed the window
    /// accordingly).
    pub fn shift(&mut self, by: usize) {
        let by = u32::try_from(by).unwrap_or(u32::MAX);
        self.follow.shift(by);
        self.cut = self.cut.saturating_sub(by);
    }

    /// The message is too long for the buffer: from here on nothing is kept of it but the value of one top-level
    /// member, the one whose key is the first of the tree (the id), wherever it comes. All other spans become
    /// absent.
    ///
    /// This moves no bytes. It sets the window's `out` back, and `start` forward, so that `start..out` is the id if
    /// it was seen, its part if it is being read, and empty otherwise; the caller then makes room as always, by
    /// moving the window's contents. The same holds after each [`feed`](Scanner::feed) that follows. An id longer
    /// than 512 bytes, or than half of the buffer behind `start`, counts as not found. (The buffer is taken to be full: it
    /// is taken to end where the window does.)
    pub fn discard(&mut self, w: &mut Window) {
        self.keep_only_id(w, w.end);
    }

    /// The same in a buffer of `len` bytes.
    fn keep_only_id(&mut self, w: &mut Window, len: usize) {
        self.state = match self.state {
            State::InText | State::TextEnd => State::InString,
            State::AfterItem => State::After,
            state => state,
        };
        self.follow.discard(w, follow::kept(len.saturating_sub(w.start)), self.in_top_key());
    }

    /// Whether it stands inside a key of the top-level object, which may be the id's.
    fn in_top_key(&self) -> bool {
        self.state == State::InKey && self.nest.depth() == 1
    }
}
