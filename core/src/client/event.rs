//! What a connection tells its caller: [`Happened`], the bare facts, and [`Event`], the facts with a view of the message they came in.

use super::error::{Failed, Lost, RemoteError};
use super::input::InputRequired;
#[cfg(feature = "legacy")]
use super::legacy::ServerRequest;
use super::pieces::Chunk;
use super::server::Server;
use crate::json::{Decimal, Text, Value};
#[cfg(feature = "legacy")]
use crate::mcp::InputKind;
use crate::mcp::{Level, List};
use crate::rpc::{Invalid, RequestHandle};

/// What happened, without the message: small and `Copy`. From [`Connection::advance`](super::Connection::advance).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Happened {
    /// Nothing more until bytes arrive, bytes leave, or a deadline passes.
    NeedData,
    /// The server is known; requests may be sent.
    Connected,
    /// An element of a list in the answer to a request that wants [`items`](super::Options::items) has arrived. It is provisional until
    /// [`Response`](Happened::Response): if the request ends by anything else, what was told of its answer is void.
    Item(RequestHandle),
    /// A part of a long string in an element that does not fit the receive buffer has arrived: one that is called `text`, `data` or `blob`. The
    /// element follows, as an [`Item`](Happened::Item), with `""` in the place of the string. Provisional as that is.
    Chunk(RequestHandle),
    /// A request was answered. If it wants [`items`](super::Options::items), what was told of its answer is good now, and the lists in the result are empty.
    /// (In a batch, which a legacy server of 2025-03-26 may send, they are not: nothing was told of them then.)
    Response(RequestHandle),
    /// A request was answered by questions of the server's: answer them with [`retry`](super::Engine::retry). This one has ended.
    InputRequired(RequestHandle),
    /// A request was answered by an error.
    Error(RequestHandle),
    /// No answer came in time. The server has been told, or will be as soon as there is room.
    TimedOut(RequestHandle),
    /// A request that was cancelled has ended.
    Cancelled(RequestHandle),
    /// A request ended without a usable answer.
    Lost(RequestHandle, Lost),
    /// The server reports progress on a request.
    Progress(RequestHandle),
    /// The server logs.
    Log,
    /// A subscription has begun.
    Acknowledged(RequestHandle),
    /// A list has changed: fetch it again. The subscription is named where the server names it (the modern era).
    Changed(Option<RequestHandle>, List),
    /// A resource has changed: read it again.
    Updated(Option<RequestHandle>),
    /// A subscription has ended.
    ListenEnded(RequestHandle, ListenEnd),
    /// A legacy server asks something, which wants an answer.
    #[cfg(feature = "legacy")]
    Request(InputKind),
    /// A legacy server no longer wants the answer to a question of its own.
    #[cfg(feature = "legacy")]
    Withdrawn,
    /// Something was passed over.
    Ignored(Ignored),
    /// The server went away at the sight of the probe. Start it again, with [`Verdict::Legacy`](super::Verdict::Legacy).
    ProbeExited,
    /// There will be no connection. Close the stream.
    Failed(Failed),
    /// The stream has ended, and so has every request. This is the last event.
    Closed,
}

