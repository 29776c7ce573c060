//! The client that the conformance suite starts, once for each of its scenarios.
//!
//! `conformance-client [--probe] [--through COMMAND...] URL`
//!
//! It connects to the server at URL and makes use of all that is offered there: it calls every tool, reads every resource and gets every
//! prompt. A server of a handshake revision is greeted with `initialize`; with `--probe`, it is found out which one it is. With
//! `--through`, it talks to a program that talks to the server. The suite says in the environment what it plays.
//!
//! It ends with 0 if everything was answered, 1 if not, and 2 where it has no part: it leaves OAuth to its caller.

mod agent;
mod schema;
mod user;

use std::process::ExitCode;

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use umcp::client::Verdict;
use umcp::mcp::{Era, Revision};
use umcp_std::Entry;

use agent::{Agent, member};
use schema::filled;

/// What the suite says about its scenario.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Context {
    /// The calls to be made.
    tool_calls: Vec<ToolCall>,
}

#[derive(Deserialize)]
struct ToolCall {
    name: String,
    arguments: Box<RawValue>,
}

/// How this program was called.
struct Words {
    probe: bool,
    through: Vec<String>,
    url: String,
}

impl Words {
    fn read(mut words: Vec<String>) -> Option<Words> {
        let url = words.pop()?;
        let probe = words.first().is_some_and(|word| word == "--probe");
        words.drain(..usize::from(probe));
        let through = match words.split_first() {
            Some((word, rest)) if word == "--through" && !rest.is_empty() => rest.to_vec(),
            Some(_) => return None,
            None => Vec::new(),
        };
        Some(Words { probe, through, url })
    }
}

fn main() -> ExitCode {
    let Some(words) = Words::read(std::env::args().skip(1).collect()) else {
        eprintln!("usage: conformance-client [--probe] [--through COMMAND...] URL");
        return ExitCode::from(2);
    };
    let scenario = variable("MCP_CONFORMANCE_SCENARIO");
    if scenario.starts_with("auth/") {
        eprintln!("conformance-client: {scenario} is about OAuth, which is the caller's");
        return ExitCode::from(2);
    }
    match play(&words) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(failed) => {
            eprintln!("conformance-client: {scenario}: {failed} requests failed");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("conformance-client: {scenario}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Plays the client's part. Returns how many requests were not answered by a result.
fn play(words: &Words) -> Result<usize, Box<dyn std::error::Error>> {
    let revision = Revision::parse(&variable("MCP_CONFORMANCE_PROTOCOL_VERSION"));
    let is_legacy = revision.is_some_and(|revision| revision.era() == Era::Legacy);
    let verdict = (is_legacy && !words.probe).then_some(Verdict::Legacy);
    let context: Context = match variable("MCP_CONFORMANCE_CONTEXT") {
        text if text.is_empty() => Context::default(),
        text => serde_json::from_str(&text)?,
    };
    let mut agent = Agent::connect(&words.url, &words.through, verdict)?;
    let mut failed = 0;
    let mut note = |what: &str, outcome: Result<String, String>| match outcome {
        Ok(result) => println!("{what}: {result}"),
        Err(why) => {
            failed += 1;
            println!("{what} failed: {why}");
        }
    };

    let features = agent.client().features();
    let tools = agent.client().tools()?;
    for (name, given) in calls(context, &tools)? {
        note(&name, agent.call(&name, &given));
    }
    if features.resources {
        for resource in agent.client().resources()? {
            let read = agent.client().read(resource.name()).map(|reply| format!("{:?}", reply.result()));
            note(resource.name(), read.map_err(|error| error.to_string()));
        }
    }
    if features.prompts {
        for prompt in agent.client().prompts()? {
            let got = agent.client().prompt(prompt.name(), &()).map(|reply| format!("{:?}", reply.result()));
            note(prompt.name(), got.map_err(|error| error.to_string()));
        }
    }
    Ok(failed)
}

/// The calls that the suite asks for; without any, one of each tool, with arguments made up from its schema.
fn calls(context: Context, tools: &[Entry]) -> serde_json::Result<Vec<(String, Box<RawValue>)>> {
    if !context.tool_calls.is_empty() {
        return Ok(context.tool_calls.into_iter().map(|call| (call.name, call.arguments)).collect());
    }
    let described = tools.iter().find(|tool| tool.name() == "json_schema_2020_12_tool");
    let schema_of = |tool| member(tool, "inputSchema").unwrap_or_default();
    tools
        .iter()
        .map(|tool| {
            let given = match described {
                // It wants to be shown the other tool's schema, as it arrived here.
                Some(described) if tool.name() == "json_schema_echo" => {
                    to_raw_value(&std::collections::BTreeMap::from([("schema", schema_of(described))]))?
                }
                _ => to_raw_value(&filled(&serde_json::from_str(schema_of(tool).get())?))?,
            };
            Ok((tool.name().to_owned(), given))
        })
        .collect()
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}
