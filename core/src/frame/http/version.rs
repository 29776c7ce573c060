//! [`Version`].

use super::HeadError;

/// The version of HTTP a head was sent in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Version {
    /// HTTP/1.0: one exchange a connection unless `Connection: keep-alive` says otherwise, no chunks, no interim responses.
    Http10,
    /// HTTP/1.1.
    Http11,
}

impl Version {
    /// Any other version is told from what is no version at all, which is a malformed `line`.
    pub(super) fn parse(text: &[u8]) -> Result<Version, HeadError> {
        match text {
            b"HTTP/1.0" => Ok(Version::Http10),
            b"HTTP/1.1" => Ok(Version::Http11),
            [b'H', b'T', b'T', b'P', b'/', b'0'..=b'9', b'.', b'0'..=b'9'] => Err(HeadError::Version),
            _ => Err(HeadError::StartLine),
        }
    }
}
