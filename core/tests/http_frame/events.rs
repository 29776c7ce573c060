//! Event streams, alone and in bodies.

use crate::rig::{Messages, Pieces, Wire, random, read_body};
use umcp::frame::http::{BodyError, BodyKind, EventBody};
use umcp::frame::sse::Events;

fn read(raw: &[u8]) -> Messages {
    let whole = read_body(&mut Wire::new(raw, 1000, Pieces::WHOLE), &mut Events::new(), false);
    for pieces in Pieces::all(raw.len()) {
        for room in [1, 8, raw.len().max(1)] {
            let mut wire = Wire::new(raw, room, pieces);
            assert_eq!(read_body(&mut wire, &mut Events::new(), false), whole, "{pieces:?}: {}", raw.escape_ascii());
            assert_eq!(wire.rest(), b"");
        }
    }
    whole
}

/// An event: its payload, and "name #id @retry".
type Event<'a> = (&'a str, &'a str);

/// The whole events in `raw`, and what of one has begun.
fn assert_events(raw: &[u8], expected: &[Event<'_>], begun: &str) {
    let read = read(raw);
    let whole: Vec<_> = read.whole.iter().map(|(data, note)| (str::from_utf8(data).unwrap(), note.as_str())).collect();
    assert_eq!(whole, expected, "{}", raw.escape_ascii());
    assert_eq!(read.begun, begun.as_bytes(), "{}", raw.escape_ascii());
}

#[test]
fn events_are_split() {
    let table: &[(&str, &[Event<'_>], &str)] = &[
        ("", &[], ""),
        ("data: {}\n\n", &[("{}\n", "message")], ""),
        ("data:{}\n\n", &[("{}\n", "message")], ""),
        ("data:  {} \n\n", &[(" {} \n", "message")], ""),
        ("data: {}\r\n\r\n", &[("{}\r", "message")], ""),
        ("data: {}\r\r", &[("{}\r", "message")], ""),
        ("data: a\n\ndata: b\n\n", &[("a\n", "message"), ("b\n", "message")], ""),
        // Several lines of data, with other things between them.
        ("data: {\ndata: }\n\n", &[("{\n}\n", "message")], ""),
        ("data: {\r\n:c\r\nid: 1\r\ndata: }\r\n\r\n", &[("{\r}\r", "message #1")], ""),
        ("data\n\n", &[("\n", "message")], ""),
        ("data:\n\n", &[("\n", "message")], ""),
        ("data: \n\n", &[("\n", "message")], ""),
        ("data\ndata\n\n", &[("\n\n", "message")], ""),
        ("data: a\ndata\r\ndata:\rdata:b\n\n", &[("a\n\r\rb\n", "message")], ""),
        // Comments, unknown fields, and names that only look like one.
        (": keep\n\n", &[("", "message")], ""),
        (":\n:data: x\ndata : x\nDATA: x\ndat: x\ndatas: x\n data: x\ndatum\n\n", &[("", "message")], ""),
        ("\n\n\n", &[("", "message"), ("", "message"), ("", "message")], ""),
        // Names: the last one counts, and only for its event.
        ("event: ping\ndata: {}\n\ndata: a\n\n", &[("{}\n", "ping"), ("a\n", "message")], ""),
        ("data: a\nevent: x\nevent: y\n\n", &[("a\n", "y")], ""),
        ("event: x\nevent:\ndata: a\n\n", &[("a\n", "message")], ""),
        ("event\n\n", &[("", "message")], ""),
        ("event:  x\n\n", &[("", " x")], ""),
        ("event: 0123456789abcdef\n\n", &[("", "0123456789abcdef")], ""),
        ("event: 0123456789abcdefg\n\n", &[("", "")], ""),
        // Ids last.
        ("id: 7\ndata: a\n\ndata: b\n\n", &[("a\n", "message #7"), ("b\n", "message #7")], ""),
        ("id: 7\n\nid:\n\nid\n\n", &[("", "message #7"), ("", "message #"), ("", "message #")], ""),
        ("id: a\0b\n\nid: c\n\n", &[("", "message #"), ("", "message #c")], ""),
        // Times to wait: digits, or nothing.
        (
            "retry: 500\n\nretry: 5x\n\nretry\n\nretry:\n\nretry: x5\n\nretry: -5\n\nretry: 7\n\n",
            &[
                ("", "message @500"),
                ("", "message @500"),
                ("", "message @500"),
                ("", "message @500"),
                ("", "message @500"),
                ("", "message @500"),
                ("", "message @7"),
            ],
            "",
        ),
        ("retry: 99999999999\n\n", &[("", "message @4294967295")], ""),
        // What has not come to its end.
        ("data: a", &[], "a"),
        ("data: a\n", &[], "a\n"),
        ("data: a\ndata: b\ndat", &[], "a\nb\n"),
        ("data: a\n\nid: 3", &[("a\n", "message")], ""),
        // A byte-order mark, once and whole.
        ("\u{feff}data: a\n\n", &[("a\n", "message")], ""),
        ("\u{feff}\u{feff}data: a\n\n", &[("", "message")], ""),
        ("data: \u{feff}\n\u{feff}\n\n", &[("\u{feff}\n", "message")], ""),
        ("\u{feff}\n", &[("", "message")], ""),
    ];
    for (raw, expected, begun) in table {
        assert_events(raw.as_bytes(), expected, begun);
    }
    assert_events(b"\xEF\xBBdata: a\n\n", &[("", "message")], "");
    assert_events(b"\xEFdata: a\n\n", &[("", "message")], "");
    assert_events(b"\xEF\n\n", &[("", "message")], "");
}

#[test]
fn an_id_has_its_bound() {
    for (len, kept) in [(63, 63), (64, 64), (65, 0), (300, 0)] {
        let raw = format!("id: {}\n\n", "i".repeat(len));
        assert_events(raw.as_bytes(), &[("", &format!("message #{}", "i".repeat(kept)))], "");
    }
}

#[test]
fn line_ends_are_found_wherever_they_stand() {
    for len in 0..70 {
        for end in ["\n", "\r"] {
            let data = "x".repeat(len);
            assert_events(format!("data: {data}{end}{end}").as_bytes(), &[(&format!("{data}{end}"), "message")], "");
        }
    }
}

/// What the standard dispatches at a blank line.
struct Dispatched {
    /// `None` where there is none.
    data: Option<Vec<u8>>,
    name: Vec<u8>,
    id: Option<Vec<u8>>,
    retry: Option<u32>,
}

/// The standard's algorithm, on the whole of a stream.
fn naive(stream: &[u8]) -> Vec<Dispatched> {
    let text = stream.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(stream);
    let mut lines = Vec::new();
    let mut line = Vec::new();
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\r' | b'\n' => {
                if byte == b'\r' {
                    bytes.next_if_eq(&b'\n');
                }
                lines.push(core::mem::take(&mut line));
            }
            byte => line.push(byte),
        }
    }
    let mut found = Vec::new();
    let (mut data, mut name, mut id, mut retry) = (None::<Vec<u8>>, vec![], None, None);
    for line in lines {
        if line.is_empty() {
            let name = core::mem::take(&mut name);
            let name = if name.is_empty() { b"message".to_vec() } else { name };
            found.push(Dispatched { data: data.take(), name, id: id.clone(), retry });
            continue;
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (&line[..], &b""[..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                data = Some(match data {
                    Some(data) => [&data[..], b"\n", value].concat(),
                    None => value.to_vec(),
                });
            }
            b"event" => name = if value.len() > Events::MAX_NAME { b"\0too long".to_vec() } else { value.to_vec() },
            b"id" if value.contains(&0) || value.len() > Events::MAX_ID => id = Some(vec![]),
            b"id" => id = Some(value.to_vec()),
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                retry = Some(str::from_utf8(value).unwrap().parse().unwrap_or(u32::MAX));
            }
            _ => {}
        }
    }
    found
}

