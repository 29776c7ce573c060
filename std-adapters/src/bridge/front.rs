//! Where clients come in: one on standard input and output, or many over HTTP.

use std::io;
use std::ops::Range;

use umcp::time::Instant;

use super::http::{HttpFront, Slots};
use super::router::{Letter, Router};
use super::stdio::LineFront;
use super::wait::{Ends, Fired};

pub(super) enum Front {
    Line(Box<LineFront>),
    Http(Box<HttpFront>),
}

/// Where what is waited for is found again.
pub(super) enum FrontSlots {
    Line(Range<usize>),
    Http(Slots),
}

impl Front {
    /// Nobody will say anything more.
    pub(super) fn has_ended(&self) -> bool {
        matches!(self, Front::Line(front) if front.has_ended())
    }

    /// Whether clients have to read before more can be said to them. Over HTTP, one that does not is given up.
    pub(super) fn is_full(&self) -> bool {
        matches!(self, Front::Line(front) if front.is_full())
    }

    /// Whether all that was said has left.
    pub(super) fn is_flushed(&self) -> bool {
        match self {
            Front::Line(front) => front.is_flushed(),
            Front::Http(_) => true,
        }
    }

    pub(super) fn wakes_at(&self) -> Instant {
        match self {
            Front::Line(_) => Instant::NEVER,
            Front::Http(front) => front.wakes_at(),
        }
    }

    /// What to wait for. `reads`: what clients say can be passed on.
    pub(super) fn ends<'a>(&'a self, reads: bool, ends: &mut Ends<'a>) -> FrontSlots {
        match self {
            Front::Line(front) => FrontSlots::Line(ends.add(front.ends(reads))),
            Front::Http(front) => FrontSlots::Http(front.ends(reads, ends)),
        }
    }

    /// Moves what can move, and looks at the time.
    pub(super) fn transfer(
        &mut self,
        slots: &FrontSlots,
        fired: &Fired,
        reads: bool,
        router: &mut Router,
        now: Instant,
    ) -> io::Result<()> {
        match (self, slots) {
            (Front::Line(front), FrontSlots::Line(range)) if fired.any(range) => front.transfer(reads, router, now),
            (Front::Http(front), FrontSlots::Http(slots)) => {
                front.transfer(slots, fired, router, now);
                front.tick(router, now);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn deliver(&mut self, letter: &Letter, router: &mut Router, now: Instant) {
        match self {
            Front::Line(front) => front.deliver(letter),
            Front::Http(front) => front.deliver(letter, router, now),
        }
    }

    /// All clients have to go.
    pub(super) fn finish(&mut self, router: &mut Router, now: Instant) {
        match self {
            Front::Line(front) => router.leave(front.client()),
            Front::Http(front) => front.finish(router, now),
        }
    }
}
