//! What the JSON tests share: a small deterministic random source, and random JSON out of it.
#![allow(dead_code, reason = "each test file uses its part")]

use serde_json::{Map, Value, json};

/// xorshift64*: small, deterministic, good enough to choose test cases.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// From 0 to `limit - 1`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit
    }

    pub(crate) fn pick<'t, T: ?Sized>(&mut self, table: &[&'t T]) -> &'t T {
        table[self.below(table.len())]
    }

    /// Short texts, long texts, and everything that is escaped or more than a byte long.
    pub(crate) fn string(&mut self) -> String {
        let len = [0, 1, 3, 8, 20, 70][self.below(6)];
        let specials = [
            '"', '\\', '/', '\n', '\u{0}', '\u{8}', '\u{c}', '\r', '\t', '\u{1f}', '\u{7f}', 'é', '€', '😀',
            '\u{fffd}', '\u{2028}',
        ];
        let odds = [2, 10, 1000][self.below(3)];
        (0..len)
            .map(|_| match self.below(odds) {
                0 => specials[self.below(specials.len())],
                _ => char::from(b' ' + self.below(95) as u8),
            })
            .collect()
    }

    /// Integers of every length, in and just out of the range of `i64`.
    pub(crate) fn integer(&mut self) -> Value {
        let value = self.next() >> self.below(64);
        match self.below(3) {
            0 => json!(value),
            1 => json!(value as i64),
            _ => json!((value as i64).wrapping_neg()),
        }
    }

    pub(crate) fn float(&mut self) -> Value {
        match self.below(3) {
            0 => json!(self.below(1000) as f64 + 0.5),
            1 => json!(-(self.below(1000) as f64) / 64.0 - 0.001),
            _ => json!(f64::from_bits(self.next() & !(0x400 << 52)) + 0.1),
        }
    }

    pub(crate) fn scalar(&mut self) -> Value {
        match self.below(6) {
            0 => Value::Null,
            1 => json!(true),
            2 => json!(false),
            3 => self.integer(),
            4 => self.float(),
            _ => json!(self.string()),
        }
    }

    /// A value of at most `depth` levels.
    pub(crate) fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 1 } else { 3 }) {
            0 => self.scalar(),
            1 => (0..self.below(5)).map(|_| self.value(depth - 1)).collect::<Vec<_>>().into(),
            _ => (0..self.below(5)).map(|_| (self.string(), self.value(depth - 1))).collect::<Map<_, _>>().into(),
        }
    }
}
