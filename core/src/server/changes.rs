//! What has changed, and when: generation counters, so that news reaches every listener without a queue.

use heapless::Vec;

use crate::mcp::List;

/// How many different resources may change between two looks of a listener before it is told that all of its resources may have.
pub const MAX_RECENT_CHANGES: usize = 16;

/// Counts the changes of each list and of single resources. A subscription remembers how far it has told its peer;
/// whatever is newer is news to it. Repeated changes of one thing are told once.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    generation: u32,
    tools: u32,
    prompts: u32,
    resources: u32,
    /// The resources that changed last, by the hash of their URI, the latest last.
    recent: Vec<(u32, u32), MAX_RECENT_CHANGES, u8>,
    /// The generation of the latest change that is no longer in `recent`.
    forgotten: u32,
}

/// The oldest news for somebody who has seen everything up to some generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// A list changed in this generation.
    List(List, u32),
    /// Resources with this hash changed in this generation.
    Resource { hash: u32, generation: u32 },
    /// So much has changed that any resource may have, up to this generation.
    AnyResource { generation: u32 },
}

impl News {
    pub(crate) fn generation(self) -> u32 {
        match self {
            News::List(_, generation) | News::Resource { generation, .. } | News::AnyResource { generation } => {
                generation
            }
        }
    }
}

impl Changes {
    /// Nothing has changed yet.
    #[must_use]
    pub const fn new() -> Changes {
        Changes { generation: 0, tools: 0, prompts: 0, resources: 0, recent: Vec::new(), forgotten: 0 }
    }

    /// A list has changed. (Resources and their templates are one list to those who listen.)
    pub fn list(&mut self, list: List) {
        self.generation = self.generation.wrapping_add(1);
        match list {
            List::Tools => self.tools = self.generation,
            List::Prompts => self.prompts = self.generation,
            List::Resources | List::ResourceTemplates => self.resources = self.generation,
        }
    }

    /// What is to be read at `uri` has changed.
    pub fn resource(&mut self, uri: &str) {
        self.generation = self.generation.wrapping_add(1);
        let hash = hash(uri.as_bytes());
        self.recent.retain(|&(known, _)| known != hash);
        if self.recent.is_full() {
            let (_, oldest) = self.recent.remove(0);
            self.forgotten = oldest;
        }
        // There is room: one was removed if it was full.
        let _ = self.recent.push((hash, self.generation));
    }

    pub(crate) fn generation(&self) -> u32 {
        self.generation
    }

    /// The oldest news after `seen` that `wanted` lets through.
    pub(crate) fn after(&self, seen: u32, wanted: impl Fn(News) -> bool) -> Option<News> {
        if self.generation == seen {
            return None;
        }
        let mut oldest: Option<News> = None;
        let age = |news: News| news.generation().wrapping_sub(seen);
        let mut look = |news: News| {
            if is_after(news.generation(), seen) && oldest.is_none_or(|known| age(news) < age(known)) && wanted(news) {
                oldest = Some(news);
            }
        };
        look(News::List(List::Tools, self.tools));
        look(News::List(List::Prompts, self.prompts));
        look(News::List(List::Resources, self.resources));
        look(News::AnyResource { generation: self.forgotten });
        for &(hash, generation) in &self.recent {
            look(News::Resource { hash, generation });
        }
        oldest
    }
}

/// Is `a` later than `b`, on a counter that starts again?
fn is_after(a: u32, b: u32) -> bool {
    a != 0 && a.wrapping_sub(b).cast_signed() > 0
}

/// FNV-1a. Two resources with one hash merely wake each other's listeners.
pub(crate) fn hash(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;
    use std::vec::Vec as StdVec;

    fn all(changes: &Changes, mut seen: u32) -> StdVec<News> {
        let mut told = StdVec::new();
        while let Some(news) = changes.after(seen, |_| true) {
            seen = news.generation();
            told.push(news);
        }
        told
    }

    #[test]
    fn news_comes_in_order_and_once() {
        let mut changes = Changes::new();
        assert_eq!(all(&changes, 0), []);
        changes.resource("a:1");
        changes.list(List::Tools);
        changes.resource("a:1");
        let told = all(&changes, 0);
        assert_eq!(told, [News::List(List::Tools, 2), News::Resource { hash: hash(b"a:1"), generation: 3 }]);
        assert_eq!(all(&changes, 3), []);
        assert_eq!(changes.after(0, |news| matches!(news, News::List(List::Prompts, _))), None);
    }

    #[test]
    fn who_looks_away_for_long_is_told_that_anything_may_have_changed() {
        let mut changes = Changes::new();
        for n in 0..MAX_RECENT_CHANGES + 2 {
            changes.resource(&format!("a:{n}"));
        }
        assert_eq!(changes.after(0, |_| true), Some(News::AnyResource { generation: 2 }));
        assert_eq!(all(&changes, 2).len(), MAX_RECENT_CHANGES);
    }
}
