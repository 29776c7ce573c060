//! Servers on our own standard input and output.

use std::io::Write as _;
use std::process::ExitCode;

use umcp::server::{Catalog, Connection, Endpoint, Memory};
use umcp::time::Instant;

use crate::Stdio;

/// Bytes of the receive buffer of [`serve_stdio`]: the longest request, less one.
pub const RECEIVE_BUFFER: usize = 2048;
/// Bytes of its transmit buffer: the longest reply that a handler writes at once, less one.
pub const TRANSMIT_BUFFER: usize = 2048;
/// How many calls it keeps open at once.
pub const OPEN_CALLS: usize = 32;
/// How many subscriptions it keeps open at once.
pub const OPEN_SUBSCRIPTIONS: usize = 8;

/// Serves a catalog on standard input and output until the input ends, and says how that went: the whole of `main`.
///
/// Whatever else the program prints must go to standard error. A handler that defers its call needs [`serve_stdio_with`]: here nobody
/// would ever complete it.
pub fn serve_stdio<A>(catalog: &'static Catalog<A>, app: A) -> ExitCode {
    let mut told = false;
    serve_stdio_with(catalog, app, |connection, _, _, _| {
        if connection.open_calls() > 0 && !std::mem::replace(&mut told, true) {
            // Nothing can be done about a standard error that takes no more.
            let _ = writeln!(
                std::io::stderr(),
                "{}: a call was deferred, which nobody will complete: serve with serve_stdio_with, and complete it there",
                catalog.name()
            );
        }
        None
    })
}

/// As [`serve_stdio`], for a server with deferred calls: `tick` runs whenever everything has been served and has left, works on what is
/// open, and says when it wants to be called again at the latest.
pub fn serve_stdio_with<A>(
    catalog: &'static Catalog<A>,
    mut app: A,
    tick: impl FnMut(&mut Connection<'_>, &mut Endpoint<A>, &mut A, Instant) -> Option<Instant>,
) -> ExitCode {
    let mut memory = Memory::<RECEIVE_BUFFER, TRANSMIT_BUFFER, OPEN_CALLS, OPEN_SUBSCRIPTIONS>::new();
    let mut connection = Connection::line(memory.lend());
    let mut endpoint = Endpoint::new(catalog);
    let served =
        Stdio::new().and_then(|mut stdio| umcp::io::serve(&mut connection, &mut endpoint, &mut app, &mut stdio, tick));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing can be done about a standard error that takes no more.
            let _ = writeln!(std::io::stderr(), "{}: standard input or output failed: {error}", catalog.name());
            ExitCode::from(3)
        }
    }
}
