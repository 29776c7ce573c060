//! One request, from the first byte of its head to the last of its body.

use super::connection::{Connection, Phase};
use super::headers::{Facts, Verb, WANTED};
use super::refusal::Refusal;
use super::reply::Shape;
use super::site::Site;
use crate::frame::http::{Body, BodyKind, Limits, Next, RequestEnd, RequestHead, RequestStep};
use crate::rpc::Arrival;
use crate::server::Endpoint;
use crate::server::Ignored;
use crate::server::event::Happened;

impl Connection<'_> {
    /// Between requests.
    pub(super) fn begin(&mut self, site: &Site<'_>) -> Option<Happened> {
        if !self.inbox.raw().is_empty() && !self.closing {
            let limits = Limits::buffer(self.inbox.limit().saturating_add(1)).head(site.max_head);
            self.enter(Phase::Head(RequestHead::new(&WANTED, limits)));
            return None;
        }
        if self.eof || self.closing {
            return Some(self.lose());
        }
        Some(Happened::Nothing)
    }

    pub(super) fn begin_request(&mut self) {
        self.facts = Facts::NONE;
        self.shape = Shape::Undecided;
        self.keep_alive = !self.closing;
        self.body_taken = 0;
        self.mid_line = false;
        self.reply_ends = false;
        self.forget_stream();
    }

    pub(super) fn read_head(&mut self, site: &mut Site<'_>) -> Option<Happened> {
        loop {
            let Phase::Head(head) = &mut self.phase else { return None };
            let next = match head.next(self.inbox.raw()) {
                Ok(next) => next,
                Err(error) => return Some(self.refuse(Refusal::Head(error), site)),
            };
            let Next { taken, step } = next;
            let noted = match step {
                RequestStep::NeedData => {
                    self.inbox.take(taken);
                    return Some(if self.eof { self.lose() } else { Happened::Nothing });
                }
                RequestStep::Line(line) => {
                    self.facts = Facts::of(&line, site);
                    Ok(())
                }
                RequestStep::Header(header) => self.facts.note(&header, site, &mut self.headers),
                RequestStep::End(end) => {
                    self.inbox.take(taken);
                    return self.end_head(end, site);
                }
            };
            self.inbox.take(taken);
            if let Err(refusal) = noted {
                return Some(self.refuse(refusal, site));
            }
        }
    }

    /// The head is whole: may the body come?
    fn end_head(&mut self, end: RequestEnd, site: &mut Site<'_>) -> Option<Happened> {
        let has_body = !matches!(end.body, BodyKind::Empty | BodyKind::Length(0));
        if self.facts.check().is_ok()
            && let Some(served) = self.serve_session(end, site)
        {
            return served.err().map(|refusal| self.refuse_with(refusal, end.keep_alive && !has_body, site));
        }
        if let Err(refusal) = self.check(end.body, site) {
            // Where the next request begins is known only if no body comes.
            return Some(self.refuse_with(refusal, end.keep_alive && !has_body, site));
        }
        self.keep_alive = end.keep_alive && !self.closing;
        if end.expect_continue {
            self.unit.begin().text("HTTP/1.1 100 Continue\r\n\r\n");
        }
        self.phase = Phase::Body(Body::new(end.body));
        None
    }

    fn check(&self, body: BodyKind, site: &Site<'_>) -> Result<(), Refusal> {
        self.facts.check()?;
        if self.facts.verb != Verb::Post {
            return Err(Refusal::Method);
        }
        if !self.facts.accepts_any() {
            return Err(Refusal::NotAcceptable);
        }
        if body == BodyKind::Empty {
            return Err(Refusal::Length);
        }
        if !self.facts.is_json {
            return Err(Refusal::MediaType);
        }
        if body.length().is_some_and(|length| length > u64::from(site.max_body)) {
            return Err(Refusal::TooLong);
        }
        Ok(())
    }

    pub(super) fn read_body<A>(
        &mut self,
        site: &mut Site<'_>,
        endpoint: &mut Endpoint<A>,
        app: &mut A,
    ) -> Option<Happened> {
        if self.core.holds_piece() {
            // The peer goes on, or it is the application that takes its time.
            self.since = self.now;
            if !self.core.offer_piece(&mut self.inbox, endpoint.catalog(), app) {
                return Some(Happened::Nothing);
            }
        }
        let Phase::Body(body) = &mut self.phase else { return None };
        let (mut failed, mut taken) = (None, 0);
        let arrival = self.inbox.poll(|raw| match body.split(raw) {
            Ok(run) => run.inspect(|run| taken += run.payload),
            Err(error) => {
                failed = Some(error);
                None
            }
        });
        self.body_taken = self.body_taken.saturating_add(u32::try_from(taken).unwrap_or(u32::MAX));
        if let Some(error) = failed {
            return Some(self.refuse(Refusal::Body(error), site));
        }
        if self.body_taken > site.max_body {
            return Some(self.refuse(Refusal::TooLong, site));
        }
        match arrival {
            // An empty body is no message.
            Arrival::Nothing if body.is_ended() => self.dispatch(Arrival::NotJson, site, endpoint, app),
            Arrival::Full | Arrival::Item | Arrival::TextEnd => {
                self.peek_session(site);
                let mirror = self.headers.mirror(&self.facts);
                self.core.outgrown(arrival, &mut self.inbox, Some(&mirror), endpoint, app);
                None
            }
            Arrival::Object if self.reads_again(site, endpoint, app) => None,
            Arrival::Nothing if self.eof => Some(self.lose()),
            Arrival::Nothing => Some(Happened::Nothing),
            arrival => self.dispatch(arrival, site, endpoint, app),
        }
    }

    /// Whether the message is read once more, since it brings an upload.
    fn reads_again<A>(&mut self, site: &mut Site<'_>, endpoint: &mut Endpoint<A>, app: &mut A) -> bool {
        self.peek_session(site);
        let mirror = self.headers.mirror(&self.facts);
        self.core.reads_again(&mut self.inbox, Some(&mirror), endpoint, app)
    }

    /// A message has arrived: the engine serves it. `None`: it is a batch, whose items come one by one.
    fn dispatch<A>(
        &mut self,
        arrival: Arrival,
        site: &mut Site<'_>,
        endpoint: &mut Endpoint<A>,
        app: &mut A,
    ) -> Option<Happened> {
        if let Err(refusal) = self.enter_session(arrival, site) {
            return Some(self.refuse_with(refusal, self.keep_alive, site));
        }
        self.enter(Phase::Reply);
        self.core.status = 202;
        self.core.noise = false;
        if self.begin_batch(arrival) {
            return None;
        }
        let mirror = self.headers.mirror(&self.facts);
        let happened = self.core.take(arrival, &mut self.inbox, Some(&mirror), endpoint, app);
        if happened == Happened::Ignored(Ignored::Response) {
            // A modern server asks nothing, so nothing can be answered.
            self.core.status = 400;
        }
        let happened = self.leave_session(site, happened);
        self.set_status();
        Some(happened)
    }

    /// The engine has said what it had to say: with which status does that leave?
    pub(super) fn set_status(&mut self) {
        if (self.is_open() || !self.core.outbox.is_empty()) && self.core.status == 202 {
            self.core.status = 200;
        }
        if self.core.job.is_none() && self.is_open() {
            // What is kept of it is in a table: its room is free for what comes next.
            self.inbox.release();
        }
    }
}
