//! Connections that other implementations have made, as far as they are of the modern era: each request has one reply.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::rig::{Memory, Rig, Sizes};

/// The recorded connections: in `UMCP_SHARED`, or in `shared` beside the workspace. They may be missing, except in continuous integration.
fn recordings() -> Option<PathBuf> {
    let shared = match std::env::var_os("UMCP_SHARED") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
    };
    let folder = shared.join("wire");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var_os("CI").is_none(), "there is no {}", folder.display());
    println!("skipped: there is no {} (set UMCP_SHARED to the folder of test data)", folder.display());
    None
}

fn connections(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found = Vec::new();
    for path in entries {
        if path.is_dir() {
            found.extend(connections(&path));
        } else if path.to_string_lossy().ends_with(".c2s.bin") && path.to_string_lossy().contains("conn-") {
            found.push(path);
        }
    }
    found
}

/// A number that looks like chance (xorshift64*).
fn random(seed: &mut u64) -> u64 {
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    seed.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
}

/// A recorded request.
struct Recorded {
    bytes: Vec<u8>,
    method: String,
    path: String,
    is_modern: bool,
    body: Option<Value>,
}

/// The requests of a connection, taken apart by `httparse`.
fn requests(mut bytes: &[u8]) -> Vec<Recorded> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut head = httparse::Request::new(&mut headers);
        let Ok(httparse::Status::Complete(len)) = head.parse(bytes) else { break };
        let value = |name: &str| {
            head.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name)).map(|header| header.value)
        };
        let length = value("content-length").map_or(0, |text| std::str::from_utf8(text).unwrap().parse().unwrap());
        assert!(value("transfer-encoding").is_none());
        let Some(body) = bytes.get(len..len + length) else { break };
        found.push(Recorded {
            bytes: bytes[..len + length].to_vec(),
            method: head.method.unwrap().to_owned(),
            path: head.path.unwrap().to_owned(),
            is_modern: value("mcp-protocol-version") == Some(b"2026-07-28"),
            body: serde_json::from_slice(body).ok(),
        });
        bytes = &bytes[len + length..];
    }
    found
}

#[test]
fn recorded_connections() {
    let Some(folder) = recordings() else { return };
    let (mut seed, mut modern, mut streams) = (23, 0, 0);
    let sizes = Sizes { head: 2048, receive: 8192, transmit: 2048 };
    for path in connections(&folder) {
        for recorded in requests(&std::fs::read(&path).unwrap()).iter().filter(|recorded| recorded.is_modern) {
            modern += 1;
            for _ in 0..4 {
                let mut memory = Memory::new(sizes);
                let mut rig = Rig::new(&mut memory);
                rig.site.path = recorded.path.clone().leak();
                rig.drain = 1 + random(&mut seed) as usize % 300;
                let mut rest = &recorded.bytes[..];
                while !rest.is_empty() {
                    let (piece, later) = rest.split_at(rest.len().min(1 + random(&mut seed) as usize % 150));
                    assert!(rig.receive(piece), "{}: closed in the middle of it", path.display());
                    rest = later;
                }
                rig.connection.close();
                rig.settle();
                let replies = rig.replies();
                let shown = || format!("{}: {replies:?}", path.display());
                assert!(replies.len() == 1 && replies[0].whole, "{}", shown());
                let Some(body) = &recorded.body else {
                    assert_eq!((recorded.method == "POST", replies[0].status), (false, 405), "{}", shown());
                    continue;
                };
                let answers: Vec<Value> =
                    replies[0].messages().into_iter().filter(|message| message.get("method").is_none()).collect();
                match body.get("id") {
                    Some(id) => {
                        assert_eq!(answers.len(), 1, "{}", shown());
                        assert_eq!(answers[0].get("id"), Some(id), "{}", shown());
                        let agreed = answers[0]["error"]["code"] != -32020;
                        assert!(agreed, "headers of others agree with their bodies: {}", shown());
                    }
                    None => assert_eq!((replies[0].status, answers.len()), (202, 0), "{}", shown()),
                }
                streams += usize::from(replies[0].is_events());
            }
        }
    }
    println!("{modern} modern requests, {} streams", streams / 4);
    assert!(modern > 40, "{modern}");
}
