//! The reply to a request, from its head to its end.

use super::connection::{Connection, Phase};
use super::headers::Verb;
use super::legacy::EventId;
use super::refusal::Refusal;
use super::reply::{self, HeadFacts, Line, Shape};
use super::site::Site;
use crate::frame::http::{Chunk, Version};
use crate::frame::sse::Events;
use crate::rpc::code;
use crate::server::Endpoint;
use crate::server::event::Happened;
use crate::server::job::Job;

/// How many bytes are still read, and dropped, behind a request that was refused.
const LINGER_BYTES: u32 = 256 * 1024;
/// What stands in a chunk between two events that are far apart.
const CHUNKED_COMMENT: &str = "3\r\n:\n\n\r\n";
/// How a notification begins, and neither an answer nor a question does.
const NOTIFICATION: &[u8] = br#"{"jsonrpc":"2.0","method":"#;
const LAST_CHUNK: &str = "0\r\n\r\n";
/// Behind the name of a stream's beginning: when to ask for the rest, in milliseconds, and no data.
const RETRY: &str = "\nretry: 1000\ndata: \n\n";

/// The methods of the endpoint.
fn allowed(site: &Site<'_>) -> &'static str {
    #[cfg(feature = "legacy")]
    if site.sessions.is_some() {
        return "POST, GET, DELETE";
    }
    let _ = site;
    "POST"
}

impl Connection<'_> {
    /// Refuses a request before its message is read, and ends the connection behind the reply.
    pub(super) fn refuse(&mut self, refusal: Refusal, site: &Site<'_>) -> Happened {
        self.refuse_with(refusal, false, site)
    }

    pub(super) fn refuse_with(&mut self, refusal: Refusal, keep_alive: bool, site: &Site<'_>) -> Happened {
        self.inbox.abandon();
        self.enter(Phase::Reply);
        self.facts.refused = true;
        self.keep_alive = keep_alive && !self.closing;
        self.core.status = refusal.status();
        let written = self.core.outbox.message(|w| {
            w.literal(r#"{"jsonrpc":"2.0","error":{"code":"#).int(i64::from(code::INVALID_REQUEST));
            w.member_str("message", refusal.message()).literal("}}");
        });
        if self.facts.verb != Verb::Post || written.is_err() {
            // The client may have asked for a head alone.
            self.core.drop_output();
        }
        self.send_whole(site);
        Happened::Refused { status: refusal.status() }
    }

    /// The time for what the connection is doing is over. `false`: the connection is.
    pub(super) fn run_out_of_time(&mut self, site: &mut Site<'_>) -> bool {
        if !self.unit.is_gone() {
            return false;
        }
        match self.phase {
            Phase::Head(_) | Phase::Body(_) => {
                self.refuse(Refusal::Timeout, site);
                true
            }
            Phase::Reply if self.core.outbox.is_empty() && self.is_open() => {
                if self.core.is_streaming() {
                    // A comment inside a message would be part of it.
                    self.since = self.now;
                } else {
                    self.keep_quiet_stream(site);
                }
                true
            }
            Phase::Reply => true,
            // What has come just now is served.
            Phase::Idle => !self.inbox.raw().is_empty(),
            Phase::Linger { .. } | Phase::Closed => false,
        }
    }

    /// Goes on with the reply.
    pub(super) fn go_on<A>(&mut self, site: &mut Site<'_>, endpoint: &Endpoint<A>) -> Option<Happened> {
        if self.reply_ends {
            self.finish();
            return None;
        }
        if let Some(gone_on) = self.go_on_in_session(site, endpoint) {
            return gone_on;
        }
        if !self.core.outbox.is_empty() {
            self.decide(site);
            return None;
        }
        if self.core.job.is_some_and(|job| job.is_broken()) || self.core.stream_is_orphan() {
            // The end of the connection tells the client that the body is not whole.
            self.core.forget_job();
            return Some(self.lose());
        }
        if self.core.is_streaming() {
            return Some(if self.eof { self.lose() } else { Happened::Nothing });
        }
        if self.core.job.is_some() {
            self.core.continue_job(self.inbox.text(), endpoint.catalog());
            return None;
        }
        if !self.is_open() {
            self.end_reply(site);
            return None;
        }
        if self.eof {
            return Some(self.lose());
        }
        if self.closing && self.core.subscriptions.first_listen().is_some() {
            self.core.start(Job::end_of_listen(false), self.inbox.text(), endpoint.catalog());
            return None;
        }
        if self.core.tell_news(endpoint) {
            return None;
        }
        Some(Happened::Nothing)
    }

    /// The engine has written something: if it is the first of the reply, what is the reply?
    fn decide(&mut self, site: &mut Site<'_>) {
        if self.shape != Shape::Undecided {
            let name = self.name_event(site);
            self.next_piece(name);
            if self.reply_ends {
                self.untie(site);
            }
            return;
        }
        let line = Line::first(self.core.outbox.transmit());
        if line.is_last && !self.is_open() && self.facts.accepts_json() {
            self.send_whole(site);
            return;
        }
        let is_notification = line.ends && self.core.outbox.transmit().starts_with(NOTIFICATION);
        let only_listens = self.core.subscriptions.first_listen().is_some();
        if is_notification && !self.facts.accepts_events() && !only_listens {
            // Whoever takes JSON only is told the answer only.
            self.core.outbox.transmitted(line.len + 1);
            return;
        }
        self.shape = if line.ends || !self.facts.accepts_json() { Shape::Events } else { Shape::Parts };
        self.send_head(site);
    }

    /// The whole reply at once: one JSON text, or nothing.
    fn send_whole(&mut self, site: &Site<'_>) {
        self.shape = Shape::Whole;
        self.reply_ends = true;
        let out = self.core.outbox.transmit();
        let body = if out.is_empty() { reply::Body::Empty } else { reply::Body::Json(out.len().saturating_sub(1)) };
        let payload = out.len().saturating_sub(1);
        let facts = self.head_facts(site);
        self.unit.begin().head(&mut self.headers, &body, facts).payload(payload, true);
    }

    /// The head of a reply whose length is not known.
    fn send_head(&mut self, site: &Site<'_>) {
        let chunked = self.chunked();
        self.keep_alive &= chunked;
        if self.shape == Shape::Events {
            // Whatever follows: what the status is of, is the stream.
            self.core.status = 200;
        }
        let beginning = self.tie.beginning().filter(|_| self.shape == Shape::Events);
        // The client may be sent away from this stream, and then nobody is here to serve it.
        self.keep_alive &= beginning.is_none();
        let body = match self.shape {
            Shape::Events => reply::Body::Events { chunked },
            _ => reply::Body::Parts { chunked },
        };
        let facts = self.head_facts(site);
        let unit = self.unit.begin().head(&mut self.headers, &body, facts);
        if let Some(id) = beginning {
            // What the client asks for if the stream breaks off before anything has come (2025-11-25, *Sending Messages to the Server*).
            let texts = [&b"id: "[..], &id.text(), RETRY.as_bytes()];
            if chunked {
                unit.chunk(&texts, 0).text(Chunk::AFTER);
            } else {
                unit.texts(&texts);
            }
        }
    }

    /// A stream of which nothing has been said yet: a comment shows those in between that it has begun.
    pub(super) fn begin_stream(&mut self, site: &Site<'_>) {
        self.shape = Shape::Events;
        self.send_head(site);
        let is_named = self.tie.beginning().is_some();
        if !is_named {
            self.unit.text(if self.chunked() { CHUNKED_COMMENT } else { Events::COMMENT });
        }
    }

    /// The stream ends here, behind what is leaving.
    #[cfg(feature = "legacy")]
    pub(super) fn end_stream_text(&mut self) {
        if self.chunked() {
            let has_chunk = !self.unit.is_gone();
            self.unit.text(if has_chunk { "\r\n0\r\n\r\n" } else { LAST_CHUNK });
        }
    }

    fn head_facts<'s>(&self, site: &'s Site<'_>) -> HeadFacts<'s> {
        let status = self.core.status;
        HeadFacts {
            status,
            connection: match (self.keep_alive, self.facts.version) {
                (false, _) => Some("close"),
                (true, Version::Http10) => Some("keep-alive"),
                (true, Version::Http11) => None,
            },
            allow: (status == Refusal::Method.status()).then(|| allowed(site)),
            challenge: match status {
                _ if self.facts.refused => None,
                401 => site.unauthorized,
                403 => site.forbidden,
                _ => None,
            },
            session: self.new_session_id(site),
        }
    }

    /// HTTP/1.0 has no chunks: there, the end of the connection is the end of the reply.
    fn chunked(&self) -> bool {
        self.facts.version == Version::Http11
    }

    /// Hands out the next piece of what the engine has written, once the one before has left.
    pub(super) fn next_piece(&mut self, name: Option<EventId>) {
        if !self.unit.is_gone() || self.reply_ends || !matches!(self.shape, Shape::Events | Shape::Parts) {
            return;
        }
        if self.core.outbox.is_empty() {
            return;
        }
        let line = Line::first(self.core.outbox.transmit());
        self.reply_ends = line.is_last && !self.is_open();
        let chunked = self.chunked();
        let (inner, behind) = reply::behind(self.shape, line.ends, self.reply_ends, chunked);
        let is_event_start = self.shape == Shape::Events && !self.mid_line;
        let before = if is_event_start { Events::BEFORE.as_bytes() } else { &[] };
        let name = name.map(|id| id.text());
        let texts = match &name {
            Some(name) => [&b"id: "[..], name, b"\n", before],
            None => [&[][..], &[], &[], before],
        };
        self.mid_line = !line.ends;
        let unit = self.unit.begin().payload(line.len, line.ends);
        if before.len() + line.len + inner == 0 {
            // Only the end of the text was left, and a chunk of nothing would be the last.
            unit.text(if chunked && self.reply_ends { LAST_CHUNK } else { "" });
        } else if chunked {
            unit.chunk(&texts, inner).text(behind);
        } else {
            unit.texts(&texts).text(behind);
        }
        self.unit.settle(&mut self.core.outbox);
    }

    /// Nothing more will be said.
    pub(super) fn end_reply(&mut self, site: &Site<'_>) {
        match self.shape {
            Shape::Undecided => self.send_whole(site),
            _ => {
                self.reply_ends = true;
                let text = if self.chunked() { LAST_CHUNK } else { "" };
                self.unit.begin().text(text);
            }
        }
    }

    /// Nobody has said anything for long: a comment shows that the stream, or the call, is alive.
    fn keep_quiet_stream(&mut self, site: &Site<'_>) {
        if self.shape == Shape::Undecided && !self.facts.accepts_events() {
            self.since = self.now;
            return;
        }
        if self.shape == Shape::Undecided {
            self.begin_stream(site);
        } else {
            let text = if self.chunked() { CHUNKED_COMMENT } else { Events::COMMENT };
            self.unit.begin().text(text);
        }
        self.since = self.now;
    }

    /// The reply has left.
    fn finish(&mut self) {
        self.inbox.release();
        self.headers.clear();
        let goes_on = self.keep_alive && !self.closing;
        self.begin_request();
        let next = match (goes_on, self.eof) {
            (true, _) => Phase::Idle,
            (false, true) => Phase::Closed,
            (false, false) => Phase::Linger { left: LINGER_BYTES },
        };
        self.enter(next);
    }
}
