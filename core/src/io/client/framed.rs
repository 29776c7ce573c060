//! The connection under a blocking client: an engine, whatever frames it.

#[cfg(feature = "legacy")]
use crate::client::ServerRequest;
use crate::client::{Connection, Engine, Event, Happened, NotTaken, Refused, Uploading};
#[cfg(feature = "http")]
use crate::http::client as http;
use crate::io::Link;
#[cfg(feature = "legacy")]
use crate::mcp::InputKind;
use crate::rpc::RequestHandle;
use crate::time::Instant;

/// An engine and its framing.
#[derive(Debug)]
#[cfg_attr(
    feature = "http",
    expect(
        clippy::large_enum_variant,
        reason = "one of them lives as long as the client, and there is no heap to put it on"
    )
)]
pub(super) enum Framed<'b> {
    Line(Connection<'b>),
    #[cfg(feature = "http")]
    Http(http::Connection<'b>),
}

/// The same done with either.
macro_rules! each {
    ($framed:expr, $conn:ident => $done:expr) => {
        match $framed {
            Framed::Line($conn) => $done,
            #[cfg(feature = "http")]
            Framed::Http($conn) => $done,
        }
    };
}

impl<'b> Framed<'b> {
    pub(super) fn engine(&self) -> &Engine<'b> {
        each!(self, conn => conn)
    }

    pub(super) fn advance(&mut self, now: Instant) -> Happened {
        each!(self, conn => conn.advance(now))
    }

    pub(super) fn event(&mut self, happened: Happened) -> Event<'_> {
        each!(self, conn => conn.event(happened))
    }

    /// The request of a legacy server that `advance` has just reported.
    #[cfg(feature = "legacy")]
    pub(super) fn server_request(&mut self, kind: InputKind) -> Option<ServerRequest<'_>> {
        each!(self, conn => conn.server_request(kind))
    }

    pub(super) fn result_mut(&mut self) -> &mut [u8] {
        each!(self, conn => conn.result_mut())
    }

    pub(super) fn poll_at(&self) -> Option<Instant> {
        each!(self, conn => conn.poll_at())
    }

    pub(super) fn link(&mut self) -> &mut dyn Link {
        each!(self, conn => conn)
    }

    pub(super) fn send<T>(&mut self, send: impl FnOnce(&mut Engine<'b>) -> Result<T, Refused>) -> Result<T, Refused> {
        match self {
            Framed::Line(conn) => send(conn),
            #[cfg(feature = "http")]
            Framed::Http(conn) => conn.send(send),
        }
    }

    pub(super) fn upload(&mut self, handle: RequestHandle) -> Result<Uploading<'_, 'b>, NotTaken> {
        each!(self, conn => conn.upload(handle))
    }

    pub(super) fn cancel(&mut self, handle: RequestHandle, reason: Option<&str>) -> bool {
        each!(self, conn => conn.cancel(handle, reason))
    }

    pub(super) fn close_listen(&mut self, handle: RequestHandle, uris: &[&str], now: Instant) -> Result<(), Refused> {
        each!(self, conn => conn.close_listen(handle, uris, now))
    }

    /// Does something wait to leave?
    pub(super) fn has_unsent(&self) -> bool {
        !self.engine().outbox.is_empty()
    }
}
