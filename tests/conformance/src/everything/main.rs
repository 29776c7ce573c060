//! A server with every fixture that the official conformance suite asks for, in both eras.
//!
//! `everything` serves on standard input and output.

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
    stdio::serve(&CATALOG, Everything::default())
}
