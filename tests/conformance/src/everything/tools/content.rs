//! Tools that answer at once, with every kind of content.

use umcp::mcp::content::{Annotations, Block};
use umcp::server::{Call, Outcome};

use crate::Everything;
use crate::media::{PICTURE, SOUND};

pub(super) fn text(_: &mut Everything, call: Call<'_>) -> Outcome {
    call.text("This is a simple text response for testing.")
}

pub(super) fn picture(_: &mut Everything, call: Call<'_>) -> Outcome {
    call.content().image(PICTURE, "image/png").done()
}

pub(super) fn sound(_: &mut Everything, call: Call<'_>) -> Outcome {
    call.content().audio(SOUND, "audio/wav").done()
}

pub(super) fn resource(_: &mut Everything, call: Call<'_>) -> Outcome {
    call.content()
        .resource_text("test://embedded-resource", "text/plain", "This is an embedded resource content.")
        .done()
}

pub(super) fn mixed(_: &mut Everything, call: Call<'_>) -> Outcome {
    call.content()
        .block(&Block::Text("Multiple content types test:"), &Annotations::NONE)
        .image(PICTURE, "image/png")
        .resource_text("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#)
        .done()
}

pub(super) fn failure(_: &mut Everything, call: Call<'_>) -> Outcome {
    call.fail("This tool intentionally returns an error for testing")
}

/// Gives back its arguments, as they are after the way here.
pub(super) fn arguments(_: &mut Everything, call: Call<'_>) -> Outcome {
    let text = String::from_utf8_lossy(call.arguments().raw()).into_owned();
    call.text(&text)
}
