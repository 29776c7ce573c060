//! The byte side that every connection has.

/// The half of a connection's surface that a driver needs: bytes in and bytes out.
pub trait Link {
    /// The bytes that want to leave, and where the next received bytes go.
    fn buffers(&mut self) -> (&[u8], &mut [u8]);
    /// `count` bytes have been put into the receive buffer.
    fn commit(&mut self, count: usize);
    /// `count` bytes have left.
    fn transmitted(&mut self, count: usize);
    /// The stream has ended: no more bytes will come.
    fn eof(&mut self);
}
