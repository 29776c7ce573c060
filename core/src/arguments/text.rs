//! Texts that are made at compile time: of schemas, and of what is expected of a number.

use super::shape::{Constant, Kind, Member, Range, Shape, says_anything};

/// A text that is made at compile time, or only its length where `N` is 0.
#[doc(hidden)]
#[derive(Debug)]
pub struct ConstText<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

/// The schema of a value of this shape.
#[doc(hidden)]
#[must_use]
pub const fn schema_text<const N: usize>(shape: &Shape) -> ConstText<N> {
    let mut text = ConstText { bytes: [0; N], len: 0 };
    text.schema(shape, None);
    text
}

/// What is expected of a number of this shape, in words.
#[doc(hidden)]
#[must_use]
pub const fn expected_text<const N: usize>(shape: &Shape) -> ConstText<N> {
    let range = shape.range();
    let mut text = ConstText { bytes: [0; N], len: 0 };
    text.put(if range.is_whole { "an integer from " } else { "a number from " });
    text.integer(range.low as i128);
    text.put(" to ");
    text.integer(range.high as i128);
    text
}

impl<const N: usize> ConstText<N> {
    /// How long it is.
    #[must_use]
    pub const fn length(&self) -> usize {
        self.len
    }

    /// The text, if `N` is its length.
    #[must_use]
    pub const fn as_str(&self) -> &str {
        assert!(self.len == N);
        match core::str::from_utf8(&self.bytes) {
            Ok(text) => text,
            Err(_) => "",
        }
    }

    const fn byte(&mut self, byte: u8) {
        if self.len < N {
            self.bytes[self.len] = byte;
        }
        self.len += 1;
    }

    const fn put(&mut self, text: &str) {
        let mut rest = text.as_bytes();
        while let [byte, tail @ ..] = rest {
            self.byte(*byte);
            rest = tail;
        }
    }

