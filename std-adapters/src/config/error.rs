//! What can be wrong with a configuration.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A configuration that cannot be used. `Display` says where to look; it never shows a value, which may be a secret.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// It is not JSON. Comments and trailing commas are not JSON either.
    NotJson {
        /// The file, if it was one.
        path: Option<PathBuf>,
        /// What is wrong, with line and column.
        source: serde_json::Error,
    },
    /// It has neither an object `mcpServers` nor an object `servers` at the top.
    NoServers {
        /// The file, if it was one.
        path: Option<PathBuf>,
    },
    /// It has no server of this name.
    Unknown {
        /// The file, if it was one.
        path: Option<PathBuf>,
        /// What was asked for.
        name: String,
        /// The names that there are.
        names: Vec<String>,
    },
    /// The entry of this server cannot be used.
    Server {
        /// The file, if it was one.
        path: Option<PathBuf>,
        /// The server.
        name: String,
        /// What is wrong, for a person to read.
        reason: String,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Unreadable { path, source } => write!(f, "cannot read `{}`: {source}", path.display()),
            ConfigError::NotJson { path, source } => {
                // The place is where editors and terminals look for it, so not at the end once more.
                let text = source.to_string();
                let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
                write!(f, "{}:{}:{}: not JSON: {what}", file(path), source.line(), source.column())
            }
            ConfigError::NoServers { path } => {
                write!(f, "{}: there is no object `mcpServers` (or `servers`) at the top", file(path))
            }
            ConfigError::Unknown { path, name, names } if names.is_empty() => {
                write!(f, "{}: there is no server `{name}`, nor any other", file(path))
            }
            ConfigError::Unknown { path, name, names } => {
                write!(f, "{}: there is no server `{name}`; there is: {}", file(path), names.join(", "))
            }
            ConfigError::Server { path, name, reason } => write!(f, "{}: server `{name}`: {reason}", file(path)),
        }
    }
}

fn file(path: &Option<PathBuf>) -> impl fmt::Display {
    path.as_deref().unwrap_or(Path::new("configuration")).display()
}

impl Error for ConfigError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ConfigError::Unreadable { source, .. } => Some(source),
            ConfigError::NotJson { source, .. } => Some(source),
            _ => None,
        }
    }
}
