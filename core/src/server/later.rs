//! The calls of one connection that are answered later: [`Calls`] without having to name it.

use crate::json::Decimal;
use crate::mcp::Level;
use crate::time::Instant;

use super::calls::{Calls, Desk};
use super::deferred::{CallHandle, NotOpen};
use super::exchange::Outcome;
use super::reply::Reply;
use super::{Connection, Endpoint};

impl Calls for Connection<'_> {
    fn at<R>(&mut self, call: CallHandle, work: impl FnOnce(Desk<'_, '_>) -> R) -> Option<R> {
        let idle = self.is_idle();
        self.core.deferred.get(call)?;
        Some(work(Desk { core: &mut self.core, idle }))
    }
}

impl Connection<'_> {
    /// [`Calls::is_open`].
    #[must_use]
    pub fn is_open(&mut self, call: CallHandle) -> bool {
        Calls::is_open(self, call)
    }

    /// [`Calls::progress`].
    ///
    /// # Errors
    /// [`NotOpen`] says why it was not told, and what to do.
    pub fn progress(
        &mut self,
        call: CallHandle,
        progress: Decimal,
        total: Option<Decimal>,
        message: Option<&str>,
        now: Instant,
    ) -> Result<bool, NotOpen> {
        Calls::progress(self, call, progress, total, message, now)
    }

    /// [`Calls::log`].
    ///
    /// # Errors
    /// [`NotOpen`] says why it was not written, and what to do.
    pub fn log(&mut self, call: CallHandle, level: Level, logger: &str, text: &str) -> Result<bool, NotOpen> {
        Calls::log(self, call, level, logger, text)
    }

    /// [`Calls::complete`]. With [`is_idle`](Connection::is_idle) it is not [`NotOpen::Busy`].
    ///
    /// # Errors
    /// [`NotOpen`] says why it was not answered, and what to do.
    pub fn complete<A>(
        &mut self,
        endpoint: &mut Endpoint<A>,
        call: CallHandle,
        reply: impl FnOnce(Reply<'_>) -> Outcome,
    ) -> Result<(), NotOpen> {
        Calls::complete(self, endpoint, call, reply)
    }
}
