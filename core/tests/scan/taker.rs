//! A caller with a small buffer that takes messages in pieces, and writes down what it is told.

use crate::rig::{close_gap, move_down};
use umcp::json::scan::{Key, OpenText, Outcome, SLOTS, ScanError, Scanner, Window};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// An element of a list.
    Item(&'static str, String),
    /// A string that came in chunks: its place, and all of them.
    Text(String, String),
}

/// When it begins to take the message in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Start,
    /// When the buffer is full; if it never is, when the message is whole.
    Full,
    /// When so many bytes have arrived.
    At(usize),
}

/// How many bytes the buffer has; how long the pieces are in which bytes arrive; when.
pub(crate) type Way = (usize, usize, When);

/// Every way for a message of `len` bytes that fits into a buffer of `size`.
pub(crate) fn every_way(len: usize, size: usize) -> impl Iterator<Item = Way> {
    let pieces = (1..=len.max(1)).flat_map(move |piece| [When::Start, When::Full].map(|when| (size, piece, when)));
    let begins = (0..=len).flat_map(move |count| [1, 7].map(|piece| (size, piece, When::At(count))));
    pieces.chain(begins).chain([1, 3, 16].map(|piece| (64 + len, piece, When::Start)))
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) events: Vec<Event>,
    pub(crate) end: Result<End, ScanError>,
    pub(crate) has_told: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) outcome: Outcome,
    pub(crate) rest: String,
    pub(crate) found: [String; SLOTS],
    pub(crate) duplicate: bool,
    pub(crate) too_long: bool,
}

/// The places of strings that it takes in chunks.
pub(crate) const PLACES: [&[&str]; 9] = [
    &[],
    &["text"],
    &["data"],
    &["blob"],
    &["resource", "text"],
    &["resource", "blob"],
    &["content", "text"],
    &["content", "resource", "blob"],
    &["a\"b"],
];

struct Taker {
    buf: Vec<u8>,
    w: Window,
    scanner: Scanner,
    events: Vec<Event>,
    /// A string of which a chunk was taken is still open.
    in_text: bool,
    streams: bool,
    too_long: bool,
}

pub(crate) fn take(tree: &'static [Key], max_depth: u8, source: &[u8], way: Way) -> Taken {
    let mut taker = Taker {
        buf: vec![b'"'; way.0],
        w: Window::default(),
        scanner: Scanner::new(tree, max_depth),
        events: Vec::new(),
        in_text: false,
        streams: false,
        too_long: false,
    };
    let end = taker.run(source, way.1, way.2);
    if let Err(error) = end {
        // Once, and only once.
        let mut again = Window { end: taker.buf.len().min(1), ..Window::default() };
        assert_eq!(taker.scanner.feed(&mut taker.buf, &mut again), Err(ScanError::Syntax), "after {error}");
        assert_eq!((taker.scanner.item(&taker.w).is_some(), taker.scanner.text_ends()), (false, false));
    }
    Taken { has_told: taker.scanner.has_told(), events: taker.events, end }
}

impl Taker {
    fn run(&mut self, source: &[u8], piece: usize, when: When) -> Result<End, ScanError> {
        if when == When::Start {
            self.begin()?;
        }
        let mut rest = source;
        while !rest.is_empty() {
            self.make_room()?;
            let (now, later) = rest.split_at(rest.len().min(piece).min(self.buf.len() - self.w.end));
            self.buf[self.w.end..self.w.end + now.len()].copy_from_slice(now);
            self.w.end += now.len();
            self.feed()?;
            rest = later;
            if matches!(when, When::At(count) if count <= source.len() - rest.len()) {
                self.begin()?;
            }
        }
        if when != When::Start && !self.streams && !self.too_long {
            self.begin()?;
        }
        self.finish()
    }

    fn finish(&mut self) -> Result<End, ScanError> {
        let outcome = self.scanner.finish(&mut self.buf, &mut self.w)?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Ok(End {
            outcome,
            rest: text(&self.buf[self.w.start..self.w.out]),
            found: self.scanner.spans().map(|span| text(span.of(&self.buf))),
            duplicate: self.scanner.duplicate(),
            too_long: self.too_long,
        })
    }

    /// From now on in pieces, and what there is already, too.
    fn begin(&mut self) -> Result<(), ScanError> {
        self.close_up();
        if self.scanner.stream(&mut self.w) {
            self.streams = true;
            assert!(!self.scanner.stream(&mut self.w), "only once");
            self.feed()?;
        }
        Ok(())
    }

    /// Feeds all there is, and takes what is told.
    fn feed(&mut self) -> Result<(), ScanError> {
        loop {
            self.scanner.feed(&mut self.buf, &mut self.w)?;
            let w = self.w;
            assert!(w.start <= w.out && w.out <= w.read && w.read <= w.end, "{w:?}");
            if let Some(item) = self.scanner.item(&self.w) {
                // It waits.
                self.scanner.feed(&mut self.buf, &mut self.w)?;
                assert_eq!(w, self.w);
                let text = String::from_utf8(item.span.of(&self.buf).to_vec()).unwrap();
                self.events.push(Event::Item(item.list.name, text));
                self.scanner.drop_item(&mut self.w);
                assert_eq!(self.w.out, item.span.start as usize);
            } else if self.scanner.text_ends() {
                assert!(self.chunk(), "a text that was taken from is open");
                self.in_text = false;
            } else {
                assert!(self.w.end - self.w.read <= 11, "a long raw tail: {:?}", self.w);
                return Ok(());
            }
        }
    }

    fn make_room(&mut self) -> Result<(), ScanError> {
        self.close_up();
        if self.w.end == self.buf.len() && !self.streams && !self.too_long {
            self.begin()?;
            self.close_up();
        }
        while self.w.end == self.buf.len() {
            let is_open = self.scanner.open_text(&self.buf, &self.w).is_some_and(|open| !open.is_empty());
            if !is_open || !self.chunk() {
                assert!(!self.too_long, "no room while discarding");
                self.too_long = true;
                self.scanner.discard(&mut self.w);
            }
            self.close_up();
        }
        Ok(())
    }

    fn close_up(&mut self) {
        close_gap(&mut self.buf, &mut self.w);
        let by = self.w.start;
        move_down(&mut self.scanner, &mut self.buf, &mut self.w, by);
    }

    /// Takes a chunk of the string that is open, if it stands where it may.
    fn chunk(&mut self) -> bool {
        let Some(place) = self.scanner.open_text(&self.buf, &self.w).and_then(|open| place(&open)) else {
            return false;
        };
        let text = self.scanner.take_text(&mut self.buf, &mut self.w);
        match self.events.last_mut() {
            Some(Event::Text(before, all)) if self.in_text => {
                assert_eq!(*before, place);
                all.push_str(text);
            }
            _ => self.events.push(Event::Text(place, text.to_owned())),
        }
        self.in_text = true;
        true
    }
}

/// Where the string stands, if that is one of the places and there is something to take.
fn place(open: &OpenText<'_>) -> Option<String> {
    let path = PLACES.iter().find(|path| open.is_at(path))?;
    Some([&[open.key().name], *path].concat().join("/"))
}
