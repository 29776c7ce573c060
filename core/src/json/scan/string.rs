//! The inside of a string: what stands for itself, escapes, UTF-8.

use super::tape::Tape;
use super::{ScanError, lane};
use crate::json::text::{Utf8, escape as escape_of, long_escape};

/// How a string went on.
pub(super) enum Body {
    /// To its closing quote, which was read.
    Closed,
    /// To the end of the bytes there are, or to the half escape or half character that ends them.
    Open,
}

/// How far a string could be read without changing it.
pub(super) enum Run<'a> {
    /// To its closing quote; this follows it.
    Closed(&'a [u8]),
    /// To something else, in front of this.
    Stopped(&'a [u8]),
}

/// Reads on inside a string as long as it is canonical as it stands.
#[inline(always)]
pub(super) fn run(text: &[u8]) -> Run<'_> {
    run_from(lane::after_plain(text))
}

/// As `run`, from the first byte that is not plain.
#[inline(always)]
pub(super) fn run_from(text: &[u8]) -> Run<'_> {
    match text {
        [b'"', tail @ ..] => Run::Closed(tail),
        _ => run_on(text),
    }
}

/// As `run`, from an escape or a character beyond ASCII.
#[cold]
fn run_on(text: &[u8]) -> Run<'_> {
    let mut rest = text;
    loop {
        match verbatim(rest) {
            0 => return Run::Stopped(rest),
            len => rest = rest.get(len..).unwrap_or(&[]),
        }
        match lane::after_plain(rest) {
            [b'"', tail @ ..] => return Run::Closed(tail),
            odd => rest = odd,
        }
    }
}

/// The length of the escapes and characters beyond ASCII in front that stay as they are.
#[inline(always)]
fn verbatim(text: &[u8]) -> usize {
    let mut rest = text;
    loop {
        rest = match rest {
            [b'\\', b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't', tail @ ..] => tail,
            [0x80..=0xff, ..] => match character_len(rest) {
                Ok(Some(len)) => rest.get(len..).unwrap_or(&[]),
                _ => break,
            },
            _ => break,
        };
    }
    text.len() - rest.len()
}

/// Reads on inside a string, rewriting its escapes.
pub(super) fn body(tape: &mut Tape<'_>) -> Result<Body, ScanError> {
    loop {
        let plain = tape.rest().len() - lane::after_plain(tape.rest()).len();
        tape.keep(plain);
        match tape.peek() {
            None => return Ok(Body::Open),
            Some(b'"') => {
                tape.keep(1);
                return Ok(Body::Closed);
            }
            Some(byte) => {
                if let Body::Open = odd(tape, byte)? {
                    return Ok(Body::Open);
                }
            }
        }
    }
}

/// Reads one escape or one character beyond ASCII. `Open`: it is not all there.
#[inline(never)]
fn odd(tape: &mut Tape<'_>, byte: u8) -> Result<Body, ScanError> {
    let whole = match byte {
        b'\\' => escape(tape)?,
        0x80.. => match character_len(tape.rest())? {
            Some(len) => {
                tape.keep(len);
                true
            }
            None => false,
        },
        _ => return Err(ScanError::Syntax),
    };
    Ok(if whole { Body::Closed } else { Body::Open })
}

/// The length of the character in front, which is not ASCII; `None`: it is not all there.
fn character_len(text: &[u8]) -> Result<Option<usize>, ScanError> {
    let (len, second) = match text.first() {
        Some(0xc2..=0xdf) => (2, 0x80..=0xbf),
        Some(0xe0) => (3, 0xa0..=0xbf),
        // Surrogates are no characters.
        Some(0xed) => (3, 0x80..=0x9f),
        Some(0xe1..=0xef) => (3, 0x80..=0xbf),
        Some(0xf0) => (4, 0x90..=0xbf),
        Some(0xf1..=0xf3) => (4, 0x80..=0xbf),
        Some(0xf4) => (4, 0x80..=0x8f),
        _ => return Err(ScanError::Utf8),
    };
    let character = text.get(..len);
    let follow = character.unwrap_or(text).get(1..).unwrap_or_default();
    let is_one = match follow {
        [] => true,
        [first, others @ ..] => second.contains(first) && others.iter().all(|byte| matches!(byte, 0x80..=0xbf)),
    };
    if is_one { Ok(character.map(|_| len)) } else { Err(ScanError::Utf8) }
}

/// Reads the escape in front; `false`: it is not all there.
fn escape(tape: &mut Tape<'_>) -> Result<bool, ScanError> {
    match *tape.rest() {
        [_, b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't', ..] => tape.keep(2),
        [_, b'/', ..] => tape.replace(2, b"/"),
        [_, b'u', a, b, c, d, ref more @ ..] => {
            let unit = hex4([a, b, c, d])?;
            match low_half(unit, more)? {
                Low::Missing => return Ok(false),
                Low::None => write(tape, 6, u32::from(unit)),
                Low::Some(low) => write(tape, 12, 0x10000 + (u32::from(unit & 0x3ff) << 10) + u32::from(low & 0x3ff)),
            }
        }
        [_] | [_, b'u'] | [_, b'u', _] | [_, b'u', _, _] | [_, b'u', _, _, _] => return Ok(false),
        _ => return Err(ScanError::Syntax),
    }
    Ok(true)
}

/// What follows the first `\uXXXX` of what may be a pair.
enum Low {
    /// It is no pair.
    None,
    /// The second half.
    Some(u16),
    /// It cannot be told yet.
    Missing,
}

fn low_half(unit: u16, more: &[u8]) -> Result<Low, ScanError> {
    if !matches!(unit, 0xd800..=0xdbff) {
        return Ok(Low::None);
    }
    match *more {
        [b'\\', b'u', a, b, c, d, ..] => match hex4([a, b, c, d])? {
            low @ 0xdc00..=0xdfff => Ok(Low::Some(low)),
            _ => Ok(Low::None),
        },
        [] | [b'\\'] | [b'\\', b'u'] | [b'\\', b'u', _] | [b'\\', b'u', _, _] | [b'\\', b'u', _, _, _] => {
            Ok(Low::Missing)
        }
        _ => Ok(Low::None),
    }
}

/// The number that four hexadecimal digits write.
fn hex4(digits: [u8; 4]) -> Result<u16, ScanError> {
    let mut number = 0;
    for digit in digits {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            b'A'..=b'F' => digit - b'A' + 10,
            _ => return Err(ScanError::Syntax),
        };
        number = number << 4 | u16::from(value);
    }
    Ok(number)
}

/// Writes a code point in the shortest form it has in a string, in place of `count` raw bytes.
fn write(tape: &mut Tape<'_>, count: usize, code: u32) {
    match char::from_u32(code) {
        Some(special @ ('\0'..='\x1f' | '"' | '\\')) => tape.replace(count, escape_of(special as u8).as_bytes()),
        Some(character) => tape.replace(count, Utf8::new(character).as_bytes()),
        // A lone surrogate.
        None => tape.replace(count, &long_escape(code)),
    }
}
