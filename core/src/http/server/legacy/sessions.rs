//! The sessions of a site.

use heapless::VecView;

use super::replay::{EventId, Replay};
use super::session::{HttpSession, MAX_STREAMS, SessionId};
use crate::server::legacy::Session;
use crate::time::{Duration, Instant};

/// Fills 16 bytes with random ones that nobody can foretell, from the system or a generator in hardware: whoever guesses the id of a session takes part in it.
pub type Random = fn(&mut [u8; 16]);

/// How many streams of one session may be open and taken up again. With more, the oldest can no longer be.
pub const MAX_OPEN_STREAMS: usize = MAX_STREAMS;

/// What a site needs to serve the handshake revisions: a table of sessions, and room to keep events that may be asked for again.
///
/// Without it, a site is of the modern era only, and tells a client of an earlier one so.
#[derive(Debug)]
pub struct Sessions<'s> {
    table: &'s mut VecView<HttpSession>,
    pub(super) replay: Replay<'s>,
    random: Random,
    serial: u32,
    stream: u32,
    timeout: Duration,
}

impl<'s> Sessions<'s> {
    /// Sessions in this table, of which the one that has been idle for longest makes room for another, and events in this buffer, which may be empty: then no stream is taken up again. A session that nothing was heard of for
    /// an hour is forgotten.
    #[must_use]
    pub fn new(table: &'s mut VecView<HttpSession>, replay: &'s mut [u8], random: Random) -> Sessions<'s> {
        table.clear();
        let timeout = Duration::from_secs(60 * 60);
        Sessions { table, replay: Replay::new(replay), random, serial: 0, stream: 0, timeout }
    }

    /// With sessions that are forgotten after so much silence.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Sessions<'s> {
        Sessions { timeout, ..self }
    }

    /// Whether there is room for another, or one that can make it.
    pub(super) fn has_room(&self, now: Instant) -> bool {
        !self.table.is_full() || self.oldest(now).is_some()
    }

    /// The session that has been idle for longest. One that has a stream open, or a call, is not idle.
    fn oldest(&self, now: Instant) -> Option<u32> {
        let idle = self.table.iter().filter(|session| session.busy_until <= now);
        idle.min_by_key(|session| session.last_used).map(|session| session.serial)
    }

    /// A new session. If the table is full, the one that has been idle for longest is forgotten. `None`: none is idle.
    pub(super) fn open(&mut self, state: Session, now: Instant) -> Option<u32> {
        if self.table.is_full() {
            let oldest = self.oldest(now)?;
            self.close(oldest);
        }
        let mut bits = [0; 16];
        (self.random)(&mut bits);
        self.serial = self.serial.wrapping_add(1);
        self.table.push(HttpSession::new(hex(bits), self.serial, state, now)).ok()?;
        Some(self.serial)
    }

    /// The session with this id. Every byte is compared, so that the time it takes tells nothing about an id that nearly fits.
    pub(super) fn find(&mut self, id: &[u8], now: Instant) -> Option<&mut HttpSession> {
        let timeout = self.timeout;
        self.table.retain(|session| now.since(session.last_used) < timeout);
        let session = self.table.iter_mut().find(|session| same(&session.id, id))?;
        session.last_used = now;
        Some(session)
    }

    pub(super) fn get(&mut self, serial: u32) -> Option<&mut HttpSession> {
        self.table.iter_mut().find(|session| session.serial == serial)
    }

    pub(super) fn id(&self, serial: u32) -> Option<&SessionId> {
        self.table.iter().find(|session| session.serial == serial).map(|session| &session.id)
    }

    pub(super) fn close(&mut self, serial: u32) {
        self.table.retain(|session| session.serial != serial);
    }

    /// A name for a stream, of all there ever were.
    pub(super) fn next_stream(&mut self) -> u32 {
        self.stream = self.stream.wrapping_add(1);
        self.stream
    }

    /// Whether there is room for events at all.
    pub(super) fn keeps_events(&self) -> bool {
        self.replay.has_room()
    }

    /// Whether something of this stream of this session has been kept.
    pub(super) fn knows(&self, session: u32, stream: u32) -> bool {
        self.replay.from(session, EventId { stream, number: 0 }).is_some()
    }

    /// Keeps an event of a stream that may be taken up again.
    pub(super) fn keep(&mut self, session: u32, id: EventId, event: &[u8]) {
        self.replay.keep(session, id, event);
    }
}

fn hex(bits: [u8; 16]) -> SessionId {
    let mut id = [0; 32];
    for (pair, byte) in id.as_chunks_mut::<2>().0.iter_mut().zip(bits) {
        *pair = [byte >> 4, byte & 0xF].map(|digit| if digit < 10 { b'0' + digit } else { b'a' + (digit - 10) });
    }
    id
}

fn same(id: &SessionId, given: &[u8]) -> bool {
    id.len() == given.len() && id.iter().zip(given).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Not random at all: the tests want to know the ids.
    fn counting(bits: &mut [u8; 16]) {
        use core::sync::atomic::{AtomicU8, Ordering};
        static NEXT: AtomicU8 = AtomicU8::new(1);
        bits.fill(NEXT.fetch_add(1, Ordering::Relaxed));
    }

    #[test]
    fn a_session_is_found_until_it_is_closed_or_too_old() {
        let mut table = heapless::Vec::<HttpSession, 2>::new();
        let mut sessions = Sessions::new(&mut table, &mut [], counting).timeout(Duration::from_secs(10));
        let at = Instant::from_millis;
        let open = |sessions: &mut Sessions<'_>, now| {
            let serial = sessions.open(Session::default(), now).expect("a table");
            (serial, *sessions.id(serial).expect("just opened"))
        };
        let (first, first_id) = open(&mut sessions, at(0));
        let (second, second_id) = open(&mut sessions, at(1));
        assert_ne!(first_id, second_id);
        assert!(first_id.iter().all(u8::is_ascii_hexdigit));
        assert_eq!(sessions.find(&first_id, at(2)).map(|session| session.serial), Some(first));
        assert!(sessions.find(&first_id[1..], at(2)).is_none());
        assert!(sessions.find(b"", at(2)).is_none());
        // The second has been idle for longer.
        let (third, third_id) = open(&mut sessions, at(3));
        assert!(sessions.find(&second_id, at(3)).is_none());
        assert!(sessions.get(second).is_none());
        sessions.close(third);
        assert!(sessions.find(&third_id, at(3)).is_none());
        assert!(sessions.find(&first_id, at(10_001)).is_some());
        assert!(sessions.find(&first_id, at(20_001)).is_none());
    }
}
