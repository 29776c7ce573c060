//! One of everything a server can show, on crate `rmcp`, over stdio, or over HTTP with `--http events` or `--http json`.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, GetPromptRequestParams, GetPromptResponse, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::stdio;
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

type Context = RequestContext<RoleServer>;
type Page = Option<PaginatedRequestParams>;

struct Gallery;

/// A complete result, from its JSON: the shortest way to say what goes on the wire.
fn typed<T: DeserializeOwned>(mut value: Value) -> Result<T, ErrorData> {
    if value.get("resultType").is_none() {
        value["resultType"] = json!("complete");
    }
    serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn tool(name: &str, description: &str, properties: Value) -> Value {
    let required: Vec<&String> = properties.as_object().into_iter().flatten().map(|(key, _)| key).collect();
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    json!({ "name": name, "description": description, "inputSchema": schema })
}

impl Gallery {
    async fn count(&self, steps: u64, context: &Context) {
        let Some(token) = context.meta.get_progress_token() else { return };
        for step in 1..=steps {
            let note = ProgressNotificationParam::new(token.clone(), step as f64).with_total(steps as f64);
            let _ = context.peer.notify_progress(note).await;
        }
    }
}

impl ServerHandler for Gallery {
    fn get_info(&self) -> ServerConfig {
        let capabilities = json!({ "tools": {}, "resources": {}, "prompts": {} });
        ServerConfig::new(serde_json::from_value(capabilities).unwrap_or_default())
    }

    async fn list_tools(&self, _: Page, _: Context) -> Result<ListToolsResult, ErrorData> {
        typed(json!({ "tools": [
            tool("echo", "Says the same text again.", json!({ "text": { "type": "string" } })),
            tool("picture", "One red pixel.", json!({})),
            tool("sound", "No sound at all.", json!({})),
            tool("attachment", "A note that comes along with the answer.", json!({})),
            tool("link", "Where the note is.", json!({})),
            tool("broken", "Always fails.", json!({})),
            tool("measure", "A typed result.", json!({})),
            tool("steps", "Counts to n and says so on the way.", json!({ "n": { "type": "integer" } })),
            tool("ask", "Asks the user first.", json!({})),
        ] }))
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let content = match &*request.name {
            "echo" => json!({ "type": "text", "text": arguments["text"] }),
            "picture" => json!({ "type": "image", "data": PIXEL, "mimeType": "image/png" }),
            "sound" => json!({ "type": "audio", "data": SILENCE, "mimeType": "audio/wav" }),
            "attachment" => {
                let note = json!({ "uri": "gallery://note", "mimeType": "text/plain", "text": "attached" });
                json!({ "type": "resource", "resource": note })
            }
            "link" => json!({ "type": "resource_link", "name": "note", "uri": "gallery://note" }),
            "steps" => {
                let steps = arguments["n"].as_u64().unwrap_or_default();
                self.count(steps, &context).await;
                json!({ "type": "text", "text": format!("{steps} steps") })
            }
            "broken" => {
                let content = json!([{ "type": "text", "text": "out of order" }]);
                return Ok(CallToolResponse::Complete(typed(json!({ "content": content, "isError": true }))?));
            }
            "measure" => {
                let measured = json!({ "celsius": 21.5, "humidity": 40 });
                let content = json!([{ "type": "text", "text": measured.to_string() }]);
                let result = json!({ "content": content, "structuredContent": measured });
                return Ok(CallToolResponse::Complete(typed(result)?));
            }
            "ask" if request.input_responses.is_none() => {
                let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
                let params = json!({ "mode": "form", "message": "What is your name?", "requestedSchema": schema });
                let who = json!({ "method": "elicitation/create", "params": params });
                let asked = json!({ "resultType": "input_required", "inputRequests": { "who": who } });
                return Ok(CallToolResponse::InputRequired(typed(asked)?));
            }
            "ask" => json!({ "type": "text", "text": "The user answered." }),
            name => return Err(ErrorData::invalid_params(format!("Unknown tool: {name}"), None)),
        };
        Ok(CallToolResponse::Complete(typed(json!({ "content": [content] }))?))
    }

    async fn list_resources(&self, _: Page, _: Context) -> Result<ListResourcesResult, ErrorData> {
        typed(json!({ "resources": [
            { "uri": "gallery://note", "name": "note", "mimeType": "text/plain" },
            { "uri": "gallery://pixel", "name": "pixel", "mimeType": "application/octet-stream" },
        ] }))
    }

    async fn list_resource_templates(&self, _: Page, _: Context) -> Result<ListResourceTemplatesResult, ErrorData> {
        typed(json!({ "resourceTemplates": [{ "uriTemplate": "gallery://page/{n}", "name": "page" }] }))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let contents = match uri.as_str() {
            "gallery://note" => json!({ "uri": uri, "mimeType": "text/plain", "text": "a note: héllo 世界" }),
            "gallery://pixel" => json!({ "uri": uri, "mimeType": "image/png", "blob": PIXEL }),
            _ => match uri.strip_prefix("gallery://page/") {
                Some(n) => json!({ "uri": uri, "mimeType": "text/plain", "text": format!("page {n}") }),
                None => return Err(ErrorData::resource_not_found(format!("Unknown resource: {uri}"), None)),
            },
        };
        Ok(ReadResourceResponse::Complete(typed(json!({ "contents": [contents] }))?))
    }

    async fn list_prompts(&self, _: Page, _: Context) -> Result<ListPromptsResult, ErrorData> {
        let arguments = json!([{ "name": "name", "required": true }]);
        typed(json!({ "prompts": [
            { "name": "greet", "description": "A friendly word.", "arguments": arguments },
        ] }))
    }

    async fn get_prompt(&self, request: GetPromptRequestParams, _: Context) -> Result<GetPromptResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let Some(name) = arguments["name"].as_str() else {
            return Err(ErrorData::invalid_params("greet wants a name", None));
        };
        let content = json!({ "type": "text", "text": format!("Say hello to {name}.") });
        let messages = json!([{ "role": "user", "content": content }]);
        Ok(GetPromptResponse::Complete(typed(json!({ "messages": messages }))?))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    if let [_, http, form] = words.as_slice()
        && http == "--http"
    {
        return rmcp_peers::serve_http(|| Gallery, form == "json").await;
    }
    Gallery.serve(stdio()).await?.waiting().await?;
    Ok(())
}
