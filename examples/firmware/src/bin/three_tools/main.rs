//! The smallest useful server: three tools on a UART. `FOOTPRINT.md` says what it costs.
#![no_std]
#![no_main]

use serde::{Deserialize, Serialize};
use umcp::io::nb::pump;
use umcp::json::Decimal;
use umcp::schema;
use umcp::server::{Call, Catalog, Connection, Endpoint, Memory, Outcome, Tool};
use umcp_firmware::{entry, machine};

struct Board {
    led: bool,
}

static CATALOG: Catalog<Board> = Catalog::new("three-tools", "1.0.0").tools(&[
    Tool::new("echo", "Give back a text.", schema!({ text: str }), echo),
    Tool::new("led_set", "Turn the LED on or off.", schema!({ on: bool }), led_set),
    Tool::new("temperature_read", "Read the temperature in degrees Celsius.", schema!({}), temperature_read),
]);

fn echo(_: &mut Board, mut call: Call<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Echo<'a> {
        text: &'a str,
    }
    let Echo { text } = call.args()?;
    call.text(text)
}

fn led_set(board: &mut Board, mut call: Call<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct LedSet {
        on: bool,
    }
    let LedSet { on } = call.args()?;
    board.led = on;
    machine::led(on);
    call.text(if on { "on" } else { "off" })
}

fn temperature_read(board: &mut Board, call: Call<'_>) -> Outcome {
    #[derive(Serialize)]
    struct Temperature {
        celsius: Decimal,
    }
    // Put your sensor here.
    let tenths = if board.led { 225 } else { 200 };
    call.structured(&Temperature { celsius: Decimal::new(tenths, 1) })
}

entry!(run);

fn run() -> ! {
    let mut uart = machine::start();
    let mut board = Board { led: false };
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
