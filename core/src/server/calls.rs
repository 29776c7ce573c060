//! What the application says later about calls that were deferred, whichever connection they came from.

use crate::json::{Decimal, Writer};
#[cfg(feature = "legacy")]
use crate::mcp::InputKind;
use crate::mcp::{Fault, Level, Method};
use crate::time::{Duration, Instant};

use super::Endpoint;
use super::deferred::{CallHandle, NotOpen};
use super::exchange::{Exchange, Outcome, write_log, write_progress};
use super::job::Job;
#[cfg(feature = "legacy")]
use super::legacy::AskError;
use super::reply::Reply;
use super::request::Request;
use super::serve::Core;
use super::stream::{Flow, Place, Stream};

/// The least time between two reports of progress on one deferred call. More frequent ones are left out, so that a busy handler does not flood the wire.
pub const MIN_PROGRESS_INTERVAL: Duration = Duration::from_millis(5);

/// Where deferred calls are open: one connection, or all the connections of a server. An application that is written against this does
/// not mind which wire its calls came over.
pub trait Calls {
    /// Gives `work` the place where this call is open. `None`: the call was cancelled, or completed before.
    fn at<R>(&mut self, call: CallHandle, work: impl FnOnce(Desk<'_, '_>) -> R) -> Option<R>;

    /// Is this call still wanted?
    fn is_open(&mut self, call: CallHandle) -> bool {
        self.at(call, |_| ()).is_some()
    }

    /// Tells how far a deferred call has come, if its caller asked. `Ok(false)`: it was not told, because nobody asked, the value does
    /// not increase, or the last report was less than [`MIN_PROGRESS_INTERVAL`] ago.
    ///
    /// # Errors
    /// [`NotOpen::Ended`]: the call was cancelled; stop. [`NotOpen::Busy`]: drain `transmit` first.
    fn progress(
        &mut self,
        call: CallHandle,
        progress: Decimal,
        total: Option<Decimal>,
        message: Option<&str>,
        now: Instant,
    ) -> Result<bool, NotOpen> {
        self.at(call, |desk| desk.progress(call, progress, total, message, now)).unwrap_or(Err(NotOpen::Ended))
    }

    /// Writes a log message for a deferred call, if it asked for messages of this level. `Ok(false)`: it did not.
    ///
    /// # Errors
    /// [`NotOpen::Ended`]: the call was cancelled; stop. [`NotOpen::Busy`]: drain `transmit` first.
    fn log(&mut self, call: CallHandle, level: Level, logger: &str, text: &str) -> Result<bool, NotOpen> {
        self.at(call, |desk| desk.log(call, level, logger, text)).unwrap_or(Err(NotOpen::Ended))
    }

