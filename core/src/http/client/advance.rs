//! What happens next: what has arrived, then what became of the exchange, then what is to be sent.

use super::annotations::Annotations;
use super::connection::{Connection, LINGER, State};
use super::exchange::{Exchange, Notes, Purpose};
use super::post::Post;
use crate::client::{Happened, Lost, Refused};
use crate::frame::http::HeadFault;
use crate::json::Value;
use crate::mcp::Method;
use crate::rpc::{Arrival, RequestHandle};
use crate::time::Instant;

/// What became of the exchange.
enum Step {
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
        let waited = request.is_some_and(|request| self.engine.waits_for(request));
        let (exchange, mut heard) = (&mut self.exchange, false);
        let mut notes = Notes { session: self.session, said: self.said };
        let happened = self.engine.advance(now, |inbox| {
            let arrival = exchange.pull(inbox, &mut notes);
            heard |= arrival != Arrival::Nothing;
            arrival
        });
        // What is no longer waited for has been answered, if something has arrived, or else has been given up.
        if heard && waited && request.is_some_and(|request| !self.engine.waits_for(request)) {
            self.exchange.answered = true;
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
        if self.exchange.answered {
            if self.linger == Instant::NEVER {
                self.linger = self.engine.now + LINGER;
            }
            if self.engine.now < self.linger {
                return Step::Rest;
            }
            self.drop_exchange();
            return Step::Again;
        }
        match self.exchange.purpose.request() {
            Some(request) if !self.engine.waits_for(request) => {
                self.drop_exchange();
                self.engine.forget(request);
                Step::Again
            }
            _ => Step::Rest,
        }
    }

    /// The stream has ended before the reply did.
    fn broken(&self) -> Lost {
        let silent = !self.exchange.heard && self.exchange.reused;
        if silent { Lost::Unanswered } else { Lost::Closed }
    }

    /// The reply has come to its end.
    fn end(&mut self, reusable: bool) -> Step {
        let (answered, request) = (self.exchange.answered, self.exchange.purpose.request());
        let why = if self.exchange.is_error() { Lost::Status(self.exchange.status) } else { Lost::NoResponse };
        // What stands behind a reply was not asked for, and what is not sent yet, the server does not want.
        let reusable = reusable && self.framed_of_exchange() == 0 && self.engine.inlet.inbox().raw().is_empty();
        if reusable {
            self.state = State::Used;
            self.rest();
        } else {
            self.drop_exchange();
        }
        match request {
            Some(request) if !answered => self.told(request, why),
            _ => Step::Again,
        }
    }

    /// The reply will not come to its end.
    fn lose(&mut self, why: Lost) -> Step {
        let (answered, request) = (self.exchange.answered, self.exchange.purpose.request());
        self.drop_exchange();
        match request {
            Some(request) if !answered => self.told(request, why),
            _ => Step::Again,
        }
    }

    fn told(&mut self, request: RequestHandle, why: Lost) -> Step {
        self.engine.unanswered(request, why).map_or(Step::Again, Step::Told)
    }

    /// No exchange, and its status is still known.
    fn rest(&mut self) {
        self.exchange = self.exchange.over();
        self.linger = Instant::NEVER;
    }

    /// Ends the exchange and its stream.
    fn drop_exchange(&mut self) {
        let unsent = self.framed_of_exchange();
        self.framed = self.framed.saturating_sub(unsent);
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
        (self.framed, self.next) = (0, None);
        let unsent = self.engine.outbox.transmit().len();
        self.engine.outbox.transmitted(unsent);
        self.drop_exchange();
        Step::Again
    }

    /// Bytes of the exchange under way that have not left.
    fn framed_of_exchange(&self) -> usize {
        if self.next.is_none() { self.framed } else { 0 }
    }

    /// No exchange is under way: is there another message?
    fn send_next(&mut self) -> Step {
        if self.state == State::Used && !self.engine.inlet.inbox().raw().is_empty() {
            // What a server says unasked is that it will close the stream.
            self.forget_bytes();
            self.state = State::Spent;
        }
        match self.frame() {
            Ok(()) if self.begin() => Step::Again,
            Ok(()) => Step::Rest,
            Err(Unsent { request: Some(request), fault }) => self.told(request, Lost::Unsendable(fault)),
            Err(Unsent { request: None, .. }) => Step::Again,
        }
    }

    /// Gives the first message that waits its head, unless one has it already. A request that was given up meanwhile is dropped.
    pub(super) fn frame(&mut self) -> Result<(), Unsent> {
        while self.framed == 0
            && let Some(length) = self.engine.outbox.line()
        {
            let message = Value::new(self.engine.outbox.transmit().get(..length).unwrap_or_default());
            let Some(purpose) = self.purpose(message) else {
                self.engine.outbox.transmitted(length.saturating_add(1));
                continue;
            };
            let post = Post {
                target: self.target,
                revision: self.engine.revision,
                session: self.session,
                annotations: Annotations(self.tools),
            };
            let framed = self.engine.outbox.put_head(length, |room, message| post.write(room, message));
            self.framed = framed.map_err(|fault| Unsent { request: purpose.request(), fault })?;
            self.next = Some(purpose);
        }
        Ok(())
    }

    /// What a message is sent for; `None`: nobody waits for its answer any more.
    fn purpose(&self, message: Value<'_>) -> Option<Purpose> {
        let (Some(method), Some(id)) = (message.get("method"), message.get("id")) else {
            return Some(Purpose::Notice);
        };
        let (handle, _) = self.engine.pending.find(id)?;
        Some(match Method::parse(method) {
            #[cfg(feature = "legacy")]
            Some(Method::Initialize) => Purpose::Handshake(handle),
            _ => Purpose::Request(handle),
        })
    }

    /// Begins the exchange of the message that has its head, if none is under way.
    pub(super) fn begin(&mut self) -> bool {
        if !self.exchange.is_none() {
            return false;
        }
        let Some(purpose) = self.next.take() else { return false };
        let buffer = self.engine.inlet.limit().saturating_add(1);
        self.exchange = Exchange::new(purpose, buffer);
        true
    }
}

/// A message that cannot be sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unsent {
    request: Option<RequestHandle>,
    fault: HeadFault,
}

impl Unsent {
    pub(super) fn refused(self) -> Refused {
        match self.fault {
            HeadFault::Capacity { needed } => Refused::Capacity { needed },
            HeadFault::Invalid => Refused::Headers,
        }
    }
}