    /// The inside of a string.
    const fn escaped(&mut self, mut text: &[u8]) {
        while let [byte, tail @ ..] = text {
            match *byte {
                b'"' => self.put("\\\""),
                b'\\' => self.put("\\\\"),
                b'\n' => self.put("\\n"),
                b'\r' => self.put("\\r"),
                b'\t' => self.put("\\t"),
                control @ 0..=0x1f => {
                    self.put("\\u00");
                    self.byte(b'0' + (control >> 4));
                    let digit = control & 0xf;
                    self.byte(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 });
                }
                byte => self.byte(byte),
            }
            text = tail;
        }
    }

    const fn string(&mut self, text: &str) {
        self.byte(b'"');
        self.escaped(text.as_bytes());
        self.byte(b'"');
    }

    const fn integer(&mut self, value: i128) {
        if value < 0 {
            self.byte(b'-');
        }
        let mut divisor = 1;
        while value.unsigned_abs() / divisor >= 10 {
            divisor *= 10;
        }
        while divisor > 0 {
            self.byte(b'0' + (value.unsigned_abs() / divisor % 10) as u8);
            divisor /= 10;
        }
    }

    /// A member of a schema: the comma before it, and its key.
    const fn key(&mut self, key: &str, is_first: bool) {
        if !is_first {
            self.byte(b',');
        }
        self.string(key);
        self.byte(b':');
    }

    const fn schema(&mut self, shape: &Shape, default: Option<Constant>) {
        self.byte(b'{');
        let has_about = says_anything(shape.about);
        if has_about {
            self.key("description", true);
            self.about(shape.about);
            self.byte(b',');
        }
        match shape.kind {
            Kind::Text(members) => self.put(members),
            Kind::Number { range, minimum, maximum } => self.number(range, minimum, maximum),
            Kind::OneOf(names) => {
                self.put(r#""type":"string","enum":"#);
                self.strings(names);
            }
            Kind::List { items, at_least, at_most } => {
                self.put(r#""type":"array","items":"#);
                self.schema(items, None);
                if at_least > 0 {
                    self.key("minItems", false);
                    self.integer(at_least as i128);
                }
                self.key("maxItems", false);
                self.integer(at_most as i128);
            }
            Kind::Object(members) => self.object(members),
        }
        if let Some(default) = default {
            self.key("default", false);
            self.constant(default);
        }
        self.byte(b'}');
    }

    /// A string of all the lines, joined by spaces.
    const fn about(&mut self, texts: &[&str]) {
        self.byte(b'"');
        let mut is_first = true;
        let mut rest = texts;
        while let [text, tail @ ..] = rest {
            rest = tail;
            // A line of a doc comment is a text of its own; a comment of the other kind is one text of many lines.
            let mut lines = text.as_bytes();
            while !lines.is_empty() {
                let line = first_line(lines);
                lines = lines.split_at(line.len()).1;
                if let [b'\n', after @ ..] = lines {
                    lines = after;
                }
                let line = line.trim_ascii();
                if !line.is_empty() {
                    if !is_first {
                        self.byte(b' ');
                    }
                    is_first = false;
                    self.escaped(line);
                }
            }
        }
        self.byte(b'"');
    }

    const fn number(&mut self, range: Range, minimum: bool, maximum: bool) {
        self.put(if range.is_whole { r#""type":"integer""# } else { r#""type":"number""# });
        if minimum {
            self.key("minimum", false);
            self.integer(range.low as i128);
        }
        if maximum {
            self.key("maximum", false);
            self.integer(range.high as i128);
        }
    }

    const fn strings(&mut self, strings: &[&str]) {
        self.byte(b'[');
        let mut rest = strings;
        while let [string, tail @ ..] = rest {
            self.string(string);
            if !tail.is_empty() {
                self.byte(b',');
            }
            rest = tail;
        }
        self.byte(b']');
    }

    const fn object(&mut self, members: &[Member]) {
        self.put(r#""type":"object""#);
        if members.is_empty() {
            return self.put(r#","additionalProperties":false"#);
        }
        self.put(r#","properties":{"#);
        let mut rest = members;
        while let [member, tail @ ..] = rest {
            self.key(member.name, true);
            self.schema(&member.shape, member.default);
            if !tail.is_empty() {
                self.byte(b',');
            }
            rest = tail;
        }
        self.byte(b'}');
        self.required(members);
    }

    /// The names of those that may not be left out, if there are any.
    const fn required(&mut self, members: &[Member]) {
        let mut is_first = true;
        let mut rest = members;
        while let [member, tail @ ..] = rest {
            if !member.shape.is_optional && member.default.is_none() {
                self.put(if is_first { r#","required":["# } else { "," });
                self.string(member.name);
                is_first = false;
            }
            rest = tail;
        }
        if !is_first {
            self.byte(b']');
        }
    }

    const fn constant(&mut self, constant: Constant) {
        match constant {
            Constant::Bool(value) => self.put(if value { "true" } else { "false" }),
            Constant::String(value) => self.string(value),
            Constant::Integer(_) | Constant::Decimal(_) => {
                let (mantissa, divisor) = constant.number();
                self.decimal(mantissa, divisor);
            }
        }
    }

    /// `mantissa / divisor`, the latter a power of ten.
    const fn decimal(&mut self, mantissa: i128, divisor: i128) {
        if mantissa < 0 {
            self.byte(b'-');
        }
        let mantissa = mantissa.abs();
        self.integer(mantissa / divisor);
        if divisor > 1 {
            self.byte(b'.');
        }
        let mut divisor = divisor;
        while divisor > 1 {
            divisor /= 10;
            self.byte(b'0' + (mantissa / divisor % 10) as u8);
        }
    }
}

/// What comes before the line feed.
const fn first_line(text: &[u8]) -> &[u8] {
    let mut rest = text;
    while let [byte, tail @ ..] = rest
        && *byte != b'\n'
    {
        rest = tail;
    }
    text.split_at(text.len() - rest.len()).0
}
