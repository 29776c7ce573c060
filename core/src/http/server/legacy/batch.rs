//! Batches, which only revision 2025-03-26 has: each reply is an event of one stream (2025-03-26, *Sending Messages to the Server*).

use super::super::connection::Connection;
use super::super::site::Site;
use crate::rpc::Arrival;
use crate::server::event::Happened;
use crate::server::legacy::Batch;
use crate::server::{Endpoint, Ignored};

impl Connection<'_> {
    /// Begins with the array that has arrived. `false`: it is none, or it is empty, or no batch is allowed.
    pub(in crate::http::server) fn begin_batch(&mut self, arrival: Arrival) -> bool {
        if arrival == Arrival::Array && self.core.session.allows_batches() {
            self.batch = Batch::new(&self.inbox);
        }
        self.batch.is_some()
    }

    pub(in crate::http::server) fn is_in_batch(&self) -> bool {
        self.batch.is_some() && self.core.outbox.is_empty() && self.core.job.is_none()
    }

    /// Serves the next item, behind whose reply the connection comes back here. `None`: that was the last.
    pub(in crate::http::server) fn go_on_with_batch<A>(
        &mut self,
        site: &mut Site<'_>,
        endpoint: &mut Endpoint<A>,
        app: &mut A,
    ) -> Option<Happened> {
        let mut batch = self.batch?;
        let served = batch.serve_next(&mut self.core, &mut self.inbox, endpoint, app);
        self.batch = served.map(|_| batch);
        match served {
            None => {
                self.leave_session(site, Happened::Nothing);
                self.set_status();
            }
            // The answer to a question that was asked on another connection.
            Some(Happened::Ignored(Ignored::Response)) => {}
            Some(_) if !self.core.outbox.is_empty() => self.core.status = 200,
            Some(_) => {}
        }
        served
    }
}
