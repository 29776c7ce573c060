//! What the caller lends a connection.

use heapless::VecView;

use super::listen::Listen;
use crate::rpc::Pending;

/// All the memory of one client connection: `RX` bytes to receive into, which bound the longest message (to `RX - 1`),
/// `TX` bytes to send from, places for `PENDING` requests in flight, and for `LISTENS` open subscriptions.
///
/// A modern request takes 175 bytes of `TX` for its metadata, and 60 for its envelope, besides names and arguments: 280
/// for a small `tools/call`. One that is [opened](super::Engine::call_open) to leave piece by piece takes 28, besides
/// names and the other arguments.
#[derive(Debug)]
pub struct Memory<const RX: usize, const TX: usize, const PENDING: usize = 4, const LISTENS: usize = 2> {
    receive: [u8; RX],
    transmit: [u8; TX],
    pending: heapless::Vec<Pending, PENDING>,
    listens: heapless::Vec<Listen, LISTENS>,
}

impl<const RX: usize, const TX: usize, const PENDING: usize, const LISTENS: usize> Memory<RX, TX, PENDING, LISTENS> {
    /// Empty memory; it may be a `static`.
    #[must_use]
    pub const fn new() -> Self {
        Memory { receive: [0; RX], transmit: [0; TX], pending: heapless::Vec::new(), listens: heapless::Vec::new() }
    }

    /// Lends it to a connection.
    pub fn lend(&mut self) -> Lent<'_> {
        Lent {
            receive: &mut self.receive,
            transmit: &mut self.transmit,
            pending: self.pending.as_mut_view(),
            listens: self.listens.as_mut_view(),
        }
    }
}

impl<const RX: usize, const TX: usize, const PENDING: usize, const LISTENS: usize> Default
    for Memory<RX, TX, PENDING, LISTENS>
{
    fn default() -> Self {
        Memory::new()
    }
}

/// Memory on loan to a connection. [`Memory`] makes one; a host may as well lend slices of its own.
#[derive(Debug)]
pub struct Lent<'b> {
    /// Where messages arrive. The longest that fits is one byte shorter.
    pub receive: &'b mut [u8],
    /// Where messages wait to leave.
    pub transmit: &'b mut [u8],
    /// The requests in flight.
    pub pending: &'b mut VecView<Pending>,
    /// The open subscriptions.
    pub listens: &'b mut VecView<Listen>,
}
