//! JSON: one canonicalising scanner at the door, views and readers of what it has vetted, and one writer.
//!
//! Everything inside the house reads *canonical* text: no white space outside strings, the shortest escapes, valid UTF-8,
//! so that keys compare as bytes. [`scan::Scanner`] makes it, in place; [`Value`] and [`from_slice`] read it; [`Writer`] emits it.

pub mod scan;

mod base64;
mod de;
mod number;
mod text;
mod value;
mod writer;

pub use base64::{Base64Decoder, NotBase64};
pub use de::{Limits, MAX_DEPTH, ReadError, ReadProblem, Reader, from_slice};
pub use number::Decimal;
#[cfg(feature = "client")]
pub(crate) use text::Utf8;
pub use text::{Chars, Text, TextError, escaped_len};
pub(crate) use value::value_len;
pub use value::{Items, Kind, Members, Value};
pub use writer::{Base64, Capacity, Mark, Writer};
