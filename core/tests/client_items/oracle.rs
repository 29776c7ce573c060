//! The events against a plain parse of the same message by `serde_json`.

use crate::rig::Step::Ask;
use crate::rig::{ITEMS, line, play};
use serde_json::{Value, json};

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn text(&mut self, longest: u64) -> String {
        let chars = ['a', '"', '\\', '\n', '\u{e9}', '\u{6f22}', '\u{1f600}', '/', '\u{1}', ' '];
        (0..self.roll(longest + 1)).map(|_| chars[self.roll(10) as usize]).collect()
    }

    fn value(&mut self, depth: u32) -> Value {
        match self.roll(if depth == 0 { 4 } else { 6 }) {
            0 => json!(self.roll(1_000)),
            1 => json!(self.text(12)),
            2 => Value::Null,
            3 => json!(true),
            4 => (0..self.roll(4)).map(|_| self.value(depth - 1)).collect(),
            _ => {
                let members = (0..self.roll(4)).map(|n| {
                    let name = ["text", "id", "content", "x", "tools"][self.roll(5) as usize];
                    (format!("{name}{}", if n == 0 { String::new() } else { n.to_string() }), self.value(depth - 1))
                });
                Value::Object(members.collect::<Vec<_>>().into_iter().collect())
            }
        }
    }

    /// JSON with white space and escapes that need not be.
    fn write(&mut self, value: &Value, out: &mut String) {
        out.push_str(["", "", " ", "\t "][self.roll(4) as usize]);
        match value {
            Value::Array(items) => {
                out.push('[');
                for (n, item) in items.iter().enumerate() {
                    out.push_str(if n > 0 { "," } else { "" });
                    self.write(item, out);
                }
                out.push(']');
            }
            Value::Object(members) => {
                out.push('{');
                for (n, (name, item)) in members.iter().enumerate() {
                    out.push_str(if n > 0 { "," } else { "" });
                    self.write(&json!(name), out);
                    out.push(':');
                    self.write(item, out);
                }
                out.push('}');
            }
            Value::String(text) => {
                out.push('"');
                for char in text.chars() {
                    match char {
                        _ if self.roll(4) == 0 => {
                            let mut units = [0; 2];
                            char.encode_utf16(&mut units)
                                .iter()
                                .for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
                        }
                        '"' | '\\' => out.extend(['\\', char]),
                        '\n' => out.push_str("\\n"),
                        '\u{1}' => out.push_str("\\u0001"),
                        char => out.push(char),
                    }
                }
                out.push('"');
            }
            other => out.push_str(&other.to_string()),
        }
        out.push_str(["", "", " ", "\r"][self.roll(4) as usize]);
    }
}

const LISTS: [&str; 8] =
    ["tools", "resources", "resourceTemplates", "prompts", "contents", "content", "messages", "roots"];

#[test]
fn what_is_told_is_what_is_there() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for _ in 0..600 {
        let list = LISTS[dice.roll(8) as usize];
        let items: Vec<Value> = (0..dice.roll(6)).map(|_| dice.value(3)).collect();
        let mut members =
            vec![(list.to_string(), Value::Array(items.clone())), ("resultType".into(), json!("complete"))];
        (0..dice.roll(3)).for_each(|n| members.push((format!("m{n}"), dice.value(2))));
        let at = dice.roll(members.len() as u64) as usize;
        members.swap(0, at);
        // (`serde_json` sorts members, so the order is made here.)
        let mut result = String::from("{");
        for (n, (name, value)) in members.iter().enumerate() {
            result.push_str(if n > 0 { "," } else { "" });
            dice.write(&json!(name), &mut result);
            result.push(':');
            dice.write(value, &mut result);
        }
        result.push('}');
        let mut parts = [
            r#""jsonrpc":"2.0""#.to_string(),
            r#""id":1"#.to_string(),
            format!(r#""result":{result}"#),
            format!(r#""dropped":{}"#, dice.value(2)),
        ];
        let at = dice.roll(4) as usize;
        parts.swap(0, at);
        parts.swap(1, (at + 1) % 4);
        let message = format!("{{{}}}", parts.join(","));
        let parsed: Value = serde_json::from_str(&message).expect("JSON");

        let longest = items.iter().map(|item| item.to_string().len()).max().unwrap_or(0);
        let mut rest = parsed["result"].clone();
        rest[list] = json!([]);
        let least = rest.to_string().len() + longest + 80;
        let expected: Vec<(String, Value)> = items
            .iter()
            .map(|item| (format!("item 1 {list}"), item.clone()))
            .chain([("response 1".to_string(), rest)])
            .collect();
        for size in [least, least + 1, least + dice.roll(60) as usize, message.len() + 1, 4_000] {
            if size < least {
                continue;
            }
            for piece in [1, 1 + dice.roll(9) as usize, usize::MAX] {
                let events = play(&[Ask(ITEMS), line(&message)], size, piece);
                let told: Vec<(String, Value)> = events
                    .iter()
                    .map(|event| {
                        let at = event.match_indices(' ').nth(if event.starts_with("item") { 2 } else { 1 });
                        let (what, value) = event.split_at(at.map_or(event.len(), |(at, _)| at));
                        (what.to_string(), serde_json::from_str(value).unwrap_or_else(|_| panic!("{event}: {message}")))
                    })
                    .collect();
                assert_eq!(told, expected, "{size}, {piece}: {message}");
            }
        }
    }
}
