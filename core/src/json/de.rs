//! Typed reading: our own small `serde::Deserializer` over a vetted span.
//!
//! It undoes escapes in the span itself and so always borrows: a `&str` field works whatever is escaped in it.

mod access;
mod error;
mod limits;
mod reader;

use serde::de::Deserialize;

pub use error::{ReadError, ReadProblem};
pub use limits::Limits;
pub use reader::Reader;

/// Reads a `T` out of `text`, the canonical text of one JSON value, which is used up: afterwards it is no longer JSON.
///
/// - `&'a str` borrows whatever is escaped; a lone surrogate is U+FFFD. `&'a [u8]` is the bytes of a string, `char` a string of one character.
/// - An integer may be spelled `30`, `30.0` or `3e1`. Numbers never pass through a float unless the type asks for one;
///   [`Decimal`](super::Decimal) does not.
/// - A struct is an object; unknown members are skipped, unless the type denies them. A struct is never read from an array.
/// - An enum is the name of a unit variant as a string, or an object of one member whose key is the variant's name.
/// - The keys of a map are strings.
/// - Where the type leaves it open what comes (serde's `untagged`, internal tags and `flatten`, all of which need an allocator), a number that is
///   no integer is handed over as the string of its text: a `Decimal` reads that, an `f64` does not.
/// - At most [`MAX_DEPTH`] arrays and objects may be open at once in what is read (what is skipped may be deeper).
///
/// ```
/// #[derive(serde::Deserialize)]
/// struct Blink<'a> { led: &'a str, times: u8 }
/// let mut text = *br#"{"led":"left\n","times":3.0}"#;
/// let blink: Blink = umcp::json::from_slice(&mut text).unwrap();
/// assert_eq!((blink.led, blink.times), ("left\n", 3));
/// ```
///
/// # Errors
/// [`ReadError`] says what is wrong with the value, and in which field as far as that is known.
pub fn from_slice<'a, T: Deserialize<'a>>(text: &'a mut [u8]) -> Result<T, ReadError> {
    let mut reader = Reader::new(text);
    let value = T::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// How many arrays and objects may be open at once in what [`from_slice`] reads, so that its recursion is bounded whatever the type.
pub const MAX_DEPTH: u8 = 64;
