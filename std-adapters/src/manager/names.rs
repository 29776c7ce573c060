//! Whose a name is.

use std::collections::BTreeMap;
use std::sync::Arc;

use umcp::mcp::List;

use super::error::ManagerError;
use super::kept::{Kept, fetch};
use super::slot::{Age, Slot};
use super::{Listed, Listing, Shared};

/// What stands between a server's name and what it has, where several servers have one of that name: `SERVER/NAME`. No tool has it in its name
/// (2026-07-28, *Tool Names*); a server's name may.
pub const SEPARATOR: char = '/';

/// Whose something is, and what it is called there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The server.
    pub server: String,
    /// The name that the server knows.
    pub name: String,
}

type Lists = Vec<(String, Result<Arc<Kept>, ManagerError>)>;

impl Shared {
    pub(super) fn list(&self, list: List, age: Age) -> Listing {
        listing(self.lists(list, age))
    }

    pub(super) fn find(&self, list: List, name: &str) -> Result<Found, ManagerError> {
        match self.find_aged(list, name, Age::Known) {
            // A list that was thought to be good may be behind the times.
            Err(ManagerError::Unknown { .. }) if list == List::Tools => self.find_aged(list, name, Age::Fresh),
            found => found,
        }
    }

    fn find_aged(&self, list: List, name: &str, age: Age) -> Result<Found, ManagerError> {
        if let Some(found) = self.find_qualified(list, name, age)? {
            return Ok(found);
        }
        let lists = self.lists(list, age);
        let owners = lists.iter().filter(|(_, list)| list.as_ref().is_ok_and(|list| list.has(name)));
        let owners: Vec<&str> = owners.map(|(server, _)| server.as_str()).collect();
        match owners.as_slice() {
            [server] => Ok(Found { server: (*server).to_owned(), name: name.to_owned() }),
            [] => {
                let problems = lists.into_iter().filter_map(|(_, list)| list.err()).collect();
                Err(ManagerError::Unknown { list, name: name.to_owned(), problems })
            }
            several => {
                let choices = several.iter().map(|server| qualified(server, name)).collect();
                Err(ManagerError::Ambiguous { name: name.to_owned(), choices })
            }
        }
    }

    /// A name that begins with a server's: no other server is asked. Where several servers' names fit, the longest goes first.
    fn find_qualified(&self, list: List, name: &str, age: Age) -> Result<Option<Found>, ManagerError> {
        let rest = |server: &str| name.strip_prefix(server)?.strip_prefix(SEPARATOR).map(str::to_owned);
        let mut fitting: Vec<(&str, String)> =
            self.names.iter().filter_map(|server| Some((server.as_str(), rest(server)?))).collect();
        fitting.sort_by_key(|(server, _)| std::cmp::Reverse(server.len()));
        for (server, name) in fitting {
            // No URI begins like this, and not every resource is in a list: there are templates.
            let is_listed = || Ok::<_, ManagerError>(self.list_of(self.slot(server)?, list, age)?.has(&name));
            if list == List::Resources || is_listed()? {
                return Ok(Some(Found { server: server.to_owned(), name }));
            }
        }
        Ok(None)
    }

    fn lists(&self, list: List, age: Age) -> Lists {
        self.each(|slot| self.list_of(slot, list, age))
    }

    fn list_of(&self, slot: &Slot, list: List, age: Age) -> Result<Arc<Kept>, ManagerError> {
        match list {
            List::Tools => slot.tools(&*self.settings, &self.saved, age),
            _ => slot.ask(&*self.settings, |client| fetch(client, list)).map(Arc::new),
        }
    }
}

fn listing(lists: Lists) -> Listing {
    let mut owners: BTreeMap<String, usize> = BTreeMap::new();
    for (_, list) in &lists {
        let mut names: Vec<&str> = list.iter().flat_map(|list| &list.entries).map(|entry| entry.name()).collect();
        names.sort_unstable();
        names.dedup();
        names.iter().for_each(|name| *owners.entry((*name).to_owned()).or_default() += 1);
    }
    let mut listing = Listing::default();
    for (server, list) in lists {
        match list {
            Ok(list) => listing.entries.extend(list.entries.iter().map(|entry| {
                let shared = owners.get(entry.name()).is_some_and(|&owners| owners > 1);
                let name = if shared { qualified(&server, entry.name()) } else { entry.name().to_owned() };
                Listed { name, server: server.clone(), entry: entry.clone() }
            })),
            Err(problem) => listing.problems.push(problem),
        }
    }
    listing
}

fn qualified(server: &str, name: &str) -> String {
    format!("{server}{SEPARATOR}{name}")
}
