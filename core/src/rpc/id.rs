//! Request ids.

use crate::json::Value;

/// The longest id, in bytes of its JSON text, that can be kept beyond the reply to one message: for a deferred call or a subscription.
/// An id of any length is echoed when the reply is immediate.
pub const MAX_KEPT_ID: usize = 64;

/// A request id or progress token as it stands in a message: an integer or a string, in canonical JSON text.
///
/// Comparison is typed and exact: `1` is not `"1"`, and integers are never rounded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Id<'a>(&'a [u8]);

impl<'a> Id<'a> {
    /// The id in this value; `None` if it is neither an integer nor a string.
    #[must_use]
    pub fn new(value: Value<'a>) -> Option<Id<'a>> {
        let text = value.raw();
        let valid = match text {
            [b'"', ..] => true,
            [b'-', digits @ ..] => is_integer(digits),
            digits => is_integer(digits),
        };
        valid.then_some(Id(text))
    }

    /// The JSON text, quotes included.
    #[must_use]
    pub fn raw(self) -> &'a [u8] {
        self.0
    }

    /// The id as a number; `None` unless it is an integer from 0 to 2^32 - 1.
    #[must_use]
    pub fn as_u32(self) -> Option<u32> {
        // Digit by digit: an id has neither fraction nor exponent, and need not link what reads those.
        self.0.iter().try_fold(0u32, |number, byte| {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 { None } else { number.checked_mul(10)?.checked_add(digit.into()) }
        })
    }

    /// The id as a value.
    #[must_use]
    pub fn value(self) -> Value<'a> {
        Value::new(self.0)
    }

    /// A copy that outlives the message; `None` if it is longer than [`MAX_KEPT_ID`].
    #[must_use]
    pub fn keep(self) -> Option<KeptId> {
        heapless::Vec::from_slice(self.0).ok().map(KeptId)
    }
}

impl core::fmt::Debug for Id<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Debug::fmt(&self.value(), f)
    }
}

fn is_integer(digits: &[u8]) -> bool {
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// An [`Id`] kept beyond its message, at most [`MAX_KEPT_ID`] bytes of JSON text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptId(heapless::Vec<u8, MAX_KEPT_ID, u8>);

impl KeptId {
    /// The id.
    #[must_use]
    pub fn id(&self) -> Id<'_> {
        Id(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Option<Id<'_>> {
        Id::new(Value::new(text.as_bytes()))
    }

    #[test]
    fn integers_and_strings_are_ids() {
        for text in ["0", "-7", "9007199254740993", "123456789012345678901234567890", r#""""#, r#""1""#, r#""\u0001""#]
        {
            let id = id(text).expect(text);
            assert_eq!(id.raw(), text.as_bytes());
            assert_eq!(id.keep().expect("short").id(), id);
        }
        for text in ["", "1.5", "1e3", "null", "true", "{}", "[]", "-"] {
            assert!(id(text).is_none(), "{text}");
        }
        assert_ne!(id("1"), id(r#""1""#));
    }

    #[test]
    fn a_small_id_is_a_number() {
        let table = [
            ("0", Some(0)),
            ("7", Some(7)),
            ("4294967295", Some(u32::MAX)),
            ("4294967296", None),
            ("42949672950", None),
            ("-7", None),
            (r#""7""#, None),
            (r#""""#, None),
        ];
        for (text, number) in table {
            assert_eq!(id(text).expect(text).as_u32(), number, "{text}");
        }
    }

    #[test]
    fn a_long_id_cannot_be_kept() {
        let long = "1".repeat(MAX_KEPT_ID + 1);
        assert!(id(&long).expect("an integer").keep().is_none());
        assert!(id(&long[1..]).expect("an integer").keep().is_some());
    }
}
