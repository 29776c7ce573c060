//! What only the handshake revisions have over HTTP (2025-11-25, *Streamable HTTP*): sessions, streams that go on after they have broken off,
//! a stream to listen on, what is said while a stream is in use; and the transport of 2024-11-05.

use super::advance::Step;
use super::connection::{Connection, State};
use super::exchange::{Exchange, Purpose};
use super::framed::Framed;
use crate::client::Lost;
use crate::mcp::{Era, Revision};
use crate::split::{find, split_once};
use crate::time::{Duration, Instant};

/// After how long a stream that has broken off is asked for again, unless the server says when, in milliseconds.
pub(super) const RETRY: u32 = 1_000;
/// The shortest time, in milliseconds, that a server can ask for: one that ends each stream at once is not asked without a pause.
const MIN_RETRY: u32 = 100;

/// When a legacy server is listened to while nothing is asked of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Idle {
    /// Never: another connection in the session does that.
    Never,
    /// While a subscription is open.
    #[default]
    Subscribed,
    /// Always.
    Always,
}

/// What is only known of a legacy server.
#[derive(Debug, Default)]
pub(super) struct Legacy {
    /// When it is listened to what the server says without being asked.
    idle: Idle,
    /// The server has no stream to listen on.
    quiet: bool,
    /// It speaks 2024-11-05: all it says is on one stream, and where messages go is in the place of the session.
    old: bool,
    /// The session is to be ended.
    closing: bool,
    /// A new session has been begun, and nothing been answered in it.
    renewed: bool,
}

