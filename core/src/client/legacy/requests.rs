//! Requests of a legacy server: `ping` is answered here, roots, sampling and elicitation by the caller.

use crate::client::advance::ignored;
use crate::client::engine::Engine;
use crate::client::error::Refused;
use crate::client::event::{Happened, Ignored};
use crate::client::inlet::Inlet;
use crate::client::input::Input;
use crate::client::retry::write_answer;
use crate::json::{Value, Writer};
use crate::mcp::{Fault, InputKind, Method, slot};
use crate::rpc::{Id, Invalid, KeptId, Outbox, code};

/// What the user's refusal is answered with (2025-11-25, *Sampling: Error Handling*).
const REJECTED: i32 = -1;

/// The answer to the held request that is still to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::client) enum Owed {
    Nothing,
    /// The caller has been asked and has not answered.
    ByCaller,
    /// `{}`.
    Empty,
    /// The user declines.
    Declined,
    NotHandled,
    Undeclared,
    Invalid(Invalid),
    TooDeep,
}

impl Owed {
    /// The caller wants the next event and has not answered: then nobody will.
    pub(in crate::client) fn not_answered(&mut self) {
        if *self == Owed::ByCaller {
            *self = Owed::NotHandled;
        }
    }

    /// There is an answer to be written.
    pub(in crate::client) fn is_due(self) -> bool {
        !matches!(self, Owed::Nothing | Owed::ByCaller)
    }

    /// Nobody is there any longer to be answered.
    pub(in crate::client) fn forget(&mut self) {
        *self = Owed::Nothing;
    }
}

/// A request of a legacy server. [`answer`](ServerRequest::answer) it, [`refuse`](ServerRequest::refuse) it, or
/// [`defer`](ServerRequest::defer) it; if it is dropped, the next event answers it with an error.
#[derive(Debug)]
pub struct ServerRequest<'a> {
    input: Input<'a>,
    id: Value<'a>,
    was_empty: bool,
    pen: crate::rpc::Pen<'a>,
    owed: &'a mut Owed,
}

impl<'a> ServerRequest<'a> {
    pub(in crate::client) fn new(
        kind: InputKind,
        inlet: &'a Inlet<'_>,
        outbox: &'a mut Outbox<'_>,
        owed: &'a mut Owed,
    ) -> Option<ServerRequest<'a>> {
        let id = inlet.member(slot::ID)?;
        let input = Input::new(kind, inlet.member(slot::PARAMS).filter(|params| params.is_object()));
        Some(ServerRequest { input, id, was_empty: outbox.is_empty(), pen: outbox.pen(), owed })
    }

    /// What is asked.
    #[must_use]
    pub fn input(&self) -> Input<'a> {
        self.input
    }

    /// The id of the request, by which the server may [withdraw](crate::client::Event::Withdrawn) it.
    #[must_use]
    pub fn id(&self) -> Value<'a> {
        self.id
    }

    /// Answers it: `write` writes the result, one object, and returns `true`; with `false` it is [refused](ServerRequest::refuse).
    ///
    /// # Errors
    /// [`Refused::Busy`]: drain the transmit buffer, get the request again with [`Engine::event`], and answer then;
    /// [`Refused::Capacity`]: the answer never fits, and the next event answers with an error; [`Refused::Arguments`]:
    /// what was written is no object.
    pub fn answer(mut self, write: impl FnOnce(&mut Writer<'a>) -> bool) -> Result<(), Refused> {
        let was_empty = self.was_empty;
        let w = self.pen.writer();
        begin_result(w, self.id);
        let written = write_answer(w, self.input, write);
        w.literal("}");
        match written {
            Ok(()) if w.failed() => Err(Refused::Arguments),
            Ok(()) => {
                self.pen.seal().map_err(|capacity| Refused::room(capacity, was_empty))?;
                *self.owed = Owed::Nothing;
                Ok(())
            }
            Err(Refused::Declined) => {
                self.refuse();
                Ok(())
            }
            Err(refused) => Err(refused),
        }
    }

    /// Declines it, as the user might: an elicitation with `{"action":"decline"}`, anything else with an error.
    pub fn refuse(self) {
        *self.owed = Owed::Declined;
    }

    /// Puts it off: what is returned is answered with [`Engine::answer`]. `None`: the id is longer than can be kept
    /// (64 bytes), so the next event answers it with an error.
    #[must_use]
    pub fn defer(self) -> Option<Deferred> {
        let id = Id::new(self.id)?.keep()?;
        *self.owed = Owed::Nothing;
        Some(Deferred { id, kind: self.input.kind() })
    }
}

