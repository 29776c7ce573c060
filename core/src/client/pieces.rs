//! The answer to a request that wants items, in pieces: see [`Options::items`](super::Options::items).

use super::engine::Engine;
use super::error::Lost;
use super::event::Happened;
use super::kind::Kind;
use crate::json::Value;
use crate::json::scan::OpenText;
use crate::mcp::{Era, slot};
use crate::rpc::{Arrival, Id, RequestHandle};

/// A part of a long string in an element of a list.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// The list: the name of the member of the result, such as `contents`.
    pub list: &'static str,
    /// The element as far as it has been read, with `""` in the place of the string: what stands in front of it can be looked up.
    pub item: Value<'a>,
    /// The names that lead to the string, from the element on: `["blob"]`, `["resource", "text"]`.
    pub path: &'static [&'static str],
    /// What has arrived of it since the last chunk, decoded: whole characters.
    pub text: &'a str,
    /// With this it is complete.
    pub is_last: bool,
}

/// The strings that may be longer than the receive buffer. (Those of a prompt's messages stand in their `content`.)
static PLACES: &[&[&str]] = &[
    &["text"],
    &["data"],
    &["blob"],
    &["resource", "text"],
    &["resource", "blob"],
    &["content", "text"],
    &["content", "data"],
    &["content", "blob"],
    &["content", "resource", "text"],
    &["content", "resource", "blob"],
];

fn place(open: &OpenText<'_>) -> Option<&'static [&'static str]> {
    PLACES.iter().copied().find(|path| open.is_in_list() && open.is_at(path))
}

impl Engine<'_> {
    /// Reads what is a piece of a message, or may be the beginning of pieces. `None`: the message is read as a whole, and this is its end.
    pub(super) fn read_pieces(&mut self, arrival: Arrival) -> Option<Option<Happened>> {
        match arrival {
            Arrival::Full => Some(self.fill()),
            Arrival::Item => Some(self.tell(Happened::Item)),
            Arrival::TextEnd => {
                let told = self.tell(Happened::Chunk);
                if let Some(Happened::Chunk(_)) = told {
                    self.inlet.inbox().take_text();
                }
                Some(told)
            }
            Arrival::Object if self.begin_items() => Some(None),
            Arrival::Object | Arrival::TooLong | Arrival::TooDeep => self.stray(),
            _ => None,
        }
    }

    /// The buffer is full. What becomes of the message, unless pieces of it can be told, the next poll does.
    fn fill(&mut self) -> Option<Happened> {
        if self.inlet.arrived().note() == 0 {
            self.begin_items();
            return None;
        }
        let has_chunk = self.inlet.arrived().open_text().is_some_and(|open| !open.is_empty() && place(&open).is_some());
        if !has_chunk {
            return None;
        }
        let told = self.tell(Happened::Chunk);
        if let Some(Happened::Chunk(_)) = told {
            self.inlet.inbox().take_text();
        }
        told
    }

    /// The message at hand has not come to its end. If it has said whose answer it is, what has come of it need not wait.
    pub(super) fn begin_early(&mut self) -> bool {
        if !self.pending.any_tag(|tag| Kind::from_tag(tag).wants_items()) || !self.inlet.hold_beginning() {
            return false;
        }
        #[cfg(feature = "http")]
        let is_known = self.stream_of != 0 || self.inlet.member(slot::ID).is_some();
        #[cfg(not(feature = "http"))]
        let is_known = self.inlet.member(slot::ID).is_some();
        let begun = is_known && self.begin_items();
        self.inlet.let_go();
        begun
    }

    /// Has the message taken in pieces if it is the answer to a request that wants items. What has been told of it in a message that broke
    /// off is not told again.
    fn begin_items(&mut self) -> bool {
        if self.inlet.arrived().note() != 0 || self.inlet.is_element() || self.inlet.has_seen(slot::METHOD) {
            return false;
        }
        let owner = match self.inlet.member(slot::ID) {
            Some(id) => self.pending.find(id),
            None => self.only(),
        };
        match owner {
            Some((handle, tag)) if Kind::from_tag(tag).wants_items() && !Kind::from_tag(tag).is_told() => {
                let begun = self.inlet.inbox().stream();
                if begun {
                    self.inlet.inbox().set_note(handle.id());
                }
                begun
            }
            _ => false,
        }
    }

    /// The request that a message must be the answer to that has not said which.
    fn only(&self) -> Option<(RequestHandle, u8)> {
        #[cfg(feature = "http")]
        if self.stream_of != 0 {
            return self.pending.waiting(self.stream_of);
        }
        let may_end = self.revision.era() == Era::Modern && !self.listens.is_empty();
        if may_end { None } else { self.pending.only() }
    }

    /// A piece has arrived: it is told, if somebody still waits for it and it is what it was taken for.
    fn tell(&mut self, happened: impl Fn(RequestHandle) -> Happened) -> Option<Happened> {
        let noted = self.inlet.arrived().note();
        let waiting = self.pending.waiting(noted);
        if self.is_own(noted)
            && let Some((handle, tag)) = waiting
        {
            self.pending.set_tag(handle, Kind::from_tag(tag).told().tag());
            self.pending.extend(handle, self.now);
            return Some(happened(handle));
        }
        self.inlet.inbox().give_up();
        let (handle, tag) = waiting.filter(|(_, tag)| Kind::from_tag(*tag).is_told())?;
        self.inlet.inbox().set_note(0);
        self.pending.remove(handle);
        self.lose(handle, Kind::from_tag(tag), Lost::OtherId)
    }

    /// The id, if it has been read, is that of the request.
    fn is_own(&self, noted: u32) -> bool {
        self.inlet.member(slot::ID).is_none_or(|id| is_id(id, noted))
    }

    /// The message has ended, of which pieces were told as the answer to a request, and does not bear its id. Whatever it is the answer to
    /// cannot be told any more, either.
    fn stray(&mut self) -> Option<Option<Happened>> {
        let noted = self.inlet.arrived().note();
        let bears_it = self.inlet.member(slot::ID).is_some_and(|id| is_id(id, noted));
        if noted == 0 || bears_it || !self.inlet.has_told() || self.inlet.is_element() {
            return None;
        }
        self.inlet.inbox().set_note(0);
        self.inlet.once_more = true;
        let (handle, tag) = match self.pending.waiting(noted) {
            Some((handle, tag)) if Kind::from_tag(tag).is_told() => (handle, tag),
            _ => return Some(None),
        };
        self.pending.remove(handle);
        Some(self.lose(handle, Kind::from_tag(tag), Lost::OtherId))
    }

    /// All that was told of the answer to this request was told of the message that is held.
    pub(super) fn is_whole(&self, handle: RequestHandle) -> bool {
        self.inlet.arrived().note() == handle.id()
    }

    pub(crate) fn item(&self) -> Option<(&'static str, Value<'_>)> {
        let inbox = self.inlet.arrived();
        let item = inbox.item()?;
        Some((item.list.name, Value::new(item.span.of(inbox.text()))))
    }

    pub(crate) fn chunk(&self) -> Option<Chunk<'_>> {
        let inbox = self.inlet.arrived();
        let open = inbox.open_text()?;
        let (text, is_last) = inbox.chunk();
        Some(Chunk { list: open.key().name, item: open.so_far(), path: place(&open)?, text, is_last })
    }
}

fn is_id(id: Value<'_>, number: u32) -> bool {
    Id::new(id).and_then(Id::as_u32) == Some(number)
}
