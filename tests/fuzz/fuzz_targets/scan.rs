//! The scanner on any bytes in any pieces: it agrees with `serde_json` on what is JSON, its text is canonical, and
//! the pieces make no difference.
#![no_main]

use libfuzzer_sys::fuzz_target;
use umcp::json::scan::{Key, Outcome, Scanner, Window};

static TREE: [Key; 3] = [Key::leaf("id", 0), Key::leaf("method", 1), Key::node("params", 2, &[Key::leaf("name", 3)])];

/// The first byte says how long the pieces are, the second how much of the message is kept before the rest is
/// discarded.
fn scan(source: &[u8], piece: usize, discard_at: Option<usize>) -> Option<(Outcome, Vec<u8>, Vec<Vec<u8>>)> {
    let mut buf = source.to_vec();
    let mut w = Window::default();
    let mut scanner = Scanner::new(&TREE, Scanner::MAX_DEPTH);
    while w.end < source.len() {
        w.end = source.len().min(w.end + piece);
        scanner.feed(&mut buf, &mut w).ok()?;
        assert!(w.start <= w.out && w.out <= w.read && w.read <= w.end && w.end - w.read <= 11);
        if discard_at.is_some_and(|at| w.end >= at) {
            scanner.discard(&mut w);
        }
    }
    let outcome = scanner.finish(&mut buf, &mut w).ok()?;
    let found = scanner.spans().map(|span| span.of(&buf).to_vec());
    Some((outcome, buf[w.start..w.out].to_vec(), found.to_vec()))
}

fuzz_target!(|data: &[u8]| {
    let [piece, discard_at, source @ ..] = data else { return };
    let whole = scan(source, source.len().max(1), None);
    assert_eq!(whole, scan(source, usize::from(*piece).max(1), None));

    let discarded = scan(source, usize::from(*piece).max(1), Some(usize::from(*discard_at)));
    assert_eq!(whole.as_ref().map(|whole| whole.0), discarded.as_ref().map(|discarded| discarded.0));

    let blank = source.iter().all(|byte| b" \t\r\n".contains(byte));
    let taken =
        std::str::from_utf8(source).is_ok_and(|text| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok());
    let Some((outcome, text, found)) = whole else {
        assert!(!taken);
        return;
    };
    if outcome == Outcome::TooDeep {
        return;
    }
    assert!(taken || blank);
    assert!(text.len() <= source.len());
    assert_eq!(
        scan(&text, text.len().max(1), None),
        Some((outcome, text.clone(), found)),
        "canonical text is its own canonical form"
    );
});
