//! The three tools.

use serde::{Deserialize, Serialize};
use umcp::json::Decimal;
use umcp::schema;
use umcp::server::{Call, Catalog, Outcome, Tool};
use umcp_firmware::machine;

#[derive(Default)]
pub(crate) struct Board {
    led: bool,
}

pub(crate) static CATALOG: Catalog<Board> = Catalog::new("three-tools", "1.0.0").tools(&[
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
