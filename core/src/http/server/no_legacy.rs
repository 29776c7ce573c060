//! Without the handshake revisions, a request is of no session, and no stream is taken up again.

use super::connection::Connection;
use super::refusal::Refusal;
use super::site::Site;
use crate::frame::http::RequestEnd;
use crate::rpc::Arrival;
use crate::server::Endpoint;
use crate::server::event::Happened;

/// A batch; there are none.
#[derive(Clone, Copy, Debug)]
pub(super) enum Batch {}

/// Names an event; there are none.
#[derive(Clone, Copy, Debug)]
pub(super) enum EventId {}

impl EventId {
    pub(super) fn text(self) -> heapless::Vec<u8, 1, u8> {
        match self {}
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Tie;

impl Tie {
    pub(super) const NONE: Tie = Tie;

    pub(super) fn is_stream(self) -> bool {
        false
    }

    pub(super) fn keeps_events(self) -> bool {
        false
    }

    pub(super) fn is_detached(self) -> bool {
        false
    }

    pub(super) fn beginning(self) -> Option<EventId> {
        None
    }
}

impl Connection<'_> {
    pub(super) fn enter_session(&mut self, _: Arrival, _: &mut Site<'_>) -> Result<(), Refusal> {
        Ok(())
    }

    pub(super) fn peek_session(&mut self, _: &mut Site<'_>) {}

    pub(super) fn leave_session(&mut self, _: &mut Site<'_>, happened: Happened) -> Happened {
        happened
    }

    pub(super) fn begin_batch(&mut self, _: Arrival) -> bool {
        false
    }

    pub(super) fn is_in_batch(&self) -> bool {
        false
    }

    pub(super) fn go_on_with_batch<A>(&mut self, _: &mut Site<'_>, _: &mut Endpoint<A>, _: &mut A) -> Option<Happened> {
        None
    }

    pub(super) fn serve_session(&mut self, _: RequestEnd, _: &mut Site<'_>) -> Option<Result<(), Refusal>> {
        None
    }

    pub(super) fn go_on_in_session<A>(&mut self, _: &mut Site<'_>, _: &Endpoint<A>) -> Option<Option<Happened>> {
        None
    }

    pub(super) fn name_event(&mut self, _: &mut Site<'_>) -> Option<EventId> {
        None
    }

    pub(super) fn new_session_id<'s>(&self, _: &'s Site<'_>) -> Option<&'s str> {
        None
    }

    pub(super) fn untie(&mut self, _: &mut Site<'_>) {}

    pub(super) fn detach(&mut self) -> bool {
        false
    }

    pub(super) fn stream_is_to_end(&self) -> bool {
        false
    }

    pub(super) fn forget_stream(&mut self) {}
}
