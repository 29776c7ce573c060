//! The server's side: tools that answer at once, later, in pieces, with questions, and not at all.

use serde::Deserialize;
use umcp::json::Decimal;
use umcp::mcp::{Era, Fault, Level, List};
use umcp::server::{Argument, Call, CallHandle, Catalog, Complete, Get, Outcome, Prompt, Read, Resource, Template};
use umcp::tool;

/// The application's state.
#[derive(Default)]
pub(crate) struct Board {
    pub(crate) jobs: Vec<Job>,
}

/// A call that is answered later.
pub(crate) struct Job {
    pub(crate) call: CallHandle,
    pub(crate) number: u32,
    /// How far it is said to have come.
    pub(crate) progress: i64,
    /// How many questions it has still to ask (legacy).
    pub(crate) questions: u8,
    /// One of them is open.
    pub(crate) asking: bool,
}

/// Every call is numbered by the client, and its answer begins with that number.
#[derive(Deserialize)]
struct Args {
    n: u32,
    #[serde(default)]
    len: usize,
}

pub(crate) fn answer(number: u32) -> String {
    format!("n{number}:")
}

pub(crate) static CATALOG: Catalog<Board> = Catalog::new("board", "1")
    .logging()
    .page_size(3)
    .announces(List::Tools)
    .announces(List::Prompts)
    .announces(List::Resources)
    .tools(&[
        tool!("again", "Asks to be asked again.", again),
        tool!("ask", "Asks the user.", ask),
        tool!("echo", "Answers at once, at any length.", echo),
        tool!("fail", "Refuses.", |_, _| Err(Fault::application(7, "no"))),
        tool!("later", "Answers later.", wait),
        tool!("talk", "Reports and logs, then answers.", talk),
        tool!("touch", "Changes everything.", touch),
    ])
    .resources(&[Resource::new("r:1", "1", read).changes(), Resource::new("r:2", "2", read).changes()])
    .templates(&[Template::new("t:{n}", "t", read).changes()])
    .prompts(&[Prompt::new("p", "A prompt.", &[Argument::new("a")], prompt).complete(complete)]);

fn again(_: &mut Board, mut call: Call<'_>) -> Outcome {
    let Args { n, .. } = call.args()?;
    let round = call.request_state().and_then(|state| state.as_str()?.parse::<u32>().ok()).unwrap_or(0);
    if round < n % 3 && call.revision().era() == Era::Modern {
        return call.input_required().state(&(round + 1).to_string()).done();
    }
    call.text(&answer(n))
}

fn ask(board: &mut Board, mut call: Call<'_>) -> Outcome {
    let Args { n, .. } = call.args()?;
    if !call.capabilities().elicitation_form {
        return call.text(&answer(n));
    }
    if call.revision().era() == Era::Legacy {
        return later(board, call, n, 2);
    }
    let state = answer(n);
    if call.input_response("sure").is_none() {
        return call
            .input_required()
            .elicit("sure", "Sure?", r#"{"type":"object","properties":{}}"#)
            .state(&state)
            .done();
    }
    let came_back = call.request_state().is_some_and(|kept| kept.is_str(&state));
    call.text(if came_back { &state } else { "the state did not come back" })
}

fn wait(board: &mut Board, mut call: Call<'_>) -> Outcome {
    let Args { n, .. } = call.args()?;
    later(board, call, n, 0)
}

fn later(board: &mut Board, call: Call<'_>, number: u32, questions: u8) -> Outcome {
    call.defer(|call| board.jobs.push(Job { call, number, progress: 0, questions, asking: false }))
}

fn echo(_: &mut Board, mut call: Call<'_>) -> Outcome {
    let Args { n, len } = call.args()?;
    call.text(&(answer(n) + &"x".repeat(len)))
}

fn talk(_: &mut Board, mut call: Call<'_>) -> Outcome {
    let Args { n, .. } = call.args()?;
    call.progress(Decimal::from_i64(1), None, Some("one"));
    call.log(Level::Info, "board", "talking");
    call.progress(Decimal::new(15, 1), Some(Decimal::from_i64(2)), None);
    call.text(&answer(n))
}

fn touch(_: &mut Board, mut call: Call<'_>) -> Outcome {
    let Args { n, .. } = call.args()?;
    call.updated("r:1");
    call.updated("t:7");
    call.list_changed(List::Tools);
    call.list_changed(List::Resources);
    call.text(&answer(n))
}

fn read(_: &mut Board, read: Read<'_>) -> Outcome {
    read.text("r")
}

fn prompt(_: &mut Board, get: Get<'_>) -> Outcome {
    get.user(|w| {
        w.string_part("p");
    })
}

fn complete(_: &mut Board, complete: Complete<'_>) -> Outcome {
    complete.matching(["alpha", "beta"])
}
