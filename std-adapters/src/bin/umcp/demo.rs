//! `umcp demo`: the whole of it in ten seconds.

use std::cell::RefCell;
use std::io::{self, Write as _};
use std::rc::Rc;

use umcp::client::{Event, ListenFilter, Options};
use umcp::io::Wire as _;
use umcp::time::Duration;
use umcp_std::Process;

use crate::args::Common;
use crate::exit::{CLOSED, Exit, PROTOCOL};
use crate::place::Place;
use crate::session::{Session, with_server};
use crate::target::Target;
use crate::watch::Watch;

/// How long a change may take to be told.
const NEWS: Duration = Duration::from_secs(5);
const LED: &str = "board://led";

/// Starts this program again as a server, and talks to it.
pub(crate) fn demo() -> Result<(), Exit> {
    let program =
        std::env::current_exe().map_err(|error| Exit::new(CLOSED, format!("cannot find this program: {error}")))?;
    let target = Target {
        place: Place::Process(Process::new(&program).arg("serve")),
        name: "the board".to_owned(),
        words: &[],
        secrets: Vec::new(),
        timeout: None,
    };
    let common = Common { timeout_ms: 10_000, ..Common::default() };
    let watch = Rc::new(RefCell::new(Watch { verbose: true, ..Watch::default() }));
    step("A client starts a server, the simulated board, as a child process, and asks who it is.")?;
    with_server(&target, &common, &watch, |session| tour(session, &watch))
}

fn tour(session: &mut Session<'_>, watch: &Rc<RefCell<Watch>>) -> Result<(), Exit> {
    let name = session.server().name().map(|name| name.to_string()).unwrap_or_default();
    say(&format!("It is {name}, and speaks revision {}. No handshake, no session.", session.revision()))?;

    step("Which tools does it have?")?;
    let mut names = Vec::new();
    session.tools(|tool| names.push(tool.name().to_string()))?;
    say(&names.join(", "))?;

    step("Call one.")?;
    let text = session.call("echo", &serde_json::json!({ "text": "héllo 世界" }))?.text().map(|text| text.to_string());
    say(&format!("It says: {}", text.unwrap_or_default()))?;

    step("Call one that takes a while: the server answers later, and reports progress meanwhile.")?;
    let options = Options { progress: true, ..session.options };
    session.call_with("blink", &serde_json::json!({ "times": 3, "period_ms": 150 }), options)?;
    say("It has blinked.")?;

    step("Read a resource.")?;
    let led = session.read(LED)?.contents().find_map(|contents| contents.text()).map(|text| text.to_string());
    say(&format!("The LED is {}.", led.unwrap_or_default()))?;

    step("Listen to that resource, and switch the LED with a call: the change is told.")?;
    let uris = [LED];
    let listen = session.listen(&ListenFilter { uris: &uris, ..ListenFilter::default() })?;
    session.call("led_set", &serde_json::json!({ "on": true }))?;
    let told = session.host().updates > 0 || {
        let until = session.wire().now() + NEWS;
        matches!(session.next_notification(until)?, Some(Event::Updated { .. }))
    };
    if !told {
        return Err(Exit::new(PROTOCOL, "the change was not told"));
    }
    say("It was.")?;
    session.close_listen(listen, &uris)?;

    let watch = watch.borrow();
    let (sent, received) = (&watch.sent, &watch.received);
    step("What it cost:")?;
    say(&format!(
        "{:>7} bytes in {:>2} messages to the server, the largest {:>4}",
        sent.bytes, sent.messages, sent.largest
    ))?;
    say(&format!(
        "{:>7} bytes in {:>2} messages back,          the largest {:>4}",
        received.bytes, received.messages, received.largest
    ))?;
    say(&format!(
        "{:>7} bytes of state for a server connection, {} for a client's, besides the buffers lent to them",
        size_of::<umcp::server::Connection<'static>>(),
        size_of::<umcp::client::Connection<'static>>(),
    ))?;
    say(&format!(
        "{:>7} bytes of buffers on the server's side: {} to receive, {} to send; no heap, no thread",
        umcp_std::RECEIVE_BUFFER + umcp_std::TRANSMIT_BUFFER,
        umcp_std::RECEIVE_BUFFER,
        umcp_std::TRANSMIT_BUFFER
    ))
}

/// Announces what comes next. Messages appear on standard error, so everything else does too, to keep the order.
fn step(text: &str) -> Result<(), Exit> {
    Ok(writeln!(io::stderr().lock(), "\n# {text}")?)
}

fn say(text: &str) -> Result<(), Exit> {
    Ok(writeln!(io::stderr().lock(), "  {text}")?)
}
