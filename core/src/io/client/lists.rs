//! Lists, page by page and item by item.

#[cfg(feature = "http")]
use super::framed::Framed;
use super::pieces::{Flow, Piece};
use super::{Answer, Client, Failure, Outcome};
#[cfg(feature = "http")]
use crate::client::Happened;
use crate::client::{Event, Host, Ignored, Lost, Options, Prompt, Resource, Template, Tool};
use crate::io::Wire;
use crate::json::Value;
use crate::mcp::{List, Method};

/// Items are given out as they arrive: one has to fit the receive buffer, a page of them has not. A closure that returns
/// [`ControlFlow::Break`](core::ops::ControlFlow::Break) wants no more of them: see [`Flow`].
impl<W: Wire, H: Host> Client<'_, W, H> {
    /// Every item of a list, in the server's order; all pages are fetched.
    ///
    /// # Errors
    /// As [`call`](Client::call), [`Failure::Pages`], and [`Failure::Stopped`]. What `each` was given before counts for what it was.
    pub fn list<F: Flow>(&mut self, list: List, mut each: impl FnMut(Value<'_>) -> F) -> Outcome<(), W> {
        self.walk(list, &mut |_, item| each(item).goes_on())
    }

    /// The same; and when the items of a page have been given out, `page` is given all of its result, with what it says about how long it may
    /// be kept, and by whom (2026-07-28, *Caching*).
    ///
    /// # Errors
    /// As [`list`](Client::list).
    pub fn list_pages(
        &mut self,
        list: List,
        mut each: impl FnMut(Value<'_>),
        mut page: impl FnMut(Value<'_>),
    ) -> Outcome<(), W> {
        let mut each = |_: &mut H, item: Value<'_>| {
            each(item);
            true
        };
        self.walk_with(list, &mut each, &mut page)
    }

    /// Every tool.
    ///
    /// # Errors
    /// As [`list`](Client::list). An item that is no tool is skipped, and the host told.
    pub fn tools<F: Flow>(&mut self, mut each: impl FnMut(Tool<'_>) -> F) -> Outcome<(), W> {
        self.walk(List::Tools, &mut |host, item| take(host, item, Tool::read(item), &mut each))
    }

    /// Every resource.
    ///
    /// # Errors
    /// As [`tools`](Client::tools).
    pub fn resources<F: Flow>(&mut self, mut each: impl FnMut(Resource<'_>) -> F) -> Outcome<(), W> {
        self.walk(List::Resources, &mut |host, item| take(host, item, Resource::read(item), &mut each))
    }

    /// Every resource template.
    ///
    /// # Errors
    /// As [`tools`](Client::tools).
    pub fn templates<F: Flow>(&mut self, mut each: impl FnMut(Template<'_>) -> F) -> Outcome<(), W> {
        self.walk(List::ResourceTemplates, &mut |host, item| take(host, item, Template::read(item), &mut each))
    }

    /// Every prompt.
    ///
    /// # Errors
    /// As [`tools`](Client::tools).
    pub fn prompts<F: Flow>(&mut self, mut each: impl FnMut(Prompt<'_>) -> F) -> Outcome<(), W> {
        self.walk(List::Prompts, &mut |host, item| take(host, item, Prompt::read(item), &mut each))
    }

    pub(super) fn walk(&mut self, list: List, each: &mut dyn FnMut(&mut H, Value<'_>) -> bool) -> Outcome<(), W> {
        self.walk_with(list, each, &mut |_| {})
    }

    fn walk_with(
        &mut self,
        list: List,
        each: &mut dyn FnMut(&mut H, Value<'_>) -> bool,
        after: &mut dyn FnMut(Value<'_>),
    ) -> Outcome<(), W> {
        let options = Options { items: true, ..self.options };
        let limit = self.conn.engine().inlet.limit();
        let mut too_long = false;
        let mut one = |host: &mut H, piece: Piece<'_>| match piece {
            Piece::Item { list: name, item } => name != list.member() || each(host, item),
            // What is emptied of its text is no item of a list.
            Piece::Chunk(_) => {
                too_long = true;
                false
            }
        };
        #[cfg(feature = "http")]
        self.begin_learning(list);
        let walked = self.walk_pages(list, options, &mut one, after);
        #[cfg(feature = "http")]
        {
            self.learns = false;
        }
        if too_long { Err(Failure::TooLong { limit }) } else { walked }
    }

    fn walk_pages(
        &mut self,
        list: List,
        options: Options,
        each: &mut dyn FnMut(&mut H, Piece<'_>) -> bool,
        after: &mut dyn FnMut(Value<'_>),
    ) -> Outcome<(), W> {
        let method = Method::List(list);
        let mut answer = self.ask(method, &|_| {}, options, each)?;
        for page in 1..=self.max_pages {
            if answer != Answer::Result {
                return Err(Failure::Protocol(Lost::Input));
            }
            self.page(list, each)?;
            self.conn.engine().result().into_iter().for_each(&mut *after);
            let next = match self.send(|engine, now| engine.next_page(list, options, now))? {
                Some(next) => next,
                None => return Ok(()),
            };
            if page == self.max_pages {
                self.conn.cancel(next, None);
                self.say_farewell();
                break;
            }
            answer = self.wait_each(next, each)?;
        }
        Err(Failure::Pages { budget: self.max_pages })
    }

    /// The end of a page: what was not given out by itself, since it came in a batch.
    fn page(&mut self, list: List, each: &mut dyn FnMut(&mut H, Piece<'_>) -> bool) -> Outcome<(), W> {
        let result = self.conn.engine().result();
        let is_cursor = |cursor: Value<'_>| cursor.is_string() || cursor.is_null();
        let cursor_is_right = result.and_then(|result| result.get("nextCursor")).is_none_or(is_cursor);
        let items = result.and_then(|result| result.get(list.member()));
        let Some(items) = items.filter(|items| items.is_array() && cursor_is_right) else {
            return Err(Failure::Protocol(Lost::Malformed));
        };
        let list_name = list.member();
        for item in items.items() {
            if !each(&mut self.host, Piece::Item { list: list_name, item }) {
                return Err(Failure::Stopped);
            }
        }
        #[cfg(feature = "http")]
        if let (List::Tools, Framed::Http(conn)) = (list, &mut self.conn) {
            conn.end_page_of_tools();
        }
        Ok(())
    }
}

/// Which parameters of tools are mirrored into headers.
#[cfg(feature = "http")]
impl<W: Wire, H: Host> Client<'_, W, H> {
    fn begin_learning(&mut self, list: List) {
        if let (List::Tools, Framed::Http(conn)) = (list, &mut self.conn) {
            conn.forget_tools();
            self.learns = true;
        }
    }

    /// An item has arrived. `false`: it is a tool whose parameters cannot be mirrored into headers, so that it cannot be called, and is not
    /// there.
    pub(super) fn learn(&mut self, happened: Happened) -> bool {
        let (Framed::Http(conn), Happened::Item(_), true) = (&mut self.conn, happened, self.learns) else {
            return true;
        };
        let Err(why) = conn.learn_tool() else { return true };
        if let Event::Item { item, .. } = self.conn.event(happened) {
            self.host.event(Event::Ignored { why: Ignored::Annotation(why), text: item.raw() });
        }
        false
    }
}

fn take<T, F: Flow>(host: &mut impl Host, item: Value<'_>, read: Option<T>, each: &mut impl FnMut(T) -> F) -> bool {
    match read {
        Some(read) => each(read).goes_on(),
        None => {
            host.event(Event::Ignored { why: Ignored::MalformedItem, text: item.raw() });
            true
        }
    }
}
