//! Holds what the server says to the official JSON Schema of the revision it says it in.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::shared;

/// The revision that needs no handshake.
pub const MODERN: &str = "2026-07-28";
/// The newest one that does.
pub const NEWEST_LEGACY: &str = "2025-11-25";
const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", NEWEST_LEGACY];

/// What was asked, so that the answers can be judged.
#[derive(Clone, Debug)]
struct Asked {
    method: String,
    revision: &'static str,
    token: Option<Value>,
}

/// Follows a conversation from both sides, and judges each message of the server.
#[derive(Debug, Default)]
pub struct Judge {
    asked: HashMap<String, Vec<Asked>>,
    answers: HashMap<String, usize>,
    negotiated: Option<&'static str>,
    heard_noise: bool,
    limit: usize,
    heard_log_level: bool,
}

impl Judge {
    /// Before the first message, to a server that takes none longer than `limit`.
    #[must_use]
    pub fn new(limit: usize) -> Judge {
        Judge { limit, ..Judge::default() }
    }

    /// The client says this line, whatever it is.
    pub fn client_says(&mut self, line: &[u8]) {
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        self.heard_noise |= line.len() > self.limit;
        match serde_json::from_slice(line) {
            Ok(Value::Array(items)) => {
                self.heard_noise |= self.negotiated != Some("2025-03-26") || items.is_empty();
                // No handshake takes effect in a batch.
                let negotiated = self.negotiated;
                items.iter().for_each(|item| self.client_message(item));
                self.negotiated = negotiated;
            }
            Ok(message) => self.client_message(&message),
            Err(_) => self.heard_noise = true,
        }
    }

    fn client_message(&mut self, message: &Value) {
        let Some(id) = message.get("id").filter(|id| is_id(id)) else {
            self.heard_noise |= message.get("id").is_some() || message.get("method").is_none();
            return;
        };
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        let meta = &message["params"]["_meta"];
        self.heard_log_level |= meta.get("io.modelcontextprotocol/logLevel").is_some() || method == "logging/setLevel";
        let is_modern = meta.as_object().is_some_and(|meta| {
            ["protocolVersion", "clientCapabilities", "clientInfo", "logLevel"]
                .iter()
                .any(|key| meta.contains_key(&format!("io.modelcontextprotocol/{key}")))
        });
        let revision = if is_modern {
            MODERN
        } else if method == "initialize" {
            let wanted = message["params"]["protocolVersion"].as_str();
            LEGACY.into_iter().find(|name| Some(*name) == wanted).unwrap_or(NEWEST_LEGACY)
        } else {
            self.negotiated.unwrap_or(MODERN)
        };
        if method == "initialize" && !is_modern {
            self.negotiated = Some(revision);
        }
        let asked = Asked { method, revision, token: meta.get("progressToken").cloned() };
        self.asked.entry(id.to_string()).or_default().push(asked);
    }

    /// The server says this line.
    ///
    /// # Errors
    /// It may not say that.
    pub fn server_says(&mut self, line: &[u8]) -> Result<(), String> {
        let text = String::from_utf8_lossy(line).into_owned();
        self.server_line(line).map_err(|why| format!("{why}\n    in {text}"))
    }

    fn server_line(&mut self, line: &[u8]) -> Result<(), String> {
        let message: Value = serde_json::from_slice(line).map_err(|error| format!("not JSON: {error}"))?;
        let Value::Array(items) = &message else {
            return self.server_message(&message);
        };
        if self.negotiated != Some("2025-03-26") || items.is_empty() {
            return Err("an array where none may be".to_owned());
        }
        conforms(
            "2025-03-26",
            "JSONRPCBatchResponse",
            &Value::Array(items.iter().filter(|item| item.get("id").is_some()).cloned().collect()),
        )?;
        items.iter().try_for_each(|item| {
            if item.get("method").is_some() {
                return Err("a batch of answers holds answers only".to_owned());
            }
            self.server_message(item)
        })
    }

