//! The memory of one connection.

use heapless::{Vec, VecView};

use super::{Deferred, Subscription};

/// The smallest receive buffer: what it takes to read an id and refuse the rest.
///
/// To be of use it has to hold a request: a modern one carries 160 to 260 bytes of `_meta` besides its method and arguments, depending on
/// how long the client's name is and what it declares. 512 bytes are a good beginning; 256 suffice for legacy clients with short arguments.
pub const MIN_RECEIVE: usize = 64;
/// The smallest transmit buffer. Lists and errors leave through it in pieces; what a handler writes must fit as a whole, with about 150
/// bytes of envelope.
pub const MIN_TRANSMIT: usize = 64;

/// All the memory that one connection will ever use: `RX` bytes to receive into, which bound a request; `TX` bytes to send from,
/// which bound what a handler writes at once; and tables for `DEFERRED` open calls and `SUBSCRIPTIONS` open subscriptions.
///
/// It may be `static`, on the stack, or inside a larger structure.
#[derive(Debug)]
pub struct Memory<const RX: usize, const TX: usize, const DEFERRED: usize = 4, const SUBSCRIPTIONS: usize = 4> {
    receive: [u8; RX],
    transmit: [u8; TX],
    deferred: Vec<Deferred, DEFERRED>,
    subscriptions: Vec<Subscription, SUBSCRIPTIONS>,
}

impl<const RX: usize, const TX: usize, const D: usize, const S: usize> Memory<RX, TX, D, S> {
    /// Fresh memory. Less than [`MIN_RECEIVE`] or [`MIN_TRANSMIT`] bytes do not compile.
    #[must_use]
    pub const fn new() -> Memory<RX, TX, D, S> {
        const {
            assert!(RX >= MIN_RECEIVE, "the receive buffer of a server is at least MIN_RECEIVE bytes");
            assert!(TX >= MIN_TRANSMIT, "the transmit buffer of a server is at least MIN_TRANSMIT bytes");
        }
        Memory { receive: [0; RX], transmit: [0; TX], deferred: Vec::new(), subscriptions: Vec::new() }
    }

    /// Lends it to one connection. What an earlier connection left in it is forgotten.
    pub fn lend(&mut self) -> Lent<'_> {
        Lent {
            receive: &mut self.receive,
            transmit: &mut self.transmit,
            deferred: &mut self.deferred,
            subscriptions: &mut self.subscriptions,
        }
    }
}

impl<const RX: usize, const TX: usize, const D: usize, const S: usize> Default for Memory<RX, TX, D, S> {
    fn default() -> Self {
        Memory::new()
    }
}

/// What a connection borrows. A host may lend vectors of any size instead of a [`Memory`].
#[derive(Debug)]
pub struct Lent<'b> {
    /// Where bytes arrive. A request is at most one byte shorter, counted without white space; at least [`MIN_RECEIVE`] bytes, or nothing can be read at all.
    pub receive: &'b mut [u8],
    /// From where bytes leave. What a handler writes at once, with its envelope, is at most one byte shorter; at least [`MIN_TRANSMIT`] bytes.
    pub transmit: &'b mut [u8],
    /// Room for calls that are answered later.
    pub deferred: &'b mut VecView<Deferred>,
    /// Room for open subscriptions.
    pub subscriptions: &'b mut VecView<Subscription>,
}
