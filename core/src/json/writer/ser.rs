//! A `serde::Serializer` over [`Writer`]: it has every property of the writer (windows, counting, sticky overflow), and costs the
//! flash of the types that are written.

use core::fmt::{self, Display, Write as _};

use serde::ser::{self, Serialize};

use super::super::number::{Decimal, is_decimal};
use super::{Escaped, Writer};
use crate::digits::Digits;

/// The value cannot be written, whatever the room. The reason is not kept: that would link formatting.
#[derive(Debug)]
pub(super) struct Refused;

impl Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the value cannot be written as JSON")
    }
}

impl core::error::Error for Refused {}

impl ser::Error for Refused {
    fn custom<T: Display>(_: T) -> Refused {
        Refused
    }
}

/// What the serializer is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Value,
    /// The key of a map: a string, or an integer in quotes.
    Key,
}

/// Writes one value, or one key; or, if it is `INSIDE`, what is inside a [`Decimal`], which then knows who asks.
pub(super) struct Serializer<'w, 'a, const INSIDE: bool = false> {
    w: &'w mut Writer<'a>,
    role: Role,
}

impl<'w, 'a> Serializer<'w, 'a> {
    pub(super) fn new(w: &'w mut Writer<'a>) -> Serializer<'w, 'a> {
        Serializer { w, role: Role::Value }
    }
}

impl<'w, 'a, const INSIDE: bool> Serializer<'w, 'a, INSIDE> {
    /// For what cannot be a key.
    fn value(self) -> Result<&'w mut Writer<'a>, Refused> {
        if self.role == Role::Value { Ok(self.w) } else { Err(Refused) }
    }

    fn integer(self, negative: bool, magnitude: u64) -> Result<(), Refused> {
        let quote: &[u8] = if self.role == Role::Key { b"\"" } else { b"" };
        self.w.begin(quote);
        if negative {
            self.w.put(b"-");
        }
        self.w.put(Digits::new(magnitude).as_bytes());
        self.w.end(quote);
        self.end_key()
    }

    /// A float is written with the fewest digits that read back as the same; JSON has no infinities.
    fn float(self, is_finite: bool, text: fmt::Arguments<'_>) -> Result<(), Refused> {
        let w = self.value()?;
        if is_finite {
            w.number(text)
        } else {
            w.null()
        };
        Ok(())
    }

    /// What has been written becomes a key, if one was asked for.
    fn end_key(self) -> Result<(), Refused> {
        if self.role == Role::Key {
            self.w.put(b":");
            self.w.comma = false;
        }
        Ok(())
    }

    fn array(self) -> Result<Compound<'w, 'a>, Refused> {
        let w = self.value()?;
        w.begin_array();
        Ok(Compound { w, closing: "]" })
    }

    fn object(self) -> Result<Compound<'w, 'a>, Refused> {
        let w = self.value()?;
        w.begin_object();
        Ok(Compound { w, closing: "}" })
    }

    /// Opens the object of an enum's variant, up to its value.
    fn variant(self, variant: &str) -> Result<&'w mut Writer<'a>, Refused> {
        let w = self.value()?;
        w.begin_object().key(variant);
        Ok(w)
    }
}

impl<'w, 'a, const INSIDE: bool> ser::Serializer for Serializer<'w, 'a, INSIDE> {
    type Ok = ();
    type Error = Refused;
    type SerializeSeq = Compound<'w, 'a>;
    type SerializeTuple = Compound<'w, 'a>;
    type SerializeTupleStruct = Compound<'w, 'a>;
    type SerializeTupleVariant = Compound<'w, 'a>;
    type SerializeMap = Compound<'w, 'a>;
    type SerializeStruct = Compound<'w, 'a>;
    type SerializeStructVariant = Compound<'w, 'a>;

