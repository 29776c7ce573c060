//! One connection of the program to a server: start, connect, do something, close.

use std::cell::RefCell;
use std::io::{self, IsTerminal, Write as _};
use std::rc::Rc;

use umcp::client::{Config, Event, Host, Ignored, Lent, Listen, Options, Verdict};
use umcp::http::client as http;
use umcp::io::{Client, Failure};
use umcp::rpc::Pending;
use umcp::time::Duration;
use umcp_std::process::{Closed, How, Stderr};

use crate::args::Common;
use crate::exit::{CLOSED, Exit, PROTOCOL, TIMED_OUT};
use crate::interrupt;
use crate::mask;
use crate::place::{AnyWire, Place};
use crate::table::printable;
use crate::target::Target;
use crate::watch::{Watch, Watched};

/// How long an answer may take in all, while it arrives or reports progress, in seconds.
pub(crate) const MAX_SECONDS: u32 = 3_600;
/// The longest item of a list from a server, and what else is in a result, in bytes. The message may be longer.
pub(crate) const RECEIVE_BUFFER: usize = 256 << 10;
/// The longest message to a server, in bytes.
pub(crate) const TRANSMIT_BUFFER: usize = 1 << 20;
/// For the annotations of tools over HTTP, in bytes.
const TOOLS: usize = 64 << 10;
/// How long a server may take over the probe before it is taken for a legacy one.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) type Session<'b> = Client<'b, Watched, Teller>;

/// Starts the server, connects, runs `work`, and closes.
pub(crate) fn with_server<T>(
    target: &Target<'_>,
    common: &Common,
    watch: &Rc<RefCell<Watch>>,
    work: impl FnOnce(&mut Session<'_>) -> Result<T, Exit>,
) -> Result<T, Exit> {
    let mut memory = Memory::new();
    let process = Server::start(target, common, watch)?;
    let connected = connect(&mut memory, target, common, watch, &process, None);
    // Some servers end at the sight of a request they do not know: start again, with the handshake at once.
    if let Err(Exit { failure: Some(Failure::ProbeExited), .. }) = connected {
        drop(connected);
        process.close();
        let process = Server::start(target, common, watch)?;
        let connected = connect(&mut memory, target, common, watch, &process, Some(Verdict::Legacy));
        return process.run(connected, work);
    }
    process.run(connected, work)
}

/// A server that has been started.
struct Server {
    wire: Rc<RefCell<AnyWire>>,
    watch: Rc<RefCell<Watch>>,
    verbose: bool,
}

impl Server {
    fn start(target: &Target<'_>, common: &Common, watch: &Rc<RefCell<Watch>>) -> Result<Server, Exit> {
        let stderr = if common.verbose { Stderr::Inherit } else { Stderr::Discard };
        let wire = target.place.open(stderr)?;
        interrupt::on_ctrl_c(wire.interrupter());
        {
            let mut watch = watch.borrow_mut();
            watch.verbose |= common.verbose;
            watch.waiting_for = format!("{} to answer", target.name);
            watch.secrets.clone_from(&target.secrets);
        }
        Ok(Server { wire: Rc::new(RefCell::new(wire)), watch: Rc::clone(watch), verbose: common.verbose })
    }

    fn run<T>(
        self,
        connected: Result<Session<'_>, Exit>,
        work: impl FnOnce(&mut Session<'_>) -> Result<T, Exit>,
    ) -> Result<T, Exit> {
        let done = connected.and_then(|mut session| {
            let done = work(&mut session).map_err(|exit| exit.explained(&session));
            session.close();
            done
        });
        let closed = self.close();
        done.map_err(|exit| self.explain(exit, closed))
    }

    fn close(&self) -> Option<Closed> {
        self.wire.borrow_mut().close()
    }

    /// Adds how the server ended, if it did so by itself, and what it said last, where that may explain the failure.
    fn explain(&self, mut exit: Exit, closed: Option<Closed>) -> Exit {
        let has_lines = !matches!(&*self.wire.borrow(), AnyWire::Http(_));
        let speaks_out_of_turn = has_lines && matches!(exit.status, CLOSED | TIMED_OUT | PROTOCOL) && !exit.ours;
        if let Some(noise) = self.watch.borrow().received.noise.as_ref().filter(|_| speaks_out_of_turn) {
            let noise = mask::hidden(noise, &self.watch.borrow().secrets);
            exit.message.push_str(&format!(
                "\n  it wrote a line that is no message, `{noise}`: a server logs to its standard error"
            ));
        }
        if exit.status != CLOSED || exit.ours {
            return exit;
        }
        let tail = self.wire.borrow().stderr_tail();
        if let Some(Closed { status: Some(status), how: How::Eof }) = closed {
            exit.message.push_str(&format!("\n  it ended with {status}"));
        }
        let last: Vec<&str> = tail.lines().filter(|line| !line.trim().is_empty()).collect();
        if !self.verbose && !last.is_empty() {
            exit.message.push_str("\n  its last words:");
            for line in last.iter().rev().take(8).rev() {
                exit.message.push_str(&format!("\n    {line}"));
            }
        }
        exit
    }
}

/// The memory of one connection.
struct Memory {
    receive: Vec<u8>,
    transmit: Vec<u8>,
    pending: heapless::Vec<Pending, 16>,
    listens: heapless::Vec<Listen, 4>,
    session: heapless::Vec<u8, 1024>,
    said: heapless::Vec<u8, 4096>,
    tools: Box<heapless::Vec<u8, TOOLS>>,
}

impl Memory {
    fn new() -> Memory {
        Memory {
            receive: vec![0; RECEIVE_BUFFER],
            transmit: vec![0; TRANSMIT_BUFFER],
            pending: heapless::Vec::new(),
            listens: heapless::Vec::new(),
            session: heapless::Vec::new(),
            said: heapless::Vec::new(),
            tools: Box::default(),
        }
    }
}

fn connect<'b>(
    memory: &'b mut Memory,
    target: &'b Target<'_>,
    common: &Common,
    watch: &Rc<RefCell<Watch>>,
    server: &Server,
    verdict: Option<Verdict>,
) -> Result<Session<'b>, Exit> {
    let lent = Lent {
        receive: &mut memory.receive,
        transmit: &mut memory.transmit,
        pending: &mut memory.pending,
        listens: &mut memory.listens,
    };
    let timeout = target.timeout.unwrap_or(Duration::from_millis(common.timeout_ms));
    let config = Config {
        timeout,
        probe_timeout: PROBE_TIMEOUT.min(timeout),
        verdict,
        ..Config::new("umcp", env!("CARGO_PKG_VERSION"))
    };
    let wire = Watched::new(Rc::clone(&server.wire), Rc::clone(watch));
    let teller = Teller::new(common);
    let mut session = match &target.place {
        Place::Http(remote) => {
            let Memory { session, said, tools, .. } = memory;
            let lent = http::Lent { client: lent, session, said, tools: &mut **tools };
            Client::new_http(lent, config, remote, wire, teller)
        }
        Place::Process(_) | Place::Line(_) => Client::new(lent, config, wire, teller),
    };
    session.handshake().map_err(|failure| Exit::from(failure).explained(&session))?;
    session.options =
        Options { timeout, max_timeout: Some(Duration::from_secs(MAX_SECONDS)), progress: true, ..Options::DEFAULT };
    Ok(session)
}

