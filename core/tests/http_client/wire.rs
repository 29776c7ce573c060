//! What real servers said over HTTP, byte for byte, where the recordings are at hand: each reply is taken for what it is, however it is cut.

use std::path::{Path, PathBuf};

use umcp::client::{Config, Options};
use umcp::http::client::Memory;
use umcp::time::Duration;

use crate::modern::known;
use crate::rig::Rig;

/// The folder of recordings below `UMCP_SHARED`, or below `shared` beside the workspace.
fn recordings() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let folder = std::env::var_os("UMCP_SHARED").map_or_else(beside, PathBuf::from).join("wire");
    if !folder.is_dir() {
        assert!(std::env::var_os("CI").is_none(), "there is no {}", folder.display());
        println!("skipped: there is no {} (set UMCP_SHARED to the folder of test data)", folder.display());
        return None;
    }
    Some(folder)
}

/// The verb, the method and the id of each request that was sent on a connection.
fn requests(mut bytes: &[u8]) -> Vec<(String, serde_json::Value)> {
    let mut requests = Vec::new();
    while let Some(end) = bytes.windows(4).position(|end| end == b"\r\n\r\n") {
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
        let length = length.map_or(0, |length| length.trim().parse().expect("a number"));
        let body = &bytes[end + 4..][..length];
        let verb = head.split(' ').next().unwrap_or_default().to_owned();
        requests.push((verb, serde_json::from_slice(body).unwrap_or_default()));
        bytes = &bytes[end + 4 + length..];
    }
    requests
}

/// A request whose id on the wire is the recorded one, if that is a small number: ids count up.
fn ask(rig: &mut Rig<'_>, id: u32) {
    let options = Options { timeout: Duration::MAX, ..Options::DEFAULT };
    loop {
        rig.settle();
        let handle = rig.conn.send(|engine| engine.request("x", |_| {}, options, rig.now)).expect("sent");
        if handle.id() >= id {
            return rig.settle();
        }
        assert!(rig.conn.cancel(handle, None));
    }
}

/// What happens as the replies arrive in pieces, each piece of one reply only. Where the replies end, is found out byte by byte and kept in `ends`.
fn replay(requests: &[(String, serde_json::Value)], bytes: &[u8], piece: usize, ends: &mut Vec<usize>) -> Vec<String> {
    let mut memory: Box<Memory<65_536, 2_048>> = Box::new(Memory::new());
    let mut rig = Rig::new(memory.lend(), Config { ..known() });
    let (mut at, find_ends) = (0, ends.is_empty());
    for (index, (_, message)) in requests.iter().enumerate() {
        let id = message["id"].as_u64().and_then(|id| u32::try_from(id).ok()).filter(|id| *id < 1_000).unwrap_or(0);
        ask(&mut rig, id);
        rig.log.retain(|line| !line.starts_with("POST") && !line.starts_with("cancelled"));
        if find_ends {
            while at < bytes.len() && (rig.conn.in_flight().is_some() || rig.conn.poll_at().is_some()) {
                rig.feed(&bytes[at..=at]);
                at += 1;
            }
            ends.push(at);
        } else {
            bytes[at..ends[index]].chunks(piece).for_each(|piece| rig.feed(piece));
            at = ends[index];
        }
        if at == bytes.len() {
            rig.eof();
            break;
        }
    }
    rig.log
}

#[test]
fn every_recorded_reply_is_understood() {
    let Some(folder) = recordings() else { return };
    let (mut connections, mut answers) = (0, 0);
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let session = entry.expect("an entry").path();
        for number in 1..20 {
            let read = |side: &str| std::fs::read(session.join(format!("conn-{number:03}.{side}.bin")));
            let (Ok(sent), Ok(bytes)) = (read("c2s"), read("s2c")) else { break };
            let requests = requests(&sent);
            connections += 1;
            let name = format!("{} {number}", session.display());
            let mut ends = Vec::new();
            let bytewise = replay(&requests, &bytes, 1, &mut ends);
            assert_eq!(*ends.last().expect("a reply"), bytes.len(), "{name}: {bytewise:?}");
            let is_bad = |line: &String| ["Head(", "Body(", "Noise", "TooLong"].iter().any(|word| line.contains(word));
            // Only the last reply may have been broken off, by a client that had enough of it.
            let cut = bytewise.iter().filter(|line| line.ends_with("Closed")).count();
            assert!(cut <= 1, "{name}: {bytewise:?}");
            assert!(!bytewise.iter().any(is_bad), "{name}: {bytewise:?}");
            answers += bytewise.iter().filter(|line| line.starts_with("response") || line.starts_with("error")).count();
            for piece in [2, 3, 7, 64, 1_021, usize::MAX] {
                assert_eq!(bytewise, replay(&requests, &bytes, piece, &mut ends), "{name}, {piece} at a time");
            }
        }
    }
    assert!(connections > 20 && answers > 50, "{connections} connections, {answers} answers");
}
