//! A view of one JSON value in canonical text.

use core::fmt;

use super::number::{self, Decimal};
use super::text::{self, Chars, Text, TextError};

/// What a value is, told by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number of any size, whole or not.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// A view of one JSON value: a borrowed span of vetted, canonical text.
///
/// Looking something up walks the text; nothing is parsed ahead or stored. Every question has an answer for every text: what is
/// absent, of another type or malformed is `None`, `false` or an empty iterator.
///
/// ```
/// use umcp::json::Value;
/// let call = Value::new(br#"{"name":"led_set","arguments":{"on":true,"times":3}}"#);
/// assert_eq!(call.get("name").and_then(Value::as_str), Some("led_set"));
/// assert_eq!(call.at(&["arguments", "times"]).and_then(Value::as_u32), Some(3));
/// ```
#[derive(Clone, Copy)]
pub struct Value<'a>(&'a [u8]);

impl<'a> Value<'a> {
    /// A view of `text`, which is the canonical text of exactly one value, as the scanner or [`Writer`](super::Writer) makes it.
    /// Other text is harmless, but what is read from it is unspecified.
    pub const fn new(text: &'a [u8]) -> Value<'a> {
        Value(text)
    }

    /// The value's text, as it stands.
    pub const fn raw(self) -> &'a [u8] {
        self.0
    }

    /// What the value is; `None` for empty text or garbage.
    pub const fn kind(self) -> Option<Kind> {
        match self.0 {
            [b'n', ..] => Some(Kind::Null),
            [b't' | b'f', ..] => Some(Kind::Bool),
            [b'-' | b'0'..=b'9', ..] => Some(Kind::Number),
            [b'"', ..] => Some(Kind::String),
            [b'[', ..] => Some(Kind::Array),
            [b'{', ..] => Some(Kind::Object),
            _ => None,
        }
    }

    /// Whether the value is `null`.
    pub const fn is_null(self) -> bool {
        matches!(self.0, b"null")
    }

    /// Whether the value is a number.
    pub const fn is_number(self) -> bool {
        matches!(self.kind(), Some(Kind::Number))
    }

    /// Whether the value is a string.
    pub const fn is_string(self) -> bool {
        matches!(self.kind(), Some(Kind::String))
    }

    /// Whether the value is an array.
    pub const fn is_array(self) -> bool {
        matches!(self.kind(), Some(Kind::Array))
    }

    /// Whether the value is an object.
    pub const fn is_object(self) -> bool {
        matches!(self.kind(), Some(Kind::Object))
    }