/// Tells the user, on standard error, what arrives beside the answers.
#[derive(Debug)]
pub(crate) struct Teller {
    /// On a terminal progress is shown, for programs it is noise.
    shows_progress: bool,
    verbose: bool,
    /// Lines that were no messages.
    noise: u32,
    /// How many resources were reported to have changed, meanwhile.
    pub(crate) updates: u32,
    /// What a modern server agreed to tell, in JSON.
    pub(crate) granted: Option<String>,
}

impl Teller {
    pub(crate) fn new(common: &Common) -> Teller {
        Teller {
            shows_progress: io::stderr().is_terminal(),
            verbose: common.verbose,
            noise: 0,
            updates: 0,
            granted: None,
        }
    }
}

impl Host for Teller {
    fn event(&mut self, event: Event<'_>) {
        let mut stderr = io::stderr().lock();
        // Nothing can be done about a standard error that takes no more.
        let _ = match event {
            Event::Progress { progress, total, message, .. } if self.shows_progress => {
                let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
                let what = message.map(|message| format!(": {}", printable(&message.to_string()))).unwrap_or_default();
                writeln!(stderr, "progress {progress}{of}{what}")
            }
            Event::Acknowledged { filter, .. } => {
                self.granted = filter.map(|filter| String::from_utf8_lossy(filter.raw()).into_owned());
                Ok(())
            }
            Event::Updated { .. } => {
                self.updates += 1;
                Ok(())
            }
            Event::Log { level, data, .. } => {
                writeln!(stderr, "{}: {}", level.as_str(), printable(&format!("{data:?}")))
            }
            Event::Ignored { why: Ignored::Noise, .. } => {
                self.noise += 1;
                if self.noise == 1 && self.shows_progress {
                    writeln!(
                        stderr,
                        "umcp: the server writes lines to its standard output that are no messages; passed over"
                    )
                } else {
                    Ok(())
                }
            }
            Event::Ignored { why, .. } if self.verbose => writeln!(stderr, "umcp: passed over: {why:?}"),
            _ => Ok(()),
        };
    }
}
