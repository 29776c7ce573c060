//! Waiting for many ends at once.

use std::io;
use std::ops::Range;
use std::os::fd::BorrowedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// No single wait is longer; it then just goes on.
const LONGEST: u64 = 3_600_000;

/// What is waited for.
#[derive(Default)]
pub(super) struct Ends<'a>(Vec<PollFd<'a>>);

/// Which of it has come.
pub(super) struct Fired(Vec<bool>);

/// What can be read from, and what is to be written to.
pub(super) type Pair<'a> = (Option<BorrowedFd<'a>>, Option<BorrowedFd<'a>>);

impl<'a> Ends<'a> {
    /// Where it is found again in what has [fired](Fired::any).
    pub(super) fn add(&mut self, (read, write): Pair<'a>) -> Range<usize> {
        let start = self.0.len();
        self.0.extend(read.map(|end| PollFd::from_borrowed_fd(end, PollFlags::IN)));
        self.0.extend(write.map(|end| PollFd::from_borrowed_fd(end, PollFlags::OUT)));
        start..self.0.len()
    }

    /// Waits, at most for so many milliseconds.
    pub(super) fn wait(mut self, millis: Option<u64>) -> io::Result<Fired> {
        let limit = millis.map(|millis| millis.min(LONGEST)).map(|millis| Timespec {
            tv_sec: (millis / 1_000).cast_signed(),
            tv_nsec: i64::try_from((millis % 1_000) * 1_000_000).unwrap_or(0),
        });
        match poll(&mut self.0, limit.as_ref()) {
            Ok(_) => {}
            Err(Errno::INTR) => self.0.iter_mut().for_each(PollFd::clear_revents),
            Err(error) => return Err(error.into()),
        }
        Ok(Fired(self.0.iter().map(|end| !end.revents().is_empty()).collect()))
    }
}

impl Fired {
    pub(super) fn any(&self, range: &Range<usize>) -> bool {
        self.0.get(range.clone()).is_some_and(|fired| fired.contains(&true))
    }
}
