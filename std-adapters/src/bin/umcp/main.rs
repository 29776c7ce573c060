//! The program `umcp`: a client, a simulated server, and tools to look at both.

mod args;
mod board;
#[cfg(unix)]
mod bridge;
mod count;
mod demo;
mod exit;
mod interrupt;
mod listen;
mod mask;
mod output;
mod place;
mod save;
mod serve_http;
mod session;
mod several;
mod show;
mod source;
mod table;
mod target;
mod trace;
mod verbs;
mod watch;

use std::env;
use std::process::ExitCode;

use clap::Parser;
use umcp::time::Duration;

use args::{Cli, Verb};
use board::Board;

fn main() -> ExitCode {
    // Programs start servers, and in numbers: the plain server does not bring the parser of the command line into memory.
    if env::args_os().skip(1).eq(["serve"]) {
        return serve();
    }
    let cli = Cli::parse_from(args::verb_first(env::args_os()));
    let done = match &cli.verb {
        Verb::Serve { http: None, .. } => return serve(),
        Verb::Serve { http: Some(address), max_body, origin, host } => {
            serve_http::serve(address, *max_body, origin, host)
        }
        Verb::Demo => demo::demo(),
        Verb::Discover(words) => verbs::discover(words),
        Verb::Tools(words) => verbs::tools(words),
        Verb::Call { words, file, text_file } => {
            source::of(file.as_deref(), text_file.as_deref()).and_then(|source| verbs::call(words, source))
        }
        Verb::Resources { words, templates } => verbs::resources(words, *templates),
        Verb::Read { words, output } => verbs::read(words, output.as_deref()),
        Verb::Prompts(words) => verbs::prompts(words),
        Verb::Prompt(words) => verbs::prompt(words),
        Verb::Listen { words, for_ms } => listen::listen(words, for_ms.map(Duration::from_millis)),
        Verb::Trace(words) => trace::trace(words),
        #[cfg(unix)]
        Verb::Bridge(args) => bridge::bridge(args),
        #[cfg(not(unix))]
        Verb::Bridge(_) => Err(exit::Exit::new(exit::CLOSED, "a bridge needs a Unix system")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(exit) => exit.code(),
    }
}

fn serve() -> ExitCode {
    umcp_std::serve_stdio_with(&board::CATALOG, Board::default(), |calls, endpoint, board, now| {
        Board::tick(calls, endpoint, board, now)
    })
}
