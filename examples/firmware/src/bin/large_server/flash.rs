//! What the board has, and takes.

use umcp::io::nb;
use umcp::mcp::Fault;
use umcp::server::{Call, CallHandle, Catalog, Flow, Outcome, Read, Resource, Stream, Upload};
use umcp::tool;
use umcp_firmware::crc::{self, Crc};
use umcp_firmware::flash;

/// The bytes of the flash, as far as anybody may ask.
const SIZE: u32 = 1 << 20;
const FLASH: &str = "board://flash";
const BYTES: &str = "application/octet-stream";

#[derive(Default)]
pub(crate) struct Board {
    /// The dump that is being written.
    pub(crate) dump: Option<Dump>,
    /// How much of an image has come.
    received: u32,
    crc: Crc,
}

pub(crate) static CATALOG: Catalog<Board> = Catalog::new("large", "1.0.0")
    .tools(&[
        tool!("dump", "Give out numbered lines.", dump(&mut Board, Length)),
        tool!("flash", "Take an image, and say what came.", write_flash(&mut Board, Image)).upload("image", take),
    ])
    .resources(&[Resource::new(FLASH, "flash", read_flash).mime_type(BYTES)]);

umcp::arguments! {
    struct Length {
        /// How many bytes.
        bytes: u32,
    }

    struct Image<'a> {
        /// It is taken as it arrives.
        _image as "image": &'a str,
    }
}

/// An answer that leaves piece by piece: how far it is, and where it ends.
pub(crate) struct Dump {
    pub(crate) call: CallHandle,
    is_text: bool,
    begun: bool,
    at: u32,
    end: u32,
}

fn dump(board: &mut Board, Length { bytes }: Length, call: Call<'_>) -> Outcome {
    call.defer(|call| board.dump = Some(Dump { call, is_text: true, begun: false, at: 0, end: bytes }))
}

fn read_flash(board: &mut Board, read: Read<'_>) -> Outcome {
    read.defer(|call| board.dump = Some(Dump { call, is_text: false, begun: false, at: 0, end: SIZE }))
}

impl Dump {
    fn begin(&self, out: &mut Stream<'_, '_>) -> bool {
        if self.is_text { out.begin_text() } else { out.begin_resource_blob(FLASH, BYTES) }
    }

    /// Goes on writing, until there is no room.
    pub(crate) fn write(&mut self, out: &mut Stream<'_, '_>) -> Flow {
        if !self.begun && !self.begin(out) {
            return Flow::More;
        }
        self.begun = true;
        while self.at < self.end {
            let left = (self.end - self.at) as usize;
            let taken = if self.is_text {
                let line = line(self.at / LINE);
                let text = core::str::from_utf8(&line).unwrap_or_default();
                let rest = text.get((self.at % LINE) as usize..).unwrap_or_default();
                out.text(rest.get(..left).unwrap_or(rest))
            } else {
                let word = [0, 1, 2, 3].map(|offset| flash::byte(self.at + offset));
                out.bytes(word.get(..left).unwrap_or(&word))
            };
            if taken == 0 {
                return Flow::More;
            }
            self.at += taken as u32;
        }
        Flow::Done
    }
}

/// Seven hexadecimal digits and the end of a line.
const LINE: u32 = 8;

fn line(number: u32) -> [u8; LINE as usize] {
    let mut line = *b"0000000\n";
    let mut rest = number;
    for place in line.iter_mut().take(7).rev() {
        *place = match (rest & 15) as u8 {
            digit @ 0..10 => b'0' + digit,
            digit => b'a' - 10 + digit,
        };
        rest >>= 4;
    }
    line
}

/// A piece of the image has come: this would write it to the flash. While the flash is busy, `nb::Error::WouldBlock` holds the wire back.
fn take(board: &mut Board, upload: Upload<'_>) -> nb::Result<(), Fault> {
    if upload.is_first() || upload.is_void() {
        (board.received, board.crc) = (0, Crc::default());
    }
    board.received += upload.text().len() as u32;
    board.crc.update(upload.text().as_bytes());
    Ok(())
}

/// All of it has come.
fn write_flash(board: &mut Board, _: Image<'_>, call: Call<'_>) -> Outcome {
    call.upload().ok_or(Fault::MissingArgument("image"))?;
    call.text(&crc::report(board.received, board.crc))
}
