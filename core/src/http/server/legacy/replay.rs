//! Events that may be asked for again.

use crate::rpc::move_down;
use crate::split::split_once;

/// Names one event: its stream, and its place in it. The first event of a stream has number 1; 0 is its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http::server) struct EventId {
    pub(in crate::http::server) stream: u32,
    pub(in crate::http::server) number: u32,
}

/// The longest text of an [`EventId`].
const MAX_TEXT: usize = 21;

impl EventId {
    /// `STREAM-NUMBER`, both in decimal digits.
    pub(in crate::http::server) fn parse(text: &[u8]) -> Option<EventId> {
        let text = core::str::from_utf8(text).ok()?;
        let (stream, number) = split_once(text, "-")?;
        let number_of = |digits: &str| {
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            if plain { digits.parse().ok() } else { None }
        };
        Some(EventId { stream: number_of(stream)?, number: number_of(number)? })
    }

    pub(in crate::http::server) fn text(self) -> heapless::Vec<u8, MAX_TEXT, u8> {
        let mut text = heapless::Vec::new();
        push_decimal(&mut text, self.stream);
        let _ = text.push(b'-');
        push_decimal(&mut text, self.number);
        text
    }
}

fn push_decimal(text: &mut heapless::Vec<u8, MAX_TEXT, u8>, value: u32) {
    let mut divisor = 1_000_000_000;
    while divisor > 0 {
        let digit = value / divisor % 10;
        if value >= divisor || divisor == 1 {
            let _ = text.push(b'0' + u8::try_from(digit).unwrap_or(0));
        }
        divisor /= 10;
    }
}

/// The latest events of all resumable streams, in a lent buffer: each with its session, its stream, its number and its length in front. The oldest
/// make room for the newest. An event is only given to the session that it was told in.
#[derive(Debug)]
pub(super) struct Replay<'s> {
    buf: &'s mut [u8],
    len: usize,
}

const HEADER: usize = 16;

impl<'s> Replay<'s> {
    pub(super) fn new(buf: &'s mut [u8]) -> Replay<'s> {
        Replay { buf, len: 0 }
    }

    pub(super) fn has_room(&self) -> bool {
        self.buf.len() > HEADER
    }

    /// Keeps an event. One that is longer than the buffer cannot be kept.
    pub(super) fn keep(&mut self, session: u32, id: EventId, event: &[u8]) {
        let needed = event.len().saturating_add(HEADER);
        if needed > self.buf.len() {
            return;
        }
        while self.buf.len().saturating_sub(self.len) < needed {
            self.drop_oldest();
        }
        let Ok(length) = u32::try_from(event.len()) else { return };
        for part in [
            &session.to_le_bytes()[..],
            &id.stream.to_le_bytes(),
            &id.number.to_le_bytes(),
            &length.to_le_bytes(),
            event,
        ] {
            let room = self.buf.get_mut(self.len..).unwrap_or_default();
            room.iter_mut().zip(part).for_each(|(slot, byte)| *slot = *byte);
            self.len += part.len();
        }
    }

    /// The first event of this stream of this session from this number on, and its number.
    pub(super) fn from(&self, session: u32, id: EventId) -> Option<(u32, &[u8])> {
        let mut rest = self.buf.get(..self.len)?;
        loop {
            let (owner, found, event, after) = split(rest)?;
            if owner == session && found.stream == id.stream && found.number >= id.number {
                return Some((found.number, event));
            }
            rest = after;
        }
    }

    fn drop_oldest(&mut self) {
        let kept = self.buf.get(..self.len).and_then(split).map_or(0, |(.., after)| after.len());
        move_down(self.buf, self.len.saturating_sub(kept)..self.len, 0);
        self.len = kept;
    }
}

/// The first event with its session, and what follows it.
fn split(kept: &[u8]) -> Option<(u32, EventId, &[u8], &[u8])> {
    let (session, rest) = kept.split_first_chunk::<4>()?;
    let (stream, rest) = rest.split_first_chunk::<4>()?;
    let (number, rest) = rest.split_first_chunk::<4>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (event, after) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    let id = EventId { stream: u32::from_le_bytes(*stream), number: u32::from_le_bytes(*number) };
    Some((u32::from_le_bytes(*session), id, event, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn id(stream: u32, number: u32) -> EventId {
        EventId { stream, number }
    }

    #[test]
    fn the_oldest_events_make_room() {
        let mut buf = [0; 80];
        let mut replay = Replay::new(&mut buf);
        assert_eq!(replay.from(9, id(1, 0)), None);
        replay.keep(9, id(1, 1), b"one");
        replay.keep(9, id(2, 1), b"other");
        replay.keep(9, id(1, 2), b"two");
        assert_eq!(replay.from(9, id(1, 1)), Some((1, &b"one"[..])));
        assert_eq!(replay.from(9, id(1, 2)), Some((2, &b"two"[..])));
        assert_eq!(replay.from(9, id(2, 0)), Some((1, &b"other"[..])));
        assert_eq!(replay.from(8, id(2, 0)), None, "another session's");
        replay.keep(9, id(3, 1), &[b'x'; 30]);
        assert_eq!(replay.from(9, id(1, 1)), Some((2, &b"two"[..])));
        assert_eq!(replay.from(9, id(2, 0)), None);
        assert_eq!(replay.from(9, id(3, 1)), Some((1, &[b'x'; 30][..])));
        replay.keep(9, id(4, 1), &[b'x'; 70]);
        assert_eq!(replay.from(9, id(4, 0)), None);
        assert!(replay.from(9, id(3, 1)).is_some());
    }

    #[test]
    fn ids_are_read_as_they_are_written() {
        for (stream, number) in [(0, 0), (1, 10), (4_294_967_295, 1_000_000_000)] {
            let id = id(stream, number);
            assert_eq!(EventId::parse(&id.text()), Some(id));
        }
        assert_eq!(&id(7, 120).text()[..], b"7-120");
        for text in ["", "-", "1-", "-1", "1", "a-1", "1-2-3", "+1-2", "4294967296-1", "1 -2"] {
            assert_eq!(EventId::parse(text.as_bytes()), None, "{text}");
        }
    }
}
