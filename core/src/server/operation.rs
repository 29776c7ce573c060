//! What a request asks for, once its parameters have been checked.

use crate::json::{Text, Value};
#[cfg(feature = "legacy")]
use crate::mcp::slot;
use crate::mcp::slot::server;
use crate::mcp::{Fault, Level, List, Method};

use super::Catalog;
use super::catalog::{Family, Prompt, Resource, Template, Tool};
use super::kind::Kind;
use super::request::Source;
use super::subscription::Filter;

/// An operation with its parameters.
pub(crate) enum Operation<A: 'static> {
    Discover,
    List {
        list: List,
        first: usize,
        end: usize,
    },
    Call(&'static Tool<A>),
    /// The tool of a family with this number.
    CallOne(&'static Family<A>, usize),
    Read(&'static Resource<A>),
    ReadTemplate(&'static Template<A>),
    Get(&'static Prompt<A>),
    CompletePrompt(&'static Prompt<A>),
    CompleteTemplate(&'static Template<A>),
    /// There is nothing to suggest.
    CompleteNothing,
    Listen,
    Initialize,
    Ping,
    SetLevel(Level),
    Subscribe,
    Unsubscribe,
}

impl<A> Operation<A> {
    /// What runs it, unless it is the server's own business.
    pub(crate) fn kind(&self, catalog: &Catalog<A>) -> Option<&'static Kind<A>> {
        match self {
            Operation::Read(_) | Operation::ReadTemplate(_) => catalog.resource_kind,
            Operation::Get(_) => catalog.prompt_kind,
            Operation::CompletePrompt(_) | Operation::CompleteTemplate(_) | Operation::CompleteNothing => {
                catalog.completion
            }
            #[cfg(feature = "legacy")]
            Operation::Subscribe | Operation::Unsubscribe => catalog.telling.map(|telling| telling.kind),
            _ => None,
        }
    }

    /// Checks the parameters of the method against the catalog.
    pub(crate) fn resolve(method: Method, source: &Source<'_>, catalog: &Catalog<A>) -> Result<Operation<A>, Fault> {
        let resolve = |kind: Option<&Kind<A>>| (kind.ok_or(Fault::UnknownMethod)?.resolve)(source, catalog);
        Ok(match method {
            Method::Discover => Operation::Discover,
            Method::List(list) => resolve_page(list, source, catalog)?,
            Method::CallTool => {
                let name = string(source, server::NAME, "Invalid params: `name` must be a string")?;
                let operation = match (catalog.tool(name), catalog.family_tool(name)) {
                    (Some(tool), _) => Operation::Call(tool),
                    (None, Some((family, number))) => Operation::CallOne(family, number),
                    (None, None) => return Err(Fault::UnknownTool),
                };
                check_arguments(source)?;
                operation
            }
            Method::ReadResource => resolve(catalog.resource_kind)?,
            Method::GetPrompt => resolve(catalog.prompt_kind)?,
            Method::Complete => resolve(catalog.completion)?,
            Method::Listen => {
                check_filter(source, catalog)?;
                Operation::Listen
            }
            Method::Initialize => {
                handshake(source)?;
                Operation::Initialize
            }
            Method::Ping => Operation::Ping,
            Method::SetLevel => Operation::SetLevel(level(source.param("level"))?),
            #[cfg(feature = "legacy")]
            Method::Subscribe | Method::Unsubscribe => resolve(catalog.telling.map(|telling| telling.kind))?,
            #[cfg(not(feature = "legacy"))]
            Method::Subscribe | Method::Unsubscribe => return Err(Fault::UnknownMethod),
        })
    }
}

/// The version and the capabilities in a handshake.
pub(crate) fn handshake<'a>(source: &'a Source<'_>) -> Result<(Value<'a>, Value<'a>), Fault> {
    const MALFORMED: Fault = Fault::Params("Invalid params: `initialize` needs a `protocolVersion` and `capabilities`");
    let version = source.param("protocolVersion").filter(|value| value.is_string()).ok_or(MALFORMED)?;
    let capabilities = source.param("capabilities").filter(|value| value.is_object()).ok_or(MALFORMED)?;
    Ok((version, capabilities))
}

/// A log level by name.
pub(crate) fn level(value: Option<Value<'_>>) -> Result<Level, Fault> {
    value.and_then(Value::as_str).and_then(Level::parse).ok_or(Fault::Params(
        "Invalid params: the log level must be one of debug, info, notice, warning, error, critical, alert, emergency",
    ))
}

/// Checks the parameters of `resources/subscribe` and `resources/unsubscribe`.
#[cfg(feature = "legacy")]
pub(super) fn resolve_subscription<A>(source: &Source<'_>, catalog: &Catalog<A>) -> Result<Operation<A>, Fault> {
    let uri = string(source, server::URI, "Invalid params: `uri` must be a string")?;
    if source.get(slot::METHOD).is_some_and(|method| method.is_str(Method::Unsubscribe.as_str())) {
        return Ok(Operation::Unsubscribe);
    }
    if exists(uri, catalog) { Ok(Operation::Subscribe) } else { Err(Fault::UnknownResource) }
}

/// Is this the URI of a resource, or that of a template's?
#[cfg(feature = "legacy")]
fn exists<A>(uri: Value<'_>, catalog: &Catalog<A>) -> bool {
    catalog.resource(uri).is_some() || uri.as_str().and_then(|uri| catalog.template_of(uri)).is_some()
}

/// Can listeners be told about this URI?
pub(crate) fn is_listenable<A>(uri: Value<'_>, catalog: &Catalog<A>) -> bool {
    match catalog.resource(uri) {
        Some(resource) => resource.changes,
        None => uri.as_str().and_then(|uri| catalog.template_of(uri)).is_some_and(|template| template.changes),
    }
}

/// Is there a filter that can be read? Apart, so that its copy is not on the stack of every request.
#[inline(never)]
fn check_filter<A>(source: &Source<'_>, catalog: &Catalog<A>) -> Result<(), Fault> {
    filter(source, catalog, &mut Filter::default())
}

/// Reads the filter of a listen request, reduced to what this server tells, into an empty one.
pub(crate) fn filter<A>(source: &Source<'_>, catalog: &Catalog<A>, filter: &mut Filter) -> Result<(), Fault> {
    const MALFORMED: Fault = Fault::Params("Invalid params: `notifications` must be a subscription filter");
    let wanted = source.param("notifications").filter(|value| value.is_object()).ok_or(MALFORMED)?;
    let flag = |name: &str| match wanted.get(name) {
        None => Ok(false),
        Some(value) => value.as_bool().ok_or(MALFORMED),
    };
    filter.tools = flag("toolsListChanged")? && catalog.tools_change;
    filter.prompts = flag("promptsListChanged")? && catalog.prompts_change;
    filter.resources = flag("resourcesListChanged")? && catalog.resources_change;
    if let Some(uris) = wanted.get("resourceSubscriptions") {
        if !uris.is_array() || !uris.items().all(Value::is_string) {
            return Err(MALFORMED);
        }
        if let Some(telling) = catalog.telling {
            (telling.add)(filter, uris, catalog);
        }
    }
    Ok(())
}

/// Where a completion's typed text stands.
pub(crate) struct Typed<'a> {
    pub(crate) argument: Text<'a>,
    pub(crate) value: Text<'a>,
    pub(crate) context: Option<Value<'a>>,
}

/// Reads the argument that is being completed. It has been checked before.
pub(crate) fn typed<'a>(source: &'a Source<'_>) -> Option<Typed<'a>> {
    let argument = source.param("argument")?;
    Some(Typed {
        argument: argument.get("name")?.as_text()?,
        value: argument.get("value")?.as_text()?,
        context: source.param("context"),
    })
}

fn string<'a>(source: &'a Source<'_>, slot: usize, otherwise: &'static str) -> Result<Value<'a>, Fault> {
    source.get(slot).filter(|value| value.is_string()).ok_or(Fault::Params(otherwise))
}

fn check_arguments(source: &Source<'_>) -> Result<(), Fault> {
    match source.get(server::ARGUMENTS) {
        None => Ok(()),
        Some(arguments) if arguments.is_object() => Ok(()),
        Some(_) => Err(Fault::Params("Invalid params: `arguments` must be an object")),
    }
}

fn check_prompt_arguments<A>(prompt: &Prompt<A>, arguments: Option<Value<'_>>) -> Result<(), Fault> {
    let given = |name: &str| arguments.and_then(|arguments| arguments.get(name));
    for argument in prompt.arguments {
        match given(argument.name) {
            None if argument.required => return Err(Fault::MissingArgument(argument.name)),
            Some(value) if !value.is_string() => {
                return Err(Fault::Params("Invalid params: the arguments of a prompt are strings"));
            }
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn resolve_prompt<A>(source: &Source<'_>, catalog: &Catalog<A>) -> Result<Operation<A>, Fault> {
    let name = string(source, server::NAME, "Invalid params: `name` must be a string")?;
    let prompt = catalog.prompt(name).ok_or(Fault::UnknownPrompt)?;
    check_arguments(source)?;
    check_prompt_arguments(prompt, source.get(server::ARGUMENTS))?;
    Ok(Operation::Get(prompt))
}

/// A cursor is the rank of the entry that its page begins with.
fn resolve_page<A>(list: List, source: &Source<'_>, catalog: &Catalog<A>) -> Result<Operation<A>, Fault> {
    let length = catalog.len(list);
    let first = match source.param("cursor") {
        None => 0,
        Some(cursor) if !cursor.is_string() => return Err(Fault::Params("Invalid params: `cursor` must be a string")),
        Some(cursor) => {
            let rank = cursor.as_str().and_then(rank).ok_or(Fault::UnknownCursor)?;
            if rank == 0 || rank >= length || rank.checked_rem(catalog.page_size) != Some(0) {
                return Err(Fault::UnknownCursor);
            }
            rank
        }
    };
    Ok(Operation::List { list, first, end: first.saturating_add(catalog.page_size).min(length) })
}

fn rank(cursor: &str) -> Option<usize> {
    let plain = cursor.bytes().all(|byte| byte.is_ascii_digit()) && !cursor.starts_with('0');
    if plain { cursor.parse().ok() } else { None }
}

pub(super) fn resolve_resource<A>(source: &Source<'_>, catalog: &Catalog<A>) -> Result<Operation<A>, Fault> {
    let uri = string(source, server::URI, "Invalid params: `uri` must be a string")?;
    if let Some(resource) = catalog.resource(uri) {
        return Ok(Operation::Read(resource));
    }
    let template = uri.as_str().and_then(|uri| catalog.template_of(uri)).ok_or(Fault::UnknownResource)?;
    Ok(Operation::ReadTemplate(template))
}

pub(super) fn resolve_completion<A>(source: &Source<'_>, catalog: &Catalog<A>) -> Result<Operation<A>, Fault> {
    const MALFORMED: Fault =
        Fault::Params("Invalid params: `argument` must have a `name` and a `value` that are strings");
    const NO_REF: Fault = Fault::Params("Invalid params: `ref` must be a ref/prompt or a ref/resource");
    typed(source).ok_or(MALFORMED)?;
    let reference = source.param("ref").ok_or(NO_REF)?;
    let kind = reference.get("type").and_then(Value::as_str);
    let name = |member: &str| reference.get(member).filter(|value| value.is_string()).ok_or(NO_REF);
    match kind {
        Some("ref/prompt") => {
            let prompt = catalog.prompt(name("name")?).ok_or(Fault::UnknownPrompt)?;
            Ok(if prompt.complete.is_some() { Operation::CompletePrompt(prompt) } else { Operation::CompleteNothing })
        }
        Some("ref/resource") => {
            let uri = name("uri")?;
            match catalog.template(uri) {
                Some(template) if template.complete.is_some() => Ok(Operation::CompleteTemplate(template)),
                Some(_) => Ok(Operation::CompleteNothing),
                None if catalog.resource(uri).is_some() => Ok(Operation::CompleteNothing),
                // Not "resource not found", which is another code in the legacy era (2025-11-25, *Completion: Error Handling*).
                None => Err(Fault::Params("Invalid params: there is no such resource or template")),
            }
        }
        _ => Err(NO_REF),
    }
}
