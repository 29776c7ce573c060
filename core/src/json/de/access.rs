//! The insides of arrays, objects and enums, as serde walks them.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};

use super::error::{ReadError, ReadProblem};
use super::reader::Reader;

/// The items of an array that has been opened.
pub(super) struct Items<'r, 'a> {
    reader: &'r mut Reader<'a>,
    count: usize,
}

impl<'r, 'a> Items<'r, 'a> {
    pub(super) fn new(reader: &'r mut Reader<'a>) -> Items<'r, 'a> {
        Items { reader, count: 0 }
    }

    /// Closes the array, in which nothing may be left.
    pub(super) fn end(self) -> Result<(), ReadError> {
        if self.reader.peek() == Some(b',') {
            return Err(ReadError::new(ReadProblem::WrongLength { items: self.count + 1 }));
        }
        self.reader.close(b']')
    }
}

impl<'a> SeqAccess<'a> for Items<'_, 'a> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        if self.reader.peek() == Some(b']') {
            return Ok(None);
        }
        if self.count > 0 {
            self.reader.punctuation(b',')?;
        }
        self.count += 1;
        seed.deserialize(&mut *self.reader).map(Some)
    }
}

/// The members of an object that has been opened.
pub(super) struct Members<'r, 'a> {
    reader: &'r mut Reader<'a>,
    is_first: bool,
    /// The fields of the struct that is read; empty if it is none.
    fields: &'static [&'static str],
    /// Of a struct, the key whose value comes next.
    key: &'a str,
}

impl<'r, 'a> Members<'r, 'a> {
    pub(super) fn new(reader: &'r mut Reader<'a>, fields: &'static [&'static str]) -> Members<'r, 'a> {
        Members { reader, is_first: true, fields, key: "" }
    }

    /// Closes the object, in which nothing may be left.
    pub(super) fn end(self) -> Result<(), ReadError> {
        self.reader.close(b'}')
    }
}

impl<'a> MapAccess<'a> for Members<'_, 'a> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        if self.reader.peek() == Some(b'}') {
            return Ok(None);
        }
        if !core::mem::take(&mut self.is_first) {
            self.reader.punctuation(b',')?;
        }
        if self.fields.is_empty() {
            return seed.deserialize(&mut *self.reader).map(Some);
        }
        self.key = self.reader.string()?;
        seed.deserialize(BorrowedStrDeserializer::new(self.key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        self.reader.punctuation(b':')?;
        seed.deserialize(&mut *self.reader).map_err(|error| {
            let field = self.fields.iter().copied().find(|field| *field == self.key);
            error.inside(field)
        })
    }
}

/// An enum: the name of its variant, and the value beside it if there is one.
pub(super) struct Variant<'r, 'a> {
    reader: &'r mut Reader<'a>,
    has_value: bool,
}

impl<'r, 'a> Variant<'r, 'a> {
    /// A string.
    pub(super) fn name_only(reader: &'r mut Reader<'a>) -> Variant<'r, 'a> {
        Variant { reader, has_value: false }
    }

    /// The one member of an object that has been opened.
    pub(super) fn with_value(reader: &'r mut Reader<'a>) -> Variant<'r, 'a> {
        Variant { reader, has_value: true }
    }

    fn value(self) -> Result<&'r mut Reader<'a>, ReadError> {
        if self.has_value { Ok(self.reader) } else { Err(ReadError::wrong_type("an object of one member")) }
    }
}

impl<'a> EnumAccess<'a> for Variant<'_, 'a> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'a>>(self, seed: V) -> Result<(V::Value, Self), ReadError> {
        let variant = seed.deserialize(&mut *self.reader)?;
        if self.has_value {
            self.reader.punctuation(b':')?;
        }
        Ok((variant, self))
    }
}

impl<'a> VariantAccess<'a> for Variant<'_, 'a> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        if self.has_value { serde::Deserialize::deserialize(self.reader) } else { Ok(()) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, ReadError> {
        seed.deserialize(self.value()?)
    }

    fn tuple_variant<V: Visitor<'a>>(self, _: usize, visitor: V) -> Result<V::Value, ReadError> {
        self.value()?.array(visitor)
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.value()?.object(fields, visitor)
    }
}
