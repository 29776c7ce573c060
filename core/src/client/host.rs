//! Whoever a blocking client asks and tells while it waits.

use super::event::Event;
use super::input::Input;
use crate::json::Writer;

/// What [`io::Client`](crate::io::Client) turns to while it waits for something else. All methods may be left out; `()`
/// is a host that does nothing, so that what serves hosts is not linked.
pub trait Host {
    /// Whether anybody is there. If not, nothing is told, and a call of which a modern server asks something ends with
    /// [`Failure::Rounds`](crate::io::Failure::Rounds).
    fn is_present(&self) -> bool {
        true
    }

    /// Something happened that nobody waits for: progress, a log message, a change, something ignored.
    fn event(&mut self, event: Event<'_>) {
        let _ = event;
    }

    /// The server asks something that the client has declared it can answer: write the result, one object, and return
    /// `true`; or decline with `false`.
    ///
    /// With a modern server, declining sampling or roots ends the call that asked.
    fn input(&mut self, input: Input<'_>, answer: &mut Writer<'_>) -> bool {
        let _ = (input, answer);
        false
    }
}

impl Host for () {
    fn is_present(&self) -> bool {
        false
    }
}

impl<H: Host + ?Sized> Host for &mut H {
    fn is_present(&self) -> bool {
        (**self).is_present()
    }

    fn event(&mut self, event: Event<'_>) {
        (**self).event(event);
    }

    fn input(&mut self, input: Input<'_>, answer: &mut Writer<'_>) -> bool {
        (**self).input(input, answer)
    }
}
