//! The tools of the board.

use serde::{Deserialize, Serialize};
use umcp::io::nb;
use umcp::json::Decimal;
use umcp::mcp::content::{Block, Link};
use umcp::mcp::{Fault, Level};
use umcp::schema;
use umcp::server::{Call, Outcome, Tool, ToolAnnotations, Upload};

use super::{Board, ICONS, NOTES, ask_name, list_named};

const NO_ARGUMENTS: &str = schema!({});
/// What `table` promises about its structured content.
pub const TABLE_SCHEMA: &str =
    r#"{"type":"object","properties":{"celsius":{"type":"number"},"name":{"type":"string"}},"required":["celsius"]}"#;

/// One of them.
pub(super) const SMALL_TOOLS: &[Tool<Board>] = &[Tool::new("later", "Answer later.", NO_ARGUMENTS, later)];

pub(super) const TOOLS: &[Tool<Board>] = &[
    Tool::new("touch", "Report that a resource has changed.", schema!({ uri: str }), touch),
    Tool::new("echo", "Give back a text.", schema!({ text: str = "The text." }), echo)
        .title("Echo")
        .icons(ICONS)
        .annotations(ToolAnnotations {
            read_only: Some(true),
            destructive: Some(false),
            idempotent: Some(true),
            open_world: Some(false),
        }),
    Tool::new("image", "A picture.", NO_ARGUMENTS, image),
    Tool::new("audio", "A sound.", NO_ARGUMENTS, audio),
    Tool::new("link", "A link.", NO_ARGUMENTS, link),
    Tool::new("embed", "Two resources inside.", NO_ARGUMENTS, embed),
    Tool::new("notes", "An annotated text.", NO_ARGUMENTS, notes),
    Tool::new("table", "Structured content.", NO_ARGUMENTS, table).output_schema(TABLE_SCHEMA),
    Tool::new("pair", "Structured content beside blocks.", NO_ARGUMENTS, pair),
    Tool::new("rows", "Structured content that is no object.", NO_ARGUMENTS, rows),
    Tool::new("muddle", "Put a block behind the structured content, which is a mistake.", NO_ARGUMENTS, |_, call| {
        call.content().structured(&()).text("late").done()
    }),
    Tool::new("twice", "Give structured content twice, which is a mistake.", NO_ARGUMENTS, |_, call| {
        call.content().structured(&()).structured(&()).done()
    }),
    Tool::new("regret", "Answer, and then fail, which is a mistake.", NO_ARGUMENTS, |_, call| {
        let _answered = call.text("said");
        Err(Fault::Internal)
    }),
    Tool::new("waver", "Answer later, and then fail, which is a mistake.", NO_ARGUMENTS, |board, call| {
        let _deferred = call.defer(|call| board.calls.push(call));
        Err(Fault::Internal)
    }),
    Tool::new("fail", "Fail as a tool.", NO_ARGUMENTS, |_, call| call.fail("no luck")),
    Tool::new("broken", "Fail with an error of its own.", NO_ARGUMENTS, |_, _| {
        Err(Fault::application(17, "out of ink"))
    }),
    Tool::new("internal", "Fail for no reason.", NO_ARGUMENTS, |_, _| Err(Fault::Internal)),
    Tool::new("store", "Keep a text of any length.", schema!({ slot: u8, data: str }), store).upload("data", keep),
    Tool::new("empty", "No block at all.", NO_ARGUMENTS, |_, call| call.content().done()),
    Tool::new("later", "Answer later.", NO_ARGUMENTS, later),
    Tool::new("steps", "Report progress on the way.", NO_ARGUMENTS, steps),
    Tool::new("half", "Write half an answer, then fail.", NO_ARGUMENTS, half),
    Tool::new("chatty", "Log a message of each level.", NO_ARGUMENTS, chatty),
    Tool::new("long", "A long answer.", schema!({ bytes: u32 }), long),
    Tool::new("form", "Ask the user.", NO_ARGUMENTS, form),
    Tool::new("visit", "Send the user to a page.", NO_ARGUMENTS, visit),
    Tool::new("sample", "Ask the model.", NO_ARGUMENTS, sample),
    Tool::new("roots", "Ask for the roots.", NO_ARGUMENTS, roots),
    Tool::new("state", "Hand out a state.", NO_ARGUMENTS, state),
    Tool::new("nothing", "Ask for nothing, which is a mistake.", NO_ARGUMENTS, |_, call| call.input_required().done()),
    Tool::new("disorder", "Ask behind the state, which is a mistake.", NO_ARGUMENTS, |_, call| {
        call.input_required().roots("a").state("s").roots("b").done()
    }),
    Tool::new("grow", "Report that a list has changed.", schema!({ list: str }), grow),
    Tool::new("who", "Who is calling?", NO_ARGUMENTS, who),
    Tool::new("secret", "Nobody may.", NO_ARGUMENTS, |_, call| call.text("42")),
];

