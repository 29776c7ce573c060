//! The bounds of a bridge.

use umcp::time::Duration;

/// What a bridge holds at most, and how long it waits. Whoever meets a bound is told so by an error that names it, and everything else goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The longest message either way, in bytes; by default 4 MiB. A longer request is refused with -32600, over HTTP with status 413; the request whose
    /// answer is longer is answered with -32603.
    pub message: usize,
    /// Requests in flight to the server, subscriptions included; by default 64. One more is answered with -32603.
    pub requests: usize,
    /// Requests of the server to clients that are open (legacy); by default 64. One more is answered with -32603.
    pub questions: usize,
    /// Legacy sessions over HTTP; by default 32. For one more the one that has been idle longest goes, if it has been idle for
    /// [`session_idle`](Limits::session_idle); else `initialize` is answered with -32603 and status 503.
    pub sessions: usize,
    /// Connections over HTTP; by default 64. One more is answered with status 503.
    pub connections: usize,
    /// Bytes that wait for a client that does not read; by default 4 MiB. Over HTTP its connection is closed then; on standard output the
    /// server has to wait. No message is cut off: the bound is looked at before one is added.
    pub backlog: usize,
    /// Resources that one legacy client is subscribed to; by default 256. One more is answered with -32603.
    pub subscriptions: usize,
    /// How long the server may take over a request, from when it has left, and again from each progress report; `None`: for ever. By default 60 s.
    /// Then the request is cancelled, and answered with -32603. While an answer is arriving, or the server waits for a client's, nothing times out;
    /// subscriptions never do.
    pub answer: Option<Duration>,
    /// How long a client that speaks HTTP may take over a request, from its first byte to its last, and keep a connection open between two; by
    /// default 60 s.
    pub idle: Duration,
    /// How long a legacy session has been idle when it may have to make room for another; by default 60 s.
    pub session_idle: Duration,
    /// How long an HTTP request is waited for before its reply begins as an event stream with a comment, and how often a comment keeps a quiet
    /// stream alive; by default 15 s.
    pub keep_alive: Duration,
}

impl Limits {
    /// The defaults.
    pub const DEFAULT: Limits = Limits {
        message: 4 << 20,
        requests: 64,
        questions: 64,
        sessions: 32,
        connections: 64,
        backlog: 4 << 20,
        subscriptions: 256,
        answer: Some(Duration::from_secs(60)),
        idle: Duration::from_secs(60),
        session_idle: Duration::from_secs(60),
        keep_alive: Duration::from_secs(15),
    };
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}
