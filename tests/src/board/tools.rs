//! The tools of the board.

use serde::Serialize;
use umcp::io::nb;
use umcp::json::Decimal;
use umcp::mcp::content::{Block, Link};
use umcp::mcp::{Fault, Level};
use umcp::server::{Call, Outcome, Tool, ToolAnnotations, Upload};
use umcp::tool;

use super::{Board, ICONS, NOTES, ask_name, list_named};

/// What `table` promises about its structured content.
pub const TABLE_SCHEMA: &str =
    r#"{"type":"object","properties":{"celsius":{"type":"number"},"name":{"type":"string"}},"required":["celsius"]}"#;

/// One of them.
pub(super) const SMALL_TOOLS: &[Tool<Board>] = &[tool!("later", "Answer later.", later)];

pub(super) const TOOLS: &[Tool<Board>] = &[
    tool!("touch", "Report that a resource has changed.", touch(&mut Board, Touch)),
    tool!("echo", "Give back a text.", echo(&mut Board, Echo)).title("Echo").icons(ICONS).annotations(
        ToolAnnotations {
            read_only: Some(true),
            destructive: Some(false),
            idempotent: Some(true),
            open_world: Some(false),
        },
    ),
    tool!("image", "A picture.", image),
    tool!("audio", "A sound.", audio),
    tool!("link", "A link.", link),
    tool!("embed", "Two resources inside.", embed),
    tool!("notes", "An annotated text.", notes),
    tool!("table", "Structured content.", table).output_schema(TABLE_SCHEMA),
    tool!("pair", "Structured content beside blocks.", pair),
    tool!("rows", "Structured content that is no object.", rows),
    tool!("muddle", "Put a block behind the structured content, which is a mistake.", |_, call| {
        call.content().structured(&()).text("late").done()
    }),
    tool!("twice", "Give structured content twice, which is a mistake.", |_, call| {
        call.content().structured(&()).structured(&()).done()
    }),
    tool!("regret", "Answer, and then fail, which is a mistake.", |_, call| {
        let _answered = call.text("said");
        Err(Fault::Internal)
    }),
    tool!("waver", "Answer later, and then fail, which is a mistake.", |board, call| {
        let _deferred = call.defer(|call| board.calls.push(call));
        Err(Fault::Internal)
    }),
    tool!("fail", "Fail as a tool.", |_, call| call.fail("no luck")),
    tool!("broken", "Fail with an error of its own.", |_, _| Err(Fault::application(17, "out of ink"))),
    tool!("internal", "Fail for no reason.", |_, _| Err(Fault::Internal)),
    tool!("store", "Keep a text of any length.", store(&mut Board, Store)).upload("data", keep),
    tool!("empty", "No block at all.", |_, call| call.content().done()),
    tool!("later", "Answer later.", later),
    tool!("steps", "Report progress on the way.", steps),
    tool!("half", "Write half an answer, then fail.", half),
    tool!("chatty", "Log a message of each level.", chatty),
    tool!("long", "A long answer.", long(&mut Board, Long)),
    tool!("form", "Ask the user.", form),
    tool!("visit", "Send the user to a page.", visit),
    tool!("sample", "Ask the model.", sample),
    tool!("roots", "Ask for the roots.", roots),
    tool!("state", "Hand out a state.", state),
    tool!("nothing", "Ask for nothing, which is a mistake.", |_, call| call.input_required().done()),
    tool!("disorder", "Ask behind the state, which is a mistake.", |_, call| {
        call.input_required().roots("a").state("s").roots("b").done()
    }),
    tool!("grow", "Report that a list has changed.", grow(&mut Board, Grow)),
    tool!("who", "Who is calling?", who),
    tool!("secret", "Nobody may.", |_, call| call.text("42")),
];

umcp::arguments! {
    struct Echo<'a> {
        /// The text.
        text: &'a str,
    }

    struct Touch<'a> { uri: &'a str }

    struct Grow<'a> { list: &'a str }

    struct Long { bytes: u32 }

    struct Store<'a> {
        slot: u8,
        _data as "data": &'a str,
    }
}

fn echo(_: &mut Board, Echo { text }: Echo<'_>, call: Call<'_>) -> Outcome {
    call.text(text)
}

fn store(board: &mut Board, Store { slot, .. }: Store<'_>, call: Call<'_>) -> Outcome {
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

fn touch(_: &mut Board, Touch { uri }: Touch<'_>, mut call: Call<'_>) -> Outcome {
    call.updated(uri);
    call.text("touched")
}

fn grow(_: &mut Board, Grow { list }: Grow<'_>, mut call: Call<'_>) -> Outcome {
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

fn long(_: &mut Board, Long { bytes }: Long, call: Call<'_>) -> Outcome {
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
