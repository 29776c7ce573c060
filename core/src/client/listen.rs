//! Subscriptions: `subscriptions/listen` (modern), or `resources/subscribe` for each URI (legacy).

use super::advance::ignored;
use super::config::Options;
use super::engine::Engine;
use super::error::Refused;
use super::event::{Happened, Ignored, ListenEnd};
use super::kind::Kind;
use crate::json::{Value, Writer};
use crate::mcp::{Era, List, Method, Notification, slot};
use crate::rpc::{Id, RequestHandle};
use crate::time::Instant;

/// What to be notified of. It is written anew for each connection: a server keeps no subscription across connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListenFilter<'a> {
    /// Changes in the list of tools.
    pub tools: bool,
    /// Changes in the list of prompts.
    pub prompts: bool,
    /// Changes in the lists of resources and templates.
    pub resources: bool,
    /// Changes in the resources at these URIs.
    pub uris: &'a [&'a str],
}

impl ListenFilter<'_> {
    fn write(self, w: &mut Writer<'_>) {
        w.key("notifications").begin_object();
        if self.tools {
            w.member_bool("toolsListChanged", true);
        }
        if self.prompts {
            w.member_bool("promptsListChanged", true);
        }
        if self.resources {
            w.member_bool("resourcesListChanged", true);
        }
        if !self.uris.is_empty() {
            w.key("resourceSubscriptions").begin_array();
            for uri in self.uris {
                w.string(uri);
            }
            w.end_array();
        }
        w.end_object();
    }
}

/// One open subscription. The caller lends a vector of these; its capacity bounds how many may be open at once.
#[derive(Clone, Debug)]
pub struct Listen {
    pub(super) handle: RequestHandle,
    /// How many requests it was opened with; their ids follow one another.
    pub(super) requests: u32,
    /// How many of them have not been answered.
    pub(super) waiting: u32,
    /// The caller is to be told that it has begun.
    pub(super) begun: bool,
    /// The caller is to be told that it has ended.
    pub(super) ended: Option<ListenEnd>,
    /// The server is to be told so.
    pub(super) notice_due: bool,
    /// The caller has been told; only the notice is left.
    pub(super) told: bool,
}

impl Listen {
    pub(super) fn is_due(&self) -> bool {
        self.begun || (self.ended.is_some() && !self.told)
    }

    /// Is this one of the requests that open it?
    pub(super) fn is_opened_by(&self, request: RequestHandle) -> bool {
        self.has_request(request.id())
    }

    fn has_request(&self, id: u32) -> bool {
        id.wrapping_sub(self.handle.id()) < self.requests
    }
}

