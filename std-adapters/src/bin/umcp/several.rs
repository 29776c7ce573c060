//! The verbs with all servers of a configuration.
//!
//! With `--json` a list is `{"tools":[{"server":…,"name":…,"item":…}],"errors":[{"server":…,"status":…,"message":…}]}`, likewise with `resources`,
//! `resourceTemplates` and `prompts`: `item` is the entry as its server wrote it, `name` what to ask for, and `status` what the exit status were with that
//! server alone. `discover` is `{"servers":[{"server":…,"item":…}],"errors":…}`. What asks one server answers as with that server alone.
//! Servers whose list cannot be had are named, the others' lists printed, and the first one's status is the program's.

use std::env;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use umcp::io::Failure;
use umcp::json::Value;
use umcp::mcp::{ClientCapabilities, List};
use umcp_std::process::Stderr;
use umcp_std::{Borrowed, Config, Manager, ManagerError, Settings};

use crate::args::{Common, Words};
use crate::exit::Exit;
use crate::interrupt;
use crate::output::Output;
use crate::session::{MAX_SECONDS, RECEIVE_BUFFER, TRANSMIT_BUFFER, Teller};
use crate::table::Table;
use crate::target::check_count;
use crate::verbs::{server_rows, server_text};

/// All servers of the configuration.
pub(crate) struct Several {
    manager: Manager,
    json: bool,
    out: Output,
}

impl Several {
    /// They, if they are meant: with `--config` and without `--server`.
    pub(crate) fn of<const MOST: usize>(args: &Words<MOST>, least: usize) -> Result<Option<Several>, Exit> {
        let common = &args.common;
        let Some(path) = common.config.as_ref().filter(|_| common.server.is_none() && args.command.is_empty()) else {
            return Ok(None);
        };
        let config = Config::load(path).map_err(|error| Exit::usage(error.to_string()))?;
        if config.names().next().is_none() {
            return Err(Exit::usage(format!("which server? {} names none", path.display())));
        }
        check_count(args.words.len(), least, MOST)?;
        let manager = Manager::new(&config, cache(path), settings(common));
        let stopper = manager.stopper();
        interrupt::once(move || stopper.stop());
        Ok(Some(Several { manager, json: common.json, out: Output::default() }))
    }

    /// Asks the server that has this, by the name that it knows.
    pub(crate) fn ask(
        mut self,
        list: List,
        name: &str,
        work: impl FnOnce(&mut Borrowed<'_>, &str, bool, &mut Output) -> Result<(), Failure<io::Error>>,
    ) -> Result<(), Exit> {
        let (json, out) = (self.json, &mut self.out);
        let found = self.manager.find(list, name);
        let done =
            found.and_then(|found| self.manager.ask(&found.server, |client| work(client, &found.name, json, out)));
        self.end(done.err().into_iter().collect())
    }

    pub(crate) fn list(mut self, list: List, mut row: impl FnMut(&str, Value<'_>, &mut Table)) -> Result<(), Exit> {
        let listing = self.manager.list(list);
        if self.json {
            let item = |listed: &umcp_std::manager::Listed| {
                let (server, name) = (json!(listed.server), json!(listed.name));
                format!("{{\"server\":{server},\"name\":{name},\"item\":{}}}", listed.entry.json())
            };
            let items: Vec<String> = listing.entries.iter().map(item).collect();
            self.json(list.member(), &items, &listing.problems);
        } else {
            let mut table = Table::new();
            for listed in &listing.entries {
                row(&listed.name, Value::new(listed.entry.json().as_bytes()), &mut table);
            }
            table.print(&mut self.out);
        }
        self.end(listing.problems)
    }

    pub(crate) fn discover(mut self) -> Result<(), Exit> {
        let json = self.json;
        let answers = self.manager.ask_all(|client| {
            let mut table = Table::new();
            server_rows(client.server(), &mut table);
            Ok((server_text(client.server()), table))
        });
        let mut items = Vec::new();
        let mut problems = Vec::new();
        for (server, answer) in answers {
            match answer {
                Ok((text, _)) if json => items.push(format!("{{\"server\":{},\"item\":{text}}}", json!(server))),
                Ok((_, mut table)) => {
                    let mut head = Table::new();
                    head.row("server", server);
                    head.print(&mut self.out);
                    table.print(&mut self.out);
                }
                Err(problem) => problems.push(problem),
            }
        }
        if json {
            self.json("servers", &items, &problems);
        }
        self.end(problems)
    }

    fn json(&mut self, member: &str, items: &[String], problems: &[ManagerError]) {
        let error = |problem: &ManagerError| {
            let exit = Exit::from(problem.clone());
            json!({ "server": problem.server(), "status": exit.status, "message": exit.message }).to_string()
        };
        let errors: Vec<String> = problems.iter().map(error).collect();
        self.out.line(format_args!("{{\"{member}\":[{}],\"errors\":[{}]}}", items.join(","), errors.join(",")));
    }

    /// Ends the servers, and prints what there is.
    fn end(self, problems: Vec<ManagerError>) -> Result<(), Exit> {
        self.manager.close();
        self.out.print()?;
        let mut exits = problems.into_iter().map(Exit::from);
        let Some(mut exit) = exits.next() else { return Ok(()) };
        exits.for_each(|other| exit.message.push_str(&format!("\numcp: {}", other.message)));
        Err(exit)
    }
}

fn settings(common: &Common) -> impl Fn(&str) -> Settings + Send + Sync + 'static {
    let timeout = Duration::from_millis(common.timeout_ms.into());
    let (json, verbose) = (common.json, common.verbose);
    move |_| {
        let common = Common { json, verbose, ..Common::default() };
        let stderr = if verbose { Stderr::Inherit } else { Stderr::Discard };
        Settings::new("umcp", env!("CARGO_PKG_VERSION"))
            .timeout(timeout)
            .max_timeout(Duration::from_secs(MAX_SECONDS.into()))
            .buffers(RECEIVE_BUFFER, TRANSMIT_BUFFER)
            .stderr(stderr)
            .host(Teller::new(&common), ClientCapabilities::NONE)
    }
}

/// Where the lists of tools are saved: a file for each configuration, in the user's own folder for what can be had again.
fn cache(config: &Path) -> Option<PathBuf> {
    let config = config.canonicalize().ok()?;
    let variable = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = if cfg!(windows) {
        variable("LOCALAPPDATA")?
    } else {
        variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")))?
    };
    let mut hasher = DefaultHasher::new();
    config.hash(&mut hasher);
    Some(folder.join("umcp").join(format!("tools-{:016x}.json", hasher.finish())))
}
