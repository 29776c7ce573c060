//! What a request in flight is, in one byte: the tag that the pending table keeps.

use super::config::Options;
use crate::mcp::Method;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind(u8);

impl Kind {
    const PROGRESS: u8 = 0x80;
    const INPUT: u8 = 0x40;
    const ITEMS: u8 = 0x20;
    const TOLD: u8 = 0x10;
    const SORT: u8 = 0x0f;

    /// One whose answer is the caller's.
    pub(super) const PLAIN: Kind = Kind(0);
    /// The probe, `server/discover`.
    pub(super) const PROBE: Kind = Kind(1);
    /// `initialize`.
    #[cfg(feature = "legacy")]
    pub(super) const INITIALIZE: Kind = Kind(2);
    /// `subscriptions/listen` before it is acknowledged, or one `resources/subscribe` of a legacy subscription.
    pub(super) const LISTEN: Kind = Kind(3);
    /// `resources/unsubscribe`: nobody waits for the answer.
    pub(super) const UNSUBSCRIBE: Kind = Kind(4);

    pub(super) fn of_method(method: &str) -> Kind {
        let with_input = [Method::CallTool, Method::GetPrompt, Method::ReadResource];
        let may = with_input.into_iter().any(|one| one.as_str() == method && one.may_require_input());
        if may { Kind(Kind::INPUT) } else { Kind::PLAIN }
    }

    pub(super) const fn with(self, options: Options) -> Kind {
        let progress = if options.progress { Kind::PROGRESS } else { 0 };
        let items = if options.items { Kind::ITEMS } else { 0 };
        Kind(self.0 | progress | items)
    }

    /// Pieces of its result have been told.
    pub(super) const fn told(self) -> Kind {
        Kind(self.0 | Kind::TOLD)
    }

    pub(super) const fn from_tag(tag: u8) -> Kind {
        Kind(tag)
    }

    pub(super) const fn tag(self) -> u8 {
        self.0
    }

    /// What it is, whatever was asked for with it.
    pub(super) const fn sort(self) -> Kind {
        Kind(self.0 & Kind::SORT)
    }

    /// Progress was asked for.
    pub(super) const fn has_progress(self) -> bool {
        self.0 & Kind::PROGRESS != 0
    }

    /// Its result is wanted item by item.
    pub(super) const fn wants_items(self) -> bool {
        self.0 & Kind::ITEMS != 0
    }

    pub(super) const fn is_told(self) -> bool {
        self.0 & Kind::TOLD != 0
    }

    /// It may be answered with `input_required`.
    pub(super) const fn may_require_input(self) -> bool {
        self.0 & Kind::INPUT != 0
    }
}
