//! The file of tool lists that outlives the program.
//!
//! ```json
//! {"version": 1, "servers": {"NAME": {"entry": "HASH", "since": MS, "ttlMs": MS, "tools": ["JSON", ...]}}}
//! ```
//!
//! A tool is a string of JSON, so that it stays as the server wrote it. The file has public lists only. A file that is not as expected is one without lists; one that cannot be written is done without.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value, json};
use umcp::json::Value as Item;
use umcp::json::scan::{Key, Scanner, Window};

use super::kept::{Kept, at, millis};
use crate::Entry;
use crate::config::{Server, Transport};

/// A longer file is not read, nor written.
pub const LONGEST_FILE: usize = 64 << 20;
const VERSION: u64 = 1;

/// The file, if lists are to be saved at all.
#[derive(Debug)]
pub(super) struct Saved {
    path: Option<PathBuf>,
    /// One writes at a time.
    writing: Mutex<()>,
}

impl Saved {
    pub(super) fn at(path: Option<PathBuf>) -> Saved {
        Saved { path, writing: Mutex::new(()) }
    }

    /// The saved list of each of these servers.
    pub(super) fn load<'s>(&self, servers: impl Iterator<Item = &'s Server>) -> Vec<Option<Kept>> {
        let lists = self.path.as_deref().and_then(read).unwrap_or_default();
        servers.map(|server| lists.get(&server.name).and_then(|list| kept(list, server))).collect()
    }

    /// Saves a server's list if it may be saved; if not, forgets what was saved of it.
    pub(super) fn put(&self, server: &Server, list: Option<&Kept>) {
        let Some(path) = &self.path else { return };
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        // Another program may have written meanwhile.
        let mut lists = read(path).unwrap_or_default();
        let known = match list.filter(|list| list.may_be_saved()) {
            Some(list) => {
                lists.insert(server.name.clone(), entry(list, server));
                true
            }
            None => lists.remove(&server.name).is_some(),
        };
        if known {
            // What is saved is a convenience.
            let _ = write(path, lists);
        }
    }
}

fn read(path: &Path) -> Option<Map<String, Value>> {
    let length = fs::metadata(path).ok()?.len();
    if length > u64::try_from(LONGEST_FILE).unwrap_or(u64::MAX) {
        return None;
    }
    let root: Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    if root.get("version").and_then(Value::as_u64) != Some(VERSION) {
        return None;
    }
    root.get("servers")?.as_object().cloned()
}

/// The file is whole at any time: it is written beside its place, and then put there.
fn write(path: &Path, lists: Map<String, Value>) -> std::io::Result<()> {
    let text = json!({ "version": VERSION, "servers": lists }).to_string();
    if text.len() > LONGEST_FILE {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}", std::process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&beside)?.write_all(text.as_bytes())?;
    fs::rename(&beside, path)
}

fn entry(list: &Kept, server: &Server) -> Value {
    let tools = list.entries.iter().map(Entry::json);
    let ttl = list.ttl.unwrap_or_default();
    json!({
        "entry": fingerprint(server),
        "since": millis(list.since),
        "ttlMs": u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX),
        "tools": tools.collect::<Vec<_>>(),
    })
}

/// The list in an entry of the file, if it is the list of this server as the configuration has it now.
fn kept(list: &Value, server: &Server) -> Option<Kept> {
    if list.get("entry")?.as_str()? != fingerprint(server) {
        return None;
    }
    let tools = list.get("tools")?.as_array()?;
    let tool = |tool: &Value| Some(Entry::new(Item::new(&canonical(tool.as_str()?)?), "name"));
    Some(Kept {
        entries: tools.iter().map(tool).collect::<Option<_>>()?,
        since: at(list.get("since")?.as_u64()?),
        ttl: Some(Duration::from_millis(list.get("ttlMs")?.as_u64()?)),
        public: true,
        saved: true,
    })
}

/// A file may have been edited.
fn canonical(text: &str) -> Option<Vec<u8>> {
    static NO_KEYS: [Key; 1] = [Key::leaf("id", Key::NO_SLOT)];
    let mut text = text.as_bytes().to_vec();
    let mut scanner = Scanner::new(&NO_KEYS, Scanner::MAX_DEPTH);
    let mut window = Window { start: 0, out: 0, read: 0, end: text.len() };
    scanner.feed(&mut text, &mut window).ok()?;
    scanner.finish(&mut text, &mut window).ok()?;
    text.truncate(window.out);
    Some(text)
}

/// Changes with the configuration's entry: another command may have other tools.
fn fingerprint(server: &Server) -> String {
    let mut hasher = DefaultHasher::new();
    match &server.transport {
        Transport::Process { command, args, env, cwd } => (command, args, env, cwd).hash(&mut hasher),
        // What is sent along decides who is allowed what; a public list does not depend on it.
        Transport::Http { url, .. } => (url.to_string()).hash(&mut hasher),
    }
    format!("{:016x}", hasher.finish())
}
