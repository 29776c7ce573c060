//! Results that are larger than the program's buffer, and shown as they arrive.

use crate::rig::{Folder, against, modern, start_against};

/// `count` tools of a kilobyte each.
fn tools(count: u32, rest: &str) -> Vec<String> {
    modern(&format!(
        r#"printf '{{"jsonrpc":"2.0","id":2,"result":{{"ttlMs":5,"tools":['
x=$(head -c 1000 /dev/zero | tr '\0' x)
i=0; while [ $i -lt {count} ]; do [ $i = 0 ] || printf ,; printf '{{"name":"t%d","description":"%s"}}' $i $x; i=$((i+1)); done
{rest}"#
    ))
}

#[test]
fn a_list_larger_than_the_buffer() {
    let server = tools(600, "say '],\"resultType\":\"complete\"}}'; cat >/dev/null");
    let ran = against(&["tools", "--json"], &server);
    ran.assert_status(0);
    let result = ran.json();
    let listed: Vec<&str> =
        result["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(listed, (0..600).map(|n| format!("t{n}")).collect::<Vec<_>>());
    assert_eq!((&result["ttlMs"], &result["resultType"]), (&5.into(), &"complete".into()));
    let ran = against(&["tools"], &server);
    ran.assert_status(0);
    assert_eq!(ran.out.lines().filter(|line| line.starts_with('t')).count(), 600);
}

#[test]
fn rows_come_before_the_list_has_ended() {
    let mut running = start_against(&["tools"], &tools(20, "cat >/dev/null"));
    assert!(running.line().starts_with("t0()"));
    running.signal(rustix::process::Signal::INT);
    running.end().assert_status(130);
}

#[test]
fn a_list_that_breaks_off() {
    let ran = against(&["tools", "--json"], &tools(600, "exit 0"));
    ran.assert_status(3);
    assert!(ran.out.starts_with(r#"{"tools":[{"name":"t0","#), "{}", ran.out);
    assert!(serde_json::from_str::<serde_json::Value>(&ran.out).is_err());
}

/// A resource of `count` kilobytes.
fn blob(count: u32, rest: &str) -> Vec<String> {
    modern(&format!(
        r#"printf '{{"jsonrpc":"2.0","id":2,"result":{{"contents":[{{"uri":"a:1","mimeType":"t","blob":"'
x=$(head -c 1332 /dev/zero | tr '\0' A)
i=0; while [ $i -lt {count} ]; do printf %s $x; i=$((i+1)); done
{rest}"#
    ))
}

#[test]
fn a_resource_is_written_to_a_file() {
    let folder = Folder::new();
    let path = folder.path("out");
    let end = "say 'QQ==\"}],\"resultType\":\"complete\"}}'; cat >/dev/null";
    let ran = against(&["read", "a:1", "--output", &path], &blob(600, end));
    ran.assert_status(0);
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!((bytes.len(), bytes.last()), (600 * 999 + 1, Some(&b'A')));
    assert!(bytes[..600 * 999].iter().all(|byte| *byte == 0));
    assert_eq!(ran.out, "");
    // The same for people, and as JSON.
    let ran = against(&["read", "a:1"], &blob(600, end));
    assert_eq!((ran.status, &*ran.out), (Some(0), "[a:1 t, 599401 bytes]\n"));
    let ran = against(&["read", "a:1", "--json"], &blob(600, end));
    assert_eq!(ran.json()["contents"][0]["blob"].as_str().map(str::len), Some(600 * 1332 + 4));
}

#[test]
fn what_was_not_written_whole_is_not_left_behind() {
    let folder = Folder::new();
    let path = folder.write("out", "before");
    for (rest, status) in [("exit 0", 3), ("say '*\"}]}}'; cat >/dev/null", 5)] {
        against(&["read", "a:1", "--output", &path], &blob(600, rest)).assert_status(status);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "before");
        assert!(!std::path::Path::new(&format!("{path}.part")).exists());
    }
    let nowhere = folder.path("no/such/folder");
    let ran = against(&["read", "a:1", "--output", &nowhere], &blob(1, "cat >/dev/null"));
    ran.assert_status(2);
    assert!(ran.err.contains("no/such/folder"), "{}", ran.err);
}

#[test]
fn a_file_is_where_it_was_asked_for() {
    let folder = Folder::new();
    let end = "say '\"}],\"resultType\":\"complete\"}}'; cat >/dev/null";
    let whole = 999 * 3;
    // Through a link, of which nothing but what it leads to is replaced.
    let (target, link) = (folder.write("target", "before"), folder.path("link"));
    std::os::unix::fs::symlink(&target, &link).unwrap();
    against(&["read", "a:1", "--output", &link], &blob(3, end)).assert_status(0);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(std::fs::read(&target).unwrap().len(), whole);
    // One that leads nowhere yet.
    let (target, link) = (folder.path("new"), folder.path("other"));
    std::os::unix::fs::symlink(&target, &link).unwrap();
    against(&["read", "a:1", "--output", &link], &blob(3, end)).assert_status(0);
    assert_eq!(std::fs::read(&target).unwrap().len(), whole);
    // Beside it there may be a file already.
    let (out, other) = (folder.path("out"), folder.write("out.part", "another's"));
    against(&["read", "a:1", "--output", &out], &blob(3, end)).assert_status(0);
    assert_eq!((std::fs::read(&out).unwrap().len(), &*std::fs::read_to_string(other).unwrap()), (whole, "another's"));
    // Standard output, and what is no plain file.
    for name in ["-", "/dev/stdout"] {
        let ran = against(&["read", "a:1", "--output", name], &blob(3, end));
        assert_eq!((ran.status, ran.out.len()), (Some(0), whole), "{name}: {}", ran.err);
    }
    assert!(std::fs::symlink_metadata("/dev/stdout").unwrap().is_symlink());
}