/// A stream of pieces that mean something, and some that do not.
fn stream(seed: &mut u64) -> Vec<u8> {
    let pieces: [&[u8]; 28] = [
        b"\n",
        b"\n",
        b"\n",
        b"\r",
        b"\r",
        b"\r\n",
        b"\r\n",
        b"\n\n",
        b"\r\n\r\n",
        b"data: ",
        b"data:",
        b"data",
        b"data: {}",
        b"data: [1,2]\n\n",
        b"id: ",
        b"id",
        b"event: ",
        b"event",
        b"retry: ",
        b"retry",
        b"9",
        b"12",
        b": ",
        b":",
        b" ",
        b"abc",
        b"0123456789abcdefg",
        b"\0",
    ];
    let mut stream = if random(seed).is_multiple_of(4) { b"\xEF\xBB\xBF".to_vec() } else { vec![] };
    for _ in 0..random(seed) % 40 {
        stream.extend(pieces[random(seed) as usize % pieces.len()]);
    }
    stream
}

fn noted(name: &[u8], id: Option<&[u8]>, retry: Option<u32>) -> String {
    let name = if name == b"\0too long" { &[] } else { name };
    let text = |bytes: &[u8]| bytes.iter().copied().map(char::from).collect::<String>();
    let id = id.map(|id| format!(" #{}", text(id))).unwrap_or_default();
    let retry = retry.map(|retry| format!(" @{retry}")).unwrap_or_default();
    format!("{}{id}{retry}", text(name))
}

