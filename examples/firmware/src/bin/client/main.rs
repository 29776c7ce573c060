//! A device that is the agent: a thermostat which finds a thermometer at the other end of its UART, and a lamp to show what it read.
#![no_std]
#![no_main]

use core::convert::Infallible;

use serde::{Deserialize, Serialize};
use umcp::client::{Config, Memory, Verdict};
use umcp::io::{Client, Failure, Polled, Wire};
use umcp::json::Decimal;
use umcp_firmware::{entry, log, machine};

/// Bytes to receive into, which bound the longest answer (a list of tools, usually), and to send from.
const RECEIVE: usize = machine::CLIENT_BUFFER;
const TRANSMIT: usize = 512;

/// From here on it is warm.
const WARM: Decimal = Decimal::new(200, 1);

entry!(run);

fn run() -> ! {
    let mut wire = Polled::new(machine::start(), machine::now, machine::idle);
    let mut memory = Memory::<RECEIVE, TRANSMIT, 1, 1>::new();
    // What an earlier connection found out about the server spares the next one the probe.
    let mut verdict = None;
    loop {
        match visit(&mut memory, &mut wire, &mut verdict) {
            Ok(()) => log!("done; again in a while"),
            Err(Failure::ProbeExited) => verdict = Some(Verdict::Legacy),
            Err(_) => log!("it did not work out; again in a while"),
        }
        let until = machine::now().as_millis() + 5_000;
        while machine::now().as_millis() < until {
            machine::idle();
        }
    }
}

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

/// Connects, looks what there is, and uses it.
fn visit(
    memory: &mut Memory<RECEIVE, TRANSMIT, 1, 1>,
    wire: &mut impl Wire<Error = Infallible>,
    verdict: &mut Option<Verdict>,
) -> Result<(), Failure<Infallible>> {
    let config = Config { verdict: *verdict, ..Config::new("thermostat", env!("CARGO_PKG_VERSION")) };
    let mut agent = Client::connect(memory.lend(), config, wire)?;
    *verdict = Some(agent.verdict());

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
