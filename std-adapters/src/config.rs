//! The configuration file that names servers, in the shape that is usual among MCP clients.

mod error;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use umcp::time::Duration;

use crate::Process;
use crate::http::client::{Remote, Url, UrlError};
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

/// One server of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Its name in the configuration.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
    /// How long to wait for the answer to a request, if the file says so (`timeout`, in milliseconds).
    pub timeout: Option<Duration>,
}

/// How a server of a configuration is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum Transport {
    /// It is started (`type` is `stdio`, or missing beside a `command`).
    Process {
        /// The program, by path or looked for on `PATH`.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Environment variables beside the inherited ones.
        env: BTreeMap<String, String>,
        /// The directory to start in; ours, if there is none. A relative one starts from ours.
        cwd: Option<PathBuf>,
    },
    /// It is there (`type` is `http`, `streamable-http` or `sse`, or missing beside a `url`). Which of the HTTP transports it speaks is found out.
    Http {
        /// Its URL.
        url: Url,
        /// What is sent with every request.
        headers: BTreeMap<String, String>,
    },
}

/// Where a server of a configuration is, ready to be connected to.
#[derive(Clone, Debug)]
pub enum Place {
    /// It is started, and speaks over its pipes.
    Process(Process),
    /// It is reached over HTTP.
    Http(Remote),
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
    /// There is none of this name, or its entry is not one of a server that can be started or reached.
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
    /// Where it is.
    #[must_use]
    pub fn place(&self) -> Place {
        match &self.transport {
            Transport::Process { command, args, env, cwd } => {
                let process = Process::new(command).args(args);
                let process = env.iter().fold(process, |process, (name, value)| process.env(name, value));
                Place::Process(match cwd {
                    Some(directory) => process.cwd(directory),
                    None => process,
                })
            }
            // The headers were looked at when the entry was read.
            Transport::Http { url, headers } => {
                let plain = Remote::new(url.clone());
                Place::Http(remote(url, headers).unwrap_or(plain))
            }
        }
    }

    /// The values that may be secrets, of environment variables or headers: they are not to be shown.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        let (Transport::Process { env: values, .. } | Transport::Http { headers: values, .. }) = &self.transport;
        values.values().map(String::as_str)
    }
}

/// Only names: the entries may have secrets.
impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.names().collect();
        f.debug_struct("Config").field("path", &self.path).field("servers", &names).finish()
    }
}

/// Without the values of environment variables and headers: they may be secrets.
impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Transport::Process { command, args, env, cwd } => f
                .debug_struct("Process")
                .field("command", command)
                .field("args", args)
                .field("env", &env.keys())
                .field("cwd", cwd)
                .finish(),
            Transport::Http { url, headers } => {
                f.debug_struct("Http").field("url", url).field("headers", &headers.keys()).finish()
            }
        }
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
    let transport = if is_http(entry)? { http(entry)? } else { process(entry)? };
    Ok(Server { name: name.to_owned(), transport, timeout: timeout(entry)? })
}

/// A `command` beside a `url` counts, unless the `type` says otherwise.
fn is_http(entry: &Map<String, Value>) -> Result<bool, Reason> {
    match text(entry, "type")? {
        Some("stdio") => Ok(false),
        None => Ok(entry.contains_key("url") && !entry.contains_key("command")),
        Some("http" | "sse" | "streamable-http" | "streamableHttp") => Ok(true),
        Some(other) => Err(format!(
            "its type `{other}` is unknown; it may be `stdio` (or missing), `http`, `sse` or `streamable-http`"
        )),
    }
}

fn process(entry: &Map<String, Value>) -> Result<Transport, Reason> {
    let Some(command) = text(entry, "command")?.filter(|command| !command.is_empty()) else {
        return Err("`command` is missing: the program to start".into());
    };
    Ok(Transport::Process {
        command: command.to_owned(),
        args: args(entry)?,
        env: strings(entry, "env")?,
        cwd: text(entry, "cwd")?.map(PathBuf::from),
    })
}

fn http(entry: &Map<String, Value>) -> Result<Transport, Reason> {
    let Some(url) = text(entry, "url")?.filter(|url| !url.is_empty()) else {
        return Err("`url` is missing: where the server is".into());
    };
    let url: Url = url.parse().map_err(|why: UrlError| format!("`url`: {why}"))?;
    let headers = strings(entry, "headers")?;
    remote(&url, &headers).map_err(|why| format!("`headers`: {why}"))?;
    Ok(Transport::Http { url, headers })
}

fn remote(url: &Url, headers: &BTreeMap<String, String>) -> Result<Remote, Reason> {
    headers.iter().try_fold(Remote::new(url.clone()), |remote, (name, value)| remote.header(name, value))
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

/// A member that is an object of strings. A number is taken as it is written, since `"PORT": 8080` can mean only one thing.
fn strings(entry: &Map<String, Value>, member: &str) -> Result<BTreeMap<String, String>, Reason> {
    let values = match entry.get(member) {
        None | Some(Value::Null) => return Ok(BTreeMap::new()),
        Some(Value::Object(values)) => values,
        Some(_) => return Err(format!("`{member}` must be an object of strings")),
    };
    let one = |(name, value): (&String, &Value)| match value {
        Value::String(text) => Ok((name.clone(), text.clone())),
        Value::Number(number) => Ok((name.clone(), number.to_string())),
        _ => Err(format!("`{name}` in `{member}` must be a string")),
    };
    values.iter().map(one).collect()
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
