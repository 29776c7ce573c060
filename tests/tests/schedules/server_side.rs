//! What the server's application does: it goes on with calls that it has put off, asks, and has news.

use umcp::json::Decimal;
use umcp::mcp::{Fault, InputKind, Level, List};
use umcp::server::{AskError, Event, Ignored, NotOpen};
use umcp::time::Instant;

use crate::board::{Job, answer};
use crate::world::World;

impl World<'_> {
    /// `true`: something has happened.
    pub(crate) fn drain_server(&mut self) -> bool {
        if self.is_server_dead() {
            return false;
        }
        let mut happened = false;
        loop {
            let now = Instant::from_millis(self.now);
            match self.server.next_event(&mut self.endpoint, &mut self.board, now) {
                Event::NeedData => break,
                Event::Closed => {
                    happened |= !std::mem::replace(&mut self.server_closed, true);
                    break;
                }
                Event::Served { fault, .. } => {
                    let refused = matches!(fault, Some(Fault::TooLong { .. } | Fault::ReplyTooLong { .. }));
                    assert!(!refused || !self.plan.roomy, "{fault:?}");
                }
                Event::Cancelled(call) => {
                    let place = self.board.jobs.iter().position(|job| job.call == call).expect("a call that is open");
                    let job = self.board.jobs.remove(place);
                    self.traffic.bury(job.number);
                }
                Event::Answered { call, .. } => {
                    let job = self.board.jobs.iter_mut().find(|job| job.call == call).expect("a call that is open");
                    assert!(std::mem::replace(&mut job.asking, false), "an answer to no question");
                }
                // A notification that is too long may have been anything.
                Event::Ignored(why) => assert!(why != Ignored::Noise || !self.plan.roomy),
                other => panic!("{other:?}"),
            }
            happened = true;
            self.spend();
        }
        // A call that was refused is open until that has left.
        let open = self.server.open_calls();
        let right = open == self.board.jobs.len() || (open == self.board.jobs.len() + 1 && !self.server.is_idle());
        assert!(right, "{open} calls are open instead of {}", self.board.jobs.len());
        happened
    }

    /// It died, without a word.
    fn is_server_dead(&self) -> bool {
        self.down.shut && !self.server_closed
    }

    pub(crate) fn server_acts(&mut self) -> bool {
        if self.is_server_dead() {
            return false;
        }
        match self.rng.below(8) {
            0 => self.endpoint.list_changed(List::Tools),
            1 => self.endpoint.resource_updated(if self.rng.one_in(2) { "r:1" } else { "t:7" }),
            2 if self.rng.one_in(8) => drop(self.server.end_subscriptions(&self.endpoint)),
            _ if self.board.jobs.is_empty() => return false,
            choice => {
                let place = self.rng.below(self.board.jobs.len());
                let job = self.board.jobs.swap_remove(place);
                self.go_on(job, choice);
            }
        }
        true
    }

    fn go_on(&mut self, mut job: Job, choice: usize) {
        let now = Instant::from_millis(self.now);
        match choice {
            3 => return self.complete(job),
            4 => {
                let value = Decimal::from_i64(job.progress + 1);
                match self.server.progress(job.call, value, None, Some("on"), now) {
                    Ok(_) => job.progress += 1,
                    Err(error) => assert_eq!(error, NotOpen::Busy),
                }
            }
            5 => {
                let logged = self.server.log(job.call, Level::Warning, "board", "still at it");
                assert_ne!(logged, Err(NotOpen::Ended));
            }
            _ if job.questions > 0 && !job.asking => {
                let asked = self.server.ask(job.call, InputKind::Elicitation, |w| {
                    w.member_str("message", "Sure?").key("requestedSchema");
                    w.literal(r#"{"type":"object","properties":{}}"#);
                });
                match asked {
                    Ok(()) => (job.asking, job.questions) = (true, job.questions - 1),
                    Err(AskError::TooLong) => assert!(!self.plan.roomy),
                    Err(error) => assert_eq!(error, AskError::Busy),
                }
            }
            _ => {}
        }
        self.board.jobs.push(job);
    }

    fn complete(&mut self, job: Job) {
        let fails = self.rng.one_in(6);
        let text = answer(job.number) + &"z".repeat(if self.rng.one_in(4) { self.rng.below(500) } else { 0 });
        let completed = self.server.complete(&mut self.endpoint, job.call, |reply| {
            if fails { Err(Fault::application(9, "it did not work")) } else { reply.text(&text) }
        });
        match completed {
            Ok(()) => {}
            Err(error) => {
                assert_eq!(error, NotOpen::Busy);
                self.board.jobs.push(job);
            }
        }
    }

    /// Completes a call, if one is left; one with a question open waits for its answer, if that can still come.
    pub(crate) fn finish_jobs(&mut self) -> bool {
        let waits = |job: &Job| job.asking && !self.plan.stalls && !self.up.shut && !self.up.broken;
        let Some(place) = self.board.jobs.iter().position(|job| !waits(job)) else { return false };
        if self.is_server_dead() || !self.server.is_idle() {
            return false;
        }
        let job = self.board.jobs.swap_remove(place);
        self.complete(job);
        true
    }
}