fn echo(_: &mut Board, mut call: Call<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Echo<'a> {
        text: &'a str,
    }
    let Echo { text } = call.args()?;
    call.text(text)
}

fn store(board: &mut Board, mut call: Call<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Store {
        slot: u8,
    }
    let Store { slot } = call.args()?;
    let id = call.upload().ok_or(Fault::MissingArgument("data"))?;
    let (told, len) = board.upload.ok_or(Fault::Internal)?;
    assert!(told == id && board.stored, "a call is given the upload that it has brought, whole");
    let outcome = call.structured(&[usize::from(slot), len]);
    if outcome.is_ok() {
        // Otherwise it becomes void.
        (board.upload, board.stored) = (None, false);
    }
    outcome
}

/// Heeds what every upload has to keep to: one after another, from its first piece to its last, and void or served at its end.
fn keep(board: &mut Board, upload: Upload<'_>) -> nb::Result<(), Fault> {
    if upload.is_void() {
        assert_eq!(board.upload.take().map(|(id, _)| id), Some(upload.id()), "what was begun becomes void");
        board.stored = false;
        return Ok(());
    }
    if upload.text().contains('!') {
        board.upload = None;
        return Err(nb::Error::Other(Fault::application(18, "no exclamations")));
    }
    assert!(!board.stored, "nothing follows the last piece");
    assert_eq!(upload.is_first(), board.upload.is_none());
    let (id, len) = board.upload.unwrap_or((upload.id(), 0));
    assert_eq!(id, upload.id());
    board.upload = Some((id, len + upload.text().len()));
    board.stored = upload.is_last();
    Ok(())
}

fn touch(_: &mut Board, mut call: Call<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Touch<'a> {
        uri: &'a str,
    }
    let Touch { uri } = call.args()?;
    call.updated(uri);
    call.text("touched")
}

fn grow(_: &mut Board, mut call: Call<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Grow<'a> {
        list: &'a str,
    }
    let Grow { list } = call.args()?;
    call.list_changed(list_named(list));
    call.text("grown")
}

fn image(_: &mut Board, call: Call<'_>) -> Outcome {
    call.content().image(&[0x89, b'P', b'N', b'G'], "image/png").done()
}

fn audio(_: &mut Board, call: Call<'_>) -> Outcome {
    call.content().audio(b"RIFF?", "audio/wav").done()
}

fn link(_: &mut Board, call: Call<'_>) -> Outcome {
    let link = Link {
        uri: "board://led",
        name: "led",
        description: Some("Whether it shines."),
        mime_type: Some("text/plain"),
    };
    call.content().link(link).done()
}

fn embed(_: &mut Board, call: Call<'_>) -> Outcome {
    call.content()
        .resource_text("board://led", "text/plain", "on")
        .resource_blob("board://photo", "image/png", &[0, 255])
        .done()
}

