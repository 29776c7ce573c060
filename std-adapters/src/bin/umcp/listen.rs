//! `umcp listen`: changes as they happen.

use std::cell::RefCell;
use std::io::{self, Write as _};
use std::rc::Rc;

use umcp::client::{Event, ListenEnd, ListenFilter};
use umcp::io::{Failure, Wire};
use umcp::json::Value;
use umcp::rpc::RequestHandle;
use umcp::time::{Duration, Instant};

use crate::args::Words;
use crate::exit::{CLOSED, Exit};
use crate::output::put;
use crate::session::{Session, with_server};
use crate::table::printable;
use crate::target::Target;
use crate::watch::Watch;

/// Listens until Ctrl-C or, if the command line says how long, until that time has passed; both are success.
pub(crate) fn listen(args: &Words<{ usize::MAX }>, limit: Option<Duration>) -> Result<(), Exit> {
    let target = Target::of(args, 0)?;
    let watch = Rc::new(RefCell::new(Watch::default()));
    let json = args.common.json;
    with_server(&target, &args.common, &watch, |session| {
        let uris: Vec<&str> = target.words.iter().map(String::as_str).collect();
        let features = session.features();
        let filter = ListenFilter {
            tools: features.tools_changed,
            prompts: features.prompts_changed,
            resources: features.resources_changed,
            uris: &uris,
        };
        let mut handle = session.listen(&filter)?;
        warn_of_refusals(session.host().granted.as_deref(), &filter)?;
        watch.borrow_mut().waiting_for.clear();
        let mut printer = Printer::begin(json)?;
        let outcome = follow(session, &filter, limit, &mut handle, &mut printer);
        if let Some(error) = printer.failed {
            return Err(error.into());
        }
        printer.end()?;
        match outcome {
            _ if printer.ended_by_server => Err(Exit::new(CLOSED, "the server ended the subscription")),
            // Interrupted, or the time is up: say goodbye, if the server still listens.
            Ok(()) | Err(Failure::Cancelled) => {
                let _ = session.close_listen(handle, &uris);
                Ok(())
            }
            Err(failure) => Err(failure.into()),
        }
    })
}

/// Says what a modern server will not tell about, since waiting for it is in vain.
fn warn_of_refusals(granted: Option<&str>, asked: &ListenFilter<'_>) -> io::Result<()> {
    let Some(granted) = granted.map(|text| Value::new(text.as_bytes())) else {
        return Ok(());
    };
    let mut stderr = io::stderr().lock();
    for uri in asked.uris {
        let told = granted.get("resourceSubscriptions").is_some_and(|uris| uris.items().any(|item| item.is_str(uri)));
        if !told {
            writeln!(stderr, "umcp: the server does not tell about changes of {}", printable(uri))?;
        }
    }
    Ok(())
}

/// Over HTTP, a subscription that is lost with its stream is opened again.
fn follow(
    session: &mut Session<'_>,
    filter: &ListenFilter<'_>,
    limit: Option<Duration>,
    handle: &mut RequestHandle,
    printer: &mut Printer,
) -> Result<(), Failure<io::Error>> {
    let until = limit.map_or(Instant::NEVER, |limit| session.wire().now() + limit);
    let over_http = session.http_connection().is_some();
    while !printer.ended_by_server && printer.failed.is_none() {
        match session.next_notification(until)? {
            Some(Event::ListenEnded { end: ListenEnd::Lost, .. }) if over_http => {
                match session.listen_again(filter, until)? {
                    Some(again) => *handle = again,
                    None => return Ok(()),
                }
                printer.failed = printer.print_gap().err();
            }
            Some(event) => printer.failed = printer.print(event).err(),
            None => return Ok(()),
        }
    }
    Ok(())
}

/// Prints a line a change; with `--json`, one array that grows by an item a change.
struct Printer {
    json: bool,
    first: bool,
    ended_by_server: bool,
    /// Standard output takes no more.
    failed: Option<io::Error>,
}

impl Printer {
    fn begin(json: bool) -> Result<Printer, Exit> {
        let printer = Printer { json, first: true, ended_by_server: false, failed: None };
        put(if json { "[" } else { "listening; Ctrl-C ends it\n" })?;
        Ok(printer)
    }

    fn print(&mut self, event: Event<'_>) -> io::Result<()> {
        let (text, json) = match event {
            Event::Changed { list, .. } => {
                let list = list.member();
                (format!("the list of {list} has changed"), serde_json::json!({ "changed": list }))
            }
            Event::Updated { uri, .. } => {
                let uri = uri.to_string();
                (format!("{uri} has changed"), serde_json::json!({ "updated": uri }))
            }
            Event::ListenEnded { end, .. } => {
                self.ended_by_server = end != ListenEnd::Closed;
                return Ok(());
            }
            _ => return Ok(()),
        };
        self.put(&text, &json)
    }

    /// What the server told meanwhile was not heard.
    fn print_gap(&mut self) -> io::Result<()> {
        let text = "the subscription was lost and is open again: anything may have changed meanwhile";
        self.put(text, &serde_json::json!({ "missed": true }))
    }

    fn put(&mut self, text: &str, json: &serde_json::Value) -> io::Result<()> {
        let line = match (self.json, self.first) {
            (false, _) => format!("{}\n", printable(text)),
            (true, true) => json.to_string(),
            (true, false) => format!(",\n{json}"),
        };
        self.first = false;
        put(&line)
    }

    fn end(&self) -> io::Result<()> {
        if self.json { put("]\n") } else { Ok(()) }
    }
}
