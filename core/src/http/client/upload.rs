//! What is different over HTTP about a call that leaves piece by piece: its head is written first, and says how long the body will be.

use super::advance::Step;
use super::annotations::Annotations;
use super::connection::Connection;
use super::framed::Framed;
use crate::client::{NotTaken, Refused, Uploading};
use crate::json::Value;
use crate::rpc::RequestHandle;

/// What stands in for the rest of the message while its head is written: `"}}}`.
const TAIL: usize = 4;

impl<'b> Connection<'b> {
    /// The pen for the argument of a call that has been opened with [`Engine::call_open`](crate::client::Engine::call_open); see
    /// [`Engine::upload`](crate::client::Engine::upload).
    ///
    /// # Errors
    /// [`NotTaken::Ended`]: nothing more of it is wanted, as the request's event says, or will say: the server's reply has begun, with a status
    /// that says no.
    pub fn upload(&mut self, handle: RequestHandle) -> Result<Uploading<'_, 'b>, NotTaken> {
        if self.exchange.purpose.request() == Some(handle) && self.exchange.is_error() {
            return Err(NotTaken::Ended);
        }
        self.engine.upload(handle)
    }

    /// How many of the bytes that wait are of the exchange under way.
    pub(super) fn own(&self) -> usize {
        self.framed.grown(self.engine.uploaded).own()
    }

    /// The pieces that have been written belong to what has its head.
    pub(super) fn count_pieces(&mut self) {
        let pieces = core::mem::take(&mut self.engine.uploaded);
        if pieces > 0 {
            self.framed = self.framed.grown(pieces);
        }
    }

    /// A call has been opened, if one has: can it be sent that way? If not, it is taken back.
    pub(super) fn check_upload(&mut self) -> Result<(), Refused> {
        if !self.engine.is_headless() {
            return Ok(());
        }
        let message = self.engine.outbox.transmit();
        let params = Value::new(message.strip_suffix(b"\n").unwrap_or(message)).get("params");
        let last = params.and_then(|params| params.get("arguments")).and_then(|arguments| arguments.members().last());
        let tool = params.and_then(|params| params.get("name"));
        let mirrored = match (tool, last) {
            (Some(tool), Some((argument, _))) => Annotations(self.tools).has(tool, argument),
            _ => false,
        };
        if !mirrored && !self.is_for_errands() {
            return Ok(());
        }
        self.engine.take_back();
        Err(if mirrored { Refused::Mirrored } else { Refused::Unsupported })
    }

    /// The head has been written before the message: what stood in for the rest of that goes.
    pub(super) fn open_end(&mut self, length: usize) -> usize {
        self.engine.outbox.take_back(TAIL);
        length.saturating_sub(TAIL)
    }

    /// More of the request of this exchange is to come.
    pub(super) fn is_half_sent(&self) -> bool {
        self.engine.is_uploading() && !self.framed.is_next()
    }

    /// The request that was being sent has ended: the rest of it cannot leave, and nothing else could behind it.
    pub(super) fn cut_upload(&mut self) -> Option<Step> {
        let request = self.engine.dropped_upload()?;
        if self.framed.is_next() {
            // Nothing of it has left, and the exchange under way is another's.
            self.framed = Framed::NOTHING;
            self.engine.outbox.clear();
        } else {
            self.drop_exchange();
        }
        self.engine.forget(request);
        Some(Step::Again)
    }

    /// A 2024-11-05 server gets each message on a stream of its own, as a whole.
    fn is_for_errands(&self) -> bool {
        #[cfg(feature = "legacy")]
        return self.is_old();
        #[cfg(not(feature = "legacy"))]
        false
    }
}
