//! What the programs of this package share: a server behind HTTP.

use std::error::Error;

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

/// Serves at a free port of this machine, which it names on standard error. With `json`, legacy clients get no sessions, and replies that need not be
/// streams are none.
pub async fn serve_http<S>(server: fn() -> S, json: bool) -> Result<(), Box<dyn Error>>
where
    S: ServerHandler + Send + 'static,
{
    let mut config = StreamableHttpServerConfig::default();
    config.legacy_session_mode = !json;
    config.json_response = json;
    let sessions = LocalSessionManager::default().into();
    let service = TowerToHyperService::new(StreamableHttpService::new(move || Ok(server()), sessions, config));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    loop {
        let (socket, _) = listener.accept().await?;
        let _ = socket.set_nodelay(true);
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(socket), service.clone()));
    }
}
