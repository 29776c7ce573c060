//! A piece of an argument that is taken as it arrives, without ever existing whole.

use crate::json::{ReadError, ReadProblem, Value};
use crate::mcp::slot::{self, server};
use crate::mcp::{Era, Fault, Method};
use crate::rpc::{Envelope, Inbox, Invalid, classify};

use super::catalog::Catalog;
use super::endpoint::Endpoint;
use super::exchange::Principal;
use super::intake::{Intake, NotTaken, Progress, Stage, Uploads};
use super::mirror::Mirror;
use super::request::Source;
use super::serve::{Core, authorize, check_meta, check_mirror};

/// What a tool does with each piece of the argument that it [takes as it arrives](super::Tool::upload).
///
/// [`nb::Error::WouldBlock`] holds the peer back: nothing more is received on that connection, and the same piece is offered again at each
/// `next_event`. Any other error refuses the call with that [`Fault`], and nothing more of the argument is told.
pub type TakeUpload<A> = fn(&mut A, Upload<'_>) -> nb::Result<(), Fault>;

/// Names one upload of an endpoint. It is not reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct UploadId(pub(super) u32);

/// A piece of an argument that is [taken as it arrives](super::Tool::upload).
///
/// What is told is provisional: the request may break off, or be refused in the end. Then the last that is heard of it
/// [is void](Upload::is_void). Otherwise the tool's handler runs some time behind the piece that [is the last](Upload::is_last), is given
/// the same [id](Upload::id) by [`Call::upload`](super::Call::upload), and answers; if it returns an error instead, the upload is void as well.
#[derive(Clone, Copy, Debug)]
pub struct Upload<'a> {
    pub(super) id: UploadId,
    pub(super) principal: Principal,
    pub(super) piece: Piece<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Piece<'a> {
    Text { text: &'a str, is_first: bool, is_last: bool },
    Void,
}

impl<'a> Upload<'a> {
    /// Which upload it belongs to: each connection may have one under way.
    #[must_use]
    pub fn id(&self) -> UploadId {
        self.id
    }

    /// Who the caller is, as the `authorize` hook found out. (It was asked before the first piece.)
    #[must_use]
    pub fn principal(&self) -> Principal {
        self.principal
    }

    /// What goes on behind the piece before, decoded; it may be empty. How the argument is cut depends on the receive buffer and on how the bytes
    /// arrive; characters are whole.
    #[must_use]
    pub fn text(&self) -> &'a str {
        match self.piece {
            Piece::Text { text, .. } => text,
            Piece::Void => "",
        }
    }

    /// Whether the argument begins with it.
    #[must_use]
    pub fn is_first(&self) -> bool {
        matches!(self.piece, Piece::Text { is_first: true, .. })
    }

    /// Whether the argument ends with it. The rest of the request is still to come.
    #[must_use]
    pub fn is_last(&self) -> bool {
        matches!(self.piece, Piece::Text { is_last: true, .. })
    }

    /// Whether the upload has come to nothing: forget what was told. What is returned for it counts for nothing.
    #[must_use]
    pub fn is_void(&self) -> bool {
        matches!(self.piece, Piece::Void)
    }
}

impl<A> Uploads<A> {
    /// Those of a catalog that has any.
    pub(crate) const SOME: &'static Uploads<A> = &Uploads { find, offer, read_again, check, void };
}

fn find<A>(
    core: &mut Core<'_>,
    inbox: &mut Inbox<'_>,
    mirror: Option<&Mirror<'_>>,
    endpoint: &mut Endpoint<A>,
    app: &mut A,
) -> Result<(), NotTaken> {
    let catalog = endpoint.catalog;
    if let Some(Intake::Upload(progress)) = core.intake {
        let argument = catalog.upload(progress.tool).map(|upload| upload.argument);
        let goes_on = progress.stage != Stage::Ended && argument.is_some_and(|name| is_filling(inbox, name));
        return if goes_on { Ok(()) } else { Err(NotTaken::Unwanted) };
    }
    let tool = called(core, inbox, mirror, catalog)?;
    match admit(core, &Source::of(inbox, mirror), catalog, app) {
        Ok(admitted) => begin(core, tool, admitted, endpoint),
        // Why, is told when the message is whole.
        Err(_) => core.intake = Some(Intake::Upload(Progress::passing(tool))),
    }
    Ok(())
}

