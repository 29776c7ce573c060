//! Results that are taken item by item, so that they may be larger than the buffer.

use core::ops::ControlFlow;

use serde::Serialize;

use super::base64::{Decoder, NotContents};
use super::{Answer, Client, Failure, Outcome, Reply};
use crate::client::{Chunk, Happened, Host, Input, Lost, Options, Refused, params};
use crate::io::Wire;
use crate::json::{Value, Writer};
use crate::mcp::Method;
use crate::rpc::RequestHandle;

/// A piece of a result. What is given out is provisional until the call returns `Ok`: if it fails, the result is not whole.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'a> {
    /// An element of a list in the result.
    Item {
        /// The list: the name of the member of the result, such as `content`.
        list: &'static str,
        /// The element. A string of it that came in chunks is `""` here.
        item: Value<'a>,
    },
    /// A part of a long string in an element that does not fit the receive buffer, and follows as an `Item`.
    Chunk(Chunk<'a>),
}

/// What a closure that is given items returns: nothing, or whether it wants more. If it does not, the request is cancelled, and the call
/// fails with [`Failure::Stopped`].
pub trait Flow {
    /// Whether more is wanted.
    fn goes_on(&self) -> bool;
}

impl Flow for () {
    fn goes_on(&self) -> bool {
        true
    }
}

impl<B> Flow for ControlFlow<B> {
    fn goes_on(&self) -> bool {
        self.is_continue()
    }
}

/// The members of results whose elements are given out.
static LISTS: &[&str] =
    &["tools", "resources", "resourceTemplates", "prompts", "contents", "content", "messages", "roots"];

