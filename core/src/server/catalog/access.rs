//! Who may do what.

use crate::json::Value;
use crate::mcp::{Fault, Method};
use crate::server::Principal;

/// A hook that is asked before any handler runs: it names the caller, or refuses with [`Fault::Unauthorized`] (who are you?) or
/// [`Fault::Forbidden`] (not you).
pub type Authorize<A> = fn(&mut A, &Access<'_>) -> Result<Principal, Fault>;

/// What a request wants, for the `authorize` hook.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// The method.
    pub method: Method,
    /// The tool's or prompt's name, or the resource's URI, where the method has one.
    pub subject: Option<Value<'a>>,
    /// The credentials that came with the request: over HTTP the value of `Authorization`. A pipe has none of its own.
    pub authorization: Option<&'a str>,
    /// Who the client says it is; self-reported, and no ground for a decision.
    pub client_info: Option<Value<'a>>,
}
