//! Tools that need more input before they can answer (2026-07-28, *Multi Round-Trip Requests*).
//!
//! The server keeps nothing between the rounds: what it has to remember, the client carries, sealed.

use umcp::mcp::Fault;
use umcp::server::{Call, Outcome};

use crate::Everything;
use crate::question::{CONFIRM, FIRST_STEP, NAME, Question, SECOND_STEP, answered};

const BAD_STATE: Fault = Fault::Params("Invalid params: this requestState was not made here, or was changed");

/// The state that the client brings back. Nothing: this is the first round.
fn state<'e>(
    everything: &Everything,
    call: &Call<'_>,
    purpose: &str,
    buf: &'e mut String,
) -> Result<Option<&'e str>, Fault> {
    let Some(state) = call.request_state() else {
        return Ok(None);
    };
    *buf = state.chars().collect();
    everything.seal.open(purpose, buf).map(Some).ok_or(BAD_STATE)
}

pub(super) fn elicitation(_: &mut Everything, call: Call<'_>) -> Outcome {
    match answered(&call, "user_name", &["content", "name"]) {
        Some(name) => call.text(&format!("Hello, {name}!")),
        None => NAME.put(call.input_required(), "user_name").done(),
    }
}

const CAPITAL: Question = Question::model("What is the capital of France?", 100);

pub(super) fn sampling(_: &mut Everything, call: Call<'_>) -> Outcome {
    match answered(&call, "capital_question", &["content", "text"]) {
        Some(text) => call.text(&text),
        None => CAPITAL.put(call.input_required(), "capital_question").done(),
    }
}

pub(super) fn list_roots(_: &mut Everything, call: Call<'_>) -> Outcome {
    match call.input_response("client_roots").filter(|answer| answer.get("roots").is_some()) {
        Some(answer) => call.text(&Question::Roots.tell(answer)),
        None => Question::Roots.put(call.input_required(), "client_roots").done(),
    }
}

pub(super) fn request_state(everything: &mut Everything, call: Call<'_>) -> Outcome {
    confirm(everything, call, "confirm")
}

pub(super) fn tampered_state(everything: &mut Everything, call: Call<'_>) -> Outcome {
    confirm(everything, call, "tamper")
}

fn confirm(everything: &mut Everything, call: Call<'_>, purpose: &str) -> Outcome {
    let mut buf = String::new();
    let state = state(everything, &call, purpose, &mut buf)?;
    let confirmed = call.input_response("confirm").and_then(|answer| answer.at(&["content", "ok"])?.as_bool());
    match (state, confirmed) {
        (Some("asked"), Some(ok)) => call.text(&format!("state-ok, confirmed: {ok}")),
        _ => {
            let sealed = everything.seal.close(purpose, "asked");
            CONFIRM.put(call.input_required(), "confirm").state(&sealed).done()
        }
    }
}

const GREETING: Question = Question::model("Generate a greeting", 50);

pub(super) fn multiple_inputs(everything: &mut Everything, call: Call<'_>) -> Outcome {
    let mut buf = String::new();
    state(everything, &call, "multiple", &mut buf)?;
    let name = answered(&call, "user_name", &["content", "name"]);
    let greeting = answered(&call, "greeting", &["content", "text"]);
    let roots = call.input_response("client_roots").and_then(|answer| answer.get("roots"));
    match (name, greeting, roots) {
        (Some(name), Some(greeting), Some(roots)) => {
            call.text(&format!("{greeting} {name}, you have {} roots.", roots.items().count()))
        }
        _ => {
            let sealed = everything.seal.close("multiple", "asked");
            let input = NAME.put(call.input_required(), "user_name");
            let input = GREETING.put(input, "greeting");
            Question::Roots.put(input, "client_roots").state(&sealed).done()
        }
    }
}

/// Two questions, one after the other; the first answer travels in the state.
pub(super) fn multi_round(everything: &mut Everything, call: Call<'_>) -> Outcome {
    let mut buf = String::new();
    let state = state(everything, &call, "rounds", &mut buf)?;
    let name = match state.and_then(|state| state.strip_prefix("named ")) {
        Some(name) => Some(name.to_owned()),
        None => answered(&call, "step1", &["content", "name"]),
    };
    let color = answered(&call, "step2", &["content", "color"]);
    match (name, color) {
        (Some(name), Some(color)) if state.is_some() => call.text(&format!("{name} likes {color}.")),
        (Some(name), _) if state.is_some() => {
            let sealed = everything.seal.close("rounds", &format!("named {name}"));
            SECOND_STEP.put(call.input_required(), "step2").state(&sealed).done()
        }
        _ => {
            let sealed = everything.seal.close("rounds", "begun");
            FIRST_STEP.put(call.input_required(), "step1").state(&sealed).done()
        }
    }
}

/// Asks what this client can answer, and nothing else.
pub(super) fn capabilities(_: &mut Everything, call: Call<'_>) -> Outcome {
    let can = call.capabilities();
    if call.input_response("greeting").is_some() || call.input_response("user_name").is_some() {
        return call.text("Thank you.");
    }
    if !can.sampling && !can.elicitation_form {
        return call.text("There is nothing that this client could be asked.");
    }
    let mut input = call.input_required();
    if can.sampling {
        input = GREETING.put(input, "greeting");
    }
    if can.elicitation_form {
        input = NAME.put(input, "user_name");
    }
    input.done()
}
