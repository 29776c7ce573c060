//! The memory of one connection.

use umcp::http::server::Lent;
use umcp::server::{Deferred, MIN_RECEIVE, MIN_TRANSMIT, Subscription};

use super::{HEAD_BUFFER, RECEIVE_BUFFER, TRANSMIT_BUFFER};

/// How large its buffers are, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    receive: usize,
    transmit: usize,
}

impl Sizes {
    pub(super) const DEFAULT: Sizes = Sizes { receive: RECEIVE_BUFFER, transmit: TRANSMIT_BUFFER };

    pub(super) fn new(receive: usize, transmit: usize) -> Sizes {
        Sizes { receive: receive.max(MIN_RECEIVE), transmit: transmit.max(MIN_TRANSMIT) }
    }
}

/// The buffers and tables that it borrows.
pub(crate) struct SlotMemory {
    head: [u8; HEAD_BUFFER],
    receive: Box<[u8]>,
    transmit: Box<[u8]>,
    // One request is open at a time.
    deferred: heapless::Vec<Deferred, 1>,
    subscriptions: heapless::Vec<Subscription, 1>,
}

impl SlotMemory {
    pub(super) fn new(sizes: Sizes) -> SlotMemory {
        SlotMemory {
            head: [0; HEAD_BUFFER],
            receive: vec![0; sizes.receive].into(),
            transmit: vec![0; sizes.transmit].into(),
            deferred: heapless::Vec::new(),
            subscriptions: heapless::Vec::new(),
        }
    }

    pub(super) fn lend(&mut self) -> Lent<'_> {
        Lent {
            head: &mut self.head,
            receive: &mut self.receive,
            transmit: &mut self.transmit,
            deferred: &mut self.deferred,
            subscriptions: &mut self.subscriptions,
        }
    }
}
