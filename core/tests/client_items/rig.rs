//! A client over lines with a buffer of any size, which writes down what happens.

use umcp::client::{Config, Connection, Event, Happened, Lent, Options, Verdict};
use umcp::mcp::List;
use umcp::rpc::{Pending, RequestHandle};
use umcp::time::{Duration, Instant};

pub(crate) const ITEMS: Options = Options { items: true, timeout: Duration::from_millis(1_000), ..Options::DEFAULT };
pub(crate) const WHOLE: Options = Options { items: false, ..ITEMS };

/// What is done before, in the middle of and after what arrives.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// `tools/list` is asked for.
    Ask(Options),
    /// These bytes arrive.
    In(Vec<u8>),
    /// So many milliseconds pass.
    After(u32),
    /// The request with this id is given up.
    Cancel(u32),
    Eof,
}

pub(crate) fn line(text: &str) -> Step {
    Step::In(format!("{text}\n").into_bytes())
}

pub(crate) fn raw(text: &str) -> Step {
    Step::In(text.as_bytes().to_vec())
}

/// Plays the steps with a receive buffer of `size` bytes, where bytes come `piece` at a time; what happened. Chunks of the same string are
/// put together.
pub(crate) fn play(steps: &[Step], size: usize, piece: usize) -> Vec<String> {
    let (mut receive, mut transmit) = (vec![b'"'; size], [0; 2_048]);
    let mut pending = heapless::Vec::<Pending, 4>::new();
    let mut listens = heapless::Vec::<umcp::client::Listen, 1>::new();
    let lent = Lent { receive: &mut receive, transmit: &mut transmit, pending: &mut pending, listens: &mut listens };
    let config = Config { verdict: Some(Verdict::Modern), ..Config::new("t", "1") };
    let mut player =
        Player { conn: Connection::line(lent, config), now: Instant::ZERO, events: Vec::new(), handles: Vec::new() };
    player.settle();
    assert_eq!(player.events.split_off(0), ["connected"]);
    for step in steps {
        match step {
            Step::Ask(options) => {
                let handle = player.conn.list(List::Tools, None, *options, player.now).expect("sent");
                player.handles.push(handle);
            }
            Step::In(bytes) => bytes.chunks(piece.max(1)).for_each(|bytes| player.feed(bytes)),
            Step::After(millis) => player.now = player.now + Duration::from_millis(*millis),
            Step::Cancel(id) => {
                let handle = *player.handles.iter().find(|handle| handle.id() == *id).expect("asked for");
                assert!(player.conn.cancel(handle, None));
            }
            Step::Eof => player.conn.eof(),
        }
        player.settle();
    }
    player.events
}

struct Player<'m> {
    conn: Connection<'m>,
    now: Instant,
    events: Vec<String>,
    handles: Vec<RequestHandle>,
}

impl Player<'_> {
    fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = self.conn.receive_buffer();
            assert!(!room.is_empty(), "no room");
            let count = room.len().min(bytes.len());
            room[..count].copy_from_slice(&bytes[..count]);
            self.conn.commit(count);
            bytes = &bytes[count..];
            self.settle();
        }
    }

    fn settle(&mut self) {
        for _ in 0..100_000 {
            let count = self.conn.transmit().len();
            self.conn.transmitted(count);
            let happened = self.conn.advance(self.now);
            if happened == Happened::NeedData {
                return;
            }
            let said = say(self.conn.event(happened));
            // What belongs to one string is one event.
            match self.events.last_mut() {
                Some(before) if before.starts_with("chunk") && !before.ends_with('.') && said.starts_with("chunk") => {
                    let (place, text) = said.rsplit_once(": ").expect("a place");
                    assert!(before.starts_with(place), "{before}, then {said}");
                    before.push_str(text);
                }
                _ => self.events.push(said),
            }
        }
        panic!("it does not come to rest");
    }
}

fn say(event: Event<'_>) -> String {
    match event {
        Event::Connected(_) => "connected".into(),
        Event::Item { handle, list, item } => format!("item {} {list} {item:?}", handle.id()),
        Event::Chunk { handle, chunk } => {
            let end = if chunk.is_last { "." } else { "" };
            let before = chunk.item.get("uri").map_or(String::new(), |uri| format!("{uri:?}"));
            format!("chunk {} {}/{} {before}: {}{end}", handle.id(), chunk.list, chunk.path.join("/"), chunk.text)
        }
        Event::Response { handle, result } => format!("response {} {result:?}", handle.id()),
        Event::Error { handle, error } => format!("error {} {error}", handle.id()),
        Event::TimedOut { handle } => format!("timeout {}", handle.id()),
        Event::Cancelled { handle } => format!("cancelled {}", handle.id()),
        Event::Lost { handle, why: umcp::client::Lost::TooLong { .. } } => format!("lost {} TooLong", handle.id()),
        Event::Lost { handle, why } => format!("lost {} {why:?}", handle.id()),
        Event::Ignored { why: umcp::client::Ignored::TooLong { .. }, .. } => "ignored TooLong".into(),
        Event::Ignored { why, .. } => format!("ignored {why:?}"),
        Event::Closed => "closed".into(),
        other => format!("{other:?}"),
    }
}

/// Every piece of up to 20 bytes, and whole.
pub(crate) fn pieces() -> impl Iterator<Item = usize> {
    (1..20).chain([usize::MAX])
}

/// The events are these, for every buffer from `least` bytes on, and every piece.
pub(crate) fn always(steps: &[Step], least: usize, expected: &[&str]) {
    let length: usize = steps.iter().map(|step| if let Step::In(bytes) = step { bytes.len() } else { 0 }).sum();
    for size in (least..=least + 40).chain([length / 2, length, length + 1, length + 2, 2 * length + 64]) {
        for piece in pieces() {
            if size >= least {
                assert_eq!(play(steps, size, piece), expected, "a buffer of {size}, pieces of {piece}: {steps:?}");
            }
        }
    }
}
