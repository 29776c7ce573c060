//! Polling without waiting, for super-loops: [`pump`] moves what can move and returns.

use super::Link;

pub use ::nb::{Error, Result};

/// A serial line that never waits, in the shape of `embedded-hal-nb`'s `serial` traits: implement it for your UART, or for a struct around your HAL's.
pub trait Serial {
    /// What can go wrong on the line.
    type Error;

    /// Reads one byte, or says `WouldBlock`.
    ///
    /// # Errors
    /// The line failed, for example by an overrun.
    fn read(&mut self) -> Result<u8, Self::Error>;

    /// Takes one byte to be sent, or says `WouldBlock`.
    ///
    /// # Errors
    /// The line failed.
    fn write(&mut self, byte: u8) -> Result<(), Self::Error>;
}

/// Moves bytes between a connection and a serial line until neither direction can go on, and never waits.
/// At most one receive buffer's worth is read a call, so that a flood does not hold the super-loop.
///
/// # Errors
/// The line failed. What was moved before counts; the call may be repeated.
pub fn pump<S: Serial>(link: &mut impl Link, serial: &mut S) -> core::result::Result<(), S::Error> {
    send(link, serial)?;
    receive(link, serial)
}

fn send<S: Serial>(link: &mut impl Link, serial: &mut S) -> core::result::Result<(), S::Error> {
    let (out, _) = link.buffers();
    let mut sent = 0;
    let mut outcome = Ok(());
    for &byte in out {
        match serial.write(byte) {
            Ok(()) => sent += 1,
            Err(Error::WouldBlock) => break,
            Err(Error::Other(error)) => {
                outcome = Err(error);
                break;
            }
        }
    }
    link.transmitted(sent);
    outcome
}

fn receive<S: Serial>(link: &mut impl Link, serial: &mut S) -> core::result::Result<(), S::Error> {
    let (_, into) = link.buffers();
    let mut received = 0;
    let mut outcome = Ok(());
    for place in into {
        match serial.read() {
            Ok(byte) => {
                *place = byte;
                received += 1;
            }
            Err(Error::WouldBlock) => break,
            Err(Error::Other(error)) => {
                outcome = Err(error);
                break;
            }
        }
    }
    link.commit(received);
    outcome
}