/// Legacy servers.
impl Connection<'_> {
    /// Whether to keep a stream open, while nothing else is in flight, on which a legacy server says what nobody has asked for: notifications,
    /// requests. A server that has none (405) is not asked again. Default: [`Idle::Subscribed`].
    pub fn listen_when_idle(&mut self, when: Idle) {
        self.legacy.idle = when;
    }

    /// Is the stream there that [`listen_when_idle`](Connection::listen_when_idle) asks for? `None`: the server has none, or is not legacy.
    #[must_use]
    pub fn is_listening_when_idle(&self) -> Option<bool> {
        let may = self.engine.revision.era() == Era::Legacy && !self.legacy.quiet && !self.legacy.old;
        may.then_some(self.exchange.purpose == Purpose::Listen && self.exchange.events().is_some())
    }

    /// The id of the session; empty if there is none.
    #[must_use]
    pub fn session(&self) -> &[u8] {
        if self.legacy.old { &[] } else { self.session }
    }

    /// Makes this, before it has begun, another connection in the [session](Connection::session) of one that has shaken hands and speaks
    /// this revision: to listen on it while the other is busy. `false`: the id does not fit the memory for it.
    #[must_use]
    pub fn join(&mut self, revision: Revision, session: &[u8]) -> bool {
        self.session.clear();
        self.engine.join(revision);
        self.session.extend_from_slice(session).is_ok()
    }

    /// Ends the session: the server is told, and whether it wants to know is its business. Drain events and bytes until
    /// [`has_session`](Connection::has_session) is `false`.
    pub fn close(&mut self) {
        self.legacy.closing = true;
    }

    /// Is there a session that can be ended?
    #[must_use]
    pub fn has_session(&self) -> bool {
        !self.legacy.old && !self.session.is_empty()
    }

    /// A message that has to leave while the stream is in use, the answer to a question of the server's: open another stream, send
    /// all of this on it, wait for the first line of the reply, close it, and say [`errand_done`](Connection::errand_done). Empty if there is none.
    #[must_use]
    pub fn errand(&self) -> &[u8] {
        let count = self.framed.errands();
        self.engine.outbox.transmit().get(..count).unwrap_or_default()
    }

    /// The [`errand`](Connection::errand) has left, and been accepted (any status below 300) if `accepted`.
    pub fn errand_done(&mut self, accepted: bool) {
        let count = self.framed.errands();
        if count == 0 {
            return;
        }
        self.framed.left(count);
        self.engine.outbox.transmitted(count);
        // Where requests are errands, one that was not accepted is lost.
        self.exchange.answered |= self.legacy.old && !accepted;
    }

    /// What was asked has been answered: all is in order with the session.
    pub(super) fn is_in_order(&mut self) {
        self.legacy.renewed &= matches!(self.exchange.purpose, Purpose::Handshake(_));
    }

    /// The exchange is over. If it was meant to end the session, that is forgotten, whatever the server has said.
    pub(super) fn forget_session(&mut self) {
        if self.exchange.purpose == Purpose::Goodbye {
            self.session.clear();
        }
    }

    pub(super) fn is_in_session(&self) -> bool {
        self.engine.revision.era() == Era::Legacy && self.has_session()
    }

    /// It has said where it wants its messages.
    pub(super) fn is_old(&self) -> bool {
        self.legacy.old && self.exchange.events().is_some()
    }

    /// The reply to what is in flight goes on, however long it takes, and a legacy server may ask something in it.
    pub(super) fn keeps_its_stream(&self) -> bool {
        let is_legacy = self.legacy.old || self.engine.revision.era() == Era::Legacy;
        let goes_on = self.exchange.events().is_some() || self.exchange.is_paused();
        let request = self.exchange.purpose.request();
        is_legacy && goes_on && request.is_none_or(|request| self.engine.waits_for(request))
    }

    fn listens(&self) -> bool {
        let wanted = match self.legacy.idle {
            Idle::Never => false,
            Idle::Subscribed => !self.engine.listens.is_empty(),
            Idle::Always => true,
        };
        let may = self.engine.is_ready() && self.engine.revision.era() == Era::Legacy;
        wanted && may && !self.legacy.quiet && !self.legacy.old && !self.legacy.closing
    }

    /// Nothing is in flight, and nothing waits.
    pub(super) fn ask_nothing(&mut self) -> Step {
        if !self.engine.outbox.is_empty() {
            return Step::Rest;
        }
        if self.legacy.closing && self.has_session() {
            return self.ask(Purpose::Goodbye);
        }
        if self.listens() { self.ask(Purpose::Listen) } else { Step::Rest }
    }

    /// Asks for a stream, or for the end of the session.
    fn ask(&mut self, purpose: Purpose) -> Step {
        if !self.engine.outbox.is_empty() {
            return Step::Rest;
        }
        let (verb, last_event) = match purpose {
            Purpose::Goodbye => ("DELETE", &[][..]),
            Purpose::Listen | Purpose::Resume(_) => ("GET", last_event(self.said)),
            _ => ("GET", &[][..]),
        };
        let post = super::post::Post {
            target: self.target,
            revision: self.engine.revision,
            session: self.session,
            annotations: super::annotations::Annotations(&[]),
            endpoint: None,
            errand: false,
            more: 0,
            room: self.engine.outbox.head_room(),
        };
        let written = self.engine.outbox.bare_head(|room| post.write_bare(room, verb, last_event));
        match written {
            Ok(length) => {
                self.framed = Framed::next(length, purpose);
                self.rest();
                self.begin();
                Step::Again
            }
            Err(fault) => {
                self.exchange = Exchange::new(purpose, 0);
                self.rest();
                self.told(purpose, Lost::Unsendable(fault))
            }
        }
    }

    /// What may be done while an exchange goes on.
    pub(super) fn mind_legacy(&mut self) -> Option<Step> {
        if self.keeps_its_stream()
            && let Some(step) = self.frame_or_tell()
        {
            return Some(step);
        }
        match self.exchange.purpose {
            Purpose::Old => Some(self.mind_old()),
            Purpose::Listen if self.framed.is_next() || !self.listens() => {
                self.keep_place();
                self.drop_exchange();
                Some(Step::Again)
            }
            Purpose::Resume(request) if self.exchange.is_paused() && !self.engine.waits_for(request) => {
                self.rest();
                Some(Step::Again)
            }
            purpose if self.exchange.is_paused() => {
                Some(if self.engine.now < self.linger { Step::Rest } else { self.ask(purpose) })
            }
            Purpose::Listen => Some(Step::Rest),
            _ => None,
        }
    }

    /// Remembers up to where a stream of events has been heard, and when the server wants it to be asked for again.
    fn keep_place(&mut self) -> bool {
        let Some(events) = self.exchange.events() else { return false };
        self.retry = events.retry().map_or(self.retry, |millis| millis.max(MIN_RETRY));
        let Some(id) = events.id() else { return !last_event(self.said).is_empty() };
        self.said.clear();
        self.said.extend_from_slice(id).is_ok() && !id.is_empty()
    }

    /// The exchange is over: is it one that goes on? What for, then.
    pub(super) fn goes_on(&mut self) -> Option<Purpose> {
        if self.engine.revision.era() == Era::Modern {
            return None;
        }
        let has_place = self.keep_place();
        let was_refused = self.exchange.status >= 300;
        match self.exchange.purpose {
            // The server has ended the stream, and not yet answered (2025-11-25, *Sending Messages to the Server*, 6).
            Purpose::Request(request) if has_place && self.engine.waits_for(request) => Some(Purpose::Resume(request)),
            Purpose::Resume(request) if !was_refused && self.engine.waits_for(request) => {
                Some(Purpose::Resume(request))
            }
            Purpose::Listen if self.exchange.events().is_some() || self.exchange.status == 0 => Some(Purpose::Listen),
            // Another stream to listen on has not ended yet, or the server has other troubles.
            Purpose::Listen if matches!(self.exchange.status, 409 | 429 | 500..) => Some(Purpose::Listen),
            Purpose::Listen => {
                self.legacy.quiet = true;
                None
            }
            _ => None,
        }
    }

    pub(super) fn pause(&mut self, purpose: Purpose) -> Step {
        self.exchange = Exchange::paused(purpose);
        self.linger = self.engine.now + Duration::from_millis(self.retry);
        Step::Again
    }

    /// The exchange is over without an answer. `None`: as in the modern era.
    pub(super) fn told_legacy(&mut self, purpose: Purpose, why: Lost) -> Option<Step> {
        match (purpose, why) {
            (Purpose::Old, why) => Some(self.old_ended(why)),
            // It cannot even be asked for.
            (Purpose::Listen, Lost::Unsendable(_)) => {
                self.legacy.quiet = true;
                Some(Step::Again)
            }
            // An older server, perhaps (2025-11-25, *Backwards Compatibility*).
            (Purpose::Handshake(request), Lost::Status(400 | 404 | 405)) if !self.legacy.old => {
                self.engine.put_off(request);
                self.legacy.old = true;
                self.session.clear();
                Some(self.ask(Purpose::Old))
            }
            (Purpose::Request(request), Lost::SessionGone) if self.legacy.renewed => {
                let lost = self.engine.unanswered(request, Lost::Status(404));
                Some(lost.map_or(Step::Again, Step::Told))
            }
            (Purpose::Request(request), Lost::SessionGone) => {
                self.legacy.renewed = true;
                self.session.clear();
                let lost = self.engine.unanswered(request, why);
                self.engine.begin_anew();
                Some(lost.map_or(Step::Again, Step::Told))
            }
            _ => None,
        }
    }
}

