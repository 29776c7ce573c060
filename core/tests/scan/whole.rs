//! Generated messages, taken in pieces, held against a plain parse of the same message by `serde_json`.

use crate::random::Random;
use crate::taker::{Event, Taken, When, take};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use umcp::json::scan::{Key, Outcome};

/// What may stand in `result` and in `params`, with slots or without.
macro_rules! tree {
    ($content:expr, $b:expr, $roots:expr, $text:expr) => {
        [
            Key::list("tools", Key::NO_SLOT),
            Key::list("content", $content),
            Key::leaf("data", Key::NO_SLOT),
            Key::node("a", Key::NO_SLOT, &[Key::list("contents", Key::NO_SLOT), Key::leaf("text", $text)]),
            Key::only(
                "b",
                $b,
                &[Key::list("roots", $roots), Key::leaf("kept", Key::NO_SLOT), Key::leaf("content", Key::NO_SLOT)],
            ),
        ]
    };
}
static RESULT: [Key; 5] = tree!(3, 4, 5, 9);
static PARAMS: [Key; 5] = tree!(Key::NO_SLOT, Key::NO_SLOT, Key::NO_SLOT, Key::NO_SLOT);
static TREE: [Key; 4] =
    [Key::leaf("id", 0), Key::node("result", 1, &RESULT), Key::only("params", 2, &PARAMS), Key::list("content", 6)];
const LONGEST: usize = "content".len();

/// What becomes of the object of which the tree says this: what was told of it is added to `told`.
fn expect(tree: &[Key], only: bool, object: &Map<String, Value>, told: &mut Lists) -> Map<String, Value> {
    let mut rest = Map::new();
    for (name, value) in object {
        let named = tree.iter().find(|key| key.name == name);
        let value = match (named, name.as_str(), value) {
            (None, _, _) if only => continue,
            (Some(_), "tools" | "content" | "contents" | "roots", Value::Array(items)) if is_list(tree, name) => {
                told.entry(name.clone()).or_default().push(items.clone());
                Value::Array(vec![])
            }
            (Some(key), _, Value::Object(object)) if !key.children.is_empty() => {
                Value::Object(expect(key.children, name == "b" || name == "params", object, told))
            }
            _ => value.clone(),
        };
        rest.insert(name.clone(), value);
    }
    rest
}

/// (In `b`, `content` is a leaf.)
fn is_list(tree: &[Key], name: &str) -> bool {
    name != "content" || tree.iter().all(|key| key.name != "kept")
}

/// What was told, by the names of the lists; and what there is, of which each name may stand for more than one list.
type Told = BTreeMap<String, Vec<Value>>;
type Lists = BTreeMap<String, Vec<Vec<Value>>>;

/// The items of all lists and the rest, from events: texts that came in chunks are back in their places.
fn collect(taken: &Taken) -> (Told, Value) {
    let mut told = Told::new();
    let end = taken.end.as_ref().unwrap_or_else(|error| panic!("{error}"));
    let mut rest: Value = serde_json::from_str(&end.rest).unwrap_or_else(|error| panic!("{error}: {}", end.rest));
    let mut texts: Vec<(&str, &str)> = vec![];
    for event in &taken.events {
        match event {
            Event::Text(place, text) => texts.push((place, text)),
            Event::Item(list, text) => {
                let mut item = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
                texts.retain(|(place, text)| !put_back(&mut item, list, place, text));
                told.entry((*list).to_owned()).or_default().push(item);
            }
        }
    }
    texts.retain(|(place, text)| !put_back_in_rest(&mut rest, place, text));
    assert_eq!(texts, [], "in nothing that came");
    (told, rest)
}

/// Puts a text into the item, if it is one of that list.
fn put_back(item: &mut Value, list: &str, place: &str, text: &str) -> bool {
    let Some(path) = place.strip_prefix(list).filter(|path| path.is_empty() || path.starts_with('/')) else {
        return false;
    };
    put(item, path, text)
}

