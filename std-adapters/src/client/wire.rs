//! [`ServerWire`].

use std::io;

use umcp::io::{Moved, Wire};
use umcp::time::Instant;

use crate::Interrupter;
use crate::http::client::HttpWire;
use crate::process::{CloseTimeouts, Closed, ProcessWire};

/// The way to a server, wherever it is.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServerWire {
    /// A process of its own.
    Process(ProcessWire),
    /// A server over HTTP.
    Http(HttpWire),
}

impl ServerWire {
    /// What ends a wait of this wire from another thread.
    #[must_use]
    pub fn interrupter(&self) -> Interrupter {
        match self {
            ServerWire::Process(wire) => wire.interrupter(),
            ServerWire::Http(wire) => wire.interrupter(),
        }
    }

    /// Ends a process, and says how that went; closes a stream.
    pub fn close(&mut self) -> Option<Closed> {
        match self {
            ServerWire::Process(wire) => Some(wire.close(CloseTimeouts::default())),
            ServerWire::Http(wire) => {
                wire.close_stream();
                None
            }
        }
    }

    /// The last that a process has written to its standard error.
    #[must_use]
    pub fn last_words(&self) -> String {
        match self {
            ServerWire::Process(wire) => wire.stderr_tail(),
            ServerWire::Http(_) => String::new(),
        }
    }
}

impl Wire for ServerWire {
    type Error = io::Error;

    fn now(&mut self) -> Instant {
        match self {
            ServerWire::Process(wire) => wire.now(),
            ServerWire::Http(wire) => wire.now(),
        }
    }

    fn transfer(&mut self, out: &[u8], into: &mut [u8], until: Instant) -> io::Result<Moved> {
        match self {
            ServerWire::Process(wire) => wire.transfer(out, into, until),
            ServerWire::Http(wire) => wire.transfer(out, into, until),
        }
    }

    fn open_stream(&mut self, until: Instant) -> io::Result<()> {
        match self {
            ServerWire::Process(_) => Ok(()),
            ServerWire::Http(wire) => wire.open_stream(until),
        }
    }

    fn close_stream(&mut self) {
        if let ServerWire::Http(wire) = self {
            wire.close_stream();
        }
    }

    fn errand(&mut self, post: &[u8], until: Instant) -> io::Result<bool> {
        match self {
            ServerWire::Process(_) => Ok(false),
            ServerWire::Http(wire) => wire.errand(post, until),
        }
    }
}
