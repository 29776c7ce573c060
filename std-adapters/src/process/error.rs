//! Why a command could not be started.

use std::error::Error;
use std::ffi::OsStr;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A command that could not be started. `Display` says what to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum SpawnError {
    /// The command is the empty string.
    Empty,
    /// No program of this name is on `PATH`.
    NotFound {
        /// The command as it was given.
        command: String,
    },
    /// There is no file at this path.
    NoSuchFile {
        /// The command as it was given.
        command: String,
    },
    /// The file is there, but the interpreter in its first line (or its dynamic loader) is not.
    NoInterpreter {
        /// The command as it was given.
        command: String,
    },
    /// The file may not be executed, or is a directory.
    NotExecutable {
        /// The command as it was given.
        command: String,
    },
    /// The file is not a program for this machine, nor a script that names its interpreter.
    WrongFormat {
        /// The command as it was given.
        command: String,
    },
    /// The directory to start in is not there, or is not a directory.
    NoDirectory {
        /// The command as it was given.
        command: String,
        /// The directory as it was given.
        cwd: PathBuf,
    },
    /// Anything else the operating system has to say.
    Other {
        /// The command as it was given.
        command: String,
        /// What it says.
        source: io::Error,
    },
}

/// `ENOEXEC`, for which there is no [`ErrorKind`].
#[cfg(unix)]
const WRONG_FORMAT: i32 = rustix::io::Errno::NOEXEC.raw_os_error();
/// `ERROR_BAD_EXE_FORMAT`.
#[cfg(not(unix))]
const WRONG_FORMAT: i32 = 193;

impl SpawnError {
    /// What `error` means, which came of starting `command` in `cwd`. The system says `ENOENT` for many things, so this
    /// looks again.
    pub(super) fn of(command: &OsStr, cwd: Option<&Path>, error: io::Error) -> SpawnError {
        if command.is_empty() {
            return SpawnError::Empty;
        }
        let path = cwd.unwrap_or(Path::new("")).join(command);
        let is_path = Path::new(command).components().count() > 1;
        let command = command.to_string_lossy().into_owned();
        if let Some(cwd) = cwd.filter(|cwd| !cwd.is_dir()) {
            return SpawnError::NoDirectory { command, cwd: cwd.to_owned() };
        }
        match error.kind() {
            ErrorKind::NotFound if !is_path => SpawnError::NotFound { command },
            ErrorKind::NotFound | ErrorKind::NotADirectory if !path.exists() => SpawnError::NoSuchFile { command },
            ErrorKind::NotFound => SpawnError::NoInterpreter { command },
            ErrorKind::PermissionDenied => SpawnError::NotExecutable { command },
            _ if error.raw_os_error() == Some(WRONG_FORMAT) => SpawnError::WrongFormat { command },
            _ => SpawnError::Other { command, source: error },
        }
    }
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpawnError::Empty => f.write_str("cannot start a server: its command is empty"),
            SpawnError::NotFound { command } => write!(
                f,
                "cannot start `{command}`: there is no program of this name on PATH; \
                 install it, correct the name, or give its full path"
            ),
            SpawnError::NoSuchFile { command } => {
                write!(f, "cannot start `{command}`: there is no such file; correct the path")
            }
            SpawnError::NoInterpreter { command } => write!(
                f,
                "cannot start `{command}`: the file is there, but what runs it is not; \
                 install the interpreter that its first line (`#!`) names, or a build for this system"
            ),
            SpawnError::NotExecutable { command } => write!(
                f,
                "cannot start `{command}`: it is not a file that may be executed; \
                 name the program itself, not its directory, and make it executable (`chmod +x`)"
            ),
            SpawnError::WrongFormat { command } => write!(
                f,
                "cannot start `{command}`: it is not a program for this machine; \
                 get the right build, or begin a script with a line such as `#!/bin/sh`"
            ),
            SpawnError::NoDirectory { command, cwd } => write!(
                f,
                "cannot start `{command}`: its working directory `{}` is not a directory; create it or correct `cwd`",
                cwd.display()
            ),
            SpawnError::Other { command, source } => write!(f, "cannot start `{command}`: {source}"),
        }
    }
}

impl Error for SpawnError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            SpawnError::Other { source, .. } => Some(source),
            _ => None,
        }
    }
}
