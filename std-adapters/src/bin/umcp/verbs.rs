//! The verbs that ask a server one thing.

use std::cell::RefCell;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;

use umcp::client::{Host, Server, arguments};
use umcp::io::{Client, Failure, Piece, Wire};
use umcp::json::{Text, Value};
use umcp::mcp::{Era, List};

use crate::args::Words;
use crate::exit::{Exit, PEER_ERROR};
use crate::output::Output;
use crate::place::Place;
use crate::save::Save;
use crate::session::{Session, with_server};
use crate::several::Several;
use crate::show::{Json, Show, text_of};
use crate::source::Source;
use crate::table::Table;
use crate::target::Target;
use crate::watch::Watch;

pub(crate) fn discover(args: &Words<0>) -> Result<(), Exit> {
    if let Some(several) = Several::of(args, 0)? {
        return several.discover();
    }
    ask(args, 0, |session, _, json, out| {
        let server = session.server();
        if json {
            out.line(server_text(server));
            return Ok(());
        }
        let mut table = Table::new();
        server_rows(server, &mut table);
        table.print(out);
        Ok(())
    })
}

/// What a server says about itself, in JSON.
pub(crate) fn server_text(server: Server<'_>) -> String {
    server.answer().map(|answer| text_of(answer.raw())).unwrap_or_else(|| "{}".to_owned())
}

pub(crate) fn server_rows(server: Server<'_>, table: &mut Table) {
    let text = |text: Option<Text<'_>>| text.map(|text| text.to_string()).unwrap_or_else(|| "(not said)".to_owned());
    table.row("name", text(server.name()));
    table.row("version", text(server.version()));
    if let Some(title) = server.title() {
        table.row("title", title.to_string());
    }
    let era = if server.revision().era() == Era::Modern { "modern" } else { "legacy" };
    table.row("protocol", format!("{} ({era})", server.revision()));
    let capabilities = server.capabilities().map(Value::members);
    let names: Vec<String> = capabilities.into_iter().flatten().map(|(name, _)| name.to_string()).collect();
    table.row("capabilities", names.join(", "));
    if let Some(instructions) = server.instructions() {
        table.row("instructions", instructions.to_string());
    }
}

pub(crate) fn tools(args: &Words<0>) -> Result<(), Exit> {
    list(args, List::Tools, |name, tool, table| {
        let parameters = tool.get("inputSchema").map(signature).unwrap_or_default();
        table.row(format!("{name}({parameters})"), about(tool));
    })
}

pub(crate) fn resources(args: &Words<0>, templates: bool) -> Result<(), Exit> {
    let kind = if templates { List::ResourceTemplates } else { List::Resources };
    list(args, kind, |name, resource, table| table.row(name, about(resource)))
}

pub(crate) fn prompts(args: &Words<0>) -> Result<(), Exit> {
    list(args, List::Prompts, |name, prompt, table| {
        let arguments = prompt.get("arguments").into_iter().flat_map(Value::items);
        let names: Vec<String> = arguments
            .map(|argument| {
                let required = argument.get("required").and_then(Value::as_bool).unwrap_or(false);
                optional(string(argument, "name"), required)
            })
            .collect();
        table.row(format!("{name}({})", names.join(", ")), about(prompt));
    })
}

pub(crate) fn call(args: &Words<2>, mut source: Option<Source>) -> Result<(), Exit> {
    let several = Several::of(args, 1)?;
    let target = if several.is_none() { Some(Target::of(args, 1)?) } else { None };
    let (name, mut text) = name_and_arguments(target.as_ref().map_or(&args.words, |target| target.words));
    let arguments = arguments(&mut text).map_err(|why| Exit::usage(format!("calling {name}: {why}")))?;
    if let Some(source) = &source {
        let is_http = target.as_ref().is_some_and(|target| matches!(target.place, Place::Http(_)));
        source.check(arguments, is_http)?;
    }
    let mut failed = false;
    let done = match (several, &target) {
        (Some(several), _) => several.ask(List::Tools, name, |client, name, json, out| {
            failed = call_on(client, name, arguments, source.as_mut(), json, out)?;
            Ok(())
        }),
        (None, Some(target)) => ask_target(target, args, |session, json, out| {
            failed = call_on(session, name, arguments, source.as_mut(), json, out)?;
            Ok(())
        }),
        (None, None) => Ok(()),
    };
    match source {
        Some(source) => source.close(done)?,
        None => done?,
    }
    if failed { Err(Exit::new(PEER_ERROR, format!("the tool {name} failed"))) } else { Ok(()) }
}

