//! Serving one message: the validation order, and what each operation does.
//!
//! Where a function is `inline(never)`, its frame would otherwise be part of every request's stack, which is counted in hundreds of bytes.

use heapless::VecView;

use crate::json::scan::Span;
use crate::json::{ReadError, Value};
use crate::mcp::slot::{self, server};
use crate::mcp::{
    CLIENT_CAPABILITIES, ClientCapabilities, Era, Fault, Level, Method, Notification, PROTOCOL_VERSION, Revision,
    SUBSCRIPTION_ID,
};
use crate::rpc::{Id, Invalid, Outbox};

use super::call::Call;
use super::catalog::{Access, CacheHint, Catalog};
use super::connection::LINE;
use super::deferred::{Deferred, DeferredTable};
use super::endpoint::Endpoint;
use super::event::Happened;
use super::exchange::{Done, Exchange, Outcome, Principal, begin_notification, begin_result};
use super::info::write_capabilities;
use super::intake::Intake;
use super::job::{Job, JobId};
#[cfg(feature = "legacy")]
use super::legacy::Session;
use super::operation::{self, Operation};

use super::request::{Parts, Request, Source};
use super::subscription::{Subscription, Subscriptions};

/// What a connection knows besides the bytes that arrive.
#[derive(Debug)]
pub(crate) struct Core<'b> {
    pub(crate) outbox: Outbox<'b>,
    pub(crate) deferred: DeferredTable<'b>,
    pub(crate) subscriptions: Subscriptions<'b>,
    /// The reply that is on its way, piece by piece.
    pub(crate) job: Option<Job>,
    /// The latest input was noise, and has been answered.
    pub(crate) noise: bool,
    /// The reply is part of a batch: nothing else may be sent.
    pub(crate) quiet: bool,
    /// What the message at hand brings piece by piece.
    pub(crate) intake: Option<Intake>,
    /// The era of the call that brings it, or of what was refused instead.
    pub(crate) upload_era: Era,
    /// The handler that ran last has answered, or deferred.
    pub(crate) answered: bool,
    /// The HTTP status that goes with the latest refusal.
    #[cfg(feature = "http")]
    pub(crate) status: u16,
    #[cfg(feature = "legacy")]
    pub(crate) session: Session,
    /// The stream of the reply can be ended and taken up again later.
    #[cfg(all(feature = "legacy", feature = "http"))]
    pub(crate) stream_may_end: bool,
    /// The application wants it ended.
    #[cfg(all(feature = "legacy", feature = "http"))]
    pub(crate) stream_ends: bool,
}

impl<'b> Core<'b> {
    pub(crate) fn new(
        transmit: &'b mut [u8],
        deferred: &'b mut VecView<Deferred>,
        subscriptions: &'b mut VecView<Subscription>,
    ) -> Core<'b> {
        Core {
            outbox: Outbox::new(transmit, &LINE),
            deferred: DeferredTable::new(deferred),
            subscriptions: Subscriptions::new(subscriptions),
            job: None,
            noise: false,
            quiet: false,
            intake: None,
            upload_era: Era::Modern,
            answered: false,
            #[cfg(feature = "http")]
            status: 0,
            #[cfg(feature = "legacy")]
            session: Session::default(),
            #[cfg(all(feature = "legacy", feature = "http"))]
            stream_may_end: false,
            #[cfg(all(feature = "legacy", feature = "http"))]
            stream_ends: false,
        }
    }
}

