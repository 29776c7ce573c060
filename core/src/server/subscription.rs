//! Open subscriptions of one connection.

use heapless::{Vec, VecView};

use crate::json::{Value, Writer};
use crate::mcp::{List, Notification, SUBSCRIPTION_ID};
use crate::rpc::{Id, KeptId, Outbox};

use super::changes::{Changes, News, hash};

/// Room for the URIs of one subscription, in bytes of canonical JSON text with one byte more for each.
pub const MAX_SUBSCRIPTION_URIS: usize = 256;

/// One open `subscriptions/listen`, or, on a legacy connection, all that it is subscribed to.
/// The caller lends a vector of these; its capacity bounds how many may be open.
#[derive(Clone, Debug)]
pub struct Subscription {
    /// The id of the listen request; none on a legacy connection.
    pub(crate) id: Option<KeptId>,
    pub(crate) filter: Filter,
    seen: u32,
    /// While every resource is being told about: how many have been.
    sweep: Option<u8>,
}

/// What is listened to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    pub(crate) tools: bool,
    pub(crate) prompts: bool,
    pub(crate) resources: bool,
    /// URIs as quoted JSON text, each ended by a newline, which canonical text never contains.
    uris: Vec<u8, MAX_SUBSCRIPTION_URIS, u16>,
}

impl Filter {
    /// Adds a URI, as its JSON text. `false`: there is no room for it.
    pub(crate) fn add(&mut self, uri: Value<'_>) -> bool {
        if self.uris().any(|known| known == uri.raw()) {
            return true;
        }
        let room = self.uris.capacity() - self.uris.len();
        room > uri.raw().len() && self.uris.extend_from_slice(uri.raw()).is_ok() && self.uris.push(b'\n').is_ok()
    }

    /// Removes a URI.
    #[cfg(feature = "legacy")]
    pub(crate) fn remove(&mut self, uri: Value<'_>) {
        let mut kept: Vec<u8, MAX_SUBSCRIPTION_URIS, u16> = Vec::new();
        for known in self.uris().filter(|&known| known != uri.raw()) {
            // What fitted before fits again.
            let _ = kept.extend_from_slice(known);
            let _ = kept.push(b'\n');
        }
        self.uris = kept;
    }

    pub(crate) fn uris(&self) -> impl Iterator<Item = &[u8]> {
        self.uris.split(|&byte| byte == b'\n').filter(|uri| !uri.is_empty())
    }

    fn wants(&self, news: News) -> bool {
        match news {
            News::List(List::Tools, _) => self.tools,
            News::List(List::Prompts, _) => self.prompts,
            News::List(_, _) => self.resources,
            News::Resource { hash, .. } => self.by_hash(hash).is_some(),
            News::AnyResource { .. } => !self.uris.is_empty(),
        }
    }

    fn by_hash(&self, wanted: u32) -> Option<&[u8]> {
        self.uris().find(|uri| hash(unquoted(uri)) == wanted)
    }

    /// Writes the filter object: only what is `true` or not empty.
    pub(crate) fn write(&self, w: &mut Writer<'_>) {
        w.begin_object();
        for (name, wanted) in [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ] {
            if wanted {
                w.member_bool(name, true);
            }
        }
        if !self.uris.is_empty() {
            w.key("resourceSubscriptions").begin_array();
            for uri in self.uris() {
                w.raw(uri);
            }
            w.end_array();
        }
        w.end_object();
    }
}

/// The text that [`Changes::resource`] is given for this URI. (An escaped URI is none.)
fn unquoted(uri: &[u8]) -> &[u8] {
    match uri {
        [b'"', text @ .., b'"'] => text,
        other => other,
    }
}

impl Subscription {
    fn new(id: Option<KeptId>, changes: &Changes) -> Subscription {
        Subscription { id, filter: Filter::default(), seen: changes.generation(), sweep: None }
    }

    /// Writes the next notification that its client waits for. `false`: there is none.
    pub(crate) fn tell(&mut self, changes: &Changes, outbox: &mut Outbox<'_>) -> bool {
        let Some(due) = self.news(changes) else {
            self.catch_up(changes);
            return false;
        };
        let id = self.id.as_ref().map(|id| id.id());
        let news = due.news;
        // One that does not even fit an empty buffer cannot be told at all.
        let _ = outbox.message(|w| due.write(w, id));
        self.told(news);
        true
    }

