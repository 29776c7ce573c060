//! The types that a member may have, besides structs and enums of one's own.

use core::marker::PhantomData;

use super::Argument;
use super::shape::{Constant, Kind, Shape};
use crate::json::{Decimal, Limits, ReadError, ReadProblem, Reader};

/// What [`Argument::Literal`] is of a type for which no default can be declared.
#[derive(Debug)]
pub enum NoDefault {}

/// What [`Argument::Literal`] is of a type of this crate: it makes a default known to the schema.
#[derive(Debug)]
pub struct Literal<T>(PhantomData<T>);

impl<'a> Argument<'a> for bool {
    const SHAPE: Shape = Shape::text(r#""type":"boolean""#);
    type Literal = Literal<bool>;

    fn read(reader: &mut Reader<'a>, _: Option<&'static Limits>) -> Result<bool, ReadError> {
        reader.bool()
    }
}

impl Literal<bool> {
    #[doc(hidden)]
    #[must_use]
    pub const fn __constant(value: bool) -> Constant {
        Constant::Bool(value)
    }
}

impl<'a> Argument<'a> for &'a str {
    const SHAPE: Shape = Shape::text(r#""type":"string""#);
    type Literal = Literal<&'static str>;

    fn read(reader: &mut Reader<'a>, _: Option<&'static Limits>) -> Result<&'a str, ReadError> {
        reader.string()
    }
}

impl Literal<&'static str> {
    #[doc(hidden)]
    #[must_use]
    pub const fn __constant(value: &'static str) -> Constant {
        Constant::String(value)
    }
}

/// The limits of an `i64`, and of a number that has none.
pub(super) const WIDEST: Limits = Limits { low: i64::MIN, high: i64::MAX, is_whole: true };

impl<'a> Argument<'a> for Decimal {
    const SHAPE: Shape =
        Shape::new(Kind::Number { limits: Limits { is_whole: false, ..WIDEST }, minimum: false, maximum: false });
    type Literal = Literal<Decimal>;

    fn read(reader: &mut Reader<'a>, limits: Option<&'static Limits>) -> Result<Decimal, ReadError> {
        let Some(limits) = limits else { return reader.decimal() };
        let value = reader.decimal().ok().filter(|value| limits.have_decimal(*value));
        value.ok_or(ReadError::new(ReadProblem::OutOfLimits { limits }))
    }
}

impl Literal<Decimal> {
    #[doc(hidden)]
    #[must_use]
    pub const fn __constant(value: Decimal) -> Constant {
        Constant::Decimal(value)
    }
}

/// Integers: the limits of each, and whether its schema mentions the lower and the upper one.
macro_rules! integers {
    ($($type:ident: $limits:expr, $minimum:literal, $maximum:literal;)+) => {$(
        impl<'a> Argument<'a> for $type {
            const SHAPE: Shape = Shape::new(Kind::Number { limits: $limits, minimum: $minimum, maximum: $maximum });
            type Literal = Literal<$type>;

            fn read(reader: &mut Reader<'a>, limits: Option<&'static Limits>) -> Result<$type, ReadError> {
                let limits = limits.unwrap_or(const { &$limits });
                let value = reader.integer_within(limits)?;
                $type::try_from(value).map_err(|_| ReadError::new(ReadProblem::OutOfLimits { limits }))
            }
        }

        literal!($type);
    )+};
}

macro_rules! literal {
    ($type:ident) => {
        impl Literal<$type> {
            #[doc(hidden)]
            #[must_use]
            pub const fn __constant(value: $type) -> Constant {
                Constant::Integer(value as i128)
            }
        }
    };
}

integers! {
    u8: Limits { low: 0, high: u8::MAX as i64, ..WIDEST }, true, true;
    i8: Limits { low: i8::MIN as i64, high: i8::MAX as i64, ..WIDEST }, true, true;
    u16: Limits { low: 0, high: u16::MAX as i64, ..WIDEST }, true, true;
    i16: Limits { low: i16::MIN as i64, high: i16::MAX as i64, ..WIDEST }, true, true;
    u32: Limits { low: 0, high: u32::MAX as i64, ..WIDEST }, true, true;
    i32: Limits { low: i32::MIN as i64, high: i32::MAX as i64, ..WIDEST }, true, true;
    i64: WIDEST, false, false;
}

impl<'a> Argument<'a> for u64 {
    const SHAPE: Shape =
        Shape::new(Kind::Number { limits: Limits { low: 0, ..WIDEST }, minimum: true, maximum: false });
    type Literal = Literal<u64>;

    fn read(reader: &mut Reader<'a>, limits: Option<&'static Limits>) -> Result<u64, ReadError> {
        match limits {
            Some(limits) => reader.integer_within(limits).map(i64::unsigned_abs),
            None => reader.unsigned(),
        }
    }
}

literal!(u64);

/// An integer of the width of an address, as one of the width that this is here.
macro_rules! addresses {
    ($($type:ident as $fixed:ident where $width:literal;)+) => {$(
        #[cfg(target_pointer_width = $width)]
        impl<'a> Argument<'a> for $type {
            const SHAPE: Shape = <$fixed as Argument>::SHAPE;
            type Literal = Literal<$type>;

            fn read(reader: &mut Reader<'a>, limits: Option<&'static Limits>) -> Result<$type, ReadError> {
                $fixed::read(reader, limits).map(|value| value as $type)
            }
        }
    )+};
}

addresses! {
    usize as u64 where "64";
    isize as i64 where "64";
    usize as u32 where "32";
    isize as i32 where "32";
    usize as u16 where "16";
    isize as i16 where "16";
}

literal!(usize);
literal!(isize);

/// A member that may be left out. (One that is null has been left out.)
impl<'a, T: Argument<'a>> Argument<'a> for Option<T> {
    const SHAPE: Shape = T::SHAPE.optional();
    type Literal = NoDefault;

    fn read(reader: &mut Reader<'a>, limits: Option<&'static Limits>) -> Result<Option<T>, ReadError> {
        T::read(reader, limits).map(Some)
    }

    fn missing(_: &'static str) -> Result<Option<T>, ReadError> {
        Ok(None)
    }
}

/// An array of at most `N` items.
impl<'a, T: Argument<'a>, const N: usize> Argument<'a> for heapless::Vec<T, N> {
    const SHAPE: Shape = Shape::list(&T::SHAPE, 0, N);
    type Literal = NoDefault;

    fn read(reader: &mut Reader<'a>, _: Option<&'static Limits>) -> Result<heapless::Vec<T, N>, ReadError> {
        let mut items = heapless::Vec::new();
        reader.open(b'[', "an array")?;
        while reader.peek() != Some(b']') {
            if !items.is_empty() {
                reader.punctuation(b',')?;
            }
            let wrong = ReadError::new(ReadProblem::WrongLength { items: N.saturating_add(1) });
            items.push(T::read(reader, None)?).map_err(|_| wrong)?;
        }
        reader.close(b']')?;
        Ok(items)
    }
}

/// An array of exactly `N` items.
impl<'a, T: Argument<'a>, const N: usize> Argument<'a> for [T; N] {
    const SHAPE: Shape = Shape::list(&T::SHAPE, N, N);
    type Literal = NoDefault;

    fn read(reader: &mut Reader<'a>, _: Option<&'static Limits>) -> Result<[T; N], ReadError> {
        let items = heapless::Vec::<T, N>::read(reader, None)?;
        let wrong = ReadError::new(ReadProblem::WrongLength { items: items.len() });
        items.into_array().map_err(|_| wrong)
    }
}
