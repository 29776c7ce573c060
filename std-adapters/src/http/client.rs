//! Clients of HTTP servers.

mod remote;
mod roots;
mod stream;
#[cfg(feature = "tls")]
mod tls;
mod url;
mod wire;

pub use remote::{Remote, Token};
pub use roots::Roots;
pub use url::{Url, UrlError};
pub use wire::{CONNECT_TIMEOUT, ERRAND_TIMEOUT, HttpWire};
