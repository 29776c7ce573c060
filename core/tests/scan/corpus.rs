//! The public JSON suite and recorded sessions, where they are at hand.

use crate::rig::{Arrival, canonical, scan};
use std::path::{Path, PathBuf};
use umcp::json::scan::{Outcome, ScanError, Scanner};

/// The folder of test data: `UMCP_SHARED`, or `shared` beside the workspace.
fn shared(name: &str) -> Option<PathBuf> {
    let folder = match std::env::var_os("UMCP_SHARED") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
    };
    let path = folder.join(name);
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: there is no {} (set UMCP_SHARED to the folder of test data)", path.display());
    None
}

/// All files under `folder` whose names end so, and what is in them.
fn files(folder: &Path, suffix: &str) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(files(&path, suffix));
        } else if name.ends_with(suffix) {
            found.push((name, std::fs::read(&path).unwrap()));
        }
    }
    found
}

#[test]
fn json_test_suite() {
    let Some(folder) = shared("json/test_parsing") else { return };
    let files = files(&folder, ".json");
    assert!(files.len() > 300, "{} files", files.len());
    for (name, source) in files {
        // What is too deep to be split at every byte in good time is split at fewer.
        let verdict = canonical(&source)
            .and_then(|_| scan(&[], Scanner::DEFAULT_DEPTH, &source, Arrival::Whole))
            .map(|scanned| scanned.outcome);
        let ok = match name.as_bytes() {
            _ if name == "n_single_space.json" || name == "n_structure_no_data.json" => verdict == Ok(Outcome::Blank),
            _ if name.contains("_nested_arrays") => verdict == Ok(Outcome::TooDeep),
            [b'y', ..] => matches!(verdict, Ok(Outcome::Object | Outcome::Array | Outcome::Scalar)),
            [b'n', ..] => verdict.is_err(),
            // UTF-16, and byte order marks.
            _ if source.contains(&0) || matches!(source.first(), Some(0x80..)) => verdict.is_err(),
            _ if std::str::from_utf8(&source).is_err() => verdict == Err(ScanError::Utf8),
            _ => verdict.is_ok(),
        };
        assert!(ok, "{name}: {verdict:?}");
    }
}

#[test]
fn recorded_sessions() {
    let Some(folder) = shared("wire") else { return };
    let mut count = 0;
    for suffix in ["c2s.bin", "s2c.bin"] {
        for (name, bytes) in files(&folder, suffix) {
            if name.starts_with("conn-") {
                continue;
            }
            for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
                accept(line, &name);
                count += 1;
            }
        }
    }
    assert!(count > 500, "{count} messages");
}

#[test]
fn schemas_and_examples() {
    let Some(folder) = shared("mcp") else { return };
    let files = files(&folder, ".json");
    assert!(files.len() > 50, "{} files", files.len());
    for (name, source) in files {
        accept(&source, &name);
    }
}

fn accept(source: &[u8], name: &str) {
    let expected = crate::naive::canonical(std::str::from_utf8(source).unwrap());
    for arrival in [Arrival::Whole, Arrival::Pieces(61), Arrival::Moved(256)] {
        let scanned = scan(&[], Scanner::DEFAULT_DEPTH, source, arrival)
            .unwrap_or_else(|error| panic!("{name}: {error}: {}", source.escape_ascii()));
        assert!(scanned.text == expected.as_bytes(), "{name} {arrival:?}");
    }
}
