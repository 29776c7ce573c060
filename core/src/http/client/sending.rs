//! What is to be sent next, and the head it gets.

use super::advance::Step;
use super::annotations::Annotations;
use super::connection::{Connection, State};
use super::exchange::{Exchange, Purpose};
use super::framed::Framed;
use super::post::Post;
use crate::client::{Lost, Refused};
use crate::frame::http::HeadFault;
use crate::json::Value;
use crate::mcp::Method;
use crate::time::Instant;

impl Connection<'_> {
    /// No exchange is under way: is there another message?
    pub(super) fn send_next(&mut self) -> Step {
        if self.state == State::Used && !self.engine.inlet.inbox().raw().is_empty() {
            // What a server says unasked is that it will close the stream.
            self.forget_bytes();
            self.state = State::Spent;
        }
        if let Some(step) = self.frame_or_tell() {
            return step;
        }
        if self.begin() {
            return Step::Again;
        }
        #[cfg(feature = "legacy")]
        return self.ask_nothing();
        #[cfg(not(feature = "legacy"))]
        Step::Rest
    }

    /// As [`frame`](Connection::frame); what cannot be sent is told.
    pub(super) fn frame_or_tell(&mut self) -> Option<Step> {
        let Unsent { purpose, fault } = self.frame().err()?;
        Some(self.told(purpose, Lost::Unsendable(fault)))
    }

    /// Gives the first message that waits its head, unless one has it already. A request that was given up meanwhile is dropped.
    pub(super) fn frame(&mut self) -> Result<(), Unsent> {
        while self.framed.is_nothing()
            && let Some(length) = self.engine.outbox.line()
        {
            let message = Value::new(self.engine.outbox.transmit().get(..length).unwrap_or_default());
            let Some(purpose) = self.purpose(message) else {
                self.engine.outbox.transmitted(length.saturating_add(1));
                continue;
            };
            let (errand, to_come) = (self.is_errand(purpose), self.engine.give_head());
            let post = Post {
                target: self.target,
                revision: self.engine.revision,
                session: self.session,
                annotations: Annotations(self.tools),
                #[cfg(feature = "legacy")]
                endpoint: super::legacy::path(self.session, self.target.host()).filter(|_| self.is_old()),
                #[cfg(not(feature = "legacy"))]
                endpoint: None,
                errand,
                more: to_come.unwrap_or(0),
                room: self.engine.outbox.head_room(),
            };
            let framed = self.engine.outbox.put_head(length, |room, message| post.write(room, message));
            let length = framed.map_err(|fault| Unsent { purpose, fault })?;
            let length = if to_come.is_some() { self.open_end(length) } else { length };
            self.framed = if errand { Framed::errand(length) } else { Framed::next(length, purpose) };
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
        let Some(purpose) = self.framed.begin() else { return false };
        let buffer = self.engine.inlet.limit().saturating_add(1);
        self.exchange = Exchange::new(purpose, buffer);
        #[cfg(feature = "legacy")]
        {
            self.exchange.in_session = self.is_in_session();
        }
        self.linger = Instant::NEVER;
        true
    }
}

/// A message that cannot be sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unsent {
    purpose: Purpose,
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
