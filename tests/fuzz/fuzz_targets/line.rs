//! The line framing: however a stream is cut, every byte is in one run, and the messages are those of a naive split.
#![no_main]

use libfuzzer_sys::fuzz_target;
use umcp::frame::Line;

const BOM: &[u8] = b"\xEF\xBB\xBF";

fuzz_target!(|input: (Vec<u8>, Vec<u8>)| {
    let (stream, cuts) = input;
    let text = stream.strip_prefix(BOM).unwrap_or(&stream);
    let mut expected: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    // What is behind the last newline is no message yet.
    let rest = expected.pop().unwrap_or_default();
    let (messages, unfinished) = split(&stream, &cuts);
    assert_eq!(messages, expected);
    // The bytes of half a mark wait for the rest of it.
    let waits_for_mark = stream.len() < BOM.len() && BOM.starts_with(&stream);
    assert_eq!(unfinished, if waits_for_mark { b"" } else { rest });
});

/// Splits `stream` as it arrives in pieces of these lengths; what comes after the last message is the second.
fn split(stream: &[u8], cuts: &[u8]) -> (Vec<Vec<u8>>, Vec<u8>) {
    let mut line = Line::new();
    let (mut messages, mut message) = (Vec::new(), Vec::new());
    let (mut read, mut arrived) = (0, 0);
    let mut cuts = cuts.iter().map(|&cut| usize::from(cut)).chain([stream.len()]);
    while let Some(cut) = cuts.next() {
        arrived = (arrived + cut).min(stream.len());
        while let Some(run) = line.split(&stream[read..arrived]) {
            message.extend_from_slice(&stream[read + run.skip..][..run.payload]);
            read += run.skip + run.payload + run.terminator.unwrap_or(0);
            if run.terminator.is_some() {
                messages.push(std::mem::take(&mut message));
            } else if read == arrived {
                break;
            }
        }
        assert!(read <= arrived);
    }
    (messages, message)
}