/// The id that was kept of an event, where errors are kept too; they begin with an empty line, which no id has.
fn last_event(said: &[u8]) -> &[u8] {
    if said.first() == Some(&b'\n') { &[] } else { said }
}

/// 2024-11-05: one stream for all that the server says, and messages on streams of their own.
impl Connection<'_> {
    fn mind_old(&mut self) -> Step {
        if self.exchange.answered {
            return self.lose_unsent();
        }
        if self.exchange.events().is_some() {
            self.linger = Instant::NEVER;
            if self.engine.take_up() {
                return if path(self.session, self.target.host()).is_some() {
                    Step::Again
                } else {
                    self.old_failed(Lost::Malformed)
                };
            }
            return Step::Rest;
        }
        if self.linger == Instant::NEVER {
            self.linger = self.engine.now + self.engine.config.timeout;
        }
        if self.engine.now < self.linger {
            return Step::Rest;
        }
        self.old_failed(Lost::NoResponse)
    }

    /// The message that was sent last was not accepted.
    fn lose_unsent(&mut self) -> Step {
        self.exchange.answered = false;
        let waiting = self.engine.pending.any_waiting();
        let lost = waiting.and_then(|(request, _)| self.engine.unanswered(request, Lost::Closed));
        lost.map_or(Step::Again, Step::Told)
    }

    fn old_failed(&mut self, why: Lost) -> Step {
        self.drop_exchange();
        self.old_ended(why)
    }

    /// The stream has ended, and with it all there was.
    fn old_ended(&mut self, why: Lost) -> Step {
        if !self.engine.is_ready() {
            return self.engine.handshake_failed(why).map_or(Step::Again, Step::Told);
        }
        self.engine.ends();
        self.state = if self.state == State::None { State::None } else { State::Spent };
        Step::Again
    }
}

/// The path in what a server has said about where messages go. `None`: that is no place on the server that the caller has named.
pub(super) fn path<'s>(said: &'s [u8], host: &str) -> Option<&'s str> {
    let said = core::str::from_utf8(said.trim_ascii()).ok()?;
    let Some((_, rest)) = split_once(said, "://") else {
        return Some(said).filter(|path| path.starts_with('/') && !path.starts_with("//"));
    };
    let (named, path) = rest.split_at_checked(find(rest, "/")?)?;
    named.eq_ignore_ascii_case(host).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_go_to_the_server_that_was_named() {
        for (said, expected) in [
            ("/messages?id=1\n", Some("/messages?id=1")),
            (" /m ", Some("/m")),
            ("http://h:1/m", Some("/m")),
            ("HTTPS://H:1/m?x", Some("/m?x")),
            ("http://other/m", None),
            ("http://h:1", None),
            ("http://h:1.evil/m", None),
            ("//other/m", None),
            ("messages", None),
            ("", None),
        ] {
            assert_eq!(path(said.as_bytes(), "h:1"), expected, "{said}");
        }
    }
}
