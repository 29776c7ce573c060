//! Envelopes of any members in any order: the server takes each for what a naive reading of the rules takes it for.
#![no_main]

use libfuzzer_sys::fuzz_target;
use umcp_tests::board::FULL;
use umcp_tests::player::{Memory, Player, Sizes};

const KEYS: [&str; 7] = ["id", "jsonrpc", "method", "params", "result", "error", "x"];
const VALUES: [&str; 12] =
    ["1", "\"a\"", "null", "1.5", "true", "{}", "[]", "\"2.0\"", "\"ping\"", "-0", "\"\\u00e9\"", "{\"id\":2}"];

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    /// It is answered, and with an id if that could be read.
    Answered { has_id: bool },
    Silence,
}

fuzz_target!(|data: &[u8]| {
    let members: Vec<(&str, &str)> = data
        .chunks_exact(2)
        .take(10)
        .map(|pair| (KEYS[usize::from(pair[0]) % KEYS.len()], VALUES[usize::from(pair[1]) % VALUES.len()]))
        .collect();
    let space = if data.len() % 2 == 0 { "" } else { " " };
    let inside: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\"{space}:{space}{value}")).collect();
    let line = format!("{{{space}{}{space}}}\n", inside.join(","));

    let mut memory = Memory::new(Sizes::default());
    let mut player = Player::new(&FULL, &mut memory, usize::MAX);
    player.receive(line.as_bytes());
    let actual = match serde_json::from_slice::<serde_json::Value>(&player.out) {
        Ok(reply) => Kind::Answered { has_id: reply.get("id").is_some() },
        Err(_) => Kind::Silence,
    };
    assert_eq!(actual, expected(&members), "{line}{}", String::from_utf8_lossy(&player.out));
});

fn expected(members: &[(&str, &str)]) -> Kind {
    // Where a member comes twice, the first one is what the rest of the rules see.
    let get = |wanted: &str| members.iter().find(|(key, _)| *key == wanted).map(|(_, value)| *value);
    let duplicate = members.iter().enumerate().any(|(index, (key, _))| *key != "x" && members[..index].iter().any(|(k, _)| k == key));
    let is_id = |text: &str| text.starts_with('"') || text == "1" || text == "-0";
    let has_id = get("id").is_some_and(is_id);
    let method_is_name = get("method").is_some_and(|method| method.starts_with('"'));
    // An answer, however malformed, unless it is a request as well.
    let is_answer = get("result").is_some() || get("error").is_some();
    if is_answer && (get("method").is_none() || get("id").is_none()) {
        return Kind::Silence;
    }
    // A notification, even if its params are malformed.
    let is_notification = !duplicate && get("jsonrpc") == Some("\"2.0\"") && method_is_name && get("id").is_none();
    if is_notification {
        return Kind::Silence;
    }
    Kind::Answered { has_id }
}
