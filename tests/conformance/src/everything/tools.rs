//! The tools.

mod asking;
mod content;
mod rounds;

use umcp::mcp::Level;
use umcp::server::{Call, Outcome, Tool};
use umcp::tool;

use crate::Everything;
use crate::running::Work;

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
const MIRRORED: &str = r#"{
    "type": "object",
    "properties": {
        "region": { "type": "string", "description": "Where it runs.", "x-mcp-header": "Region" },
        "priority": { "type": "integer", "description": "How urgent it is.", "x-mcp-header": "Priority" },
        "verbose": { "type": "boolean", "description": "Whether it says more.", "x-mcp-header": "Verbose" },
        "query": { "type": "string", "description": "What is looked for; it is not mirrored." }
    },
    "required": ["region"]
}"#;

/// In the order of their names, as they are listed.
pub(crate) const TOOLS: &[Tool<Everything>] = &[
    Tool::new("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", EVERY_KEYWORD, content::arguments),
    tool!("test_audio_content", "Gives a sound.", content::sound),
    tool!(
        "test_elicitation",
        "Asks the user for a name and an address.",
        asking::elicitation(&mut Everything, asking::Elicitation),
    ),
    tool!("test_elicitation_sep1034_defaults", "Asks the user, with a default for everything.", asking::defaults,),
    tool!("test_elicitation_sep1330_enums", "Asks the user to choose, in every way there is.", asking::enums,),
    tool!("test_embedded_resource", "Gives a resource.", content::resource),
    tool!("test_error_handling", "Fails.", content::failure),
    tool!("test_image_content", "Gives a picture.", content::picture),
    tool!("test_input_required_result_capabilities", "Asks for what the client can give.", rounds::capabilities,),
    tool!("test_input_required_result_elicitation", "Asks the user's name first.", rounds::elicitation,),
    tool!("test_input_required_result_list_roots", "Asks for the client's roots first.", rounds::list_roots,),
    tool!("test_input_required_result_multi_round", "Asks two things, one after the other.", rounds::multi_round,),
    tool!("test_input_required_result_multiple_inputs", "Asks three things at once.", rounds::multiple_inputs,),
    tool!("test_input_required_result_request_state", "Has the client carry a state.", rounds::request_state,),
    tool!("test_input_required_result_sampling", "Asks the model first.", rounds::sampling),
    tool!("test_input_required_result_tampered_state", "Refuses a state that was changed.", rounds::tampered_state,),
    tool!("test_logging_tool", "Writes a log message, where that is asked for.", log_once),
    tool!("test_missing_capability", "Refuses a client that cannot ask its model.", asking::needs_sampling,),
    tool!("test_multiple_content_types", "Gives content of several kinds.", content::mixed),
    tool!("test_reconnection", "Ends the stream of its reply, which is then to be fetched.", |everything, call| call
        .defer(|handle| everything.begin(handle, Work::Wait)),),
    tool!("test_sampling", "Asks the client's model.", asking::sampling(&mut Everything, asking::Sampling)),
    tool!("test_simple_text", "Gives a text.", content::text),
    tool!("test_streaming_elicitation", "Tells of progress, then asks.", asking::streaming),
    tool!("test_tool_with_logging", "Writes three log messages.", |everything, call| {
        call.defer(|handle| everything.begin(handle, Work::Log))
    }),
    tool!("test_tool_with_progress", "Tells three times how far it is.", |everything, call| {
        call.defer(|handle| everything.begin(handle, Work::Progress))
    }),
    tool!("test_trigger_prompt_change", "Says that the prompts changed.", asking::change_prompts),
    tool!("test_trigger_tool_change", "Says that the tools changed.", asking::change_tools),
    Tool::new("test_x_mcp_header", "Gives back its arguments.", MIRRORED, content::arguments),
];

fn log_once(_: &mut Everything, mut call: Call<'_>) -> Outcome {
    let logged = call.log(Level::Info, "everything", "Diagnostic trace logging activated");
    call.text(if logged { "logged" } else { "nobody asked for log messages" })
}