#[test]
fn streams_agree_with_the_standard() {
    let mut seed = 1;
    let mut events = 0;
    for _ in 0..30_000 {
        let stream = stream(&mut seed);
        let pieces = Pieces::Random(1 + random(&mut seed) as usize % 20, seed);
        let read = read_body(&mut Wire::new(&stream, 64, pieces), &mut Events::new(), false);
        let expected = naive(&stream);
        assert_eq!(read.whole.len(), expected.len(), "{}", stream.escape_ascii());
        for ((payload, note), Dispatched { data, name, id, retry }) in read.whole.into_iter().zip(expected) {
            // Every line of data with its end, whatever byte that is; the standard takes the last one off.
            let payload: Vec<u8> = payload.iter().map(|byte| if *byte == b'\r' { b'\n' } else { *byte }).collect();
            let expected = data.map(|data| [&data[..], b"\n"].concat()).unwrap_or_default();
            assert_eq!(payload, expected, "{}", stream.escape_ascii());
            assert_eq!(note, noted(&name, id.as_deref(), retry), "{}", stream.escape_ascii());
            events += 1;
        }
    }
    assert!(events > 100_000, "{events}");
}

fn chunked(stream: &[u8], mut size: impl FnMut() -> usize) -> Vec<u8> {
    let mut raw = Vec::new();
    let mut rest = stream;
    while !rest.is_empty() {
        let (chunk, behind) = rest.split_at(size().clamp(1, rest.len()));
        raw.extend(format!("{:x}\r\n", chunk.len()).as_bytes());
        raw.extend([chunk, b"\r\n"].concat());
        rest = behind;
    }
    raw.extend(b"0\r\n\r\n");
    raw
}

#[test]
fn a_stream_in_a_body_is_the_same_stream() {
    let mut seed = 3;
    for round in 0..5_000 {
        let stream = stream(&mut seed);
        let plain = read_body(&mut Wire::new(&stream, 1000, Pieces::WHOLE), &mut Events::new(), false);
        let mut sizes = seed;
        let most = 1 + round % 9;
        let bodies = [
            (BodyKind::Chunked, chunked(&stream, || 1 + random(&mut sizes) as usize % most)),
            (BodyKind::Length(stream.len() as u64), stream.clone()),
            (BodyKind::UntilClose, stream.clone()),
        ];
        for (kind, raw) in bodies {
            for (room, pieces) in [(1, Pieces::WHOLE), (1000, Pieces::WHOLE), (50, Pieces::Random(12, seed))] {
                let until_close = kind == BodyKind::UntilClose;
                let trailing: &[u8] = if until_close { b"" } else { b"data: behind\n\n" };
                let with_trailing = [&raw[..], trailing].concat();
                let mut wire = Wire::new(&with_trailing, room, pieces);
                let mut body = EventBody::new(kind);
                assert_eq!(read_body(&mut wire, &mut body, true), plain, "{kind:?} {}", raw.escape_ascii());
                assert!(body.is_ended());
                assert_eq!(wire.rest(), trailing, "{kind:?} {}", raw.escape_ascii());
            }
        }
    }
}

#[test]
fn a_stream_is_not_over_before_its_last_event() {
    let raw = b"data: a\n\ndata: b\n\n";
    let mut body = EventBody::new(BodyKind::Length(raw.len() as u64));
    let mut at = 0;
    while let Some(run) = body.split(&raw[at..]).unwrap() {
        at += run.skip + run.payload + run.terminator.unwrap_or(0);
        assert_eq!(body.is_ended(), at == raw.len(), "{at}");
    }
    assert!(body.is_ended());
}

#[test]
fn a_stream_that_breaks_off_says_so() {
    let raw = chunked(b"data: {}\n\ndata: x\n\n", || 4);
    for end in 0..raw.len() {
        let mut wire = Wire::new(&raw[..end], 1000, Pieces::Every(3));
        assert_eq!(
            read_body(&mut wire, &mut EventBody::new(BodyKind::Chunked), true).error,
            Some(BodyError::Eof),
            "{end}"
        );
    }
}

#[test]
fn what_is_sent_is_what_is_read() {
    let sent = format!("{}{}{{}}{}", Events::COMMENT, Events::BEFORE, Events::AFTER);
    assert_events(sent.as_bytes(), &[("", "message"), ("{}\n", "message")], "");
}
