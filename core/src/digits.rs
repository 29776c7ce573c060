//! [`Digits`]: an unsigned integer as decimal text.

/// The decimal digits of a `u64`.
pub(crate) struct Digits {
    /// Right-aligned; `u64::MAX` has 20 digits.
    text: [u8; 20],
    count: usize,
}

impl Digits {
    pub(crate) fn new(value: u64) -> Digits {
        let mut digits = Digits { text: [0; 20], count: 0 };
        let mut rest = value;
        for slot in digits.text.iter_mut().rev() {
            let (quotient, digit) = split_last_digit(rest);
            *slot = b'0' + digit;
            digits.count += 1;
            rest = quotient;
            if rest == 0 {
                break;
            }
        }
        digits
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        let (_, digits) = self.text.split_at_checked(self.text.len().saturating_sub(self.count)).unwrap_or_default();
        digits
    }
}

/// `value / 10` and `value % 10`, in divisions of 32 bits: one of 64 is a subroutine of nearly a kilobyte on a 32-bit machine.
fn split_last_digit(value: u64) -> (u64, u8) {
    let high = (value >> 32) as u32;
    let low = value as u32;
    if high == 0 {
        return (u64::from(low / 10), (low % 10) as u8);
    }
    let middle = ((high % 10) << 16) | (low >> 16);
    let last = ((middle % 10) << 16) | (low & 0xffff);
    let quotient = (u64::from(high / 10) << 32) | (u64::from(middle / 10) << 16) | u64::from(last / 10);
    (quotient, (last % 10) as u8)
}
