//! Opening a serial line.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;
use rustix::termios::{
    ControlModes, InputModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr, tcsetattr,
};

/// Opens a device, for ourselves alone as far as others ask, in raw mode and at this speed.
pub(super) fn open(path: &Path, baud: u32) -> io::Result<File> {
    let flags = OFlags::NOCTTY | OFlags::NONBLOCK;
    let mut file = OpenOptions::new().read(true).write(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(ErrorKind::WouldBlock.into()),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let mut termios = tcgetattr(&file)?;
    set_raw(&mut termios);
    termios.set_speed(baud)?;
    tcsetattr(&file, OptionalActions::Now, &termios)?;
    tcflush(&file, QueueSelector::IFlush)?;
    // Ends what the device may have heard of a line before. One that takes nothing now has heard nothing.
    let _ = file.write(b"\n");
    Ok(file)
}

/// Bytes as they are, eight bits each, and no signals on other wires: they are neither waited for nor, at the end, dropped.
fn set_raw(termios: &mut Termios) {
    termios.make_raw();
    termios.input_modes |= InputModes::IGNBRK;
    termios.control_modes |= ControlModes::CREAD | ControlModes::CLOCAL;
    termios.control_modes &=
        !(ControlModes::CSTOPB | ControlModes::PARENB | ControlModes::HUPCL | ControlModes::CRTSCTS);
    termios.special_codes[SpecialCodeIndex::VMIN] = 1;
    termios.special_codes[SpecialCodeIndex::VTIME] = 0;
}
