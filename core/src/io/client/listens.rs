//! Subscriptions.

use super::{Client, Failure, Outcome};
use crate::client::{Event, Happened, Host, ListenEnd, ListenFilter, Refused};
use crate::io::Wire;
use crate::rpc::RequestHandle;
use crate::time::Instant;

impl<W: Wire, H: Host> Client<'_, W, H> {
    /// Opens a subscription and waits until it is acknowledged; what of the filter the server agreed to is told to the host. What it then brings is
    /// [`next_notification`](Client::next_notification)'s, or the host's while something else is waited for.
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn listen(&mut self, filter: &ListenFilter<'_>) -> Outcome<RequestHandle, W> {
        let options = self.options;
        let handle = self.send(|conn, now| conn.listen(filter, options, now))?;
        loop {
            let next = self.next_of(handle);
            if let Err(Failure::Cancelled) = next
                && self.conn.close_listen(handle, &[], Instant::ZERO).is_ok()
            {
                self.say_farewell();
            }
            match next? {
                Some(happened @ Happened::Acknowledged(begun)) if begun == handle => {
                    self.tell(happened);
                    return Ok(handle);
                }
                Some(Happened::ListenEnded(ended, _)) if ended == handle => return Err(Failure::Closed),
                Some(other) => self.settle(other, handle).map(drop)?,
                None => {}
            }
        }
    }

    /// Opens subscriptions again on a new connection. `opened` is told each one's name. What they are about may have changed meanwhile
    /// without notice: fetch it again.
    ///
    /// # Errors
    /// As [`call`](Client::call); those opened before stay open.
    pub fn relisten(
        &mut self,
        filters: &[ListenFilter<'_>],
        mut opened: impl FnMut(&ListenFilter<'_>, RequestHandle),
    ) -> Outcome<(), W> {
        for filter in filters {
            opened(filter, self.listen(filter)?);
        }
        Ok(())
    }

    /// Waits for what a subscription brings: `Changed`, `Updated` or `ListenEnded`. `None`: nothing until `until`. Other
    /// events are the host's.
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn next_notification(&mut self, until: Instant) -> Outcome<Option<Event<'_>>, W> {
        let mut time_is_up = false;
        loop {
            match self.next(until)? {
                Some(found @ (Happened::Changed(..) | Happened::Updated(_) | Happened::ListenEnded(..))) => {
                    return Ok(Some(self.conn.event(found)));
                }
                Some(other) => self.tell(other),
                None if time_is_up => return Ok(None),
                // What came in the last moment is looked at, too.
                None => time_is_up = self.wire.now() >= until,
            }
        }
    }

    /// Closes a subscription, and waits until it is; `uris` are those of its filter.
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub fn close_listen(&mut self, handle: RequestHandle, uris: &[&str]) -> Outcome<(), W> {
        let until = self.wire.now() + self.options.timeout;
        loop {
            let now = self.wire.now();
            match self.conn.close_listen(handle, uris, now) {
                Err(Refused::Busy) => self.make_room(until)?,
                closed => break closed.map_err(Failure::Refused)?,
            }
        }
        loop {
            match self.next(Instant::NEVER)? {
                Some(Happened::ListenEnded(ended, ListenEnd::Closed)) if ended == handle => {
                    self.say_farewell();
                    return Ok(());
                }
                Some(other) => self.tell(other),
                None => {}
            }
        }
    }
}