    fn server_message(&mut self, message: &Value) -> Result<(), String> {
        match (message.get("method").and_then(Value::as_str), message.get("id")) {
            (Some(method), None) => self.notification(method, message),
            (Some(method), Some(_)) => self.question(method, message),
            (None, Some(id)) => self.answer(&id.to_string(), message),
            // The id could not be read. Revisions before 2025-11-25 have no such message in their schemas, which demand an id,
            // although JSON-RPC, to which their prose refers, demands the answer; `null`, its word for it, they refuse as well.
            (None, None) if self.heard_noise => conforms(MODERN, "JSONRPCErrorResponse", message),
            (None, None) => Err("an error without an id, and nothing was wrong".to_owned()),
        }
    }

    fn answer(&mut self, id: &str, message: &Value) -> Result<(), String> {
        let asked = self.asked.get(id).ok_or("an answer to nothing")?;
        let answers = self.answers.entry(id.to_owned()).or_default();
        *answers += 1;
        if *answers > asked.len() {
            return Err("more answers than questions".to_owned());
        }
        let mut judgement = Err("unknown".to_owned());
        for asked in asked {
            judgement = asked.judge(message);
            if judgement.is_ok() {
                break;
            }
        }
        judgement
    }

    fn notification(&self, method: &str, message: &Value) -> Result<(), String> {
        let definition = match method {
            "notifications/progress" => return self.progress(message),
            "notifications/message" => "LoggingMessageNotification",
            "notifications/cancelled" => "CancelledNotification",
            "notifications/tools/list_changed" => "ToolListChangedNotification",
            "notifications/resources/list_changed" => "ResourceListChangedNotification",
            "notifications/prompts/list_changed" => "PromptListChangedNotification",
            "notifications/resources/updated" => "ResourceUpdatedNotification",
            "notifications/subscriptions/acknowledged" => "SubscriptionsAcknowledgedNotification",
            _ => return Err(format!("no such notification: {method}")),
        };
        if definition == "LoggingMessageNotification" && !self.heard_log_level {
            return Err("a log message that nobody asked for".to_owned());
        }
        let subscription = message["params"]["_meta"].get("io.modelcontextprotocol/subscriptionId");
        if let Some(id) = subscription {
            let listens = self
                .asked
                .get(&id.to_string())
                .is_some_and(|asked| asked.iter().any(|asked| asked.method == "subscriptions/listen"));
            if !listens {
                return Err("a subscription that was not asked for".to_owned());
            }
        }
        let ends_listen = definition == "CancelledNotification";
        let is_modern = subscription.is_some() || ends_listen || self.negotiated.is_none();
        let log_in_either = definition == "LoggingMessageNotification" && conforms(MODERN, definition, message).is_ok();
        match self.negotiated {
            _ if is_modern || log_in_either => conforms(MODERN, definition, message),
            Some(revision) => conforms(revision, definition, message),
            None => Err("a notification of no era".to_owned()),
        }
    }

    fn progress(&self, message: &Value) -> Result<(), String> {
        let token = &message["params"]["progressToken"];
        let mut asked = self.asked.values().flatten().filter(|asked| asked.token.as_ref() == Some(token));
        let asked = asked.next().ok_or("progress without a token")?;
        conforms(asked.revision, "ProgressNotification", message)
    }

    fn question(&self, method: &str, message: &Value) -> Result<(), String> {
        let revision = self.negotiated.ok_or("a modern server asks nothing")?;
        let definition = match method {
            "elicitation/create" => "ElicitRequest",
            "sampling/createMessage" => "CreateMessageRequest",
            "roots/list" => "ListRootsRequest",
            _ => return Err(format!("no such question: {method}")),
        };
        conforms(revision, "JSONRPCRequest", message)?;
        conforms(revision, definition, message)
    }
}

/// A string or an integer; an integer too long for 64 bits has become a float here.
fn is_id(value: &Value) -> bool {
    value.is_string() || value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|value| value.abs() > 1e18)
}

