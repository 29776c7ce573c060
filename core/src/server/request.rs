//! A request that has been admitted: what later steps need of it.

use crate::json::Value;
use crate::json::scan::{SLOTS, Scanner, Span};
use crate::mcp::slot::{self, server};
use crate::mcp::{CLIENT_INFO, Era, Level, Method, Revision};
use crate::rpc::Id;

use super::Principal;
use super::mirror::Mirror;

/// A vetted message: its text, and where its members are.
#[derive(Debug)]
pub(crate) struct Source<'m> {
    pub(crate) text: &'m mut [u8],
    pub(crate) spans: &'m [Span; SLOTS],
    /// Which members of the envelope there were, also of a message of which only the id could be kept.
    pub(crate) envelope: Members,
    /// The headers that came with it, over HTTP.
    pub(crate) mirror: Option<&'m Mirror<'m>>,
}

/// Members of an envelope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Members {
    pub(crate) id: bool,
    pub(crate) method: bool,
    pub(crate) answer: bool,
}

impl<'m> Source<'m> {
    /// Where nothing was found.
    pub(crate) const NO_SPANS: [Span; SLOTS] = [Span::ABSENT; SLOTS];

    pub(crate) fn new(text: &'m mut [u8], scanner: &'m Scanner) -> Source<'m> {
        let has = |slot| scanner.has_seen(slot);
        let envelope =
            Members { id: has(slot::ID), method: has(slot::METHOD), answer: has(slot::RESULT) || has(slot::ERROR) };
        Source { text, spans: scanner.spans(), envelope, mirror: None }
    }

    /// With the headers that came with it, over HTTP.
    pub(crate) fn with(self, mirror: Option<&'m Mirror<'m>>) -> Source<'m> {
        Source { mirror, ..self }
    }

    /// A member, or nothing where it is absent or `null`.
    pub(crate) fn get(&self, slot: usize) -> Option<Value<'_>> {
        member(self.text, self.span(slot))
    }

    /// A member, or nothing where it is absent.
    pub(crate) fn get_or_null(&self, slot: usize) -> Option<Value<'_>> {
        let raw = self.span(slot).of(self.text);
        (!raw.is_empty()).then(|| Value::new(raw))
    }

    /// Whether a member is this string.
    pub(crate) fn is(&self, slot: usize, expected: &str) -> bool {
        self.get(slot).is_some_and(|value| value.is_str(expected))
    }

    pub(crate) fn span(&self, slot: usize) -> Span {
        self.spans.get(slot).copied().unwrap_or(Span::ABSENT)
    }

    pub(crate) fn id(&self) -> Option<Id<'_>> {
        self.get(slot::ID).and_then(Id::new)
    }

    /// A member of `params` that has no slot of its own.
    pub(crate) fn param(&self, name: &str) -> Option<Value<'_>> {
        self.get(slot::PARAMS)?.get(name).filter(|value| !value.is_null())
    }

    /// Any modern member of `_meta`.
    pub(crate) fn describes_itself(&self) -> bool {
        [server::PROTOCOL_VERSION, server::CAPABILITIES, server::LOG_LEVEL]
            .into_iter()
            .any(|slot| self.span(slot).is_present())
            || self.get(server::META).is_some_and(|meta| meta.get(CLIENT_INFO).is_some())
    }

    /// Splits the text around the arguments, which may be rewritten while they are read; the rest stays as it is.
    pub(crate) fn split(&mut self) -> (Parts<'_>, Option<&mut [u8]>) {
        let span = self.span(server::ARGUMENTS);
        let (start, end) = (span.start as usize, span.end as usize);
        let spans = self.spans;
        let is_object = span.of(self.text).first() == Some(&b'{');
        let cut = if is_object { (start, end) } else { (0, 0) };
        let length = cut.1.saturating_sub(cut.0);
        match self.text.split_at_mut_checked(cut.0) {
            Some((before, rest)) => match rest.split_at_mut_checked(length) {
                Some((arguments, after)) => {
                    let parts = Parts { before, after, after_at: cut.1, spans };
                    (parts, is_object.then_some(arguments))
                }
                None => (Parts::empty(spans), None),
            },
            None => (Parts::empty(spans), None),
        }
    }
}

fn member(text: &[u8], span: Span) -> Option<Value<'_>> {
    let raw = span.of(text);
    (!raw.is_empty() && raw != b"null").then(|| Value::new(raw))
}

/// A message without its arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts<'m> {
    before: &'m [u8],
    after: &'m [u8],
    after_at: usize,
    spans: &'m [Span; SLOTS],
}

impl<'m> Parts<'m> {
    /// All of a message whose arguments nobody rewrites.
    pub(crate) fn whole(source: &'m Source<'_>) -> Parts<'m> {
        Parts { before: source.text, after: &[], after_at: usize::MAX, spans: source.spans }
    }

    fn empty(spans: &'m [Span; SLOTS]) -> Parts<'m> {
        Parts { before: &[], after: &[], after_at: 0, spans }
    }

    /// A member beside the arguments; nothing where it is absent or `null`.
    pub(crate) fn get(&self, slot: usize) -> Option<Value<'m>> {
        let span = self.spans.get(slot).copied().unwrap_or(Span::ABSENT);
        let (start, end) = (span.start as usize, span.end as usize);
        let raw = match (start.checked_sub(self.after_at), end.checked_sub(self.after_at)) {
            (Some(start), Some(end)) => self.after.get(start..end),
            _ => self.before.get(start..end),
        };
        raw.filter(|raw| !raw.is_empty() && *raw != b"null").map(Value::new)
    }
}

/// What has been found out about a request before its handler runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) revision: Revision,
    pub(crate) level: Option<Level>,
    pub(crate) principal: Principal,
}

impl Request {
    pub(crate) fn era(self) -> Era {
        self.revision.era()
    }
}
