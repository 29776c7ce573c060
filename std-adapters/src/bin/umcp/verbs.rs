//! The verbs that ask a server one thing.

use std::cell::RefCell;
use std::rc::Rc;

use umcp::client::{Content, Embedded, Server, arguments};
use umcp::io::Reply;
use umcp::json::{Text, Value};
use umcp::mcp::{Era, List};

use crate::args::Words;
use crate::exit::{Exit, PEER_ERROR};
use crate::output::Output;
use crate::session::{Session, with_server};
use crate::several::Several;
use crate::table::{Table, printable};
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
    server.answer().map(text_of).unwrap_or_else(|| "{}".to_owned())
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

pub(crate) fn call(args: &Words<2>) -> Result<(), Exit> {
    let several = Several::of(args, 1)?;
    let target = if several.is_none() { Some(Target::of(args, 1)?) } else { None };
    let (name, mut text) = name_and_arguments(target.as_ref().map_or(&args.words, |target| target.words));
    let arguments = arguments(&mut text).map_err(|why| Exit::usage(format!("calling {name}: {why}")))?;
    let mut failed = false;
    let mut print = |reply: &Reply<'_>, json: bool, out: &mut Output| {
        show(reply, json, out, |reply, out| reply.content().for_each(|content| print_content(content, out)));
        failed = reply.is_error();
    };
    match (several, &target) {
        (Some(several), _) => several.ask(List::Tools, name, |client, name, json, out| {
            let options = client.options;
            client.call_raw(name, arguments, options).map(|reply| print(&reply, json, out))
        }),
        (None, Some(target)) => ask_target(target, args, |session, json, out| {
            let options = session.options;
            let reply = session.call_raw(name, arguments, options)?;
            print(&reply, json, out);
            Ok(())
        }),
        (None, None) => Ok(()),
    }?;
    if failed { Err(Exit::new(PEER_ERROR, format!("the tool {name} failed"))) } else { Ok(()) }
}

pub(crate) fn read(args: &Words<1>) -> Result<(), Exit> {
    let print = |reply: &Reply<'_>, json: bool, out: &mut Output| {
        show(reply, json, out, |reply, out| reply.contents().for_each(|resource| print_resource(resource, out)));
    };
    if let Some(several) = Several::of(args, 1)? {
        let uri = args.words.first().map_or("", String::as_str);
        return several.ask(List::Resources, uri, |client, uri, json, out| {
            client.read(uri).map(|reply| print(&reply, json, out))
        });
    }
    ask(args, 1, |session, words, json, out| {
        let uri = words.first().map_or("", String::as_str);
        print(&session.read(uri)?, json, out);
        Ok(())
    })
}

pub(crate) fn prompt(args: &Words<2>) -> Result<(), Exit> {
    let several = Several::of(args, 1)?;
    let target = if several.is_none() { Some(Target::of(args, 1)?) } else { None };
    let (name, text) = name_and_arguments(target.as_ref().map_or(&args.words, |target| target.words));
    let parsed: Result<std::collections::BTreeMap<String, String>, _> = serde_json::from_slice(&text);
    let arguments = parsed.map_err(|why| {
        Exit::usage(format!("the arguments of {name} must be a JSON object whose values are strings: {why}"))
    })?;
    let print = |reply: &Reply<'_>, json: bool, out: &mut Output| {
        show(reply, json, out, |reply, out| {
            for (role, content) in reply.messages() {
                out.part(format_args!("{}: ", printable(&role.to_string())));
                print_content(content, out);
            }
        });
    };
    match (several, &target) {
        (Some(several), _) => several.ask(List::Prompts, name, |client, name, json, out| {
            client.prompt(name, &arguments).map(|reply| print(&reply, json, out))
        }),
        (None, Some(target)) => ask_target(target, args, |session, json, out| {
            print(&session.prompt(name, &arguments)?, json, out);
            Ok(())
        }),
        (None, None) => Ok(()),
    }
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
        out.print().and(done)
    })
}

/// Fetches all pages of a list, and prints them as one result, or as a table.
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
        let mut items: Vec<String> = Vec::new();
        let mut table = Table::new();
        session.list(
            list,
            |item| if json { items.push(text_of(item)) } else { row(&string(item, key), item, &mut table) },
        )?;
        if !json {
            table.print(out);
            return Ok(());
        }
        // What the last page said beside its items stands for all of them.
        let rest = session.engine().result().into_iter().flat_map(Value::members);
        let rest: String = rest
            .filter(|(name, _)| !name.is(list.member()) && !name.is("nextCursor"))
            .map(|(name, value)| format!(",{}:{}", serde_json::Value::from(name.to_string()), text_of(value)))
            .collect();
        out.line(format_args!("{{\"{}\":[{}]{rest}}}", list.member(), items.join(",")));
        Ok(())
    })
}

fn show(reply: &Reply<'_>, json: bool, out: &mut Output, print: impl FnOnce(&Reply<'_>, &mut Output)) {
    if json { out.line(text_of(reply.result())) } else { print(reply, out) }
}

fn name_and_arguments(words: &[String]) -> (&str, Vec<u8>) {
    match words {
        [name, arguments, ..] => (name, arguments.clone().into_bytes()),
        [name] => (name, b"{}".to_vec()),
        [] => ("", Vec::new()),
    }
}

fn text_of(value: Value<'_>) -> String {
    String::from_utf8_lossy(value.raw()).into_owned()
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

fn print_content(content: Content<'_>, out: &mut Output) {
    match content {
        Content::Text(text) => out.line(printable(&text.to_string())),
        Content::Image { data, mime_type } => print_media("image", data, mime_type, out),
        Content::Audio { data, mime_type } => print_media("audio", data, mime_type, out),
        Content::Resource(resource) => print_resource(resource, out),
        Content::ResourceLink { uri, .. } => out.line(format_args!("[link to {}]", printable(&uri.to_string()))),
        other => out.line(format_args!("[{}]", printable(&format!("{other:?}")))),
    }
}

fn print_resource(resource: Embedded<'_>, out: &mut Output) {
    match (resource.text(), resource.blob()) {
        (Some(text), _) => out.line(printable(&text.to_string())),
        (None, Some(blob)) => {
            let mime_type = resource.mime_type().map(|text| text.to_string()).unwrap_or_default();
            out.line(format_args!(
                "[{} {mime_type}, {} bytes]",
                printable(&resource.uri().to_string()),
                decoded_len(blob)
            ));
        }
        (None, None) => out.line(format_args!("[{}]", printable(&resource.uri().to_string()))),
    }
}

fn print_media(kind: &str, data: Text<'_>, mime_type: Text<'_>, out: &mut Output) {
    out.line(format_args!("[{kind} {}, {} bytes]", printable(&mime_type.to_string()), decoded_len(data)));
}

/// How many bytes a Base64 text stands for.
fn decoded_len(text: Text<'_>) -> usize {
    let raw = text.raw();
    let padding = raw.iter().rev().take_while(|&&byte| byte == b'=').count();
    (raw.len() / 4 * 3).saturating_sub(padding)
}
