//! How a call begins whose last argument is of any length: all that stands before that.

use super::engine::Engine;
use super::error::Refused;
use super::kind::Kind;
use super::letter::Letter;
use super::upload::{Stage, TAIL};
use crate::json::{Value, Writer};
use crate::rpc::{Outbox, RequestHandle};

impl Engine<'_> {
    /// Writes all of the message that stands before the argument, which is as a whole in the buffer then; or what follows the envelope, held until
    /// that has left.
    pub(super) fn write_opening(
        &mut self,
        handle: RequestHandle,
        kind: Kind,
        name: &str,
        arguments: &dyn Fn(&mut Writer<'_>),
        argument: &str,
    ) -> Result<Stage, Refused> {
        let letter = Letter::new(&self.config, self.revision, kind);
        #[cfg(feature = "http")]
        let is_exchange = self.exchanges;
        #[cfg(not(feature = "http"))]
        let is_exchange = false;
        let mut written = Ok(());
        let mut needed = 0;
        let mut write = |outbox: &mut Outbox<'_>, envelope: bool| {
            let part = outbox.part(0, |w| {
                if envelope {
                    letter.open(w, handle);
                }
                written = write_parameters(w, name, arguments, argument);
                if is_exchange {
                    w.literal(TAIL).literal("\n");
                }
                needed = w.total();
            });
            if written.is_err() || !part.whole {
                outbox.clear();
            }
            written.map(|()| part.whole)
        };
        if write(&mut self.outbox, true)? {
            return Ok(Stage::Inside);
        }
        if is_exchange {
            return Err(Refused::Capacity { needed });
        }
        let fits = write(&mut self.outbox, false)?;
        match self.outbox.hold().and_then(|held| u32::try_from(held).ok()) {
            Some(held) if fits => Ok(Stage::Envelope { written: 0, held }),
            // The envelope needs some room as well.
            _ => Err(Refused::Capacity { needed: needed.saturating_add(1) }),
        }
    }
}

/// What the caller has to say: the name of the tool, the other arguments, and the beginning of the long one.
fn write_parameters(
    w: &mut Writer<'_>,
    name: &str,
    arguments: &dyn Fn(&mut Writer<'_>),
    argument: &str,
) -> Result<(), Refused> {
    w.member_str("name", name).key("arguments");
    let (start, from) = (w.mark(), w.len());
    arguments(w);
    if w.failed() {
        return Err(Refused::Arguments);
    }
    let to = w.len();
    match w.written().get(from..).unwrap_or_default() {
        // It will not do: how much room it would take is all that counts.
        _ if w.overflowed() => {}
        b"null" | b"{}" => {
            w.rollback(start);
            w.begin_object();
        }
        others @ [b'{', .., b'}'] if !others.contains(&b'\n') && Value::new(others).get(argument).is_none() => {
            w.cut(to.saturating_sub(1), to);
        }
        _ => return Err(Refused::Arguments),
    }
    w.key(argument).begin_string();
    Ok(())
}
