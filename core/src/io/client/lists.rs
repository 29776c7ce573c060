//! Lists, page by page.

use super::{Answer, Client, Failure, Outcome};
use crate::client::{Event, Host, Ignored, Lost, Prompt, Resource, Template, Tool};
use crate::io::Wire;
use crate::json::Value;
use crate::mcp::List;

impl<W: Wire, H: Host> Client<'_, W, H> {
    /// Every item of a list, in the server's order; all pages are fetched.
    ///
    /// # Errors
    /// As [`call`](Client::call), and [`Failure::Pages`]. What `each` was given before counts.
    pub fn list(&mut self, list: List, mut each: impl FnMut(Value<'_>)) -> Outcome<(), W> {
        self.walk(list, |_, item| each(item))
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

    fn walk(&mut self, list: List, mut each: impl FnMut(&mut H, Value<'_>)) -> Outcome<(), W> {
        let options = self.options;
        let mut handle = self.send(|conn, now| conn.list(list, None, options, now))?;
        for _ in 0..self.max_pages {
            if self.wait(handle)? != Answer::Result {
                return Err(Failure::Protocol(Lost::Input));
            }
            let page = self.conn.result().and_then(|result| result.get(list.member())).filter(|page| page.is_array());
            for item in page.ok_or(Failure::Protocol(Lost::Malformed))?.items() {
                each(&mut self.host, item);
            }
            match self.send(|conn, now| conn.next_page(list, options, now))? {
                Some(next) => handle = next,
                None => return Ok(()),
            }
        }
        self.conn.cancel(handle, None);
        self.say_farewell();
        Err(Failure::Pages { budget: self.max_pages })
    }
}

fn take<T>(host: &mut impl Host, item: Value<'_>, read: Option<T>, each: &mut impl FnMut(T)) {
    match read {
        Some(read) => each(read),
        None => host.event(Event::Ignored { why: Ignored::MalformedItem, text: item.raw() }),
    }
}