impl Core<'_> {
    /// Serves one request, and forgets it.
    pub(crate) fn serve<A>(&mut self, source: &mut Source<'_>, endpoint: &mut Endpoint<A>, app: &mut A) -> Happened {
        let method = Method::parse(source.get(slot::METHOD).unwrap_or(Value::new(b"")));
        let outcome = match self.admit(source, endpoint.catalog, app) {
            Ok((request, operation)) => {
                self.run(&request, operation, source, endpoint, app).map_err(|f| (f, request.era()))
            }
            Err(refusal) => Err(refusal),
        };
        let fault = outcome.err().map(|(fault, era)| {
            self.refuse(source, fault, era, endpoint.catalog);
            fault
        });
        Happened::Served { method, fault }
    }

    /// The validation order. Whatever comes later may rely on whatever came before.
    #[inline(never)]
    fn admit<A>(
        &self,
        source: &Source<'_>,
        catalog: &Catalog<A>,
        app: &mut A,
    ) -> Result<(Request, Operation<A>), (Fault, Era)> {
        // The envelope has been checked by the caller. Era:
        let era = self.era(source).map_err(|fault| (fault, Era::Modern))?;
        let refuse = |fault: Fault| (fault, era);
        self.check_batch(source, era).map_err(refuse)?;
        self.check_id(source).map_err(refuse)?;
        // The shape of `_meta`:
        check_meta(source, era).map_err(refuse)?;
        // Over HTTP, do the headers agree with the body?
        check_mirror(source, era).map_err(refuse)?;
        // The version:
        let revision = self.revision(source, era).map_err(refuse)?;
        // The method:
        let method = Method::parse(source.get(slot::METHOD).unwrap_or(Value::new(b"")))
            .filter(|method| method.exists_in(era) && catalog.answers(*method))
            .ok_or(refuse(Fault::UnknownMethod))?;
        // The parameters:
        let operation = Operation::resolve(method, source, catalog).map_err(refuse)?;
        check_header_params(&operation, source, era).map_err(refuse)?;
        // What the operation itself requires, and whether this caller may:
        // (Where an argument has been told already, it was asked before.)
        let principal = match self.uploader() {
            Some(principal) => principal,
            None => authorize(catalog, app, method, source).map_err(refuse)?,
        };
        // (What has not been declared is not sent: 2026-07-28, *Logging: Capabilities*.)
        let level = self.level(source, era).map_err(refuse)?.filter(|_| catalog.logging);
        Ok((Request { method, revision, level, principal }, operation))
    }

    pub(super) fn era(&self, source: &Source<'_>) -> Result<Era, Fault> {
        // Over HTTP a header names the version too.
        if source.describes_itself() || source.mirror.is_some_and(|mirror| mirror.is_modern()) {
            return Ok(Era::Modern);
        }
        let is_handshake = is_handshake(source);
        #[cfg(feature = "legacy")]
        if is_handshake || self.session.is_open() {
            return Ok(Era::Legacy);
        }
        Err(if is_handshake { Fault::HandshakeUnsupported } else { Fault::NotInitialized })
    }

    /// A batch holds requests of the revision that has batches, and no handshake (2025-03-26, *Lifecycle: Initialization*).
    fn check_batch(&self, source: &Source<'_>, era: Era) -> Result<(), Fault> {
        let misplaced = self.quiet && (era == Era::Modern || is_handshake(source));
        if misplaced { Err(Fault::NotAMessage(Invalid::Batch)) } else { Ok(()) }
    }

    /// An id names one open request at a time.
    pub(super) fn check_id(&self, source: &Source<'_>) -> Result<(), Fault> {
        match source.id() {
            Some(id) if self.deferred.by_id(id).is_some() || self.subscriptions.contains(id) => Err(Fault::IdInUse),
            _ => Ok(()),
        }
    }

    pub(super) fn revision(&self, source: &Source<'_>, era: Era) -> Result<Revision, Fault> {
        match era {
            Era::Modern if source.is(server::PROTOCOL_VERSION, Revision::LATEST.as_str()) => Ok(Revision::LATEST),
            Era::Modern => Err(Fault::UnsupportedVersion),
            #[cfg(feature = "legacy")]
            Era::Legacy => Ok(self.session.revision()),
            #[cfg(not(feature = "legacy"))]
            Era::Legacy => Err(Fault::HandshakeUnsupported),
        }
    }

    fn level(&self, source: &Source<'_>, era: Era) -> Result<Option<Level>, Fault> {
        match era {
            Era::Modern => match source.get_or_null(server::LOG_LEVEL) {
                None => Ok(None),
                Some(level) => operation::level(Some(level)).map(Some),
            },
            #[cfg(feature = "legacy")]
            Era::Legacy => Ok(self.session.level()),
            #[cfg(not(feature = "legacy"))]
            Era::Legacy => Ok(None),
        }
    }

    /// What a legacy client declared in its handshake.
    fn declared(&self) -> ClientCapabilities {
        #[cfg(feature = "legacy")]
        return self.session.capabilities();
        #[cfg(not(feature = "legacy"))]
        ClientCapabilities::NONE
    }

    fn run<A>(
        &mut self,
        request: &Request,
        operation: Operation<A>,
        source: &mut Source<'_>,
        endpoint: &mut Endpoint<A>,
        app: &mut A,
    ) -> Outcome {
        let catalog = endpoint.catalog;
        if let Some(kind) = operation.kind(catalog) {
            return (kind.run)(self, request, &operation, source, endpoint, app);
        }
        match operation {
            // A model can only mend what it is shown, and clients show it results, not errors (2025-11-25 and later,
            // *Tools: Error Handling*).
            Operation::Call(_) | Operation::CallOne(..) => {
                match self.call(&operation, request, source, endpoint, app) {
                    Err(Fault::Arguments(reason)) if request.revision >= Revision::V2025_11_25 => {
                        self.explain(request, reason, source, endpoint)
                    }
                    outcome => outcome,
                }
            }
            Operation::List { list, first, end } => {
                self.start(Job::list(list, first, end, request.revision, source.span(slot::ID)), source.text, catalog);
                Ok(Done::YES)
            }
            Operation::Discover => self.discover(source, catalog),
            Operation::Listen => self.listen(source, endpoint),
            #[cfg(feature = "legacy")]
            Operation::Initialize => self.initialize(source, endpoint),
            #[cfg(feature = "legacy")]
            Operation::Ping => self.reply_empty(source),
            #[cfg(feature = "legacy")]
            Operation::SetLevel(level) => self.set_level(source, level),
            _ => Err(Fault::UnknownMethod),
        }
    }

    /// Calls a tool with the pen for its reply, and with its arguments, which are `{}` where there are none.
    #[inline(never)]
    fn call<A>(
        &mut self,
        operation: &Operation<A>,
        request: &Request,
        source: &mut Source<'_>,
        endpoint: &mut Endpoint<A>,
        app: &mut A,
    ) -> Outcome {
        self.answered = false;
        let upload = self.uploaded();
        if let Operation::Call(tool) = operation
            && let (Some(taken), Some(uploads)) = (&tool.upload, endpoint.catalog.uploads)
        {
            if self.quiet {
                return Err(Fault::Params("Invalid params: this tool cannot be called in a batch"));
            }
            if self.has_passed() {
                // What refused it before would admit it now.
                return Err(Fault::Busy);
            }
            (uploads.check)(source, taken.argument)?;
        }
        let mut none = *b"{}";
        let (parts, arguments) = source.split();
        let id = parts.get(slot::ID).and_then(Id::new).ok_or(Fault::Internal)?;
        // Both halves of the message and the pen live as long as the handler runs.
        let exchange = self.exchange(id, request, parts, None, endpoint);
        let call = Call::new(exchange, arguments.unwrap_or(&mut none), upload);
        let outcome = match operation {
            Operation::Call(tool) => (tool.handler)(app, call),
            Operation::CallOne(family, number) => (family.handler)(app, *number, call),
            _ => Err(Fault::Internal),
        };
        let outcome = self.once(outcome);
        if outcome.is_ok() {
            self.intake = None;
        }
        outcome
    }

    /// Nobody is answered twice, whatever the handler says.
    pub(super) fn once(&self, outcome: Outcome) -> Outcome {
        if self.answered { Ok(Done::YES) } else { outcome }
    }

    /// Answers a call whose arguments do not fit with a result that says why.
    #[inline(never)]
    fn explain<A>(
        &mut self,
        request: &Request,
        reason: ReadError,
        source: &Source<'_>,
        endpoint: &mut Endpoint<A>,
    ) -> Outcome {
        let id = source.id().ok_or(Fault::Internal)?;
        let exchange = self.exchange(id, request, Parts::whole(source), None, endpoint);
        Call::new(exchange, &mut [], None)
            .content()
            .text_with(|w| Fault::Arguments(reason).write_message(w, None))
            .is_error()
            .done()
    }

    pub(super) fn exchange<'a, A>(
        &'a mut self,
        id: Id<'a>,
        request: &Request,
        parts: Parts<'a>,
        cache: Option<CacheHint>,
        endpoint: &'a mut Endpoint<A>,
    ) -> Exchange<'a> {
        let declared = self.declared();
        Exchange {
            limit: self.outbox.limit(),
            pen: self.outbox.pen(),
            id,
            request: *request,
            token: parts.get(server::PROGRESS_TOKEN).and_then(Id::new),
            parts: Some(parts),
            declared,
            info: &endpoint.catalog.info,
            changes: &mut endpoint.changes,
            deferred: Some(self.deferred.opener(&mut endpoint.deferred)),
            progress: None,
            quiet: self.quiet,
            cache,
            answered: &mut self.answered,
            fits: true,
        }
    }

    #[inline(never)]
    fn discover<A>(&mut self, source: &Source<'_>, catalog: &Catalog<A>) -> Outcome {
        let id = source.id().ok_or(Fault::Internal)?;
        self.send(|w| {
            begin_result(w, id);
            w.literal(r#""resultType":"complete","supportedVersions":["#).string(Revision::LATEST.as_str()).end_array();
            w.key("capabilities");
            write_capabilities(w, catalog, Revision::LATEST);
            if let Some(instructions) = catalog.instructions {
                w.member_str("instructions", instructions);
            }
            w.member_uint("ttlMs", u64::from(catalog.cache.ttl_ms))
                .member_str("cacheScope", catalog.cache.scope.as_str());
            w.key("_meta").begin_object().key(crate::mcp::SERVER_INFO);
            catalog.info.write(w, Revision::LATEST);
            w.literal("}}}");
        })
    }

    #[inline(never)]
    fn listen<A>(&mut self, source: &Source<'_>, endpoint: &mut Endpoint<A>) -> Outcome {
        if self.subscriptions.is_full() {
            return Err(Fault::Busy);
        }
        let id = source.id().ok_or(Fault::Internal)?;
        let kept = id.keep().ok_or(Fault::IdTooLong)?;
        let subscription = self.subscriptions.open(Some(kept), &endpoint.changes).ok_or(Fault::Busy)?;
        operation::filter(source, endpoint.catalog, &mut subscription.filter)?;
        let filter = &subscription.filter;
        let acknowledged = self.outbox.message(|w| {
            begin_notification(w, Notification::Acknowledged);
            w.key("_meta").begin_object().key(SUBSCRIPTION_ID).raw(id.raw()).end_object().key("notifications");
            filter.write(w);
            w.literal("}}");
        });
        if acknowledged.is_err() {
            self.subscriptions.close(id);
            return Err(Fault::ReplyTooLong { limit: self.outbox.limit() });
        }
        Ok(Done::YES)
    }

    /// Sends one message as a whole.
    pub(crate) fn send(&mut self, write: impl FnOnce(&mut crate::json::Writer<'_>)) -> Outcome {
        let limit = self.outbox.limit();
        self.outbox.message(write).map(|()| Done::YES).map_err(|_| Fault::ReplyTooLong { limit })
    }

    /// Starts a reply of any length, or goes on with it. `true`: it is complete.
    #[inline(never)]
    pub(crate) fn start<A>(&mut self, mut job: Job, text: &[u8], catalog: &Catalog<A>) -> bool {
        let id = match job.id() {
            JobId::Request(span) => Id::new(Value::new(span.of(text))),
            JobId::Call(call) => self.deferred.id(call),
            JobId::Listen => self.subscriptions.first_listen(),
        };
        let request = match job.id() {
            JobId::Call(call) => self.deferred.request(call),
            _ => None,
        };
        let complete = job.run(catalog, text, id, request, &mut self.outbox);
        self.job = (!complete).then_some(job);
        match job.id() {
            JobId::Call(call) if complete => self.deferred.close(call),
            JobId::Listen if complete => self.subscriptions.close_first_listen(),
            _ => {}
        }
        complete
    }

    /// Answers with an error. It always reaches the peer, however small the transmit buffer.
    #[inline(never)]
    pub(crate) fn refuse<A>(&mut self, source: &Source<'_>, fault: Fault, era: Era, catalog: &Catalog<A>) {
        let subject = match fault {
            Fault::UnknownTool | Fault::UnknownPrompt => source.span(server::NAME),
            Fault::UnknownResource => source.span(server::URI),
            Fault::UnsupportedVersion => source.span(server::PROTOCOL_VERSION),
            Fault::UnknownMethod => source.span(slot::METHOD),
            _ => Span::ABSENT,
        };
        #[cfg(feature = "http")]
        {
            self.status = fault.http_status(era);
        }
        self.start(Job::refusal(fault, era, subject, source.span(slot::ID)), source.text, catalog);
    }
}

fn is_handshake(source: &Source<'_>) -> bool {
    source.is(slot::METHOD, Method::Initialize.as_str())
}

/// Over HTTP, headers mirror the body.
pub(super) fn check_mirror(source: &Source<'_>, era: Era) -> Result<(), Fault> {
    match &source.mirror {
        Some(mirror) if era == Era::Modern => mirror.check(source),
        _ => Ok(()),
    }
}

fn check_header_params<A>(operation: &Operation<A>, source: &Source<'_>, era: Era) -> Result<(), Fault> {
    match (operation, &source.mirror) {
        (Operation::Call(tool), Some(mirror)) if era == Era::Modern => mirror.check_params(tool, source),
        _ => Ok(()),
    }
}

/// Is `_meta` there, with all that its era requires, in the right types?
pub(super) fn check_meta(source: &Source<'_>, era: Era) -> Result<(), Fault> {
    if let Some(token) = source.get_or_null(server::PROGRESS_TOKEN)
        && Id::new(token).is_none()
    {
        return Err(Fault::MetaMalformed("progressToken"));
    }
    if source.get(server::META).is_some_and(|meta| !meta.is_object()) {
        return Err(Fault::MetaMalformed("_meta"));
    }
    if era == Era::Legacy {
        return Ok(());
    }
    match source.get_or_null(server::PROTOCOL_VERSION) {
        None => return Err(Fault::MetaMissing(PROTOCOL_VERSION)),
        Some(version) if !version.is_string() => return Err(Fault::MetaMalformed(PROTOCOL_VERSION)),
        Some(_) => {}
    }
    match source.get_or_null(server::CAPABILITIES) {
        None => Err(Fault::MetaMissing(CLIENT_CAPABILITIES)),
        Some(capabilities) if !capabilities.is_object() => Err(Fault::MetaMalformed(CLIENT_CAPABILITIES)),
        Some(_) => Ok(()),
    }
}

pub(super) fn authorize<A>(
    catalog: &Catalog<A>,
    app: &mut A,
    method: Method,
    source: &Source<'_>,
) -> Result<Principal, Fault> {
    let Some(hook) = catalog.authorize else {
        return Ok(Principal::ANONYMOUS);
    };
    let subject = match method {
        Method::CallTool | Method::GetPrompt => source.get(server::NAME),
        Method::ReadResource | Method::Subscribe | Method::Unsubscribe => source.get(server::URI),
        _ => None,
    };
    let client_info = source.get(server::META).and_then(|meta| meta.get(crate::mcp::CLIENT_INFO));
    let authorization = source.mirror.and_then(|mirror| mirror.authorization());
    hook(app, &Access { method, subject, authorization, client_info })
}