/// A request of a legacy server that is answered later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deferred {
    id: KeptId,
    kind: InputKind,
}

impl Deferred {
    /// What is asked.
    #[must_use]
    pub fn kind(&self) -> InputKind {
        self.kind
    }

    /// The id of the request, by which the server may [withdraw](crate::client::Event::Withdrawn) it.
    #[must_use]
    pub fn id(&self) -> Id<'_> {
        self.id.id()
    }
}

impl Engine<'_> {
    /// Answers a request that was put off: `write` writes the result, one object, and returns `true`; with `false` it is declined.
    ///
    /// # Errors
    /// As [`call`](Engine::call). Nothing was sent then: answer again, or decline.
    pub fn answer(&mut self, request: &Deferred, write: impl FnOnce(&mut Writer<'_>) -> bool) -> Result<(), Refused> {
        self.check()?;
        let id = request.id().value();
        let input = Input::new(request.kind, None);
        let answered = self.write(|w, _| {
            begin_result(w, id);
            write_answer(w, input, write)?;
            w.literal("}");
            Ok(())
        });
        match answered {
            Err(Refused::Declined) => self.write(|w, _| {
                write_error(w, id, REJECTED, "The user declined");
                Ok(())
            }),
            answered => answered,
        }
    }

    /// A request has arrived.
    pub(in crate::client) fn read_legacy_request(&mut self) -> Option<Happened> {
        let method = self.inlet.member(slot::METHOD)?;
        if Method::parse(method) == Some(Method::Ping) {
            self.owed = Owed::Empty;
            return None;
        }
        let input = InputKind::parse(method).map(|kind| Input::new(kind, self.inlet.member(slot::PARAMS)));
        match input.filter(|input| input.is_allowed_by(self.config.capabilities)) {
            Some(input) => {
                self.owed = Owed::ByCaller;
                Some(Happened::Request(input.kind()))
            }
            None => {
                self.owed = Owed::Undeclared;
                ignored(Ignored::Undeclared)
            }
        }
    }

    /// A request that cannot be read, but answered.
    pub(in crate::client) fn refuse_unread(&mut self, owed: Owed) {
        if self.is_legacy() && self.inlet.member(slot::ID).and_then(Id::new).is_some() {
            self.owed = owed;
        }
    }

    /// Writes the answer that is owed. `Err`: first this.
    pub(in crate::client) fn pay_answer(&mut self) -> Result<(), Happened> {
        let (owed, id) = match (self.owed, self.inlet.member(slot::ID)) {
            (Owed::Nothing | Owed::ByCaller, _) => return Ok(()),
            (owed, Some(id)) => (owed, id),
            (_, None) => {
                self.owed = Owed::Nothing;
                return Ok(());
            }
        };
        let is_elicitation = self.inlet.member(slot::METHOD).and_then(InputKind::parse) == Some(InputKind::Elicitation);
        let written = self.outbox.message(|w| match owed {
            Owed::NotHandled => write_error(w, id, code::INTERNAL_ERROR, "Not handled"),
            Owed::Undeclared => write_error(w, id, code::METHOD_NOT_FOUND, "Method not found"),
            Owed::TooDeep => write_error(w, id, code::INVALID_REQUEST, Fault::TooDeep.message()),
            Owed::Invalid(invalid) => write_error(w, id, code::INVALID_REQUEST, invalid.message()),
            Owed::Declined if !is_elicitation => write_error(w, id, REJECTED, "The user declined"),
            Owed::Declined => {
                begin_result(w, id);
                w.literal(r#"{"action":"decline"}}"#);
            }
            _ => {
                begin_result(w, id);
                w.literal("{}}");
            }
        });
        if written.is_err() && !self.outbox.is_empty() {
            return Err(Happened::NeedData);
        }
        self.owed = Owed::Nothing;
        written.map_err(|_| Happened::Ignored(Ignored::Unanswerable))
    }
}

fn begin_result(w: &mut Writer<'_>, id: Value<'_>) {
    w.literal(r#"{"jsonrpc":"2.0","id":"#).raw(id.raw()).literal(r#","result":"#);
}

fn write_error(w: &mut Writer<'_>, id: Value<'_>, code: i32, message: &str) {
    w.literal(r#"{"jsonrpc":"2.0","id":"#).raw(id.raw()).literal(r#","error":{"code":"#).int(i64::from(code));
    w.member_str("message", message).literal("}}");
}
