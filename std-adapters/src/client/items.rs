//! Results and lists item by item, so that they may be larger than the receive buffer.

use std::io;
use std::ops::ControlFlow;

use serde::Serialize;
use umcp::io::{Flow, Piece, Reply};
use umcp::json::Value;
use umcp::mcp::List;

use super::{Client, Error, Outcome};

/// One item has to fit the receive buffer, the result has not. Only when a call returns `Ok` is all good that it gave out. A closure that
/// returns [`ControlFlow::Break`] ends the call with [`Failure::Stopped`](umcp::io::Failure::Stopped), and the server is told.
impl Client {
    /// Calls a tool, and gives out the blocks of its content as they arrive; the reply has everything else.
    ///
    /// # Errors
    /// As [`call`](Client::call), and [`Failure::Stopped`](umcp::io::Failure::Stopped) if `each` wants no more.
    pub fn call_items<T: Serialize + ?Sized, F: Flow>(
        &mut self,
        name: &str,
        arguments: &T,
        each: impl FnMut(Piece<'_>) -> F,
    ) -> Outcome<Reply<'_>> {
        self.ask(|client| client.call_items(name, arguments, each).map(|_| ()))?;
        Ok(self.with(|client| client.reply()))
    }

    /// Reads a resource, and gives out its contents as they arrive.
    ///
    /// # Errors
    /// As [`call_items`](Client::call_items).
    pub fn read_items<F: Flow>(&mut self, uri: &str, each: impl FnMut(Piece<'_>) -> F) -> Outcome<Reply<'_>> {
        self.ask(|client| client.read_items(uri, each).map(|_| ()))?;
        Ok(self.with(|client| client.reply()))
    }

    /// Reads a resource, and writes its bytes as they arrive: a text in UTF-8, a blob decoded. Returns how many there were.
    ///
    /// # Errors
    /// As [`call`](Client::call), and what `writer` says. What was written before is not taken back.
    pub fn read_to(&mut self, uri: &str, writer: &mut impl io::Write) -> Outcome<u64> {
        let (mut count, mut failed) = (0, None);
        let put = |bytes: &[u8]| match writer.write_all(bytes) {
            Ok(()) => {
                count += bytes.len() as u64;
                ControlFlow::Continue(())
            }
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        };
        let done = self.ask(|client| client.read_to(uri, put).map(|_| ()));
        match failed {
            Some(error) => Err(Error::writing(error)),
            None => done.map(|()| count),
        }
    }

    /// Gets a prompt, and gives out its messages as they arrive.
    ///
    /// # Errors
    /// As [`call_items`](Client::call_items).
    pub fn prompt_items<T: Serialize + ?Sized, F: Flow>(
        &mut self,
        name: &str,
        arguments: &T,
        each: impl FnMut(Piece<'_>) -> F,
    ) -> Outcome<Reply<'_>> {
        self.ask(|client| client.prompt_items(name, arguments, each).map(|_| ()))?;
        Ok(self.with(|client| client.reply()))
    }

    /// Gives out every item of a list as it arrives; all pages are fetched.
    ///
    /// # Errors
    /// As [`tools`](Client::tools), and [`Failure::Stopped`](umcp::io::Failure::Stopped) if `each` wants no more.
    pub fn list_items<F: Flow>(&mut self, list: List, each: impl FnMut(Value<'_>) -> F) -> Outcome<()> {
        self.ask(|client| client.list(list, each))
    }
}
