//! Arguments that come from outside as JSON text.

use crate::json::Value;
use crate::json::scan::{Outcome, Scanner, Window};

/// Why a text is unfit to be a tool's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum NotArguments {
    /// It is not JSON, or not UTF-8.
    NotJson,
    /// It is JSON, but no object.
    NotAnObject,
    /// It is nested too deeply.
    TooDeep,
}

impl core::fmt::Display for NotArguments {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            NotArguments::NotJson => "the arguments are not valid JSON",
            NotArguments::NotAnObject => "the arguments must be a JSON object, such as {\"a\":1}",
            NotArguments::TooDeep => "the arguments are nested too deeply",
        })
    }
}

impl core::error::Error for NotArguments {}

/// Checks a JSON text that comes from outside and makes it canonical, in place: what
/// [`Engine::call_raw`](super::Engine::call_raw) takes.
///
/// # Errors
/// [`NotArguments`] says what is wrong with it. The text is used up then.
pub fn arguments(text: &mut [u8]) -> Result<Value<'_>, NotArguments> {
    let mut scanner = Scanner::new(&[], Scanner::DEFAULT_DEPTH);
    let mut window = Window { start: 0, out: 0, read: 0, end: text.len() };
    match scanner.finish(text, &mut window) {
        Ok(Outcome::Object) => Ok(Value::new(text.get(..window.out).unwrap_or_default())),
        Ok(Outcome::TooDeep) => Err(NotArguments::TooDeep),
        Ok(_) => Err(NotArguments::NotAnObject),
        Err(_) => Err(NotArguments::NotJson),
    }
}
