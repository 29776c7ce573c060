//! What takes the place of `poll(2)` where threads do the waiting.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Counts its rings. Who wants to wait reads the count, looks whether there is anything to do, and then waits for
/// the count to move on: a ring in between is not missed.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    rings: Mutex<u64>,
    heard: Condvar,
}

impl Bell {
    pub(crate) fn ring(&self) {
        let mut rings = self.rings.lock().unwrap_or_else(PoisonError::into_inner);
        *rings = rings.wrapping_add(1);
        self.heard.notify_all();
    }

    pub(crate) fn rings(&self) -> u64 {
        *self.rings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the bell has rung since `seen`, or for `limit`; for ever if there is none.
    pub(crate) fn wait(&self, seen: u64, limit: Option<Duration>) {
        let rings = self.rings.lock().unwrap_or_else(PoisonError::into_inner);
        match limit {
            Some(limit) => drop(self.heard.wait_timeout_while(rings, limit, |rings| *rings == seen)),
            None => drop(self.heard.wait_while(rings, |rings| *rings == seen)),
        }
    }
}
