//! [`Chunked`]: the chunked transfer coding (RFC 9112, section 7.1), and [`Chunk`] for writing it.

use super::BodyError;
use super::chars::is_value_byte;
use crate::frame::Run;

/// Splits a body in chunks. Sizes, extensions and trailers are framing, and nothing is made of the latter two.
///
/// It remembers where it is after every byte and looks at each once; it wants no byte to be shown again.
#[derive(Clone, Copy, Debug)]
pub struct Chunked {
    at: At,
    /// Bytes of the size line or of the trailers so far.
    framing: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// In the digits of a size.
    Size(u64),
    /// In the white space behind them.
    Padding(u64),
    Extension(u64),
    SizeLf(u64),
    Data(u64),
    DataCr,
    DataLf,
    /// At the beginning of a trailer, or of the empty line.
    TrailerStart,
    Trailer,
    TrailerLf,
    LastLf,
    Ended,
}

impl Chunked {
    /// The longest line of a chunk's size, extensions and line end included, in bytes.
    pub const MAX_SIZE_LINE: u16 = 256;
    /// The most that may follow the last chunk, in bytes.
    pub const MAX_TRAILERS: u16 = 4096;

    /// At the first chunk.
    #[must_use]
    pub const fn new() -> Chunked {
        Chunked { at: At::Size(0), framing: 0 }
    }

    /// Splits the next raw bytes, as [`Body::split`](super::Body::split) does. `None`: more of them are needed, or the body has ended.
    ///
    /// # Errors
    /// The chunks are malformed.
    pub fn split(&mut self, raw: &[u8]) -> Result<Option<Run>, BodyError> {
        let mut skip = 0;
        while let [byte, ..] = raw.get(skip..).unwrap_or_default() {
            if let At::Data(left) = self.at {
                return Ok(Some(self.data(left, skip, raw.len() - skip)));
            }
            if self.at == At::Ended {
                return Ok(None);
            }
            self.at = self.after(*byte)?;
            skip += 1;
            if self.at == At::Ended {
                return Ok(Some(Run { skip, payload: 0, terminator: Some(0) }));
            }
        }
        Ok((skip > 0).then_some(Run { skip, payload: 0, terminator: None }))
    }

    /// As much of a chunk as there is.
    fn data(&mut self, left: u64, skip: usize, available: usize) -> Run {
        let payload = usize::try_from(left).unwrap_or(usize::MAX).min(available);
        let left = left - payload as u64;
        self.at = if left == 0 { At::DataCr } else { At::Data(left) };
        Run { skip, payload, terminator: None }
    }

    /// Where the next byte of framing leads.
    fn after(&mut self, byte: u8) -> Result<At, BodyError> {
        self.count()?;
        match (self.at, byte) {
            (At::Size(size), b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => add_digit(size, byte).map(At::Size),
            (At::Size(_), _) if self.framing == 1 => Err(BodyError::Chunk),
            (At::Size(size) | At::Padding(size), b' ' | b'\t') => Ok(At::Padding(size)),
            (At::Size(size) | At::Padding(size), b';') => Ok(At::Extension(size)),
            (At::Size(size) | At::Padding(size) | At::Extension(size), b'\r') => Ok(At::SizeLf(size)),
            (At::Extension(size), byte) if is_value_byte(byte) => Ok(At::Extension(size)),
            (At::SizeLf(size), b'\n') => {
                self.framing = 0;
                Ok(if size == 0 { At::TrailerStart } else { At::Data(size) })
            }
            (At::DataCr, b'\r') => Ok(At::DataLf),
            (At::DataLf, b'\n') => {
                self.framing = 0;
                Ok(At::Size(0))
            }
            (At::TrailerStart, b'\r') => Ok(At::LastLf),
            (At::TrailerStart | At::Trailer, byte) if is_value_byte(byte) => Ok(At::Trailer),
            (At::Trailer, b'\r') => Ok(At::TrailerLf),
            (At::TrailerLf, b'\n') => Ok(At::TrailerStart),
            (At::LastLf, b'\n') => Ok(At::Ended),
            (At::TrailerStart | At::Trailer | At::TrailerLf | At::LastLf, _) => Err(BodyError::Trailer),
            _ => Err(BodyError::Chunk),
        }
    }

    fn count(&mut self) -> Result<(), BodyError> {
        let (limit, error) = match self.at {
            At::TrailerStart | At::Trailer | At::TrailerLf | At::LastLf => {
                (Chunked::MAX_TRAILERS, BodyError::TrailersTooLong)
            }
            _ => (Chunked::MAX_SIZE_LINE, BodyError::ChunkTooLong),
        };
        if self.framing >= limit {
            return Err(error);
        }
        self.framing += 1;
        Ok(())
    }
}

impl Default for Chunked {
    fn default() -> Chunked {
        Chunked::new()
    }
}

fn add_digit(size: u64, digit: u8) -> Result<u64, BodyError> {
    let value = match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20) - b'a' + 10,
    };
    let size = size.checked_mul(16).ok_or(BodyError::ChunkTooLong)?;
    Ok(size | u64::from(value))
}

/// A chunk on its way out. Its size is written at a fixed width, so that the payload can be written first and measured afterwards, in place.
///
/// ```
/// use umcp::frame::http::Chunk;
/// let mut chunk = *b"0000\r\ndata: {}\n\n\r\n";
/// assert!(Chunk::seal(&mut chunk));
/// assert_eq!(&chunk, b"000A\r\ndata: {}\n\n\r\n");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Chunk;

impl Chunk {
    /// What a chunk begins with, its size to be filled in.
    pub const BEFORE: &'static str = "0000\r\n";
    /// What a chunk ends with.
    pub const AFTER: &'static str = "\r\n";
    /// What ends the body, instead of a chunk.
    pub const LAST: &'static str = "0\r\n\r\n";
    /// The longest payload of one chunk, in bytes.
    pub const MAX: usize = 0xFFFF;

    /// Fills in the size of this chunk, which is all of it: [`BEFORE`](Chunk::BEFORE), the payload, [`AFTER`](Chunk::AFTER).
    ///
    /// `false`, with nothing changed, if the payload is empty (that would end the body) or longer than [`MAX`](Chunk::MAX).
    #[must_use]
    pub fn seal(chunk: &mut [u8]) -> bool {
        let payload = chunk.len().saturating_sub(Chunk::BEFORE.len() + Chunk::AFTER.len());
        let (Some(digits), 1..=Chunk::MAX) = (chunk.first_chunk_mut::<4>(), payload) else {
            return false;
        };
        *digits = [payload >> 12, payload >> 8, payload >> 4, payload].map(hex_digit);
        true
    }
}

/// The last four bits, as a digit.
fn hex_digit(value: usize) -> u8 {
    match (value & 0xF) as u8 {
        digit @ 0..=9 => b'0' + digit,
        letter => b'A' + (letter - 10),
    }
}
