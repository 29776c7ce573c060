//! Ctrl-C: the waiting ends, the server is told, and then the program closes as usual. Pressed again, it ends at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use umcp_std::Interrupter;

use crate::exit::INTERRUPTED;

static WAITING: Mutex<Option<Interrupter>> = Mutex::new(None);
static PRESSED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C interrupts this wire.
pub(crate) fn on_ctrl_c(interrupter: Interrupter) {
    let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    if waiting.replace(interrupter).is_none() {
        // Without a handler, Ctrl-C ends the program as it always does.
        let _ = ctrlc::set_handler(pressed);
    }
}

fn pressed() {
    if PRESSED.swap(true, Ordering::SeqCst) {
        std::process::exit(i32::from(INTERRUPTED));
    }
    if let Some(interrupter) = &*WAITING.lock().unwrap_or_else(PoisonError::into_inner) {
        interrupter.interrupt();
    }
}
