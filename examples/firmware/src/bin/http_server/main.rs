//! The same three tools over HTTP: the state machine of one connection, whose socket is a UART. Where there is a network, each socket has
//! a connection and memory of its own; the endpoint and the site are shared.
#![no_std]
#![no_main]

#[path = "../three_tools/tools.rs"]
mod tools;

use umcp::http::server::{Connection, Memory, Site};
use umcp::io::nb::pump;
use umcp::server::Endpoint;
use umcp_firmware::{entry, machine};

use tools::{Board, CATALOG};

/// Bytes for the headers of a request that are needed, and the head of its reply; to receive into, which bound a message, but not its head; and
/// to send from, which bound what a handler writes at once.
const HEAD: usize = 512;
const RECEIVE: usize = 512;
const TRANSMIT: usize = 512;

entry!(run);

fn run() -> ! {
    let mut uart = machine::start();
    let mut board = Board::default();
    let mut endpoint = Endpoint::new(&CATALOG);
    let mut site = Site::new("/mcp"); // who may ask, and how long anything may take
    let mut memory = Memory::<HEAD, RECEIVE, TRANSMIT>::new();
    let mut conn = Connection::new(memory.lend());
    loop {
        let Ok(()) = pump(&mut conn, &mut uart);
        conn.serve(&mut site, &mut endpoint, &mut board, machine::now());
        if conn.transmit().is_empty() {
            if conn.is_closed() {
                conn.reset(); // here a socket would be closed, and the next one accepted
            }
            machine::idle();
        }
    }
}
