//! What a connection has to say.

use crate::json::Value;
#[cfg(feature = "legacy")]
use crate::json::scan::Span;
use crate::mcp::{Fault, Method};

use super::deferred::CallHandle;
#[cfg(feature = "legacy")]
use super::legacy::the_answer;

/// What a connection has to say. Handlers have run before it is returned.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Nothing more, until bytes arrive, bytes have left, or time has passed.
    NeedData,
    /// A request was answered, or deferred; or its subscription was ended by the client.
    Served {
        /// Its method, if that is one of the protocol's.
        method: Option<Method>,
        /// Why it was refused, if it was.
        fault: Option<Fault>,
    },
    /// The client no longer wants this call: stop working on it. Completing it does nothing.
    Cancelled(CallHandle),
    /// The client has answered the question asked on behalf of this call (legacy).
    Answered {
        /// The call.
        call: CallHandle,
        /// The result, or the error object; an error object as well where the answer was too long or too deep to be read.
        answer: Result<Value<'a>, Value<'a>>,
    },
    /// Something was passed over.
    Ignored(Ignored),
    /// A request over HTTP was refused before its message was read.
    #[cfg(feature = "http")]
    Refused {
        /// The status it was answered with.
        status: u16,
    },
    /// The peer has closed its side, and everything it sent before has been served. Open calls are [`Cancelled`](Event::Cancelled) first.
    Closed,
}

/// What was passed over, so that nothing is lost silently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Ignored {
    /// Another line of a run of noise; its first was answered.
    Noise,
    /// A notification that means nothing here, or names nothing that is open.
    Notification,
    /// A response to nothing that was asked.
    Response,
    /// The last line of the stream, which was cut off.
    Torso,
}

/// What happened, without borrowing the message that made it happen: the message stays where it is until the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happened {
    Nothing,
    Served {
        method: Option<Method>,
        fault: Option<Fault>,
    },
    Cancelled(CallHandle),
    #[cfg(feature = "legacy")]
    Answered {
        call: CallHandle,
        answer: Span,
        is_error: bool,
    },
    Ignored(Ignored),
    #[cfg(feature = "http")]
    Refused {
        status: u16,
    },
    Closed,
}

impl<'a> Event<'a> {
    /// What happened, with the text of the message that made it happen.
    pub(crate) fn new(happened: Happened, text: &'a [u8]) -> Event<'a> {
        #[cfg(not(feature = "legacy"))]
        let _ = text;
        match happened {
            Happened::Nothing => Event::NeedData,
            Happened::Served { method, fault } => Event::Served { method, fault },
            Happened::Cancelled(call) => Event::Cancelled(call),
            Happened::Ignored(what) => Event::Ignored(what),
            #[cfg(feature = "http")]
            Happened::Refused { status } => Event::Refused { status },
            Happened::Closed => Event::Closed,
            #[cfg(feature = "legacy")]
            Happened::Answered { call, answer, is_error } => {
                Event::Answered { call, answer: the_answer(answer, is_error, text) }
            }
        }
    }
}
