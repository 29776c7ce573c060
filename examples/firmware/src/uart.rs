//! The UART of the machine, in the two shapes that drivers are written for: `embedded_io` for who waits, `nb` for who does not.

use core::convert::Infallible;

use embedded_io::{ErrorType, Read, ReadReady, Write};
use umcp::io::nb;

use crate::machine;

/// The UART. There is one; [`machine::start`] hands it out.
pub struct Uart(());

impl Uart {
    pub(crate) const fn new() -> Uart {
        Uart(())
    }
}

impl nb::Serial for Uart {
    type Error = Infallible;

    fn read(&mut self) -> nb::Result<u8, Infallible> {
        machine::receive().ok_or(nb::Error::WouldBlock)
    }

    fn write(&mut self, byte: u8) -> nb::Result<(), Infallible> {
        if machine::send(byte) { Ok(()) } else { Err(nb::Error::WouldBlock) }
    }
}

impl ErrorType for Uart {
    type Error = Infallible;
}

impl ReadReady for Uart {
    fn read_ready(&mut self) -> Result<bool, Infallible> {
        Ok(machine::has_received())
    }
}

impl Read for Uart {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Infallible> {
        while !into.is_empty() && !machine::has_received() {
            machine::idle();
        }
        let mut count = 0;
        for place in into {
            let Some(byte) = machine::receive() else { break };
            *place = byte;
            count += 1;
        }
        Ok(count)
    }
}

impl Write for Uart {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        for &byte in bytes {
            while !machine::send(byte) {}
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}
