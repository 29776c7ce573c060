//! Callers of the scanner, in every way they may legally behave.

use umcp::json::scan::{Key, Outcome, SLOTS, ScanError, Scanner, Span, Window};

/// What a scan came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Scanned {
    pub(crate) outcome: Outcome,
    pub(crate) text: Vec<u8>,
    /// The text each span names.
    pub(crate) found: [Vec<u8>; SLOTS],
    pub(crate) duplicate: bool,
}

/// How the bytes reach the scanner.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arrival {
    /// All at once.
    Whole,
    /// In two pieces.
    Split(usize),
    /// In pieces of so many bytes.
    Pieces(usize),
    /// In such pieces, each in a place of its own: the gap is closed and the message moved to the front of the
    /// buffer after each.
    Moved(usize),
}

/// Every way to deliver `len` bytes.
pub(crate) fn arrivals(len: usize) -> impl Iterator<Item = Arrival> {
    let pieces = [1, 2, 3, 5, 7, 8, 13];
    std::iter::once(Arrival::Whole)
        .chain((0..=len).map(Arrival::Split))
        .chain(pieces.map(Arrival::Pieces))
        .chain(pieces.map(Arrival::Moved))
}

/// Bytes before and behind the message that are none of the scanner's business.
const BEFORE: &[u8] = b"\"before{";
const BEHIND: &[u8] = b"\"\\u0041 [}behind";

pub(crate) fn scan(tree: &'static [Key], max_depth: u8, source: &[u8], arrival: Arrival) -> Result<Scanned, ScanError> {
    let mut scanner = Scanner::new(tree, max_depth);
    if let Arrival::Moved(size) = arrival {
        return scan_moving(&mut scanner, source, size);
    }
    let mut buf = [BEFORE, source, BEHIND].concat();
    let at = BEFORE.len();
    let end = at + source.len();
    let mut w = Window { start: at, out: at, read: at, end: at };
    let size = match arrival {
        Arrival::Split(first) => first.max(1),
        Arrival::Pieces(size) => size,
        _ => source.len().max(1),
    };
    let mut result = Ok(());
    while w.end < end && result.is_ok() {
        w.end = match arrival {
            Arrival::Split(_) if w.end > at => end,
            _ => end.min(w.end + size),
        };
        result = scanner.feed(&mut buf, &mut w);
        check(&w, result, at);
    }
    let result = result.and_then(|()| scanner.finish(&mut buf, &mut w));
    assert_eq!(&buf[..at], BEFORE);
    assert_eq!(&buf[end..], BEHIND);
    Ok(scanned(&scanner, result?, &buf, &w))
}

fn scan_moving(scanner: &mut Scanner, source: &[u8], size: usize) -> Result<Scanned, ScanError> {
    let mut buf = vec![b'"'; source.len() + 100];
    let mut w = Window { start: 100, out: 100, read: 100, end: 100 };
    for piece in source.chunks(size) {
        close_gap(&mut buf, &mut w);
        let by = w.start.min(9);
        move_down(scanner, &mut buf, &mut w, by);
        buf[w.end..w.end + piece.len()].copy_from_slice(piece);
        w.end += piece.len();
        scanner.feed(&mut buf, &mut w)?;
    }
    let outcome = scanner.finish(&mut buf, &mut w)?;
    Ok(scanned(scanner, outcome, &buf, &w))
}

/// Moves the raw bytes down behind the canonical ones.
pub(crate) fn close_gap(buf: &mut [u8], w: &mut Window) {
    buf.copy_within(w.read..w.end, w.out);
    w.end -= w.read - w.out;
    w.read = w.out;
}

/// Moves everything down.
pub(crate) fn move_down(scanner: &mut Scanner, buf: &mut [u8], w: &mut Window, by: usize) {
    buf.copy_within(w.start..w.end, w.start - by);
    *w = Window { start: w.start - by, out: w.out - by, read: w.read - by, end: w.end - by };
    scanner.shift(by);
}

fn check(w: &Window, result: Result<(), ScanError>, start: usize) {
    assert!(w.start == start && w.start <= w.out && w.out <= w.read && w.read <= w.end, "{w:?}");
    assert!(w.end - w.read <= 11, "a long raw tail: {w:?}");
    if result.is_err() {
        assert_eq!((w.out, w.read), (start, w.end));
    }
}

fn scanned(scanner: &Scanner, outcome: Outcome, buf: &[u8], w: &Window) -> Scanned {
    let text = buf[w.start..w.out].to_vec();
    let inside = |span: &Span| !span.is_present() || (w.start <= span.start as usize && span.end as usize <= w.out);
    assert!(scanner.spans().iter().all(inside), "{:?} {w:?}", scanner.spans());
    Scanned { outcome, text, found: scanner.spans().map(|span| span.of(buf).to_vec()), duplicate: scanner.duplicate() }
}

/// The canonical text of `source`, which is the same however it arrives.
pub(crate) fn canonical(source: &[u8]) -> Result<String, ScanError> {
    let mut arrivals = arrivals(source.len());
    let first = plain(source, Arrival::Whole);
    if source.len() <= 400 {
        for arrival in arrivals {
            assert_eq!(plain(source, arrival), first, "{arrival:?} of {}", source.escape_ascii());
        }
    } else {
        for arrival in [Arrival::Pieces(1), Arrival::Pieces(97), Arrival::Moved(31), Arrival::Split(source.len() / 2)] {
            assert_eq!(plain(source, arrival), first, "{arrival:?} of {}", source[..400].escape_ascii());
        }
        arrivals.next();
    }
    first.map(|scanned| String::from_utf8(scanned.text).unwrap())
}

fn plain(source: &[u8], arrival: Arrival) -> Result<Scanned, ScanError> {
    scan(&[], Scanner::DEFAULT_DEPTH, source, arrival)
}
