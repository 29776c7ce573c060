//! The methods that only the handshake revisions have.

use crate::json::Value;
use crate::mcp::slot::server;
use crate::mcp::{ClientCapabilities, Fault, Level, Revision};
use crate::server::Endpoint;
use crate::server::exchange::{Outcome, begin_result};
use crate::server::info::write_capabilities;
use crate::server::operation;
use crate::server::request::Source;
use crate::server::serve::Core;
use crate::server::subscription::Subscription;

/// What stands around the URI in `notifications/resources/updated`.
const UPDATED_OVERHEAD: usize =
    br#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":}}"#.len();

impl Core<'_> {
    /// `initialize` (2025-11-25, *Lifecycle: Initialization*): an unknown revision is answered with the newest that has a handshake.
    #[inline(never)]
    pub(crate) fn initialize<A>(&mut self, source: &Source<'_>, endpoint: &Endpoint<A>) -> Outcome {
        let (requested, capabilities) = operation::handshake(source)?;
        let revision = requested
            .as_str()
            .and_then(Revision::parse)
            .filter(|revision| *revision <= Revision::LATEST_LEGACY)
            .unwrap_or(Revision::LATEST_LEGACY);

        let (catalog, id) = (endpoint.catalog, source.id().ok_or(Fault::Internal)?);
        self.send(|w| {
            begin_result(w, id);
            w.member_str("protocolVersion", revision.as_str()).key("capabilities");
            write_capabilities(w, catalog, revision);
            w.key("serverInfo");
            catalog.info.write(w, revision);
            if let Some(instructions) = catalog.instructions {
                w.member_str("instructions", instructions);
            }
            w.literal("}}");
        })?;
        self.session.open(revision, ClientCapabilities::read(capabilities));
        self.subscriptions.close_legacy();
        let (tools, prompts, resources) = (catalog.tools_change, catalog.prompts_change, catalog.resources_change);
        // Without room for it, the client is not told of changed lists; nothing else suffers.
        if (tools || prompts || resources)
            && let Some(Subscription { filter, .. }) = self.subscriptions.open(None, &endpoint.changes)
        {
            (filter.tools, filter.prompts, filter.resources) = (tools, prompts, resources);
        }
        Ok(crate::server::exchange::Done::YES)
    }

    /// `ping`, and every other request whose result is empty.
    pub(crate) fn reply_empty(&mut self, source: &Source<'_>) -> Outcome {
        let id = source.id().ok_or(Fault::Internal)?;
        self.send(|w| {
            begin_result(w, id);
            w.literal("}}");
        })
    }

    /// `logging/setLevel`.
    pub(crate) fn set_level(&mut self, source: &Source<'_>, level: Level) -> Outcome {
        self.session.set_level(level);
        self.reply_empty(source)
    }

    /// `resources/subscribe`.
    #[inline(never)]
    pub(crate) fn subscribe<A>(&mut self, source: &Source<'_>, endpoint: &Endpoint<A>) -> Outcome {
        let uri = source.get(server::URI).unwrap_or(Value::new(b""));
        if !operation::is_listenable(uri, endpoint.catalog) {
            // It never changes, so whoever subscribes is never told.
            return self.reply_empty(source);
        }
        // Whoever is told that it listens must be told: the notification has to fit.
        let limit = self.outbox.limit();
        if uri.raw().len().saturating_add(UPDATED_OVERHEAD) > limit {
            return Err(Fault::ReplyTooLong { limit });
        }
        if self.subscriptions.legacy().is_none() && self.subscriptions.open(None, &endpoint.changes).is_none() {
            return Err(Fault::Busy);
        }
        let added = self.subscriptions.legacy().is_some_and(|subscription| subscription.filter.add(uri));
        if added { self.reply_empty(source) } else { Err(Fault::Busy) }
    }

    /// `resources/unsubscribe`.
    #[inline(never)]
    pub(crate) fn unsubscribe(&mut self, source: &Source<'_>) -> Outcome {
        if let (Some(uri), Some(subscription)) = (source.get(server::URI), self.subscriptions.legacy()) {
            subscription.filter.remove(uri);
        }
        self.reply_empty(source)
    }
}
