//! Answers of any length: written piece by piece to a call that was deferred, as the transmit buffer drains, without ever existing whole.

use crate::json::{Base64, Mark, Writer};
use crate::mcp::{Era, Fault, Method, Revision};
use crate::rpc::Id;

use super::exchange::{begin_result, write_server_meta};
use super::info::ServerInfo;

/// How far an answer is that is written in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// There is more to come: call again when what is there has left, or when the application has more.
    More,
    /// That was all.
    Done,
}

/// Where an answer in pieces stands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    at: At,
    /// Bytes that wait for the rest of their group of three.
    base64: Base64,
    /// A block has been written.
    has_blocks: bool,
    is_error: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    /// Nothing has been written.
    #[default]
    Begin,
    /// Between two blocks.
    Between,
    /// Inside a string, of text or of base64; and how many objects end behind it.
    Inside { bytes: bool, objects: u8 },
}

impl PartialEq for Place {
    fn eq(&self, other: &Place) -> bool {
        (self.at, self.has_blocks, self.is_error) == (other.at, other.has_blocks, other.is_error)
    }
}

impl Eq for Place {}

impl Place {
    pub(crate) fn has_begun(self) -> bool {
        self.at != At::Begin
    }

    /// Writes all that is missing, from the open string to the last brace.
    /// A tool that failed after it had begun says why in its last block.
    pub(crate) fn write_tail(
        mut self,
        w: &mut Writer<'_>,
        fault: Option<Fault>,
        method: Method,
        revision: Revision,
        info: &ServerInfo,
    ) {
        self.close(w);
        if let Some(fault) = fault {
            w.literal(if self.has_blocks { "," } else { "" }).literal(r#"{"type":"text","text":""#);
            fault.write_message(w, None);
            w.literal("\"}");
        }
        w.literal("]");
        if self.is_error || fault.is_some() {
            w.literal(r#","isError":true"#);
        }
        if revision.era() == Era::Modern {
            if method == Method::ReadResource {
                w.literal(r#","ttlMs":0,"cacheScope":"private""#);
            }
            write_server_meta(w, info);
        }
        w.literal("}}");
    }

    /// Ends the string and the objects around it.
    fn close(&mut self, w: &mut Writer<'_>) {
        let At::Inside { bytes, objects } = self.at else { return };
        if bytes {
            self.base64.end(w);
        }
        w.literal(match objects {
            1 => "\"}",
            _ => "\"}}",
        });
        self.at = At::Between;
    }
}

/// The pen for an answer that is written piece by piece: see [`Calls::stream`](super::Calls::stream).
///
/// What is written leaves as soon as the wire takes it, so it cannot be taken back. Each method writes as much as there is room for and says how
/// much that was; when that is nothing, return [`Flow::More`] and go on from there the next time.
///
/// The answer to a tool call has blocks of content; that to a request for a resource has contents, each with its URI.
#[derive(Debug)]
pub struct Stream<'s, 'w> {
    pub(super) w: &'s mut Writer<'w>,
    pub(super) place: Place,
    pub(super) id: Id<'s>,
    pub(super) method: Method,
    pub(super) revision: Revision,
    /// Something was not written, for want of room.
    pub(super) starved: bool,
}

impl Stream<'_, '_> {
    /// Goes on with a text; begins one, if none is open. Returns how many bytes of it were taken, which is 0 where there is no room.
    pub fn text(&mut self, text: &str) -> usize {
        let is_open = matches!(self.place.at, At::Inside { bytes: false, .. });
        if !is_open && !self.begin_text() {
            return 0;
        }
        let mut len = floor(text, text.len().min(self.w.room()));
        while len > 0 {
            let mark = self.w.mark();
            self.w.string_part(text.get(..len).unwrap_or_default());
            if !self.w.overflowed() {
                return len;
            }
            self.w.rollback(mark);
            len = floor(text, len / 2);
        }
        self.starved |= !text.is_empty();
        0
    }

    /// Goes on with the bytes of the picture, the sound or the resource that was begun; they are encoded on the way. Returns how many were taken,
    /// which is 0 where there is no room, or nothing was begun.
    pub fn bytes(&mut self, bytes: &[u8]) -> usize {
        let At::Inside { bytes: true, .. } = self.place.at else { return 0 };
        // What waits for the rest of its group has its room as well.
        let groups = (self.w.room() / 4).saturating_sub(1);
        let taken = bytes.get(..bytes.len().min(groups.saturating_mul(3))).unwrap_or_default();
        self.place.base64.part(self.w, taken);
        self.starved |= taken.len() < bytes.len();
        taken.len()
    }

    /// Begins a text. `false`: there is no room now.
    pub fn begin_text(&mut self) -> bool {
        self.begin(false, 1, |w| {
            w.literal(r#"{"type":"text","text":""#);
        })
    }

    /// Begins a picture; its [bytes](Stream::bytes) follow. `false`: there is no room now.
    pub fn begin_image(&mut self, mime_type: &str) -> bool {
        self.begin_media("image", mime_type)
    }

    /// Begins a sound; its [bytes](Stream::bytes) follow. `false`: there is no room now.
    pub fn begin_audio(&mut self, mime_type: &str) -> bool {
        self.begin_media("audio", mime_type)
    }

    fn begin_media(&mut self, kind: &'static str, mime_type: &str) -> bool {
        self.begin(true, 1, |w| {
            w.literal(r#"{"type":""#).literal(kind).literal(r#"","mimeType":"#);
            w.string(mime_type).literal(r#","data":""#);
        })
    }

    /// Begins a resource that is a text, which follows. In the answer to a tool call it is embedded. `false`: there is no room now.
    pub fn begin_resource_text(&mut self, uri: &str, mime_type: &str) -> bool {
        self.begin_resource(false, uri, mime_type)
    }

    /// Begins a resource of bytes, which follow. `false`: there is no room now.
    pub fn begin_resource_blob(&mut self, uri: &str, mime_type: &str) -> bool {
        self.begin_resource(true, uri, mime_type)
    }

    fn begin_resource(&mut self, bytes: bool, uri: &str, mime_type: &str) -> bool {
        let is_embedded = self.method == Method::CallTool;
        self.begin(bytes, 1 + u8::from(is_embedded), |w| {
            if is_embedded {
                w.literal(r#"{"type":"resource","resource":"#);
            }
            w.literal(r#"{"uri":"#).string(uri).literal(r#","mimeType":"#).string(mime_type);
            w.literal(if bytes { r#","blob":""# } else { r#","text":""# });
        })
    }

    /// Ends what is open: a text, a picture, a resource. `false`: there is no room now.
    pub fn end(&mut self) -> bool {
        let (mark, before) = (self.w.mark(), self.place);
        self.place.close(self.w);
        self.keep(mark, before)
    }

    /// Says that the tool failed (`isError`); what has been written stays.
    pub fn is_error(&mut self) {
        self.place.is_error = true;
    }

    /// How many bytes there is room for now, of JSON text.
    #[must_use]
    pub fn room(&self) -> usize {
        self.w.room()
    }

    /// Begins a block as a whole, and the answer before it, or writes nothing of it.
    fn begin(&mut self, bytes: bool, objects: u8, write: impl FnOnce(&mut Writer<'_>)) -> bool {
        if !self.begin_answer() {
            return false;
        }
        let (mark, before) = (self.w.mark(), self.place);
        self.place.close(self.w);
        if self.place.has_blocks {
            self.w.literal(",");
        }
        write(self.w);
        self.place.at = At::Inside { bytes, objects };
        self.place.has_blocks = true;
        self.keep(mark, before)
    }

    /// Begins the answer, unless it has begun. `false`: there is no room now.
    pub(super) fn begin_answer(&mut self) -> bool {
        if self.place.at != At::Begin {
            return true;
        }
        let (mark, before) = (self.w.mark(), self.place);
        begin_result(self.w, self.id);
        if self.revision.era() == Era::Modern {
            self.w.literal(r#""resultType":"complete","#);
        }
        self.w.literal(if self.method == Method::ReadResource { r#""contents":["# } else { r#""content":["# });
        self.place.at = At::Between;
        self.keep(mark, before)
    }

    /// Keeps what has been written since, if it fits.
    fn keep(&mut self, mark: Mark, before: Place) -> bool {
        let fits = !self.w.overflowed();
        if !fits {
            self.w.rollback(mark);
            self.place = before;
            self.starved = true;
        }
        fits
    }
}

/// The longest start of a text that ends at a character and is at most `len` bytes.
fn floor(text: &str, len: usize) -> usize {
    (0..=len.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0)
}
