//! Drives the client of crate `rmcp`; `drive/line.py` has the protocol of operations.

use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, PingRequest, ProgressNotificationParam, ProtocolVersion,
    SubscriptionFilter,
};
use rmcp::model::{ResourceUpdatedNotificationParam, ServerNotification};
use rmcp::service::{NotificationContext, PeerRequestOptions, RunningService, ServiceError, Subscription};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};
use tokio::process::Command;
use tokio::time::timeout;

type Failure = Box<dyn Error>;

/// What the server said without being asked.
#[derive(Clone, Default)]
struct Ears {
    progress: Arc<Mutex<Vec<f64>>>,
    updates: Arc<Mutex<Vec<String>>>,
}

impl ClientHandler for Ears {
    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.progress.lock().unwrap().push(params.progress);
    }

    async fn on_resource_updated(&self, params: ResourceUpdatedNotificationParam, _: NotificationContext<RoleClient>) {
        self.updates.lock().unwrap().push(params.uri);
    }
}

struct Session {
    client: RunningService<RoleClient, Ears>,
    ears: Ears,
    subscription: Option<Subscription>,
}

impl Session {
    async fn open(request: &Value) -> Result<(Self, Value), Failure> {
        let mode = request["mode"].as_str().unwrap_or_default();
        let modern = vec![ProtocolVersion::V_2026_07_28];
        let lifecycle = match mode {
            "initialize" => ClientLifecycleMode::Initialize,
            "discover" => ClientLifecycleMode::Discover { preferred_versions: modern },
            _ => ClientLifecycleMode::Auto { preferred_versions: modern, legacy_version: None },
        };
        let ears = Ears::default();
        let client = match request["url"].as_str() {
            Some(url) => {
                let transport = StreamableHttpClientTransport::from_uri(url);
                ears.clone().serve_with_lifecycle(transport, lifecycle).await?
            }
            None => {
                let transport = TokioChildProcess::new(command(request)?)?;
                ears.clone().serve_with_lifecycle(transport, lifecycle).await?
            }
        };
        let info = client.peer_info().ok_or("the server did not introduce itself")?;
        let hello = json!({ "protocol": info.protocol_version, "server": info.server_info });
        Ok((Session { client, ears, subscription: None }, hello))
    }

    async fn answer(&mut self, op: &str, request: &Value) -> Result<Value, Failure> {
        let params = |keys: &[&str]| keys.iter().map(|&key| (key, request[key].clone())).collect::<Value>();
        match op {
            "tools" => plain(self.client.list_all_tools().await?),
            "resources" => plain(self.client.list_all_resources().await?),
            "templates" => plain(self.client.list_all_resource_templates().await?),
            "prompts" => plain(self.client.list_all_prompts().await?),
            "read" => plain(self.client.read_resource(serde_json::from_value(params(&["uri"]))?).await?),
            "prompt" => {
                let params = serde_json::from_value(params(&["name", "arguments"]))?;
                plain(self.client.get_prompt(params).await?)
            }
            "call" => {
                self.ears.progress.lock().unwrap().clear();
                let params = serde_json::from_value(params(&["name", "arguments"]))?;
                let mut result = serde_json::to_value(self.client.call_tool(params).await?)?;
                if request["progress"] == true {
                    result["progress"] = json!(*self.ears.progress.lock().unwrap());
                }
                Ok(result)
            }
            "cancel" => self.cancel(serde_json::from_value(params(&["name", "arguments"]))?).await,
            "complete" => {
                let text = |key: &str| request[key].as_str().unwrap_or_default().to_owned();
                let (prompt, argument, value) = (text("prompt"), text("argument"), text("value"));
                plain(self.client.complete_prompt_argument(prompt, argument, value, None).await?.values)
            }
            "ping" => plain(self.client.send_request(ClientRequest::PingRequest(PingRequest::default())).await?),
            "watch" => self.watch(request["uri"].as_str().unwrap_or_default()).await,
            "updated" => timeout(Duration::from_secs(5), self.updated()).await?,
            _ => Err(format!("no operation {op}").into()),
        }
    }

    /// Begins a call and gives it up before it has its answer.
    async fn cancel(&mut self, params: CallToolRequestParams) -> Result<Value, Failure> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let mut call = self.client.send_cancellable_request(request, PeerRequestOptions::no_options()).await?;
        if let Ok(answer) = timeout(Duration::from_millis(200), &mut call.rx).await {
            return Ok(json!({ "answered": answer?? }));
        }
        call.cancel(Some("enough".into())).await?;
        Ok(json!({ "cancelled": true }))
    }

    #[allow(deprecated)] // the legacy subscription is what the legacy rows are about
    async fn watch(&mut self, uri: &str) -> Result<Value, Failure> {
        let modern = self.client.peer_info().is_some_and(|info| info.protocol_version == ProtocolVersion::V_2026_07_28);
        if modern {
            let filter = SubscriptionFilter::builder().resource_subscription(uri).build();
            self.subscription = Some(self.client.listen(filter).await?);
        } else {
            self.client.subscribe(serde_json::from_value(json!({ "uri": uri }))?).await?;
        }
        Ok(Value::Null)
    }

    async fn updated(&mut self) -> Result<Value, Failure> {
        if let Some(subscription) = &mut self.subscription {
            return match subscription.next().await? {
                Some(ServerNotification::ResourceUpdatedNotification(update)) => plain(update.params.uri),
                other => Err(format!("instead of an update: {other:?}").into()),
            };
        }
        loop {
            if let Some(uri) = self.ears.updates.lock().unwrap().pop() {
                return plain(uri);
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// The program that is to be started as the server.
fn command(request: &Value) -> Result<Command, Failure> {
    let words: Vec<&str> = request["command"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let (program, arguments) = words.split_first().ok_or("no command")?;
    let mut command = Command::new(program);
    command.args(arguments);
    Ok(command)
}

fn plain(value: impl Serialize) -> Result<Value, Failure> {
    Ok(serde_json::to_value(value)?)
}

/// The answer line: what the peer said, an error the peer sent, or what went wrong on this side.
fn reply(outcome: Result<Value, Failure>) -> Value {
    match outcome {
        Ok(value) => json!({ "ok": value }),
        Err(failure) => match failure.downcast_ref() {
            Some(ServiceError::McpError(error)) => {
                json!({ "error": { "code": error.code, "message": error.message } })
            }
            _ => json!({ "fault": failure.to_string() }),
        },
    }
}

async fn next_request(lines: &mut Lines<BufReader<Stdin>>) -> Result<Option<Value>, Failure> {
    let line = lines.next_line().await?;
    Ok(line.map(|line| serde_json::from_str(&line)).transpose()?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut session: Option<Session> = None;
    while let Some(request) = next_request(&mut lines).await? {
        let op = request["op"].as_str().unwrap_or_default();
        let outcome = match (op, session.as_mut()) {
            ("open", _) => Session::open(&request).await.map(|(opened, hello)| {
                session = Some(opened);
                hello
            }),
            ("close", _) => match session.take() {
                Some(session) => session.client.cancel().await.map(|_| Value::Null).map_err(Failure::from),
                None => Ok(Value::Null),
            },
            (op, Some(session)) => session.answer(op, &request).await,
            (_, None) => Err("no connection".into()),
        };
        println!("{}", reply(outcome));
    }
    Ok(())
}
