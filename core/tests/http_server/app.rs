//! What the server of these tests offers.

use umcp::io::nb;
use umcp::json::Decimal;
use umcp::mcp::{Fault, List};
use umcp::server::{Access, Call, CallHandle, Catalog, Outcome, Principal, Read, Resource, Tool, Upload};
use umcp::tool;

/// What handlers leave behind.
#[derive(Debug, Default)]
pub(crate) struct App {
    pub(crate) calls: Vec<CallHandle>,
    pub(crate) ran: usize,
    /// How much of an upload there is.
    pub(crate) taken: Option<usize>,
    /// Uploads that have become void.
    pub(crate) void: usize,
    /// It cannot take anything now.
    pub(crate) is_full: bool,
}

/// A tool each of whose arguments is mirrored, one of them from a property inside of another.
const MIRRORED: &str = r#"{"type":"object","properties":{
    "region":{"type":"string","x-mcp-header":"Region"},
    "count":{"type":"integer","x-mcp-header":"Count"},
    "urgent":{"type":"boolean","x-mcp-header":"Urgent"},
    "place":{"type":"object","properties":{"level":{"type":"integer","x-mcp-header":"Level"}}}}}"#;

pub(crate) static CATALOG: Catalog<App> = Catalog::new("http-test", "1.0")
    .announces(List::Tools)
    .authorize(authorize)
    .tools(&[
        tool!("echo", "Give back a text.", echo(&mut App, Echo)),
        tool!("grüße", "A name that no header can hold as it is.", |app, call| said(app, call, "hallo")),
        tool!("late_fault", "Progress, then a fault.", |app, mut call| {
            app.ran += 1;
            call.progress(Decimal::from_i64(1), None, None);
            Err(Fault::UnknownResource)
        }),
        tool!("later", "Answer later.", |app: &mut App, call| {
            app.ran += 1;
            call.defer(|call| app.calls.push(call))
        }),
        Tool::new("mirrored", "Its arguments are in headers too.", MIRRORED, |app, call| said(app, call, "agreed")),
        tool!("secret", "For whom we trust.", |app, call| said(app, call, "42")),
        tool!("steps", "Report progress on the way.", |app, mut call| {
            call.progress(Decimal::from_i64(1), None, None);
            call.progress(Decimal::from_i64(2), None, None);
            said(app, call, "there")
        }),
        tool!("store", "Keep a text.", stored(&mut App, Store)).upload("data", store),
        tool!("touch", "Change the LED.", |app, mut call| {
            call.updated("board://led");
            said(app, call, "touched")
        }),
    ])
    .resources(&[Resource::new("board://led", "led", read).changes(), Resource::new("board://größe", "size", read)]);

fn store(app: &mut App, upload: Upload<'_>) -> nb::Result<(), Fault> {
    if upload.is_void() {
        app.taken = None;
        app.void += 1;
        return Ok(());
    }
    if app.is_full {
        return Err(nb::Error::WouldBlock);
    }
    *app.taken.get_or_insert(0) += upload.text().len();
    Ok(())
}

fn said(app: &mut App, call: Call<'_>, text: &str) -> Outcome {
    app.ran += 1;
    call.text(text)
}

umcp::arguments! {
    struct Store<'a> {
        /// It is taken as it arrives.
        _data as "data": &'a str,
    }
}

fn stored(app: &mut App, _: Store<'_>, call: Call<'_>) -> Outcome {
    app.taken = None;
    said(app, call, "stored")
}

umcp::arguments! {
    struct Echo<'a> { text: &'a str }
}

fn echo(app: &mut App, Echo { text }: Echo<'_>, call: Call<'_>) -> Outcome {
    app.ran += 1;
    call.text(text)
}

fn read(app: &mut App, read: Read<'_>) -> Outcome {
    app.ran += 1;
    read.text("on")
}

fn authorize(_: &mut App, access: &Access<'_>) -> Result<Principal, Fault> {
    match access.authorization {
        _ if !access.subject.is_some_and(|subject| subject.is_str("secret")) => Ok(Principal::ANONYMOUS),
        Some("Bearer good") => Ok(Principal(1)),
        Some(_) => Err(Fault::Forbidden),
        None => Err(Fault::Unauthorized),
    }
}
