//! Waiting: where bytes move, and where what happens finds whoever waits for it. What is rare is `inline(never)`, so that its frame is not
//! on the stack of every wait.

use super::{Answer, Client, Failure, Outcome};
use crate::client::{Engine, Failed, Happened, Host, Lost, Options, Refused, RemoteError};
use crate::io::Wire;
use crate::json::Writer;
#[cfg(feature = "legacy")]
use crate::mcp::InputKind;
use crate::rpc::RequestHandle;
use crate::time::{Duration, Instant};

/// How long a notice that a request was given up may take to leave.
pub(super) const FAREWELL: Duration = Duration::from_secs(1);

impl<W: Wire, H: Host> Client<'_, W, H> {
    /// Sends a request as soon as there is room.
    #[inline(never)]
    pub(super) fn send_request(
        &mut self,
        method: &str,
        params: &dyn Fn(&mut Writer<'_>),
        options: Options,
    ) -> Outcome<RequestHandle, W> {
        self.send(|engine, now| engine.request(method, params, options, now))
    }

    /// Sends as soon as there is room.
    pub(super) fn send<T>(&mut self, send: impl Fn(&mut Engine<'_>, Instant) -> Result<T, Refused>) -> Outcome<T, W> {
        let until = self.wire.now() + self.options.timeout;
        loop {
            let now = self.wire.now();
            match self.conn.send(|engine| send(engine, now)) {
                Err(Refused::Busy) => self.make_room(until)?,
                sent => return sent.map_err(Failure::Refused),
            }
        }
    }

    /// Waits until something has left.
    pub(super) fn make_room(&mut self, until: Instant) -> Outcome<(), W> {
        #[cfg(feature = "http")]
        if let Some(conn) = self.http() {
            // One request at a time: a subscription is one, and does not end by itself.
            if conn.in_flight().is_some() || self.wire.now() >= until {
                return Err(Failure::Refused(Refused::Busy));
            }
            if let Some(happened) = self.next(until)? {
                self.tell(happened);
            }
            return Ok(());
        }
        let _ = until;
        self.drain()
    }

    /// Waits until everything has left. What arrives stays where it is, behind what is held. (Over HTTP a message makes room for itself.)
    pub(super) fn drain(&mut self) -> Outcome<(), W> {
        #[cfg(feature = "http")]
        if self.http().is_some() {
            return Ok(());
        }
        let until = self.wire.now() + self.options.timeout;
        while self.conn.has_unsent() {
            if self.exchange(until)? {
                return Err(Failure::Cancelled);
            }
            if self.conn.engine().is_ended() {
                return Err(Failure::Closed);
            }
            if self.wire.now() >= until {
                return Err(Failure::TimedOut);
            }
        }
        Ok(())
    }

    /// Waits for the answer to a request.
    pub(super) fn wait(&mut self, handle: RequestHandle) -> Outcome<Answer, W> {
        self.wait_each(handle, &mut |_, _| true)
    }

    /// What happens next while a request is waited for. If the waiting is interrupted, the server is told.
    pub(super) fn next_of(&mut self, handle: RequestHandle) -> Outcome<Option<Happened>, W> {
        let next = self.next(Instant::NEVER);
        if let Err(Failure::Cancelled) = next {
            self.give_up(handle, "interrupted");
        }
        next
    }

    /// Nobody waits for the answer any longer: the server is told.
    #[inline(never)]
    pub(super) fn give_up(&mut self, handle: RequestHandle, reason: &str) {
        if self.conn.cancel(handle, Some(reason)) {
            self.say_farewell();
        }
    }

    /// Is this the end of that request? If not, it is the host's.
    pub(super) fn settle(&mut self, happened: Happened, handle: RequestHandle) -> Outcome<Option<Answer>, W> {
        match happened {
            Happened::Response(ended) if ended == handle => Ok(Some(Answer::Result)),
            Happened::InputRequired(ended) if ended == handle => Ok(Some(Answer::Questions)),
            Happened::Error(ended) if ended == handle => {
                let code = self.error().map(RemoteError::code);
                Err(code.map_or(Failure::Protocol(Lost::Malformed), |code| Failure::Remote { code }))
            }
            Happened::Lost(ended, why) if ended == handle => Err(Failure::lost(why)),
            Happened::Cancelled(ended) if ended == handle => Err(Failure::Cancelled),
            Happened::TimedOut(ended) if ended == handle => {
                self.say_farewell();
                Err(Failure::TimedOut)
            }
            other => {
                self.tell(other);
                Ok(None)
            }
        }
    }

    /// What happens next, until `until`. `None`: bytes have moved, or the time is up.
    pub(super) fn next(&mut self, until: Instant) -> Outcome<Option<Happened>, W> {
        let now = self.wire.now();
        match self.conn.advance(now) {
            Happened::NeedData if self.exchange(until)? => Err(Failure::Cancelled),
            Happened::NeedData => Ok(None),
            #[cfg(feature = "legacy")]
            Happened::Request(kind) => self.answer_server(kind).map(|()| None),
            Happened::ProbeExited => Err(Failure::ProbeExited),
            Happened::Closed => Err(Failure::Closed),
            Happened::Failed(why) => Err(self.failed(why)),
            happened => Ok(Some(happened)),
        }
    }

    /// A legacy server asks: the host answers. Nobody is asked twice: there is room before the question is put.
    #[cfg(feature = "legacy")]
    #[inline(never)]
    fn answer_server(&mut self, kind: InputKind) -> Outcome<(), W> {
        self.drain()?;
        let host = &mut self.host;
        if let Some(request) = self.conn.server_request(kind) {
            let input = request.input();
            // An answer that is no use is replaced by an error when the next event is asked for.
            let _ = request.answer(|w| host.input(input, w));
        }
        Ok(())
    }

    #[inline(never)]
    pub(super) fn tell(&mut self, happened: Happened) {
        if self.host.is_present() {
            self.host.event(self.conn.event(happened));
        }
    }

    /// Why there is no connection.
    fn failed(&self, why: Failed) -> Failure<W::Error> {
        match why {
            // Over HTTP a request is not lost in another way because it is the first one.
            #[cfg(feature = "http")]
            Failed::Handshake(why) if self.http_connection().is_some() => Failure::lost(why),
            Failed::Handshake(why @ Lost::TooLong { .. }) => Failure::lost(why),
            why => Failure::Handshake(why),
        }
    }

    /// Moves bytes, and waits if there are none. `true`: somebody wants the waiting to stop.
    pub(super) fn exchange(&mut self, until: Instant) -> Result<bool, W::Error> {
        let until = self.conn.poll_at().map_or(until, |at| at.min(until));
        #[cfg(feature = "http")]
        if self.mind_stream(until)? {
            return Ok(false);
        }
        let link = self.conn.link();
        let (out, into) = link.buffers();
        let moved = self.wire.transfer(out, into, until)?;
        link.transmitted(moved.sent);
        link.commit(moved.received);
        if moved.closed {
            link.eof();
        }
        Ok(moved.interrupted)
    }

    /// Lets what waits leave, for a while. A server that no longer reads does not get it.
    pub(super) fn say_farewell(&mut self) {
        let until = self.wire.now() + FAREWELL;
        #[cfg(feature = "http")]
        if self.http().is_some() {
            return self.let_go(until);
        }
        while self.conn.has_unsent() && self.wire.now() < until {
            let link = self.conn.link();
            let (out, _) = link.buffers();
            let Ok(moved) = self.wire.transfer(out, &mut [], until) else { return };
            link.transmitted(moved.sent);
            if moved.closed {
                return;
            }
        }
    }
}
