//! [`Reader`]: what is left of the text, taken from the front; and what serde asks of it.

use serde::de::{self, Visitor};

use super::super::number::{self, Decimal, Number, is_decimal};
use super::super::text;
use super::super::value::value_len;
use super::MAX_DEPTH;
use super::access::{Items, Members, Variant};
use super::error::{ReadError, ReadProblem};
use super::limits::Limits;

const EXPECTED_DECIMAL: &str = "a number of at most 18 digits";

/// The text of a JSON value while it is being read, from the front to the back.
///
/// What is read out of it borrows from the text, in which escapes are undone. Types that are no part of this crate are given one by
/// [`Argument::read`](crate::arguments::Argument::read) and hand it on to the type they are made of.
#[derive(Debug)]
pub struct Reader<'a> {
    rest: &'a mut [u8],
    /// How many more arrays and objects may be opened.
    depth_left: u8,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a mut [u8]) -> Reader<'a> {
        Reader { rest: text, depth_left: MAX_DEPTH }
    }

    /// Nothing may be left after the value.
    pub(crate) fn end(&self) -> Result<(), ReadError> {
        if self.rest.is_empty() { Ok(()) } else { Err(ReadError::MALFORMED) }
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// The error for a value that does not begin as it should.
    pub(super) fn mismatch(&self, expected: &'static str) -> ReadError {
        if self.rest.is_empty() { ReadError::MALFORMED } else { ReadError::wrong_type(expected) }
    }

    fn take(&mut self, len: usize) -> Result<&'a mut [u8], ReadError> {
        let (taken, rest) = core::mem::take(&mut self.rest).split_at_mut_checked(len).ok_or(ReadError::MALFORMED)?;
        self.rest = rest;
        Ok(taken)
    }

    /// Takes `byte` if it comes next.
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        self.peek() == Some(byte) && self.take(1).is_ok()
    }

    /// Takes punctuation that must come next.
    pub(crate) fn punctuation(&mut self, byte: u8) -> Result<(), ReadError> {
        if self.eat(byte) { Ok(()) } else { Err(ReadError::MALFORMED) }
    }

    pub(crate) fn literal(&mut self, literal: &[u8]) -> Result<(), ReadError> {
        if self.take(literal.len())? == literal { Ok(()) } else { Err(ReadError::MALFORMED) }
    }

    /// Takes a string and undoes its escapes.
    pub(crate) fn string(&mut self) -> Result<&'a str, ReadError> {
        if !self.eat(b'"') {
            return Err(self.mismatch("a string"));
        }
        let mut content = self.take(text::content_len(self.rest).ok_or(ReadError::MALFORMED)?)?;
        self.punctuation(b'"')?;
        if text::is_special_in(content) {
            content = text::unescape_in_place(content).ok_or(ReadError::MALFORMED)?;
        }
        core::str::from_utf8(content).map_err(|_| ReadError::MALFORMED)
    }

    /// Takes the text of a number.
    fn number_text(&mut self, expected: &'static str) -> Result<&'a str, ReadError> {
        if !matches!(self.peek(), Some(b'-' | b'0'..=b'9')) {
            return Err(self.mismatch(expected));
        }
        let len = value_len(self.rest).ok_or(ReadError::MALFORMED)?;
        core::str::from_utf8(self.take(len)?).map_err(|_| ReadError::MALFORMED)
    }

    fn number(&mut self, expected: &'static str) -> Result<Number, ReadError> {
        let text = self.number_text(expected)?;
        number::parse(text.as_bytes()).ok_or(ReadError::out_of_range(expected))
    }

    /// Takes an integer that a `T` holds.
    fn integer<T: TryFrom<i64>>(&mut self, expected: &'static str) -> Result<T, ReadError> {
        let value = self.number(expected)?.to_i64();
        value.and_then(|value| T::try_from(value).ok()).ok_or(ReadError::out_of_range(expected))
    }

    /// Takes an integer within `limits`.
    pub(crate) fn integer_within(&mut self, limits: &Limits) -> Result<i64, ReadError> {
        let value = self.number(limits.expected)?.to_i64();
        value.filter(|value| limits.have(*value)).ok_or(ReadError::out_of_range(limits.expected))
    }

    /// Takes an integer that is not negative.
    pub(crate) fn unsigned(&mut self) -> Result<u64, ReadError> {
        let expected = "a non-negative integer of 64 bits";
        self.number(expected)?.to_u64().ok_or(ReadError::out_of_range(expected))
    }

    /// Takes a number that has at most 18 digits.
    pub(crate) fn decimal(&mut self) -> Result<Decimal, ReadError> {
        self.number("a number")?.to_decimal().ok_or(ReadError::out_of_range(EXPECTED_DECIMAL))
    }

    /// Takes a number within `limits`.
    pub(crate) fn decimal_within(&mut self, limits: &Limits) -> Result<Decimal, ReadError> {
        let value = self.number(limits.expected)?.to_decimal();
        value.filter(|value| limits.have_decimal(*value)).ok_or(ReadError::out_of_range(limits.expected))
    }

    /// Takes `true` or `false`.
    pub(crate) fn bool(&mut self) -> Result<bool, ReadError> {
        match self.peek() {
            Some(b't') => self.literal(b"true").map(|()| true),
            Some(b'f') => self.literal(b"false").map(|()| false),
            _ => Err(self.mismatch("true or false")),
        }
    }

    /// Takes a value of any kind. Never recurses.
    pub(crate) fn skip(&mut self) -> Result<(), ReadError> {
        let len = value_len(self.rest).ok_or(ReadError::MALFORMED)?;
        self.take(len).map(drop)
    }

    /// Opens an array or object.
    pub(crate) fn open(&mut self, opening: u8, expected: &'static str) -> Result<(), ReadError> {
        if !self.eat(opening) {
            return Err(self.mismatch(expected));
        }
        self.depth_left = self.depth_left.checked_sub(1).ok_or(ReadError::new(ReadProblem::TooDeep))?;
        Ok(())
    }

    /// Closes the array or object that was opened last.
    pub(crate) fn close(&mut self, closing: u8) -> Result<(), ReadError> {
        self.depth_left = self.depth_left.saturating_add(1);
        self.punctuation(closing)
    }

    pub(super) fn array<V: Visitor<'a>>(&mut self, visitor: V) -> Result<V::Value, ReadError> {
        self.open(b'[', "an array")?;
        let mut items = Items::new(self);
        let value = visitor.visit_seq(&mut items)?;
        items.end()?;
        Ok(value)
    }

    /// An object; of a struct, `fields` are the names that may be mentioned in an error.
    pub(super) fn object<V: Visitor<'a>>(
        &mut self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.open(b'{', "an object")?;
        let mut members = Members::new(self, fields);
        let value = visitor.visit_map(&mut members)?;
        members.end()?;
        Ok(value)
    }
}

