//! A socket that is a serial line.

use umcp::io::nb;

use crate::request::{ask, echo, listen};
use crate::rig::{Memory, Rig, SIZES};

/// A serial line: what arrives on it a few bytes at a time, and what has left on it, likewise.
struct Serial<'s> {
    arrives: &'s [u8],
    left: Vec<u8>,
    /// How many bytes may still move this time.
    budget: usize,
}

impl nb::Serial for Serial<'_> {
    type Error = core::convert::Infallible;

    fn read(&mut self) -> nb::Result<u8, Self::Error> {
        let (byte, rest) = self.arrives.split_first().ok_or(nb::Error::WouldBlock)?;
        self.budget = self.budget.checked_sub(1).ok_or(nb::Error::WouldBlock)?;
        self.arrives = rest;
        Ok(*byte)
    }

    fn write(&mut self, byte: u8) -> nb::Result<(), Self::Error> {
        self.budget = self.budget.checked_sub(1).ok_or(nb::Error::WouldBlock)?;
        self.left.push(byte);
        Ok(())
    }
}

/// It is pumped like any other; at any pace the same bytes leave as elsewhere.
#[test]
fn over_a_serial_line() {
    let requests = [echo(), ask("tools/list", ""), ask("no/such", ""), listen()];
    let bytes = requests.iter().flat_map(|request| request.bytes()).collect::<Vec<u8>>();
    let mut memory = Memory::new(SIZES);
    let mut rig = Rig::new(&mut memory);
    assert!(rig.receive(&bytes));
    for pace in [1, 2, 7, 64, 10_000] {
        let mut memory = Memory::new(SIZES);
        let Rig { mut connection, mut site, mut endpoint, mut app, now, .. } = Rig::new(&mut memory);
        let mut serial = Serial { arrives: &bytes, left: Vec::new(), budget: 0 };
        for _ in 0..bytes.len() * 8 {
            serial.budget = pace;
            let Ok(()) = nb::pump(&mut connection, &mut serial);
            connection.serve(&mut site, &mut endpoint, &mut app, now);
        }
        assert_eq!(String::from_utf8_lossy(&serial.left), String::from_utf8_lossy(&rig.out), "{pace} at a time");
    }
}
