//! Replies of any length: written piece by piece as the transmit buffer drains.
//!
//! A piece that does not fit is written again from its start when there is room, and what has left already is passed over; so
//! nothing is kept but how far it came. The request's id stays where it is until the reply is complete.

use crate::json::scan::Span;
use crate::json::{Value, Writer};
use crate::mcp::{Era, Fault, List, Method, Notification, Revision, SERVER_INFO, SUBSCRIPTION_ID};
use crate::rpc::{Affixes, Id, Outbox};

use super::Catalog;
use super::deferred::CallHandle;
use super::exchange::{begin_notification, begin_result, write_server_meta};
use super::info::ServerInfo;
use super::stream::Place;

/// A reply that is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    kind: Kind,
    /// Where the request's id stands, unless it is kept in a table.
    id: Span,
    /// Which piece is next, and how many of its bytes have left.
    piece: usize,
    offset: usize,
}

/// Where the id of the request that is answered stands until the reply is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobId {
    /// In the receive buffer.
    Request(Span),
    /// In the table of deferred calls.
    Call(CallHandle),
    /// In the table of subscriptions: it is the first of them.
    Listen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The entries of a list from `first` to before `end`.
    List { list: List, first: usize, end: usize, revision: Revision },
    /// An error; `subject` is what it is about.
    Refusal { fault: Fault, era: Era, subject: Span },
    /// An error that ends a deferred call.
    CallRefusal { fault: Fault, era: Era, call: CallHandle },
    /// The answer to a deferred call that the application writes piece by piece: nothing else may leave before it has come to its end.
    Stream { call: CallHandle, place: Place },
    /// The end of such an answer.
    StreamEnd { call: CallHandle, place: Place, fault: Option<Fault> },
    /// One that cannot be ended: the torso becomes noise, and an error follows.
    Broken { fault: Fault, era: Era, call: CallHandle },
    /// A subscription's final result and, on a wire that other messages share, the notification that the server tears it down.
    EndOfListen { notify: bool },
}

impl Job {
    pub(crate) fn list(list: List, first: usize, end: usize, revision: Revision, id: Span) -> Job {
        Job { kind: Kind::List { list, first, end, revision }, id, piece: 0, offset: 0 }
    }

    pub(crate) fn refusal(fault: Fault, era: Era, subject: Span, id: Span) -> Job {
        Job { kind: Kind::Refusal { fault, era, subject }, id, piece: 0, offset: 0 }
    }

    pub(crate) fn call_refusal(fault: Fault, era: Era, call: CallHandle) -> Job {
        Job { kind: Kind::CallRefusal { fault, era, call }, id: Span::ABSENT, piece: 0, offset: 0 }
    }

    pub(crate) fn end_of_listen(notify: bool) -> Job {
        Job { kind: Kind::EndOfListen { notify }, id: Span::ABSENT, piece: 0, offset: 0 }
    }

    pub(crate) fn stream(call: CallHandle, place: Place) -> Job {
        Job { kind: Kind::Stream { call, place }, id: Span::ABSENT, piece: 0, offset: 0 }
    }

    pub(crate) fn stream_end(call: CallHandle, place: Place, fault: Option<Fault>) -> Job {
        Job { kind: Kind::StreamEnd { call, place, fault }, id: Span::ABSENT, piece: 0, offset: 0 }
    }

    pub(crate) fn broken(call: CallHandle, fault: Fault, era: Era) -> Job {
        Job { kind: Kind::Broken { fault, era, call }, id: Span::ABSENT, piece: 0, offset: 0 }
    }

    /// The answer that the application is writing piece by piece.
    pub(crate) fn as_stream(&self) -> Option<(CallHandle, Place)> {
        match self.kind {
            Kind::Stream { call, place } => Some((call, place)),
            _ => None,
        }
    }

    /// An answer that had begun cannot be ended.
    #[cfg(feature = "http")]
    pub(crate) fn is_broken(&self) -> bool {
        matches!(self.kind, Kind::Broken { .. })
    }

    /// Where its request's id stands.
    pub(crate) fn id(&self) -> JobId {
        match self.kind {
            Kind::List { .. } | Kind::Refusal { .. } => JobId::Request(self.id),
            Kind::CallRefusal { call, .. }
            | Kind::Stream { call, .. }
            | Kind::StreamEnd { call, .. }
            | Kind::Broken { call, .. } => JobId::Call(call),
            Kind::EndOfListen { .. } => JobId::Listen,
        }
    }

    /// Writes as much as there is room for. `true`: the reply is complete.
    pub(crate) fn run<A>(
        &mut self,
        catalog: &Catalog<A>,
        text: &[u8],
        id: Option<Id<'_>>,
        request: Option<(Method, Revision)>,
        outbox: &mut Outbox<'_>,
    ) -> bool {
        if let Kind::Stream { .. } = self.kind {
            return false;
        }
        let affixes = outbox.affixes();
        while self.piece < self.pieces() {
            let piece = *self;
            let part = outbox.part(self.offset, |w| piece.write(catalog, text, id, request, affixes, w));
            if !part.whole {
                self.offset = self.offset.saturating_add(part.written);
                return false;
            }
            self.piece += 1;
            self.offset = 0;
        }
        true
    }

