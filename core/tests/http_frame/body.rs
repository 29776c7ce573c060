//! Bodies of every kind.

use crate::rig::{Messages, Pieces, Wire, random, read_body};
use umcp::frame::http::{Body, BodyError, BodyKind, Chunk, Chunked};

fn read(kind: BodyKind, raw: &[u8]) -> (Messages, usize) {
    let mut wire = Wire::new(raw, 1000, Pieces::WHOLE);
    let whole = read_body(&mut wire, &mut Body::new(kind), true);
    let rest = wire.rest().len();
    for pieces in Pieces::all(raw.len()) {
        for room in [1, 8, raw.len().max(1)] {
            let mut wire = Wire::new(raw, room, pieces);
            let again = read_body(&mut wire, &mut Body::new(kind), true);
            assert_eq!(again, whole, "{pieces:?} in {room}: {}", raw.escape_ascii());
            if whole.error.is_none() {
                assert_eq!(wire.rest().len(), rest, "{pieces:?} in {room}: {}", raw.escape_ascii());
            }
        }
    }
    (whole, rest)
}

fn one(payload: &str) -> Messages {
    Messages { whole: vec![(payload.into(), String::new())], ..Messages::default() }
}

#[test]
fn bodies_are_split() {
    let chunked = BodyKind::Chunked;
    let table: &[(BodyKind, &str, &str)] = &[
        (BodyKind::Empty, "", ""),
        (BodyKind::Length(0), "", ""),
        (BodyKind::Length(2), "{}", "{}"),
        (BodyKind::Length(12), "{\"a\":\r\n[1]}\n", "{\"a\":\r\n[1]}\n"),
        (chunked, "0\r\n\r\n", ""),
        (chunked, "2\r\n{}\r\n0\r\n\r\n", "{}"),
        (chunked, "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n", "{}"),
        (chunked, "A\r\n0123456789\r\n000b\r\n\r\n345678\r\n0\r\n00\r\n\r\n", "0123456789\r\n345678\r\n0"),
        // Extensions and white space behind a size; trailers.
        (chunked, "2;a\r\n{}\r\n0;b=c;d=\"e;f\"\r\n\r\n", "{}"),
        (chunked, "2 \t\r\n{}\r\n0 ; b\r\n\r\n", "{}"),
        (chunked, "2\r\n{}\r\n0\r\nA: b\r\nC: d\r\n\r\n", "{}"),
    ];
    for (kind, raw, payload) in table {
        assert_eq!(read(*kind, raw.as_bytes()), (one(payload), 0), "{raw:?}");
        // What is behind it is not touched.
        for trailing in ["GET / HTTP/1.1\r\n\r\n", "\r\n", "0", "\0"] {
            let with_trailing = format!("{raw}{trailing}");
            assert_eq!(read(*kind, with_trailing.as_bytes()), (one(payload), trailing.len()), "{with_trailing:?}");
        }
        // It may end nowhere else.
        for end in 0..raw.len() {
            let (read, _) = read(*kind, &raw.as_bytes()[..end]);
            assert_eq!((read.whole, read.error), (vec![], Some(BodyError::Eof)), "{:?}", &raw[..end]);
            assert!(payload.as_bytes().starts_with(&read.begun), "{:?}", &raw[..end]);
        }
    }
}

#[test]
fn a_body_until_the_close_ends_with_the_stream() {
    for raw in ["", "{}", "0\r\n\r\n"] {
        assert_eq!(read(BodyKind::UntilClose, raw.as_bytes()), (one(raw), 0), "{raw:?}");
    }
}

#[test]
fn chunks_are_refused() {
    use BodyError::*;
    let table: &[(&str, BodyError)] = &[
        ("\r\n", Chunk),
        (" 2\r\n", Chunk),
        (";a\r\n", Chunk),
        ("g\r\n", Chunk),
        ("-2\r\n", Chunk),
        ("0x2\r\n", Chunk),
        ("2\n", Chunk),
        ("2\r{", Chunk),
        ("2 3\r\n", Chunk),
        ("2;a\n", Chunk),
        ("2;a\0", Chunk),
        ("2;a\rb", Chunk),
        ("2\r\n{}0", Chunk),
        ("2\r\n{}\n", Chunk),
        ("2\r\n{}\r0", Chunk),
        ("2\r\n{}\r\n\r\n", Chunk),
        ("ffffffffffffffff1\r\n", ChunkTooLong),
        ("10000000000000000\r\n", ChunkTooLong),
        ("0\r\n\n", Trailer),
        ("0\r\n\rx", Trailer),
        ("0\r\nA: b\n", Trailer),
        ("0\r\nA: b\r\r", Trailer),
        ("0\r\nA: \0", Trailer),
    ];
    for (raw, expected) in table {
        assert_eq!(read(BodyKind::Chunked, raw.as_bytes()).0.error, Some(*expected), "{raw:?}");
    }
}

