//! How many bytes have passed, shown on a terminal while they do.

use std::io::{self, IsTerminal, Write as _};
use std::time::{Duration, Instant};

/// How often it is shown.
const TICK: Duration = Duration::from_millis(100);

/// A count of bytes.
pub(crate) struct Count {
    bytes: u64,
    /// How many there will be, if that is known.
    of: Option<u64>,
    shown: Option<Instant>,
    shows: bool,
}

impl Count {
    pub(crate) fn new(of: Option<u64>) -> Count {
        Count { bytes: 0, of, shown: None, shows: io::stderr().is_terminal() }
    }

    pub(crate) fn add(&mut self, count: usize) {
        self.bytes += count as u64;
        if self.shows && self.shown.is_none_or(|shown| shown.elapsed() >= TICK) {
            self.shown = Some(Instant::now());
            self.show();
        }
    }

    /// Shows it a last time, if it has been shown.
    pub(crate) fn end(&mut self) {
        if self.shown.take().is_some() {
            self.show();
            // Nothing can be done about a standard error that takes no more.
            let _ = writeln!(io::stderr().lock());
        }
    }

    fn show(&self) {
        let of = self.of.map(|of| format!(" of {of}")).unwrap_or_default();
        // Nothing can be done about a standard error that takes no more.
        let _ = write!(io::stderr().lock(), "\r{}{of} bytes", self.bytes);
    }
}
