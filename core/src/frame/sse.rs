//! [`Events`]: the event stream format (WHATWG HTML, *Server-sent events*), one message an event.

use super::Run;

/// Splits an event stream. The payload of an event is its data, and the blank line behind it ends the message.
///
/// Lines end in LF, CR or CRLF, one leading byte-order mark is passed over, comments and unknown fields are framing. It remembers where it is
/// after every byte and looks at each once; the bytes a run names are taken.
///
/// Every line of data comes with its end, of which the first byte is payload: it is the newline that joins it to the next. So the payload of
/// an event has one newline more than the standard's data, at its very end, and has a CR for each newline where the stream ends its lines in CR or
/// CRLF. Around JSON text, and between its lines, both are white space.
///
/// Each blank line ends an event, also one without data: it is an empty message, as a blank line is to [`Line`](super::Line). An event that
/// the stream breaks off is void.
///
/// ```
/// use umcp::frame::{Run, sse::Events};
/// let mut events = Events::new();
/// let raw = b"id: 7\ndata: {}\n\n";
/// assert_eq!(events.split(raw), Some(Run { skip: 12, payload: 3, terminator: None }));
/// assert_eq!(events.split(&raw[15..]), Some(Run { skip: 0, payload: 0, terminator: Some(1) }));
/// assert_eq!((events.name(), events.id()), (&b"message"[..], Some(&b"7"[..])));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Events {
    at: At,
    /// Bytes of the byte-order mark that have come; all of them, too, where it has not.
    mark: u8,
    /// A line has ended in CR: an LF that follows belongs to it.
    after_cr: bool,
    /// The event has ended, and the next has not begun.
    ended: bool,
    id_seen: bool,
    retry: Option<u32>,
    name: Text<{ Events::MAX_NAME }>,
    id: Text<{ Events::MAX_ID }>,
}

// One for each connection, besides its buffers: 64 bytes are the id.
const _: () = assert!(core::mem::size_of::<Events>() <= 112);

#[derive(Clone, Copy, Debug)]
enum At {
    /// In the name of a field, or at the beginning of a line.
    Field(Text<5>),
    /// Behind the colon, where one space is passed over.
    Space(Field),
    Value(Field),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Data,
    Event,
    Id,
    /// With the number so far.
    Retry(Option<u32>),
    /// A comment, an unknown field, or one whose value is not to be used.
    Ignored,
}

/// What a byte has led to.
enum After {
    Goes,
    EndsData,
    EndsEvent,
}

const MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];
const LINE_START: At = At::Field(Text::EMPTY);

impl Events {
    /// The longest id of an event that is kept, in bytes.
    pub const MAX_ID: usize = 64;
    /// The longest name of an event that is kept, in bytes.
    pub const MAX_NAME: usize = 16;

    /// What an event of one line of data begins with on the way out.
    pub const BEFORE: &'static str = "data: ";
    /// What it ends with.
    pub const AFTER: &'static str = "\n\n";
    /// A comment on the way out: it says nothing, and keeps a quiet stream open.
    pub const COMMENT: &'static str = ":\n\n";

    /// At the start of a stream.
    #[must_use]
    pub const fn new() -> Events {
        Events {
            at: LINE_START,
            mark: 0,
            after_cr: false,
            ended: false,
            id_seen: false,
            retry: None,
            name: Text::EMPTY,
            id: Text::EMPTY,
        }
    }

