//! Calls one of whose arguments is of any length: it is asked for as it leaves.

use serde::Serialize;

use super::pieces::{Each, Flow, Piece};
use super::{Answer, Client, Failure, Outcome, Reply};
use crate::client::{Host, NotTaken, Options, Upload};
use crate::io::Wire;
use crate::json::{Value, Writer};
#[cfg(feature = "http")]
use crate::mcp::Method;
use crate::rpc::RequestHandle;

/// How many bytes the source is asked for at a time.
const PART: usize = 192;

/// Puts the next bytes of an argument into a buffer and says how many those are, 0 at the end; `None`: there will be no end.
type Source<'s> = &'s mut dyn FnMut(&mut [u8]) -> Option<usize>;

impl<W: Wire, H: Host> Client<'_, W, H> {
    /// Calls a tool with an argument of any length. `source` puts its next bytes into the buffer that it is given (up to 192) and says how many
    /// those are: 0 at the end, `None` if there will be none, which gives the call up. A text comes in UTF-8, cut anywhere.
    ///
    /// ```no_run
    /// # fn f<W: umcp::io::Wire>(client: &mut umcp::io::Client<'_, W>, flash: &[u8]) -> Result<(), umcp::io::Failure<W::Error>> {
    /// use umcp::client::Upload;
    /// let mut rest = flash;
    /// let image = Upload::bytes("image", Some(flash.len() as u64));
    /// client.call_from("flash_write", &(), image, |buf| {
    ///     let count = rest.len().min(buf.len());
    ///     let (now, later) = rest.split_at(count);
    ///     buf[..count].copy_from_slice(now);
    ///     rest = later;
    ///     Some(count)
    /// })?;
    /// # Ok(()) }
    /// ```
    ///
    /// The timeout begins anew with every byte that leaves. An answer may come before the end; then nothing more is asked of `source`.
    ///
    /// # Errors
    /// As [`call`](Client::call). [`Failure::Stopped`] if the source has failed, [`Failure::Upload`] if it is not what was announced. Questions
    /// of the server's are not answered, since the argument cannot be had again: [`Failure::Rounds`]. Nor is the call sent again, whatever has
    /// become of it.
    pub fn call_from<T: Serialize + ?Sized>(
        &mut self,
        name: &str,
        arguments: &T,
        upload: Upload<'_>,
        mut source: impl FnMut(&mut [u8]) -> Option<usize>,
    ) -> Outcome<Reply<'_>, W> {
        let arguments = |w: &mut Writer<'_>| {
            w.value(arguments);
        };
        self.call_each_from(name, &arguments, upload, &mut source, self.options, &mut |_, _| true)
    }

    /// The same with other arguments that are JSON text already, and the blocks of the answer given out as they arrive: see
    /// [`call_raw`](Client::call_raw) and [`call_items`](Client::call_items).
    ///
    /// # Errors
    /// As [`call_from`](Client::call_from).
    pub fn call_raw_items_from<F: Flow>(
        &mut self,
        name: &str,
        arguments: Value<'_>,
        upload: Upload<'_>,
        mut source: impl FnMut(&mut [u8]) -> Option<usize>,
        mut each: impl FnMut(Piece<'_>) -> F,
    ) -> Outcome<Reply<'_>, W> {
        let arguments = |w: &mut Writer<'_>| {
            w.raw(arguments.raw());
        };
        let options = Options { items: true, ..self.options };
        self.call_each_from(name, &arguments, upload, &mut source, options, &mut |_, piece| each(piece).goes_on())
    }

    fn call_each_from(
        &mut self,
        name: &str,
        arguments: &dyn Fn(&mut Writer<'_>),
        upload: Upload<'_>,
        source: Source<'_>,
        options: Options,
        each: Each<'_, H>,
    ) -> Outcome<Reply<'_>, W> {
        #[cfg(feature = "http")]
        self.prepare(Method::CallTool)?;
        let handle = self.send(|engine, now| engine.begin_upload(name, arguments, upload, options, now))?;
        let mut feed = Feed::new(upload, source);
        let answer = self.feed(handle, &mut feed, each);
        if !feed.given {
            self.end_line(matches!(answer, Ok(_) | Err(Failure::Remote { .. })));
        }
        match answer? {
            Answer::Result => {
                self.give_rest(options, each)?;
                Ok(Reply::new(self.conn.result_mut()))
            }
            Answer::Questions => Err(Failure::Rounds { budget: 0 }),
        }
    }

    /// Gives the argument, as it leaves, and waits for the answer.
    fn feed(&mut self, handle: RequestHandle, feed: &mut Feed<'_>, each: Each<'_, H>) -> Outcome<Answer, W> {
        let mut told = false;
        loop {
            if let Err(why) = self.give_on(handle, feed) {
                let stopped = self.stop(handle);
                return Err(why.map_or(stopped, Failure::Upload));
            }
            if let Some(answer) = self.wait_once(handle, &mut told, each)? {
                return Ok(answer);
            }
        }
    }

    /// The request has ended before its message: the end of that leaves at once. (Over HTTP, the end of its stream; an answer or an error
    /// that is held would be let go of by it, so it comes with the next request.)
    fn end_line(&mut self, holds_answer: bool) {
        #[cfg(feature = "http")]
        if self.http().is_some() && holds_answer {
            return;
        }
        let _ = holds_answer;
        self.say_farewell();
    }

    /// Gives as much as there is room for. `Err`: it cannot be ended, because of this, or because of the source.
    fn give_on(&mut self, handle: RequestHandle, feed: &mut Feed<'_>) -> Result<(), Option<NotTaken>> {
        while let (false, Ok(mut pen)) = (feed.given, self.conn.upload(handle)) {
            if !feed.fill()? {
                feed.given = pen.end()?;
                return Ok(());
            }
            let taken = if feed.is_text { pen.text(feed.text()) } else { pen.bytes(feed.bytes()) };
            match taken {
                Ok(0) => return Ok(()),
                taken => feed.start = feed.start.saturating_add(taken?),
            }
        }
        Ok(())
    }
}

