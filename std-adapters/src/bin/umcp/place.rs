//! Where a server is, and the wire to it.

use std::io;

use umcp::io::{Moved, Wire};
use umcp::time::Instant;
use umcp_std::http::client::{HttpWire, Remote};
use umcp_std::process::{CloseTimeouts, Closed, Stderr};
use umcp_std::{Address, Interrupter, LineWire, Process, ProcessWire};

use crate::exit::{CLOSED, Exit};

/// Where a server is.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// It is started, and speaks over its pipes.
    Process(Process),
    /// It is there, and speaks on a line.
    Line(Address),
    /// It is reached over HTTP.
    Http(Remote),
}

impl Place {
    /// Starts it, or opens the line to it. `stderr` is where a process writes what is no message.
    pub(crate) fn open(&self, stderr: Stderr) -> Result<AnyWire, Exit> {
        let refuse = |message: String| Exit::new(CLOSED, message);
        match self {
            Place::Process(process) => {
                let spawned = process.clone().stderr(stderr).spawn();
                spawned.map(AnyWire::Process).map_err(|error| refuse(error.to_string()))
            }
            Place::Http(remote) => remote.wire().map(AnyWire::Http).map_err(|error| refuse(error.to_string())),
            Place::Line(address) => address.open().map(AnyWire::Line).map_err(|error| refuse(error.to_string())),
        }
    }
}

/// The wire to a server, wherever it is.
#[derive(Debug)]
pub(crate) enum AnyWire {
    Process(ProcessWire),
    Line(LineWire),
    Http(HttpWire),
}

impl AnyWire {
    pub(crate) fn interrupter(&self) -> Interrupter {
        match self {
            AnyWire::Process(wire) => wire.interrupter(),
            AnyWire::Line(wire) => wire.interrupter(),
            AnyWire::Http(wire) => wire.interrupter(),
        }
    }

    /// Ends a process, and says how that went; a line is closed when this is dropped.
    pub(crate) fn close(&mut self) -> Option<Closed> {
        match self {
            AnyWire::Process(wire) => Some(wire.close(CloseTimeouts::default())),
            AnyWire::Line(wire) => {
                wire.close_write();
                None
            }
            AnyWire::Http(wire) => {
                wire.close_stream();
                None
            }
        }
    }

    /// The last that a process wrote to its standard error.
    pub(crate) fn stderr_tail(&self) -> String {
        match self {
            AnyWire::Process(wire) => wire.stderr_tail(),
            AnyWire::Line(_) | AnyWire::Http(_) => String::new(),
        }
    }
}

impl Wire for AnyWire {
    type Error = io::Error;

    fn now(&mut self) -> Instant {
        match self {
            AnyWire::Process(wire) => wire.now(),
            AnyWire::Line(wire) => wire.now(),
            AnyWire::Http(wire) => wire.now(),
        }
    }

    fn transfer(&mut self, out: &[u8], into: &mut [u8], until: Instant) -> io::Result<Moved> {
        match self {
            AnyWire::Process(wire) => wire.transfer(out, into, until),
            AnyWire::Line(wire) => wire.transfer(out, into, until),
            AnyWire::Http(wire) => wire.transfer(out, into, until),
        }
    }

    fn open_stream(&mut self, until: Instant) -> io::Result<()> {
        match self {
            AnyWire::Http(wire) => wire.open_stream(until),
            AnyWire::Process(_) | AnyWire::Line(_) => Ok(()),
        }
    }

    fn errand(&mut self, post: &[u8], until: Instant) -> io::Result<bool> {
        match self {
            AnyWire::Http(wire) => wire.errand(post, until),
            AnyWire::Process(_) | AnyWire::Line(_) => Ok(false),
        }
    }

    fn close_stream(&mut self) {
        if let AnyWire::Http(wire) = self {
            wire.close_stream();
        }
    }
}
