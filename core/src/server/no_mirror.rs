//! Without HTTP there are no headers to mirror a body.

use super::catalog::Tool;
use super::request::Source;
use crate::mcp::Fault;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Mirror<'h>(core::convert::Infallible, core::marker::PhantomData<&'h ()>);

impl Mirror<'_> {
    pub(crate) fn is_modern(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn calls_tool(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn names(&self, _: &str) -> bool {
        match self.0 {}
    }

    pub(crate) fn authorization(&self) -> Option<&str> {
        match self.0 {}
    }

    pub(crate) fn check(&self, _: &Source<'_>) -> Result<(), Fault> {
        match self.0 {}
    }

    pub(crate) fn check_params<A>(&self, _: &Tool<A>, _: &Source<'_>) -> Result<(), Fault> {
        match self.0 {}
    }
}
