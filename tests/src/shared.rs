//! The protocol's own data and the recorded sessions, which stand beside the repository.

use std::path::{Path, PathBuf};

/// The folder `shared`: what `UMCP_SHARED` names, or the one beside the workspace. `None` where there is none, which is said on
/// stderr; where `CI` is set that is a failure instead, so that a suite cannot pass by skipping.
///
/// # Panics
/// `CI` is set and there is no such folder.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("UMCP_SHARED").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let folder = named.unwrap_or(beside);
    if folder.join("mcp").is_dir() {
        return Some(folder);
    }
    let why = format!("{} has no schemas; set UMCP_SHARED to the folder that has", folder.display());
    assert!(std::env::var_os("CI").is_none(), "{why}");
    eprintln!("skipped: {why}");
    None
}

/// The files below `folder` whose name is `name`, or ends with it if that starts with a dot; in the order of their paths.
#[must_use]
pub fn files(folder: &Path, name: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let file = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if file == name || (name.starts_with('.') && file.ends_with(name)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