impl Asked {
    fn judge(&self, message: &Value) -> Result<(), String> {
        let is_modern = self.revision == MODERN;
        let Some(result) = message.get("result") else {
            let names_envelope = is_modern || self.revision == NEWEST_LEGACY;
            conforms(self.revision, if names_envelope { "JSONRPCErrorResponse" } else { "JSONRPCError" }, message)?;
            return self.judge_error(message);
        };
        let names_envelope = is_modern || self.revision == NEWEST_LEGACY;
        conforms(self.revision, if names_envelope { "JSONRPCResultResponse" } else { "JSONRPCResponse" }, message)?;
        if is_modern && result["resultType"] == "input_required" {
            let may = ["tools/call", "prompts/get", "resources/read"].contains(&self.method.as_str());
            let asks = result.get("inputRequests").is_some() || result.get("requestState").is_some();
            if !may || !asks || result.get("ttlMs").is_some() {
                return Err("an input_required that may not be".to_owned());
            }
            return conforms(MODERN, "InputRequiredResult", result);
        }
        let definition = match self.method.as_str() {
            "server/discover" => "DiscoverResult",
            "tools/list" => "ListToolsResult",
            "tools/call" => "CallToolResult",
            "resources/list" => "ListResourcesResult",
            "resources/templates/list" => "ListResourceTemplatesResult",
            "resources/read" => "ReadResourceResult",
            "prompts/list" => "ListPromptsResult",
            "prompts/get" => "GetPromptResult",
            "completion/complete" => "CompleteResult",
            "subscriptions/listen" => "SubscriptionsListenResult",
            "initialize" => "InitializeResult",
            _ => "EmptyResult",
        };
        if is_modern && result["resultType"] != "complete" {
            return Err("a result is complete, or requires input".to_owned());
        }
        if !is_modern && (result.get("resultType").is_some() || result.get("ttlMs").is_some()) {
            return Err("modern members in a legacy result".to_owned());
        }
        conforms(self.revision, definition, result)
    }

    /// Which codes may be sent (2026-07-28, *Overview: Error Codes*).
    fn judge_error(&self, message: &Value) -> Result<(), String> {
        let code = message["error"]["code"].as_i64().ok_or("no code")?;
        let is_modern = self.revision == MODERN;
        let definition = match code {
            -32700 if is_modern => "ParseError",
            -32600 if is_modern => "InvalidRequestError",
            -32601 if is_modern => "MethodNotFoundError",
            -32602 if is_modern => "InvalidParamsError",
            -32603 if is_modern => "InternalError",
            -32021 if is_modern => return conforms(MODERN, "MissingRequiredClientCapabilityError", message),
            -32022 if is_modern => return conforms(MODERN, "UnsupportedProtocolVersionError", message),
            -32700 | -32603..=-32600 => return Ok(()),
            -32002 if !is_modern => return Ok(()),
            _ if !(-32768..=-32000).contains(&code) => return Ok(()),
            _ => return Err(format!("the code {code} may not be sent")),
        };
        conforms(MODERN, definition, &message["error"])
    }
}

/// Does `value` conform to this definition of this revision's schema? Where there are no schemas, everything does.
///
/// # Errors
/// The first three things that are wrong.
///
/// # Panics
/// There is no such definition.
pub fn conforms(revision: &str, definition: &str, value: &Value) -> Result<(), String> {
    let Some(validator) = validator(revision, definition) else {
        return Ok(());
    };
    let wrong: Vec<String> =
        validator.iter_errors(value).take(3).map(|error| format!("{}: {error}", error.instance_path())).collect();
    if wrong.is_empty() { Ok(()) } else { Err(format!("no {definition} of {revision}: {}", wrong.join("; "))) }
}

type Cache = Mutex<HashMap<(String, String), Option<Arc<Validator>>>>;

fn validator(revision: &str, definition: &str) -> Option<Arc<Validator>> {
    static CACHE: OnceLock<Cache> = OnceLock::new();
    let mut cache = CACHE.get_or_init(Cache::default).lock().expect("no test panics inside");
    cache.entry((revision.to_owned(), definition.to_owned())).or_insert_with(|| build(revision, definition)).clone()
}

fn build(revision: &str, definition: &str) -> Option<Arc<Validator>> {
    let path = shared::folder()?.join("mcp").join(format!("schema-{revision}.json"));
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut schema: Value = serde_json::from_slice(&text).expect("a schema is JSON");
    let keyword = if schema.get("$defs").is_some() { "$defs" } else { "definitions" };
    assert!(schema[keyword].get(definition).is_some(), "{revision} has no {definition}");
    schema["$ref"] = json!(format!("#/{keyword}/{definition}"));
    Some(Arc::new(jsonschema::validator_for(&schema).expect("the official schema is one")))
}
