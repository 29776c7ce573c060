//! A failure, and what the server says about it.

use core::fmt;

use super::{Client, Failure, Reply};
use crate::client::{Failed, Host, RemoteError};
use crate::io::Wire;
use crate::json::Value;

/// A [`Failure`] to be shown: in its own words and in the server's, as long as those are in the receive buffer. See [`Client::explain`].
#[derive(Clone, Copy, Debug)]
pub struct Explained<'a, E> {
    failure: &'a Failure<E>,
    said: Said<'a>,
}

/// What the server says.
#[derive(Clone, Copy, Debug)]
enum Said<'a> {
    Nothing,
    Error(RemoteError<'a>),
    Versions(Value<'a>),
    #[cfg(feature = "http")]
    Reply(crate::http::client::Reply<'a>),
}

/// What the latest request came to: views of the receive buffer, which last until the next call.
impl<W: Wire, H: Host> Client<'_, W, H> {
    /// Its result. Empty if it failed.
    pub fn reply(&mut self) -> Reply<'_> {
        Reply::new(self.conn.result_mut())
    }

    /// The error that the server answered with, whole; likewise where it refused the handshake. `None` if it did neither.
    #[must_use]
    pub fn error(&self) -> Option<RemoteError<'_>> {
        self.conn.engine().error()
    }

    /// Why it failed, to be shown to people: what to do, and what the server says. If something was called meanwhile, the failure's own words
    /// alone.
    ///
    /// ```no_run
    /// # fn f<W: umcp::io::Wire>(client: &mut umcp::io::Client<'_, W>) where W::Error: std::fmt::Display {
    /// if let Err(failure) = client.call("led_set", &()) {
    ///     println!("{}", client.explain(&failure));
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn explain<'a>(&'a self, failure: &'a Failure<W::Error>) -> Explained<'a, W::Error> {
        Explained { failure, said: self.said(failure).unwrap_or(Said::Nothing) }
    }

    fn said(&self, failure: &Failure<W::Error>) -> Option<Said<'_>> {
        match failure {
            Failure::Remote { code } => self.error().filter(|error| error.code() == *code).map(Said::Error),
            Failure::Handshake(Failed::NoCommonVersion) => self.conn.engine().versions().map(Said::Versions),
            Failure::Handshake(_) => self.error().map(Said::Error),
            #[cfg(feature = "http")]
            Failure::Http { status } => self
                .http_connection()
                .map(|conn| conn.reply())
                .filter(|reply| reply.status() == *status)
                .map(Said::Reply),
            _ => None,
        }
    }
}

/// `the server answered with an error: -32602: the message`.
impl<E: fmt::Display> fmt::Display for Explained<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.failure, self.said) {
            (Failure::Remote { .. }, Said::Error(error)) => write!(f, "the server answered with an error: {error}"),
            (failure, Said::Nothing) => write!(f, "{failure}"),
            (failure, Said::Error(error)) => write!(f, "{failure}: {error}"),
            (failure, Said::Versions(versions)) => write!(f, "{failure}; it named {versions:?}"),
            #[cfg(feature = "http")]
            (failure, Said::Reply(reply)) => {
                write!(f, "{failure}")?;
                reply.write_words(f)
            }
        }
    }
}
