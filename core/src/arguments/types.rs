//! The types that a member may have, besides structs and enums of one's own.

use core::marker::PhantomData;

use super::Argument;
use super::shape::{Constant, Kind, Range, Shape};
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

impl<'a> Argument<'a> for Decimal {
    const SHAPE: Shape =
        Shape::new(Kind::Number { range: Range { is_whole: false, ..Range::WIDEST }, minimum: false, maximum: false });
    type Literal = Literal<Decimal>;

    fn read(reader: &mut Reader<'a>, limits: Option<&'static Limits>) -> Result<Decimal, ReadError> {
        match limits {
            Some(limits) => reader.decimal_within(limits),
            None => reader.decimal(),
        }
    }
}

impl Literal<Decimal> {
    #[doc(hidden)]
    #[must_use]
    pub const fn __constant(value: Decimal) -> Constant {
        Constant::Decimal(value)
    }
}

/// Integers that an `i64` holds. A schema mentions the limits of those that are shorter.
macro_rules! integers {
    ($($type:ident $is_shorter:literal $expected:literal;)+) => {$(
        impl<'a> Argument<'a> for $type {
            const SHAPE: Shape = Shape::new(Kind::Number {
                range: Range { low: $type::MIN as i64, high: $type::MAX as i64, is_whole: true },
                minimum: $is_shorter,
                maximum: $is_shorter,
            });
            type Literal = Literal<$type>;

            fn read(reader: &mut Reader<'a>, limits: Option<&'static Limits>) -> Result<$type, ReadError> {
                let limits = limits.unwrap_or(const { &<$type as Argument>::SHAPE.limits($expected) });
                let value = reader.integer_within(limits)?;
                $type::try_from(value).map_err(|_| ReadError::out_of_range(limits.expected))
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
    u8 true "an integer from 0 to 255";
    i8 true "an integer from -128 to 127";
    u16 true "an integer from 0 to 65535";
    i16 true "an integer from -32768 to 32767";
    u32 true "an integer from 0 to 4294967295";
    i32 true "an integer from -2147483648 to 2147483647";
    i64 false "an integer of 64 bits";
}

impl<'a> Argument<'a> for u64 {
    const SHAPE: Shape =
        Shape::new(Kind::Number { range: Range { low: 0, ..Range::WIDEST }, minimum: true, maximum: false });
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
