//! The prompts of the board.

use serde::Deserialize;
use umcp::mcp::content::{Annotations, Block, Body, Link, ResourceContents};
use umcp::server::{Argument, Complete, Get, Outcome, Prompt, Role};

use super::{Board, ICONS, NOTES, ask_name};

pub(super) const PROMPTS: &[Prompt<Board>] = &[
    Prompt::new("greet", "Say hello.", &[], |_, get| {
        get.messages().text(Role::User, "hello").text(Role::Assistant, "hello yourself").done()
    }),
    Prompt::new(
        "diagnose",
        "Find out what is wrong.",
        &[
            Argument::new("symptom").required().title("Symptom").description("What can be seen."),
            Argument::new("detail"),
        ],
        diagnose,
    )
    .title("Diagnose")
    .icons(ICONS)
    .complete(suggest),
    Prompt::new("ask", "Ask first.", &[], |_, get| ask_name(get.input_required())),
    Prompt::new("show", "All kinds of content.", &[], show),
    Prompt::new("later", "Answer later.", &[], |board, get| get.defer(|handle| board.calls.push(handle))),
];

fn diagnose(_: &mut Board, mut get: Get<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Arguments<'a> {
        symptom: &'a str,
        detail: Option<&'a str>,
    }
    let Arguments { symptom, detail } = get.args()?;
    get.user(|w| {
        w.string_part(symptom).string_part("/").string_part(detail.unwrap_or("-"));
    })
}

fn show(_: &mut Board, get: Get<'_>) -> Outcome {
    let resource = ResourceContents { uri: "board://led", mime_type: Some("text/plain"), body: Body::Text("on") };
    let link = Link { uri: "board://led", name: "led", description: None, mime_type: None };
    get.messages()
        .block(Role::User, &Block::Image { data: b"png", mime_type: "image/png" }, &NOTES)
        .block(Role::User, &Block::Audio { data: b"wav", mime_type: "audio/wav" }, &Annotations::NONE)
        .block(Role::User, &Block::Resource(resource), &Annotations::NONE)
        .block(Role::User, &Block::Link(link), &Annotations::NONE)
        .done()
}

fn suggest(_: &mut Board, complete: Complete<'_>) -> Outcome {
    let detail = complete.argument().is("detail");
    let hot = complete.chosen("symptom").is_some_and(|chosen| chosen.is_str("hot"));
    match (detail, hot) {
        (true, true) => complete.matching(["smoke", "smell"]),
        (true, false) => complete.matching([]),
        (false, _) => complete.matching(["hot", "no light", "no power"]),
    }
}