    /// Answers a deferred call. If what `reply` returns is an error, the caller is told that instead.
    ///
    /// # Errors
    /// `reply` has not run then. [`NotOpen::Ended`]: the call was cancelled, or completed before; forget it. [`NotOpen::Busy`]: drain
    /// `transmit`, and complete it again.
    fn complete<A>(
        &mut self,
        endpoint: &mut Endpoint<A>,
        call: CallHandle,
        reply: impl FnOnce(Reply<'_>) -> Outcome,
    ) -> Result<(), NotOpen> {
        self.at(call, |desk| desk.complete(endpoint, call, reply)).unwrap_or(Err(NotOpen::Ended))
    }

    /// Writes the answer to a deferred call, or the next of it, as far as there is room: `write` is given the pen, and says whether there is more to
    /// come. So an answer of any length leaves through a small buffer, and what has no end in sight need not know it. Call it again until it is
    /// [`Flow::Done`]: whenever everything has left, and the application has more.
    ///
    /// From its first byte on, the answer has the wire to itself: on a line nothing else leaves before its end. If `write` returns an error, a tool's
    /// answer ends with `isError` and the reason; any other is broken off, and the client told.
    ///
    /// ```
    /// use umcp::mcp::Fault;
    /// use umcp::server::{Call, CallHandle, Calls, Endpoint, Flow, NotOpen, Outcome};
    ///
    /// /// The log that is being given out: to whom, and from which byte on.
    /// struct Board { log: &'static str, wanted: Option<(CallHandle, usize)> }
    ///
    /// /// The handler.
    /// fn log_read(board: &mut Board, call: Call<'_>) -> Outcome {
    ///     if board.wanted.is_some() {
    ///         return Err(Fault::Busy);
    ///     }
    ///     call.defer(|call| board.wanted = Some((call, 0)))
    /// }
    ///
    /// /// In the loop, when everything has left.
    /// fn write_on<C: Calls>(calls: &mut C, endpoint: &Endpoint<Board>, board: &mut Board) {
    ///     let (log, Some((call, at))) = (board.log, &mut board.wanted) else { return };
    ///     let flow = calls.stream(endpoint, *call, |out| {
    ///         *at += out.text(&log[*at..]); // as much as there is room for, in whole characters
    ///         Ok(if *at < log.len() { Flow::More } else { Flow::Done })
    ///     });
    ///     if !matches!(flow, Ok(Flow::More) | Err(NotOpen::Busy)) {
    ///         board.wanted = None;
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// [`NotOpen::Ended`]: the call was cancelled, or completed before; stop. [`NotOpen::Busy`]: drain `transmit` first. `write` has not run then.
    fn stream<A>(
        &mut self,
        endpoint: &Endpoint<A>,
        call: CallHandle,
        write: impl FnOnce(&mut Stream<'_, '_>) -> Result<Flow, Fault>,
    ) -> Result<Flow, NotOpen> {
        self.at(call, |desk| desk.stream(endpoint, call, write)).unwrap_or(Err(NotOpen::Ended))
    }

    /// Asks the client on behalf of a deferred call, in the legacy era. The answer goes to the hook of [`Catalog::answered`](super::Catalog::answered),
    /// and is an [`Event::Answered`](super::Event::Answered). `params` writes the members of the request's `params`. One question may be open per call.
    ///
    /// # Errors
    /// [`AskError`] says why nothing was asked.
    #[cfg(feature = "legacy")]
    fn ask(&mut self, call: CallHandle, kind: InputKind, params: impl FnOnce(&mut Writer<'_>)) -> Result<(), AskError> {
        self.at(call, |desk| desk.core.ask(call, kind, desk.idle, params)).unwrap_or(Err(AskError::Ended))
    }

    /// Ends the stream of the reply to a deferred call, so that no connection is held open for it: the client asks for the rest when it is time
    /// (2025-11-25, *Sending Messages to the Server*). `Ok(false)`: this call's reply is in no such stream; nothing has changed.
    ///
    /// # Errors
    /// [`NotOpen::Ended`]: the call was cancelled; stop.
    #[cfg(all(feature = "legacy", feature = "http"))]
    fn end_stream(&mut self, call: CallHandle) -> Result<bool, NotOpen> {
        let ended = self.at(call, |desk| {
            desk.core.stream_ends = desk.core.stream_may_end;
            desk.core.stream_ends
        });
        ended.ok_or(NotOpen::Ended)
    }
}

/// The connection on which a call is open; what [`Calls`] works with.
#[derive(Debug)]
pub struct Desk<'d, 'b> {
    pub(crate) core: &'d mut Core<'b>,
    /// Everything has left, and nothing is half written.
    pub(crate) idle: bool,
}

impl Desk<'_, '_> {
    pub(super) fn progress(
        self,
        call: CallHandle,
        progress: Decimal,
        total: Option<Decimal>,
        message: Option<&str>,
        now: Instant,
    ) -> Result<bool, NotOpen> {
        let entry = self.core.deferred.get(call).ok_or(NotOpen::Ended)?;
        let Some(token) = &entry.token else {
            return Ok(false);
        };
        let increases = entry.progress.is_none_or(|last| progress > last);
        let due = entry.progress_at.is_none_or(|last| now.since(last) >= MIN_PROGRESS_INTERVAL);
        if !increases || !due {
            return Ok(false);
        }
        if !self.idle {
            return Err(NotOpen::Busy);
        }
        let (token, revision) = (token.id(), entry.revision);
        let told = self.core.outbox.message(|w| write_progress(w, token, revision, progress, total, message)).is_ok();
        entry.progress = Some(progress);
        entry.progress_at = Some(now);
        Ok(told)
    }

    pub(super) fn log(self, call: CallHandle, level: Level, logger: &str, text: &str) -> Result<bool, NotOpen> {
        let entry = self.core.deferred.get(call).ok_or(NotOpen::Ended)?;
        if entry.level.is_none_or(|least| level < least) {
            return Ok(false);
        }
        if !self.idle {
            return Err(NotOpen::Busy);
        }
        let data = |w: &mut Writer<'_>| {
            w.string(text);
        };
        Ok(self.core.outbox.message(|w| write_log(w, level, logger, data)).is_ok())
    }

    pub(super) fn stream<A>(
        self,
        endpoint: &Endpoint<A>,
        call: CallHandle,
        write: impl FnOnce(&mut Stream<'_, '_>) -> Result<Flow, Fault>,
    ) -> Result<Flow, NotOpen> {
        let core = self.core;
        let entry = core.deferred.get(call).ok_or(NotOpen::Ended)?;
        let (id, method, revision) = (entry.id.clone(), entry.method, entry.revision);
        let place = match core.job.and_then(|job| job.as_stream()) {
            Some((streaming, place)) if streaming == call && core.outbox.is_empty() => place,
            None if self.idle => Place::default(),
            _ => return Err(NotOpen::Busy),
        };
        let (mut flow, mut after, mut starved) = (Ok(Flow::More), place, false);
        let part = core.outbox.part(0, |w| {
            let mut stream = Stream { w, place, id: id.id(), method, revision, starved: false };
            flow = write(&mut stream);
            if flow == Ok(Flow::Done) {
                stream.begin_answer();
            }
            (after, starved) = (stream.place, stream.starved);
        });
        if part.written == 0 && starved && flow.is_ok() {
            // The buffer was empty, so it will never be larger.
            flow = Err(Fault::ReplyTooLong { limit: core.outbox.limit() });
        }
        let (era, is_tool) = (revision.era(), method == Method::CallTool);
        let job = match flow {
            Ok(Flow::More) if !after.has_begun() => return Ok(Flow::More),
            Ok(Flow::More) => {
                core.job = Some(Job::stream(call, after));
                return Ok(Flow::More);
            }
            Ok(Flow::Done) => Job::stream_end(call, after, None),
            Err(fault) if !after.has_begun() => Job::call_refusal(fault, era, call),
            Err(fault) if is_tool => Job::stream_end(call, after, Some(fault)),
            Err(fault) => Job::broken(call, fault, era),
        };
        core.start(job, &[], endpoint.catalog);
        Ok(Flow::Done)
    }

    pub(super) fn complete<A>(
        self,
        endpoint: &mut Endpoint<A>,
        call: CallHandle,
        reply: impl FnOnce(Reply<'_>) -> Outcome,
    ) -> Result<(), NotOpen> {
        let core = self.core;
        let entry = core.deferred.get(call).ok_or(NotOpen::Ended)?;
        if !self.idle {
            return Err(NotOpen::Busy);
        }
        core.answered = false;
        let era = entry.revision.era();
        let id = entry.id.clone();
        let exchange = Exchange {
            limit: core.outbox.limit(),
            pen: core.outbox.pen(),
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
            answered: &mut core.answered,
            fits: true,
        };
        match reply(Reply::new(exchange)) {
            _ if core.answered => core.deferred.close(call),
            Ok(_) => core.deferred.close(call),
            // It keeps its place in the table, and with it its id, until the error has left.
            Err(fault) => {
                #[cfg(feature = "http")]
                {
                    core.status = fault.http_status(era);
                }
                core.start(Job::call_refusal(fault, era, call), &[], endpoint.catalog);
            }
        }
        Ok(())
    }
}
