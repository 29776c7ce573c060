//! `umcp bridge`: many clients, one server.

use umcp::time::Duration;
use umcp_std::bridge::{Bridge, BridgeError, Limits, Server};

use crate::args::{BridgeArgs, Common, Words};
use crate::exit::{CLOSED, Exit};
use crate::interrupt;
use crate::place::Place;
use crate::target::Target;

/// Stands between clients and a server, until they have gone or Ctrl-C.
pub(crate) fn bridge(args: &BridgeArgs) -> Result<(), Exit> {
    let words = words(args);
    let target = Target::of(&words, 0)?;
    let server = match target.place {
        Place::Process(process) => Server::Process(process),
        Place::Line(address) => Server::Line(address),
    };
    let answer = args.timeout_ms.map(Duration::from_millis).or(target.timeout).or(match server {
        // The end of a process is seen; a board that is reset is silent.
        Server::Process(_) => None,
        Server::Line(_) => Limits::DEFAULT.answer,
    });
    let mut limits = Limits::DEFAULT;
    limits.answer = answer;
    let bridge = Bridge::stdio(server, &target.name, limits)?;
    interrupt::on_ctrl_c(bridge.interrupter());
    Ok(bridge.run()?)
}

/// The same, as the verbs that find a server take it.
fn words(args: &BridgeArgs) -> Words<0> {
    let common =
        Common { json: false, timeout_ms: 0, verbose: false, config: args.config.clone(), server: args.server.clone() };
    Words { common, words: args.target.clone().into_iter().collect(), command: args.command.clone() }
}

impl From<BridgeError> for Exit {
    fn from(error: BridgeError) -> Exit {
        Exit::new(CLOSED, error.to_string())
    }
}
