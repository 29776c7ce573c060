//! `umcp bridge`: many clients, one server.

use std::io::{self, Write as _};
use std::net::TcpListener;

use umcp::time::Duration;
use umcp_std::bridge::{Allowed, Bridge, BridgeError, Limits, PATH, Server};

use crate::args::{BridgeArgs, Common, Words};
use crate::exit::{CLOSED, Exit};
use crate::interrupt;
use crate::place::Place;
use crate::target::Target;

/// Stands between clients and a server, until they have gone or Ctrl-C.
pub(crate) fn bridge(args: &BridgeArgs) -> Result<(), Exit> {
    let (server, name, timeout) = server(args)?;
    let answer = args.timeout_ms.map(Duration::from_millis).or(timeout).or(match server {
        // A board that is reset is silent; the end of anything else is seen.
        Server::Line(_) => Limits::DEFAULT.answer,
        _ => None,
    });
    let mut limits = Limits::DEFAULT;
    limits.answer = answer;
    let bridge = match &args.http {
        Some(address) => {
            let listener = listen(address)?;
            let allowed = Allowed { origins: args.origin.clone(), hosts: args.host.clone() };
            let address = listener.local_addr()?;
            let bridge = Bridge::http(server, &name, limits, listener, allowed)?;
            writeln!(io::stderr(), "umcp: listening on http://{address}{PATH}")?;
            bridge
        }
        None => Bridge::stdio(server, &name, limits)?,
    };
    interrupt::on_ctrl_c(bridge.interrupter());
    Ok(bridge.run()?)
}

/// Where the server is, what it is called, and how long its configuration says that it may take.
fn server(args: &BridgeArgs) -> Result<(Server, String, Option<Duration>), Exit> {
    let words = words(args);
    let target = Target::of(&words, 0)?;
    let server = match target.place {
        Place::Process(process) => Server::Process(process),
        Place::Line(address) => Server::Line(address),
        Place::Http(remote) => Server::Http(remote),
    };
    Ok((server, target.name, target.timeout))
}

/// Listens at `HOST:PORT`, or at `PORT` on this machine alone.
fn listen(address: &str) -> Result<TcpListener, Exit> {
    let listener = match address.parse::<u16>() {
        Ok(port) => TcpListener::bind(("127.0.0.1", port)),
        Err(_) => TcpListener::bind(address),
    };
    listener.map_err(|error| Exit::new(CLOSED, format!("cannot listen at {address}: {error}")))
}

/// The same, as the verbs that find a server take it.
fn words(args: &BridgeArgs) -> Words<0> {
    let common = Common {
        config: args.config.clone(),
        server: args.server.clone(),
        headers: args.headers.clone(),
        token_env: args.token_env.clone(),
        ca: args.ca.clone(),
        ..Common::default()
    };
    Words { common, words: args.target.clone().into_iter().collect(), command: args.command.clone() }
}

impl From<BridgeError> for Exit {
    fn from(error: BridgeError) -> Exit {
        Exit::new(CLOSED, error.to_string())
    }
}
