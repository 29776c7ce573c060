//! What can be written: objects, arrays, and values of every kind.

use core::fmt::{self, Write as _};

use serde::Serialize;

use super::super::number::Decimal;
use super::super::text::Utf8;
use super::base64::Base64;
use super::ser::Serializer;
use super::{Escaped, Plain, Writer};
use crate::digits::Digits;

/// Objects and arrays.
impl Writer<'_> {
    /// Opens an object: next come [`key`](Writer::key)s, each with its value, and [`end_object`](Writer::end_object).
    pub fn begin_object(&mut self) -> &mut Self {
        self.begin(b"{");
        self.comma = false;
        self
    }

    /// Closes an object.
    pub fn end_object(&mut self) -> &mut Self {
        self.end(b"}")
    }

    /// Opens an array: next come its values, and [`end_array`](Writer::end_array).
    pub fn begin_array(&mut self) -> &mut Self {
        self.begin(b"[");
        self.comma = false;
        self
    }

    /// Closes an array.
    pub fn end_array(&mut self) -> &mut Self {
        self.end(b"]")
    }

    /// The key of a member; its value comes next.
    pub fn key(&mut self, key: &str) -> &mut Self {
        self.begin(b"\"");
        self.put_escaped(key.as_bytes());
        self.put(b"\":");
        self.comma = false;
        self
    }

    /// Appends a constant piece of text as it is, for the envelope's fixed parts. No comma is placed before it; whether one is due after it
    /// is told by its last byte.
    #[inline]
    pub fn literal(&mut self, text: &'static str) -> &mut Self {
        self.put(text.as_bytes());
        if let Some(last) = text.as_bytes().last() {
            self.comma = !matches!(last, b'{' | b'[' | b':' | b',' | b'\n');
        }
        self
    }

    /// Places the comma that may be due, and `opening`.
    #[inline]
    pub(super) fn begin(&mut self, opening: &[u8]) {
        if self.comma {
            self.put(b",");
        }
        self.put(opening);
    }

    /// Places `closing`; from here on a comma is due.
    #[inline]
    pub(super) fn end(&mut self, closing: &[u8]) -> &mut Self {
        self.put(closing);
        self.comma = true;
        self
    }
}

/// Values: each is an item of an array, or follows a key, or is the whole text.
impl Writer<'_> {
    /// One complete JSON value that is text already, such as an echoed id or a constant schema.
    #[inline]
    pub fn raw(&mut self, value: &[u8]) -> &mut Self {
        self.begin(value);
        self.comma = true;
        self
    }

    /// `null`.
    pub fn null(&mut self) -> &mut Self {
        self.raw(b"null")
    }

    /// `true` or `false`.
    pub fn bool(&mut self, value: bool) -> &mut Self {
        self.raw(if value { b"true" } else { b"false" })
    }

    /// A signed integer.
    pub fn int(&mut self, value: i64) -> &mut Self {
        self.begin(if value < 0 { b"-" } else { b"" });
        self.end(Digits::new(value.unsigned_abs()).as_bytes())
    }

    /// An unsigned integer.
    pub fn uint(&mut self, value: u64) -> &mut Self {
        self.raw(Digits::new(value).as_bytes())
    }

    /// A fixed-point number, with as many digits as its scale says.
    pub fn decimal(&mut self, value: Decimal) -> &mut Self {
        self.begin(b"");
        value.write(|piece| self.put(piece));
        self.comma = true;
        self
    }

    /// A string, escaped as needed.
    pub fn string(&mut self, text: &str) -> &mut Self {
        self.begin_string().string_part(text).end_string()
    }

    /// A string of what `text` displays, escaped as needed: `w.display(format_args!("{n} files"))`. Links formatting only where it is used.
    /// If the `Display` reports an error, the writer has [`failed`](Writer::failed).
    pub fn display(&mut self, text: impl fmt::Display) -> &mut Self {
        self.begin_string();
        self.failed |= write!(Escaped(self), "{text}").is_err();
        self.end_string()
    }

    /// A string that holds `bytes` in Base64 (RFC 4648, the standard alphabet, padded), encoded on the fly.
    pub fn base64(&mut self, bytes: &[u8]) -> &mut Self {
        self.begin_string();
        let mut encoder = Base64::new();
        encoder.part(self, bytes).end(self);
        self.end_string()
    }

    /// Any serde value. Its text is the same as with `serde_json`, except that a [`Decimal`] is a number with its own digits.
    ///
    /// A value that refuses to be serialized, or that JSON cannot hold (a map whose keys are neither strings nor integers), is written as `null`,
    /// and the writer has [`failed`](Writer::failed). What does not fit [`overflowed`](Writer::overflowed), as with everything else.
    pub fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> &mut Self {
        let start = self.mark();
        if value.serialize(Serializer::new(self)).is_err() {
            self.rollback(start);
            self.null();
            self.failed = true;
        }
        self
    }

    /// A number as `text` displays it.
    pub(in crate::json) fn number(&mut self, text: fmt::Arguments<'_>) -> &mut Self {
        self.begin(b"");
        self.failed |= Plain(self).write_fmt(text).is_err();
        self.comma = true;
        self
    }
}

/// A string in pieces.
impl Writer<'_> {
    /// Opens a string: next come its parts, and [`end_string`](Writer::end_string).
    pub fn begin_string(&mut self) -> &mut Self {
        self.begin(b"\"");
        self
    }

    /// A part of a string, escaped as needed.
    pub fn string_part(&mut self, text: &str) -> &mut Self {
        self.put_escaped(text.as_bytes());
        self
    }

    /// One character of a string, escaped as needed.
    pub fn string_char(&mut self, char: char) -> &mut Self {
        self.put_escaped(Utf8::new(char).as_bytes());
        self
    }

    /// A part of a string: what `text` displays; see [`display`](Writer::display).
    pub fn display_part(&mut self, text: impl fmt::Display) -> &mut Self {
        self.failed |= write!(Escaped(self), "{text}").is_err();
        self
    }

    /// Closes a string.
    pub fn end_string(&mut self) -> &mut Self {
        self.end(b"\"")
    }
}

/// Members: a key and its value in one.
impl Writer<'_> {
    /// A member that is a string.
    pub fn member_str(&mut self, key: &str, value: &str) -> &mut Self {
        self.key(key).string(value)
    }

    /// A member that is a signed integer.
    pub fn member_int(&mut self, key: &str, value: i64) -> &mut Self {
        self.key(key).int(value)
    }

    /// A member that is an unsigned integer.
    pub fn member_uint(&mut self, key: &str, value: u64) -> &mut Self {
        self.key(key).uint(value)
    }

    /// A member that is a fixed-point number.
    pub fn member_decimal(&mut self, key: &str, value: Decimal) -> &mut Self {
        self.key(key).decimal(value)
    }

    /// A member that is `true` or `false`.
    pub fn member_bool(&mut self, key: &str, value: bool) -> &mut Self {
        self.key(key).bool(value)
    }

    /// A member whose value is JSON text already; see [`raw`](Writer::raw).
    pub fn member_raw(&mut self, key: &str, value: &[u8]) -> &mut Self {
        self.key(key).raw(value)
    }

    /// A member that is any serde value; see [`value`](Writer::value).
    pub fn member_value<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> &mut Self {
        self.key(key).value(value)
    }
}