    /// The member of an object whose unescaped key is `key`; of duplicates, the first.
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        self.members().find(|(name, _)| name.is(key)).map(|(_, value)| value)
    }

    /// The value found by following `path`, one key for each level of objects.
    pub fn at(self, path: &[&str]) -> Option<Value<'a>> {
        path.iter().try_fold(self, |value, key| value.get(key))
    }

    /// The members of an object, in the order of the text; none if it is not an object.
    pub const fn members(self) -> Members<'a> {
        match self.0 {
            [b'{', rest @ ..] => Members { rest },
            _ => Members { rest: &[] },
        }
    }

    /// The items of an array; none if it is not an array.
    pub const fn items(self) -> Items<'a> {
        match self.0 {
            [b'[', rest @ ..] => Items { rest },
            _ => Items { rest: &[] },
        }
    }

    /// A string, still escaped underneath.
    pub const fn as_text(self) -> Option<Text<'a>> {
        match self.0 {
            [b'"', content @ .., b'"'] => Some(Text::new(content)),
            _ => None,
        }
    }

    /// A string in which nothing is escaped, borrowed; `None` for any other value. Use [`text`](Value::text), [`chars`](Value::chars)
    /// or [`is_str`](Value::is_str) where escapes may occur.
    pub fn as_str(self) -> Option<&'a str> {
        self.as_text()?.as_str()
    }

    /// A string, decoded: borrowed from the message if nothing is escaped, else written into `buf`. A lone surrogate is U+FFFD.
    ///
    /// # Errors
    /// [`TextError::NotString`], or [`TextError::Capacity`] if it is escaped and longer than `buf`.
    pub fn text<'b>(self, buf: &'b mut [u8]) -> Result<&'b str, TextError>
    where
        'a: 'b,
    {
        self.as_text().ok_or(TextError::NotString)?.decode(buf)
    }

    /// The decoded characters of a string; none if it is not a string. A lone surrogate is U+FFFD.
    pub fn chars(self) -> Chars<'a> {
        self.as_text().unwrap_or(Text::new(&[])).chars()
    }

    /// Whether the value is a string that decodes to exactly `expected`.
    pub fn is_str(self, expected: &str) -> bool {
        self.as_text().is_some_and(|text| text.is(expected))
    }

    /// `true` or `false`.
    pub const fn as_bool(self) -> Option<bool> {
        match self.0 {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => None,
        }
    }

    /// An integer in the range of `i64`, however it is spelled: `30`, `30.0` and `3e1` are one. `None` if fractional or out of range.
    pub fn as_i64(self) -> Option<i64> {
        number::parse(self.0)?.to_i64()
    }

    /// An integer in the range of `u64`; see [`as_i64`](Value::as_i64).
    pub fn as_u64(self) -> Option<u64> {
        number::parse(self.0)?.to_u64()
    }

    /// An integer in the range of `i32`; see [`as_i64`](Value::as_i64).
    pub fn as_i32(self) -> Option<i32> {
        i32::try_from(self.as_i64()?).ok()
    }

    /// An integer in the range of `u32`; see [`as_i64`](Value::as_i64).
    pub fn as_u32(self) -> Option<u32> {
        u32::try_from(self.as_i64()?).ok()
    }

    /// A number that a [`Decimal`] holds exactly; `None` for any other.
    pub fn as_decimal(self) -> Option<Decimal> {
        number::parse(self.0)?.to_decimal()
    }
}

/// Prints the text as it stands.
impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(core::str::from_utf8(self.0).unwrap_or("<not UTF-8>"))
    }
}

/// The members of an object: [`Value::members`].
#[derive(Clone, Debug)]
pub struct Members<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Members<'a> {
    type Item = (Text<'a>, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let [b'"', content @ ..] = core::mem::take(&mut self.rest) else { return None };
        let (key, rest) = content.split_at_checked(text::content_len(content)?)?;
        let [b'"', b':', rest @ ..] = rest else { return None };
        let (value, rest) = split_value(rest)?;
        self.rest = after_comma(rest);
        Some((Text::new(key), Value(value)))
    }
}

impl core::iter::FusedIterator for Members<'_> {}

/// The items of an array: [`Value::items`].
#[derive(Clone, Debug)]
pub struct Items<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Items<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        let (value, rest) = split_value(core::mem::take(&mut self.rest))?;
        self.rest = after_comma(rest);
        Some(Value(value))
    }
}

impl core::iter::FusedIterator for Items<'_> {}

/// What follows a comma; nothing, if the container ends instead.
fn after_comma(rest: &[u8]) -> &[u8] {
    match rest {
        [b',', rest @ ..] => rest,
        _ => &[],
    }
}

/// Splits `text` after the value it begins with; `None` if it begins with none, or the value does not end.
fn split_value(text: &[u8]) -> Option<(&[u8], &[u8])> {
    text.split_at_checked(value_len(text)?)
}

/// The length of the value that `text` begins with. Never recurses, and looks at each byte once.
pub(crate) fn value_len(text: &[u8]) -> Option<usize> {
    match text {
        [b'"', content @ ..] => Some(text::content_len(content)? + 2),
        [b'{' | b'[', ..] => container_len(text),
        [b'-' | b'0'..=b'9' | b'n' | b't' | b'f', ..] => {
            let end = text.iter().position(|byte| matches!(byte, b',' | b']' | b'}'));
            Some(end.unwrap_or(text.len()))
        }
        _ => None,
    }
}

fn container_len(text: &[u8]) -> Option<usize> {
    let mut rest = text;
    let mut depth = 0usize;
    while let [byte, after @ ..] = rest {
        rest = after;
        match byte {
            b'"' => rest = rest.get(text::content_len(rest)? + 1..)?,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(text.len() - rest.len());
                }
            }
            _ => {}
        }
    }
    None
}
