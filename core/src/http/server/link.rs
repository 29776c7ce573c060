//! The byte side, for whoever moves bytes for connections of any kind.

use super::Connection;
use crate::rpc::Link;

/// So [`io::nb::pump`](crate::io::nb::pump) moves the bytes of a connection whose socket is a serial line.
impl Link for Connection<'_> {
    fn buffers(&mut self) -> (&[u8], &mut [u8]) {
        let is_over = self.eof || self.is_closed();
        let into = if is_over { &mut [] } else { self.inbox.receive_buffer() };
        let pieces = self.unit.pieces(&self.headers, &self.core.outbox);
        (pieces.into_iter().find(|piece| !piece.is_empty()).unwrap_or_default(), into)
    }

    fn commit(&mut self, count: usize) {
        Connection::commit(self, count);
    }

    fn transmitted(&mut self, count: usize) {
        Connection::transmitted(self, count);
    }

    fn eof(&mut self) {
        Connection::eof(self);
    }
}
