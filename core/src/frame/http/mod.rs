//! HTTP/1.1 (RFC 9112), without I/O and without storing anything: heads a line at a time, bodies a run at a time, both directions.
//!
//! ```text
//! in:   RequestHead / ResponseHead → BodyKind → Body, or EventBody over an event stream → runs of payload
//! out:  HeadWriter → head;  Chunk, Events → what stands around the payload
//! ```
//! A head of any length passes through a small buffer: headers that nobody needs are skipped as they arrive, and only a needed one has to fit.
//! The verdict on a head never depends on how its bytes were cut.
//!
//! Stricter than some: lines end in CR and LF, headers are not folded, no white space before a colon, one space between the parts of a first
//! line, a body's length is said once, and `chunked` is the only transfer coding. What is read leniently: white space around values, bytes
//! from 0x80 on in them, a few empty lines before a head, a missing reason, extensions and trailers of chunks.

mod body;
mod chars;
mod chunked;
mod error;
mod event_body;
mod fields;
mod framing;
mod head_writer;
mod lines;
mod request;
mod response;
mod sentinel;
mod status;
mod version;
mod wanted;

pub use body::{Body, BodyKind};
pub use chars::{is_field_value, is_token};
pub use chunked::{Chunk, Chunked};
pub use error::{BodyError, HeadError};
pub use event_body::EventBody;
pub use fields::Header;
pub use head_writer::{Head, HeadFault, HeadWriter, LengthField};
pub use lines::Next;
pub use request::{RequestEnd, RequestHead, RequestLine, RequestStep};
pub use response::{ResponseEnd, ResponseHead, ResponseLine, ResponseStep};
pub use sentinel::{Encoded, HeaderText, Malformed, header_equals, needs_encoding};
pub use status::reason;
pub use version::Version;
pub use wanted::{Limits, Wanted};