/// Which tool is called that takes the string which fills the buffer.
fn called<A>(
    core: &Core<'_>,
    inbox: &mut Inbox<'_>,
    mirror: Option<&Mirror<'_>>,
    catalog: &Catalog<A>,
) -> Result<u16, NotTaken> {
    let part = inbox.present();
    let source = Source::of(inbox, mirror);
    let filling = part.map_or(Value::new(b""), |(_, span)| Value::new(span.of(source.text)));
    let in_arguments = part.is_some_and(|(key, _)| usize::from(key.slot) == server::ARGUMENTS);
    let arguments = if in_arguments { Some(filling) } else { source.get(server::ARGUMENTS) };
    // An argument that stands there already came too early, if it is the larger part.
    let is_to_blame = |value: Value<'_>| {
        let others = filling.raw().len().saturating_sub(if in_arguments { value.raw().len() } else { 0 });
        value.raw().len() >= others
    };
    if !names_tool(&source, catalog) {
        // Nobody knows yet whether it is one of them.
        return Err(if arguments.is_some_and(is_to_blame) { NotTaken::Order("arguments") } else { NotTaken::Unwanted });
    }
    let (tool, argument) = find_tool(&source, catalog).ok_or(NotTaken::Unwanted)?;
    // Over HTTP a response is known by its connection.
    let is_known = (source.envelope.id || mirror.is_some()) && is_described(core, &source);
    let too_early = arguments.and_then(|arguments| arguments.get(argument)).is_some_and(is_to_blame);
    let may_be_taken = is_known && in_arguments;
    if too_early && !may_be_taken {
        return Err(NotTaken::Order(argument));
    }
    match is_filling(inbox, argument) {
        true if is_known => Ok(tool),
        true => Err(NotTaken::Order(argument)),
        false => Err(NotTaken::Unwanted),
    }
}

/// Whether it is known in which version it is to be understood.
fn is_described(core: &Core<'_>, source: &Source<'_>) -> bool {
    let missing = core.era(source).and_then(|era| check_meta(source, era)).err();
    !matches!(missing, Some(Fault::MetaMissing(_) | Fault::NotInitialized))
}

impl Progress {
    const fn passing(tool: u16) -> Progress {
        Progress { id: UploadId(0), principal: Principal::ANONYMOUS, tool, stage: Stage::Passing, waits: false }
    }
}

/// Whether something can be taken of the string that is this argument.
fn is_filling(inbox: &Inbox<'_>, argument: &str) -> bool {
    inbox.open_text().is_some_and(|open| {
        let can_be_taken = inbox.text_ends() || !open.is_empty();
        can_be_taken && usize::from(open.key().slot) == server::ARGUMENTS && open.is_at(&[argument])
    })
}

/// Whether it is known which tool is called: by the body, or by headers that stand in for it. (The hook wants it in the words of the body.)
fn names_tool<A>(source: &Source<'_>, catalog: &Catalog<A>) -> bool {
    let by_body = source.get(slot::METHOD).is_some() && source.get(server::NAME).is_some();
    let by_headers = source.mirror.is_some_and(|mirror| mirror.is_modern() && mirror.calls_tool());
    by_body || (by_headers && catalog.authorize.is_none())
}

/// The tool that is called, if it takes an argument as it arrives: which, and the argument's name.
fn find_tool<A>(source: &Source<'_>, catalog: &Catalog<A>) -> Option<(u16, &'static str)> {
    let is_call = |method: Value<'_>| method.is_str(Method::CallTool.as_str());
    if !source.get(slot::METHOD).is_none_or(is_call) {
        return None;
    }
    let name = source.get(server::NAME);
    catalog.find_upload(|tool| match (name, &source.mirror) {
        (Some(name), _) => name.is_str(tool),
        (None, Some(mirror)) => mirror.names(tool),
        (None, None) => false,
    })
}

