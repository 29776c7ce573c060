//! The shortest useful server: an LED to switch. Try it: `umcp call led_set '{"on":true}' -- target/debug/examples/server`.

use std::process::ExitCode;

use serde::Deserialize;
use umcp::schema;
use umcp::server::{Call, Catalog, Outcome, Read, Resource, Tool};

struct Board {
    led: bool,
}

#[derive(Deserialize)]
struct SetLed {
    on: bool,
}

fn led_set(board: &mut Board, mut call: Call<'_>) -> Outcome {
    let SetLed { on } = call.args()?; // a bad argument is answered by itself, with the reason
    board.led = on;
    call.updated("board://led");
    call.text(if on { "on" } else { "off" })
}

fn led(board: &mut Board, read: Read<'_>) -> Outcome {
    read.text(if board.led { "on" } else { "off" })
}

static CATALOG: Catalog<Board> = Catalog::new("blinky", "1.0.0")
    .tools(&[Tool::new("led_set", "Turn the LED on or off.", schema!({ on: bool }), led_set)])
    .resources(&[Resource::new("board://led", "led", led).mime_type("text/plain").changes()]);

fn main() -> ExitCode {
    umcp_std::serve_stdio(&CATALOG, Board { led: false })
}
