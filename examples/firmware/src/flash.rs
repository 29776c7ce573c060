//! The flash that the programs for large things give out. Put yours here.

/// The byte at this address.
#[must_use]
pub fn byte(at: u32) -> u8 {
    (at.wrapping_mul(7) ^ at >> 8) as u8
}
