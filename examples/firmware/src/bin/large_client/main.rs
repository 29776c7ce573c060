//! Larger than memory, from the other side: a device with 512 bytes each way reads a resource of a megabyte as it arrives, and says what it was.
#![no_std]
#![no_main]

use core::convert::Infallible;

use serde::Serialize;
use umcp::client::{Config, Memory};
use umcp::io::{Client, Failure, Polled, Wire};
use umcp::time::Duration;
use umcp_firmware::crc::{self, Crc};
use umcp_firmware::{entry, machine};

entry!(run);

fn run() -> ! {
    let mut wire = Polled::new(machine::start(), machine::now, machine::idle);
    let mut memory = Memory::<512, 512, 1, 1>::new();
    loop {
        machine::led(read(&mut memory, &mut wire).is_ok());
        let until = machine::now().as_millis() + 5_000;
        while machine::now().as_millis() < until {
            machine::idle();
        }
    }
}

#[derive(Serialize)]
struct Echo<'a> {
    message: &'a str,
}

fn read(
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
    agent.call("echo", &Echo { message: &crc::report(count, crc) })?;
    Ok(())
}
