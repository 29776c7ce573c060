//! Calls with an argument that is read as it leaves, so that it may be larger than memory.

use std::io;

use serde::Serialize;
use umcp::client::Upload;
use umcp::io::Reply;

use super::{Client, Error, Outcome};

impl Client {
    /// Calls a tool; the argument that `upload` names is what `reader` has, up to its end. Over HTTP its length has to be known first: see
    /// [`Upload`].
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use umcp::client::Upload;
    /// # let mut client = umcp_std::Process::new("server").connect("example", "1.0")?;
    /// let mut file = std::fs::File::open("firmware.bin")?;
    /// let image = Upload::bytes("image", Some(file.metadata()?.len()));
    /// client.call_from("flash", &(), image, &mut file)?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`call`](Client::call), and what `reader` says; [`Failure::Upload`](umcp::io::Failure::Upload) if that is not what was announced, or
    /// no text. The call is given up then.
    pub fn call_from<T: Serialize + ?Sized>(
        &mut self,
        name: &str,
        arguments: &T,
        upload: Upload<'_>,
        reader: &mut impl io::Read,
    ) -> Outcome<Reply<'_>> {
        let mut failed = None;
        let source = |buf: &mut [u8]| match read(reader, buf) {
            Ok(count) => Some(count),
            Err(error) => {
                failed = Some(error);
                None
            }
        };
        let called = self.ask(|client| client.call_from(name, arguments, upload, source).map(|_| ()));
        if let Some(error) = failed {
            return Err(Error::reading(error));
        }
        called?;
        Ok(self.with(|client| client.reply()))
    }
}

/// Reads on; a signal is no failure.
fn read(reader: &mut impl io::Read, buf: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buf) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}
