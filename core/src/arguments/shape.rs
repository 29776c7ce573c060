//! [`Shape`]: what a value looks like in JSON, as data; its text is made of it at compile time.

use crate::json::{Decimal, Limits};

/// What a value looks like in JSON: the data of its schema.
///
/// It is used up at compile time, when the text of a schema is made of it; nothing of it stays in a program.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Lines that say what it is for.
    pub(super) about: &'static [&'static str],
    pub(super) kind: Kind,
    pub(super) is_optional: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// The members of a schema as they stand.
    Text(&'static str),
    /// A number, and whether its schema mentions either limit.
    Number { range: Range, minimum: bool, maximum: bool },
    /// A string, one of these.
    OneOf(&'static [&'static str]),
    /// An array.
    List { items: &'static Shape, at_least: usize, at_most: usize },
    /// An object.
    Object(&'static [Member]),
}

impl Shape {
    /// What the members of this schema say, in JSON: `Shape::text(r#""type":"string","format":"ipv4""#)`.
    #[must_use]
    pub const fn text(members: &'static str) -> Shape {
        Shape::new(Kind::Text(members))
    }

    pub(super) const fn new(kind: Kind) -> Shape {
        Shape { about: &[], kind, is_optional: false }
    }

    pub(super) const fn list(items: &'static Shape, at_least: usize, at_most: usize) -> Shape {
        assert!(!items.is_optional, "arguments!: the items of an array cannot be optional");
        Shape::new(Kind::List { items, at_least, at_most })
    }

    pub(super) const fn optional(self) -> Shape {
        Shape { is_optional: true, ..self }
    }

    /// An object of these members.
    #[doc(hidden)]
    #[must_use]
    pub const fn object(about: &'static [&'static str], members: &'static [Member]) -> Shape {
        let mut rest = members;
        while let [member, tail @ ..] = rest {
            let mut others = tail;
            while let [other, tail @ ..] = others {
                assert!(!same(member.name, other.name), "arguments!: two members have the same name");
                others = tail;
            }
            rest = tail;
        }
        Shape { about, ..Shape::new(Kind::Object(members)) }
    }

    /// One of these strings.
    #[doc(hidden)]
    #[must_use]
    pub const fn one_of(about: &'static [&'static str], names: &'static [&'static str]) -> Shape {
        let mut rest = names;
        while let [name, tail @ ..] = rest {
            let mut others = tail;
            while let [other, tail @ ..] = others {
                assert!(!same(name, other), "arguments!: two variants have the same name");
                others = tail;
            }
            rest = tail;
        }
        Shape { about, ..Shape::new(Kind::OneOf(names)) }
    }

    /// The same number from `low` to `high`.
    #[doc(hidden)]
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "the type's own range is one of 64 bits")]
    pub const fn within(self, low: i128, high: i128) -> Shape {
        let (is_number, of_type) = match self.kind {
            Kind::Number { range, .. } => (true, range),
            _ => (false, Range::WIDEST),
        };
        assert!(is_number, "arguments!: only a number can be `in` limits");
        assert!(low <= high, "arguments!: the lower limit of a member is above the upper one");
        let fit = of_type.low as i128 <= low && high <= of_type.high as i128;
        assert!(fit, "arguments!: the limits of a member are wider than its type, or than an i64");
        let range = Range { low: low as i64, high: high as i64, ..of_type };
        Shape { kind: Kind::Number { range, minimum: true, maximum: true }, ..self }
    }

    /// What a number of this shape is held to; `expected` says it in [words](super::expected_text).
    #[doc(hidden)]
    #[must_use]
    pub const fn limits(&self, expected: &'static str) -> Limits {
        let range = self.range();
        Limits { low: range.low, high: range.high, expected }
    }

    pub(super) const fn range(&self) -> Range {
        match self.kind {
            Kind::Number { range, .. } => range,
            _ => Range::WIDEST,
        }
    }
}

/// From where to where a number may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) low: i64,
    pub(super) high: i64,
    pub(super) is_whole: bool,
}

impl Range {
    pub(super) const WIDEST: Range = Range { low: i64::MIN, high: i64::MAX, is_whole: true };
}

/// A member of an object.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Member {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) default: Option<Constant>,
}

impl Member {
    /// `about`, where it says anything, stands for what the shape says about itself.
    #[must_use]
    pub const fn new(name: &'static str, about: &'static [&'static str], shape: Shape) -> Member {
        let about = if !says_anything(about) { shape.about } else { about };
        Member { name, shape: Shape { about, ..shape }, default: None }
    }

    /// What stands for it if it is left out.
    #[must_use]
    pub const fn default(mut self, default: Constant) -> Member {
        if let Kind::Number { range, minimum, maximum } = self.shape.kind {
            let (mantissa, factor) = default.number();
            let fits = (!minimum || range.low as i128 * factor <= mantissa)
                && (!maximum || mantissa <= range.high as i128 * factor);
            assert!(fits, "arguments!: the default of a member is outside of its limits");
        }
        self.default = Some(default);
        self
    }
}

/// A value that is known at compile time.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Constant {
    Bool(bool),
    Integer(i128),
    Decimal(Decimal),
    String(&'static str),
}

impl Constant {
    /// A number as a mantissa, and the power of ten to divide it by.
    pub(super) const fn number(self) -> (i128, i128) {
        match self {
            Constant::Integer(value) => (value, 1),
            Constant::Decimal(value) => {
                assert!(value.scale() <= 18, "arguments!: a default has at most 18 digits behind the point");
                (value.mantissa() as i128, 10_i128.pow(value.scale() as u32))
            }
            Constant::Bool(_) | Constant::String(_) => (0, 1),
        }
    }
}

const fn same(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    loop {
        match (a, b) {
            ([x, rest_a @ ..], [y, rest_b @ ..]) if *x == *y => (a, b) = (rest_a, rest_b),
            ([], []) => return true,
            _ => return false,
        }
    }
}

/// Is there a line that is not blank?
pub(super) const fn says_anything(lines: &[&str]) -> bool {
    let mut rest = lines;
    while let [line, tail @ ..] = rest {
        if !line.as_bytes().trim_ascii().is_empty() {
            return true;
        }
        rest = tail;
    }
    false
}

/// The name that an identifier has: without the `r#` of a raw one.
#[doc(hidden)]
#[must_use]
pub const fn name(identifier: &'static str) -> &'static str {
    match identifier.split_at_checked(2) {
        Some((start, name)) if same(start, "r#") => name,
        _ => identifier,
    }
}
