//! State that a client carries: it can read it and change it, so it is sealed.

use std::hash::{BuildHasher, RandomState};

/// A key that lives as long as the process. (Replicas behind one address would share a key, and use a MAC of their choice; the standard
/// library's keyed SipHash is enough to show where it goes.)
#[derive(Default)]
pub(crate) struct Seal {
    key: RandomState,
}

impl Seal {
    /// The state, with a seal that binds it to what it was made for.
    pub(crate) fn close(&self, purpose: &str, state: &str) -> String {
        format!("{state}.{:016x}", self.tag(purpose, state))
    }

    /// The state again, if this is what [`close`](Seal::close) made for this purpose.
    pub(crate) fn open<'s>(&self, purpose: &str, sealed: &'s str) -> Option<&'s str> {
        let (state, tag) = sealed.rsplit_once('.')?;
        (tag == format!("{:016x}", self.tag(purpose, state))).then_some(state)
    }

    fn tag(&self, purpose: &str, state: &str) -> u64 {
        self.key.hash_one((purpose, state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_change_breaks_it() {
        let seal = Seal::default();
        let sealed = seal.close("greet", "step-1");
        assert_eq!(seal.open("greet", &sealed), Some("step-1"));
        assert_eq!(seal.open("other", &sealed), None);
        assert_eq!(Seal::default().open("greet", &sealed), None);
        for at in 0..sealed.len() {
            let (before, after) = (&sealed[..at], &sealed[at + 1..]);
            let other = if sealed.as_bytes()[at] == b'1' { '2' } else { '1' };
            for changed in [format!("{before}{after}"), format!("{before}{other}{after}"), format!("{sealed}x")] {
                assert_eq!(seal.open("greet", &changed), None, "{changed}");
            }
        }
    }
}
