//! A message that outgrows the buffer, or brings an argument that is taken as it arrives.

use crate::json::Value;
use crate::mcp::slot::{self, server};
use crate::mcp::{Era, Fault, Method};
use crate::rpc::{Arrival, Inbox};

use super::catalog::Catalog;
use super::endpoint::Endpoint;
use super::exchange::Principal;
use super::mirror::Mirror;
use super::request::Source;
use super::serve::Core;
use super::upload::UploadId;

/// What becomes of the message at hand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Intake {
    /// It is a call that brings an argument piece by piece.
    Upload(Progress),
    /// It passes by, and is refused at its end, when its id is known.
    Refused(Fault),
}

/// How far an upload is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    pub(super) id: UploadId,
    pub(super) principal: Principal,
    /// Which tool of the catalog takes it.
    pub(super) tool: u16,
    pub(super) stage: Stage,
    /// A piece has been taken out of the message and waits for the application.
    pub(super) waits: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Nothing has been told.
    Begun,
    /// Something has.
    Told,
    /// All of it has.
    Ended,
    /// Nothing is told: the call is refused once it is whole, by who serves it.
    Passing,
}

/// Why what fills the buffer is not taken out of it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NotTaken {
    /// Nobody takes it.
    Unwanted,
    /// What has to stand before this argument does not.
    Order(&'static str),
}

/// What serves tools that take an argument as it arrives. The catalog refers to it only where it has such a tool, so a program without one
/// is linked without what serves it.
#[derive(Clone, Copy)]
pub(crate) struct Uploads<A: 'static> {
    /// Is the string that fills the buffer an upload? It has begun then.
    pub(super) find: Look<A, Result<(), NotTaken>>,
    /// Offers the piece that waits. `false`: the application cannot take it now.
    pub(super) offer: fn(&mut Core<'_>, &mut Inbox<'_>, &Catalog<A>, &mut A) -> bool,
    /// Has the message that is held read once more, if it brings an upload.
    pub(super) read_again: Look<A, bool>,
    /// Is the argument given once? One that is told is no longer where the tool could see that there are two.
    pub(super) check: fn(&Source<'_>, &'static str) -> Result<(), Fault>,
    /// Tells that an upload has come to nothing.
    pub(super) void: fn(Progress, &Catalog<A>, &mut A),
}

/// Looks at what has arrived.
type Look<A, R> = fn(&mut Core<'_>, &mut Inbox<'_>, Option<&Mirror<'_>>, &mut Endpoint<A>, &mut A) -> R;

impl<A> core::fmt::Debug for Uploads<A> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Uploads")
    }
}

impl Core<'_> {
    /// The message at hand has filled the buffer, or a string of it has ended of which something was taken. It goes on without what
    /// nobody asks for, or in pieces, or passes by.
    #[inline(never)]
    pub(crate) fn outgrown<A>(
        &mut self,
        arrival: Arrival,
        inbox: &mut Inbox<'_>,
        mirror: Option<&Mirror<'_>>,
        endpoint: &mut Endpoint<A>,
        app: &mut A,
    ) {
        if arrival == Arrival::Full && inbox.stream() {
            return;
        }
        let limit = inbox.limit();
        let part = inbox.present();
        let found = match endpoint.catalog.uploads {
            Some(uploads) => (uploads.find)(self, inbox, mirror, endpoint, app),
            None => Err(NotTaken::Unwanted),
        };
        let fault = match found {
            Ok(()) => {
                inbox.take_text();
                if let Some(Intake::Upload(progress)) = &mut self.intake {
                    progress.waits = progress.stage != Stage::Passing;
                }
                return;
            }
            Err(NotTaken::Unwanted) => match part {
                _ if calls_nothing(&Source::of(inbox, mirror), endpoint.catalog) => Fault::UnknownTool,
                Some((part, _)) => Fault::PartTooLong { part: part.name, limit },
                None => Fault::TooLong { limit },
            },
            Err(NotTaken::Order(argument)) => Fault::Order { argument, limit },
        };
        self.void_upload(endpoint.catalog, app);
        self.intake = Some(Intake::Refused(fault));
    }

    /// Whether a piece waits for the application, and nothing may be received.
    pub(crate) fn holds_piece(&self) -> bool {
        matches!(self.intake, Some(Intake::Upload(Progress { waits: true, .. })))
    }

    /// Offers the piece that waits, if there is one. `false`: the application cannot take it now.
    pub(crate) fn offer_piece<A>(&mut self, inbox: &mut Inbox<'_>, catalog: &Catalog<A>, app: &mut A) -> bool {
        match catalog.uploads {
            Some(uploads) if self.holds_piece() => (uploads.offer)(self, inbox, catalog, app),
            _ => true,
        }
    }

    /// A whole message has arrived. If it calls a tool that takes an argument as it arrives, it is read once more, so that this one
    /// is told like any other. `true`: it is.
    pub(crate) fn reads_again<A>(
        &mut self,
        inbox: &mut Inbox<'_>,
        mirror: Option<&Mirror<'_>>,
        endpoint: &mut Endpoint<A>,
        app: &mut A,
    ) -> bool {
        match endpoint.catalog.uploads {
            Some(uploads) if self.intake.is_none() => (uploads.read_again)(self, inbox, mirror, endpoint, app),
            _ => false,
        }
    }

    /// The message has ended, or will not: what was told of it is void, unless a handler has answered.
    pub(crate) fn void_upload<A>(&mut self, catalog: &Catalog<A>, app: &mut A) {
        if let Some(Intake::Upload(progress)) = self.intake.take()
            && !matches!(progress.stage, Stage::Begun | Stage::Passing)
            && let Some(uploads) = catalog.uploads
        {
            (uploads.void)(progress, catalog, app);
        }
    }

    /// Why the message that has passed by is refused.
    pub(crate) fn refusal(&self) -> Option<(Fault, Era)> {
        match self.intake? {
            Intake::Refused(fault) => Some((fault, self.upload_era)),
            Intake::Upload(_) => None,
        }
    }

    /// Who the caller is, where the hook was asked before the first piece.
    pub(crate) fn uploader(&self) -> Option<Principal> {
        match self.intake? {
            Intake::Upload(progress) if progress.stage != Stage::Passing => Some(progress.principal),
            _ => None,
        }
    }

    /// The call at hand has brought something of which nothing was told.
    pub(crate) fn has_passed(&self) -> bool {
        matches!(self.intake, Some(Intake::Upload(Progress { stage: Stage::Passing, .. })))
    }

    /// What the call at hand has brought, all of which has been told.
    pub(crate) fn uploaded(&self) -> Option<UploadId> {
        match self.intake? {
            Intake::Upload(Progress { id, stage: Stage::Ended, .. }) => Some(id),
            _ => None,
        }
    }
}

/// Whether it calls a tool that there is not, which is worse than its length.
fn calls_nothing<A>(source: &Source<'_>, catalog: &Catalog<A>) -> bool {
    let is_unknown = |name: Value<'_>| catalog.tool(name).is_none() && catalog.family_tool(name).is_none();
    source.is(slot::METHOD, Method::CallTool.as_str()) && source.get(server::NAME).is_some_and(is_unknown)
}

impl Source<'_> {
    /// What has arrived of the message that is being received.
    pub(super) fn of<'m>(inbox: &'m mut Inbox<'_>, mirror: Option<&'m Mirror<'m>>) -> Source<'m> {
        let (text, scanner) = inbox.parts();
        Source::new(text, scanner).with(mirror)
    }
}
