//! Work on calls that are answered later: in small steps, whenever the server has nothing else to do.

use umcp::json::{Decimal, Value};
use umcp::mcp::Level;
use umcp::server::{AskError, CallHandle, Calls, Endpoint, NotOpen};
use umcp::time::{Duration, Instant};

use super::Everything;
use super::question::Question;

/// From one step to the next.
const PAUSE: Duration = Duration::from_millis(50);
const LOGGER: &str = "everything";

/// What is being done for a call.
#[derive(Debug)]
pub(crate) enum Work {
    /// Three log messages.
    Log,
    /// Three reports of progress.
    Progress,
    /// Nothing but waiting.
    Wait,
    /// A question to a client of a handshake revision.
    Ask(Question),
}

/// A call that is open.
#[derive(Debug)]
pub(crate) struct Running {
    call: CallHandle,
    work: Work,
    step: u8,
    due: Option<Instant>,
    /// The client's answer to the question: the text of a result, or of an error.
    answer: Option<Result<String, String>>,
}

/// How a step ended.
enum Step {
    /// Go on at this time; without one, when something happens.
    Again(Option<Instant>),
    Over,
}

impl Everything {
    pub(crate) fn begin(&mut self, call: CallHandle, work: Work) {
        self.running.push(Running { call, work, step: 0, due: None, answer: None });
    }

    /// The client has answered the question that was asked on behalf of this call.
    pub(crate) fn answered(&mut self, call: CallHandle, answer: Result<Value<'_>, Value<'_>>) {
        let text = |value: Value<'_>| String::from_utf8_lossy(value.raw()).into_owned();
        if let Some(running) = self.running.iter_mut().find(|running| running.call == call) {
            running.answer = Some(answer.map(text).map_err(text));
        }
    }

    /// Takes every step that is due; says when the next one is.
    pub(crate) fn tick(
        calls: &mut impl Calls,
        endpoint: &mut Endpoint<Everything>,
        everything: &mut Everything,
        now: Instant,
    ) -> Option<Instant> {
        let mut next: Option<Instant> = None;
        everything.running.retain_mut(|running| match running.step(calls, endpoint, now) {
            Step::Again(due) => {
                next = [next, due].into_iter().flatten().min();
                true
            }
            Step::Over => false,
        });
        next
    }
}

impl Running {
    fn step(&mut self, calls: &mut impl Calls, endpoint: &mut Endpoint<Everything>, now: Instant) -> Step {
        if !calls.is_open(self.call) {
            return Step::Over;
        }
        if let Work::Ask(question) = &self.work {
            let question = question.clone();
            return self.ask(&question, calls, endpoint);
        }
        let due = *self.due.get_or_insert(now);
        if now < due {
            return Step::Again(self.due);
        }
        // What is busy now is tried again as soon as everything has left.
        let told = match (&self.work, self.step) {
            (Work::Log, 0) => self.log("Tool execution started", calls),
            (Work::Log, 1) => self.log("Tool processing data", calls),
            (Work::Log, 2) => self.log("Tool execution completed", calls),
            (Work::Progress, 0..=2) => {
                let progress = Decimal::from_i64(i64::from(self.step) * 50);
                calls.progress(self.call, progress, Some(Decimal::from_i64(100)), None, now).map(drop)
            }
            // The client asks for the rest when it is time, if it can.
            (Work::Wait, 0) => calls.end_stream(self.call).map(drop),
            (Work::Wait, 1..=2) => Ok(()),
            _ => return self.finish("Done.", calls, endpoint),
        };
        match told {
            Ok(()) => {
                self.step += 1;
                self.due = Some(now + PAUSE);
                Step::Again(self.due)
            }
            Err(NotOpen::Busy) => Step::Again(None),
            Err(NotOpen::Ended) => Step::Over,
        }
    }

    fn log(&self, text: &str, calls: &mut impl Calls) -> Result<(), NotOpen> {
        calls.log(self.call, Level::Info, LOGGER, text).map(drop)
    }

    fn ask(&mut self, question: &Question, calls: &mut impl Calls, endpoint: &mut Endpoint<Everything>) -> Step {
        if self.step == 0 {
            return match calls.ask(self.call, question.kind(), |w| question.write(w)) {
                Ok(()) => {
                    self.step = 1;
                    Step::Again(None)
                }
                Err(AskError::Busy) => Step::Again(None),
                Err(AskError::Ended) => Step::Over,
                Err(why @ (AskError::Unsupported | AskError::TooLong)) => self.fail(&why.to_string(), calls, endpoint),
            };
        }
        match &self.answer {
            None => Step::Again(None),
            Some(Ok(answer)) => self.finish(&question.tell(Value::new(answer.as_bytes())), calls, endpoint),
            Some(Err(error)) => self.fail(error, calls, endpoint),
        }
    }

    fn finish(&self, text: &str, calls: &mut impl Calls, endpoint: &mut Endpoint<Everything>) -> Step {
        match calls.complete(endpoint, self.call, |reply| reply.text(text)) {
            Err(NotOpen::Busy) => Step::Again(None),
            Ok(()) | Err(NotOpen::Ended) => Step::Over,
        }
    }

    fn fail(&self, text: &str, calls: &mut impl Calls, endpoint: &mut Endpoint<Everything>) -> Step {
        match calls.complete(endpoint, self.call, |reply| reply.fail(text)) {
            Err(NotOpen::Busy) => Step::Again(None),
            Ok(()) | Err(NotOpen::Ended) => Step::Over,
        }
    }
}
