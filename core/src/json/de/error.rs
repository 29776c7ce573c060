//! [`ReadError`]: why a value is not what the type wants.

use crate::digits::Digits;
use core::fmt;

use serde::de;

/// Why a value could not be read as the type that was wanted. Its `Display` tells whoever wrote the value what to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ReadError {
    /// What is wrong.
    pub problem: ReadProblem,
    /// The innermost field of a struct in which it is wrong, where that is known.
    pub field: Option<&'static str>,
}

/// What is wrong with a value that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ReadProblem {
    /// It is of another type than the one expected.
    WrongType {
        /// What it should be, such as "a string".
        expected: &'static str,
    },
    /// It is a number, but not one of those expected.
    OutOfRange {
        /// What it should be, such as "an integer from 0 to 255".
        expected: &'static str,
    },
    /// An object lacks a field.
    Missing {
        /// Its name.
        field: &'static str,
    },
    /// An object has a field twice.
    Duplicate {
        /// Its name.
        field: &'static str,
    },
    /// An object has a field that its type does not know, and the type forbids that.
    UnknownField {
        /// The fields it may have.
        known: &'static [&'static str],
    },
    /// An enum has no variant of that name.
    UnknownVariant {
        /// The names it has.
        known: &'static [&'static str],
    },
    /// An array has too many or too few items.
    WrongLength {
        /// The number of items that was seen to be wrong.
        items: usize,
    },
    /// The type refuses the value, for a reason of its own.
    Refused,
    /// Arrays and objects are nested deeper than [`MAX_DEPTH`](super::MAX_DEPTH).
    TooDeep,
    /// The text is not canonical JSON; cannot happen to what the scanner has passed.
    Malformed,
}

impl ReadError {
    pub(crate) const fn new(problem: ReadProblem) -> ReadError {
        ReadError { problem, field: None }
    }

    pub(crate) const MALFORMED: ReadError = ReadError::new(ReadProblem::Malformed);

    pub(super) const fn wrong_type(expected: &'static str) -> ReadError {
        ReadError::new(ReadProblem::WrongType { expected })
    }

    pub(crate) const fn out_of_range(expected: &'static str) -> ReadError {
        ReadError::new(ReadProblem::OutOfRange { expected })
    }

    /// The same, inside of `field`, unless an inner field has already been named.
    pub(crate) const fn inside(self, field: Option<&'static str>) -> ReadError {
        match self.field {
            Some(_) => self,
            None => ReadError { problem: self.problem, field },
        }
    }
}

impl ReadError {
    /// Says what is wrong, in pieces, so that an error can be told to a peer without linking formatting.
    pub(crate) fn describe(&self, put: &mut dyn FnMut(&str)) {
        if let Some(field) = self.field {
            put("`");
            put(field);
            put("`: ");
        }
        self.problem.describe(put);
    }
}

impl ReadProblem {
    fn describe(&self, put: &mut dyn FnMut(&str)) {
        match self {
            ReadProblem::WrongType { expected } | ReadProblem::OutOfRange { expected } => {
                put("expected ");
                put(expected);
            }
            ReadProblem::Missing { field } => one(put, field, "is missing"),
            ReadProblem::Duplicate { field } => one(put, field, "is given twice"),
            ReadProblem::UnknownField { known } => list(put, "unknown field; known are", known),
            ReadProblem::UnknownVariant { known } => list(put, "expected one of", known),
            ReadProblem::WrongLength { items } => {
                put("wrong number of items: ");
                put(core::str::from_utf8(Digits::new(*items as u64).as_bytes()).unwrap_or_default());
            }
            ReadProblem::Refused => put("the value is not acceptable"),
            ReadProblem::TooDeep => put("nested too deeply"),
            ReadProblem::Malformed => put("not canonical JSON"),
        }
    }
}

fn one(put: &mut dyn FnMut(&str), field: &str, what: &str) {
    put("field `");
    put(field);
    put("` ");
    put(what);
}

fn list(put: &mut dyn FnMut(&str), what: &str, names: &[&str]) {
    put(what);
    let mut separator = " `";
    for name in names {
        put(separator);
        put(name);
        separator = "`, `";
    }
    put("`");
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = Ok(());
        self.describe(&mut |piece| told = told.and_then(|()| f.write_str(piece)));
        told
    }
}

impl fmt::Display for ReadProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ReadError::new(*self).fmt(f)
    }
}

impl core::error::Error for ReadError {}

/// Keeps what is static of serde's errors. Their prose is dropped unformatted, so that formatting is not linked for it.
impl de::Error for ReadError {
    fn custom<T: fmt::Display>(_: T) -> ReadError {
        ReadError::new(ReadProblem::Refused)
    }

    fn invalid_type(_: de::Unexpected<'_>, _: &dyn de::Expected) -> ReadError {
        ReadError::new(ReadProblem::Refused)
    }

    fn invalid_value(_: de::Unexpected<'_>, _: &dyn de::Expected) -> ReadError {
        ReadError::new(ReadProblem::Refused)
    }

    fn invalid_length(items: usize, _: &dyn de::Expected) -> ReadError {
        ReadError::new(ReadProblem::WrongLength { items })
    }

    fn unknown_variant(_: &str, known: &'static [&'static str]) -> ReadError {
        ReadError::new(ReadProblem::UnknownVariant { known })
    }

    fn unknown_field(_: &str, known: &'static [&'static str]) -> ReadError {
        ReadError::new(ReadProblem::UnknownField { known })
    }

    fn missing_field(field: &'static str) -> ReadError {
        ReadError::new(ReadProblem::Missing { field })
    }

    fn duplicate_field(field: &'static str) -> ReadError {
        ReadError::new(ReadProblem::Duplicate { field })
    }
}