/// What can be checked before the message is whole. All but the hook is checked again when it is.
fn admit<A>(
    core: &Core<'_>,
    source: &Source<'_>,
    catalog: &Catalog<A>,
    app: &mut A,
) -> Result<(Principal, Era), (Fault, Era)> {
    let era = core.era(source).map_err(|fault| (fault, Era::Modern))?;
    let refuse = |fault: Fault| (fault, era);
    if source.envelope.id && source.id().is_none() {
        return Err(refuse(Fault::NotAMessage(Invalid::Id)));
    }
    core.check_id(source).map_err(refuse)?;
    check_meta(source, era).map_err(refuse)?;
    if source.get(slot::METHOD).is_some() && source.get(server::NAME).is_some() {
        check_mirror(source, era).map_err(refuse)?;
    }
    core.revision(source, era).map_err(refuse)?;
    let principal = authorize(catalog, app, Method::CallTool, source).map_err(refuse)?;
    Ok((principal, era))
}

fn begin<A>(core: &mut Core<'_>, tool: u16, (principal, era): (Principal, Era), endpoint: &mut Endpoint<A>) {
    endpoint.deferred = endpoint.deferred.wrapping_add(1);
    let id = UploadId(endpoint.deferred);
    core.upload_era = era;
    core.intake = Some(Intake::Upload(Progress { id, principal, tool, stage: Stage::Begun, waits: false }));
}

fn offer<A>(core: &mut Core<'_>, inbox: &mut Inbox<'_>, catalog: &Catalog<A>, app: &mut A) -> bool {
    let Some(Intake::Upload(progress)) = &mut core.intake else { return true };
    let Some(upload) = catalog.upload(progress.tool) else { return true };
    let (text, is_last) = inbox.chunk();
    let piece = Piece::Text { text, is_first: progress.stage == Stage::Begun, is_last };
    match (upload.take)(app, Upload { id: progress.id, principal: progress.principal, piece }) {
        Ok(()) => {
            progress.stage = if is_last { Stage::Ended } else { Stage::Told };
            progress.waits = false;
        }
        Err(nb::Error::WouldBlock) => return false,
        Err(nb::Error::Other(fault)) => {
            core.intake = Some(Intake::Refused(fault));
            inbox.give_up();
        }
    }
    true
}

fn check(source: &Source<'_>, argument: &'static str) -> Result<(), Fault> {
    let members = source.get(server::ARGUMENTS).map(Value::members).into_iter().flatten();
    if members.filter(|(name, _)| name.is(argument)).nth(1).is_some() {
        return Err(Fault::Arguments(ReadError::new(ReadProblem::Duplicate { field: argument })));
    }
    Ok(())
}

fn void<A>(progress: Progress, catalog: &Catalog<A>, app: &mut A) {
    if let Some(upload) = catalog.upload(progress.tool) {
        // Nothing depends on what comes of it.
        let _ = (upload.take)(app, Upload { id: progress.id, principal: progress.principal, piece: Piece::Void });
    }
}

fn read_again<A>(
    core: &mut Core<'_>,
    inbox: &mut Inbox<'_>,
    mirror: Option<&Mirror<'_>>,
    endpoint: &mut Endpoint<A>,
    app: &mut A,
) -> bool {
    let (text, scanner) = inbox.parts();
    if classify(scanner, text) != Ok(Envelope::Request) {
        return false;
    }
    let source = Source::new(text, scanner).with(mirror);
    let Some((tool, name)) = find_tool(&source, endpoint.catalog) else { return false };
    let argument = source.get(server::ARGUMENTS).and_then(|arguments| arguments.get(name));
    let Some(argument) = argument.filter(|argument| argument.is_string()) else { return false };
    let offset = argument.raw().as_ptr().addr().wrapping_sub(source.text.as_ptr().addr());
    // If it is refused, whoever serves it finds the same reason.
    let Ok(admitted) = admit(core, &source, endpoint.catalog, app) else { return false };
    let again = inbox.stream_from(offset.saturating_add(1));
    if again {
        begin(core, tool, admitted, endpoint);
    }
    again
}