    fn pieces(&self) -> usize {
        match self.kind {
            Kind::List { first, end, .. } => end.saturating_sub(first).saturating_add(2),
            Kind::Refusal { .. } | Kind::CallRefusal { .. } | Kind::StreamEnd { .. } => 1,
            Kind::Broken { .. } => 2,
            Kind::Stream { .. } => 0,
            Kind::EndOfListen { notify } => 1 + usize::from(notify),
        }
    }

    fn write<A>(
        &self,
        catalog: &Catalog<A>,
        text: &[u8],
        id: Option<Id<'_>>,
        request: Option<(Method, Revision)>,
        affixes: &Affixes,
        w: &mut Writer<'_>,
    ) {
        match self.kind {
            Kind::Refusal { fault, era, subject } => {
                w.literal(affixes.before);
                let subject = subject.of(text);
                let subject = (!subject.is_empty()).then(|| Value::new(subject));
                write_error(w, id, fault, era, subject);
                w.literal(affixes.after);
            }
            Kind::CallRefusal { fault, era, .. } => {
                w.literal(affixes.before);
                write_error(w, id, fault, era, None);
                w.literal(affixes.after);
            }
            Kind::Stream { .. } => {}
            Kind::StreamEnd { place, fault, .. } => {
                if let Some((method, revision)) = request {
                    place.write_tail(w, fault, method, revision, &catalog.info);
                }
                w.literal(affixes.after);
            }
            // A line end makes what has left of it a line of noise.
            Kind::Broken { .. } if self.piece == 0 => {
                w.literal(affixes.after);
            }
            Kind::Broken { fault, era, .. } => {
                w.literal(affixes.before);
                write_error(w, id, fault, era, None);
                w.literal(affixes.after);
            }
            Kind::EndOfListen { .. } => {
                w.literal(affixes.before);
                match id {
                    Some(id) if self.piece == 0 => write_end_of_listen(w, id, &catalog.info),
                    Some(id) => write_listen_cancelled(w, id),
                    None => {}
                }
                w.literal(affixes.after);
            }
            Kind::List { list, first, end, revision } => {
                if self.piece == 0 {
                    w.literal(affixes.before);
                    write_list_head(w, id, list, revision);
                } else if self.piece == self.pieces() - 1 {
                    write_list_tail(w, catalog, list, end, revision);
                    w.literal(affixes.after);
                } else {
                    let rank = first.saturating_add(self.piece - 1);
                    w.literal(if self.piece == 1 { "" } else { "," });
                    write_entry(w, catalog, list, rank, revision);
                }
            }
        }
    }
}

fn write_end_of_listen(w: &mut Writer<'_>, id: Id<'_>, info: &ServerInfo) {
    begin_result(w, id);
    w.literal(r#""resultType":"complete""#).key("_meta").begin_object().key(SUBSCRIPTION_ID).raw(id.raw());
    w.key(SERVER_INFO);
    info.write_short(w);
    w.literal("}}}");
}

fn write_listen_cancelled(w: &mut Writer<'_>, id: Id<'_>) {
    begin_notification(w, Notification::Cancelled);
    w.key("requestId").raw(id.raw()).literal("}}");
}

fn write_list_head(w: &mut Writer<'_>, id: Option<Id<'_>>, list: List, revision: Revision) {
    if let Some(id) = id {
        begin_result(w, id);
    }
    if revision.era() == Era::Modern {
        w.literal(r#""resultType":"complete""#);
    }
    w.key(list.member()).begin_array();
}

fn write_list_tail<A>(w: &mut Writer<'_>, catalog: &Catalog<A>, list: List, end: usize, revision: Revision) {
    w.literal("]");
    if end < catalog.len(list) {
        w.key("nextCursor").begin_string().uint_part(end as u64).end_string();
    }
    if revision.era() == Era::Modern {
        w.member_uint("ttlMs", u64::from(catalog.cache.ttl_ms)).member_str("cacheScope", catalog.cache.scope.as_str());
        write_server_meta(w, &catalog.info);
    }
    w.literal("}}");
}

fn write_entry<A>(w: &mut Writer<'_>, catalog: &Catalog<A>, list: List, rank: usize, revision: Revision) {
    match list {
        List::Tools => {
            let of_family = catalog.nth_of_family(rank).map(|(family, number)| family.write(number, w));
            of_family.or_else(|| catalog.nth_tool(rank).map(|tool| tool.write(w, revision)))
        }
        List::Resources | List::ResourceTemplates => {
            catalog.resource_kind.map(|kind| (kind.write_entry)(catalog, list, rank, w, revision))
        }
        List::Prompts => catalog.prompt_kind.map(|kind| (kind.write_entry)(catalog, list, rank, w, revision)),
    };
}

/// Writes an error response; without an id if it could not be read (2026-07-28, *Overview: Error Responses*).
pub(crate) fn write_error(w: &mut Writer<'_>, id: Option<Id<'_>>, fault: Fault, era: Era, subject: Option<Value<'_>>) {
    w.literal(r#"{"jsonrpc":"2.0""#);
    if let Some(id) = id {
        w.key("id").raw(id.raw());
    }
    w.key("error");
    fault.write(w, era, subject);
    w.literal("}");
}
