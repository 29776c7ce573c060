//! [`Limits`] of a number.

use super::super::Decimal;

/// The limits of a number that is read: from `low` to `high`, both of them included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Limits {
    /// The smallest number there may be.
    pub low: i64,
    /// The largest.
    pub high: i64,
    /// Only integers will do.
    pub is_whole: bool,
}

impl Limits {
    pub(crate) const fn have(&self, value: i64) -> bool {
        self.low <= value && value <= self.high
    }

    pub(crate) fn have_decimal(&self, value: Decimal) -> bool {
        Decimal::from_i64(self.low) <= value && value <= Decimal::from_i64(self.high)
    }

    pub(super) fn describe(&self, put: &mut dyn FnMut(&str)) {
        put(if self.is_whole { "an integer from " } else { "a number from " });
        describe_integer(self.low, put);
        put(" to ");
        describe_integer(self.high, put);
    }
}

fn describe_integer(value: i64, put: &mut dyn FnMut(&str)) {
    Decimal::from_i64(value).write(|digits| put(core::str::from_utf8(digits).unwrap_or_default()));
}
