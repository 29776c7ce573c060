//! Serving on standard input and output: the loop of `umcp::io::serve`, with an eye on the answers to questions.

use umcp::io::{Link as _, Wire as _};
use umcp::server::{Catalog, Connection, Endpoint, Event, Memory};
use umcp::time::Instant;
use umcp_std::Stdio;

use super::Everything;

const BUFFER: usize = 4096;
const OPEN_CALLS: usize = 16;
const OPEN_SUBSCRIPTIONS: usize = 8;

/// Serves until the input ends.
pub(crate) fn serve(catalog: &'static Catalog<Everything>) -> std::io::Result<()> {
    let mut everything = Everything::default();
    let mut memory = Memory::<BUFFER, BUFFER, OPEN_CALLS, OPEN_SUBSCRIPTIONS>::new();
    let mut connection = Connection::line(memory.lend());
    let mut endpoint = Endpoint::new(catalog);
    let mut wire = Stdio::new()?;
    let mut closed = false;
    loop {
        loop {
            match connection.next_event(&mut endpoint, &mut everything, wire.now()) {
                Event::NeedData | Event::Closed => break,
                Event::Answered { call, answer } => everything.answered(call, answer),
                _ => {}
            }
        }
        let mut until = Instant::ZERO;
        if connection.is_idle() {
            if closed {
                return wire.flush();
            }
            let next = Everything::tick(&mut connection, &mut endpoint, &mut everything, wire.now());
            until = next.unwrap_or(Instant::NEVER);
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