impl<'a> de::Deserializer<'a> for &mut Reader<'a> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.peek() {
            Some(b'n') => self.deserialize_unit(visitor),
            Some(b't' | b'f') => self.deserialize_bool(visitor),
            Some(b'"') => self.deserialize_str(visitor),
            Some(b'[') => self.array(visitor),
            Some(b'{') => self.object(&[], visitor),
            _ => {
                let text = self.number_text("a value")?;
                let number = number::parse(text.as_bytes());
                if let Some(value) = number.and_then(Number::to_u64) {
                    visitor.visit_u64(value)
                } else if let Some(value) = number.and_then(Number::to_i64) {
                    visitor.visit_i64(value)
                } else {
                    visitor.visit_borrowed_str(text)
                }
            }
        }
    }

    fn deserialize_bool<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_bool(self.bool()?)
    }

    fn deserialize_i8<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_i8(self.integer("an integer from -128 to 127")?)
    }

    fn deserialize_i16<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_i16(self.integer("an integer from -32768 to 32767")?)
    }

    fn deserialize_i32<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_i32(self.integer("an integer from -2147483648 to 2147483647")?)
    }

    fn deserialize_i64<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_i64(self.integer("an integer of 64 bits")?)
    }

    fn deserialize_u8<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_u8(self.integer("an integer from 0 to 255")?)
    }

    fn deserialize_u16<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_u16(self.integer("an integer from 0 to 65535")?)
    }

    fn deserialize_u32<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_u32(self.integer("an integer from 0 to 4294967295")?)
    }

    fn deserialize_u64<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_u64(self.unsigned()?)
    }

    // Floats link a lot of code, and only in a program whose types have them.

    fn deserialize_f32<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let value: f32 = self.number_text("a number")?.parse().map_err(|_| ReadError::MALFORMED)?;
        if !value.is_finite() {
            return Err(ReadError::out_of_range("a number that 32 bits of floating point hold"));
        }
        visitor.visit_f32(value)
    }

    fn deserialize_f64<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let value: f64 = self.number_text("a number")?.parse().map_err(|_| ReadError::MALFORMED)?;
        if !value.is_finite() {
            return Err(ReadError::out_of_range("a number that 64 bits of floating point hold"));
        }
        visitor.visit_f64(value)
    }

    fn deserialize_char<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let expected = "a string of one character";
        if self.peek() != Some(b'"') {
            return Err(self.mismatch(expected));
        }
        let mut chars = self.string()?.chars();
        match (chars.next(), chars.next()) {
            (Some(char), None) => visitor.visit_char(char),
            _ => Err(ReadError::wrong_type(expected)),
        }
    }

    fn deserialize_str<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_borrowed_str(self.string()?)
    }

    fn deserialize_string<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_borrowed_bytes(self.string()?.as_bytes())
    }

    fn deserialize_byte_buf<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if self.peek() == Some(b'n') {
            self.literal(b"null")?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_unit<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if self.peek() != Some(b'n') {
            return Err(self.mismatch("null"));
        }
        self.literal(b"null")?;
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'a>>(self, _: &'static str, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(self, name: &'static str, visitor: V) -> Result<V::Value, ReadError> {
        if !is_decimal(name) {
            return visitor.visit_newtype_struct(self);
        }
        let text = self.number_text("a number")?;
        visitor.visit_borrowed_str(text).map_err(|_: ReadError| ReadError::out_of_range(EXPECTED_DECIMAL))
    }

    fn deserialize_seq<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.array(visitor)
    }

    fn deserialize_tuple<V: Visitor<'a>>(self, _: usize, visitor: V) -> Result<V::Value, ReadError> {
        self.array(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.array(visitor)
    }

    fn deserialize_map<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.object(&[], visitor)
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.object(fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        if self.peek() == Some(b'"') {
            return visitor.visit_enum(Variant::name_only(self));
        }
        self.open(b'{', "a string, or an object of one member")?;
        let value = visitor.visit_enum(Variant::with_value(self))?;
        self.close(b'}')?;
        Ok(value)
    }

    fn deserialize_identifier<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.skip()?;
        visitor.visit_unit()
    }
}
