//! An `rmcp` server with one tool, `echo {text}`, on stdio or with `--http`: the other side of the speed comparisons.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::transport::stdio;
use rmcp::{ServerHandler, ServiceExt, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

struct Server;

#[tool_router]
impl Server {
    #[tool(description = "Says the same text again.")]
    fn echo(&self, Parameters(Echo { text }): Parameters<Echo>) -> String {
        text
    }
}

#[tool_handler]
impl ServerHandler for Server {}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    if std::env::args().nth(1).as_deref() == Some("--http") {
        return rmcp_peers::serve_http(|| Server, true).await;
    }
    Server.serve(stdio()).await?.waiting().await?;
    Ok(())
}
