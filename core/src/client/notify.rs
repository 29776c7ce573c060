//! Notifications and requests that come from the server.

use super::advance::ignored;
use super::engine::Engine;
use super::event::{Happened, Ignored};
use super::kind::Kind;
use crate::json::Value;
use crate::mcp::{Level, Notification, slot};

impl Engine<'_> {
    pub(super) fn read_notification(&mut self) -> Option<Happened> {
        match self.inlet.member(slot::METHOD).and_then(Notification::parse) {
            Some(Notification::Progress) => self.progress(),
            Some(Notification::Message) => self.log(),
            Some(Notification::Acknowledged) => self.acknowledged(),
            Some(Notification::Cancelled) => self.cancelled(),
            Some(Notification::ResourceUpdated) if !self.param("uri").is_some_and(Value::is_string) => {
                ignored(Ignored::MalformedNotification)
            }
            Some(
                changed @ (Notification::ToolsChanged
                | Notification::ResourcesChanged
                | Notification::PromptsChanged
                | Notification::ResourceUpdated),
            ) => self.changed(changed),
            Some(Notification::Initialized | Notification::RootsChanged) | None => {
                ignored(Ignored::UnknownNotification)
            }
        }
    }

    fn param(&self, name: &str) -> Option<Value<'_>> {
        self.inlet.member(slot::PARAMS)?.get(name)
    }

    fn progress(&mut self) -> Option<Happened> {
        let Some(value) = self.param("progress").and_then(Value::as_decimal) else {
            return ignored(Ignored::MalformedNotification);
        };
        let token = self.inlet.member(slot::client::PROGRESS_TOKEN);
        match token.and_then(|token| self.pending.find(token)) {
            Some((handle, tag)) if Kind::from_tag(tag).has_progress() => {
                let increases = self.pending.progress(handle, value, self.now);
                if increases { Some(Happened::Progress(handle)) } else { ignored(Ignored::StaleProgress) }
            }
            _ => ignored(Ignored::UnknownToken),
        }
    }

    fn log(&mut self) -> Option<Happened> {
        let level = self.param("level").and_then(|level| Level::parse(level.as_str()?));
        match (level, self.param("data")) {
            (Some(_), Some(_)) => Some(Happened::Log),
            _ => ignored(Ignored::MalformedNotification),
        }
    }

    /// A modern server ends a subscription with it, a legacy one a request of its own.
    fn cancelled(&mut self) -> Option<Happened> {
        #[cfg(feature = "legacy")]
        if self.is_legacy() {
            let id = self.inlet.member(slot::client::REQUEST_ID);
            return if id.is_some() { Some(Happened::Withdrawn) } else { ignored(Ignored::MalformedNotification) };
        }
        self.torn_down()
    }

    /// A request. Only a legacy server may send one.
    pub(super) fn read_request(&mut self) -> Option<Happened> {
        #[cfg(feature = "legacy")]
        if self.is_legacy() {
            if self.is_uploading() {
                // The answer could not leave: it is asked once it can.
                self.inlet.parked = true;
                return Some(Happened::NeedData);
            }
            return self.read_legacy_request();
        }
        ignored(Ignored::ServerRequest)
    }

    /// An array. Batches exist in one legacy revision.
    pub(super) fn read_array(&mut self) -> Option<Happened> {
        #[cfg(feature = "legacy")]
        if self.takes_batches() && self.inlet.open_batch() {
            return None;
        }
        ignored(Ignored::NotAMessage(crate::rpc::Invalid::Batch))
    }
}
