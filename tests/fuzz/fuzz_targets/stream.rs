//! Any bytes, taken in pieces: it is JSON or not as the scanner finds it whole, what is told and what remains is
//! canonical, and neither the pieces nor the time at which it begins make a difference.
#![no_main]

use libfuzzer_sys::fuzz_target;
use umcp::json::Value;
use umcp::json::scan::{Key, Outcome, ScanError, Scanner, Window};

static RESULT: [Key; 3] = [Key::list("a", 2), Key::list("tools", Key::NO_SLOT), Key::leaf("n", 3)];
static TREE: [Key; 4] = [
    Key::leaf("id", 0),
    Key::node("result", 1, &RESULT),
    Key::only("p", 4, &[Key::leaf("name", 5), Key::only("_meta", 6, &[Key::leaf("v", 7)])]),
    Key::list("a", 8),
];

#[derive(Debug, PartialEq)]
struct Taken {
    outcome: Outcome,
    items: Vec<Vec<u8>>,
    /// What was taken from each item.
    texts: Vec<String>,
    rest: Vec<u8>,
    spans: Vec<Vec<u8>>,
    duplicate: bool,
}

/// Scans in pieces of so many bytes; from the byte `begin` on, as pieces of the other kind.
fn take(source: &[u8], piece: usize, begin: usize, with_texts: bool) -> Result<Taken, ScanError> {
    let mut buf = source.to_vec();
    let mut w = Window::default();
    let mut scanner = Scanner::new(&TREE, Scanner::DEFAULT_DEPTH);
    let (mut items, mut texts, mut text) = (vec![], vec![], String::new());
    // Where the bytes of `source` begin that are not in the window.
    let mut sent = 0;
    let mut streams = begin == 0 && scanner.stream(&mut w);
    loop {
        loop {
            scanner.feed(&mut buf, &mut w)?;
            assert!(w.start <= w.out && w.out <= w.read && w.read <= w.end);
            if let Some(item) = scanner.item(&w) {
                items.push(item.span.of(&buf).to_vec());
                texts.push(std::mem::take(&mut text));
                scanner.drop_item(&mut w);
            } else if scanner.text_ends() {
                text.push_str(scanner.take_text(&mut buf, &mut w));
            } else {
                assert!(w.end - w.read <= 11);
                break;
            }
        }
        if !streams && sent >= begin {
            streams = true;
            buf.copy_within(w.read..w.end, w.out);
            (w.end, w.read) = (w.end - (w.read - w.out), w.out);
            scanner.stream(&mut w);
            continue;
        }
        let is_taken = scanner
            .open_text(&buf, &w)
            .is_some_and(|open| ["a", "tools"].contains(&open.key().name) && open.is_at(&["text"]));
        if with_texts && is_taken {
            text.push_str(scanner.take_text(&mut buf, &mut w));
        }
        if sent == source.len() {
            break;
        }
        let next = source.len().min(sent + piece);
        buf.truncate(w.end);
        buf.extend(&source[sent..next]);
        (w.end, sent) = (buf.len(), next);
    }
    let outcome = scanner.finish(&mut buf, &mut w)?;
    let rest = buf[w.start..w.out].to_vec();
    let spans = scanner.spans().iter().map(|span| span.of(&buf).to_vec()).collect();
    Ok(Taken { outcome, items, texts, rest, spans, duplicate: scanner.duplicate() })
}

fn canonical(source: &[u8]) -> Result<(Outcome, Vec<u8>), ScanError> {
    let mut buf = source.to_vec();
    let mut w = Window { end: buf.len(), ..Window::default() };
    let mut scanner = Scanner::new(&[], Scanner::DEFAULT_DEPTH);
    let outcome = scanner.finish(&mut buf, &mut w)?;
    Ok((outcome, buf[w.start..w.out].to_vec()))
}

/// The only string among the members `text` of an item, decoded; nothing if there are more.
fn text_of(item: &[u8]) -> Option<String> {
    let mut texts = Value::new(item).members().filter(|(key, value)| key.is("text") && value.is_string());
    let text = texts.next()?.1.chars().collect();
    texts.next().is_none().then_some(text)
}

fuzz_target!(|data: &[u8]| {
    let [piece, begin, source @ ..] = data else { return };
    let (piece, begin) = (usize::from(*piece).max(1), usize::from(*begin).min(source.len()));
    let whole = canonical(source);
    let taken = take(source, source.len().max(1), 0, false);
    let others = [
        take(source, piece, 0, false),
        take(source, piece, begin, false),
        take(source, piece, source.len(), false),
        take(source, piece, begin, true),
    ];
    let Ok(taken) = taken else {
        assert!(whole.is_err() && others.iter().all(Result::is_err), "{whole:?} {others:?}");
        return;
    };
    assert_eq!(whole.map(|whole| whole.0), Ok(taken.outcome));
    for other in &others {
        assert_eq!(other.as_ref().map(|other| other.outcome), Ok(taken.outcome));
    }
    if taken.outcome == Outcome::TooDeep {
        return;
    }
    for text in taken.items.iter().chain([&taken.rest]) {
        assert_eq!(canonical(text).map(|canonical| canonical.1).as_ref(), Ok(text), "is its own canonical form");
    }
    for other in &others[..3] {
        assert_eq!(other.as_ref(), Ok(&taken));
    }
    let Ok(chunked) = &others[3] else { return };
    assert_eq!((&chunked.rest, &chunked.spans, chunked.items.len()), (&taken.rest, &taken.spans, taken.items.len()));
    for ((item, text), whole) in chunked.items.iter().zip(&chunked.texts).zip(&taken.items) {
        if let Some(expected) = text_of(whole) {
            assert_eq!(format!("{text}{}", text_of(item).unwrap_or_default()), expected);
        } else if text.is_empty() {
            assert_eq!(item, whole);
        }
    }
});
