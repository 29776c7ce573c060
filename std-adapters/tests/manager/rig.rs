//! Scripted servers, and configurations of them.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use umcp_std::{Config, Manager, Settings};

/// What anything takes at most; reached only when it fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A modern server. What it does is in files of its folder, `$0`, so that its entry in the configuration stays the same: `delay` before it hears
/// anything, `tools`, `hints` for the list, `call`, a script for calls. It logs what happens.
const SERVER: &str = r#"
say() { printf '%s\n' "$1"; }
result() { say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"resultType\":\"complete\",$1}}"; }
content() { result "\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]"; }
changed() { say "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":$sub}}}"; }
cd "$0"
echo start >>log
sleep $(cat delay)
while IFS= read -r heard; do
  id=${heard#*'"id":'}; id=${id%%,*}
  case $heard in
  *'"server/discover"'*) result '"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}';;
  *'"subscriptions/listen"'*) sub=$id
    say "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":$sub},\"notifications\":{\"toolsListChanged\":true}}}";;
  *'"tools/list"'*) echo list >>log; result "\"tools\":[$(cat tools)]$(cat hints)";;
  *'"tools/call"'*) echo call >>log; . ./call;;
  esac
done
"#;

pub(crate) const PUBLIC: &str = r#","ttlMs":600000,"cacheScope":"public""#;
pub(crate) const PRIVATE: &str = r#","ttlMs":600000,"cacheScope":"private""#;
pub(crate) const STALE: &str = r#","ttlMs":0,"cacheScope":"public""#;

/// A configuration, in a folder of the test's own.
pub(crate) struct Fleet {
    folder: PathBuf,
    servers: Map<String, Value>,
}

impl Fleet {
    pub(crate) fn new() -> Fleet {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("manager-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&folder).unwrap();
        Fleet { folder, servers: Map::new() }
    }

    /// Adds a server with these tools. It is set up with [`set`](Fleet::set).
    pub(crate) fn server(mut self, name: &str, tools: &[&str]) -> Fleet {
        fs::create_dir_all(self.folder.join(name)).unwrap();
        let entry = json!({ "command": "sh", "args": ["-c", SERVER, self.folder.join(name)] });
        self.servers.insert(name.to_owned(), entry);
        self.set(name, "delay", "0");
        self.set(name, "hints", "");
        self.set(name, "call", &format!("content 'this is {name}'"));
        self.tools(name, tools);
        self
    }

    pub(crate) fn entry(mut self, name: &str, entry: Value) -> Fleet {
        self.servers.insert(name.to_owned(), entry);
        self
    }

    pub(crate) fn set(&self, server: &str, file: &str, text: &str) {
        fs::write(self.folder.join(server).join(file), text).unwrap();
    }

    pub(crate) fn tools(&self, server: &str, tools: &[&str]) {
        let tools: Vec<String> = tools.iter().map(|name| format!("{{\"name\":\"{name}\",\"max\":1e400}}")).collect();
        self.set(server, "tools", &tools.join(","));
    }

    pub(crate) fn manager(&self) -> Manager {
        let config = Config::parse(&json!({ "mcpServers": self.servers }).to_string()).unwrap();
        Manager::new(&config, Some(self.saved()), |_| {
            Settings::new("test", "1").timeout(PATIENCE).probe_timeout(PATIENCE)
        })
    }

    pub(crate) fn saved(&self) -> PathBuf {
        self.folder.join("cache").join("tools.json")
    }

    /// How often a server has logged this.
    pub(crate) fn count(&self, server: &str, what: &str) -> usize {
        let log = fs::read_to_string(self.folder.join(server).join("log")).unwrap_or_default();
        log.lines().filter(|line| *line == what).count()
    }

    pub(crate) fn wait_for(&self, server: &str, what: &str) {
        let start = Instant::now();
        while self.count(server, what) == 0 {
            assert!(start.elapsed() < PATIENCE, "{server} has not come to {what}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The names in the listing, and how many problems it has.
pub(crate) fn names(manager: &Manager) -> (Vec<String>, usize) {
    let listing = manager.tools();
    (listing.entries.into_iter().map(|listed| listed.name).collect(), listing.problems.len())
}

/// Calls a tool without arguments; the text, or the error.
pub(crate) fn call(manager: &Manager, name: &str) -> Result<String, umcp_std::ManagerError> {
    let none: [(&str, &str); 0] = [];
    manager.call(name, &std::collections::BTreeMap::from(none), |reply| reply.text().unwrap().to_string())
}
