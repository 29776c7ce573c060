//! A checksum over what comes in pieces: the CRC-32 of Ethernet, ZIP and the rest.

use heapless::{CapacityError, String};

/// The checksum of what has come so far.
#[derive(Clone, Copy, Default)]
pub struct Crc(u32);

impl Crc {
    /// More has come.
    pub fn update(&mut self, bytes: &[u8]) {
        let mut crc = !self.0;
        for &byte in bytes {
            crc ^= u32::from(byte);
            for _ in 0..8 {
                crc = crc >> 1 ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 };
            }
        }
        self.0 = !crc;
    }
}

/// `0000002a bytes, checksum 89abcdef`: in hexadecimal, which takes no formatting.
#[must_use]
pub fn report(count: u32, crc: Crc) -> String<40> {
    let mut text = String::new();
    // It has room for all of it.
    let _ = hexadecimal(&mut text, count);
    let _ = text.push_str(" bytes, checksum ");
    let _ = hexadecimal(&mut text, crc.0);
    text
}

fn hexadecimal(text: &mut String<40>, number: u32) -> Result<(), CapacityError> {
    for place in (0..8).rev() {
        let digit = (number >> (4 * place) & 15) as u8;
        text.push(char::from(if digit < 10 { b'0' + digit } else { b'a' - 10 + digit }))?;
    }
    Ok(())
}
