//! What happens next: what has arrived, then what became of the exchange, then what is to be sent.

use super::connection::{Connection, LINGER, PATIENCE, State};
use super::exchange::{Notes, Purpose};
use super::framed::Framed;
use crate::client::{Happened, Lost};
use crate::rpc::{Arrival, RequestHandle};
use crate::time::Instant;

/// What became of the exchange.
pub(super) enum Step {
    /// Nothing that the caller needs to know, but something has changed.
    Again,
    Told(Happened),
    /// Nothing, until bytes move or time passes.
    Rest,
}

impl Connection<'_> {
    /// What happened next, without a view; see [`client::Connection::advance`](crate::client::Connection::advance).
    pub fn advance(&mut self, now: Instant) -> Happened {
        loop {
            let happened = self.hear(now);
            if happened != Happened::NeedData {
                return happened;
            }
            match self.look_after() {
                Step::Again => {}
                Step::Told(happened) => return happened,
                Step::Rest => return Happened::NeedData,
            }
        }
    }

    /// What the engine makes of what has arrived.
    fn hear(&mut self, now: Instant) -> Happened {
        let request = self.exchange.purpose.request();
        self.engine.stream_of = request.map_or(0, RequestHandle::id);
        let waited = request.is_some_and(|request| self.engine.waits_for(request));
        let (exchange, mut heard) = (&mut self.exchange, false);
        let mut notes = Notes { session: self.session, said: self.said };
        let happened = self.engine.advance(now, |inbox| {
            let arrival = exchange.pull(inbox, &mut notes);
            heard |= !matches!(arrival, Arrival::Nothing | Arrival::Full | Arrival::Item | Arrival::TextEnd);
            arrival
        });
        // What is no longer waited for has been answered, if something has arrived, or else has been given up.
        if heard && waited && request.is_some_and(|request| !self.engine.waits_for(request)) {
            self.exchange.answered = true;
            #[cfg(feature = "legacy")]
            self.is_in_order();
        }
        self.keep_words(happened);
        happened
    }

    /// The body of an error that was taken for a message and is none is what the server says about the error.
    fn keep_words(&mut self, happened: Happened) {
        if let (Happened::Ignored(_), true) = (happened, self.exchange.is_error()) {
            super::reply::keep(self.said, self.engine.inlet.text());
        }
    }

    /// Nothing more has arrived: how is the exchange?
    fn look_after(&mut self) -> Step {
        if self.engine.has_failed() {
            return self.drop_all();
        }
        self.count_pieces();
        if let Some(step) = self.cut_upload() {
            return step;
        }
        if self.exchange.is_none() {
            return self.send_next();
        }
        if let Some(lost) = self.exchange.fault() {
            return self.lose(lost);
        }
        if let Some(reusable) = self.exchange.end() {
            return self.end(reusable);
        }
        if self.exchange.eof {
            return match self.exchange.close() {
                Ok(()) => Step::Again,
                Err(_) => self.lose(self.broken()),
            };
        }
        self.mind()
    }

    /// It goes on. Does anybody still want it to?
    fn mind(&mut self) -> Step {
        #[cfg(feature = "legacy")]
        if let Some(step) = self.mind_legacy() {
            return step;
        }
        let request = self.exchange.purpose.request();
        if self.exchange.answered || request.is_none() {
            return self.wait_for_end();
        }
        match request {
            Some(request) if !self.engine.waits_for(request) => {
                self.drop_exchange();
                self.engine.forget(request);
                Step::Again
            }
            _ => Step::Rest,
        }
    }

    /// What is still to come does not matter, so it is not waited for long.
    fn wait_for_end(&mut self) -> Step {
        if self.linger == Instant::NEVER {
            self.linger = self.engine.now + if self.exchange.answered { LINGER } else { PATIENCE };
        }
        if self.engine.now < self.linger {
            return Step::Rest;
        }
        self.drop_exchange();
        Step::Again
    }

    /// The stream has ended before the reply did.
    fn broken(&self) -> Lost {
        let silent = !self.exchange.is_heard() && self.exchange.reused;
        if silent { Lost::Unanswered } else { Lost::Closed }
    }

    /// The reply has come to its end.
    fn end(&mut self, reusable: bool) -> Step {
        let why = match self.exchange.is_error() {
            #[cfg(feature = "legacy")]
            true if self.exchange.in_session && self.exchange.status == 404 => Lost::SessionGone,
            true => Lost::Status(self.exchange.status),
            false => Lost::NoResponse,
        };
        // What stands behind a reply was not asked for, and what is not sent yet, the server does not want.
        let reusable =
            reusable && self.framed.own() == 0 && !self.is_half_sent() && self.engine.inlet.inbox().raw().is_empty();
        self.over(reusable, why)
    }

    /// The reply will not come to its end.
    fn lose(&mut self, why: Lost) -> Step {
        self.over(false, why)
    }

    /// The exchange is over, and `why` says what became of its request, unless that was answered.
    fn over(&mut self, reusable: bool, why: Lost) -> Step {
        let (answered, purpose) = (self.exchange.answered, self.exchange.purpose);
        #[cfg(feature = "legacy")]
        let again = self.goes_on();
        if reusable {
            self.state = State::Used;
            self.rest();
        } else {
            self.drop_exchange();
        }
        #[cfg(feature = "legacy")]
        if let Some(purpose) = again {
            return self.pause(purpose);
        }
        if answered { Step::Again } else { self.told(purpose, why) }
    }

    /// The exchange is over without an answer.
    pub(super) fn told(&mut self, purpose: Purpose, why: Lost) -> Step {
        #[cfg(feature = "legacy")]
        if let Some(step) = self.told_legacy(purpose, why) {
            return step;
        }
        let lost = purpose.request().and_then(|request| self.engine.unanswered(request, why));
        lost.map_or(Step::Again, Step::Told)
    }

    /// No exchange, and its status is still known.
    pub(super) fn rest(&mut self) {
        #[cfg(feature = "legacy")]
        self.forget_session();
        self.exchange = self.exchange.over();
        self.linger = Instant::NEVER;
    }

    /// Ends the exchange and its stream.
    pub(super) fn drop_exchange(&mut self) {
        self.count_pieces();
        let unsent = self.framed.own();
        self.framed.left(unsent);
        self.engine.outbox.transmitted(unsent);
        if !self.engine.inlet.is_held() {
            self.engine.inlet.inbox().abandon();
        }
        self.forget_bytes();
        if self.state != State::None {
            self.state = State::Spent;
        }
        self.rest();
    }

    /// There will be no connection: nothing is sent or heard any more.
    fn drop_all(&mut self) -> Step {
        if self.exchange.is_none() && self.engine.outbox.is_empty() {
            return Step::Rest;
        }
        self.framed = Framed::NOTHING;
        let unsent = self.engine.outbox.transmit().len();
        self.engine.outbox.transmitted(unsent);
        self.drop_exchange();
        Step::Again
    }
}
