//! A list as a server gave it, and how long it may be kept.

use std::io::Error as IoError;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use umcp::io::Failure;
use umcp::json::Value;
use umcp::mcp::List;

use crate::{Borrowed, Entry};

/// The longest list that is taken from a server, in bytes of JSON; a longer one is an error, since it would be kept.
pub const LONGEST_LIST: usize = 16 << 20;

/// A list, with what the server said about keeping it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) entries: Vec<Entry>,
    /// When it was asked for.
    pub(super) since: SystemTime,
    /// For how long it is fresh. A legacy server does not say.
    pub(super) ttl: Option<Duration>,
    /// Whoever uses this computer may have it.
    pub(super) public: bool,
    /// It was saved by an earlier run.
    pub(super) saved: bool,
}

impl Kept {
    /// Whether it is fresh still (2026-07-28, *Caching*). A clock that was put back makes it stale.
    pub(super) fn is_fresh(&self, now: SystemTime) -> bool {
        let age = now.duration_since(self.since).ok();
        age.zip(self.ttl).is_some_and(|(age, ttl)| age < ttl)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.name() == name)
    }

    /// Whether it may be written to a file.
    pub(super) fn may_be_saved(&self) -> bool {
        self.public && !self.saved && self.ttl.is_some_and(|ttl| !ttl.is_zero())
    }
}

/// By what the entries of a list are asked for.
pub(super) fn key(list: List) -> &'static str {
    match list {
        List::Resources => "uri",
        List::ResourceTemplates => "uriTemplate",
        _ => "name",
    }
}

/// Asks a server for a list. One that does not offer any has an empty one.
pub(super) fn fetch(client: &mut Borrowed<'_>, list: List) -> Result<Kept, Failure<IoError>> {
    let features = client.features();
    let offered = match list {
        List::Tools => features.tools,
        List::Prompts => features.prompts,
        _ => features.resources,
    };
    let mut kept = Kept { entries: Vec::new(), since: now(), ttl: None, public: false, saved: false };
    if features.known && !offered {
        return Ok(kept);
    }
    let mut length = 0_usize;
    let mut hints = Hints::default();
    client.list_pages(
        list,
        |item| {
            length = length.saturating_add(item.raw().len());
            if length <= LONGEST_LIST {
                kept.entries.push(Entry::new(item, key(list)));
            }
        },
        |page| hints.take(page),
    )?;
    if length > LONGEST_LIST {
        return Err(Failure::TooLong { limit: LONGEST_LIST });
    }
    (kept.ttl, kept.public) = (hints.ttl.map(Duration::from_millis), hints.public == Some(true));
    Ok(kept)
}

/// What the pages of a list say about keeping it: it is fresh as long as all of them are, and public if all of them are.
#[derive(Debug, Default)]
struct Hints {
    ttl: Option<u64>,
    public: Option<bool>,
}

impl Hints {
    fn take(&mut self, page: Value<'_>) {
        // What is negative or no number is the same as 0.
        let ttl = page.get("ttlMs").map(|ttl| ttl.as_u64().unwrap_or(0));
        self.ttl = match self.public {
            None => ttl,
            Some(_) => Some(ttl.unwrap_or(0).min(self.ttl.unwrap_or(0))),
        };
        let public = page.get("cacheScope").is_some_and(|scope| scope.is_str("public"));
        self.public = Some(self.public.unwrap_or(true) && public);
    }
}

/// The time, in the whole milliseconds that are saved.
pub(super) fn now() -> SystemTime {
    at(millis(SystemTime::now()))
}

pub(super) fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

pub(super) fn at(millis: u64) -> SystemTime {
    UNIX_EPOCH.checked_add(Duration::from_millis(millis)).unwrap_or(UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hints_of_all_pages_count() {
        let table: &[(&[&str], Option<u64>, bool)] = &[
            (&[r#"{"ttlMs":5,"cacheScope":"public"}"#], Some(5), true),
            (&[r#"{"ttlMs":5,"cacheScope":"private"}"#], Some(5), false),
            (&[r#"{"ttlMs":5}"#], Some(5), false),
            (&["{}"], None, false),
            (&["{}", "{}"], Some(0), false),
            (&[r#"{"ttlMs":-1,"cacheScope":"public"}"#], Some(0), true),
            (&[r#"{"ttlMs":"5"}"#], Some(0), false),
            (&[r#"{"ttlMs":9,"cacheScope":"public"}"#, r#"{"ttlMs":5,"cacheScope":"public"}"#], Some(5), true),
            (&[r#"{"ttlMs":5,"cacheScope":"public"}"#, r#"{"ttlMs":9,"cacheScope":"private"}"#], Some(5), false),
            (&[r#"{"ttlMs":5,"cacheScope":"private"}"#, r#"{"ttlMs":9,"cacheScope":"public"}"#], Some(5), false),
            (&[r#"{"ttlMs":5,"cacheScope":"public"}"#, "{}"], Some(0), false),
        ];
        for (pages, ttl, public) in table {
            let mut hints = Hints::default();
            pages.iter().for_each(|page| hints.take(Value::new(page.as_bytes())));
            assert_eq!((hints.ttl, hints.public == Some(true)), (*ttl, *public), "{pages:?}");
        }
    }

    #[test]
    fn a_list_is_fresh_from_when_it_was_asked_for_until_its_time_is_up() {
        let table = [
            (Some(100), 0, true),
            (Some(100), 99, true),
            (Some(100), 100, false),
            (Some(0), 0, false),
            (None, 0, false),
            (Some(100), -1, false),
        ];
        for (ttl, age, fresh) in table {
            let since = at(1_000_000);
            let ttl = ttl.map(Duration::from_millis);
            let kept = Kept { entries: Vec::new(), since, ttl, public: true, saved: false };
            assert_eq!(kept.is_fresh(at(1_000_000_u64.saturating_add_signed(age))), fresh, "{ttl:?} {age}");
        }
    }
}
