//! What goes to standard output, gathered, or let go as it comes, so that one place knows what to do when that takes no more.

use std::fmt::{self, Write as _};
use std::io::{self, Write as _};

use crate::exit::{CLOSED, Exit};

#[derive(Default)]
pub(crate) struct Output {
    text: String,
    failed: Option<io::Error>,
}

impl Output {
    pub(crate) fn line(&mut self, text: impl fmt::Display) {
        self.part(text);
        self.text.push('\n');
    }

    /// A part of a line.
    pub(crate) fn part(&mut self, text: impl fmt::Display) {
        // A string takes everything.
        let _ = write!(self.text, "{text}");
    }

    /// Lets go what has been gathered. `false`: standard output takes no more, and nothing more is wanted.
    pub(crate) fn flush(&mut self) -> bool {
        if self.failed.is_none() && !self.text.is_empty() {
            self.failed = put(&self.text).err();
        }
        self.text.clear();
        self.failed.is_none()
    }

    pub(crate) fn print(mut self) -> Result<(), Exit> {
        self.flush();
        self.failed.map_or(Ok(()), |error| Err(error.into()))
    }
}

/// Writes to standard output at once.
pub(crate) fn put(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Of our own standard streams. Whoever reads them may stop when he has seen enough, as `head` does: nobody need hear of that.
impl From<io::Error> for Exit {
    fn from(error: io::Error) -> Exit {
        let message = match error.kind() {
            io::ErrorKind::BrokenPipe => String::new(),
            _ => format!("standard output: {error}"),
        };
        Exit { ours: true, ..Exit::new(CLOSED, message) }
    }
}
