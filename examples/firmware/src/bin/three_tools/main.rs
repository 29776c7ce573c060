//! The smallest useful server: three tools on a UART. `FOOTPRINT.md` says what it costs.
#![no_std]
#![no_main]

mod tools;

use umcp::io::nb::pump;
use umcp::server::{Connection, Endpoint, Memory};
use umcp_firmware::{entry, machine};

use tools::{Board, CATALOG};

entry!(run);

fn run() -> ! {
    let mut uart = machine::start();
    let mut board = Board::default();
    let mut endpoint = Endpoint::new(&CATALOG);
    let mut memory = Memory::<512, 512, 1, 1>::new();
    let mut conn = Connection::line(memory.lend());
    loop {
        let Ok(()) = pump(&mut conn, &mut uart);
        conn.serve(&mut endpoint, &mut board, machine::now());
        if conn.transmit().is_empty() {
            machine::idle();
        }
    }
}
