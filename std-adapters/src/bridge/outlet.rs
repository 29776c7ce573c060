//! The side of the server.

mod exchange;
mod remote;
mod wire;

use std::os::fd::BorrowedFd;
use std::process::ExitStatus;

use umcp::time::{Duration, Instant};

use super::limits::Limits;
use super::router::{Key, Router};
use crate::http::client::Remote;
use crate::process::SpawnError;
use crate::{Address, Interrupter, Process};

use remote::RemoteOutlet;
use wire::WireOutlet;

/// Where the server is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Server {
    /// It is started, and speaks over its pipes. What it writes to its standard error is passed on to ours, unless the process says otherwise.
    Process(Process),
    /// It is there, and speaks on a line.
    Line(Address),
    /// It is reached over Streamable HTTP, one stream and, while that is open, one thread a message.
    ///
    /// What only whoever knows the tools could send, `Mcp-Param-*` headers, is not sent: a server that asks for such headers refuses those calls. The transport of
    /// 2024-11-05, with its two endpoints, is not spoken.
    Http(Remote),
}

impl Server {
    /// It is not ours to start, and may be reset without a sign.
    pub(super) fn is_line(&self) -> bool {
        matches!(self, Server::Line(_))
    }
}

pub(super) enum Outlet {
    Wire(Box<WireOutlet>),
    Http(Box<RemoteOutlet>),
}

impl Outlet {
    /// `again`: a process that ends is started again. A line is opened again in any case.
    pub(super) fn new(server: Server, name: String, limits: Limits, again: bool, wake: Interrupter) -> Outlet {
        match server {
            Server::Http(remote) => Outlet::Http(Box::new(RemoteOutlet::new(remote, limits, wake))),
            server => Outlet::Wire(Box::new(WireOutlet::new(server, name, limits, again, wake))),
        }
    }

    /// Opens it for the first time. A line that cannot be opened is tried again; a process that cannot be started is an error.
    pub(super) fn begin(&mut self, router: &mut Router, now: Instant) -> Result<(), SpawnError> {
        match self {
            Outlet::Wire(outlet) => outlet.begin(router, now),
            Outlet::Http(_) => {
                router.opened(now);
                Ok(())
            }
        }
    }

    pub(super) fn push(&mut self, text: &[u8], call: Option<Key>, router: &mut Router, now: Instant) {
        match self {
            Outlet::Wire(outlet) => outlet.push(text, call),
            Outlet::Http(outlet) => outlet.push(text, call, router, now),
        }
    }

    /// Whether clients have to wait before they say more.
    pub(super) fn is_full(&self) -> bool {
        match self {
            Outlet::Wire(outlet) => outlet.is_full(),
            Outlet::Http(outlet) => outlet.is_full(),
        }
    }

    pub(super) fn is_flushed(&self) -> bool {
        match self {
            Outlet::Wire(outlet) => outlet.is_flushed(),
            Outlet::Http(outlet) => outlet.is_flushed(),
        }
    }

    /// A process ends by itself when it has been told that nothing more comes.
    pub(super) fn is_process(&self) -> bool {
        matches!(self, Outlet::Wire(outlet) if !outlet.is_line())
    }

    /// How the server ended, if it has for good.
    pub(super) fn is_over(&self) -> Option<Option<ExitStatus>> {
        match self {
            Outlet::Wire(outlet) => outlet.is_over(),
            Outlet::Http(_) => None,
        }
    }

    /// What to wait for: what can be read from, and what is to be written to. `reads`: what it says can be passed on.
    pub(super) fn ends(&self, reads: bool) -> (Option<BorrowedFd<'_>>, Option<BorrowedFd<'_>>) {
        match self {
            Outlet::Wire(outlet) => outlet.ends(reads),
            Outlet::Http(_) => (None, None),
        }
    }

    pub(super) fn wakes_at(&self) -> Instant {
        match self {
            Outlet::Wire(outlet) => outlet.wakes_at(),
            Outlet::Http(outlet) => outlet.wakes_at(),
        }
    }

    /// Moves what can move.
    pub(super) fn transfer(&mut self, reads: bool, router: &mut Router, now: Instant) {
        if let Outlet::Wire(outlet) = self {
            outlet.transfer(reads, router, now);
        }
    }

    /// What comes from other threads, or with time.
    pub(super) fn tick(&mut self, reads: bool, router: &mut Router, now: Instant) {
        match self {
            Outlet::Wire(outlet) => outlet.tick(router, now),
            Outlet::Http(outlet) => outlet.tick(reads, router, now),
        }
    }

    /// Says that nothing more will come, once all has left.
    pub(super) fn finish(&mut self) {
        if let Outlet::Wire(outlet) = self {
            outlet.finish();
        }
    }

    /// Ends it: what is to be said may take `limit`.
    pub(super) fn close(self, limit: Duration) {
        match self {
            Outlet::Wire(outlet) => outlet.close(limit),
            Outlet::Http(outlet) => outlet.close(limit),
        }
    }
}
