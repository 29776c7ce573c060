//! What serves the entries of a catalog that are no tools. The catalog refers to it only where it has such entries, so a program without them
//! is linked without what serves them.

use crate::json::{Value, Writer};
use crate::mcp::slot::{self, server};
use crate::mcp::{Fault, List, Revision};
use crate::rpc::Id;

use super::catalog::{CacheHint, Catalog};
use super::endpoint::Endpoint;
use super::exchange::{Exchange, Outcome};
#[cfg(feature = "legacy")]
use super::operation::resolve_subscription;
use super::operation::{self, Operation, resolve_completion, resolve_prompt, resolve_resource};
use super::prompt::{Complete, Get};
use super::read::Read;
use super::request::{Parts, Request, Source};
use super::serve::Core;

type Run<A> = fn(&mut Core<'_>, &Request, &Operation<A>, &mut Source<'_>, &mut Endpoint<A>, &mut A) -> Outcome;

/// The functions that serve one kind of entry.
pub(crate) struct Kind<A: 'static> {
    /// Checks the parameters of its method.
    pub(crate) resolve: fn(&Source<'_>, &Catalog<A>) -> Result<Operation<A>, Fault>,
    /// Runs the handler.
    pub(crate) run: Run<A>,
    /// Writes the entry of this rank in a list.
    pub(crate) write_entry: fn(&Catalog<A>, List, usize, &mut Writer<'_>, Revision),
}

impl<A> core::fmt::Debug for Kind<A> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Kind")
    }
}

impl<A> Kind<A> {
    /// Resources, and templates of them.
    pub(crate) const RESOURCES: &'static Kind<A> =
        &Kind { resolve: resolve_resource, run: read, write_entry: write_resource };
    /// Prompts.
    pub(crate) const PROMPTS: &'static Kind<A> = &Kind { resolve: resolve_prompt, run: get, write_entry: write_prompt };
    /// The completion of arguments, which is on no list.
    pub(crate) const COMPLETION: &'static Kind<A> =
        &Kind { resolve: resolve_completion, run: complete, write_entry: |_, _, _, _, _| {} };
    /// Subscriptions of the handshake revisions, which are on no list.
    #[cfg(feature = "legacy")]
    pub(crate) const SUBSCRIPTION: &'static Kind<A> =
        &Kind { resolve: resolve_subscription, run: subscription, write_entry: |_, _, _, _, _| {} };
}

fn read<A>(
    core: &mut Core<'_>,
    request: &Request,
    operation: &Operation<A>,
    source: &mut Source<'_>,
    endpoint: &mut Endpoint<A>,
    app: &mut A,
) -> Outcome {
    core.answered = false;
    let (read, uri_template, mime_type, cache) = match *operation {
        Operation::Read(resource) => (resource.read, "", resource.mime_type, resource.cache),
        Operation::ReadTemplate(template) => (template.read, template.uri_template, template.mime_type, template.cache),
        _ => return Err(Fault::Internal),
    };
    let (parts, _) = source.split();
    let uri = parts.get(server::URI).unwrap_or(Value::new(b""));
    let exchange = exchange(core, request, parts, Some(cache), endpoint)?;
    let outcome = read(app, Read::new(exchange, uri, uri_template, mime_type));
    core.once(outcome)
}

fn get<A>(
    core: &mut Core<'_>,
    request: &Request,
    operation: &Operation<A>,
    source: &mut Source<'_>,
    endpoint: &mut Endpoint<A>,
    app: &mut A,
) -> Outcome {
    core.answered = false;
    let Operation::Get(prompt) = *operation else { return Err(Fault::Internal) };
    let mut none = *b"{}";
    let (parts, arguments) = source.split();
    let exchange = exchange(core, request, parts, None, endpoint)?;
    let outcome = (prompt.get)(app, Get::new(exchange, arguments.unwrap_or(&mut none), prompt.description));
    core.once(outcome)
}

fn complete<A>(
    core: &mut Core<'_>,
    request: &Request,
    operation: &Operation<A>,
    source: &mut Source<'_>,
    endpoint: &mut Endpoint<A>,
    app: &mut A,
) -> Outcome {
    let source = &*source;
    let typed = operation::typed(source).ok_or(Fault::Internal)?;
    let exchange = exchange(core, request, Parts::whole(source), None, endpoint)?;
    let complete = Complete::new(exchange, typed.argument, typed.value, typed.context);
    let hook = match *operation {
        Operation::CompletePrompt(prompt) => prompt.complete,
        Operation::CompleteTemplate(template) => template.complete,
        _ => None,
    };
    match hook {
        Some(hook) => hook(app, complete),
        None => complete.matching([]),
    }
}

#[cfg(feature = "legacy")]
fn subscription<A>(
    core: &mut Core<'_>,
    _: &Request,
    operation: &Operation<A>,
    source: &mut Source<'_>,
    endpoint: &mut Endpoint<A>,
    _: &mut A,
) -> Outcome {
    match operation {
        Operation::Subscribe => core.subscribe(source, endpoint),
        _ => core.unsubscribe(source),
    }
}

fn exchange<'a, A>(
    core: &'a mut Core<'_>,
    request: &Request,
    parts: Parts<'a>,
    cache: Option<CacheHint>,
    endpoint: &'a mut Endpoint<A>,
) -> Result<Exchange<'a>, Fault> {
    let id = parts.get(slot::ID).and_then(Id::new).ok_or(Fault::Internal)?;
    Ok(core.exchange(id, request, parts, cache, endpoint))
}

fn write_resource<A>(catalog: &Catalog<A>, list: List, rank: usize, w: &mut Writer<'_>, revision: Revision) {
    if list == List::ResourceTemplates {
        if let Some(template) = catalog.nth_template(rank) {
            template.write(w, revision);
        }
    } else if let Some(resource) = catalog.nth_resource(rank) {
        resource.write(w, revision);
    }
}

fn write_prompt<A>(catalog: &Catalog<A>, _: List, rank: usize, w: &mut Writer<'_>, revision: Revision) {
    if let Some(prompt) = catalog.nth_prompt(rank) {
        prompt.write(w, revision);
    }
}
