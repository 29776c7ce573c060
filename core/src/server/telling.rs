//! What tells listeners what has changed. The catalog refers to it only where something can change, so a program whose lists and resources stay as
//! they are is linked without it.

use crate::json::Value;

use super::catalog::Catalog;
use super::changes::Changes;
use super::endpoint::Endpoint;
#[cfg(feature = "legacy")]
use super::kind::Kind;
use super::operation::is_listenable;
use super::serve::Core;
use super::subscription::Filter;

pub(crate) struct Telling<A: 'static> {
    /// Writes the next notification that a listener waits for. `false`: there is none.
    tell: fn(&mut Core<'_>, &Changes) -> bool,
    /// Adds those of some URIs to a filter that listeners can be told about.
    pub(crate) add: fn(&mut Filter, Value<'_>, &Catalog<A>),
    /// `resources/subscribe` and `resources/unsubscribe`.
    #[cfg(feature = "legacy")]
    pub(crate) kind: &'static Kind<A>,
}

impl<A> core::fmt::Debug for Telling<A> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Telling")
    }
}

impl<A> Telling<A> {
    pub(crate) const ALL: &'static Telling<A> = &Telling {
        tell,
        add,
        #[cfg(feature = "legacy")]
        kind: Kind::SUBSCRIPTION,
    };
}

impl Core<'_> {
    /// Writes the next notification that a listener waits for. `false`: there is none.
    pub(crate) fn tell_news<A>(&mut self, endpoint: &Endpoint<A>) -> bool {
        endpoint.catalog.telling.is_some_and(|telling| (telling.tell)(self, &endpoint.changes))
    }
}

fn tell(core: &mut Core<'_>, changes: &Changes) -> bool {
    core.subscriptions.iter_mut().any(|subscription| subscription.tell(changes, &mut core.outbox))
}

fn add<A>(filter: &mut Filter, uris: Value<'_>, catalog: &Catalog<A>) {
    for uri in uris.items().filter(|&uri| is_listenable(uri, catalog)) {
        // One that does not fit is left out of the acknowledgement, which tells the client.
        filter.add(uri);
    }
}