/// The same of a member that is in the tree, wherever.
fn put_back_in_rest(rest: &mut Value, place: &str, text: &str) -> bool {
    ["", "/result", "/params", "/result/a", "/params/a", "/result/b", "/params/b"]
        .iter()
        .any(|inside| put(rest, &format!("{inside}/{place}"), text))
}

fn put(value: &mut Value, pointer: &str, text: &str) -> bool {
    match value.pointer_mut(pointer) {
        Some(place) if place == "" => {
            *place = text.into();
            true
        }
        _ => false,
    }
}

/// A message: its members are in any order, and what is in the lists has long strings at the places that are taken.
fn message(random: &mut Random) -> String {
    let mut text = String::new();
    object(random, 0, &mut text);
    text
}

/// What the tree knows, and what it does not.
const NAMES: [&str; 16] = [
    "id",
    "result",
    "params",
    "content",
    "tools",
    "data",
    "a",
    "b",
    "contents",
    "text",
    "roots",
    "kept",
    "x",
    "",
    "a longer name than any",
    "resource",
];

fn object(random: &mut Random, depth: usize, text: &mut String) {
    // No name twice: which of two counts is another matter.
    let mut names = NAMES.to_vec();
    text.push('{');
    for index in 0..random.below(if depth < 3 { 6 } else { 3 }) {
        text.push_str(if index > 0 { "," } else { "" });
        random.space(text);
        let name = match depth {
            0 if index < 2 && random.below(2) == 0 => names.remove(1 + random.below(2)),
            _ => names.remove(random.below(names.len())),
        };
        // Some keys are escaped.
        match name.strip_prefix('c') {
            Some(rest) if random.below(2) == 0 => text.push_str(&format!("\"\\u0063{rest}\"")),
            _ => text.push_str(&format!("\"{name}\"")),
        }
        if name == "result" || name == "params" {
            names.retain(|name| !["result", "params"].contains(name) || depth == 0);
        }
        random.space(text);
        text.push(':');
        value(random, depth + 1, text, NAMES.contains(&name).then_some(name));
    }
    random.space(text);
    text.push('}');
}

fn value(random: &mut Random, depth: usize, text: &mut String, name: Option<&str>) {
    random.space(text);
    let as_wanted = random.below(6) > 0;
    match name {
        Some("result" | "params" | "a" | "b" | "resource") if as_wanted && depth < 7 => object(random, depth, text),
        Some("tools" | "content" | "contents" | "roots") if as_wanted && depth < 7 => array(random, depth, text),
        Some("text" | "data") => string(random, text, 60),
        _ => match random.below(if depth > 4 { 3 } else { 6 }) {
            0 => text.push_str(random.pick(&["true", "false", "null", "0", "-12", "12345678901234567890", "-2.25E-7"])),
            1 | 2 => string(random, text, 4),
            3 => array(random, depth, text),
            _ => object(random, depth, text),
        },
    }
    random.space(text);
}

fn array(random: &mut Random, depth: usize, text: &mut String) {
    text.push('[');
    random.space(text);
    for index in 0..random.below(5) {
        text.push_str(if index > 0 { "," } else { "" });
        let name = random.pick(&[None, Some("resource"), Some("resource"), Some("text")]);
        value(random, depth + 1, text, name);
    }
    text.push(']');
}

fn string(random: &mut Random, text: &mut String, most: usize) {
    text.push('"');
    for _ in 0..random.below(most) {
        text.push_str(random.pick(&[
            "a",
            "bc",
            "def {[",
            "},\\\"]",
            "\\\\",
            "\\/",
            "\\b\\f",
            "\\n",
            "\\u0000",
            "\\u001F",
            "\\u00e9",
            "é",
            "世",
            "\\ud83d\\ude00",
            "😀",
            "\\uDBFF\\uDFFF",
            "some more text",
        ]));
    }
    text.push('"');
}

