//! What a caller decides before a connection begins, and for each request.

use crate::mcp::{ClientCapabilities, Level, Revision};
use crate::time::Duration;

/// Who the client is and how it behaves. Start from [`new`](Config::new) and change what differs.
#[derive(Clone, Copy, Debug)]
pub struct Config<'b> {
    /// The program's name, for the server's logs.
    pub name: &'b str,
    /// The program's version.
    pub version: &'b str,
    /// The program's name as people know it. Default: none.
    pub title: Option<&'b str>,
    /// What the client can do for a server. Default: nothing. Whoever declares something answers it:
    /// [`Event::InputRequired`](super::Event::InputRequired) (modern), `Event::Request` (legacy).
    pub capabilities: ClientCapabilities,
    /// Ask for log messages of this severity and above with each modern request. Default: none. (A legacy server is told
    /// with [`set_level`](super::Engine::set_level).)
    pub log_level: Option<Level>,
    /// How long to wait for an answer to the probe before the server is taken for a legacy one. Default: 5 s.
    pub probe_timeout: Duration,
    /// How long to wait for the answer to `initialize`. Default: 30 s.
    pub timeout: Duration,
    /// What an earlier connection to this server found out, to spare the probe. Default: unknown.
    pub verdict: Option<Verdict>,
    /// The revision offered in `initialize`; the server may choose another legacy one. Default: 2025-11-25.
    pub legacy_revision: Revision,
}

impl<'b> Config<'b> {
    /// The defaults, for a client of this name and version.
    #[must_use]
    pub const fn new(name: &'b str, version: &'b str) -> Config<'b> {
        Config {
            name,
            version,
            title: None,
            capabilities: ClientCapabilities::NONE,
            log_level: None,
            probe_timeout: Duration::from_secs(5),
            timeout: Duration::from_secs(30),
            verdict: None,
            legacy_revision: Revision::LATEST_LEGACY,
        }
    }
}

/// How a server wants to be spoken to, as found out by a probe. It may be saved and handed in with [`Config::verdict`].
///
/// A legacy verdict that no longer holds is noticed (the server refuses `initialize`) and the server is probed; a modern
/// one that no longer holds shows as errors to ordinary requests: drop it and connect again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Verdict {
    /// It speaks 2026-07-28: no handshake.
    Modern,
    /// It wants `initialize`.
    Legacy,
}

/// How one request is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How long to wait for the answer, or, with [`max_timeout`](Options::max_timeout), for the next sign of progress. Default: 30 s.
    /// [`Duration::MAX`] is for ever.
    pub timeout: Duration,
    /// Progress starts the timeout again, up to this long after the request left. Default: it does not.
    pub max_timeout: Option<Duration>,
    /// Ask for progress notifications. Default: no.
    pub progress: bool,
    /// Have the elements of the lists in the result (`tools`, `resources`, `resourceTemplates`, `prompts`, `contents`, `content`,
    /// `messages`, `roots`) told one by one as they arrive, by [`Event::Item`](super::Event::Item), whatever the length of the message: one
    /// element and what else is in the result have to fit the receive buffer, the message has not. Default: no, the result is told as a whole.
    ///
    /// Each piece counts as a sign of progress for [`max_timeout`](Options::max_timeout).
    pub items: bool,
}

impl Options {
    /// The defaults.
    pub const DEFAULT: Options =
        Options { timeout: Duration::from_secs(30), max_timeout: None, progress: false, items: false };
}

impl Default for Options {
    fn default() -> Options {
        Options::DEFAULT
    }
}
