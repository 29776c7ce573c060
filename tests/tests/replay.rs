//! Real sessions of other implementations, played to the server: whole, in pieces, and damaged.

use std::collections::BTreeMap;

use serde_json::Value;
use umcp_tests::board::FULL;
use umcp_tests::player::{Memory, Player, Sizes};
use umcp_tests::rng::Rng;
use umcp_tests::schema::Judge;
use umcp_tests::shared;

fn sessions() -> Vec<(String, Vec<u8>)> {
    let Some(folder) = shared::folder() else { return Vec::new() };
    let sessions: Vec<_> = shared::files(&folder.join("wire"), "c2s.bin")
        .into_iter()
        .map(|path| (path.display().to_string(), std::fs::read(&path).expect("readable")))
        .collect();
    assert!(sessions.len() >= 50, "only {} sessions", sessions.len());
    sessions
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty())
}

/// Plays `bytes` in pieces of random lengths; what came out.
fn play<'m>(bytes: &[u8], rng: &mut Rng, memory: &'m mut Memory) -> Player<'m> {
    let mut player = Player::new(&FULL, memory, 1 + rng.below(200));
    let mut rest = bytes;
    while !rest.is_empty() {
        let (piece, later) = rest.split_at(rest.len().min(1 + rng.below(120)));
        player.receive(piece);
        rest = later;
    }
    player.eof();
    player
}

/// Each request is answered exactly once, and every answer is one of its revision.
#[test]
fn every_request_is_answered() {
    let mut requests = 0;
    for (name, bytes) in sessions() {
        for seed in 0..4 {
            let mut memory = Memory::new(Sizes { receive: 32_768, transmit: 2_048, small_tables: false });
            let player = play(&bytes, &mut Rng::new(seed), &mut memory);
            let mut judge = Judge::new(usize::MAX);
            lines(&bytes).for_each(|line| judge.client_says(line));
            let mut answered: BTreeMap<String, usize> = BTreeMap::new();
            for line in lines(&player.out) {
                judge.server_says(line).unwrap_or_else(|why| panic!("{name}: {why}"));
                let message: Value = serde_json::from_slice(line).expect("judged");
                if message.get("method").is_none() {
                    *answered.entry(message["id"].to_string()).or_default() += 1;
                }
            }
            let mut asked: BTreeMap<String, usize> = BTreeMap::new();
            for line in lines(&bytes) {
                let message: Value = serde_json::from_slice(line).unwrap_or_else(|error| panic!("{name}: {error}"));
                // A subscription is answered when it ends.
                if message.get("method").is_some()
                    && message.get("id").is_some()
                    && message["method"] != "subscriptions/listen"
                {
                    *asked.entry(message["id"].to_string()).or_default() += 1;
                }
            }
            assert_eq!(answered, asked, "{name}");
            requests += asked.len();
        }
    }
    assert!(requests > 500 || sessions().is_empty(), "only {requests} requests");
}

/// Damaged in any way, they bring nothing but valid messages, and the connection goes on.
#[test]
fn damage_does_no_damage() {
    for (name, bytes) in sessions() {
        for seed in 100..110 {
            let mut rng = Rng::new(seed);
            let mut damaged = bytes.clone();
            damage(&mut damaged, &mut rng);
            // A request that is whole, behind whatever there is.
            damaged.extend_from_slice(b"\n");
            damaged.extend_from_slice(LAST);
            let sizes = Sizes { receive: 256 + rng.below(4_000), transmit: 64 + rng.below(2_000), small_tables: true };
            let mut memory = Memory::new(sizes);
            let player = play(&damaged, &mut rng, &mut memory);
            let replies: Vec<Value> = lines(&player.out)
                .map(|line| {
                    serde_json::from_slice(line)
                        .unwrap_or_else(|error| panic!("{name} {seed}: {error}: {}", String::from_utf8_lossy(line)))
                })
                .collect();
            let last = replies.iter().filter(|reply| reply["id"] == "the last one").count();
            assert_eq!(last, 1, "{name} {seed}");
        }
    }
}

const LAST: &[u8] = br#"{"jsonrpc":"2.0","id":"the last one","method":"prompts/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
"#;

fn damage(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..1 + rng.below(12) {
        let at = rng.below(bytes.len());
        match rng.below(6) {
            0 => bytes[at] = rng.bits() as u8,
            1 => bytes[at] = br#""{}[]:,\u0d8e1 "#[rng.below(15)],
            2 => drop(bytes.remove(at)),
            3 => bytes.insert(at, rng.bits() as u8),
            4 => bytes.insert(at, b'\n'),
            _ => {
                // A piece of it once more, somewhere.
                let end = (at + rng.below(80)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = rng.below(bytes.len());
                bytes.splice(to..to, piece);
            }
        }
    }
}

/// The official examples: each is read, and the requests among them are answered.
#[test]
fn the_official_examples() {
    let Some(folder) = shared::folder() else { return };
    let examples = shared::files(&folder.join("mcp/examples-2026-07-28"), ".json");
    assert!(examples.len() >= 80, "only {} examples", examples.len());
    let mut answered = 0;
    for path in examples {
        let text = std::fs::read(&path).expect("readable");
        read(&text, &path.display().to_string());
        let message: Value = serde_json::from_slice(&text).expect("an example is JSON");
        if message.get("method").is_none() || message.get("id").is_none() {
            continue;
        }
        let line = [message.to_string().as_bytes(), b"\n"].concat();
        let mut memory = Memory::new(Sizes::default());
        let mut player = Player::new(&FULL, &mut memory, usize::MAX);
        player.receive(&line);
        let mut judge = Judge::new(usize::MAX);
        judge.client_says(&line);
        let said: Vec<&[u8]> = lines(&player.out).collect();
        assert_eq!(said.len(), 1, "{}", path.display());
        judge.server_says(said[0]).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        answered += 1;
    }
    assert!(answered >= 10, "only {answered} requests");
}

/// Scans an example as it stands, pretty-printed, and reads all of it.
fn read(text: &[u8], name: &str) {
    use umcp::json::scan::{Outcome, Scanner, Window};
    let mut buf = text.to_vec();
    let mut window = Window { end: buf.len(), ..Window::default() };
    let mut scanner = Scanner::new(&[], Scanner::DEFAULT_DEPTH);
    scanner.feed(&mut buf, &mut window).unwrap_or_else(|error| panic!("{name}: {error}"));
    let outcome = scanner.finish(&mut buf, &mut window).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(matches!(outcome, Outcome::Object | Outcome::Array), "{name}");
    let canonical = &buf[window.start..window.out];
    let expected: Value = serde_json::from_slice(text).expect("JSON");
    assert_eq!(serde_json::from_slice::<Value>(canonical).expect(name), expected, "{name}");
    for (key, member) in umcp::json::Value::new(canonical).members() {
        let key = key.as_str().expect("no key of an example has an escape");
        assert_eq!(serde_json::from_slice::<Value>(member.raw()).expect(name), expected[key], "{name}: {key}");
    }
}
