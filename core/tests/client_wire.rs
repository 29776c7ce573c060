//! What real servers said, byte for byte, where the recordings are at hand: every line is taken for a message, however it is cut.
#![cfg(feature = "client")]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod client_support;

use std::path::{Path, PathBuf};

use client_support::{Rig, config};
use umcp::client::{Config, Memory, Verdict};

/// The folder of recordings below `UMCP_SHARED`, or below `shared` beside the workspace.
fn recordings() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let folder = std::env::var_os("UMCP_SHARED").map_or_else(beside, PathBuf::from).join("wire");
    if !folder.is_dir() {
        println!("skipped: there is no {} (set UMCP_SHARED to the folder of test data)", folder.display());
        return None;
    }
    Some(folder)
}

/// Everything that happens as these bytes arrive in pieces of this length.
fn events(bytes: &[u8], piece: usize, verdict: Option<Verdict>) -> Vec<String> {
    let mut memory: Box<Memory<32_768, 1_024>> = Box::new(Memory::new());
    let mut rig = Rig::new(memory.lend(), Config { verdict, ..config() });
    bytes.chunks(piece).for_each(|piece| rig.feed(piece));
    rig.eof();
    std::iter::from_fn(|| rig.next_event()).collect()
}

#[test]
fn every_recorded_server_is_understood() {
    let Some(folder) = recordings() else { return };
    let mut sessions = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path().join("s2c.bin");
        let Ok(bytes) = std::fs::read(&path) else { continue };
        sessions += 1;
        for verdict in [None, Some(Verdict::Modern), Some(Verdict::Legacy)] {
            let whole = events(&bytes, bytes.len().max(1), verdict);
            let bad = |event: &String| {
                ["Noise", "NotAMessage", "TooLong", "TooDeep", "Torso"].iter().any(|word| event.contains(word))
            };
            assert!(!whole.iter().any(bad), "{}: {whole:?}", path.display());
            for piece in [1, 2, 3, 5, 7, 64, 1_021] {
                assert_eq!(whole, events(&bytes, piece, verdict), "{}, {piece} at a time", path.display());
            }
        }
    }
    assert!(sessions > 50, "{sessions} sessions");
}
