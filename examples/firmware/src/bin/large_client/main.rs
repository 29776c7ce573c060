//! Larger than memory, from the other side: a device with 512 bytes each way reads a resource of a megabyte as it arrives, sends as much
//! as it leaves, and says what it has read.
#![no_std]
#![no_main]

use core::convert::Infallible;

use serde::Serialize;
use umcp::client::{Config, Memory, Upload};
use umcp::io::{Client, Failure, Polled, Wire};
use umcp::time::Duration;
use umcp_firmware::crc::{self, Crc};
use umcp_firmware::{entry, flash, machine};

entry!(run);

fn run() -> ! {
    let mut wire = Polled::new(machine::start(), machine::now, machine::idle);
    let mut memory = Memory::<512, 512, 1, 1>::new();
    loop {
        machine::led(visit(&mut memory, &mut wire).is_ok());
        let until = machine::now().as_millis() + 5_000;
        while machine::now().as_millis() < until {
            machine::idle();
        }
    }
}

#[derive(Serialize)]
struct Nothing {}

#[derive(Serialize)]
struct Echo<'a> {
    message: &'a str,
}

/// Reads, sends and reports.
fn visit(
    memory: &mut Memory<512, 512, 1, 1>,
    wire: &mut impl Wire<Error = Infallible>,
) -> Result<(), Failure<Infallible>> {
    let config = Config::new("large", env!("CARGO_PKG_VERSION"));
    let mut agent = Client::connect(memory.lend(), config, wire)?;
    // At 115,200 baud a megabyte of Base64 takes two minutes.
    agent.options.timeout = Duration::from_secs(300);
    let (mut count, mut crc) = (0, Crc::default());
    // A text as it is, a blob decoded: this would go to a flash, an SD card, a display.
    agent.read_to("file:///large", |bytes| {
        count += bytes.len() as u32;
        crc.update(bytes);
    })?;
    let mut sent = 0;
    agent.call_from("flash", &Nothing {}, Upload::bytes("image", Some(count.into())), |buf| {
        let part = buf.iter_mut().zip(sent..count).map(|(place, at)| *place = flash::byte(at)).count();
        sent += part as u32;
        Some(part)
    })?;
    agent.call("echo", &Echo { message: &crc::report(count, crc) })?;
    Ok(())
}
