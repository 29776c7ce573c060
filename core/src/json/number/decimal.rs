//! [`Decimal`], a fixed-point number.

use core::cmp::Ordering;
use core::fmt;

use serde::de::{self, Deserialize, Deserializer, Unexpected, Visitor};
use serde::ser::{Serialize, Serializer};

use super::super::writer::Writer;
use super::shifted;
use crate::digits::Digits;

/// A fixed-point number, `mantissa / 10^scale`: how a reading such as `21.5` is written and read without floats.
///
/// `Decimal::new(215, 1)` is 21.5. Equality and order are those of the value, so `21.5 == 21.50`; the digits written are as many
/// as the scale says.
///
/// ```
/// use umcp::json::Decimal;
/// let celsius = Decimal::new(2150, 2);
/// assert_eq!(celsius.to_string(), "21.50");
/// assert_eq!(celsius, Decimal::new(215, 1));
/// assert_eq!(Decimal::parse("2.15e1"), Some(celsius));
/// ```
///
/// # With serde
/// [`Writer::value`](crate::json::Writer::value) writes a JSON number of exactly these digits, and [`from_slice`](crate::json::from_slice) reads
/// any JSON number that fits, both without floats. Other formats have no such number: a text format is given an integer or, if there
/// is a fraction, an `f64` (rounded where 53 bits do not hold it), and a binary one the text.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Decimal {
    mantissa: i64,
    scale: u8,
}

impl Decimal {
    /// `mantissa / 10^scale`.
    pub const fn new(mantissa: i64, scale: u8) -> Decimal {
        Decimal { mantissa, scale }
    }

    /// A whole number.
    pub const fn from_i64(value: i64) -> Decimal {
        Decimal { mantissa: value, scale: 0 }
    }

    /// The digits, without the point.
    pub const fn mantissa(self) -> i64 {
        self.mantissa
    }

    /// How many of the digits stand behind the point.
    pub const fn scale(self) -> u8 {
        self.scale
    }

    /// Reads the text of a JSON number, with or without an exponent. `None` if it is none, or does not fit exactly.
    /// Zeros at the end of the fraction are dropped.
    pub fn parse(text: &str) -> Option<Decimal> {
        super::parse(text.as_bytes())?.to_decimal()
    }

    /// Mantissa and scale in one number.
    fn pack(self) -> i128 {
        (i128::from(self.mantissa) << 8) | i128::from(self.scale)
    }

    /// What has been [packed](Decimal::pack).
    #[expect(clippy::cast_possible_truncation, reason = "each half is cut out of the whole")]
    pub(in crate::json) fn unpack(packed: i128) -> Decimal {
        Decimal { mantissa: (packed >> 8) as i64, scale: packed as u8 }
    }

    /// Hands the number's text to `emit`, in pieces.
    pub(in crate::json) fn write(self, mut emit: impl FnMut(&[u8])) {
        if self.mantissa < 0 {
            emit(b"-");
        }
        let digits = Digits::new(self.mantissa.unsigned_abs());
        let digits = digits.as_bytes();
        let scale = usize::from(self.scale);
        if scale == 0 {
            return emit(digits);
        }
        let whole = digits.len().saturating_sub(scale);
        let (whole, fraction) = digits.split_at_checked(whole).unwrap_or((digits, &[]));
        emit(if whole.is_empty() { b"0" } else { whole });
        emit(b".");
        for _ in fraction.len()..scale {
            emit(b"0");
        }
        emit(fraction);
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut result = Ok(());
        self.write(|piece| {
            result = result.and_then(|()| f.write_str(core::str::from_utf8(piece).unwrap_or_default()));
        });
        result
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<i64> for Decimal {
    fn from(value: i64) -> Decimal {
        Decimal::from_i64(value)
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Decimal) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal {}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        let signs = self.mantissa.signum().cmp(&other.mantissa.signum());
        if signs != Ordering::Equal {
            return signs;
        }
        let (a, b) = (self.mantissa.unsigned_abs(), other.mantissa.unsigned_abs());
        let magnitudes = if self.scale <= other.scale {
            compare_scaled(a, other.scale - self.scale, b)
        } else {
            compare_scaled(b, self.scale - other.scale, a).reverse()
        };
        if self.mantissa < 0 { magnitudes.reverse() } else { magnitudes }
    }
}

/// Compares `a × 10^power` with `b`.
fn compare_scaled(a: u64, power: u8, b: u64) -> Ordering {
    shifted(a, i32::from(power)).map_or(Ordering::Greater, |scaled| scaled.cmp(&b))
}

/// The newtype name by which our own serializer and deserializer recognise a [`Decimal`].
const DECIMAL: &str = "umcp::Decimal";

/// Is this that name? Where it is, the first comparison is made by the compiler, which then leaves out how any other newtype is read.
#[inline]
pub(in crate::json) fn is_decimal(name: &'static str) -> bool {
    core::ptr::eq(name, DECIMAL) || name == DECIMAL
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return serializer.collect_str(self);
        }
        if self.scale == 0 {
            return serializer.serialize_i64(self.mantissa);
        }
        serializer.serialize_newtype_struct(DECIMAL, &Fraction(*self))
    }
}

/// The inside of the newtype. Our own serializer asks for it as a binary format does, and gets the number [packed](Decimal::pack): neither
/// floats nor formatting are linked.
struct Fraction(Decimal);

impl Serialize for Fraction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Fraction(decimal) = self;
        if !serializer.is_human_readable() {
            return serializer.serialize_i128(decimal.pack());
        }
        let divisor = (0..decimal.scale).fold(1f64, |divisor, _| divisor * 10.0);
        serializer.serialize_f64(decimal.mantissa as f64 / divisor)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
        if !deserializer.is_human_readable() {
            return deserializer.deserialize_str(DecimalVisitor);
        }
        deserializer.deserialize_newtype_struct(DECIMAL, DecimalVisitor)
    }
}

/// Our own deserializer hands over the number's text, others an integer or a float.
struct DecimalVisitor;

impl<'de> Visitor<'de> for DecimalVisitor {
    type Value = Decimal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a decimal number")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Decimal, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Decimal, E> {
        Decimal::parse(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Decimal, E> {
        Ok(Decimal::from_i64(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Decimal, E> {
        let value = i64::try_from(value).map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))?;
        Ok(Decimal::from_i64(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Decimal, E> {
        // The shortest text that reads back as this float: at most 17 digits and an exponent.
        let mut text = [0; 32];
        let mut writer = Writer::new(&mut text);
        writer.number(format_args!("{value:e}"));
        let parsed = super::parse(writer.written()).and_then(super::Number::to_decimal);
        parsed.ok_or_else(|| E::invalid_value(Unexpected::Float(value), &self))
    }
}
