//! How a child comes to its end that is not a wire.

use std::io;
use std::process::{Child, ExitStatus};
use std::thread::sleep;
use std::time::{Duration as StdDuration, Instant as Clock};

use super::platform;
use super::wire::CloseTimeouts;

/// The pause between two looks at a child.
const PAUSE: StdDuration = StdDuration::from_millis(5);

/// Ends a child of [`Process::spawn_piped`](super::Process::spawn_piped): waits; asks it to terminate; waits; kills it. What it has
/// started in turn is asked to terminate when it has ended itself. Close its input first, so that it may end by itself.
///
/// # Errors
/// The system does not tell how it ended.
pub fn end(child: &mut Child, timeouts: CloseTimeouts) -> io::Result<ExitStatus> {
    if !ends_within(child, timeouts.after_eof.as_millis()) {
        platform::terminate(child);
        if !ends_within(child, timeouts.after_terminate.as_millis()) {
            platform::kill(child);
        }
    }
    // It has not been waited for, so the number of its group is still its own.
    platform::terminate(child);
    child.wait()
}

fn ends_within(child: &mut Child, millis: u32) -> bool {
    let start = Clock::now();
    loop {
        if platform::ended(child).is_some() {
            return true;
        }
        if start.elapsed() >= StdDuration::from_millis(millis.into()) {
            return false;
        }
        sleep(PAUSE);
    }
}
