//! What differs between systems about a child: its group, how it is asked to go, and how to see that it has gone.

#[cfg(not(unix))]
pub(super) use other::*;
#[cfg(unix)]
pub(super) use unix::*;

#[cfg(unix)]
mod unix {
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Child, Command, ExitStatus};

    use rustix::io::Errno;
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process_group, waitid};

    /// Endings of program names to try when a program is not found.
    pub(in super::super) const ALSO_TRY: &[&str] = &[];

    /// The child's process id becomes the number of its group.
    pub(in super::super) fn into_own_group(command: &mut Command) {
        command.process_group(0);
    }

    /// Whether the child has ended, and how, if the system tells. It stays to be waited for: until then its number
    /// belongs to it, so that a signal to its group cannot reach anybody else.
    pub(in super::super) fn ended(child: &mut Child) -> Option<Option<ExitStatus>> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(WaitId::Pid(Pid::from_child(child)), options) {
            Ok(outcome) => outcome.map(|status| Some(exit_status(&status))),
            Err(Errno::CHILD) => Some(None),
            Err(_) => None,
        }
    }

    /// The same as `wait(2)` would have put it.
    fn exit_status(status: &WaitIdStatus) -> ExitStatus {
        let code = status.exit_status().map_or(0, |code| (code & 0xFF) << 8);
        ExitStatus::from_raw(status.terminating_signal().unwrap_or(code))
    }

    pub(in super::super) fn terminate(child: &mut Child) {
        signal(child, Signal::TERM);
    }

    pub(in super::super) fn kill(child: &mut Child) {
        signal(child, Signal::KILL);
    }

    /// To the whole group. It fails if there is nobody left in it, or nobody who may be told; so be it.
    fn signal(child: &Child, signal: Signal) {
        let _ = kill_process_group(Pid::from_child(child), signal);
    }
}

#[cfg(not(unix))]
mod other {
    use std::process::{Child, Command, ExitStatus};

    /// Endings of program names to try when a program is not found: `npx` is `npx.cmd` on Windows.
    pub(in super::super) const ALSO_TRY: &[&str] = &[".cmd"];

    /// There are no process groups that could be made without unsafe code.
    pub(in super::super) fn into_own_group(_: &mut Command) {}

    /// Whether the child has ended, and how.
    pub(in super::super) fn ended(child: &mut Child) -> Option<Option<ExitStatus>> {
        child.try_wait().ok().flatten().map(Some)
    }

    /// There is nothing gentler than to kill, and what the child has started in turn is out of reach.
    pub(in super::super) fn terminate(child: &mut Child) {
        kill(child);
    }

    pub(in super::super) fn kill(child: &mut Child) {
        // It fails if the child has ended already.
        let _ = child.kill();
    }
}
