//! Messages in small chunks, through the scanner: what a reader does with runs when half an escape or half a character is left of one.

use crate::rig::{Pieces, Split, Wire};
use umcp::frame::http::{Body, BodyKind, EventBody};
use umcp::json::scan::{Outcome, Scanner, Window};

const MESSAGE: &str = r#" {"a": "h\u00e9llo 世界 \ud83d\ude00 😀\n", "b": [1, 2.5e3, "\/"]} "#;
const CANONICAL: &str = r#"{"a":"héllo 世界 😀 😀\n","b":[1,2.5e3,"/"]}"#;

/// The canonical text of one message, and whether the body has ended.
fn scan(split: &mut impl Split, raw: &[u8], pieces: Pieces) -> (String, bool) {
    let mut wire = Wire::new(raw, usize::MAX, pieces);
    let mut buf = raw.to_vec();
    let mut w = Window::default();
    let mut scanner = Scanner::new(&[], Scanner::DEFAULT_DEPTH);
    // Payload that the scanner wants to see again with what follows it.
    let mut tail = 0;
    loop {
        let Some(run) = split.split(wire.raw()).unwrap() else {
            assert!(wire.receive(), "the message has no end");
            continue;
        };
        // Framing between a tail and its continuation: the gap is closed.
        buf.copy_within(w.read..w.read + tail, w.read + run.skip);
        w.read += run.skip;
        w.end = w.read + tail + run.payload;
        scanner.feed(&mut buf, &mut w).unwrap();
        tail = w.end - w.read;
        wire.take(run.skip + run.payload + run.terminator.unwrap_or(0));
        if run.terminator.is_some() {
            assert_eq!(scanner.finish(&mut buf, &mut w), Ok(Outcome::Object));
            while !split.is_ended() {
                match split.split(wire.raw()).unwrap() {
                    Some(run) => wire.take(run.skip),
                    None if wire.receive() => {}
                    None => break,
                }
            }
            return (String::from_utf8(buf[w.start..w.out].to_vec()).unwrap(), split.is_ended());
        }
    }
}

fn chunked(payload: &str, size: usize) -> Vec<u8> {
    let chunks = payload.as_bytes().chunks(size).map(|chunk| {
        let size = format!("{:x};extension\r\n", chunk.len());
        [size.as_bytes(), chunk, b"\r\n"].concat()
    });
    chunks.chain([b"0\r\n\r\n".to_vec()]).collect::<Vec<_>>().concat()
}

#[test]
fn a_message_in_chunks_is_the_message() {
    for size in 1..MESSAGE.len() + 1 {
        let json = chunked(MESSAGE, size);
        let stream = chunked(&format!(": hello\r\nid: 1\r\ndata:{MESSAGE}\r\n\r\n"), size);
        for pieces in [1, 2, 3, 7, 1000].map(Pieces::Every) {
            let expected = (CANONICAL.to_owned(), true);
            assert_eq!(scan(&mut Body::new(BodyKind::Chunked), &json, pieces), expected, "{size} {pieces:?}");
            assert_eq!(scan(&mut EventBody::new(BodyKind::Chunked), &stream, pieces), expected, "{size} {pieces:?}");
        }
    }
}

#[test]
fn data_in_several_lines_is_one_message() {
    let lines = MESSAGE.replace(", ", ",\r\ndata: ").replace(": [", ":\r\n: a comment\r\ndata: [");
    for size in [1, 3, 8, 1000] {
        let stream = chunked(&format!("data: {lines}\r\n\r\n"), size);
        let (text, ended) = scan(&mut EventBody::new(BodyKind::Chunked), &stream, Pieces::Every(5));
        assert_eq!((text.as_str(), ended), (CANONICAL, true), "{size}");
    }
}
