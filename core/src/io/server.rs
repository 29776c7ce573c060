//! Serving over a blocking wire.

use crate::server::{Connection, Endpoint};
use crate::time::{Duration, Instant};

use super::{Link, Wire};

/// How soon a [piece](crate::server::Upload) that the application could not take is offered again.
const HOLD: Duration = Duration::from_millis(1);

/// Serves a connection until the peer closes it, and everything that could be answered has been and has left. Calls that are deferred
/// then are cancelled: whoever closes its side no longer waits for them.
///
/// `tick` runs whenever everything has been served and has left: an application with deferred calls works on them there, and says
/// when it wants to be called again at the latest.
///
/// # Errors
/// The wire failed.
pub fn serve<A, W: Wire>(
    connection: &mut Connection<'_>,
    endpoint: &mut Endpoint<A>,
    app: &mut A,
    wire: &mut W,
    mut tick: impl FnMut(&mut Connection<'_>, &mut Endpoint<A>, &mut A, Instant) -> Option<Instant>,
) -> Result<(), W::Error> {
    let mut closed = false;
    loop {
        connection.serve(endpoint, app, wire.now());
        let mut until = Instant::ZERO;
        if connection.is_waiting() {
            if closed {
                return wire.flush();
            }
            let wake = tick(connection, endpoint, app, wire.now());
            until = wake.unwrap_or(Instant::NEVER);
            if connection.is_held_back() {
                until = until.min(wire.now() + HOLD);
            }
        }
        let (out, into) = connection.buffers();
        if !out.is_empty() {
            until = Instant::NEVER;
        }
        let moved = wire.transfer(out, into, until)?;
        connection.transmitted(moved.sent);
        connection.commit(moved.received);
        if moved.closed {
            connection.eof();
            closed = true;
        }
    }
}
