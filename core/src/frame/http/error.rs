//! [`HeadError`] and [`BodyError`]: what the peer has sent is not HTTP as it is spoken here.

use core::fmt;

/// A head that is refused. The connection cannot be used any further: where the next message begins is not known.
///
/// A server answers with [`status`](HeadError::status) and closes. A client reports that what answered does not speak HTTP/1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum HeadError {
    /// The first line is neither a request line nor a status line.
    StartLine,
    /// The version is neither 1.0 nor 1.1.
    Version,
    /// The first line is longer than [`Limits::line`](super::Limits).
    StartLineTooLong,
    /// A header line is no header: no colon, white space before the colon or before the name, or a control character in the value.
    Header,
    /// A needed header is longer than [`Limits::line`](super::Limits).
    HeaderTooLong,
    /// A line ends in something else than CR and LF.
    LineEnd,
    /// The head is longer than [`Limits::head`](super::Limits).
    HeadTooLong,
    /// `Content-Length` is no number, too large a number, or more than one number.
    ContentLength,
    /// A transfer coding other than `chunked`.
    TransferEncoding,
    /// How long the body is, is said twice: by `Content-Length` and by `Transfer-Encoding`; or by the latter in HTTP/1.0, which has none.
    Ambiguous,
}

impl HeadError {
    /// The status a server answers with.
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            HeadError::StartLine
            | HeadError::Header
            | HeadError::LineEnd
            | HeadError::ContentLength
            | HeadError::Ambiguous => 400,
            HeadError::StartLineTooLong => 414,
            HeadError::HeaderTooLong | HeadError::HeadTooLong => 431,
            HeadError::TransferEncoding => 501,
            HeadError::Version => 505,
        }
    }
}

impl fmt::Display for HeadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            HeadError::StartLine => "the first line is not HTTP",
            HeadError::Version => "the HTTP version is neither 1.0 nor 1.1",
            HeadError::StartLineTooLong => "the first line is longer than the buffer for it",
            HeadError::Header => "a header line is malformed",
            HeadError::HeaderTooLong => "a header is longer than the buffer for it",
            HeadError::LineEnd => "a line does not end in CR LF",
            HeadError::HeadTooLong => "the headers are longer than the limit",
            HeadError::ContentLength => "Content-Length is not one number",
            HeadError::TransferEncoding => "the transfer coding is not chunked",
            HeadError::Ambiguous => "the length of the body is given in two ways",
        })
    }
}

impl core::error::Error for HeadError {}

/// A body that breaks off or is malformed. What of it has been read is void, and the connection cannot be used any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum BodyError {
    /// A chunk does not begin with its size in hexadecimal digits, or does not end behind so many bytes.
    Chunk,
    /// A chunk's size with its extensions takes more than [`Chunked::MAX_SIZE_LINE`](super::Chunked::MAX_SIZE_LINE) bytes, or is 2^64 or more.
    ChunkTooLong,
    /// What follows the last chunk is no trailer.
    Trailer,
    /// The trailers take more than [`Chunked::MAX_TRAILERS`](super::Chunked::MAX_TRAILERS) bytes.
    TrailersTooLong,
    /// The stream ended before the body did.
    Eof,
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BodyError::Chunk => "a chunk of the body is malformed",
            BodyError::ChunkTooLong => "the size of a chunk, or its extensions, are longer than the limit",
            BodyError::Trailer => "the trailers behind the body are malformed",
            BodyError::TrailersTooLong => "the trailers behind the body are longer than the limit",
            BodyError::Eof => "the connection ended in the middle of the body",
        })
    }
}

impl core::error::Error for BodyError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refused_head_has_its_status() {
        for (error, status) in [
            (HeadError::StartLine, 400),
            (HeadError::Version, 505),
            (HeadError::StartLineTooLong, 414),
            (HeadError::Header, 400),
            (HeadError::HeaderTooLong, 431),
            (HeadError::LineEnd, 400),
            (HeadError::HeadTooLong, 431),
            (HeadError::ContentLength, 400),
            (HeadError::TransferEncoding, 501),
            (HeadError::Ambiguous, 400),
        ] {
            assert_eq!(error.status(), status, "{error}");
        }
    }
}
