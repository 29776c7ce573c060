//! The resources of the board, and the templates of more.

use umcp::mcp::Fault;
use umcp::mcp::content::{Body, ResourceContents};
use umcp::server::{CacheScope, Outcome, Read, Resource, Template};

use super::{Board, ICONS, NOTES, ask_name};

pub(super) const RESOURCES: &[Resource<Board>] = &[
    Resource::new("board://log", "log", |_, read| read.text("line 1\nline 2")),
    Resource::new("board://led", "led", |_, read| read.text("on"))
        .title("LED")
        .description("Whether the LED shines.")
        .mime_type("text/plain")
        .annotations(NOTES)
        .size(2)
        .icons(ICONS)
        .changes()
        .cache(5_000, CacheScope::Public),
    Resource::new("board://photo", "photo", |_, read| read.blob(&[1, 2, 3, 4])).mime_type("image/png").changes(),
    Resource::new("board://parts", "parts", parts),
    Resource::new("board://slow", "slow", slow).cache(7, CacheScope::Public),
    Resource::new("board://ask", "ask", |_, read| ask_name(read.input_required())),
    Resource::new("board://brief", "brief", brief),
];

fn parts(_: &mut Board, read: Read<'_>) -> Outcome {
    let part = |uri, body| ResourceContents { uri, mime_type: None, body };
    read.contents()
        .push(part("board://parts/1", Body::Text("a")))
        .push(part("board://parts/2", Body::Blob(b"b")))
        .done()
}

fn slow(board: &mut Board, read: Read<'_>) -> Outcome {
    read.defer(|handle| board.calls.push(handle))
}

fn brief(_: &mut Board, mut read: Read<'_>) -> Outcome {
    read.cache(1, CacheScope::Public);
    read.text("brief")
}

pub(super) const TEMPLATES: &[Template<Board>] = &[
    Template::new("file:///{+path}", "file", |_, read| {
        let path = read.variable("path").unwrap_or_default();
        read.text(path)
    }),
    Template::new("board://pin/{n}", "pin", pin)
        .title("Pin")
        .description("The level of a pin.")
        .mime_type("text/plain")
        .annotations(NOTES)
        .icons(ICONS)
        .changes()
        .cache(1_000, CacheScope::Private)
        .complete(|_, complete| {
            let numbers: Vec<String> = (0..150).map(|n| n.to_string()).collect();
            complete.matching(numbers.iter().map(String::as_str))
        }),
];

fn pin(_: &mut Board, read: Read<'_>) -> Outcome {
    match read.variable("n").and_then(|n| n.parse::<u8>().ok()) {
        Some(0..16) => read.text("low"),
        _ => Err(Fault::UnknownResource),
    }
}
