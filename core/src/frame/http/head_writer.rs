//! [`HeadWriter`]: writes the head of a request or a response.

use core::fmt;

use super::chars::{is_plain_byte, is_space, is_target_byte, is_token};
use super::sentinel::{self, needs_encoding};
use super::status::reason;
use crate::digits::Digits;

/// Writes a head into a lent buffer: the first line, then headers in the order they are given, then, by [`finish`](HeadWriter::finish), its end.
///
/// Nothing has to be checked on the way. What does not fit is counted, and a name or value that would break the head is not written; `finish`
/// says so, and then there is no head.
///
/// ```
/// use umcp::frame::http::HeadWriter;
/// let mut buf = [0; 128];
/// let mut w = HeadWriter::response(&mut buf, 200);
/// w.header("Content-Type", b"application/json").number("Content-Length", 2);
/// let head = w.finish()?;
/// assert_eq!(&buf[..head.len], b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n");
/// # Ok::<(), umcp::frame::http::HeadFault>(())
/// ```
#[derive(Debug)]
pub struct HeadWriter<'a> {
    buf: &'a mut [u8],
    len: usize,
    /// Bytes that did not fit.
    lost: usize,
    invalid: bool,
    length: Option<LengthField>,
}

/// A head that has been written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its length in bytes, from the start of the buffer.
    pub len: usize,
    /// Where the length of the body goes, if that was [left open](HeadWriter::length_later).
    pub length: Option<LengthField>,
}

/// The place of a `Content-Length` that is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthField {
    /// From the start of the head.
    at: usize,
}

/// Why there is no head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum HeadFault {
    /// The buffer is too small.
    Capacity {
        /// Bytes it would have to have.
        needed: usize,
    },
    /// A method, target, name or value has characters in it that may not stand there; a line end, for instance. Values from outside are
    /// written by [`text`](HeadWriter::text), which encodes them.
    Invalid,
}

