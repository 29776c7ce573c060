//! What the caller lends a connection.

use heapless::VecView;

use crate::client;

/// All the memory of one HTTP connection: that of a [`client::Memory`], and `NOTES` bytes for what has to be remembered between messages:
/// the annotations of tools (`x-mcp-header`). A tool whose annotations do not fit is left out of the list, with a reason.
///
/// A head takes 250 to 400 bytes of `TX` beside its message; of `RX` it needs as much as its longest needed header.
#[derive(Debug)]
pub struct Memory<
    const RX: usize,
    const TX: usize,
    const NOTES: usize = 512,
    const PENDING: usize = 2,
    const LISTENS: usize = 1,
> {
    client: client::Memory<RX, TX, PENDING, LISTENS>,
    session: heapless::Vec<u8, MAX_SESSION>,
    said: heapless::Vec<u8, MAX_SAID>,
    tools: heapless::Vec<u8, NOTES>,
}

/// The longest session id of a legacy server, in bytes, that [`Memory`] has room for; the longest path of a 2024-11-05 server, likewise.
pub const MAX_SESSION: usize = 128;
/// How many bytes [`Memory`] keeps of what an error reply says.
pub const MAX_SAID: usize = 256;

impl<const RX: usize, const TX: usize, const NOTES: usize, const PENDING: usize, const LISTENS: usize>
    Memory<RX, TX, NOTES, PENDING, LISTENS>
{
    /// Empty memory; it may be a `static`.
    #[must_use]
    pub const fn new() -> Self {
        Memory {
            client: client::Memory::new(),
            session: heapless::Vec::new(),
            said: heapless::Vec::new(),
            tools: heapless::Vec::new(),
        }
    }

    /// Lends it to a connection.
    pub fn lend(&mut self) -> Lent<'_> {
        Lent {
            client: self.client.lend(),
            session: self.session.as_mut_view(),
            said: self.said.as_mut_view(),
            tools: self.tools.as_mut_view(),
        }
    }
}

impl<const RX: usize, const TX: usize, const NOTES: usize, const PENDING: usize, const LISTENS: usize> Default
    for Memory<RX, TX, NOTES, PENDING, LISTENS>
{
    fn default() -> Self {
        Memory::new()
    }
}

/// Memory on loan to a connection. [`Memory`] makes one; a host may as well lend vectors of its own.
#[derive(Debug)]
pub struct Lent<'b> {
    /// What any client connection borrows.
    pub client: client::Lent<'b>,
    /// The id of a legacy server's session, or the path that a 2024-11-05 server names. One that does not fit ends the handshake.
    pub session: &'b mut VecView<u8>,
    /// What an error reply says: its hints, and the beginning of its body.
    pub said: &'b mut VecView<u8>,
    /// The annotations of the tools that have been listed.
    pub tools: &'b mut VecView<u8>,
}