    /// The name of the event at hand, until the next one begins: `message` where it has none. One longer than
    /// [`MAX_NAME`](Events::MAX_NAME) reads as empty, which no event is called.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        match self.name.get() {
            Some(b"") => b"message",
            name => name.unwrap_or_default(),
        }
    }

    /// The id of the last event that had one; `None` if the stream has not said any. It counts from the end of its event on: that is when to
    /// make a copy, to resume from after the stream has broken off.
    ///
    /// An empty one takes back what was said before: there is nothing to resume from. One longer than [`MAX_ID`](Events::MAX_ID), or with a NUL in
    /// it, reads as empty.
    #[must_use]
    pub fn id(&self) -> Option<&[u8]> {
        self.id_seen.then(|| self.id.get().unwrap_or_default())
    }

    /// After how many milliseconds the server wants the stream to be opened again, if it has said so; as much as fits.
    #[must_use]
    pub const fn retry(&self) -> Option<u32> {
        self.retry
    }

    /// Splits the next raw bytes. `None`: there are none.
    pub fn split(&mut self, raw: &[u8]) -> Option<Run> {
        let mut skip = 0;
        loop {
            let rest = raw.get(skip..).unwrap_or_default();
            let (byte, _) = rest.split_first()?;
            let belongs_to_cr = core::mem::take(&mut self.after_cr) && *byte == b'\n';
            if belongs_to_cr || self.is_mark(*byte) {
                skip += 1;
            } else if let At::Space(field) = self.at {
                self.begin_value(field);
                skip += usize::from(*byte == b' ');
            } else if let At::Value(Field::Data) = self.at {
                return Some(self.data(skip, rest));
            } else {
                self.begin_event();
                match self.after(*byte) {
                    After::Goes => skip += 1,
                    After::EndsData => return Some(Run { skip, payload: 1, terminator: None }),
                    After::EndsEvent => return Some(Run { skip, payload: 0, terminator: Some(1) }),
                }
            }
            if skip == raw.len() {
                return Some(Run { skip, payload: 0, terminator: None });
            }
        }
    }

    /// As much of a line of data as there is.
    fn data(&mut self, skip: usize, rest: &[u8]) -> Run {
        let payload = match find_line_end(rest) {
            Some(end) => {
                self.end_line(rest.get(end) == Some(&b'\r'));
                end + 1
            }
            None => rest.len(),
        };
        Run { skip, payload, terminator: None }
    }

    /// Whether this is the next byte of a byte-order mark at the start of the stream.
    fn is_mark(&mut self, byte: u8) -> bool {
        if MARK.get(usize::from(self.mark)) == Some(&byte) {
            self.mark += 1;
            return true;
        }
        // What looked like a mark is the beginning of an unknown field.
        if matches!(self.mark, 1 | 2) {
            self.at = At::Value(Field::Ignored);
        }
        self.mark = 3;
        false
    }

    /// Takes one byte that is neither data nor the space before a value.
    fn after(&mut self, byte: u8) -> After {
        match &mut self.at {
            At::Field(name) => match byte {
                b'\n' | b'\r' => {
                    let name = *name;
                    return self.end_name(name, byte == b'\r');
                }
                b':' => self.at = At::Space(field(name.get())),
                _ => name.push(byte),
            },
            At::Space(field) | At::Value(field) => {
                let field = *field;
                self.after_value(byte, field);
            }
        }
        After::Goes
    }

    /// A line that is a name and nothing else, or a blank one.
    fn end_name(&mut self, name: Text<5>, cr: bool) -> After {
        if name.get() == Some(b"") {
            self.end_line(cr);
            self.ended = true;
            return After::EndsEvent;
        }
        let field = field(name.get());
        self.begin_value(field);
        self.end_value(field);
        self.end_line(cr);
        if field == Field::Data { After::EndsData } else { After::Goes }
    }

    fn after_value(&mut self, byte: u8, field: Field) {
        if matches!(byte, b'\n' | b'\r') {
            self.end_value(field);
            self.end_line(byte == b'\r');
            return;
        }
        self.at = At::Value(match (field, byte) {
            (Field::Retry(number), b'0'..=b'9') => {
                let number = number.unwrap_or(0).saturating_mul(10).saturating_add(u32::from(byte - b'0'));
                Field::Retry(Some(number))
            }
            (Field::Retry(_), _) => Field::Ignored,
            (field, _) => field,
        });
        match field {
            Field::Event => self.name.push(byte),
            Field::Id if byte == 0 => self.id.spoil(),
            Field::Id => self.id.push(byte),
            _ => {}
        }
    }

    fn begin_value(&mut self, field: Field) {
        match field {
            Field::Event => self.name = Text::EMPTY,
            Field::Id => self.id = Text::EMPTY,
            _ => {}
        }
        self.at = At::Value(field);
    }

    fn end_value(&mut self, field: Field) {
        match field {
            Field::Retry(Some(number)) => self.retry = Some(number),
            Field::Id => self.id_seen = true,
            _ => {}
        }
    }

    fn end_line(&mut self, cr: bool) {
        self.at = LINE_START;
        self.after_cr = cr;
    }

    /// The name of an event lasts until the next one begins.
    fn begin_event(&mut self) {
        if core::mem::take(&mut self.ended) {
            self.name = Text::EMPTY;
        }
    }
}

impl Default for Events {
    fn default() -> Events {
        Events::new()
    }
}

/// What a field's name means; a comment has none.
fn field(name: Option<&[u8]>) -> Field {
    match name {
        Some(b"data") => Field::Data,
        Some(b"event") => Field::Event,
        Some(b"id") => Field::Id,
        Some(b"retry") => Field::Retry(None),
        _ => Field::Ignored,
    }
}

/// The position of the first CR or LF. Whole blocks are tested without a branch inside, which compilers turn into vector code.
fn find_line_end(bytes: &[u8]) -> Option<usize> {
    let ends_line = |byte: &u8| matches!(*byte, b'\n' | b'\r');
    let (blocks, tail) = bytes.as_chunks::<32>();
    for (index, block) in blocks.iter().enumerate() {
        if block.iter().fold(false, |found, byte| found | ends_line(byte)) {
            return block.iter().position(ends_line).map(|within| index * 32 + within);
        }
    }
    tail.iter().position(ends_line).map(|within| blocks.len() * 32 + within)
}

/// A text of at most `N` bytes, or the knowledge that it is none.
#[derive(Clone, Copy, Debug)]
struct Text<const N: usize> {
    bytes: [u8; N],
    /// More than `N`: it was longer, or spoilt.
    len: u8,
}

impl<const N: usize> Text<N> {
    const EMPTY: Text<N> = Text { bytes: [0; N], len: 0 };

    fn push(&mut self, byte: u8) {
        match self.bytes.get_mut(usize::from(self.len)) {
            Some(slot) => {
                *slot = byte;
                self.len += 1;
            }
            None => self.spoil(),
        }
    }

    fn spoil(&mut self) {
        self.len = u8::MAX;
    }

    fn get(&self) -> Option<&[u8]> {
        self.bytes.get(..usize::from(self.len))
    }
}
