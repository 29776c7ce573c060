//! Bodies on any bytes in any pieces: the pieces make no difference, no run reaches beyond what there is, and a payload that was put into chunks
//! comes out of them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use umcp::frame::http::{Body, BodyError, BodyKind, Chunk};

/// The payload, whether it is whole, and how many bytes it took.
fn read(kind: BodyKind, raw: &[u8], piece: usize) -> (Vec<u8>, Result<bool, BodyError>, usize) {
    let mut body = Body::new(kind);
    let (mut payload, mut at, mut arrived) = (Vec::new(), 0, 0);
    loop {
        match body.split(&raw[at..arrived]) {
            Err(error) => return (payload, Err(error), 0),
            Ok(Some(run)) => {
                let begin = at + run.skip;
                payload.extend(&raw[begin..begin + run.payload]);
                at = begin + run.payload + run.terminator.unwrap_or(0);
                assert!(at <= arrived && run.terminator.is_some() == body.is_ended());
            }
            Ok(None) if body.is_ended() || arrived == raw.len() => return (payload, Ok(body.is_ended()), at),
            Ok(None) => {
                assert_eq!(at, arrived, "bytes are left, and nothing is said about them");
                arrived = raw.len().min(arrived + piece);
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let [piece, length, raw @ ..] = data else { return };
    let piece = usize::from(*piece).max(1);
    let kinds = [BodyKind::Empty, BodyKind::Length(u64::from(*length)), BodyKind::Chunked, BodyKind::UntilClose];
    for kind in kinds {
        let whole = read(kind, raw, raw.len().max(1));
        for piece in [1, piece] {
            assert_eq!(whole, read(kind, raw, piece));
        }
    }

    let mut chunks = Vec::new();
    for part in raw.chunks(piece) {
        let mut chunk = [Chunk::BEFORE.as_bytes(), part, Chunk::AFTER.as_bytes()].concat();
        assert!(Chunk::seal(&mut chunk));
        chunks.extend(chunk);
    }
    chunks.extend(Chunk::LAST.as_bytes());
    let len = chunks.len();
    chunks.extend(raw);
    assert_eq!(read(BodyKind::Chunked, &chunks, usize::from(*length).max(1)), (raw.to_vec(), Ok(true), len));
});
