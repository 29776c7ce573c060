//! The tools that a list brings.

use super::annotations::{AnnotationFault, learn};
use super::connection::Connection;
use crate::client::Tool;
use crate::json::Value;
use crate::mcp::{Era, List, slot};

impl Connection<'_> {
    /// Remembers which parameters of tools are mirrored into headers (`x-mcp-header`): to be called at each `Response` to a page of
    /// `tools/list`, while that is the latest event. `is_first`: it is the first page, so what was known before is forgotten.
    ///
    /// `each` gets every tool, and those with an error are to be left out of what is done with the list (2026-07-28, *Streamable HTTP:
    /// Schema Extension*). With a legacy server there is no such error.
    pub fn learn_tools(&mut self, is_first: bool, mut each: impl FnMut(Value<'_>, Result<(), AnnotationFault>)) {
        if is_first {
            self.tools.clear();
        }
        let modern = self.engine.revision.era() == Era::Modern;
        let member = |slot| self.engine.inlet.member(slot);
        let items = member(slot::RESULT).and_then(|result| result.get(List::Tools.member()));
        for item in items.into_iter().flat_map(Value::items) {
            let learned = Tool::read(item).filter(|_| modern).map_or(Ok(()), |tool| learn(self.tools, tool));
            each(item, learned);
        }
        self.knows_tools = member(slot::client::NEXT_CURSOR).is_none_or(Value::is_null);
    }

    /// A list of tools is asked for item by item ([`Options::items`](crate::client::Options::items)): what was known before is forgotten.
    pub fn forget_tools(&mut self) {
        self.tools.clear();
    }

    /// As [`learn_tools`](Connection::learn_tools) for such a list: to be called at each [`Item`](crate::client::Event::Item) of it. An item of
    /// another list has nothing to be learned of.
    ///
    /// # Errors
    /// Why this tool is to be left out.
    pub fn learn_tool(&mut self) -> Result<(), AnnotationFault> {
        match self.engine.item() {
            Some((list, item)) if list == List::Tools.member() && self.engine.revision.era() == Era::Modern => {
                Tool::read(item).map_or(Ok(()), |tool| learn(self.tools, tool))
            }
            _ => Ok(()),
        }
    }

    /// The same at the `Response` that ends each page of it.
    pub fn end_page_of_tools(&mut self) {
        self.knows_tools = self.engine.inlet.member(slot::client::NEXT_CURSOR).is_none_or(Value::is_null);
    }

    /// Is it known which headers a call needs: has the whole list of tools [passed](Connection::learn_tools)? Always, with a legacy server.
    #[must_use]
    pub fn knows_tools(&self) -> bool {
        self.knows_tools || self.engine.revision.era() == Era::Legacy
    }
}
