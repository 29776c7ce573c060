//! The three tools.

use serde::Serialize;
use umcp::json::Decimal;
use umcp::server::{Call, Catalog, Outcome};
use umcp::tool;
use umcp_firmware::machine;

#[derive(Default)]
pub(crate) struct Board {
    led: bool,
}

pub(crate) static CATALOG: Catalog<Board> = Catalog::new("three-tools", "1.0.0").tools(&[
    tool!("echo", "Give back a text.", echo(&mut Board, Echo)),
    tool!("led_set", "Turn the LED on or off.", led_set(&mut Board, SetLed)),
    tool!("temperature_read", "Read the temperature in degrees Celsius.", temperature_read),
]);

umcp::arguments! {
    struct Echo<'a> { text: &'a str }

    struct SetLed { on: bool }
}

fn echo(_: &mut Board, Echo { text }: Echo<'_>, call: Call<'_>) -> Outcome {
    call.text(text)
}

fn led_set(board: &mut Board, SetLed { on }: SetLed, call: Call<'_>) -> Outcome {
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