/// Calls a tool and shows its content as it arrives. `true`: the tool failed.
fn call_on<W: Wire<Error = io::Error>, H: Host>(
    client: &mut Client<'_, W, H>,
    name: &str,
    arguments: Value<'_>,
    source: Option<&mut Source>,
    json: bool,
    out: &mut Output,
) -> Result<bool, Failure<io::Error>> {
    let mut show = Show::new("content", json);
    let each = |piece: Piece<'_>| shown(&mut show, piece, out);
    let reply = match source {
        None => client.call_raw_items(name, arguments, each)?,
        Some(source) => {
            let (upload, read) = source.parts();
            client.call_raw_items_from(name, arguments, upload, read, each)?
        }
    };
    show.end(&reply, out);
    Ok(reply.is_error())
}

pub(crate) fn read(args: &Words<1>, output: Option<&Path>) -> Result<(), Exit> {
    let several = Several::of(args, 1)?;
    let target = if several.is_none() { Some(Target::of(args, 1)?) } else { None };
    let words = target.as_ref().map_or(&*args.words, |target| target.words);
    let uri = words.first().map_or("", String::as_str);
    let mut file = output.map(Save::create).transpose()?;
    let done = match (several, &target) {
        (Some(several), _) => {
            several.ask(List::Resources, uri, |client, uri, json, out| read_on(client, uri, json, out, file.as_mut()))
        }
        (None, Some(target)) => {
            ask_target(target, args, |session, json, out| Ok(read_on(session, uri, json, out, file.as_mut())?))
        }
        (None, None) => Ok(()),
    };
    match file {
        Some(file) => file.close(done),
        None => done,
    }
}

/// Reads a resource, and shows or saves it as it arrives.
fn read_on<W: Wire<Error = io::Error>, H: Host>(
    client: &mut Client<'_, W, H>,
    uri: &str,
    json: bool,
    out: &mut Output,
    file: Option<&mut Save<'_>>,
) -> Result<(), Failure<io::Error>> {
    if let Some(file) = file {
        return client.read_to(uri, |bytes| file.put(bytes)).map(|_| ());
    }
    let mut show = Show::new("contents", json);
    let reply = client.read_items(uri, |piece| shown(&mut show, piece, out))?;
    show.end(&reply, out);
    Ok(())
}

pub(crate) fn prompt(args: &Words<2>) -> Result<(), Exit> {
    let several = Several::of(args, 1)?;
    let target = if several.is_none() { Some(Target::of(args, 1)?) } else { None };
    let (name, text) = name_and_arguments(target.as_ref().map_or(&args.words, |target| target.words));
    let parsed: Result<Arguments, _> = serde_json::from_slice(&text);
    let arguments = parsed.map_err(|why| {
        Exit::usage(format!("the arguments of {name} must be a JSON object whose values are strings: {why}"))
    })?;
    match (several, &target) {
        (Some(several), _) => {
            several.ask(List::Prompts, name, |client, name, json, out| prompt_on(client, name, &arguments, json, out))
        }
        (None, Some(target)) => {
            ask_target(target, args, |session, json, out| Ok(prompt_on(session, name, &arguments, json, out)?))
        }
        (None, None) => Ok(()),
    }
}

/// Those of a prompt are strings.
type Arguments = std::collections::BTreeMap<String, String>;