#[test]
fn framing_has_its_bounds() {
    let line = usize::from(Chunked::MAX_SIZE_LINE);
    let trailers = usize::from(Chunked::MAX_TRAILERS);
    for (len, expected) in [(line, None), (line + 1, Some(BodyError::ChunkTooLong))] {
        for fill in ["0", " "] {
            let zero = if fill == "0" { "" } else { "0" };
            let raw = format!("1\r\nx\r\n{zero}{}\r\n\r\n", fill.repeat(len - zero.len() - 2));
            let read =
                read_body(&mut Wire::new(raw.as_bytes(), 1, Pieces::WHOLE), &mut Body::new(BodyKind::Chunked), true);
            assert_eq!(read.error, expected, "{raw:?}");
        }
    }
    for (len, expected) in [(trailers, None), (trailers + 1, Some(BodyError::TrailersTooLong))] {
        let lines = "A: b\r\n".repeat(100);
        let raw = format!("0\r\n{lines}{}\r\n\r\n", "x".repeat(len - lines.len() - 4));
        let read = read_body(&mut Wire::new(raw.as_bytes(), 7, Pieces::WHOLE), &mut Body::new(BodyKind::Chunked), true);
        assert_eq!(read.error, expected, "{len}");
    }
    // The longest length and the longest chunk there can be.
    for (kind, raw) in [(BodyKind::Length(u64::MAX), "x"), (BodyKind::Chunked, "ffffffffffffffff\r\nx")] {
        assert_eq!(read(kind, raw.as_bytes()).0.error, Some(BodyError::Eof));
    }
}

#[test]
fn lengths_are_known_where_the_head_says_them() {
    let table = [
        (BodyKind::Empty, Some(0)),
        (BodyKind::Length(7), Some(7)),
        (BodyKind::Chunked, None),
        (BodyKind::UntilClose, None),
    ];
    for (kind, expected) in table {
        assert_eq!(kind.length(), expected);
    }
}

/// Sizes as `httparse` reads them: where both say that a line is whole, they agree on its number and its length.
#[test]
fn sizes_agree_with_httparse() {
    let mut seed = 7;
    let (mut sizes, mut refusals) = (0, 0);
    for _ in 0..200_000 {
        let len = 1 + random(&mut seed) as usize % 8;
        let line: Vec<u8> = (0..len).map(|_| b"0019aFg ;x\t\r\n"[random(&mut seed) as usize % 13]).collect();
        let raw = [&line[..], b"\r\n"].concat();
        let mut body = Body::new(BodyKind::Chunked);
        // The first run is the size line, and the data behind it.
        let with_data = [&raw[..], &[b'x'; 100]].concat();
        let ours = body.split(&with_data);
        match (httparse::parse_chunk_size(&raw), ours) {
            (Ok(httparse::Status::Complete((used, size))), Ok(Some(run))) if size > 0 => {
                sizes += 1;
                assert_eq!((run.skip, run.payload), (used, with_data.len().saturating_sub(used).min(size as usize)));
            }
            (Ok(httparse::Status::Complete((_, 0))), _) => {}
            // It takes anything for an extension, also a bare LF or a control character.
            (Ok(_), Err(_)) => assert!(line.contains(&b'\n') || line.contains(&b'\r'), "{}", raw.escape_ascii()),
            (Err(_), ours) => {
                refusals += 1;
                assert!(ours.is_err(), "{}", raw.escape_ascii());
            }
            (Ok(_), Ok(_)) => assert!(ours.is_ok_and(|run| run.is_none_or(|run| run.payload == 0))),
        }
    }
    assert!(sizes > 1000 && refusals > 1000, "{sizes} {refusals}");
}

#[test]
fn chunks_are_sealed_in_place() {
    for len in [0, 1, 15, 16, 255, 4096, Chunk::MAX, Chunk::MAX + 1] {
        let mut chunk = [Chunk::BEFORE.as_bytes(), &vec![b'x'; len], Chunk::AFTER.as_bytes()].concat();
        let before = chunk.clone();
        assert_eq!(Chunk::seal(&mut chunk), (1..=Chunk::MAX).contains(&len), "{len}");
        if len == 0 || len > Chunk::MAX {
            assert_eq!(chunk, before);
            continue;
        }
        assert_eq!(chunk[..6], *format!("{len:04X}\r\n").as_bytes());
        chunk.extend(Chunk::LAST.as_bytes());
        let mut wire = Wire::new(&chunk, chunk.len(), Pieces::WHOLE);
        assert_eq!(read_body(&mut wire, &mut Body::new(BodyKind::Chunked), true), one(&"x".repeat(len)));
    }
    for len in 0..8 {
        assert!(!Chunk::seal(&mut vec![b'0'; len]), "{len}");
    }
}
