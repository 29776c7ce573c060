//! Serving over HTTP.

use std::io::Write as _;

use umcp::server::{Catalog, Event};
use umcp_std::http::server::HttpServer;

use super::Everything;

/// The suite leaves streams behind that nobody reads and nobody closes, and opens new ones.
const CONNECTIONS: usize = 64;

/// Serves until the process is ended. The URL is the first line of standard output.
pub(crate) fn serve(catalog: &'static Catalog<Everything>, address: &str) -> std::io::Result<()> {
    let mut server = HttpServer::bind(address)?.connections(CONNECTIONS);
    let url = format!("http://{}", server.address());
    // Its own pages may use it. The origin lasts as long as the program.
    let origin: &'static str = url.clone().leak();
    server.site().origins = vec![origin].leak();
    println!("{url}{}", server.site().path);
    std::io::stdout().flush()?;
    server.run_with(
        catalog,
        Everything::default(),
        |calls, endpoint, everything, now| Everything::tick(calls, endpoint, everything, now),
        |everything, event| {
            if let Event::Answered { call, answer } = event {
                everything.answered(*call, *answer);
            }
        },
    )
}