impl Engine<'_> {
    /// Opens a subscription: [`Happened::Acknowledged`] follows, within the options' timeout, and then changes as they come.
    ///
    /// A legacy server sends list changes anyway, whatever the filter, and its notifications name no subscription.
    ///
    /// # Errors
    /// As [`call`](Engine::call); [`Refused::TableFull`] also where there is no room for another subscription (or,
    /// with a legacy server, for a request for each URI); [`Refused::Unsupported`] if a legacy server notifies of no
    /// resources.
    pub fn listen(
        &mut self,
        filter: &ListenFilter<'_>,
        options: Options,
        now: Instant,
    ) -> Result<RequestHandle, Refused> {
        self.check()?;
        self.give_notices();
        if self.listens.is_full() {
            // A place whose notice waits for room becomes free once there is room.
            let waits = self.listens.iter().any(|listen| listen.told);
            return Err(if waits { Refused::Busy } else { Refused::TableFull });
        }
        let (handle, requests) = match self.revision.era() {
            Era::Modern => {
                let method = Method::Listen.as_str();
                let handle = self.send(Kind::LISTEN, method, options.patience(), now, |w, _| {
                    filter.write(w);
                    Ok(())
                })?;
                (handle, 1)
            }
            #[cfg(feature = "legacy")]
            Era::Legacy => self.subscribe(filter.uris, options, now)?,
            #[cfg(not(feature = "legacy"))]
            Era::Legacy => return Err(Refused::Unsupported),
        };
        let begun = requests == 0;
        let listen = Listen { handle, requests, waiting: requests, begun, ended: None, notice_due: false, told: false };
        self.listens.push(listen).map(|()| handle).map_err(|_| Refused::TableFull)
    }

    /// Closes a subscription; [`Happened::ListenEnded`] follows. A legacy server is asked to unsubscribe from each of
    /// `uris`, which are those of the filter.
    ///
    /// # Errors
    /// As [`call`](Engine::call); [`Refused::NothingHeld`] if it is not open.
    pub fn close_listen(&mut self, handle: RequestHandle, uris: &[&str], now: Instant) -> Result<(), Refused> {
        self.now = self.now.max(now);
        if !self.listens.iter().any(|listen| listen.handle == handle && listen.ended.is_none()) {
            return Err(Refused::NothingHeld);
        }
        let modern = self.revision.era() == Era::Modern;
        #[cfg(feature = "legacy")]
        if !modern {
            self.unsubscribe(uris)?;
        }
        #[cfg(not(feature = "legacy"))]
        let _ = uris;
        if let Some(listen) = self.listens.iter_mut().find(|listen| listen.handle == handle) {
            listen.begun = false;
            listen.ended = Some(ListenEnd::Closed);
            listen.notice_due = modern && !self.ended;
            self.pending.abandon_where(|id, tag| Kind::from_tag(tag).sort() == Kind::LISTEN && listen.has_request(id));
        }
        self.give_notices();
        Ok(())
    }

    pub(super) fn take_listen_report(&mut self) -> Option<Happened> {
        let listen = self.listens.iter_mut().find(|listen| listen.is_due())?;
        let handle = listen.handle;
        let Some(end) = listen.ended else {
            listen.begun = false;
            return Some(Happened::Acknowledged(handle));
        };
        // Its place is kept until the server has been told, too.
        listen.told = true;
        self.listens.retain(|listen| listen.notice_due || !listen.told);
        Some(Happened::ListenEnded(handle, end))
    }

    /// The server has been told that a subscription is closed.
    pub(super) fn listen_notice_given(&mut self, handle: RequestHandle) {
        let closed = self.listens.iter_mut().filter(|listen| listen.handle == handle);
        closed.for_each(|listen| listen.notice_due = false);
        self.listens.retain(|listen| listen.notice_due || !listen.told);
    }

    /// The open subscription with this name, unless it has ended for the caller.
    pub(crate) fn is_listening(&self, handle: RequestHandle) -> bool {
        self.listens.iter().any(|listen| listen.handle == handle && !listen.told)
    }

    pub(crate) fn remove_listen(&mut self, handle: RequestHandle) {
        self.listens.retain(|listen| listen.handle != handle);
    }

    /// Takes a subscription off the table by one of the requests that open it; the name it is known by.
    pub(super) fn forget_listen(&mut self, request: RequestHandle) -> RequestHandle {
        let Some(listen) = self.listens.iter().find(|listen| listen.is_opened_by(request)).cloned() else {
            return request;
        };
        self.remove_listen(listen.handle);
        self.pending.abandon_where(|id, tag| Kind::from_tag(tag).sort() == Kind::LISTEN && listen.has_request(id));
        listen.handle
    }

    /// A request that opens a subscription was answered by a result: in the modern era that is its end, in the legacy one its beginning.
    pub(super) fn listen_answered(&mut self, request: RequestHandle) -> Option<Happened> {
        if self.revision.era() == Era::Modern {
            let handle = self.forget_listen(request);
            return Some(Happened::ListenEnded(handle, ListenEnd::Graceful));
        }
        let listen = self.listens.iter_mut().find(|listen| listen.is_opened_by(request))?;
        listen.waiting = listen.waiting.saturating_sub(1);
        (listen.waiting == 0).then_some(Happened::Acknowledged(listen.handle))
    }

    /// It was answered by an error.
    pub(super) fn listen_refused(&mut self, request: RequestHandle) -> Option<Happened> {
        let handle = self.forget_listen(request);
        Some(Happened::Error(handle))
    }

    /// A result with an id that is not in flight: the end of a subscription, or nothing.
    pub(super) fn listen_finished(&mut self) -> Option<Happened> {
        let Some(handle) = self.inlet.member(slot::ID).and_then(|id| self.find_listen(id)) else {
            return ignored(Ignored::Unmatched);
        };
        self.remove_listen(handle);
        Some(Happened::ListenEnded(handle, ListenEnd::Graceful))
    }

    /// `notifications/subscriptions/acknowledged`.
    pub(super) fn acknowledged(&mut self) -> Option<Happened> {
        let id = self.inlet.member(slot::client::SUBSCRIPTION_ID);
        let Some((handle, tag)) = id.and_then(|id| self.pending.find(id)) else {
            return ignored(Ignored::UnknownSubscription);
        };
        if Kind::from_tag(tag).sort() != Kind::LISTEN || self.revision.era() != Era::Modern {
            return ignored(Ignored::UnknownSubscription);
        }
        // From here on it has no deadline, and its place is in the other table.
        self.pending.remove(handle);
        if let Some(listen) = self.listens.iter_mut().find(|listen| listen.handle == handle) {
            listen.waiting = 0;
        }
        Some(Happened::Acknowledged(handle))
    }

    /// `notifications/cancelled` from a modern server: it tears a subscription down.
    pub(super) fn torn_down(&mut self) -> Option<Happened> {
        let id = self.inlet.member(slot::client::REQUEST_ID);
        let Some(handle) = id.and_then(|id| self.find_listen(id)) else {
            return ignored(Ignored::UnknownSubscription);
        };
        self.remove_listen(handle);
        self.pending.remove(handle);
        Some(Happened::ListenEnded(handle, ListenEnd::TornDown))
    }

    /// A change. The one who sent it says for which subscription, if it is modern.
    pub(super) fn changed(&mut self, notification: Notification) -> Option<Happened> {
        let handle = match self.inlet.member(slot::client::SUBSCRIPTION_ID) {
            None => None,
            Some(id) => match self.find_listen(id).filter(|&handle| self.is_acknowledged(handle)) {
                None => return ignored(Ignored::UnknownSubscription),
                known => known,
            },
        };
        Some(match notification {
            Notification::ToolsChanged => Happened::Changed(handle, List::Tools),
            Notification::PromptsChanged => Happened::Changed(handle, List::Prompts),
            Notification::ResourcesChanged => Happened::Changed(handle, List::Resources),
            _ => Happened::Updated(handle),
        })
    }

    /// Nothing comes before the acknowledgement (2026-07-28, *Subscriptions*).
    fn is_acknowledged(&self, handle: RequestHandle) -> bool {
        self.listens.iter().any(|listen| listen.handle == handle && listen.waiting == 0)
    }

    /// The open modern subscription with this id.
    fn find_listen(&self, id: Value<'_>) -> Option<RequestHandle> {
        let id = Id::new(id)?.as_u32()?;
        let is_it = |listen: &&Listen| listen.handle.id() == id && listen.ended.is_none();
        let listen = self.listens.iter().find(is_it)?;
        (self.revision.era() == Era::Modern).then_some(listen.handle)
    }
}