/// Whoever takes the pieces; `false`: no more.
pub(super) type Each<'e, H> = &'e mut dyn FnMut(&mut H, Piece<'_>) -> bool;

impl<W: Wire, H: Host> Client<'_, W, H> {
    /// Calls a tool, and gives out the blocks of its content as they arrive. The reply has everything else: [`Reply::is_error`],
    /// [`Reply::structured`].
    ///
    /// One block has to fit the receive buffer, but for its `text`, `data` or `blob`, which comes in chunks if it does not.
    ///
    /// ```no_run
    /// # fn f<W: umcp::io::Wire>(client: &mut umcp::io::Client<'_, W>) -> Result<(), umcp::io::Failure<W::Error>> {
    /// use umcp::io::Piece;
    /// let mut bytes = 0;
    /// client.call_items("camera", &(), |piece| match piece {
    ///     Piece::Item { item, .. } => bytes += item.raw().len(),
    ///     Piece::Chunk(chunk) => bytes += chunk.text.len(),
    /// })?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`call`](Client::call), and [`Failure::Stopped`].
    pub fn call_items<T: Serialize + ?Sized, F: Flow>(
        &mut self,
        name: &str,
        arguments: &T,
        each: impl FnMut(Piece<'_>) -> F,
    ) -> Outcome<Reply<'_>, W> {
        self.operate_items(Method::CallTool, &params::call(name, arguments), each)
    }

    /// The same with arguments that are JSON text already; see [`call_raw`](Client::call_raw).
    ///
    /// # Errors
    /// As [`call_items`](Client::call_items).
    pub fn call_raw_items<F: Flow>(
        &mut self,
        name: &str,
        arguments: Value<'_>,
        each: impl FnMut(Piece<'_>) -> F,
    ) -> Outcome<Reply<'_>, W> {
        if !arguments.is_object() || arguments.raw().contains(&b'\n') {
            return Err(Failure::Refused(Refused::Arguments));
        }
        self.operate_items(Method::CallTool, &params::call_raw(name, arguments), each)
    }

    /// Reads a resource, and gives out its contents as they arrive.
    ///
    /// # Errors
    /// As [`call_items`](Client::call_items).
    pub fn read_items<F: Flow>(&mut self, uri: &str, each: impl FnMut(Piece<'_>) -> F) -> Outcome<Reply<'_>, W> {
        self.operate_items(Method::ReadResource, &params::read(uri), each)
    }

    /// Reads a resource, and gives out its bytes as they arrive: those of a text in UTF-8, a blob decoded; of all its contents, one after
    /// the other.
    ///
    /// # Errors
    /// As [`call_items`](Client::call_items); contents that have no text nor blob, or both, and a blob that is no Base64 are [`Lost::Malformed`].
    pub fn read_to<F: Flow>(&mut self, uri: &str, mut put: impl FnMut(&[u8]) -> F) -> Outcome<Reply<'_>, W> {
        let (mut decoder, mut wrong) = (Decoder::new(), None);
        let mut each = |_: &mut H, piece: Piece<'_>| match decoder.piece(piece, &mut |bytes| put(bytes).goes_on()) {
            Ok(goes_on) => goes_on,
            Err(NotContents) => {
                wrong = Some(Lost::Malformed);
                false
            }
        };
        let options = Options { items: true, ..self.options };
        let done = self.operate_each(Method::ReadResource, &params::read(uri), options, &mut each).map(|_| ());
        match (done, wrong) {
            (Err(Failure::Stopped), Some(why)) => Err(Failure::Protocol(why)),
            (Err(failure), _) => Err(failure),
            (Ok(()), _) => Ok(Reply::new(self.conn.result_mut())),
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
    ) -> Outcome<Reply<'_>, W> {
        self.operate_items(Method::GetPrompt, &params::prompt(name, arguments), each)
    }

    fn operate_items<F: Flow>(
        &mut self,
        method: Method,
        params: &dyn Fn(&mut Writer<'_>),
        mut each: impl FnMut(Piece<'_>) -> F,
    ) -> Outcome<Reply<'_>, W> {
        let options = Options { items: true, ..self.options };
        self.operate_each(method, params, options, &mut |_, piece| each(piece).goes_on())
    }

    pub(super) fn operate_each(
        &mut self,
        method: Method,
        params: &dyn Fn(&mut Writer<'_>),
        options: Options,
        each: Each<'_, H>,
    ) -> Outcome<Reply<'_>, W> {
        #[cfg(feature = "http")]
        self.prepare(method)?;
        let mut answer = self.ask(method, params, options, each)?;
        let budget = if self.host.is_present() { self.max_rounds } else { 0 };
        for _ in 0..budget {
            if answer == Answer::Result {
                break;
            }
            let retried = self.retry(method, params, options)?;
            answer = self.wait_each(retried, each)?;
        }
        match answer {
            Answer::Result => {
                self.check_list(method)?;
                self.give_rest(options, each)?;
                Ok(Reply::new(self.conn.result_mut()))
            }
            Answer::Questions => Err(Failure::Rounds { budget }),
        }
    }

    /// Sends a request again, with answers to the server's questions.
    #[inline(never)]
    fn retry(
        &mut self,
        method: Method,
        params: &dyn Fn(&mut Writer<'_>),
        options: Options,
    ) -> Outcome<RequestHandle, W> {
        // Nobody is asked twice: there is room before the question is put.
        self.drain()?;
        let (host, now) = (&mut self.host, self.wire.now());
        let answers = |input: Input<'_>, w: &mut Writer<'_>| host.input(input, w);
        let retried = self.conn.send(|engine| engine.retry(method, params, answers, options, now));
        retried.map_err(Failure::Refused)
    }

    /// Sends a request and waits for its answer; over HTTP once more, where it has not been done and that can do no harm.
    pub(super) fn ask(
        &mut self,
        method: Method,
        params: &dyn Fn(&mut Writer<'_>),
        options: Options,
        each: Each<'_, H>,
    ) -> Outcome<Answer, W> {
        let handle = self.send_request(method.as_str(), params, options)?;
        let answer = self.wait_each(handle, each);
        #[cfg(feature = "http")]
        if let Err(failure) = &answer
            && self.may_ask_again(method, failure)?
        {
            let handle = self.send_request(method.as_str(), params, options)?;
            return self.wait_each(handle, each);
        }
        answer
    }

    /// Waits for the answer to a request, and gives out its pieces.
    pub(super) fn wait_each(&mut self, handle: RequestHandle, each: Each<'_, H>) -> Outcome<Answer, W> {
        let mut told = false;
        loop {
            if let Some(answer) = self.wait_once(handle, &mut told, each)? {
                return Ok(answer);
            }
        }
    }

    /// Waits until something happens, and gives it out if it is a piece of that answer: from then on something is `told`.
    pub(super) fn wait_once(
        &mut self,
        handle: RequestHandle,
        told: &mut bool,
        each: Each<'_, H>,
    ) -> Outcome<Option<Answer>, W> {
        let Some(happened) = self.next_of(handle)? else { return Ok(None) };
        if matches!(happened, Happened::Item(of) | Happened::Chunk(of) if of == handle) {
            *told = true;
            return if self.give(happened, each) { Ok(None) } else { Err(self.stop(handle)) };
        }
        match self.settle(happened, handle)? {
            // What was given out would be given out again.
            Some(Answer::Questions) if *told => Err(Failure::Protocol(Lost::Input)),
            answer => Ok(answer),
        }
    }

    #[inline(never)]
    fn give(&mut self, happened: Happened, each: Each<'_, H>) -> bool {
        #[cfg(feature = "http")]
        if !self.learn(happened) {
            return true;
        }
        let engine = self.conn.engine();
        let piece = match happened {
            Happened::Chunk(_) => engine.chunk().map(Piece::Chunk),
            _ => engine.item().map(|(list, item)| Piece::Item { list, item }),
        };
        piece.is_none_or(|piece| each(&mut self.host, piece))
    }

    /// Nobody wants the rest of an answer.
    pub(super) fn stop(&mut self, handle: RequestHandle) -> Failure<W::Error> {
        self.give_up(handle, "enough");
        Failure::Stopped
    }

    /// A result that is a list has one. (Those of tools have had none where there is structured content.)
    fn check_list(&self, method: Method) -> Outcome<(), W> {
        let (name, may_miss) = match method {
            Method::CallTool => ("content", true),
            Method::ReadResource => ("contents", false),
            Method::GetPrompt => ("messages", false),
            _ => return Ok(()),
        };
        let is_list = self.conn.engine().result().and_then(|result| result.get(name)).map_or(may_miss, Value::is_array);
        if is_list { Ok(()) } else { Err(Failure::Protocol(Lost::Malformed)) }
    }

    /// What was not given out by itself, since it came in a batch.
    pub(super) fn give_rest(&mut self, options: Options, each: Each<'_, H>) -> Outcome<(), W> {
        let result = self.conn.engine().result().filter(|_| options.items);
        for &list in LISTS {
            let items = result.and_then(|result| result.get(list)).into_iter().flat_map(Value::items);
            for item in items {
                if !each(&mut self.host, Piece::Item { list, item }) {
                    return Err(Failure::Stopped);
                }
            }
        }
        Ok(())
    }
}
