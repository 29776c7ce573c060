//! The shortest useful server: an LED to switch. Try it: `umcp call led_set '{"on":true}' -- target/debug/examples/server`.

use std::process::ExitCode;

use umcp::server::{Call, Catalog, Outcome, Read, Resource};
use umcp::tool;

struct Board {
    led: bool,
}

umcp::arguments! {
    struct SetLed {
        /// Whether it shines.
        on: bool,
    }
}

// A bad argument is answered before this runs, with the reason.
fn led_set(board: &mut Board, SetLed { on }: SetLed, mut call: Call<'_>) -> Outcome {
    board.led = on;
    call.updated("board://led");
    call.text(if on { "on" } else { "off" })
}

fn led(board: &mut Board, read: Read<'_>) -> Outcome {
    read.text(if board.led { "on" } else { "off" })
}

static CATALOG: Catalog<Board> = Catalog::new("blinky", "1.0.0")
    .tools(&[tool!("led_set", "Turn the LED on or off.", led_set(&mut Board, SetLed))])
    .resources(&[Resource::new("board://led", "led", led).mime_type("text/plain").changes()]);

fn main() -> ExitCode {
    umcp_std::serve_stdio(&CATALOG, Board { led: false })
}
