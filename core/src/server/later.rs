//! What the application says later about calls that were deferred.

use crate::json::{Decimal, Writer};
use crate::mcp::Level;
use crate::time::{Duration, Instant};

use super::deferred::{CallHandle, NotOpen};
use super::exchange::{Exchange, Outcome, write_log, write_progress};
use super::job::Job;
use super::reply::Reply;
use super::request::Request;
use super::{Connection, Endpoint};

/// The least time between two reports of progress on one deferred call. More frequent ones are left out, so that a busy handler does not flood the wire.
pub const MIN_PROGRESS_INTERVAL: Duration = Duration::from_millis(5);

impl Connection<'_> {
    /// Is this call still wanted?
    #[must_use]
    pub fn is_open(&mut self, call: CallHandle) -> bool {
        self.core.deferred.get(call).is_some()
    }

    /// Tells how far a deferred call has come, if its caller asked. `Ok(false)`: it was not told, because nobody asked, the value does
    /// not increase, or the last report was less than [`MIN_PROGRESS_INTERVAL`] ago.
    ///
    /// # Errors
    /// [`NotOpen::Ended`]: the call was cancelled; stop. [`NotOpen::Busy`]: drain `transmit` first.
    pub fn progress(
        &mut self,
        call: CallHandle,
        progress: Decimal,
        total: Option<Decimal>,
        message: Option<&str>,
        now: Instant,
    ) -> Result<bool, NotOpen> {
        let idle = self.is_idle();
        let entry = self.core.deferred.get(call).ok_or(NotOpen::Ended)?;
        let Some(token) = &entry.token else {
            return Ok(false);
        };
        let increases = entry.progress.is_none_or(|last| progress > last);
        let due = entry.progress_at.is_none_or(|last| now.since(last) >= MIN_PROGRESS_INTERVAL);
        if !increases || !due {
            return Ok(false);
        }
        if !idle {
            return Err(NotOpen::Busy);
        }
        let (token, revision) = (token.id(), entry.revision);
        let told = self.core.outbox.message(|w| write_progress(w, token, revision, progress, total, message)).is_ok();
        entry.progress = Some(progress);
        entry.progress_at = Some(now);
        Ok(told)
    }

    /// Writes a log message for a deferred call, if it asked for messages of this level. `Ok(false)`: it did not.
    ///
    /// # Errors
    /// [`NotOpen::Ended`]: the call was cancelled; stop. [`NotOpen::Busy`]: drain `transmit` first.
    pub fn log(&mut self, call: CallHandle, level: Level, logger: &str, text: &str) -> Result<bool, NotOpen> {
        let idle = self.is_idle();
        let entry = self.core.deferred.get(call).ok_or(NotOpen::Ended)?;
        if entry.level.is_none_or(|least| level < least) {
            return Ok(false);
        }
        if !idle {
            return Err(NotOpen::Busy);
        }
        let data = |w: &mut Writer<'_>| {
            w.string(text);
        };
        Ok(self.core.outbox.message(|w| write_log(w, level, logger, data)).is_ok())
    }

    /// Answers a deferred call. If what `reply` returns is an error, the caller is told that instead.
    ///
    /// # Errors
    /// `reply` has not run then. [`NotOpen::Ended`]: the call was cancelled, or completed before; forget it. [`NotOpen::Busy`]: drain `transmit`,
    /// and complete it again; with [`is_idle`](Connection::is_idle) this does not happen.
    pub fn complete<A>(
        &mut self,
        endpoint: &mut Endpoint<A>,
        call: CallHandle,
        reply: impl FnOnce(Reply<'_>) -> Outcome,
    ) -> Result<(), NotOpen> {
        let idle = self.is_idle();
        let entry = self.core.deferred.get(call).ok_or(NotOpen::Ended)?;
        if !idle {
            return Err(NotOpen::Busy);
        }
        self.core.answered = false;
        let era = entry.revision.era();
        let id = entry.id.clone();
        let exchange = Exchange {
            limit: self.core.outbox.limit(),
            pen: self.core.outbox.pen(),
            id: id.id(),
            request: Request {
                method: entry.method,
                revision: entry.revision,
                level: entry.level,
                principal: entry.principal,
            },
            token: entry.token.as_ref().map(|token| token.id()),
            parts: None,
            declared: Default::default(),
            info: &endpoint.catalog.info,
            changes: &mut endpoint.changes,
            deferred: None,
            progress: entry.progress,
            quiet: false,
            cache: entry.cache,
            answered: &mut self.core.answered,
            fits: true,
        };
        match reply(Reply::new(exchange)) {
            _ if self.core.answered => self.core.deferred.close(call),
            Ok(_) => self.core.deferred.close(call),
            // It keeps its place in the table, and with it its id, until the error has left.
            Err(fault) => {
                self.core.start(Job::call_refusal(fault, era, call), self.inbox.text(), endpoint.catalog);
            }
        }
        Ok(())
    }
}