/// What has come of the source and was not taken yet.
struct Feed<'s> {
    source: Source<'s>,
    is_text: bool,
    part: [u8; PART],
    start: usize,
    end: usize,
    /// The source has come to its end.
    ended: bool,
    /// So has the message.
    given: bool,
}

impl<'s> Feed<'s> {
    fn new(upload: Upload<'_>, source: Source<'s>) -> Feed<'s> {
        Feed { source, is_text: upload.is_text(), part: [0; PART], start: 0, end: 0, ended: false, given: false }
    }

    /// Sees to it that there is something to be given. `Ok(false)`: that was all.
    fn fill(&mut self) -> Result<bool, Option<NotTaken>> {
        while !self.has_some() {
            if self.end.saturating_sub(self.start) >= 4 {
                return Err(Some(NotTaken::NotUtf8));
            }
            if self.ended {
                // What is left of a text is no character.
                return if self.start == self.end { Ok(false) } else { Err(Some(NotTaken::NotUtf8)) };
            }
            let left = self.keep_rest();
            let room = self.part.get_mut(left..).unwrap_or_default();
            let count = (self.source)(room).ok_or(None)?.min(room.len());
            self.end = left.saturating_add(count);
            self.ended = count == 0;
        }
        Ok(true)
    }

    /// Moves what is left to the beginning: it is less than a character. How many bytes that is.
    fn keep_rest(&mut self) -> usize {
        let left = self.end.saturating_sub(self.start);
        for at in 0..left {
            let byte = self.part.get(self.start.saturating_add(at)).copied();
            if let (Some(byte), Some(place)) = (byte, self.part.get_mut(at)) {
                *place = byte;
            }
        }
        (self.start, self.end) = (0, left);
        left
    }

    fn has_some(&self) -> bool {
        if self.is_text { !self.text().is_empty() } else { self.start < self.end }
    }

    fn bytes(&self) -> &[u8] {
        self.part.get(self.start..self.end).unwrap_or_default()
    }

    /// Whole characters.
    fn text(&self) -> &str {
        let bytes = self.bytes();
        core::str::from_utf8(bytes).unwrap_or_else(|error| {
            let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
            core::str::from_utf8(valid).unwrap_or_default()
        })
    }
}
