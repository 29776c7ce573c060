//! A device that is the agent: a thermostat which finds a thermometer at the other end of its UART, and a lamp to show what it read.
#![no_std]
#![no_main]

mod visit;

use core::convert::Infallible;

use umcp::client::{Config, Memory, Verdict};
use umcp::io::{Client, Failure, Polled, Wire};
use umcp_firmware::{entry, log, machine};

/// Bytes to receive into, and to send from. A list is taken item by item, so it may be of any length: one item has to fit, and what the server
/// says about itself.
const RECEIVE: usize = 2048;
const TRANSMIT: usize = 512;

entry!(run);

fn run() -> ! {
    let mut wire = Polled::new(machine::start(), machine::now, machine::idle);
    let mut memory = Memory::<RECEIVE, TRANSMIT, 1, 1>::new();
    // What an earlier connection found out about the server spares the next one the probe.
    let mut verdict = None;
    loop {
        match meet(&mut memory, &mut wire, &mut verdict) {
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

/// Connects, and makes use of the server.
fn meet(
    memory: &mut Memory<RECEIVE, TRANSMIT, 1, 1>,
    wire: &mut impl Wire<Error = Infallible>,
    verdict: &mut Option<Verdict>,
) -> Result<(), Failure<Infallible>> {
    let config = Config { verdict: *verdict, ..Config::new("thermostat", env!("CARGO_PKG_VERSION")) };
    // In two steps, so that it is where it stays: `Client::connect` would hand it over, by way of the stack.
    let mut agent = Client::new(memory.lend(), config, wire, ());
    agent.handshake()?;
    *verdict = Some(agent.verdict());
    visit::visit(&mut agent)
}
