//! The configuration file that names servers, in the shape that is usual among MCP clients.

mod error;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use umcp::time::Duration;

use crate::Process;
pub use error::ConfigError;

/// A configuration file: `{"mcpServers": {"name": {"command": …}}}`, or with `servers` as VS Code writes it.
///
/// Each server is looked at when it is asked for, so a mistake in one does not hide the others. Members that are not
/// known are ignored, and `${…}` has no meaning.
#[derive(Clone)]
pub struct Config {
    path: Option<PathBuf>,
    servers: Map<String, Value>,
}

/// A server that is started as a process.
#[derive(Clone, PartialEq, Eq)]
pub struct Server {
    /// Its name in the configuration.
    pub name: String,
    /// The program, by path or looked for on `PATH`.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Environment variables beside the inherited ones.
    pub env: BTreeMap<String, String>,
    /// The directory to start in; ours, if there is none. A relative one starts from ours.
    pub cwd: Option<PathBuf>,
    /// How long to wait for the answer to a request, if the file says so (`timeout`, in milliseconds).
    pub timeout: Option<Duration>,
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, is not JSON, or names no servers; the error names the file, and the place in it.
    pub fn load(path: impl AsRef<Path>) -> Result<Config, ConfigError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|source| ConfigError::Unreadable { path: path.to_owned(), source })?;
        Config::of(&bytes, Some(path))
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// It is not JSON, or names no servers.
    pub fn parse(text: &str) -> Result<Config, ConfigError> {
        Config::of(text.as_bytes(), None)
    }

    fn of(bytes: &[u8], path: Option<&Path>) -> Result<Config, ConfigError> {
        let path = path.map(Path::to_owned);
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let root = match serde_json::from_slice(bytes) {
            Ok(root) => root,
            Err(source) => return Err(ConfigError::NotJson { path, source }),
        };
        match servers(root) {
            Some(servers) => Ok(Config { path, servers }),
            None => Err(ConfigError::NoServers { path }),
        }
    }

    /// The names of all servers, in alphabetical order, including those that [`server`](Config::server) would refuse.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.servers.keys().map(String::as_str)
    }

    /// The server called `name`.
    ///
    /// # Errors
    /// There is none of this name, or its entry is not one of a server that can be started.
    pub fn server(&self, name: &str) -> Result<Server, ConfigError> {
        let Some(entry) = self.servers.get(name) else {
            let names = self.names().map(str::to_owned).collect();
            return Err(ConfigError::Unknown { path: self.path.clone(), name: name.to_owned(), names });
        };
        read(name, entry).map_err(|reason| ConfigError::Server {
            path: self.path.clone(),
            name: name.to_owned(),
            reason,
        })
    }
}

impl Server {
    /// The command to start.
    #[must_use]
    pub fn process(&self) -> Process {
        let process = Process::new(&self.command).args(&self.args);
        let process = self.env.iter().fold(process, |process, (name, value)| process.env(name, value));
        match &self.cwd {
            Some(directory) => process.cwd(directory),
            None => process,
        }
    }
}

/// Only names: the entries may have secrets.
impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.names().collect();
        f.debug_struct("Config").field("path", &self.path).field("servers", &names).finish()
    }
}

/// Without the values of environment variables: they may be secrets.
impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.keys().collect();
        f.debug_struct("Server")
            .field("name", &self.name)
            .field("command", &self.command)
            .field("args", &self.args)
            .field("env", &names)
            .field("cwd", &self.cwd)
            .field("timeout", &self.timeout)
            .finish()
    }
}

fn servers(root: Value) -> Option<Map<String, Value>> {
    let Value::Object(mut root) = root else { return None };
    let servers = root.remove("mcpServers").or_else(|| root.remove("servers"))?;
    match servers {
        Value::Object(servers) => Some(servers),
        _ => None,
    }
}

/// A reason never quotes a value: it may be a secret.
type Reason = String;

fn read(name: &str, entry: &Value) -> Result<Server, Reason> {
    let entry = entry.as_object().ok_or("it must be an object")?;
    must_be_process(entry)?;
    let Some(command) = text(entry, "command")?.filter(|command| !command.is_empty()) else {
        return Err("`command` is missing: the program to start".into());
    };
    Ok(Server {
        name: name.to_owned(),
        command: command.to_owned(),
        args: args(entry)?,
        env: env(entry)?,
        cwd: text(entry, "cwd")?.map(PathBuf::from),
        timeout: timeout(entry)?,
    })
}

fn must_be_process(entry: &Map<String, Value>) -> Result<(), Reason> {
    match text(entry, "type")? {
        Some("stdio") => Ok(()),
        None if entry.contains_key("command") || !entry.contains_key("url") => Ok(()),
        None | Some("http" | "sse" | "streamable-http" | "streamableHttp") => {
            Err("HTTP servers are not supported yet; give a `command` that starts a server or a bridge".into())
        }
        Some(other) => Err(format!(
            "its type `{other}` is unknown; it may be `stdio` (or missing), `http`, `sse` or `streamable-http`"
        )),
    }
}

/// A member that is a string, or missing, or null, which is the same.
fn text<'e>(entry: &'e Map<String, Value>, member: &str) -> Result<Option<&'e str>, Reason> {
    match entry.get(member) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{member}` must be a string")),
    }
}

fn args(entry: &Map<String, Value>) -> Result<Vec<String>, Reason> {
    let wrong = || "`args` must be an array of strings".to_owned();
    match entry.get("args") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(args)) => args.iter().map(|arg| arg.as_str().map(str::to_owned).ok_or_else(wrong)).collect(),
        Some(_) => Err(wrong()),
    }
}

/// A number is taken as it is written, since `"PORT": 8080` can mean only one thing.
fn env(entry: &Map<String, Value>) -> Result<BTreeMap<String, String>, Reason> {
    let variables = match entry.get("env") {
        None | Some(Value::Null) => return Ok(BTreeMap::new()),
        Some(Value::Object(variables)) => variables,
        Some(_) => return Err("`env` must be an object of strings".into()),
    };
    let one = |(name, value): (&String, &Value)| match value {
        Value::String(text) => Ok((name.clone(), text.clone())),
        Value::Number(number) => Ok((name.clone(), number.to_string())),
        _ => Err(format!("`{name}` in `env` must be a string")),
    };
    variables.iter().map(one).collect()
}

fn timeout(entry: &Map<String, Value>) -> Result<Option<Duration>, Reason> {
    let Some(timeout) = entry.get("timeout").filter(|timeout| !timeout.is_null()) else { return Ok(None) };
    let millis = timeout.as_u64().and_then(|millis| u32::try_from(millis).ok());
    match millis {
        Some(millis) => Ok(Some(Duration::from_millis(millis))),
        None => Err("`timeout` must be a whole number of milliseconds, up to 4294967295".into()),
    }
}

#[cfg(test)]
mod tests;