#[test]
fn the_pieces_are_the_whole() {
    let mut random = Random::new(0x5851_f42d_4c95_7f2d);
    let (mut items, mut chunked, mut dropped) = (0, 0, 0);
    for _ in 0..400 {
        let source = message(&mut random);
        if source.len() > 2_500 {
            continue;
        }
        let parsed: Map<String, Value> =
            serde_json::from_str(&source).unwrap_or_else(|error| panic!("{error} {source}"));
        let mut told = Lists::new();
        let rest = Value::Object(expect(&TREE, true, &parsed, &mut told));
        let expected = (told, rest);
        items += expected.0.values().flatten().map(Vec::len).sum::<usize>();
        dropped += usize::from(parsed.len() > expected.1.as_object().map_or(0, Map::len));

        // Where it fits as a whole: at every split (of a longer one, at forty), whenever it begins.
        let room = source.len() + 12;
        let step = 1 + source.len() / 40;
        for split in (1..=source.len()).step_by(step) {
            check(&source, take(&TREE, 32, source.as_bytes(), (room, split, When::Start)), &expected, false);
        }
        check(&source, take(&TREE, 32, source.as_bytes(), (room, 1 + random.below(30), When::Full)), &expected, false);
        for count in (0..=source.len()).step_by(step) {
            let way = (room, 1 + random.below(30), When::At(count));
            check(&source, take(&TREE, 32, source.as_bytes(), way), &expected, false);
        }

        // From the least room on that holds the longest item.
        let longest = expected.0.values().flatten().flatten().map(length).max().unwrap_or(0).max(LONGEST + 2);
        let least = length(&expected.1) + longest + 12;
        for more in [0, 1, 2, 3, 5, 8, 13, 21, 100] {
            for when in [When::Start, When::Full] {
                let most = random.pick(&[1, 16, 400]);
                let piece = 1 + random.below(most);
                let taken = take(&TREE, 32, source.as_bytes(), (least + more, piece, when));
                check(&source, taken, &expected, false);
            }
        }
        // And with less, as long as what does not fit is a text that is taken.
        for less in [1, 5, 20, 50, 100, 200] {
            let Some(size) = least.checked_sub(less).filter(|size| *size > 48) else { break };
            let taken = take(&TREE, 32, source.as_bytes(), (size, 1 + random.below(20), When::Full));
            chunked += usize::from(taken.events.iter().any(|event| matches!(event, Event::Text(..))));
            check(&source, taken, &expected, true);
        }
    }
    assert!(items > 200 && chunked > 100 && dropped > 150, "a dull generator: {items} {chunked} {dropped}");
}

/// Bytes of canonical text.
fn length(value: &Value) -> usize {
    crate::naive::canonical(&value.to_string()).len()
}

fn check(source: &str, taken: Taken, expected: &(Lists, Value), may_be_too_long: bool) {
    let end = taken.end.as_ref().unwrap_or_else(|error| panic!("{error} {source}"));
    assert_eq!(end.outcome, Outcome::Object);
    if end.too_long && may_be_too_long {
        return;
    }
    assert!(!end.too_long, "{source}");
    let (mut told, rest) = collect(&taken);
    assert_eq!(rest, expected.1, "{source}");
    for (name, lists) in &expected.0 {
        let mut told = told.remove(name).unwrap_or_default();
        let mut lists: Vec<_> = lists.iter().collect();
        // A map of `serde_json` forgets which of two lists came first.
        while !lists.is_empty() {
            let first = lists.iter().position(|list| told.starts_with(list));
            let list = lists.remove(first.unwrap_or_else(|| panic!("{name} is {told:?}: {source}")));
            told.drain(..list.len());
        }
        assert_eq!(told, [] as [Value; 0], "{source}");
    }
    assert!(told.is_empty(), "{told:?} of {source}");
}
