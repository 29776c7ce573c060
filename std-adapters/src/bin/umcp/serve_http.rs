//! `umcp serve --http`.

use umcp_std::http::server::HttpServer;

use crate::board::{self, Board};
use crate::exit::{CLOSED, Exit};
use crate::interrupt;

/// Serves the board over HTTP until it is interrupted.
pub(crate) fn serve(address: &str, max_body: u32, origins: &[String], hosts: &[String]) -> Result<(), Exit> {
    let failed = |error: std::io::Error| Exit::new(CLOSED, format!("cannot serve at {address}: {error}"));
    let mut server = HttpServer::bind(address).map_err(failed)?;
    server.site().max_body = max_body;
    server = origins.iter().fold(server, HttpServer::origin);
    server = hosts.iter().fold(server, HttpServer::host);
    eprintln!("listening on http://{}{}", server.address(), server.site().path);
    let stopper = server.stopper();
    interrupt::once(move || stopper.stop());
    server
        .run_with(
            &board::CATALOG,
            Board::default(),
            |calls, endpoint, board, now| Board::tick(calls, endpoint, board, now),
            |_, _| {},
        )
        .map_err(failed)
}
