//! Numbers without floats: integers however they are spelled, and fixed-point decimals.

mod decimal;

pub use decimal::Decimal;
pub(super) use decimal::is_decimal;

/// A number token taken apart: `±mantissa × 10^exponent`, the mantissa without trailing zeros (so that a number has one form).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    negative: bool,
    mantissa: u64,
    exponent: i32,
}

/// Exponents are held to this, far outside of anything that fits an integer, so that arithmetic on them cannot overflow.
const MAX_EXPONENT: i32 = 1 << 24;

/// Reads a JSON number token; `None` if it is none, or has more significant digits than a `u64` holds.
pub(super) fn parse(token: &[u8]) -> Option<Number> {
    let (negative, magnitude) = match token {
        [b'-', magnitude @ ..] => (true, magnitude),
        _ => (false, token),
    };
    // Up to 19 digits cannot overflow; this is nearly every number there is.
    if magnitude.len() <= 19 && !magnitude.is_empty() && magnitude.iter().all(u8::is_ascii_digit) {
        let mantissa =
            magnitude.iter().fold(0u64, |value, digit| value.wrapping_mul(10).wrapping_add(u64::from(digit & 0xf)));
        return Some(Number { negative, mantissa, exponent: 0 });
    }
    let mut significand = Significand::default();
    let rest = significand.digits(magnitude)?;
    let rest = match rest {
        [b'.', fraction @ ..] => {
            let after = significand.digits(fraction)?;
            significand.exponent -= length(fraction) - length(after);
            after
        }
        _ => rest,
    };
    let exponent = match rest {
        [] => 0,
        [b'e' | b'E', exponent @ ..] => parse_exponent(exponent)?,
        _ => return None,
    };
    if significand.mantissa == 0 {
        return Some(Number { negative, mantissa: 0, exponent: 0 });
    }
    // The zeros that were held back belong to the power of ten.
    let exponent = exponent.saturating_add(significand.exponent).saturating_add(significand.zeros);
    Some(Number { negative, mantissa: significand.mantissa, exponent })
}

#[derive(Default)]
struct Significand {
    mantissa: u64,
    /// Zeros seen since the last other digit; they are multiplied in only if another digit follows.
    zeros: i32,
    exponent: i32,
}

impl Significand {
    /// Takes one digit or more and returns what follows them.
    fn digits<'t>(&mut self, text: &'t [u8]) -> Option<&'t [u8]> {
        let mut rest = text;
        while let [digit @ b'0'..=b'9', after @ ..] = rest {
            rest = after;
            if *digit == b'0' {
                self.zeros = self.zeros.saturating_add(1);
                continue;
            }
            self.mantissa =
                shifted(self.mantissa, self.zeros.saturating_add(1))?.checked_add(u64::from(digit & 0xf))?;
            self.zeros = 0;
        }
        (rest.len() < text.len()).then_some(rest)
    }
}

/// `value × 10^power`, if that fits.
#[inline(never)] // 64 bits times 64 is long on a 32-bit machine
fn shifted(value: u64, power: i32) -> Option<u64> {
    let mut value = value;
    for _ in 0..power {
        if value == 0 {
            break;
        }
        value = value.checked_mul(10)?;
    }
    Some(value)
}

fn length(text: &[u8]) -> i32 {
    i32::try_from(text.len()).unwrap_or(MAX_EXPONENT).min(MAX_EXPONENT)
}

fn parse_exponent(text: &[u8]) -> Option<i32> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let exponent = digits.iter().fold(0i32, |value, digit| (value * 10 + i32::from(digit & 0xf)).min(MAX_EXPONENT));
    Some(if negative { -exponent } else { exponent })
}

impl Number {
    /// The value as an `i64`; `None` if it is fractional or out of range.
    pub(super) fn to_i64(self) -> Option<i64> {
        signed(self.negative, self.magnitude()?)
    }

    /// The value as a `u64`; `None` if it is fractional, negative or out of range.
    pub(super) fn to_u64(self) -> Option<u64> {
        let magnitude = self.magnitude()?;
        (!self.negative || magnitude == 0).then_some(magnitude)
    }

    /// The value as a decimal; `None` if it does not fit exactly.
    pub(super) fn to_decimal(self) -> Option<Decimal> {
        if self.exponent >= 0 {
            return Some(Decimal::from_i64(self.to_i64()?));
        }
        let scale = u8::try_from(self.exponent.unsigned_abs()).ok()?;
        Some(Decimal::new(signed(self.negative, self.mantissa)?, scale))
    }

    fn magnitude(self) -> Option<u64> {
        match self.exponent {
            0 => Some(self.mantissa),
            1.. => shifted(self.mantissa, self.exponent),
            // A mantissa has no trailing zeros here, so what a negative exponent leaves is a fraction.
            _ => None,
        }
    }
}

fn signed(negative: bool, magnitude: u64) -> Option<i64> {
    if negative { 0i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() }
}
