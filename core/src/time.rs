//! Time, as the caller tells it: nothing in this crate reads a clock.

use core::ops::{Add, Sub};

/// A point in time: milliseconds since any fixed start, such as power-up.
///
/// Time that goes back is ignored: it delays a deadline, it never breaks anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Instant(u64);

impl Instant {
    /// The start of time; what a device without a clock may pass for ever (nothing then times out).
    pub const ZERO: Instant = Instant(0);
    /// A point in time that never comes.
    pub const NEVER: Instant = Instant(u64::MAX);

    /// The point `millis` milliseconds after the start.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Instant {
        Instant(millis)
    }

    /// Milliseconds since the start.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// How long it is from `earlier` to here; zero if `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Instant) -> Duration {
        let millis = self.0.saturating_sub(earlier.0);
        Duration(u32::try_from(millis).unwrap_or(u32::MAX))
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    fn add(self, span: Duration) -> Instant {
        Instant(self.0.saturating_add(u64::from(span.0)))
    }
}

impl Sub for Instant {
    type Output = Duration;

    fn sub(self, earlier: Instant) -> Duration {
        self.since(earlier)
    }
}

/// A span of time in milliseconds, up to about 49 days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Duration(u32);

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);
    /// The longest span there is, about 49 days.
    pub const MAX: Duration = Duration(u32::MAX);

    /// A span of `millis` milliseconds.
    #[must_use]
    pub const fn from_millis(millis: u32) -> Duration {
        Duration(millis)
    }

    /// A span of `secs` seconds; the longest span there is, if that is too many.
    #[must_use]
    pub const fn from_secs(secs: u32) -> Duration {
        Duration(secs.saturating_mul(1_000))
    }

    /// The span in milliseconds.
    #[must_use]
    pub const fn as_millis(self) -> u32 {
        self.0
    }
}

impl Add for Duration {
    type Output = Duration;

    fn add(self, other: Duration) -> Duration {
        Duration(self.0.saturating_add(other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_saturates_instead_of_wrapping() {
        let late = Instant::from_millis(u64::MAX - 1);
        assert_eq!(late + Duration::MAX, Instant::NEVER);
        assert_eq!(Instant::ZERO.since(late), Duration::ZERO);
        assert_eq!(late - Instant::ZERO, Duration::MAX);
        assert_eq!(Duration::from_secs(u32::MAX), Duration::MAX);
        assert_eq!(Instant::from_millis(1_500) - Instant::from_millis(500), Duration::from_secs(1));
    }
}
