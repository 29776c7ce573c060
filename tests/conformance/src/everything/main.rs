//! A server with every fixture that the official conformance suite asks for, in both eras.
//!
//! `everything` serves on standard input and output; `everything --http ADDRESS` over HTTP, and says where.

mod http;
mod media;
mod prompts;
mod question;
mod resources;
mod running;
mod seal;
mod stdio;
mod tools;
#[cfg(test)]
mod transcripts;

use std::process::ExitCode;

use umcp::mcp::List;
use umcp::server::{CacheScope, Catalog};

/// What is kept between requests.
#[derive(Default)]
pub(crate) struct Everything {
    running: Vec<running::Running>,
    seal: seal::Seal,
}

static CATALOG: Catalog<Everything> = Catalog::new("everything", env!("CARGO_PKG_VERSION"))
    .title("Everything")
    .instructions("Fixtures for the conformance suite.")
    .cache(60_000, CacheScope::Public)
    .logging()
    .announces(List::Tools)
    .announces(List::Prompts)
    .tools(tools::TOOLS)
    .resources(resources::RESOURCES)
    .templates(resources::TEMPLATES)
    .prompts(prompts::PROMPTS);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let served = match words[..] {
        [] => stdio::serve(&CATALOG),
        ["--http", address] => http::serve(&CATALOG, address),
        _ => {
            eprintln!("usage: everything [--http ADDRESS]");
            return ExitCode::from(2);
        }
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("everything: cannot serve: {error}");
            ExitCode::from(3)
        }
    }
}
