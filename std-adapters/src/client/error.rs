//! [`Error`].

use std::fmt;
use std::io::Error as IoError;

use umcp::client::Host;
use umcp::io::{Client, Failure, Wire};

use crate::http::client::UrlError;
use crate::process::SpawnError;

/// Why something did not succeed: [`failure`](Error::failure) tells it apart, and `Display` says what to do.
pub struct Error(Failed);

enum Failed {
    /// The server could not be started.
    Spawn(SpawnError),
    /// The URL is none.
    Url(UrlError),
    /// It was started, and then something went wrong.
    Client {
        failure: Failure<IoError>,
        /// What there is to say about it, with what the server said.
        explained: String,
        /// The last it wrote to its standard error, if that may matter.
        last_words: String,
    },
    /// What was read could not be written.
    Write(IoError),
    /// What was to be sent could not be read.
    Read(IoError),
}

impl Error {
    /// What went wrong with a server that was started; `None` if it could not be.
    #[must_use]
    pub fn failure(&self) -> Option<&Failure<IoError>> {
        match &self.0 {
            Failed::Spawn(_) | Failed::Url(_) | Failed::Write(_) | Failed::Read(_) => None,
            Failed::Client { failure, .. } => Some(failure),
        }
    }

    /// Of a call that has just failed, with what the server said about it.
    pub(crate) fn explained<W, H>(failure: Failure<IoError>, client: &Client<'_, W, H>) -> Error
    where
        W: Wire<Error = IoError>,
        H: Host,
    {
        let explained = client.explain(&failure).to_string();
        Error(Failed::Client { failure, explained, last_words: String::new() })
    }

    pub(crate) fn with_last_words(mut self, words: String) -> Error {
        if let Failed::Client { last_words, .. } = &mut self.0 {
            *last_words = words;
        }
        self
    }

    pub(super) fn writing(error: IoError) -> Error {
        Error(Failed::Write(error))
    }

    pub(super) fn reading(error: IoError) -> Error {
        Error(Failed::Read(error))
    }
}

impl From<Failure<IoError>> for Error {
    fn from(failure: Failure<IoError>) -> Error {
        Error(Failed::Client { explained: failure.to_string(), failure, last_words: String::new() })
    }
}

impl From<SpawnError> for Error {
    fn from(error: SpawnError) -> Error {
        Error(Failed::Spawn(error))
    }
}

impl From<UrlError> for Error {
    fn from(error: UrlError) -> Error {
        Error(Failed::Url(error))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Failed::Spawn(error) => error.fmt(f),
            Failed::Url(error) => error.fmt(f),
            Failed::Write(error) => write!(f, "what was read could not be written: {error}"),
            Failed::Read(error) => write!(f, "what was to be sent could not be read: {error}"),
            Failed::Client { explained, last_words, .. } => match last_words.trim() {
                "" => f.write_str(explained),
                words => write!(f, "{explained}; its last words: {words}"),
            },
        }
    }
}

/// The same words as for people: it is what a `main` that returns an error prints.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Failed::Spawn(error) => Some(error),
            Failed::Url(error) => Some(error),
            Failed::Client { failure, .. } => Some(failure),
            Failed::Write(error) | Failed::Read(error) => Some(error),
        }
    }
}
