//! Clients of HTTP servers.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use umcp_std::http::client::Remote;
//!
//! let mut agent = Remote::new("https://mcp.example.com/mcp".parse()?)
//!     .token(&std::env::var("EXAMPLE_TOKEN")?)?
//!     .connect("my-agent", "1.0.0")?;
//! println!("{}", agent.call("echo", &serde_json::json!({ "message": "hello" }))?.text()?);
//! # Ok(())
//! # }
//! ```
//!
//! Where one question is all there is, [`call_once`] asks it and is gone.

mod once;
mod remote;
mod roots;
mod stream;
#[cfg(feature = "tls")]
mod tls;
mod url;
mod wire;

pub use once::call_once;
pub use remote::{Remote, Token};
pub use roots::Roots;
pub use url::{Url, UrlError};
pub use wire::{CONNECT_TIMEOUT, ERRAND_TIMEOUT, HttpWire};
