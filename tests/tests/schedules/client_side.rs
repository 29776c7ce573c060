//! What the client does, and what it makes of what happens to it.

use umcp::client::{Event, Happened, ListenFilter, Options, Reference, Refused, params};
use umcp::json::{Value, Writer};
use umcp::mcp::{Level, List, Method};
use umcp::rpc::RequestHandle;
use umcp::time::{Duration, Instant};

use crate::book::Kind;
use crate::plan::pick;
use crate::world::World;

const URIS: [&str; 2] = ["r:1", "t:7"];
const TOOLS: [&str; 9] = ["again", "ask", "ask", "echo", "fail", "later", "later", "talk", "touch"];

/// The user says yes.
fn accept(w: &mut Writer<'_>) -> bool {
    w.literal(r#"{"action":"accept","content":{}}"#);
    true
}

impl World<'_> {
    /// `true`: something has happened.
    pub(crate) fn drain_client(&mut self) -> bool {
        let mut something = false;
        loop {
            let now = self.tell_time();
            self.advanced = self.advanced.max(now);
            let happened = self.client.advance(now);
            if happened == Happened::NeedData {
                let due = self.client.poll_at().is_some_and(|at| at <= self.advanced);
                assert!(!due || self.client.is_ended(), "it wants to be called again at once, for ever");
                return something;
            }
            something = true;
            self.spend();
            self.tell(format_args!("client: {happened:?}"));
            self.happened(happened);
        }
    }

    /// The time as the client is told it: now and then it goes back.
    fn tell_time(&mut self) -> Instant {
        let back = if self.rng.one_in(8) { self.rng.below(5_000) as u64 } else { 0 };
        let now = Instant::from_millis(self.now.saturating_sub(back));
        self.latest = self.latest.max(now);
        now
    }

    fn happened(&mut self, happened: Happened) {
        if let Happened::Request(_) = happened {
            *self.book.seen.entry("request").or_default() += 1;
            return self.answer_question(happened);
        }
        let asked = match happened {
            Happened::InputRequired(handle) => self.book.entry(handle.id()).map(|entry| entry.kind),
            _ => None,
        };
        self.book.take(&self.client.event(happened), self.latest);
        if let (Some(Kind::Call(number)), false) = (asked, self.rng.one_in(8)) {
            self.retry(number);
        }
        if self.client.next_cursor().is_some() && self.rng.one_in(2) {
            let (now, options) = (self.tell_time(), self.options());
            let sent = self.client.next_page(List::Tools, options, now);
            self.began(sent.map(|handle| handle.expect("there is a cursor")), Kind::Other, options);
        }
    }

    fn answer_question(&mut self, happened: Happened) {
        let choice = self.rng.below(6);
        for _ in 0..2 {
            let Event::Request(request) = self.client.event(happened) else { return };
            match choice {
                0 => return request.refuse(),
                1 => return self.questions.extend(request.defer()),
                // Dropped, it is answered with an error.
                2 => return,
                _ => match request.answer(accept) {
                    Err(Refused::Busy) => drop(self.leave_client(usize::MAX)),
                    answered => return assert!(answered.is_ok() || !self.plan.roomy, "{answered:?}"),
                },
            }
        }
    }

    fn retry(&mut self, number: u32) {
        let tool = self.calls[number as usize];
        let arguments = format!(r#"{{"n":{number}}}"#);
        let (now, options) = (self.tell_time(), self.options());
        let again = params::call_raw(tool, Value::new(arguments.as_bytes()));
        let sent = self.client.retry(Method::CallTool, again, |_, w| accept(w), options, now);
        self.began(sent, Kind::Call(number), options);
    }

    pub(crate) fn client_acts(&mut self) -> bool {
        let now = self.tell_time();
        match self.rng.below(12) {
            0 => self.cancel(),
            1 => self.listen(now),
            2 => self.close_listen(now),
            3 => drop(self.finish_questions()),
            4..=8 => self.call(now),
            _ => self.ask_for_something(now),
        }
        true
    }

    fn call(&mut self, now: Instant) {
        let number = self.calls.len() as u32;
        let tool = pick(&mut self.rng, &TOOLS);
        self.calls.push(tool);
        let most = if self.plan.roomy { 600 } else { 2_000 };
        let len = if self.rng.one_in(3) { self.rng.below(most) } else { 5 };
        // What the client sends is long, too, where that may be too long for the server.
        let pad = if self.plan.roomy { 3 } else { pick(&mut self.rng, &[0, 50, 300]) };
        let arguments = format!(r#"{{"n":{number},"len":{len},"pad":"{}"}}"#, "y".repeat(pad));
        let options = self.options();
        let sent = self.client.call_raw(tool, Value::new(arguments.as_bytes()), options, now);
        self.began(sent, Kind::Call(number), options);
    }

    fn ask_for_something(&mut self, now: Instant) {
        let options = self.options();
        let client = &mut self.client;
        let sent = match self.rng.below(8) {
            0 => client.list(List::Tools, None, options, now),
            1 => client.list(List::Resources, None, options, now),
            2 => client.list(List::Tools, Some("nowhere"), options, now),
            3 => client.read_resource("r:2", options, now),
            4 => client.prompt("p", &(), options, now),
            5 => client.complete(Reference::Prompt("p"), ("a", "al"), &[], options, now),
            6 => client.discover(options, now).or_else(|_| client.ping(options, now)),
            _ => client.set_level(Level::Debug, options, now),
        };
        self.began(sent, Kind::Other, options);
    }

    fn cancel(&mut self) {
        let open = self.book.open(false);
        if open.is_empty() {
            return;
        }
        let id = pick(&mut self.rng, &open);
        let entry = self.book.entry(id).expect("it is open");
        let given_up = self.client.cancel(entry.handle, Some("enough"));
        assert_eq!(given_up, !entry.cancelled, "{id} can be cancelled once");
        entry.cancelled = true;
    }

    fn listen(&mut self, now: Instant) {
        let uris = self.rng.below(3);
        let filter = ListenFilter { tools: true, prompts: false, resources: true, uris: &URIS[..uris] };
        let mut options = Options { progress: false, ..self.options() };
        if !self.plan.roomy {
            // The acknowledgement may be too long to be read. Then only time ends it.
            options.timeout = Duration::from_millis(1_000);
        }
        let sent = self.client.listen(&filter, options, now);
        self.listens.extend(sent.map(|handle| (handle, uris)));
        self.began(sent, Kind::Listen, options);
    }

    fn close_listen(&mut self, now: Instant) {
        if self.listens.is_empty() {
            return;
        }
        let (handle, uris) = pick(&mut self.rng, &self.listens);
        if self.client.close_listen(handle, &URIS[..uris], now).is_ok() {
            let entry = self.book.entry(handle.id()).expect("it was open");
            assert!(!std::mem::replace(&mut entry.cancelled, true), "closed twice");
        }
    }

    /// Answers a question that was put off.
    pub(crate) fn finish_questions(&mut self) -> bool {
        let Some(question) = self.questions.pop() else { return false };
        match self.client.answer(&question, accept) {
            Err(Refused::Busy) => {
                self.questions.insert(0, question);
                return false;
            }
            Err(Refused::Closed) => {}
            answered => assert!(answered.is_ok() || !self.plan.roomy, "{answered:?}"),
        }
        true
    }

    fn options(&mut self) -> Options {
        let progress = self.rng.one_in(2);
        if self.plan.patient {
            return Options { timeout: Duration::MAX, max_timeout: None, progress, items: false };
        }
        let timeout = 1 + self.rng.below(2_000) as u32;
        let max_timeout = self.rng.one_in(2).then(|| Duration::from_millis(2 * timeout));
        Options { timeout: Duration::from_millis(timeout), max_timeout, progress, items: false }
    }

    fn began(&mut self, sent: Result<RequestHandle, Refused>, kind: Kind, options: Options) {
        let patient = options.timeout == Duration::MAX;
        let due = if patient { Instant::NEVER } else { self.advanced + options.timeout };
        match sent {
            Ok(handle) => self.book.begin(handle, kind, options.progress, due),
            Err(Refused::Busy) => assert!(!self.client.transmit().is_empty(), "there is room"),
            Err(Refused::Capacity { .. }) => assert!(!self.plan.roomy, "there is room"),
            Err(Refused::TableFull | Refused::NotReady | Refused::Closed | Refused::Unsupported) => {}
            Err(other) => panic!("refused: {other:?}"),
        }
    }
}
