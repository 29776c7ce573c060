//! Typed arguments: one declaration gives the type that a handler takes, the reading of it, and the text of its JSON Schema.
//!
//! [`arguments!`](crate::arguments!) declares the type; [`tool!`](crate::tool!) makes a tool of it and a handler. The schema's text is made at
//! compile time; reading is a few calls of what is in this module, needs no serde, and knows the same limits and names as the schema.
//!
//! | member's type | in the schema | when reading |
//! |---|---|---|
//! | `bool` | `boolean` | `true`, `false` |
//! | `u8` to `u64`, `i8` to `i64`, `usize`, `isize` | `integer`, with the type's limits up to 32 bits | an integer, spelled `30`, `30.0` or `3e1` |
//! | [`Decimal`](crate::json::Decimal) | `number` | at most 18 digits |
//! | `&'a str` | `string` | borrowed; a lone surrogate is U+FFFD |
//! | an enum of [`arguments!`](crate::arguments!) | `string` and `enum` | one of the names |
//! | a struct of [`arguments!`](crate::arguments!) | `object` | its members; others are passed over |
//! | `[T; N]`, `heapless::Vec<T, N>` | `array` of exactly, at most `N` items | as many |
//! | `Option<T>` | as `T`, but not `required` | `None` where it is missing or `null` |
//! | `T = default` | `default`, and not `required` | the default where it is missing or `null` |
//! | a number `in low..=high` | `minimum` and `maximum` | [`OutOfRange`](crate::json::ReadProblem::OutOfRange), in words such as "an integer from 1 to 20", for any other number |
//!
//! A type of one's own is given an [`Argument`] by hand.

mod macros;
mod read;
mod shape;
mod text;
mod types;

use crate::json::{Limits, ReadError, ReadProblem, Reader};

#[doc(hidden)]
pub use read::{Members, read_name, unknown_name};
pub use shape::Shape;
#[doc(hidden)]
pub use shape::{Constant, Member, name};
#[doc(hidden)]
pub use text::{ConstText, expected_text, schema_text};
pub use types::{Literal, NoDefault};

/// A type that a member of arguments can have.
///
/// Structs and enums get it from [`arguments!`](crate::arguments!). By hand it is given to a type that is written as one of those above:
///
/// ```
/// use umcp::arguments::{Argument, NoDefault, Shape};
/// use umcp::json::{Limits, ReadError, ReadProblem, Reader};
///
/// struct Pin(u8);
///
/// impl<'a> Argument<'a> for Pin {
///     const SHAPE: Shape = Shape::text(r#""type":"string","pattern":"^P[0-9]$""#);
///     type Literal = NoDefault;
///
///     fn read(reader: &mut Reader<'a>, _: Option<&'static Limits>) -> Result<Pin, ReadError> {
///         match <&str>::read(reader, None)?.as_bytes() {
///             [b'P', digit @ b'0'..=b'9'] => Ok(Pin(digit - b'0')),
///             _ => Err(ReadError { problem: ReadProblem::WrongType { expected: "a pin, P0 to P9" }, field: None }),
///         }
///     }
/// }
///
/// umcp::arguments! {
///     struct Toggle { pin: Pin }
/// }
/// let toggle: Toggle = umcp::arguments::read(&mut br#"{"pin":"P7"}"#.to_owned()).unwrap();
/// assert_eq!(toggle.pin.0, 7);
/// ```
#[diagnostic::on_unimplemented(
    message = "a member of arguments cannot be a `{Self}`",
    note = "it can be bool, an integer of at most 64 bits, Decimal, &'a str, an Option or an array of these, or a struct or an enum that \
            `umcp::arguments!` declares"
)]
pub trait Argument<'a>: Sized {
    /// What it looks like in JSON.
    const SHAPE: Shape;

    /// What makes a default of this type known to the schema: [`NoDefault`], unless it is a type of this crate.
    type Literal;

    /// Reads it. `limits` are those that its member declares with `in`, which only members with the shape of a number do.
    ///
    /// # Errors
    /// The value is not what this type wants; the member it is in is added by the caller.
    fn read(reader: &mut Reader<'a>, limits: Option<&'static Limits>) -> Result<Self, ReadError>;

    /// What stands for it where the member `name` is missing.
    ///
    /// # Errors
    /// It may not be left out; only an `Option` may.
    fn missing(name: &'static str) -> Result<Self, ReadError> {
        Err(ReadError::new(ReadProblem::Missing { field: name }))
    }
}

/// The arguments of a tool: a struct that [`arguments!`](crate::arguments!) declares.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a struct that `umcp::arguments!` declares")]
pub trait Arguments<'a>: Argument<'a> {
    /// The text of its JSON Schema (draft 2020-12): an object.
    const SCHEMA: &'static str;
}

/// The JSON Schema of a tool that takes no arguments.
pub const NO_ARGUMENTS: &str = r#"{"type":"object","additionalProperties":false}"#;

/// Reads arguments out of `text`, the canonical text of one JSON object, which is used up: afterwards it is no longer JSON.
/// ([`client::arguments`](crate::client::arguments) makes any text canonical.)
///
/// # Errors
/// [`ReadError`] says what is wrong, and in which member.
#[inline(never)] // What reading takes of the stack is free again when the handler runs.
pub fn read<'a, T: Arguments<'a>>(text: &'a mut [u8]) -> Result<T, ReadError> {
    let mut reader = Reader::new(text);
    let arguments = T::read(&mut reader, None)?;
    reader.end()?;
    Ok(arguments)
}
