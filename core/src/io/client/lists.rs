//! Lists, page by page.

#[cfg(feature = "http")]
use super::framed::Framed;
use super::{Answer, Client, Failure, Outcome};
use crate::client::{Event, Host, Ignored, Lost, Prompt, Resource, Template, Tool};
use crate::io::Wire;
use crate::json::Value;
use crate::mcp::{List, Method};

impl<W: Wire, H: Host> Client<'_, W, H> {
    /// Every item of a list, in the server's order; all pages are fetched.
    ///
    /// # Errors
    /// As [`call`](Client::call), and [`Failure::Pages`]. What `each` was given before counts.
    pub fn list(&mut self, list: List, mut each: impl FnMut(Value<'_>)) -> Outcome<(), W> {
        self.walk(list, |_, item| each(item))
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
        page: impl FnMut(Value<'_>),
    ) -> Outcome<(), W> {
        self.walk_pages(list, |_, item| each(item), page)
    }

    /// Every tool.
    ///
    /// # Errors
    /// As [`list`](Client::list). An item that is no tool is skipped, and the host told.
    pub fn tools(&mut self, mut each: impl FnMut(Tool<'_>)) -> Outcome<(), W> {
        self.walk(List::Tools, |host, item| take(host, item, Tool::read(item), &mut each))
    }

    /// Every resource.
    ///
    /// # Errors
    /// As [`tools`](Client::tools).
    pub fn resources(&mut self, mut each: impl FnMut(Resource<'_>)) -> Outcome<(), W> {
        self.walk(List::Resources, |host, item| take(host, item, Resource::read(item), &mut each))
    }

    /// Every resource template.
    ///
    /// # Errors
    /// As [`tools`](Client::tools).
    pub fn templates(&mut self, mut each: impl FnMut(Template<'_>)) -> Outcome<(), W> {
        self.walk(List::ResourceTemplates, |host, item| take(host, item, Template::read(item), &mut each))
    }

    /// Every prompt.
    ///
    /// # Errors
    /// As [`tools`](Client::tools).
    pub fn prompts(&mut self, mut each: impl FnMut(Prompt<'_>)) -> Outcome<(), W> {
        self.walk(List::Prompts, |host, item| take(host, item, Prompt::read(item), &mut each))
    }

    pub(super) fn walk(&mut self, list: List, each: impl FnMut(&mut H, Value<'_>)) -> Outcome<(), W> {
        self.walk_pages(list, each, |_| {})
    }

    fn walk_pages(
        &mut self,
        list: List,
        mut each: impl FnMut(&mut H, Value<'_>),
        mut after: impl FnMut(Value<'_>),
    ) -> Outcome<(), W> {
        let options = self.options;
        let method = Method::List(list);
        let mut answer = self.ask(method, |engine, now| engine.list(list, None, options, now))?;
        for page in 1..=self.max_pages {
            if answer != Answer::Result {
                return Err(Failure::Protocol(Lost::Input));
            }
            self.page(list, page == 1, &mut each)?;
            self.conn.engine().result().into_iter().for_each(&mut after);
            let next = match self.send(|engine, now| engine.next_page(list, options, now))? {
                Some(next) => next,
                None => return Ok(()),
            };
            if page == self.max_pages {
                self.conn.cancel(next, None);
                self.say_farewell();
                break;
            }
            answer = self.wait(next)?;
        }
        Err(Failure::Pages { budget: self.max_pages })
    }

    /// Gives out the items of a page.
    fn page(&mut self, list: List, is_first: bool, each: &mut impl FnMut(&mut H, Value<'_>)) -> Outcome<(), W> {
        if !self.items(list).is_some_and(Value::is_array) {
            return Err(Failure::Protocol(Lost::Malformed));
        }
        #[cfg(feature = "http")]
        if let (List::Tools, Framed::Http(conn)) = (list, &mut self.conn) {
            let host = &mut self.host;
            // A tool whose parameters cannot be mirrored into headers cannot be called, so it is not there.
            conn.learn_tools(is_first, |item, learned| match learned {
                Ok(()) => each(host, item),
                Err(why) => host.event(Event::Ignored { why: Ignored::Annotation(why), text: item.raw() }),
            });
            return Ok(());
        }
        let _ = is_first;
        let result = self.conn.engine().result();
        let items = result.and_then(|result| result.get(list.member()));
        items.into_iter().flat_map(Value::items).for_each(|item| each(&mut self.host, item));
        Ok(())
    }

    fn items(&self, list: List) -> Option<Value<'_>> {
        self.conn.engine().result()?.get(list.member())
    }
}

fn take<T>(host: &mut impl Host, item: Value<'_>, read: Option<T>, each: &mut impl FnMut(T)) {
    match read {
        Some(read) => each(read),
        None => host.event(Event::Ignored { why: Ignored::MalformedItem, text: item.raw() }),
    }
}