/// What happened, with a view of the message that says so. From [`Connection::next_event`](super::Connection::next_event).
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// See [`Happened::NeedData`].
    NeedData,
    /// See [`Happened::Connected`].
    Connected(Server<'a>),
    /// See [`Happened::Item`].
    Item {
        /// The request.
        handle: RequestHandle,
        /// The list: the name of the member of the result, such as `tools`.
        list: &'static str,
        /// The element.
        item: Value<'a>,
    },
    /// See [`Happened::Chunk`].
    Chunk {
        /// The request.
        handle: RequestHandle,
        /// What arrived of which string.
        chunk: Chunk<'a>,
    },
    /// See [`Happened::Response`].
    Response {
        /// The request.
        handle: RequestHandle,
        /// The result, an object.
        result: Value<'a>,
    },
    /// See [`Happened::InputRequired`].
    InputRequired {
        /// The request.
        handle: RequestHandle,
        /// The questions.
        input: InputRequired<'a>,
    },
    /// See [`Happened::Error`].
    Error {
        /// The request.
        handle: RequestHandle,
        /// The error.
        error: RemoteError<'a>,
    },
    /// See [`Happened::TimedOut`].
    TimedOut {
        /// The request.
        handle: RequestHandle,
    },
    /// See [`Happened::Cancelled`].
    Cancelled {
        /// The request.
        handle: RequestHandle,
    },
    /// See [`Happened::Lost`].
    Lost {
        /// The request.
        handle: RequestHandle,
        /// Why.
        why: Lost,
    },
    /// See [`Happened::Progress`].
    Progress {
        /// The request.
        handle: RequestHandle,
        /// How far it is. It increases.
        progress: Decimal,
        /// How far it has to go, if that is known.
        total: Option<Decimal>,
        /// What is being done.
        message: Option<Text<'a>>,
    },
    /// See [`Happened::Log`].
    Log {
        /// How severe it is.
        level: Level,
        /// Which part of the server speaks.
        logger: Option<Text<'a>>,
        /// What it says: any JSON.
        data: Value<'a>,
    },
    /// See [`Happened::Acknowledged`].
    Acknowledged {
        /// The subscription.
        handle: RequestHandle,
        /// What the server will notify of: the part of the filter that it supports. `None` from a legacy server.
        filter: Option<Value<'a>>,
    },
    /// See [`Happened::Changed`].
    Changed {
        /// The subscription.
        handle: Option<RequestHandle>,
        /// The list. Of resources, it stands for the templates too.
        list: List,
    },
    /// See [`Happened::Updated`].
    Updated {
        /// The subscription.
        handle: Option<RequestHandle>,
        /// The resource.
        uri: Text<'a>,
    },
    /// See [`Happened::ListenEnded`].
    ListenEnded {
        /// The subscription.
        handle: RequestHandle,
        /// How it ended.
        end: ListenEnd,
    },
    /// See [`Happened::Request`].
    #[cfg(feature = "legacy")]
    Request(ServerRequest<'a>),
    /// See [`Happened::Withdrawn`].
    #[cfg(feature = "legacy")]
    Withdrawn {
        /// The id of the server's request.
        id: Value<'a>,
    },
    /// See [`Happened::Ignored`].
    Ignored {
        /// Why.
        why: Ignored,
        /// The message's canonical text, as far as it was kept: nothing of what is no JSON.
        text: &'a [u8],
    },
    /// See [`Happened::ProbeExited`].
    ProbeExited,
    /// See [`Happened::Failed`].
    Failed {
        /// Why.
        why: Failed,
        /// The server's own words, where it had any.
        error: Option<RemoteError<'a>>,
        /// The version or versions it named: a string or an array.
        versions: Option<Value<'a>>,
    },
    /// See [`Happened::Closed`].
    Closed,
}

/// How a subscription ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ListenEnd {
    /// The caller closed it.
    Closed,
    /// The server ended it in good order. It may be opened again.
    Graceful,
    /// The server tore it down. It may be opened again.
    TornDown,
    /// The stream ended. Open it again on the next connection, and fetch again what it was about.
    Lost,
}

/// Why a message was passed over. It was not answered, except where that is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Ignored {
    /// No JSON, or not UTF-8: something that writes to the wire and should not. Counted by [`noise`](super::Engine::noise).
    Noise,
    /// JSON, but no message.
    NotAMessage(Invalid),
    /// Longer than the receive buffer, and nothing that was waited for.
    TooLong {
        /// The longest that fits, in bytes.
        limit: usize,
    },
    /// Nested too deeply, and nothing that was waited for.
    TooDeep,
    /// The stream ended inside a message.
    Torso,
    /// An answer to nothing that was asked; an id of another type (`"1"` for `1`) is another id.
    Unmatched,
    /// The answer to a request that was given up.
    Late,
    /// An error that does not say which request it is about.
    Anonymous,
    /// Progress on nothing that is in flight and wanted it.
    UnknownToken,
    /// Progress that does not increase.
    StaleProgress,
    /// A notification for a subscription that is not open.
    UnknownSubscription,
    /// A notification that is unknown, or not for clients.
    UnknownNotification,
    /// A notification that lacks something or has it in the wrong type.
    MalformedNotification,
    /// An item of a list that lacks what it is known by.
    MalformedItem,
    /// A tool whose parameters cannot be mirrored into headers; it is left out of the list.
    #[cfg(feature = "http")]
    Annotation(crate::http::client::AnnotationFault),
    /// A request; a modern server must not send one.
    ServerRequest,
    /// A legacy server's request for something that was not declared; it was refused.
    Undeclared,
    /// A legacy server's request whose answer does not fit the transmit buffer; it stays unanswered.
    Unanswerable,
}
