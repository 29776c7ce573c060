//! The board of `umcp serve` as firmware: an MCP server on a UART, one message a line, in one loop that never waits for anybody.
#![no_std]
#![no_main]

mod board;

use umcp::io::nb::pump;
use umcp::server::{Connection, Endpoint, Event, Memory};
use umcp_firmware::{entry, log, machine};

use board::{BLINKS, Board, CATALOG};

/// Bytes to receive into, which bound a request, and to send from, which bound what a handler writes at once.
const RECEIVE: usize = 512;
const TRANSMIT: usize = 512;
/// How many subscriptions may be open at once.
const SUBSCRIPTIONS: usize = 2;

entry!(run);

fn run() -> ! {
    let mut uart = machine::start();
    let mut board = Board::default();
    let mut endpoint = Endpoint::new(&CATALOG);
    let mut memory = Memory::<RECEIVE, TRANSMIT, BLINKS, SUBSCRIPTIONS>::new(); // all there will ever be
    let mut conn = Connection::line(memory.lend());
    log!("{} waits for a client", CATALOG.name());

    loop {
        let now = machine::now();
        // Moves what can move. This UART has no errors; a real one has overruns, and what they leave is answered as noise.
        let Ok(()) = pump(&mut conn, &mut uart);
        // Handlers run in here.
        loop {
            match conn.next_event(&mut endpoint, &mut board, now) {
                Event::NeedData | Event::Closed => break,
                Event::Served { method, fault } => log!("served {}: {}", method, fault),
                Event::Cancelled(call) => log!("cancelled {}", call),
                _ => {}
            }
        }
        board.tick(&mut conn, &mut endpoint, now);
        if conn.transmit().is_empty() {
            machine::idle(); // until a byte arrives or the clock ticks
        }
    }
}
