//! [`Capacity`]: the buffer is too small.

use core::fmt;

/// A lent buffer is too small for the text it was to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Capacity {
    /// Bytes that the buffer would have to have.
    pub needed: usize,
}

impl fmt::Display for Capacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the buffer is too small: {} bytes are needed", self.needed)
    }
}

impl core::error::Error for Capacity {}
