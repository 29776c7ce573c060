//! How the program ends: one table of exit statuses, and the words that go with them.

use std::io::{self, Write as _};
use std::process::ExitCode;

use umcp::client::{Failed, Host, Refused};
use umcp::io::{Client, Failure, Wire};
use umcp_std::ManagerError;

use crate::table::printable;

/// Why the program ends without success. Its text is for people and goes to standard error.
#[derive(Debug)]
pub(crate) struct Exit {
    pub(crate) status: u8,
    pub(crate) message: String,
    /// The fault lies on our side: how the server ended explains nothing.
    pub(crate) ours: bool,
    /// What a call of the client's came to, of which the server may have more to say: see [`explained`](Exit::explained).
    pub(crate) failure: Option<Failure<io::Error>>,
}

/// The server answered with an error, or the tool failed.
pub(crate) const PEER_ERROR: u8 = 1;
/// The command line makes no sense.
pub(crate) const USAGE: u8 = 2;
/// Could not start or connect, or the server closed the connection.
pub(crate) const CLOSED: u8 = 3;
/// No answer in time.
pub(crate) const TIMED_OUT: u8 = 4;
/// The server broke the protocol, or sent more than fits.
pub(crate) const PROTOCOL: u8 = 5;
/// The user pressed Ctrl-C: 128 and the number of the signal, as shells have it.
pub(crate) const INTERRUPTED: u8 = 130;

impl Exit {
    pub(crate) fn new(status: u8, message: impl Into<String>) -> Exit {
        Exit { status, message: message.into(), ours: false, failure: None }
    }

    /// With what the server says about it, if it is what has just happened.
    pub(crate) fn explained<W, H>(mut self, client: &Client<'_, W, H>) -> Exit
    where
        W: Wire<Error = io::Error>,
        H: Host,
    {
        self.message = match (&self.failure, client.error()) {
            (Some(Failure::Remote { .. }), Some(error)) => error.to_string(),
            (Some(Failure::TooLong { .. }) | None, _) => self.message,
            (Some(failure), _) => client.explain(failure).to_string(),
        };
        self
    }

    pub(crate) fn usage(message: impl Into<String>) -> Exit {
        Exit::new(USAGE, message)
    }

    /// Success, without a word.
    pub(crate) fn code(self) -> ExitCode {
        if !self.message.is_empty() {
            // Nothing can be done about a standard error that takes no more.
            let _ = writeln!(io::stderr().lock(), "umcp: {}", printable(&self.message));
        }
        ExitCode::from(self.status)
    }
}

impl From<Failure<io::Error>> for Exit {
    fn from(failure: Failure<io::Error>) -> Exit {
        let exit = Exit::new(status(&failure), message(&failure));
        Exit { failure: Some(failure), ..exit }
    }
}

/// The server's name is in the message.
impl From<ManagerError> for Exit {
    fn from(error: ManagerError) -> Exit {
        let status = match &error {
            ManagerError::Config(_) | ManagerError::Ambiguous { .. } => USAGE,
            ManagerError::Stopped => return Exit::new(INTERRUPTED, "cancelled"),
            ManagerError::Lost { .. } => CLOSED,
            // It may be one of theirs.
            ManagerError::Unknown { problems, .. } if !problems.is_empty() => {
                problems.first().map_or(CLOSED, |problem| Exit::from(problem.clone()).status)
            }
            ManagerError::Unknown { .. } => PEER_ERROR,
            other => other.failure().map_or(CLOSED, status),
        };
        Exit::new(status, error.to_string())
    }
}

fn message(failure: &Failure<io::Error>) -> String {
    match failure {
        Failure::TooLong { limit } => {
            format!("the server sent a message of more than {limit} bytes: ask it for less")
        }
        other => other.to_string(),
    }
}

fn status(failure: &Failure<io::Error>) -> u8 {
    match failure {
        Failure::Remote { .. } => PEER_ERROR,
        Failure::TimedOut | Failure::Handshake(Failed::HandshakeTimedOut) => TIMED_OUT,
        Failure::Cancelled => INTERRUPTED,
        Failure::Http { .. } => PEER_ERROR,
        Failure::Closed
        | Failure::Unanswered
        | Failure::ProbeExited
        | Failure::Wire(_)
        | Failure::Handshake(Failed::NoCommonVersion) => CLOSED,
        Failure::Handshake(Failed::ProbeRefused | Failed::HandshakeRefused) => PEER_ERROR,
        Failure::Refused(Refused::Arguments | Refused::Length | Refused::Mirrored) | Failure::Upload(_) => USAGE,
        Failure::Refused(Refused::Closed) => CLOSED,
        Failure::Refused(Refused::Unsupported) => PEER_ERROR,
        _ => PROTOCOL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use umcp::client::Lost;

    #[test]
    fn the_table_of_statuses() {
        let table = [
            (Failure::TimedOut, 4),
            (Failure::Cancelled, 130),
            (Failure::Closed, 3),
            (Failure::ProbeExited, 3),
            (Failure::Wire(io::ErrorKind::BrokenPipe.into()), 3),
            (Failure::Handshake(Failed::NoCommonVersion), 3),
            (Failure::Handshake(Failed::HandshakeRefused), 1),
            (Failure::TooLong { limit: 1 }, 5),
            (Failure::Protocol(Lost::Malformed), 5),
            (Failure::Pages { budget: 1 }, 5),
            (Failure::Rounds { budget: 1 }, 5),
            (Failure::Refused(Refused::Arguments), 2),
            (Failure::Refused(Refused::TableFull), 5),
            (Failure::Handshake(Failed::HandshakeTimedOut), 4),
        ];
        for (failure, expected) in table {
            assert_eq!(status(&failure), expected, "{failure:?}");
        }
    }
}
