//! What outlives one connection.

use crate::mcp::List;

use super::{Catalog, Changes};

/// One server, however many connections it has: its catalog, and what has changed since it began.
///
/// Modern requests need nothing of it but the catalog. Subscriptions on any connection see a change that is reported here,
/// so a tool called on one connection reaches a listener on another.
#[derive(Debug)]
pub struct Endpoint<A: 'static> {
    pub(crate) catalog: &'static Catalog<A>,
    pub(crate) changes: Changes,
    /// How many calls have been deferred: what makes a handle differ from all others, on all connections.
    pub(crate) deferred: u32,
}

impl<A> Endpoint<A> {
    /// An endpoint that offers this catalog.
    #[must_use]
    pub const fn new(catalog: &'static Catalog<A>) -> Endpoint<A> {
        Endpoint { catalog, changes: Changes::new(), deferred: 0 }
    }

    /// What it offers.
    #[must_use]
    pub fn catalog(&self) -> &'static Catalog<A> {
        self.catalog
    }

    /// Another number whenever a change has been reported, by a handler or otherwise: then those who listen have news to be told.
    #[must_use]
    pub fn generation(&self) -> u32 {
        self.changes.generation()
    }

    /// A list has changed; those who listen are told.
    pub fn list_changed(&mut self, list: List) {
        self.changes.list(list);
    }

    /// A resource has changed; those who listen are told. A handler calls `updated` on its call instead.
    pub fn resource_updated(&mut self, uri: &str) {
        self.changes.resource(uri);
    }
}
