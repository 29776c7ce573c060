//! The server: a catalog of tools, resources and prompts, and the engine that serves it.
//!
//! [`Catalog`] says what is offered; it is `static` and holds the handlers. [`Endpoint`] is what outlives one connection.
//! [`Connection`] speaks with one peer. The application's own state is passed in where handlers run.

mod call;
mod calls;
mod catalog;
mod changes;
pub(crate) mod connection;
pub(crate) mod deferred;
mod endpoint;
pub(crate) mod event;
mod exchange;
mod incoming;
mod info;
mod input;
mod intake;
pub(crate) mod job;
mod kind;
mod later;
#[cfg(feature = "legacy")]
pub(crate) mod legacy;
mod memory;
#[cfg(feature = "http")]
pub(crate) mod mirror;
#[cfg(not(feature = "http"))]
#[path = "no_mirror.rs"]
mod mirror;
mod operation;
mod prompt;
mod read;
mod reply;
pub(crate) mod request;
pub(crate) mod serve;
mod stream;
pub(crate) mod subscription;
mod telling;
mod upload;

pub use call::{Call, ToolResult};
pub use calls::{Calls, Desk, MIN_PROGRESS_INTERVAL};
pub use catalog::{
    Access, Argument, Authorize, CacheScope, Catalog, Entry, Family, Prompt, Resource, Template, Tool, ToolAnnotations,
};
pub use changes::{Changes, MAX_RECENT_CHANGES};
pub use connection::Connection;
pub use deferred::{CallHandle, Deferred, NotOpen};
pub use endpoint::Endpoint;
pub use event::{Event, Ignored};
pub use exchange::{Done, Exchange, Outcome, Principal};
pub use input::InputRequired;
#[cfg(feature = "legacy")]
pub use legacy::{Answered, AskError};
pub use memory::{Lent, MIN_RECEIVE, MIN_TRANSMIT, Memory};
pub use prompt::{Complete, Get, MAX_COMPLETIONS, Messages, Role};
pub use read::{Contents, Read};
pub use reply::Reply;
pub use stream::{Flow, Stream};
pub use subscription::{MAX_SUBSCRIPTION_URIS, Subscription};
pub use upload::{TakeUpload, Upload, UploadId};