    /// Writes the notification that is due next, if one is. [`told`](Subscription::told) must follow once it has left.
    pub(crate) fn news(&self, changes: &Changes) -> Option<Due<'_>> {
        let news = changes.after(self.seen, |news| self.filter.wants(news))?;
        Some(match news {
            News::List(List::Tools, _) => Due { notification: Notification::ToolsChanged, uri: None, news },
            News::List(List::Prompts, _) => Due { notification: Notification::PromptsChanged, uri: None, news },
            News::List(_, _) => Due { notification: Notification::ResourcesChanged, uri: None, news },
            News::Resource { hash, .. } => {
                Due { notification: Notification::ResourceUpdated, uri: self.filter.by_hash(hash), news }
            }
            News::AnyResource { .. } => {
                let uri = self.filter.uris().nth(usize::from(self.sweep.unwrap_or(0)));
                Due { notification: Notification::ResourceUpdated, uri, news }
            }
        })
    }

    /// The news has been told.
    pub(crate) fn told(&mut self, news: News) {
        if let News::AnyResource { .. } = news {
            let next = self.sweep.unwrap_or(0).saturating_add(1);
            if usize::from(next) < self.filter.uris().count() {
                self.sweep = Some(next);
                return;
            }
        }
        self.sweep = None;
        self.seen = news.generation();
    }

    /// Nothing it wants is new: it need not look at what is old again.
    pub(crate) fn catch_up(&mut self, changes: &Changes) {
        self.seen = changes.generation();
    }
}

/// A notification that is due.
#[derive(Debug)]
pub(crate) struct Due<'a> {
    notification: Notification,
    uri: Option<&'a [u8]>,
    pub(crate) news: News,
}

impl Due<'_> {
    /// Writes it, for the subscription with this id (none on a legacy connection).
    pub(crate) fn write(&self, w: &mut Writer<'_>, subscription: Option<Id<'_>>) {
        w.literal(r#"{"jsonrpc":"2.0","method":""#).literal(self.notification.as_str()).literal("\"");
        if self.uri.is_some() || subscription.is_some() {
            w.literal(r#","params":"#).begin_object();
            if let Some(id) = subscription {
                w.key("_meta").begin_object().key(SUBSCRIPTION_ID).raw(id.raw()).end_object();
            }
            if let Some(uri) = self.uri {
                w.key("uri").raw(uri);
            }
            w.end_object();
        }
        w.literal("}");
    }
}

/// The subscriptions of one connection.
#[derive(Debug)]
pub(crate) struct Subscriptions<'b> {
    entries: &'b mut VecView<Subscription>,
}

impl<'b> Subscriptions<'b> {
    pub(crate) fn new(entries: &'b mut VecView<Subscription>) -> Subscriptions<'b> {
        entries.clear();
        Subscriptions { entries }
    }

    /// Opens one that listens to nothing yet. `None`: the table is full.
    pub(crate) fn open(&mut self, id: Option<KeptId>, changes: &Changes) -> Option<&mut Subscription> {
        self.entries.push(Subscription::new(id, changes)).ok()?;
        self.entries.last_mut()
    }

    /// Takes one in that was open elsewhere. Without room for it, it is forgotten.
    #[cfg(all(feature = "http", feature = "legacy"))]
    pub(crate) fn put_back(&mut self, subscription: Subscription) {
        let _ = self.entries.push(subscription);
    }

    pub(crate) fn is_full(&self) -> bool {
        self.entries.is_full()
    }

    /// Closes the one with this id. `false`: there is none.
    pub(crate) fn close(&mut self, id: Id<'_>) -> bool {
        let before = self.entries.len();
        self.entries.retain(|entry| entry.id.as_ref().is_none_or(|known| known.id() != id));
        self.entries.len() < before
    }

    pub(crate) fn contains(&self, id: Id<'_>) -> bool {
        self.entries.iter().any(|entry| entry.id.as_ref().is_some_and(|known| known.id() == id))
    }

    /// What the legacy side of this connection is subscribed to.
    #[cfg(feature = "legacy")]
    pub(crate) fn legacy(&mut self) -> Option<&mut Subscription> {
        self.entries.iter_mut().find(|entry| entry.id.is_none())
    }

    /// Takes that off the table.
    #[cfg(all(feature = "legacy", feature = "http"))]
    pub(crate) fn take_legacy(&mut self) -> Option<Subscription> {
        let index = self.entries.iter().position(|entry| entry.id.is_none())?;
        Some(self.entries.remove(index))
    }

    #[cfg(feature = "legacy")]
    pub(crate) fn close_legacy(&mut self) {
        self.entries.retain(|entry| entry.id.is_some());
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Subscription> {
        self.entries.iter_mut()
    }

    /// The id of the first listen request that is open.
    pub(crate) fn first_listen(&self) -> Option<Id<'_>> {
        self.entries.iter().find_map(|entry| entry.id.as_ref()).map(KeptId::id)
    }

    /// Takes it off the table.
    pub(crate) fn close_first_listen(&mut self) {
        let mut closed = false;
        self.entries.retain(|entry| {
            let is_first = !closed && entry.id.is_some();
            closed |= is_first;
            !is_first
        });
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }
}
