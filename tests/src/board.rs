//! A server that uses everything a server can do. Its lists are out of order on purpose.

mod prompts;
mod resources;
mod tools;

use umcp::json::Decimal;
use umcp::mcp::content::{Annotations, Icon, Theme};
use umcp::mcp::{Fault, List, Method};
use umcp::server::{Access, CacheScope, CallHandle, Catalog, InputRequired, Outcome, Principal, UploadId};

use prompts::PROMPTS;
use resources::{RESOURCES, TEMPLATES};
pub use tools::TABLE_SCHEMA;
use tools::{SMALL_TOOLS, TOOLS};

/// The state behind the handlers.
#[derive(Debug, Default)]
pub struct Board {
    /// The calls that have been deferred, in the order they came.
    pub calls: Vec<CallHandle>,
    /// What `store` is being given, and how much of it there has been.
    pub upload: Option<(UploadId, usize)>,
    /// All of it has been there.
    pub stored: bool,
}

/// Everything, in one page each.
pub static FULL: Catalog<Board> = full();
/// The same in pages of two.
pub static PAGED: Catalog<Board> = full().page_size(2);
/// The same, but it declares no logging.
pub static NO_LOGGING: Catalog<Board> = Catalog::new("no-logging", "1").tools(TOOLS).announces(List::Tools);
/// Only the resources, and no list that changes.
pub static READ_ONLY: Catalog<Board> = Catalog::new("read-only", "1").resources(RESOURCES);
/// Only the templates of resources.
pub static TEMPLATES_ONLY: Catalog<Board> = Catalog::new("templates", "1").templates(TEMPLATES);
/// One tool, and few words about itself. Nothing of it changes.
pub static SMALL: Catalog<Board> = Catalog::new("s", "1").tools(SMALL_TOOLS);
/// Nothing at all.
pub static BARE: Catalog<Board> = Catalog::new("bare", "0");
/// The same as [`FULL`], behind a door.
pub static GUARDED: Catalog<Board> = full().authorize(authorize);

const fn full() -> Catalog<Board> {
    Catalog::new("proof", "1.2.3")
        .title("Proving ground")
        .description("A server that uses everything.")
        .website_url("https://example.com/proof")
        .icons(ICONS)
        .instructions("Call anything.")
        .cache(60_000, CacheScope::Private)
        .logging()
        .announces(List::Tools)
        .announces(List::Resources)
        .announces(List::Prompts)
        .tools(TOOLS)
        .resources(RESOURCES)
        .templates(TEMPLATES)
        .prompts(PROMPTS)
}

const ICONS: &[Icon] = &[Icon {
    src: "https://example.com/icon.png",
    mime_type: Some("image/png"),
    sizes: &["48x48", "any"],
    theme: Some(Theme::Dark),
}];

const NOTES: Annotations<'static> = Annotations {
    for_user: true,
    for_assistant: true,
    priority: Some(Decimal::new(5, 1)),
    last_modified: Some("2025-01-12T15:00:58Z"),
};

/// The list with this name; tools, if there is none.
#[must_use]
pub fn list_named(name: &str) -> List {
    match name {
        "prompts" => List::Prompts,
        "resources" => List::Resources,
        "resourceTemplates" => List::ResourceTemplates,
        _ => List::Tools,
    }
}

const FORM: &str = r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#;

fn ask_name(input: InputRequired<'_>) -> Outcome {
    input.elicit("who", "Your name?", FORM).state("s-1").done()
}

/// Whoever calls itself `nobody` is not known; everybody else is number 7, who may not use `secret` and not read the log.
fn authorize(_: &mut Board, access: &Access<'_>) -> Result<Principal, Fault> {
    if access.client_info.and_then(|info| info.get("name")).is_some_and(|name| name.is_str("nobody")) {
        return Err(Fault::Unauthorized);
    }
    let subject = |name: &str| access.subject.is_some_and(|subject| subject.is_str(name));
    match access.method {
        Method::CallTool if subject("secret") => Err(Fault::Forbidden),
        Method::ReadResource | Method::Subscribe | Method::Unsubscribe if subject("board://log") => {
            Err(Fault::Forbidden)
        }
        Method::GetPrompt if subject("ask") => Err(Fault::application(9, "not today")),
        Method::Listen | Method::Initialize if access.client_info.is_some_and(|info| info.get("deaf").is_some()) => {
            Err(Fault::Forbidden)
        }
        _ => Ok(Principal(7)),
    }
}