    fn serialize_bool(self, value: bool) -> Result<(), Refused> {
        self.value()?.bool(value);
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Result<(), Refused> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<(), Refused> {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<(), Refused> {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<(), Refused> {
        self.integer(value < 0, value.unsigned_abs())
    }

    fn serialize_u8(self, value: u8) -> Result<(), Refused> {
        self.integer(false, value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<(), Refused> {
        self.integer(false, value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<(), Refused> {
        self.integer(false, value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<(), Refused> {
        self.integer(false, value)
    }

    /// Mantissa and scale of a [`Decimal`], which no other type can ask for.
    fn serialize_i128(self, value: i128) -> Result<(), Refused> {
        if !INSIDE {
            return Err(Refused);
        }
        self.w.decimal(Decimal::unpack(value));
        Ok(())
    }

    // Floats link a lot of code, and only in a program whose types have them.

    fn serialize_f32(self, value: f32) -> Result<(), Refused> {
        self.float(value.is_finite(), format_args!("{value:?}"))
    }

    fn serialize_f64(self, value: f64) -> Result<(), Refused> {
        self.float(value.is_finite(), format_args!("{value:?}"))
    }

    fn serialize_char(self, value: char) -> Result<(), Refused> {
        self.w.begin_string().string_char(value).end_string();
        self.end_key()
    }

    fn serialize_str(self, value: &str) -> Result<(), Refused> {
        self.w.string(value);
        self.end_key()
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Refused> {
        let w = self.value()?;
        w.begin_array();
        for byte in value {
            w.uint(u64::from(*byte));
        }
        w.end_array();
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Refused> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Refused> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Refused> {
        self.value()?.null();
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Refused> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Refused> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<(), Refused> {
        if is_decimal(name) && self.role == Role::Value {
            return value.serialize(Serializer::<true> { w: self.w, role: self.role });
        }
        value.serialize(Serializer::<false> { w: self.w, role: self.role })
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Refused> {
        let w = self.variant(variant)?;
        value.serialize(Serializer::new(w))?;
        w.end_object();
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Refused> {
        self.array()
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Refused> {
        self.array()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Refused> {
        self.array()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'w, 'a>, Refused> {
        let w = self.variant(variant)?;
        w.begin_array();
        Ok(Compound { w, closing: "]}" })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Refused> {
        self.object()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, Refused> {
        self.object()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'w, 'a>, Refused> {
        let w = self.variant(variant)?;
        w.begin_object();
        Ok(Compound { w, closing: "}}" })
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), Refused> {
        self.w.begin_string();
        write!(Escaped(self.w), "{value}").map_err(|_| Refused)?;
        self.w.end_string();
        self.end_key()
    }

    fn is_human_readable(&self) -> bool {
        !INSIDE
    }
}

/// An array or object that has been opened.
pub(super) struct Compound<'w, 'a> {
    w: &'w mut Writer<'a>,
    closing: &'static str,
}

impl Compound<'_, '_> {
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        value.serialize(Serializer::new(self.w))
    }

    fn member<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<(), Refused> {
        self.w.key(key);
        self.item(value)
    }

    fn close(self) -> Result<(), Refused> {
        self.w.end(self.closing.as_bytes());
        Ok(())
    }
}

impl ser::SerializeSeq for Compound<'_, '_> {
    type Ok = ();
    type Error = Refused;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        self.item(value)
    }

    fn end(self) -> Result<(), Refused> {
        self.close()
    }
}

impl ser::SerializeTuple for Compound<'_, '_> {
    type Ok = ();
    type Error = Refused;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        self.item(value)
    }

    fn end(self) -> Result<(), Refused> {
        self.close()
    }
}

impl ser::SerializeTupleStruct for Compound<'_, '_> {
    type Ok = ();
    type Error = Refused;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        self.item(value)
    }

    fn end(self) -> Result<(), Refused> {
        self.close()
    }
}

impl ser::SerializeTupleVariant for Compound<'_, '_> {
    type Ok = ();
    type Error = Refused;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        self.item(value)
    }

    fn end(self) -> Result<(), Refused> {
        self.close()
    }
}

impl ser::SerializeMap for Compound<'_, '_> {
    type Ok = ();
    type Error = Refused;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Refused> {
        key.serialize(Serializer::<false> { w: self.w, role: Role::Key })
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        self.item(value)
    }

    fn end(self) -> Result<(), Refused> {
        self.close()
    }
}

impl ser::SerializeStruct for Compound<'_, '_> {
    type Ok = ();
    type Error = Refused;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Refused> {
        self.member(key, value)
    }

    fn end(self) -> Result<(), Refused> {
        self.close()
    }
}

impl ser::SerializeStructVariant for Compound<'_, '_> {
    type Ok = ();
    type Error = Refused;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Refused> {
        self.member(key, value)
    }

    fn end(self) -> Result<(), Refused> {
        self.close()
    }
}
