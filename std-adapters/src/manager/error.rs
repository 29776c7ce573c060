//! What can go wrong with several servers; every error that is a server's names it.

use std::error::Error as StdError;
use std::fmt;
use std::io::Error as IoError;
use std::sync::Arc;

use umcp::io::Failure;
use umcp::mcp::List;

use crate::Error;
use crate::config::ConfigError;

/// Why something did not succeed. `Display` names the server and says what to do.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ManagerError {
    /// The configuration's entry of this server cannot be used, or there is no such server. Correct the file.
    Config(Arc<ConfigError>),
    /// The server could not be started, reached or connected to. It is not tried again until [`reconnect`](super::Manager::reconnect) is
    /// called.
    NotConnected {
        /// The server.
        server: String,
        /// Why.
        error: Arc<Error>,
    },
    /// The connection ended, with this request under way or before it was sent. Whether the server has done what it was asked for is not known.
    /// It is not connected again until [`reconnect`](super::Manager::reconnect) is called.
    Lost {
        /// The server.
        server: String,
        /// How it ended.
        error: Arc<Error>,
    },
    /// A request did not succeed; the server is still there.
    Request {
        /// The server.
        server: String,
        /// What happened, and what to do.
        error: Arc<Error>,
    },
    /// No server has this in its list.
    Unknown {
        /// The list that was looked through.
        list: List,
        /// What was asked for.
        name: String,
        /// The servers whose list could not be had: it may be one of theirs.
        problems: Vec<ManagerError>,
    },
    /// Several servers have this in their lists: ask for one of these names.
    Ambiguous {
        /// What was asked for.
        name: String,
        /// The qualified names.
        choices: Vec<String>,
    },
    /// The manager has been stopped, before or meanwhile.
    Stopped,
}

impl ManagerError {
    /// The server it is about, if it is about one.
    #[must_use]
    pub fn server(&self) -> Option<&str> {
        match self {
            ManagerError::NotConnected { server, .. }
            | ManagerError::Lost { server, .. }
            | ManagerError::Request { server, .. } => Some(server),
            ManagerError::Config(error) => match &**error {
                ConfigError::Unknown { name, .. } | ConfigError::Server { name, .. } => Some(name),
                _ => None,
            },
            _ => None,
        }
    }

    /// What went wrong on the wire, where that is what it was.
    #[must_use]
    pub fn failure(&self) -> Option<&Failure<IoError>> {
        match self {
            ManagerError::NotConnected { error, .. }
            | ManagerError::Lost { error, .. }
            | ManagerError::Request { error, .. } => error.failure(),
            _ => None,
        }
    }
}

impl fmt::Display for ManagerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ManagerError::Config(error) => error.fmt(f),
            ManagerError::NotConnected { server, error } | ManagerError::Request { server, error } => {
                write!(f, "server `{server}`: {error}")
            }
            ManagerError::Lost { server, error } => write!(f, "server `{server}` was lost: {error}"),
            ManagerError::Unknown { list, name, problems } => {
                write!(f, "no server has `{name}` in its list of {}; SERVER/NAME asks one server", list.member())?;
                problems.iter().try_for_each(|problem| write!(f, "; {problem}"))
            }
            ManagerError::Ambiguous { name, choices } => {
                write!(f, "`{name}` is ambiguous; ask for one of: {}", choices.join(", "))
            }
            ManagerError::Stopped => f.write_str("stopped"),
        }
    }
}

impl StdError for ManagerError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            ManagerError::Config(error) => Some(&**error),
            ManagerError::NotConnected { error, .. }
            | ManagerError::Lost { error, .. }
            | ManagerError::Request { error, .. } => Some(&**error),
            _ => None,
        }
    }
}
