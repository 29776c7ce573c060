//! The four lists: sorted, whole through any buffer, in pages where the catalog says so.

use serde_json::Value;
use umcp_tests::board::{FULL, PAGED};
use umcp_tests::player::{Memory, Player, Sizes};
use umcp_tests::script::{legacy, modern};

const LISTS: [(&str, &str, &str); 4] = [
    ("tools/list", "tools", "name"),
    ("resources/list", "resources", "uri"),
    ("resources/templates/list", "resourceTemplates", "uriTemplate"),
    ("prompts/list", "prompts", "name"),
];

fn request(method: &str, cursor: Option<&str>) -> String {
    let cursor = cursor.map(|cursor| format!("\"cursor\":\"{cursor}\",")).unwrap_or_default();
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{{{cursor}\"_meta\":{{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{{}}}}}}}}\n"
    )
}

/// The same bytes through a buffer of any size, drained in pieces of any size.
#[test]
fn a_list_is_longer_than_the_buffer() {
    for (method, member, key) in LISTS {
        let ask = |transmit, drain| {
            let mut memory = Memory::new(Sizes { transmit, ..Sizes::default() });
            let mut player = Player::new(&FULL, &mut memory, drain);
            player.receive([request(method, None), request("prompts/list", None)].concat().as_bytes());
            player.out
        };
        let whole = ask(16_384, usize::MAX);
        let first = whole.split(|&byte| byte == b'\n').next().expect("a line");
        let reply: Value = serde_json::from_slice(first).expect("JSON");
        let keys: Vec<&str> =
            reply["result"][member].as_array().expect("items").iter().filter_map(|item| item[key].as_str()).collect();
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(keys, sorted, "{method}");
        assert!(keys.len() >= 2, "{method}");
        for transmit in [1, 2, 3, 16, 64, 128, 500] {
            for drain in [1, 7, usize::MAX] {
                assert_eq!(ask(transmit, drain), whole, "{method} through {transmit}, {drain} at a time");
            }
        }
    }
}

/// Walking the pages brings what one page would, and every page has the same cache scope.
#[test]
fn pages() {
    for (method, member, key) in LISTS {
        let (mut cursor, mut walked, mut pages) = (None, Vec::new(), 0);
        loop {
            let reply = page(method, cursor.as_deref());
            let items = reply[member].as_array().expect("items").clone();
            assert!(items.len() <= 2 && !items.is_empty(), "{method}");
            assert_eq!((&reply["ttlMs"], &reply["cacheScope"]), (&60_000.into(), &"private".into()), "{method}");
            walked.extend(items.iter().map(|item| item[key].as_str().expect("a name").to_owned()));
            pages += 1;
            match reply.get("nextCursor") {
                Some(next) => cursor = Some(next.as_str().expect("a cursor is a string").to_owned()),
                None => break,
            }
        }
        assert_eq!(pages, walked.len().div_ceil(2), "{method}");
        assert!(walked.is_sorted(), "{method}: {walked:?}");
    }
}

fn page(method: &str, cursor: Option<&str>) -> Value {
    let mut memory = Memory::new(Sizes::default());
    let mut player = Player::new(&PAGED, &mut memory, usize::MAX);
    player.receive(request(method, cursor).as_bytes());
    let mut reply: Value = serde_json::from_slice(&player.out).expect("one line");
    reply["result"].take()
}

#[test]
fn a_cursor_of_somebody_else_is_refused() {
    for cursor in [
        "\"\"",
        "\"0\"",
        "\"1\"",
        "\"3\"",
        "\"100\"",
        "\"-2\"",
        "\"+2\"",
        "\"02\"",
        "\" 2\"",
        "\"2 \"",
        "\"x\"",
        "\"99999999999999999999999\"",
        "\"\\u0000\"",
        "5",
        "{}",
        "[2]",
        "true",
    ] {
        let script = format!(
            r#"
            > {{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{{"cursor":{cursor},$META}}}}
            < {{"id":1,"error":{{"code":-32602}}}}
            > {{"jsonrpc":"2.0","id":2,"method":"prompts/list","params":{{"cursor":null,$META}}}}
            < {{"id":2,"result":{{"nextCursor":"$any"}}}}
        "#
        );
        modern(cursor, &script).catalog(&PAGED).check();
    }
    modern(
        "without pages there are no cursors",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"2",$META}}
        < {"id":1,"error":{"code":-32602}}
        > {"jsonrpc":"2.0","id":2,"method":"prompts/list","params":{$META}}
        < {"id":2,"result":{"nextCursor":"$absent"}}
    "#,
    )
    .check();
}

