//! [`Settings`].

use std::fmt;

use umcp::client::{Host, Verdict};
use umcp::mcp::ClientCapabilities;
use umcp::time::Duration;

use super::millis;
use crate::process::Stderr;

/// Who a client is, and how it behaves: what [`Process::connect_with`](crate::Process::connect_with) and
/// [`Remote::connect_with`](crate::http::client::Remote::connect_with) are given.
pub struct Settings {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) capabilities: ClientCapabilities,
    pub(crate) timeout: Duration,
    pub(super) max_timeout: Option<Duration>,
    pub(super) probe_timeout: Duration,
    pub(super) verdict: Option<Verdict>,
    pub(super) receive_buffer: usize,
    pub(super) transmit_buffer: usize,
    pub(crate) host: Box<dyn Host + Send>,
    pub(super) progress: bool,
    pub(super) stderr: Option<Stderr>,
}

impl Settings {
    /// The defaults, for a client of this name and version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Settings {
        Settings {
            name: name.into(),
            version: version.into(),
            capabilities: ClientCapabilities::NONE,
            timeout: Duration::from_secs(30),
            max_timeout: None,
            probe_timeout: Duration::from_secs(5),
            verdict: None,
            receive_buffer: 4 << 20,
            transmit_buffer: 256 << 10,
            host: Box::new(()),
            progress: false,
            stderr: None,
        }
    }

    /// How long to wait for each answer; by default 30 s.
    #[must_use]
    pub fn timeout(mut self, timeout: std::time::Duration) -> Settings {
        self.timeout = millis(timeout);
        self
    }

    /// How long an answer may take in all, while it arrives or its progress is reported, each of which begins [`timeout`](Settings::timeout) anew.
    /// By default no longer than that.
    #[must_use]
    pub fn max_timeout(mut self, timeout: std::time::Duration) -> Settings {
        self.max_timeout = Some(millis(timeout));
        self
    }

    /// How long to wait for an answer to the probe before the server is taken for a legacy one; by default 5 s.
    #[must_use]
    pub fn probe_timeout(mut self, timeout: std::time::Duration) -> Settings {
        self.probe_timeout = millis(timeout);
        self
    }

    /// What an earlier connection found out ([`Client::verdict`](super::Client::verdict)), to spare the probe.
    #[must_use]
    pub fn verdict(mut self, verdict: Verdict) -> Settings {
        self.verdict = Some(verdict);
        self
    }

    /// The longest message from the server and to it, in bytes; by default 4 MiB and 256 KiB. It is memory that is touched only as far as it is used.
    #[must_use]
    pub fn buffers(mut self, receive: usize, transmit: usize) -> Settings {
        (self.receive_buffer, self.transmit_buffer) = (receive, transmit);
        self
    }

    /// Where a server process writes what is no message, instead of what its [`Process`](crate::Process) says.
    #[must_use]
    pub fn stderr(mut self, stderr: Stderr) -> Settings {
        self.stderr = Some(stderr);
        self
    }

    /// Who is told of progress, logs and changes, and answers what the server asks; `capabilities` says what it can answer. With a host,
    /// every call asks for progress. A legacy server over HTTP may also turn to it while no call is waited for: from another thread.
    #[must_use]
    pub fn host(mut self, host: impl Host + Send + 'static, capabilities: ClientCapabilities) -> Settings {
        self.host = Box::new(host);
        self.progress = true;
        self.capabilities = capabilities;
        self
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("name", &self.name).field("version", &self.version).finish_non_exhaustive()
    }
}
