//! What arrives: messages, and what is none.

use crate::json::Value;
use crate::json::scan::Span;
use crate::mcp::slot;
use crate::mcp::{Era, Fault, Method, Notification};
use crate::rpc::{Arrival, Envelope, Id, Inbox, Invalid, classify};

use super::Catalog;
use super::connection::LINE;
use super::endpoint::Endpoint;
use super::event::{Happened, Ignored};
#[cfg(feature = "http")]
use super::job::JobId;
#[cfg(all(feature = "legacy", feature = "http"))]
use super::legacy::Session;
use super::mirror::Mirror;
use super::request::{Members, Source};
use super::serve::Core;

impl Core<'_> {
    /// A message has arrived, or what is none.
    pub(crate) fn take<A>(
        &mut self,
        arrival: Arrival,
        inbox: &mut Inbox<'_>,
        mirror: Option<&Mirror<'_>>,
        endpoint: &mut Endpoint<A>,
        app: &mut A,
    ) -> Happened {
        let happened = self.take_message(arrival, inbox, mirror, endpoint, app);
        self.void_upload(endpoint.catalog, app);
        happened
    }

    fn take_message<A>(
        &mut self,
        arrival: Arrival,
        inbox: &mut Inbox<'_>,
        mirror: Option<&Mirror<'_>>,
        endpoint: &mut Endpoint<A>,
        app: &mut A,
    ) -> Happened {
        let limit = inbox.limit();
        let refusal = self.refusal();
        let (text, scanner) = inbox.parts();
        let mut era = Era::Modern;
        let fault = match arrival {
            Arrival::Object => {
                let kind = classify(scanner, text);
                let mut source = Source::new(text, scanner).with(mirror);
                return self.handle_message(kind, &mut source, endpoint, app);
            }
            Arrival::Array => Fault::NotAMessage(Invalid::Batch),
            Arrival::Scalar => Fault::NotAMessage(Invalid::NotAnObject),
            Arrival::TooDeep => Fault::TooDeep,
            Arrival::TooLong => match refusal {
                Some((fault, of)) => {
                    era = of;
                    fault
                }
                None => Fault::TooLong { limit },
            },
            Arrival::NotJson => Fault::NotJson,
            // No message has arrived.
            Arrival::Nothing | Arrival::Full | Arrival::Item | Arrival::TextEnd => Fault::NotJson,
        };
        let mut source = Source::new(text, scanner);
        if matches!(fault, Fault::NotJson) {
            source.spans = &Source::NO_SPANS;
            source.envelope = Default::default();
        }
        self.refuse_input(&source, fault, era, endpoint)
    }

    /// Ends the call whose answer cannot be ended.
    #[cfg(feature = "http")]
    pub(crate) fn forget_job(&mut self) {
        if let Some(job) = self.job.take()
            && let JobId::Call(call) = job.id()
        {
            self.deferred.close(call);
        }
    }

    /// Forgets what was to leave.
    #[cfg(feature = "http")]
    pub(crate) fn drop_output(&mut self) {
        self.outbox.clear();
        self.job = None;
    }

    /// As it was before anything arrived.
    #[cfg(feature = "http")]
    pub(crate) fn reset(&mut self) {
        self.drop_output();
        self.subscriptions.clear();
        while self.deferred.drain().is_some() {}
        self.noise = false;
        #[cfg(feature = "legacy")]
        {
            self.session = Session::default();
        }
    }

    /// Whether the application is writing an answer piece by piece.
    pub(crate) fn is_streaming(&self) -> bool {
        self.job.is_some_and(|job| job.as_stream().is_some())
    }

    /// Whether the call whose answer is under way is gone.
    pub(crate) fn stream_is_orphan(&self) -> bool {
        let call = self.job.and_then(|job| job.as_stream()).map(|(call, _)| call);
        call.is_some_and(|call| self.deferred.id(call).is_none())
    }

    /// Gives up the answer that is under way. A line end makes noise of what has left of it.
    pub(super) fn break_off(&mut self) {
        self.job = None;
        self.outbox.clear();
        self.outbox.part(0, |w| {
            w.literal(LINE.after);
        });
    }

    /// Goes on with a reply that did not fit. `true`: nothing of one is left.
    pub(crate) fn continue_job<A>(&mut self, text: &[u8], catalog: &Catalog<A>) -> bool {
        match self.job {
            Some(job) => self.start(job, text, catalog) && self.outbox.is_empty(),
            None => true,
        }
    }

    pub(crate) fn handle_message<A>(
        &mut self,
        kind: Result<Envelope, Invalid>,
        source: &mut Source<'_>,
        endpoint: &mut Endpoint<A>,
        app: &mut A,
    ) -> Happened {
        self.noise &= kind.is_err();
        match kind {
            Ok(Envelope::Request) => self.serve(source, endpoint, app),
            Ok(Envelope::Notification) => self.notified(source),
            Ok(Envelope::Result) => self.answered(source, false),
            Ok(Envelope::Error) => self.answered(source, true),
            Err(invalid) => self.refuse_input(source, Fault::NotAMessage(invalid), Era::Modern, endpoint),
        }
    }

    /// Answers what is no message; without an id, once per run of noise. An answer is never answered, nor is a notification,
    /// however malformed.
    #[inline(never)]
    pub(crate) fn refuse_input<A>(
        &mut self,
        source: &Source<'_>,
        fault: Fault,
        era: Era,
        endpoint: &Endpoint<A>,
    ) -> Happened {
        #[cfg(feature = "http")]
        {
            self.status = 400;
        }
        #[cfg(feature = "legacy")]
        if let Some(happened) = self.answer_lost(source, fault) {
            return happened;
        }
        let Members { id, method, answer } = source.envelope;
        if answer && !(method && id) {
            return Happened::Ignored(Ignored::Response);
        }
        if could_be_one(fault) && method && !id {
            return Happened::Ignored(Ignored::Notification);
        }
        if source.id().is_none() && core::mem::replace(&mut self.noise, true) {
            return Happened::Ignored(Ignored::Noise);
        }
        self.refuse(source, fault, era, endpoint.catalog);
        Happened::Served { method: None, fault: Some(fault) }
    }

    #[inline(never)]
    pub(super) fn notified(&mut self, source: &Source<'_>) -> Happened {
        let method = source.get(slot::METHOD).unwrap_or(Value::new(b""));
        if Notification::parse(method) == Some(Notification::Cancelled)
            && let Some(id) = source.param("requestId").and_then(Id::new)
        {
            if let Some(call) = self.deferred.by_id(id) {
                self.deferred.close(call);
                return Happened::Cancelled(call);
            }
            if self.subscriptions.close(id) {
                return Happened::Served { method: Some(Method::Listen), fault: None };
            }
        }
        Happened::Ignored(Ignored::Notification)
    }

    /// The answer to a question that is too long or too deep to be read: whoever asked waits no longer.
    #[cfg(feature = "legacy")]
    fn answer_lost(&mut self, source: &Source<'_>, fault: Fault) -> Option<Happened> {
        let lost = !matches!(fault, Fault::NotJson | Fault::NotAMessage(_)) && !source.envelope.method;
        let call = self.deferred.by_question(source.get(slot::ID).filter(|_| lost)?)?;
        self.deferred.get(call)?.asking = false;
        Some(Happened::Answered { call, answer: Span::ABSENT, is_error: true })
    }

    #[cfg(feature = "legacy")]
    fn answered(&mut self, source: &Source<'_>, is_error: bool) -> Happened {
        let id = source.get(slot::ID).unwrap_or(Value::new(b""));
        let Some(call) = self.deferred.by_question(id) else {
            return Happened::Ignored(Ignored::Response);
        };
        if let Some(entry) = self.deferred.get(call) {
            entry.asking = false;
        }
        let answer = source.span(if is_error { slot::ERROR } else { slot::RESULT });
        Happened::Answered { call, answer, is_error }
    }

    #[cfg(not(feature = "legacy"))]
    fn answered(&mut self, _source: &Source<'_>, _is_error: bool) -> Happened {
        Happened::Ignored(Ignored::Response)
    }
}

/// Whether what is refused for this may have been a message.
fn could_be_one(fault: Fault) -> bool {
    matches!(fault, Fault::NotAMessage(Invalid::Params)) || !matches!(fault, Fault::NotJson | Fault::NotAMessage(_))
}
