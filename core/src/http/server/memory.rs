//! The memory of one connection.

use heapless::{Vec, VecView};

use crate::server::{Deferred, Subscription};

/// The smallest head buffer: room for the head of any reply without a session or a challenge.
pub const MIN_HEAD: usize = 256;

/// All the memory that one connection will ever use: `HEAD` bytes for the headers of a request that are needed until its body has been read, and
/// for the head of its reply; `RX` bytes to receive into, which bound a message and one header; `TX` bytes to send from, which bound what
/// a handler writes at once; and tables for open calls and the open subscription: one request is open at a time, so one of each will do.
///
/// 1,024, 2,048 and 2,048 are a good beginning.
#[derive(Debug)]
pub struct Memory<
    const HEAD: usize,
    const RX: usize,
    const TX: usize,
    const DEFERRED: usize = 1,
    const SUBSCRIPTIONS: usize = 1,
> {
    head: [u8; HEAD],
    receive: [u8; RX],
    transmit: [u8; TX],
    deferred: Vec<Deferred, DEFERRED>,
    subscriptions: Vec<Subscription, SUBSCRIPTIONS>,
}

impl<const H: usize, const RX: usize, const TX: usize, const D: usize, const S: usize> Memory<H, RX, TX, D, S> {
    /// Fresh memory. Less than [`MIN_HEAD`], [`MIN_RECEIVE`](crate::server::MIN_RECEIVE) or
    /// [`MIN_TRANSMIT`](crate::server::MIN_TRANSMIT) bytes do not compile.
    #[must_use]
    pub const fn new() -> Self {
        const {
            assert!(H >= MIN_HEAD, "the head buffer of a server is at least MIN_HEAD bytes");
            assert!(RX >= crate::server::MIN_RECEIVE, "the receive buffer of a server is at least MIN_RECEIVE bytes");
            assert!(
                TX >= crate::server::MIN_TRANSMIT,
                "the transmit buffer of a server is at least MIN_TRANSMIT bytes"
            );
        }
        Memory { head: [0; H], receive: [0; RX], transmit: [0; TX], deferred: Vec::new(), subscriptions: Vec::new() }
    }

    /// Lends it to one connection. What an earlier connection left in it is forgotten.
    pub fn lend(&mut self) -> Lent<'_> {
        Lent {
            head: &mut self.head,
            receive: &mut self.receive,
            transmit: &mut self.transmit,
            deferred: &mut self.deferred,
            subscriptions: &mut self.subscriptions,
        }
    }
}

impl<const H: usize, const RX: usize, const TX: usize, const D: usize, const S: usize> Default
    for Memory<H, RX, TX, D, S>
{
    fn default() -> Self {
        Memory::new()
    }
}

/// What a connection borrows. A host may lend vectors of any size instead of a [`Memory`].
#[derive(Debug)]
pub struct Lent<'b> {
    /// Where the headers of a request are kept, and the head of its reply is written; at least [`MIN_HEAD`] bytes.
    pub head: &'b mut [u8],
    /// Where bytes arrive. A message is at most one byte shorter, counted without white space.
    pub receive: &'b mut [u8],
    /// From where bytes leave. What a handler writes at once, with its envelope, is at most one byte shorter.
    pub transmit: &'b mut [u8],
    /// Room for a call that is answered later.
    pub deferred: &'b mut VecView<Deferred>,
    /// Room for an open subscription.
    pub subscriptions: &'b mut VecView<Subscription>,
}
