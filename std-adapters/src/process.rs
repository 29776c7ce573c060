//! A server that we start: its standard input and output are the wire.

mod end;
mod error;
mod platform;
mod stderr;
mod wire;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

pub use end::end;
pub use error::SpawnError;
pub use stderr::Stderr;
pub use wire::{CloseTimeouts, Closed, How, ProcessWire};

/// A command to start, with all that belongs to it. It can be started again.
///
/// The child is put into a process group of its own, on Unix. So Ctrl-C in a terminal reaches us only, and the requests
/// under way can be cancelled before the server goes; and at the end what `npx` and its kind have started in turn goes
/// with them. The price: a child that asks for a password on the terminal (`ssh`, `sudo`) is stopped by the terminal
/// instead; give it a key or an agent.
#[derive(Clone)]
pub struct Process {
    program: OsString,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    env_clear: bool,
    cwd: Option<PathBuf>,
    stderr: Stderr,
}

impl Process {
    /// The program `program`, by path or looked for on `PATH`, without arguments. No shell takes part.
    pub fn new(program: impl AsRef<OsStr>) -> Process {
        Process {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            env: Vec::new(),
            env_clear: false,
            cwd: None,
            stderr: Stderr::default(),
        }
    }

    /// Adds one argument.
    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Process {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Process {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Sets an environment variable for the child. The others are inherited, unless [`env_clear`](Process::env_clear)
    /// says otherwise.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Process {
        self.env.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Our own environment is not inherited, `PATH` included; only what [`env`](Process::env) sets, before or after.
    #[must_use]
    pub fn env_clear(mut self) -> Process {
        self.env_clear = true;
        self
    }

    /// The directory to start in; ours, if this is not called. A program given by a relative path is looked for there.
    #[must_use]
    pub fn cwd(mut self, directory: impl AsRef<Path>) -> Process {
        self.cwd = Some(directory.as_ref().to_owned());
        self
    }

    /// Where the child's standard error goes; nowhere, if this is not called. It is read in any case.
    #[must_use]
    pub fn stderr(mut self, stderr: Stderr) -> Process {
        self.stderr = stderr;
        self
    }

    /// Starts it.
    ///
    /// # Errors
    /// It could not be started: each [`SpawnError`] says why, and what to do.
    pub fn spawn(&self) -> Result<ProcessWire, SpawnError> {
        let started = self.start().and_then(|child| ProcessWire::of(child, self.stderr.clone()));
        started.map_err(|error| SpawnError::of(&self.program, self.cwd.as_deref(), error))
    }

    /// Starts it without a wire: all three standard streams are pipes, and the caller's to read and write. [`end`] ends it.
    ///
    /// # Errors
    /// As [`spawn`](Process::spawn).
    pub fn spawn_piped(&self) -> Result<Child, SpawnError> {
        self.start().map_err(|error| SpawnError::of(&self.program, self.cwd.as_deref(), error))
    }

    fn start(&self) -> io::Result<Child> {
        let mut outcome = self.command(&self.program).spawn();
        for suffix in platform::ALSO_TRY {
            if outcome.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
                let mut program = self.program.clone();
                program.push(suffix);
                outcome = self.command(&program).spawn();
            }
        }
        outcome
    }

    fn command(&self, program: &OsStr) -> Command {
        let mut command = Command::new(program);
        command.args(&self.args);
        if self.env_clear {
            command.env_clear();
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(directory) = &self.cwd {
            command.current_dir(directory);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        platform::into_own_group(&mut command);
        command
    }
}

/// Without the values of environment variables: they may be secrets.
impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Process")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("env", &names)
            .field("env_clear", &self.env_clear)
            .field("cwd", &self.cwd)
            .field("stderr", &self.stderr)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_has_names_but_no_secrets() {
        let shown = format!("{:?}", Process::new("server").arg("-v").env("TOKEN", "s3cret"));
        assert!(shown.contains("TOKEN") && shown.contains("-v"), "{shown}");
        assert!(!shown.contains("s3cret"), "{shown}");
    }
}
