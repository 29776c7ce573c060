//! Prompts.

use serde::Deserialize;
use umcp::mcp::content::{Annotations, Block, Body, ResourceContents};
use umcp::server::{Argument, Get, Outcome, Prompt, Role};

use super::Everything;
use super::media::PICTURE;
use super::question::{CONTEXT, answered};

pub(crate) const PROMPTS: &[Prompt<Everything>] = &[
    Prompt::new("test_input_required_result_prompt", "A prompt that asks the user first.", &[], ask_context),
    Prompt::new(
        "test_prompt_with_arguments",
        "A prompt with two arguments.",
        &[
            Argument::new("arg1").required().description("First test argument"),
            Argument::new("arg2").required().description("Second test argument"),
        ],
        with_arguments,
    )
    .complete(|_, complete| complete.matching(["paris", "park", "party", "test", "testing"])),
    Prompt::new(
        "test_prompt_with_embedded_resource",
        "A prompt with a resource inside.",
        &[Argument::new("resourceUri").required().description("URI of the resource to embed")],
        with_resource,
    ),
    Prompt::new("test_prompt_with_image", "A prompt with a picture.", &[], |_, get| {
        get.messages()
            .block(Role::User, &Block::Image { data: PICTURE, mime_type: "image/png" }, &Annotations::NONE)
            .text(Role::User, "Please analyze the image above.")
            .done()
    }),
    Prompt::new("test_simple_prompt", "A prompt without arguments.", &[], |_, get| {
        get.messages().text(Role::User, "This is a simple prompt for testing.").done()
    }),
];

fn with_arguments(_: &mut Everything, mut get: Get<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Arguments<'a> {
        arg1: &'a str,
        arg2: &'a str,
    }
    let Arguments { arg1, arg2 } = get.args()?;
    get.user(|w| {
        w.string_part("Prompt with arguments: arg1='").string_part(arg1);
        w.string_part("', arg2='").string_part(arg2).string_part("'");
    })
}

fn with_resource(_: &mut Everything, mut get: Get<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Arguments<'a> {
        #[serde(rename = "resourceUri")]
        resource_uri: &'a str,
    }
    let Arguments { resource_uri: uri } = get.args()?;
    let body = Body::Text("Embedded resource content for testing.");
    let resource = ResourceContents { uri, mime_type: Some("text/plain"), body };
    get.messages()
        .block(Role::User, &Block::Resource(resource), &Annotations::NONE)
        .text(Role::User, "Please process the embedded resource above.")
        .done()
}

fn ask_context(_: &mut Everything, get: Get<'_>) -> Outcome {
    match answered(&get, "user_context", &["content", "context"]) {
        Some(context) => get.user(|w| {
            w.string_part("Use this context: ").string_part(&context);
        }),
        None => CONTEXT.put(get.input_required(), "user_context").done(),
    }
}
