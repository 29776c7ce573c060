//! The tools.

mod asking;
mod content;
mod rounds;

use umcp::mcp::Level;
use umcp::schema;
use umcp::server::{Call, Outcome, Tool};

use crate::Everything;
use crate::running::Work;

const NO_ARGUMENTS: &str = schema!({});

/// Keywords that a server has to pass on as they are (SEP-1613, SEP-2106).
const EVERY_KEYWORD: &str = r##"{
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
        }
    },
    "properties": {
        "name": { "type": "string" },
        "address": { "$ref": "#/$defs/address" },
        "contactMethod": { "type": "string", "enum": ["phone", "email"] },
        "phone": { "type": "string" },
        "email": { "type": "string" }
    },
    "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
    "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
    "then": { "required": ["phone"] },
    "else": { "required": ["email"] },
    "additionalProperties": false
}"##;

/// Arguments that are mirrored into headers over HTTP (2026-07-28, *Custom Headers from Tool Parameters*).
const MIRRORED: &str = schema!({
    region: (r#"{"type":"string","description":"Where it runs.","x-mcp-header":"Region"}"#),
    priority?: (r#"{"type":"integer","description":"How urgent it is.","x-mcp-header":"Priority"}"#),
    verbose?: (r#"{"type":"boolean","description":"Whether it says more.","x-mcp-header":"Verbose"}"#),
    query?: str = "What is looked for; it is not mirrored."
});

/// In the order of their names, as they are listed.
pub(crate) const TOOLS: &[Tool<Everything>] = &[
    Tool::new("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", EVERY_KEYWORD, content::arguments),
    Tool::new("test_audio_content", "Gives a sound.", NO_ARGUMENTS, content::sound),
    Tool::new(
        "test_elicitation",
        "Asks the user for a name and an address.",
        schema!({ message: str = "What the user is told." }),
        asking::elicitation,
    ),
    Tool::new(
        "test_elicitation_sep1034_defaults",
        "Asks the user, with a default for everything.",
        NO_ARGUMENTS,
        asking::defaults,
    ),
    Tool::new(
        "test_elicitation_sep1330_enums",
        "Asks the user to choose, in every way there is.",
        NO_ARGUMENTS,
        asking::enums,
    ),
    Tool::new("test_embedded_resource", "Gives a resource.", NO_ARGUMENTS, content::resource),
    Tool::new("test_error_handling", "Fails.", NO_ARGUMENTS, content::failure),
    Tool::new("test_image_content", "Gives a picture.", NO_ARGUMENTS, content::picture),
    Tool::new(
        "test_input_required_result_capabilities",
        "Asks for what the client can give.",
        NO_ARGUMENTS,
        rounds::capabilities,
    ),
    Tool::new(
        "test_input_required_result_elicitation",
        "Asks the user's name first.",
        NO_ARGUMENTS,
        rounds::elicitation,
    ),
    Tool::new(
        "test_input_required_result_list_roots",
        "Asks for the client's roots first.",
        NO_ARGUMENTS,
        rounds::list_roots,
    ),
    Tool::new(
        "test_input_required_result_multi_round",
        "Asks two things, one after the other.",
        NO_ARGUMENTS,
        rounds::multi_round,
    ),
    Tool::new(
        "test_input_required_result_multiple_inputs",
        "Asks three things at once.",
        NO_ARGUMENTS,
        rounds::multiple_inputs,
    ),
    Tool::new(
        "test_input_required_result_request_state",
        "Has the client carry a state.",
        NO_ARGUMENTS,
        rounds::request_state,
    ),
    Tool::new("test_input_required_result_sampling", "Asks the model first.", NO_ARGUMENTS, rounds::sampling),
    Tool::new(
        "test_input_required_result_tampered_state",
        "Refuses a state that was changed.",
        NO_ARGUMENTS,
        rounds::tampered_state,
    ),
    Tool::new("test_logging_tool", "Writes a log message, where that is asked for.", NO_ARGUMENTS, log_once),
    Tool::new(
        "test_missing_capability",
        "Refuses a client that cannot ask its model.",
        NO_ARGUMENTS,
        asking::needs_sampling,
    ),
    Tool::new("test_multiple_content_types", "Gives content of several kinds.", NO_ARGUMENTS, content::mixed),
    Tool::new(
        "test_reconnection",
        "Ends the stream of its reply, which is then to be fetched.",
        NO_ARGUMENTS,
        |everything, call| call.defer(|handle| everything.begin(handle, Work::Wait)),
    ),
    Tool::new(
        "test_sampling",
        "Asks the client's model.",
        schema!({ prompt: str = "What the model is asked." }),
        asking::sampling,
    ),
    Tool::new("test_simple_text", "Gives a text.", NO_ARGUMENTS, content::text),
    Tool::new("test_streaming_elicitation", "Tells of progress, then asks.", NO_ARGUMENTS, asking::streaming),
    Tool::new("test_tool_with_logging", "Writes three log messages.", NO_ARGUMENTS, |everything, call| {
        call.defer(|handle| everything.begin(handle, Work::Log))
    }),
    Tool::new("test_tool_with_progress", "Tells three times how far it is.", NO_ARGUMENTS, |everything, call| {
        call.defer(|handle| everything.begin(handle, Work::Progress))
    }),
    Tool::new("test_trigger_prompt_change", "Says that the prompts changed.", NO_ARGUMENTS, asking::change_prompts),
    Tool::new("test_trigger_tool_change", "Says that the tools changed.", NO_ARGUMENTS, asking::change_tools),
    Tool::new("test_x_mcp_header", "Gives back its arguments.", MIRRORED, content::arguments),
];

fn log_once(_: &mut Everything, mut call: Call<'_>) -> Outcome {
    let logged = call.log(Level::Info, "everything", "Diagnostic trace logging activated");
    call.text(if logged { "logged" } else { "nobody asked for log messages" })
}
