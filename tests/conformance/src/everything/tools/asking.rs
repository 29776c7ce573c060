//! Tools that ask the client one question, in either era by the same handler.

use umcp::mcp::{ClientCapabilities, Era, Fault, List};
use umcp::server::{Call, Outcome};

use crate::Everything;
use crate::question::{CONTACT_SCHEMA, DEFAULTS, ENUMS, NAME, Question};
use crate::running::Work;

/// The one question of a tool.
const KEY: &str = "question";

/// A handshake revision is asked on behalf of a call that waits; a later one asks by its result, and calls again.
fn ask(everything: &mut Everything, call: Call<'_>, question: Question) -> Outcome {
    if call.revision().era() == Era::Legacy {
        return call.defer(|handle| everything.begin(handle, Work::Ask(question)));
    }
    match call.input_response(KEY).filter(|answer| answer.is_object()) {
        Some(answer) => call.text(&question.tell(answer)),
        None => question.put(call.input_required(), KEY).done(),
    }
}

umcp::arguments! {
    pub(super) struct Sampling<'a> {
        /// What the model is asked.
        prompt: &'a str,
    }

    pub(super) struct Elicitation<'a> {
        /// What the user is told.
        message: &'a str,
    }
}

pub(super) fn sampling(everything: &mut Everything, asked: Sampling<'_>, call: Call<'_>) -> Outcome {
    ask(everything, call, Question::Model { prompt: asked.prompt.to_owned().into(), max_tokens: 100 })
}

pub(super) fn elicitation(everything: &mut Everything, asked: Elicitation<'_>, call: Call<'_>) -> Outcome {
    ask(everything, call, Question::Form { message: asked.message.to_owned().into(), schema: CONTACT_SCHEMA })
}

pub(super) fn defaults(everything: &mut Everything, call: Call<'_>) -> Outcome {
    ask(everything, call, DEFAULTS)
}

pub(super) fn enums(everything: &mut Everything, call: Call<'_>) -> Outcome {
    ask(everything, call, ENUMS)
}

/// Tells of progress where that is asked for, then asks: what streams on the way is never a request.
pub(super) fn streaming(everything: &mut Everything, mut call: Call<'_>) -> Outcome {
    call.progress(umcp::json::Decimal::from_i64(50), Some(umcp::json::Decimal::from_i64(100)), None);
    ask(everything, call, NAME)
}

/// Refuses whoever cannot ask a model.
pub(super) fn needs_sampling(_: &mut Everything, call: Call<'_>) -> Outcome {
    if !call.capabilities().sampling {
        return Err(Fault::MissingCapability(ClientCapabilities { sampling: true, ..ClientCapabilities::NONE }));
    }
    call.text("The client can ask its model.")
}

pub(super) fn change_tools(_: &mut Everything, mut call: Call<'_>) -> Outcome {
    call.list_changed(List::Tools);
    call.text("The list of tools has changed.")
}

pub(super) fn change_prompts(_: &mut Everything, mut call: Call<'_>) -> Outcome {
    call.list_changed(List::Prompts);
    call.text("The list of prompts has changed.")
}
