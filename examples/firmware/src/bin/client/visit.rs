//! What the thermostat does with a server, however it is connected.

use core::convert::Infallible;

use serde::{Deserialize, Serialize};
use umcp::io::{Client, Failure, Wire};
use umcp::json::Decimal;
use umcp_firmware::machine;

/// From here on it is warm.
const WARM: Decimal = Decimal::new(200, 1);

#[derive(Deserialize)]
struct Temperature {
    celsius: Decimal,
}

#[derive(Serialize)]
struct LedSet {
    on: bool,
}

#[derive(Serialize)]
struct Echo<'a> {
    message: &'a str,
}

/// Looks what there is, and uses it.
pub(crate) fn visit<W: Wire<Error = Infallible>>(agent: &mut Client<'_, W>) -> Result<(), Failure<Infallible>> {
    let (mut thermometer, mut lamp, mut echo) = (false, false, false);
    agent.tools(|tool| {
        thermometer |= tool.name().is("temperature_read");
        lamp |= tool.name().is("led_set");
        echo |= tool.name().is("echo");
    })?;

    if thermometer {
        let reply = agent.call("temperature_read", &NOTHING)?;
        let Ok(Temperature { celsius }) = reply.into_structured() else { return Ok(()) };
        let on = celsius >= WARM;
        machine::led(on);
        if lamp {
            agent.call("led_set", &LedSet { on })?;
        }
    } else if echo {
        let on = agent.call("echo", &Echo { message: "hello" })?.texts().any(|text| text.is("Echo: hello"));
        machine::led(on);
    }
    Ok(())
}

#[derive(Serialize)]
struct Nothing {}

const NOTHING: Nothing = Nothing {};
