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
    /// Both in words, such as "an integer from 0 to 255".
    pub expected: &'static str,
}

impl Limits {
    pub(crate) const fn have(&self, value: i64) -> bool {
        self.low <= value && value <= self.high
    }

    pub(crate) fn have_decimal(&self, value: Decimal) -> bool {
        Decimal::from_i64(self.low) <= value && value <= Decimal::from_i64(self.high)
    }
}
