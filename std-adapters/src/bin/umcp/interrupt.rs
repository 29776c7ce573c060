//! Ctrl-C: the waiting ends, the server is told, and then the program closes as usual. Pressed again, it no longer waits for the
//! server to go.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use umcp_std::Interrupter;

use crate::exit::INTERRUPTED;

static WAITING: Mutex<Option<Interrupter>> = Mutex::new(None);
static PRESSED: AtomicBool = AtomicBool::new(false);

/// How often an impatient user interrupts once more, and how long until the program ends whatever it is doing.
const INSIST: Duration = Duration::from_millis(50);
const INSIST_TIMES: u32 = 40;

/// From now on Ctrl-C interrupts this wire.
pub(crate) fn on_ctrl_c(interrupter: Interrupter) {
    let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    if waiting.replace(interrupter).is_none() {
        // Without a handler, Ctrl-C ends the program as it always does.
        let _ = ctrlc::set_handler(pressed);
    }
}

/// From now on Ctrl-C does this, and then ends the program.
pub(crate) fn before_end(mut last: impl FnMut() + Send + 'static) {
    let _ = ctrlc::set_handler(move || {
        last();
        process::exit(i32::from(INTERRUPTED));
    });
}

/// From now on Ctrl-C does this, and pressed again it ends the program.
pub(crate) fn once(first: impl Fn() + Send + 'static) {
    let _ = ctrlc::set_handler(move || {
        if PRESSED.swap(true, Ordering::SeqCst) {
            process::exit(i32::from(INTERRUPTED));
        }
        first();
    });
}

fn pressed() {
    if !PRESSED.swap(true, Ordering::SeqCst) {
        return interrupt();
    }
    for _ in 0..INSIST_TIMES {
        interrupt();
        thread::sleep(INSIST);
    }
    process::exit(i32::from(INTERRUPTED));
}

fn interrupt() {
    if let Some(interrupter) = &*WAITING.lock().unwrap_or_else(PoisonError::into_inner) {
        interrupter.interrupt();
    }
}