/// Gets a prompt and shows its messages as they arrive.
fn prompt_on<W: Wire<Error = io::Error>, H: Host>(
    client: &mut Client<'_, W, H>,
    name: &str,
    arguments: &Arguments,
    json: bool,
    out: &mut Output,
) -> Result<(), Failure<io::Error>> {
    let mut show = Show::new("messages", json);
    let reply = client.prompt_items(name, arguments, |piece| shown(&mut show, piece, out))?;
    show.end(&reply, out);
    Ok(())
}

/// Shows a piece of a result. If standard output takes no more, no more is wanted.
fn shown(show: &mut Show, piece: Piece<'_>, out: &mut Output) -> ControlFlow<()> {
    show.piece(piece, out);
    if out.flush() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

/// Connects to the target and runs a verb that takes at least `least` words.
fn ask<const MOST: usize>(
    args: &Words<MOST>,
    least: usize,
    work: impl FnOnce(&mut Session<'_>, &[String], bool, &mut Output) -> Result<(), Exit>,
) -> Result<(), Exit> {
    let target = Target::of(args, least)?;
    ask_target(&target, args, |session, json, out| work(session, target.words, json, out))
}

/// Connects to this target and runs a verb whose words have been checked.
fn ask_target<const MOST: usize>(
    target: &Target<'_>,
    args: &Words<MOST>,
    work: impl FnOnce(&mut Session<'_>, bool, &mut Output) -> Result<(), Exit>,
) -> Result<(), Exit> {
    let watch = Rc::new(RefCell::new(Watch::default()));
    with_server(target, &args.common, &watch, |session| {
        let mut out = Output::default();
        let done = work(session, args.common.json, &mut out);
        // Whoever has stopped reading has stopped the verb.
        out.print().and(done)
    })
}

/// Fetches all pages of a list, and prints them as one result, or as a table, as they arrive.
fn list(args: &Words<0>, list: List, mut row: impl FnMut(&str, Value<'_>, &mut Table)) -> Result<(), Exit> {
    if let Some(several) = Several::of(args, 0)? {
        return several.list(list, row);
    }
    let key = match list {
        List::Resources => "uri",
        List::ResourceTemplates => "uriTemplate",
        _ => "name",
    };
    ask(args, 0, |session, _, json, out| {
        let mut shown = Json::new(list.member());
        let mut table = Table::new();
        session.list(list, |item| {
            if json {
                shown.item(item, out);
            } else {
                row(&string(item, key), item, &mut table);
                table.print_settled(out);
            }
            if out.flush() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        if !json {
            table.print(out);
            return Ok(());
        }
        // What the last page said beside its items stands for all of them.
        if let Some(rest) = session.engine().result() {
            shown.end(rest, "nextCursor", out);
        }
        Ok(())
    })
}

fn name_and_arguments(words: &[String]) -> (&str, Vec<u8>) {
    match words {
        [name, arguments, ..] => (name, arguments.clone().into_bytes()),
        [name] => (name, b"{}".to_vec()),
        [] => ("", Vec::new()),
    }
}

fn string(object: Value<'_>, member: &str) -> String {
    object.get(member).and_then(Value::as_text).map(|text| text.to_string()).unwrap_or_default()
}

fn about(object: Value<'_>) -> String {
    ["description", "title", "name"]
        .into_iter()
        .map(|member| string(object, member))
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}

/// The parameters of a tool, as in `on, times?`.
fn signature(schema: Value<'_>) -> String {
    let required = |name: &str| schema.get("required").is_some_and(|names| names.items().any(|item| item.is_str(name)));
    let properties = schema.get("properties").into_iter().flat_map(Value::members);
    let names: Vec<String> =
        properties.map(|(name, _)| optional(name.to_string(), required(&name.to_string()))).collect();
    names.join(", ")
}

fn optional(name: String, required: bool) -> String {
    if required { name } else { format!("{name}?") }
}
