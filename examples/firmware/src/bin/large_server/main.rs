//! Larger than memory: a board with 512 bytes each way gives out its flash, a megabyte as a resource and as a text, and takes a megabyte. None of
//! it ever exists whole.
#![no_std]
#![no_main]

mod flash;

use umcp::io::nb::pump;
use umcp::server::{Calls, Connection, Endpoint, Flow, Memory};
use umcp_firmware::{entry, machine};

use flash::{Board, CATALOG};

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
        // As much of a dump as there is room for, whenever everything has left. While it is busy, it is busy.
        if conn.transmit().is_empty()
            && let Some(dump) = &mut board.dump
            && !matches!(conn.stream(&endpoint, dump.call, |out| Ok(dump.write(out))), Ok(Flow::More))
        {
            board.dump = None;
        }
        if conn.transmit().is_empty() {
            machine::idle();
        }
    }
}
