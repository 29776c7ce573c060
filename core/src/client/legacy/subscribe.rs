//! Subscriptions by URI (2025-11-25, *Resources: Subscriptions*).

use crate::client::config::Options;
use crate::client::engine::Engine;
use crate::client::error::Refused;
use crate::client::kind::Kind;
use crate::frame::Line;
use crate::json::Writer;
use crate::mcp::Method;
use crate::rpc::{Patience, RequestHandle};
use crate::time::Instant;

impl Engine<'_> {
    /// Sends `resources/subscribe` for each URI, all or none; the first one's handle, and how many there are.
    pub(in crate::client) fn subscribe(
        &mut self,
        uris: &[&str],
        options: Options,
        now: Instant,
    ) -> Result<(RequestHandle, u32), Refused> {
        self.now = self.now.max(now);
        if !uris.is_empty() && !self.features.subscribe {
            return Err(Refused::Unsupported);
        }
        let handle = self.send_each(Kind::LISTEN, Method::Subscribe, uris, options.patience())?;
        Ok((handle, u32::try_from(uris.len()).unwrap_or(u32::MAX)))
    }

    /// Sends `resources/unsubscribe` for each URI, all or none.
    pub(in crate::client) fn unsubscribe(&mut self, uris: &[&str]) -> Result<(), Refused> {
        self.check()?;
        self.send_each(Kind::UNSUBSCRIBE, Method::Unsubscribe, uris, Options::DEFAULT.patience()).map(drop)
    }

    fn send_each(
        &mut self,
        kind: Kind,
        method: Method,
        uris: &[&str],
        patience: Patience,
    ) -> Result<RequestHandle, Refused> {
        self.give_notices();
        if self.pending.room() < uris.len().max(1) {
            return Err(Refused::TableFull);
        }
        let first = self.reserve(kind, patience)?;
        for _ in uris.iter().skip(1) {
            self.reserve(kind, patience)?;
        }
        let written = if uris.is_empty() { Ok(()) } else { self.write_each(method, uris, first) };
        if written.is_err() || uris.is_empty() {
            let count = u32::try_from(uris.len()).unwrap_or(u32::MAX).max(1);
            self.pending.remove_where(|id, tag| Kind::from_tag(tag) == kind && id.wrapping_sub(first.id()) < count);
        }
        written.map(|()| first)
    }

    /// They leave together, so they are written as one message; the last line is ended by the seal.
    fn write_each(&mut self, method: Method, uris: &[&str], first: RequestHandle) -> Result<(), Refused> {
        self.write(|w, _| {
            for (index, (uri, id)) in uris.iter().zip(first.id()..).enumerate() {
                if index > 0 {
                    w.literal(Line::TERMINATOR);
                }
                write_one(w, id, method, uri);
            }
            Ok(())
        })
    }
}

fn write_one(w: &mut Writer<'_>, id: u32, method: Method, uri: &str) {
    w.literal(r#"{"jsonrpc":"2.0","id":"#).uint(u64::from(id)).member_str("method", method.as_str());
    w.key("params").begin_object().member_str("uri", uri).end_object().end_object();
}