/// What each revision knows of an entry.
#[test]
fn entries_by_revision() {
    let tool = |title, annotations, icons, output| {
        format!(
            r#"{{"name":"echo","title":{title},"annotations":{annotations},"icons":{icons},"outputSchema":"$absent","inputSchema":{{"type":"object","properties":{{"text":{{"type":"string","description":"The text."}}}},"required":["text"]}},"description":"Give back a text.","x":{output}}}"#
        )
    };
    let hints = r#"{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}"#;
    let icons =
        r#"[{"src":"https://example.com/icon.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"}]"#;
    let absent = "\"$absent\"";
    for (revision, expected) in [
        ("2024-11-05", tool(absent, absent, absent, absent)),
        ("2025-03-26", tool(absent, hints, absent, absent)),
        ("2025-06-18", tool("\"Echo\"", hints, absent, absent)),
        ("2025-11-25", tool("\"Echo\"", hints, icons, absent)),
        ("2026-07-28", tool("\"Echo\"", hints, icons, absent)),
    ] {
        entry(revision, "tools/list", "tools", "name", "echo", &expected);
    }
    let resource = |title, modified, icons| {
        format!(
            r#"{{"uri":"board://led","name":"led","title":{title},"description":"Whether the LED shines.","mimeType":"text/plain","size":2,"annotations":{{"audience":["user","assistant"],"priority":0.5,"lastModified":{modified}}},"icons":{icons}}}"#
        )
    };
    let modified = "\"2025-01-12T15:00:58Z\"";
    for (revision, expected) in [
        ("2024-11-05", resource(absent, absent, absent)),
        ("2025-03-26", resource(absent, absent, absent)),
        ("2025-06-18", resource("\"LED\"", modified, absent)),
        ("2025-11-25", resource("\"LED\"", modified, icons)),
        ("2026-07-28", resource("\"LED\"", modified, icons)),
    ] {
        entry(revision, "resources/list", "resources", "uri", "board://led", &expected);
    }
    for (revision, title) in [("2025-03-26", absent), ("2025-06-18", "\"Symptom\"")] {
        let expected = format!(
            r#"{{"name":"diagnose","arguments":[{{"name":"symptom","title":{title},"description":"What can be seen.","required":true}},{{"name":"detail","required":"$absent"}}],"icons":"$absent"}}"#
        );
        entry(revision, "prompts/list", "prompts", "name", "diagnose", &expected);
    }
    for (revision, schema) in [("2025-03-26", absent), ("2025-06-18", r#"{"type":"object"}"#)] {
        entry(
            revision,
            "tools/list",
            "tools",
            "name",
            "table",
            &format!(r#"{{"name":"table","outputSchema":{schema}}}"#),
        );
    }
}

fn entry(revision: &'static str, method: &str, member: &str, key: &str, name: &str, expected: &str) {
    let is_modern = revision == "2026-07-28";
    let meta = if is_modern { "$META" } else { "" };
    // The list as a whole is judged by the schema of its revision.
    let script = format!(
        "> {{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{{{meta}}}}}\n< {{\"id\":1,\"result\":{{\"{member}\":\"$any\"}}}}"
    );
    let case = if is_modern { modern(name, &script) } else { legacy(revision, name, &script) };
    case.check();
    let reply = case.replies().pop().expect("a list");
    let items = reply["result"][member].as_array().expect("items");
    let item = items.iter().find(|item| item[key] == name).expect(name);
    let expected: Value = serde_json::from_str(expected).expect("JSON");
    umcp_tests::matching::check(&expected, item).unwrap_or_else(|difference| panic!("{revision} {name}{difference}"));
}