fn notes(_: &mut Board, call: Call<'_>) -> Outcome {
    call.content()
        .block(&Block::Text("noted"), &NOTES)
        .text_with(|w| {
            w.string_part("piece by ").string_part("piece");
        })
        .done()
}

#[derive(Serialize)]
struct Table<'a> {
    celsius: Decimal,
    name: &'a str,
}

fn table(_: &mut Board, call: Call<'_>) -> Outcome {
    call.structured(&Table { celsius: Decimal::new(215, 1), name: "a \"b\"\n" })
}

fn pair(_: &mut Board, call: Call<'_>) -> Outcome {
    call.content()
        .text("two")
        .structured_with(|w| {
            w.begin_object().member_int("n", -2).end_object();
        })
        .is_error()
        .done()
}

fn rows(_: &mut Board, call: Call<'_>) -> Outcome {
    call.structured(&[1, 2, 3])
}

fn later(board: &mut Board, call: Call<'_>) -> Outcome {
    call.defer(|handle| board.calls.push(handle))
}

fn steps(_: &mut Board, mut call: Call<'_>) -> Outcome {
    let total = Some(Decimal::from_i64(3));
    call.progress(Decimal::from_i64(1), total, Some("one"));
    // Neither of these increases.
    call.progress(Decimal::from_i64(1), total, None);
    call.progress(Decimal::new(9, 1), total, None);
    call.progress(Decimal::new(25, 1), None, None);
    let wanted = call.wants_progress();
    call.text(if wanted { "told" } else { "silent" })
}

fn half(_: &mut Board, mut call: Call<'_>) -> Outcome {
    call.progress(Decimal::from_i64(1), None, None);
    drop(call.content().text("this never leaves"));
    Err(Fault::Internal)
}

fn chatty(_: &mut Board, mut call: Call<'_>) -> Outcome {
    let mut told = 0;
    for level in Level::ALL {
        told += i64::from(call.log(level, "board", level.as_str()));
    }
    told += i64::from(call.log_with(Level::Emergency, "board", |w| {
        w.begin_object().member_int("n", 1).end_object();
    }));
    call.text(&told.to_string())
}

fn long(_: &mut Board, mut call: Call<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Long {
        bytes: u32,
    }
    let Long { bytes } = call.args()?;
    call.text(&"x".repeat(bytes.min(100_000) as usize))
}

fn form(_: &mut Board, call: Call<'_>) -> Outcome {
    match call
        .input_response("who")
        .and_then(|response| response.at(&["content", "name"]))
        .and_then(|name| name.as_str())
    {
        Some(name) => {
            let name = name.to_owned();
            let state = call.request_state().and_then(|state| state.as_str()).unwrap_or_default().to_owned();
            call.text(&format!("hello {name} {state}"))
        }
        None => ask_name(call.input_required()),
    }
}

fn visit(_: &mut Board, call: Call<'_>) -> Outcome {
    call.input_required().elicit_url("page", "Please sign in.", "https://example.com/in").done()
}

fn sample(_: &mut Board, call: Call<'_>) -> Outcome {
    call.input_required()
        .sample("model", |w| {
            w.member_raw("messages", br#"[{"role":"user","content":{"type":"text","text":"hi"}}]"#)
                .member_int("maxTokens", 10);
        })
        .roots("where")
        .done()
}

fn roots(_: &mut Board, call: Call<'_>) -> Outcome {
    call.input_required().roots("where").done()
}

fn state(_: &mut Board, call: Call<'_>) -> Outcome {
    match call.request_state().and_then(|state| state.as_str()) {
        Some(state) => {
            let state = state.to_owned();
            call.text(&state)
        }
        None => call.input_required().state("a \"state\"").done(),
    }
}

fn who(_: &mut Board, call: Call<'_>) -> Outcome {
    let name = call.client_info().and_then(|info| info.get("name")).and_then(|name| name.as_str()).unwrap_or_default();
    let text = format!("{} {} {}", call.principal().0, call.revision(), name);
    call.text(&text)
}
