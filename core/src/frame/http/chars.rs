//! Which bytes may stand where in a head (RFC 9110, section 5; RFC 9112, section 3).

/// Whether this is a token: the name of a header, a method, or the name part of an `x-mcp-header` annotation. Never empty.
#[must_use]
pub fn is_token(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(|&byte| is_token_byte(byte))
}

/// Whether this can be sent as the value of a header as it is, and will arrive as it was: printable ASCII, spaces and tabs, and none of
/// those two at either end. The empty value is one.
#[must_use]
pub fn is_field_value(text: &[u8]) -> bool {
    text.iter().all(|&byte| is_plain_byte(byte)) && trim(text).len() == text.len()
}

/// Without the spaces and tabs at either end.
pub(super) fn trim(text: &[u8]) -> &[u8] {
    let mut rest = text;
    while let [b' ' | b'\t', inner @ ..] | [inner @ .., b' ' | b'\t'] = rest {
        rest = inner;
    }
    rest
}

pub(super) const fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#' | b'$' | b'%' | b'&' | b'\'' | b'*' | b'+' | b'-' | b'.' | b'^' | b'_' | b'`' | b'|' | b'~'
        )
}

pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// What may be sent in a value.
pub(super) const fn is_plain_byte(byte: u8) -> bool {
    matches!(byte, b'\t' | b' '..=b'~')
}

/// What is taken in a value: that, and the upper half, which old programs send.
pub(super) const fn is_value_byte(byte: u8) -> bool {
    is_plain_byte(byte) || byte >= 0x80
}

/// What a target is made of.
pub(super) const fn is_target_byte(byte: u8) -> bool {
    byte.is_ascii_graphic()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_told_from_other_text() {
        for (text, expected) in [
            ("content-type", true),
            ("Mcp-Param-X_1", true),
            ("!#$%&'*+-.^_`|~", true),
            ("", false),
            ("a b", false),
            ("a:", false),
            ("(a)", false),
            ("a\r", false),
            ("\u{e9}", false),
            ("\u{7f}", false),
        ] {
            assert_eq!(is_token(text.as_bytes()), expected, "{text:?}");
        }
        // RFC 9110, section 5.6.2: every visible character but the delimiters.
        for byte in 0..=u8::MAX {
            let expected = byte.is_ascii_graphic() && !b"\"(),/:;<=>?@[\\]{}".contains(&byte);
            assert_eq!(is_token_byte(byte), expected, "{byte:#x}");
        }
    }

    #[test]
    fn values_are_told_from_what_has_to_be_encoded() {
        for (text, expected) in [
            ("", true),
            ("us-west1", true),
            ("two words", true),
            ("a\tb", true),
            ("a:b,c\"~", true),
            (" a", false),
            ("a ", false),
            ("\ta", false),
            (" ", false),
            ("a\nb", false),
            ("a\rb", false),
            ("a\0b", false),
            ("a\u{7f}b", false),
            ("h\u{e9}", false),
        ] {
            assert_eq!(is_field_value(text.as_bytes()), expected, "{text:?}");
        }
    }

    #[test]
    fn white_space_is_trimmed_at_both_ends() {
        for (text, expected) in [("", ""), (" ", ""), ("\t \t", ""), (" a b\t", "a b"), ("a", "a"), ("a ", "a")] {
            assert_eq!(trim(text.as_bytes()), expected.as_bytes(), "{text:?}");
        }
    }
}
