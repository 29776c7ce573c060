//! Reading the members of an object.

use super::Argument;
use crate::json::{Limits, ReadError, ReadProblem, Reader};

/// The members of an object that is being read.
#[doc(hidden)]
#[derive(Debug)]
pub struct Members<'r, 'a> {
    reader: &'r mut Reader<'a>,
    is_first: bool,
}

impl<'r, 'a> Members<'r, 'a> {
    /// Enters an object.
    ///
    /// # Errors
    /// It is none, or nested too deeply.
    pub fn open(reader: &'r mut Reader<'a>) -> Result<Members<'r, 'a>, ReadError> {
        reader.open(b'{', "an object")?;
        Ok(Members { reader, is_first: true })
    }

    /// The name of the next member that is not null; nothing once the object has ended.
    ///
    /// # Errors
    /// The text is malformed.
    pub fn next_name(&mut self) -> Result<Option<&'a str>, ReadError> {
        loop {
            if self.reader.peek() == Some(b'}') {
                self.reader.close(b'}')?;
                return Ok(None);
            }
            if !core::mem::take(&mut self.is_first) {
                self.reader.punctuation(b',')?;
            }
            let name = self.reader.string()?;
            self.reader.punctuation(b':')?;
            if self.reader.peek() != Some(b'n') {
                return Ok(Some(name));
            }
            self.reader.literal(b"null")?;
        }
    }

    /// Reads the member `name` into its place, which must be empty.
    ///
    /// # Errors
    /// It is not what its type wants, or has come before.
    pub fn value<T: Argument<'a>>(
        &mut self,
        name: &'static str,
        limits: Option<&'static Limits>,
        place: &mut Option<T>,
    ) -> Result<(), ReadError> {
        if place.is_some() {
            return Err(ReadError::new(ReadProblem::Duplicate { field: name }));
        }
        *place = Some(T::read(self.reader, limits).map_err(|error| error.inside(Some(name)))?);
        Ok(())
    }

    /// Passes over a member that nobody knows.
    ///
    /// # Errors
    /// The text is malformed.
    pub fn skip(&mut self) -> Result<(), ReadError> {
        self.reader.skip()
    }
}

/// Reads one of `names`.
///
/// # Errors
/// It is no string; that it is none of them is found out by the caller.
#[doc(hidden)]
pub fn read_name<'a>(reader: &mut Reader<'a>, names: &'static [&'static str]) -> Result<&'a str, ReadError> {
    reader.string().map_err(|_| unknown_name(names))
}

/// It is none of `names`.
#[doc(hidden)]
#[must_use]
pub const fn unknown_name(names: &'static [&'static str]) -> ReadError {
    ReadError::new(ReadProblem::UnknownVariant { known: names })
}