impl<'a> HeadWriter<'a> {
    /// The head of a response with this status, and its usual [`reason`].
    #[must_use]
    pub fn response(buf: &'a mut [u8], status: u16) -> HeadWriter<'a> {
        let mut head = HeadWriter::new(buf);
        head.invalid = !matches!(status, 100..=999);
        head.put(b"HTTP/1.1 ");
        head.put(Digits::new(u64::from(status)).as_bytes());
        head.put(b" ").put(reason(status).as_bytes()).put(b"\r\n");
        head
    }

    /// The head of a request. The target is sent as it is: visible ASCII characters, any others percent-encoded by the caller.
    #[must_use]
    pub fn request(buf: &'a mut [u8], method: &str, target: &str) -> HeadWriter<'a> {
        let mut head = HeadWriter::new(buf);
        let target_is_valid = !target.is_empty() && target.bytes().all(is_target_byte);
        head.invalid = !is_token(method.as_bytes()) || !target_is_valid;
        head.put(method.as_bytes()).put(b" ").put(target.as_bytes()).put(b" HTTP/1.1\r\n");
        head
    }

    fn new(buf: &'a mut [u8]) -> HeadWriter<'a> {
        HeadWriter { buf, len: 0, lost: 0, invalid: false, length: None }
    }

    /// A header, its value sent as it is.
    pub fn header(&mut self, name: &str, value: &[u8]) -> &mut Self {
        self.header_parts(name, &[value])
    }

    /// A header that is left out if the head would be longer than this with it.
    #[cfg(all(feature = "client", feature = "http"))]
    pub(crate) fn spare(&mut self, name: &str, value: &[u8], longest: usize) -> &mut Self {
        const COLON_AND_LINE_ENDS: usize = 6;
        let head = self.len.saturating_add(self.lost).saturating_add(COLON_AND_LINE_ENDS);
        let fits = head.saturating_add(name.len()).saturating_add(value.len()) <= longest;
        if fits { self.header(name, value) } else { self }
    }

    /// A header whose value is in several parts, sent one behind the other: a scheme and a token, a host and a port.
    pub fn header_parts(&mut self, name: &str, parts: &[&[u8]]) -> &mut Self {
        self.name(name);
        let value = parts.iter().copied().flatten().copied();
        self.invalid |= !value.clone().all(is_plain_byte);
        self.invalid |= value.clone().next().is_some_and(is_space) || value.last().is_some_and(is_space);
        parts.iter().for_each(|part| {
            self.put(part);
        });
        self.put(b"\r\n")
    }

    /// A header whose value is a number.
    pub fn number(&mut self, name: &str, value: u64) -> &mut Self {
        self.name(name).put(Digits::new(value).as_bytes()).put(b"\r\n")
    }

    /// A header whose value is any text: as it is where that is safe, and else [encoded](super::HeaderText).
    ///
    /// The bytes are gone through up to three times, so a text that is not at hand in one piece need not be stored for this.
    pub fn text(&mut self, name: &str, text: impl Iterator<Item = u8> + Clone) -> &mut Self {
        self.name(name);
        if needs_encoding(text.clone()) {
            sentinel::encode(text, |bytes| {
                self.put(bytes);
            });
        } else {
            text.for_each(|byte| {
                self.put(&[byte]);
            });
        }
        self.put(b"\r\n")
    }

    /// A `Content-Length` to be filled in when the body is known: [`Head::length`].
    pub fn length_later(&mut self) -> &mut Self {
        self.name("Content-Length");
        self.length = Some(LengthField { at: self.len });
        self.put(&[b' '; LengthField::WIDTH]).put(b"\r\n")
    }

    /// Ends the head.
    ///
    /// # Errors
    /// There is none: what is in the buffer is not to be sent.
    pub fn finish(mut self) -> Result<Head, HeadFault> {
        self.put(b"\r\n");
        match (self.invalid, self.lost) {
            (true, _) => Err(HeadFault::Invalid),
            (false, 0) => Ok(Head { len: self.len, length: self.length }),
            (false, lost) => Err(HeadFault::Capacity { needed: self.len.saturating_add(lost) }),
        }
    }

    fn name(&mut self, name: &str) -> &mut Self {
        self.invalid |= !is_token(name.as_bytes());
        self.put(name.as_bytes()).put(b": ")
    }

    fn put(&mut self, bytes: &[u8]) -> &mut Self {
        let room = self.buf.get_mut(self.len..).unwrap_or_default();
        match room.split_at_mut_checked(bytes.len()) {
            Some((room, _)) => {
                room.iter_mut().zip(bytes).for_each(|(slot, byte)| *slot = *byte);
                self.len += bytes.len();
            }
            None => self.lost = self.lost.saturating_add(bytes.len()),
        }
        self
    }
}

impl LengthField {
    /// Digits there is room for.
    const WIDTH: usize = 10;

    /// Writes the length of the body into the head, which `head` begins with. White space before the digits is part of the grammar.
    ///
    /// `false`, with nothing changed, if the length has more than 10 digits or this is not the head.
    #[must_use]
    pub fn fill(self, head: &mut [u8], length: u64) -> bool {
        let digits = Digits::new(length);
        let digits = digits.as_bytes();
        let field = head.get_mut(self.at..).and_then(|rest| rest.first_chunk_mut::<{ LengthField::WIDTH }>());
        let Some(field) = field.filter(|_| digits.len() <= LengthField::WIDTH) else {
            return false;
        };
        let padding = core::iter::repeat(&b' ');
        field.iter_mut().rev().zip(digits.iter().rev().chain(padding)).for_each(|(slot, byte)| *slot = *byte);
        true
    }
}

impl fmt::Display for HeadFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeadFault::Capacity { needed } => {
                write!(f, "the buffer is too small for the head: {needed} bytes are needed")
            }
            HeadFault::Invalid => f.write_str("a header has characters in it that cannot be sent"),
        }
    }
}

impl core::error::Error for HeadFault {}
