//! Why a blocking call did not succeed.

use core::fmt;

use crate::client::{Event, Failed, KeptError, Lost, NotTaken, Refused};

/// Why a blocking call did not succeed. `E` is the wire's error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure<E> {
    /// The server answered with an error.
    Remote(KeptError),
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
    /// No protocol version is spoken by both.
    Version {
        /// Those the server named, as JSON.
        named: heapless::String<128>,
    },
    /// The handshake failed for another reason.
    Handshake {
        /// Why.
        why: Failed,
        /// The server's own words, where it had any.
        error: Option<KeptError>,
    },
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
    Http(KeptReply),
    /// The server closed a connection that had been used before, instead of answering. Whether it has done what was asked for is not known.
    /// What can do no harm has been sent again already: this is a `tools/call`.
    #[cfg(feature = "http")]
    Unanswered,
    /// The wire failed.
    Wire(E),
}

/// A [`Reply`](crate::http::client::Reply) that outlives its connection's next message: the status, and as much as fits 256 bytes of the
/// hints and the text.
#[cfg(feature = "http")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptReply {
    /// The status.
    pub status: u16,
    /// `www-authenticate: …; mcp-auth-server: …; the text`, on one line.
    pub said: heapless::String<256>,
}

#[cfg(feature = "http")]
impl KeptReply {
    pub(super) fn new(reply: crate::http::client::Reply<'_>) -> KeptReply {
        let mut said = heapless::String::new();
        reply.words(&mut |words| {
            for char in words.chars() {
                // What does not fit is left out.
                let _ = said.push(char);
            }
        });
        KeptReply { status: reply.status(), said }
    }
}

impl<E> Failure<E> {
    pub(super) fn remote(event: Event<'_>) -> Failure<E> {
        match event {
            Event::Error { error, .. } => Failure::Remote(KeptError::new(error)),
            _ => Failure::Protocol(Lost::Malformed),
        }
    }

    pub(super) fn lost(why: Lost) -> Failure<E> {
        match why {
            Lost::Closed => Failure::Closed,
            #[cfg(feature = "http")]
            Lost::Unanswered => Failure::Unanswered,
            Lost::TooLong { limit } => Failure::TooLong { limit },
            _ => Failure::Protocol(why),
        }
    }

    pub(super) fn handshake(event: Event<'_>) -> Failure<E> {
        match event {
            Event::Failed { why: Failed::NoCommonVersion, versions, .. } => {
                let mut named = heapless::String::new();
                let text = versions.map_or(&[][..], crate::json::Value::raw);
                for char in core::str::from_utf8(text).unwrap_or_default().chars() {
                    if named.push(char).is_err() {
                        break;
                    }
                }
                Failure::Version { named }
            }
            Event::Failed { why: Failed::Handshake(Lost::TooLong { limit }), .. } => Failure::TooLong { limit },
            Event::Failed { why, error, .. } => Failure::Handshake { why, error: error.map(KeptError::new) },
            _ => Failure::Closed,
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
            Failure::Remote(error) => write!(f, "the server answered with an error: {error}"),
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
            Failure::Version { named } => {
                write!(f, "the server speaks no protocol version that this client speaks; it named {named}")
            }
            Failure::Handshake { why, error: None } => write!(f, "{why}"),
            Failure::Handshake { why, error: Some(error) } => write!(f, "{why}: {error}"),
            Failure::Pages { budget } => {
                write!(
                    f,
                    "the list has more than {budget} pages: the server may be repeating itself; raise the budget if not"
                )
            }
            Failure::Rounds { budget } => write!(f, "the server still asks for input after {budget} rounds of answers"),
            #[cfg(feature = "http")]
            Failure::Http(reply) => {
                write!(f, "the server answered with HTTP status {}", reply.status)?;
                let advice = match reply.status {
                    401 => ": it wants a token",
                    403 => ": it refuses this caller",
                    300..=399 => ": it is somewhere else",
                    _ => "",
                };
                f.write_str(advice)?;
                if reply.said.is_empty() { Ok(()) } else { write!(f, "; {}", reply.said) }
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
