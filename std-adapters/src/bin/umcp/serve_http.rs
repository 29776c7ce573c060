//! `umcp serve --http`.

use umcp_std::http::server::{HttpServer, STOP_TIMEOUT};

use crate::board::{self, Board};
use crate::exit::{CLOSED, Exit};
use crate::interrupt;

/// Serves the board over HTTP until it is interrupted.
pub(crate) fn serve(address: &str, max_body: u32, origins: &[String], hosts: &[String]) -> Result<(), Exit> {
    let failed = |error: std::io::Error| {
        Exit::new(
            CLOSED,
            format!("cannot serve at {address}: {error} (an address is HOST:PORT, or a PORT of this machine's own)"),
        )
    };
    let is_port = !address.is_empty() && address.bytes().all(|byte| byte.is_ascii_digit());
    let bound = if is_port { HttpServer::bind(format!("127.0.0.1:{address}")) } else { HttpServer::bind(address) };
    let mut server = bound.map_err(failed)?;
    server.site().max_body = max_body;
    server = origins.iter().fold(server, HttpServer::origin);
    server = hosts.iter().fold(server, HttpServer::host);
    eprintln!("listening on http://{}{}", server.address(), server.site().path);
    let stopper = server.stopper();
    interrupt::once(move || {
        eprintln!(
            "stopping: calls that are open have {} s to end; interrupt again to stop at once",
            STOP_TIMEOUT.as_secs()
        );
        stopper.stop();
    });
    server
        .run_with(
            &board::CATALOG,
            Board::default(),
            |calls, endpoint, board, now| Board::tick(calls, endpoint, board, now),
            |_, _| {},
        )
        .map_err(failed)
}
