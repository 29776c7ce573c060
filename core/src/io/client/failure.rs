//! Why a blocking call did not succeed.

use core::fmt;

use crate::client::{Failed, Lost, NotTaken, Refused};

/// Why a blocking call did not succeed. `E` is the wire's error.
///
/// What the server says about it in its own words is still in the receive buffer: [`Client::explain`](super::Client::explain) writes both, and
/// [`Client::error`](super::Client::error) has all of an error that it answered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Failure<E> {
    /// The server answered with an error.
    Remote {
        /// Its code, whose meaning is the server's (see [`code`](crate::rpc::code) and [`faults`](crate::mcp::faults)). One that does not fit is
        /// clamped.
        code: i64,
    },
    /// No answer came in time; the server has been told.
    TimedOut,
    /// The waiting was interrupted; the server has been told.
    Cancelled,
    /// The server closed the connection.
    Closed,
    /// The server went away at the sight of the probe: start it again and connect with
    /// [`Verdict::Legacy`](crate::client::Verdict::Legacy).
    ProbeExited,
    /// The server broke the protocol.
    Protocol(Lost),
    /// The answer is longer than the receive buffer.
    TooLong {
        /// The longest that fits, in bytes.
        limit: usize,
    },
    /// The caller wanted no more of the result, or had no more of an argument; the server has been told.
    Stopped,
    /// What was to be an argument is not what was announced; the request was given up.
    Upload(NotTaken),
    /// The request was not sent.
    Refused(Refused),
    /// The handshake failed.
    Handshake(Failed),
    /// The list has more pages than the budget.
    Pages {
        /// The most that were to be fetched: [`max_pages`](super::Client::max_pages).
        budget: u16,
    },
    /// The server still asks after as many rounds as the budget has.
    Rounds {
        /// The most that were to be answered: [`max_rounds`](super::Client::max_rounds).
        budget: u8,
    },
    /// The server answered with an HTTP status that says no, and no response.
    #[cfg(feature = "http")]
    Http {
        /// The status.
        status: u16,
    },
    /// The server closed a connection that had been used before, instead of answering. Whether it has done what was asked for is not known.
    /// What can do no harm has been sent again already: this is a `tools/call`.
    #[cfg(feature = "http")]
    Unanswered,
    /// The wire failed.
    Wire(E),
}

impl<E> Failure<E> {
    pub(super) fn lost(why: Lost) -> Failure<E> {
        match why {
            Lost::Closed => Failure::Closed,
            #[cfg(feature = "http")]
            Lost::Status(status) => Failure::Http { status },
            #[cfg(feature = "http")]
            Lost::Unanswered => Failure::Unanswered,
            Lost::TooLong { limit } => Failure::TooLong { limit },
            _ => Failure::Protocol(why),
        }
    }
}

impl<E> From<E> for Failure<E> {
    fn from(error: E) -> Failure<E> {
        Failure::Wire(error)
    }
}

impl<E: fmt::Display> fmt::Display for Failure<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Remote { code } => write!(f, "the server answered with the error {code}"),
            Failure::TimedOut => f.write_str("timed out waiting for the answer: allow more time, or ask for less"),
            Failure::Cancelled => f.write_str("cancelled"),
            Failure::Closed => {
                f.write_str("the server closed the connection: start it again, and see what it wrote to its log")
            }
            Failure::ProbeExited => f.write_str(
                "the server closed the connection when it was probed: start it again with the legacy handshake",
            ),
            Failure::Protocol(why) => write!(f, "{why}"),
            Failure::TooLong { limit } => write!(f, "{}", Lost::TooLong { limit: *limit }),
            Failure::Stopped => f.write_str("stopped before the end"),
            Failure::Upload(why) => write!(f, "{why}"),
            Failure::Refused(why) => write!(f, "{why}"),
            Failure::Handshake(why) => write!(f, "{why}"),
            Failure::Pages { budget } => {
                write!(
                    f,
                    "the list has more than {budget} pages: the server may be repeating itself; raise the budget if not"
                )
            }
            Failure::Rounds { budget } => write!(f, "the server still asks for input after {budget} rounds of answers"),
            #[cfg(feature = "http")]
            Failure::Http { status } => {
                let advice = match status {
                    401 => ": it wants a token",
                    403 => ": it refuses this caller",
                    300..=399 => ": it is somewhere else",
                    _ => "",
                };
                write!(f, "the server answered with HTTP status {status}{advice}")
            }
            #[cfg(feature = "http")]
            Failure::Unanswered => write!(f, "{}", Lost::Unanswered),
            Failure::Wire(error) => write!(f, "the connection failed: {error}"),
        }
    }
}

impl<E: core::error::Error + 'static> core::error::Error for Failure<E> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Failure::Wire(error) => Some(error),
            _ => None,
        }
    }
}
