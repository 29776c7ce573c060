//! Work on many servers, on few threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, scope};

/// On how many threads servers are connected, asked for their lists, and closed, side by side; the thread that asks for it is one of them. The
/// others wait for a free one. (A server process has one more of its own, which reads its standard error.)
pub const THREADS: usize = 8;

/// The name of the threads that are started.
const NAME: &str = "umcp-servers";

/// Does `work` for every item, and returns when all is done. Where no thread can be had, those that there are do it all.
pub(super) fn side_by_side<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let take = || {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            work(item);
        }
    };
    scope(|scope| {
        for _ in 1..THREADS.min(items.len()) {
            let _ = Builder::new().name(NAME.to_owned()).spawn_scoped(scope, take);
        }
        take();
    });
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::{Barrier, Mutex};
    use std::thread;

    use super::*;

    #[test]
    fn everything_is_done_once_on_so_many_threads_and_no_more() {
        for count in [0, 1, THREADS, 30, 1_000] {
            let items: Vec<usize> = (0..count).collect();
            let done = Mutex::new((Vec::new(), BTreeSet::new()));
            let together = Barrier::new(THREADS.min(count));
            side_by_side(&items, |item| {
                if *item < THREADS {
                    together.wait();
                }
                let mut done = done.lock().unwrap();
                done.0.push(*item);
                done.1.insert(format!("{:?}", thread::current().id()));
            });
            let (mut done, threads) = done.into_inner().unwrap();
            done.sort_unstable();
            assert_eq!(done, items);
            assert_eq!(threads.len(), THREADS.min(count));
        }
    }
}
