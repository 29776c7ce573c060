//! Event streams on any bytes in any pieces, and in a body of any chunks: neither makes a difference.
#![no_main]

use libfuzzer_sys::fuzz_target;
use umcp::frame::Run;
use umcp::frame::http::{BodyKind, EventBody};
use umcp::frame::sse::Events;

/// Each event with its name and the last id, and what of one has begun.
type Read = (Vec<(Vec<u8>, Vec<u8>, Option<Vec<u8>>)>, Vec<u8>);

fn read(raw: &[u8], piece: usize, mut split: impl FnMut(&[u8]) -> (Option<Run>, Events)) -> Read {
    let (mut events, mut begun, mut at, mut arrived) = (Vec::new(), Vec::new(), 0, 0);
    loop {
        let (Some(run), state) = split(&raw[at..arrived]) else {
            if arrived == raw.len() {
                return (events, begun);
            }
            arrived = raw.len().min(arrived + piece);
            continue;
        };
        let begin = at + run.skip;
        begun.extend(&raw[begin..begin + run.payload]);
        at = begin + run.payload + run.terminator.unwrap_or(0);
        assert!(at <= arrived);
        if run.terminator.is_some() {
            let id = state.id().map(<[u8]>::to_vec);
            events.push((std::mem::take(&mut begun), state.name().to_vec(), id));
        }
    }
}

fn read_events(raw: &[u8], piece: usize) -> Read {
    let mut events = Events::new();
    read(raw, piece, |raw| (events.split(raw), events))
}

fuzz_target!(|data: &[u8]| {
    let [piece, size, raw @ ..] = data else { return };
    let whole = read_events(raw, raw.len().max(1));
    for piece in [1, usize::from(*piece).max(1)] {
        assert_eq!(whole, read_events(raw, piece));
    }

    let mut chunks = Vec::new();
    for part in raw.chunks(usize::from(*size).max(1)) {
        chunks.extend(format!("{:x}\r\n", part.len()).bytes().chain(part.iter().copied()).chain(*b"\r\n"));
    }
    chunks.extend(b"0\r\n\r\n");
    let mut body = EventBody::new(BodyKind::Chunked);
    let read = read(&chunks, usize::from(*piece).max(1), |raw| {
        let run = body.split(raw).expect("well-formed chunks");
        (run, *body.events())
    });
    assert_eq!(whole, read);
    assert!(body.is_ended());
});
