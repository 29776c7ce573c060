//! What a head says about its body and its connection.

use super::chars::trim;
use super::wanted::{begins_any, find_name};
use super::{BodyKind, HeadError, Version};

/// A header that is read for its own sake, whether or not the caller wants it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FramingHeader {
    ContentLength,
    TransferEncoding,
    Connection,
    Expect,
}

const CONTENT_LENGTH: &str = "content-length";
const TRANSFER_ENCODING: &str = "transfer-encoding";
const CONNECTION: &str = "connection";
const EXPECT: &str = "expect";
const NAMES: &[&str] = &[CONTENT_LENGTH, TRANSFER_ENCODING, CONNECTION, EXPECT];

impl FramingHeader {
    pub(super) fn find(name: &[u8]) -> Option<FramingHeader> {
        match find_name(NAMES, name)? {
            CONTENT_LENGTH => Some(FramingHeader::ContentLength),
            TRANSFER_ENCODING => Some(FramingHeader::TransferEncoding),
            CONNECTION => Some(FramingHeader::Connection),
            _ => Some(FramingHeader::Expect),
        }
    }

    pub(super) fn may_begin(start: &[u8]) -> bool {
        begins_any(NAMES, start)
    }
}

/// What the headers read so far say about the body and the connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Framing {
    length: Option<u64>,
    chunked: bool,
    close: bool,
    keep_alive: bool,
    expect_continue: bool,
}

impl Framing {
    pub(super) const fn new() -> Framing {
        Framing { length: None, chunked: false, close: false, keep_alive: false, expect_continue: false }
    }

    pub(super) fn note(&mut self, header: FramingHeader, value: &[u8]) -> Result<(), HeadError> {
        match header {
            FramingHeader::ContentLength => self.note_length(value),
            FramingHeader::TransferEncoding => self.note_coding(value),
            FramingHeader::Connection => {
                let mut options = value.split(|&byte| byte == b',').map(trim);
                self.close |= options.clone().any(|option| option.eq_ignore_ascii_case(b"close"));
                self.keep_alive |= options.any(|option| option.eq_ignore_ascii_case(b"keep-alive"));
                Ok(())
            }
            FramingHeader::Expect => {
                self.expect_continue |= value.eq_ignore_ascii_case(b"100-continue");
                Ok(())
            }
        }
    }

    fn note_length(&mut self, value: &[u8]) -> Result<(), HeadError> {
        let length = parse_length(value).ok_or(HeadError::ContentLength)?;
        match self.length {
            Some(other) if other != length => Err(HeadError::ContentLength),
            _ => {
                self.length = Some(length);
                Ok(())
            }
        }
    }

    fn note_coding(&mut self, value: &[u8]) -> Result<(), HeadError> {
        if self.chunked || !value.eq_ignore_ascii_case(b"chunked") {
            return Err(HeadError::TransferEncoding);
        }
        self.chunked = true;
        Ok(())
    }

    /// What the headers say about the body; `None` if they say nothing.
    pub(super) fn body(&self, version: Version) -> Result<Option<BodyKind>, HeadError> {
        match (self.chunked, self.length) {
            (true, Some(_)) => Err(HeadError::Ambiguous),
            (true, None) if version == Version::Http10 => Err(HeadError::Ambiguous),
            (true, None) => Ok(Some(BodyKind::Chunked)),
            (false, length) => Ok(length.map(BodyKind::Length)),
        }
    }

    /// Whether the connection is open for another exchange behind this message.
    pub(super) fn keep_alive(&self, version: Version) -> bool {
        !self.close && (version == Version::Http11 || self.keep_alive)
    }

    /// HTTP/1.0 knows no interim responses.
    pub(super) fn expect_continue(&self, version: Version) -> bool {
        self.expect_continue && version == Version::Http11
    }
}

/// Decimal digits and nothing else.
fn parse_length(value: &[u8]) -> Option<u64> {
    let [_, ..] = value else { return None };
    value.iter().try_fold(0_u64, |length, &byte| {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        length.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_digits_and_nothing_else() {
        for (value, expected) in [
            ("0", Some(0)),
            ("12", Some(12)),
            ("0012", Some(12)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("99999999999999999999999", None),
            ("", None),
            ("+1", None),
            ("-1", None),
            ("1 2", None),
            ("1,1", None),
            ("0x10", None),
            ("1.0", None),
        ] {
            assert_eq!(parse_length(value.as_bytes()), expected, "{value:?}");
        }
    }
}
