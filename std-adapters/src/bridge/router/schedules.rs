//! Random schedules of clients, a server, time and lost connections: whatever happens, each request is answered once, as what it was.

use std::collections::BTreeMap;

use umcp::json::Value;
use umcp::time::{Duration, Instant};

use super::*;
use crate::bridge::message::{Message, slot};

/// Marsaglia's xorshift: the same schedule for the same seed.
struct Rng(u64);

impl Rng {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }
}

#[derive(Default)]
struct World {
    /// What each client waits for.
    open: BTreeMap<ClientId, Vec<String>>,
    /// What the server has been asked and has not answered.
    asked: Vec<Message>,
    answered: usize,
}

fn drain(router: &mut Router, world: &mut World, now: Instant) {
    while let Some(out) = router.next() {
        match out {
            Out::Server { text, call } => {
                let message = Message::read(text).unwrap();
                if message.is("notifications/cancelled") {
                    world.asked.retain(|asked| asked.id() != Some(message.raw(slot::REQUEST_ID)));
                } else if let Some(key) = call {
                    assert_eq!(message.id(), Some(key.text().as_bytes()));
                    assert!(world.asked.iter().all(|other| other.id() != message.id()), "an id is used twice");
                    router.left(key, now);
                    world.asked.push(message);
                }
            }
            Out::Client(letter) if letter.text.is_empty() => {}
            Out::Client(letter) => {
                let message = Message::read(letter.text).unwrap();
                let Sort::Answer(_) = letter.sort else {
                    let token = String::from_utf8_lossy(message.raw(slot::TOKEN)).into_owned();
                    assert!(world.open[&letter.to].contains(&token), "progress of what is over");
                    continue;
                };
                let id = String::from_utf8_lossy(message.id().unwrap()).into_owned();
                let open = world.open.get_mut(&letter.to).expect("a client that is there");
                let index = open.iter().position(|other| *other == id).expect("what was asked, once");
                open.remove(index);
                // What the server has echoed is the id that the client gave.
                if let Some(echo) = Value::new(message.raw(slot::RESULT)).get("echo") {
                    assert_eq!(echo.raw(), id.as_bytes());
                }
                world.answered += 1;
            }
        }
    }
}

fn play(seed: u64) -> usize {
    let limits = Limits { requests: 12, answer: Some(Duration::from_millis(500)), ..Limits::DEFAULT };
    let mut router = Router::new("srv".to_owned(), limits, true);
    let (mut rng, mut world, mut now, mut up) = (Rng(seed * 2 + 1), World::default(), Instant::ZERO, true);
    router.opened(now);
    for step in 0..400 {
        let clients: Vec<ClientId> = world.open.keys().copied().collect();
        let client = clients.get(rng.below(clients.len())).copied();
        match (rng.below(16), client) {
            (0, _) | (_, None) => {
                let channel = [Channel::Line, Channel::Session, Channel::Exchange][rng.below(3)];
                world.open.insert(router.join(channel), Vec::new());
            }
            (1, Some(client)) => {
                router.leave(client);
                world.open.remove(&client);
            }
            (2, Some(client)) => {
                if let Some(id) = world.open[&client].first().cloned() {
                    let text = format!(
                        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
                    );
                    router.message(client, Message::read(text.into_bytes()).unwrap(), now);
                    // A handshake is not cancelled.
                    if !id.starts_with("\"init") {
                        world.open.get_mut(&client).unwrap().remove(0);
                    }
                }
            }
            (3, _) if up => {
                router.lost("lost");
                (up, world.asked) = (false, Vec::new());
            }
            (3 | 4, _) if !up => {
                router.opened(now);
                up = true;
            }
            (5, _) => {
                now = now + Duration::from_millis(u32::try_from(rng.below(300)).unwrap());
                router.expire(now);
            }
            (6, Some(client)) => {
                let id = format!("\"init{step}\"");
                let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{}}}}"#);
                world.open.get_mut(&client).unwrap().push(id);
                router.message(client, Message::read(text.into_bytes()).unwrap(), now);
            }
            (7, _) => router.hear(b"boot noise".to_vec(), now),
            (8..=11, Some(client)) => {
                // The same ids at all clients, of both types; some are in use.
                let id = [format!("{}", rng.below(20)), format!("\"{}\"", rng.below(20))][rng.below(2)].clone();
                if !world.open[&client].contains(&id) {
                    let text = format!(
                        r#"{{"jsonrpc":"2.0","id":{id},"method":"x","params":{{"echo":{id},"_meta":{{"progressToken":{id}}}}}}}"#
                    );
                    world.open.get_mut(&client).unwrap().push(id);
                    router.message(client, Message::read(text.into_bytes()).unwrap(), now);
                }
            }
            _ if world.asked.is_empty() => {}
            (12, _) => {
                let asked = &world.asked[rng.below(world.asked.len())];
                let token = String::from_utf8_lossy(asked.raw(slot::META_TOKEN)).into_owned();
                if !token.is_empty() {
                    let text = format!(
                        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":1}}}}"#
                    );
                    router.hear(text.into_bytes(), now);
                }
            }
            _ => {
                let asked = world.asked.remove(rng.below(world.asked.len()));
                let id = String::from_utf8_lossy(asked.id().unwrap()).into_owned();
                let echo = Value::new(asked.raw(slot::PARAMS))
                    .get("echo")
                    .map(|echo| String::from_utf8_lossy(echo.raw()).into_owned());
                let outcome = match (rng.below(4), echo) {
                    (0, _) => r#""error":{"code":-1,"message":"m"}"#.to_owned(),
                    (_, Some(echo)) => format!(r#""result":{{"echo":{echo}}}"#),
                    (_, None) => r#""result":{}"#.to_owned(),
                };
                router.hear(format!(r#"{{"jsonrpc":"2.0","id":{id},{outcome}}}"#).into_bytes(), now);
            }
        }
        drain(&mut router, &mut world, now);
    }
    // Time ends what nobody else does.
    for _ in 0..10 {
        now = now + Duration::from_secs(10);
        router.expire(now);
        drain(&mut router, &mut world, now);
    }
    let open: Vec<_> = world.open.values().flatten().collect();
    assert!(open.is_empty(), "never answered: {open:?}");
    assert_eq!(router.waiting(), 0);
    world.answered
}

#[test]
fn every_request_is_answered_once() {
    let mut answered = 0;
    for seed in 0..300 {
        let outcome = std::panic::catch_unwind(|| play(seed));
        answered += outcome.unwrap_or_else(|_| panic!("seed {seed}"));
    }
    assert!(answered > 15_000, "{answered}");
}
