//! What tools, resources, prompts and completions answer, in every revision.

use umcp_tests::script::{legacy, modern};

const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// One request and what is expected in each revision, in the order of [`REVISIONS`].
fn check(why: &str, method: &str, params: &str, expected: [&str; 5]) {
    for (revision, expected) in REVISIONS.into_iter().zip(expected) {
        let is_modern = revision == "2026-07-28";
        let meta = if is_modern { ",$META" } else { "" };
        let script = format!(
            "> {{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{{{params}{meta}}}}}\n< {{\"id\":1,{expected}}}"
        );
        let why = format!("{why}, {revision}");
        if is_modern { modern(&why, &script).check() } else { legacy(revision, &why, &script).check() }
    }
}

fn tool(name: &str, expected: [&str; 5]) {
    check(name, "tools/call", &format!("\"name\":\"{name}\""), expected);
}

#[test]
fn blocks() {
    let image = r#""result":{"content":[{"type":"image","data":"iVBORw==","mimeType":"image/png"}]}"#;
    tool("image", [image; 5]);
    let audio = r#""result":{"content":[{"type":"audio","data":"UklGRj8=","mimeType":"audio/wav"}]}"#;
    let no_audio =
        r#""result":{"content":[{"type":"text","text":"[audio left out: revision 2024-11-05 has none: audio/wav]"}]}"#;
    tool("audio", [no_audio, audio, audio, audio, audio]);
    let link = r#""result":{"content":[{"type":"resource_link","uri":"board://led","name":"led","description":"Whether it shines.","mimeType":"text/plain"}]}"#;
    let no_link = r#""result":{"content":[{"type":"text","text":"led: board://led"}]}"#;
    tool("link", [no_link, no_link, link, link, link]);
    let embed = r#""result":{"content":[{"type":"resource","resource":{"uri":"board://led","mimeType":"text/plain","text":"on","blob":"$absent"}},{"type":"resource","resource":{"uri":"board://photo","mimeType":"image/png","blob":"AP8=","text":"$absent"}}]}"#;
    tool("embed", [embed; 5]);
    let notes = r#""result":{"content":[{"text":"noted","annotations":{"audience":["user","assistant"],"priority":0.5,"lastModified":"2025-01-12T15:00:58Z"}},{"text":"piece by piece","annotations":"$absent"}]}"#;
    let old_notes = r#""result":{"content":[{"text":"noted","annotations":{"audience":["user","assistant"],"priority":0.5,"lastModified":"$absent"}},{"text":"piece by piece"}]}"#;
    tool("notes", [old_notes, old_notes, notes, notes, notes]);
}

#[test]
fn structured_content() {
    let text = r#"[{"type":"text","text":"{\"celsius\":21.5,\"name\":\"a \\\"b\\\"\\n\"}"}]"#;
    let old = format!(r#""result":{{"content":{text},"structuredContent":"$absent"}}"#);
    let new = format!(r#""result":{{"content":{text},"structuredContent":{{"celsius":21.5,"name":"a \"b\"\n"}}}}"#);
    tool("table", [&old, &old, &new, &new, &new]);
    let old = r#""result":{"content":[{"text":"two"}],"structuredContent":"$absent","isError":true}"#;
    let new = r#""result":{"content":[{"text":"two"}],"structuredContent":{"n":-2},"isError":true}"#;
    tool("pair", [old, old, new, new, new]);
    // Before 2026-07-28 structured content is an object.
    let old = r#""result":{"content":[{"text":"[1,2,3]"}],"structuredContent":"$absent"}"#;
    let new = r#""result":{"content":[{"text":"[1,2,3]"}],"structuredContent":[1,2,3]}"#;
    tool("rows", [old, old, old, old, new]);
}

/// Arguments that do not fit are told to the model, which can mend them; revisions before 2025-11-25 want an error.
#[test]
fn arguments_that_do_not_fit() {
    let old = r#""error":{"code":-32602}"#;
    let new = r#""result":{"isError":true,"content":[{"type":"text","text":"$any"}]}"#;
    for arguments in [r#"{"text":7}"#, r#"{"text":null}"#, "{}", "null", r#"{"txet":"hi"}"#] {
        check(arguments, "tools/call", &format!(r#""name":"echo","arguments":{arguments}"#), [old, old, old, new, new]);
    }
    for arguments in ["[]", "\"text\"", "5", "true"] {
        check(arguments, "tools/call", &format!(r#""name":"echo","arguments":{arguments}"#), [old; 5]);
    }
}

/// What a tool promises about its structured content, it keeps.
#[test]
fn output_conforms_to_its_schema() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"table",$META}}
        < {"id":1,"result":{}}
    "#;
    let reply = modern("table", script).replies().pop().expect("a reply");
    let schema = serde_json::from_str(umcp_tests::board::TABLE_SCHEMA).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    assert!(validator.is_valid(&reply["result"]["structuredContent"]));
}

#[test]
fn resources() {
    let read = |uri: &str, old: &str, new: &str| {
        let (old, new) = (format!("\"result\":{{{old},\"ttlMs\":\"$absent\"}}"), format!("\"result\":{{{old},{new}}}"));
        check(uri, "resources/read", &format!("\"uri\":\"{uri}\""), [&old, &old, &old, &old, &new]);
    };
    read(
        "board://led",
        r#""contents":[{"uri":"board://led","mimeType":"text/plain","text":"on"}]"#,
        r#""ttlMs":5000,"cacheScope":"public""#,
    );
    read(
        "board://log",
        r#""contents":[{"uri":"board://log","mimeType":"$absent","text":"line 1\nline 2"}]"#,
        r#""ttlMs":0,"cacheScope":"private""#,
    );
    read(
        "board://photo",
        r#""contents":[{"uri":"board://photo","mimeType":"image/png","blob":"AQIDBA=="}]"#,
        r#""ttlMs":0"#,
    );
    read(
        "board://parts",
        r#""contents":[{"uri":"board://parts/1","text":"a"},{"uri":"board://parts/2","blob":"Yg=="}]"#,
        r#""ttlMs":0"#,
    );
    read("board://brief", r#""contents":[{"text":"brief"}]"#, r#""ttlMs":1,"cacheScope":"public""#);
    read(
        "board://pin/3",
        r#""contents":[{"uri":"board://pin/3","mimeType":"text/plain","text":"low"}]"#,
        r#""ttlMs":1000,"cacheScope":"private""#,
    );
    read("file:///a/b.c", r#""contents":[{"uri":"file:///a/b.c","text":"a/b.c"}]"#, r#""ttlMs":0"#);
    let old = r#""error":{"code":-32002,"data":{"uri":"$any"}}"#;
    let new = r#""error":{"code":-32602,"data":{"uri":"$any"}}"#;
    for missing in
        ["board://none", "board://pin/16", "board://pin/", "board://pin/3/4", "file:///", "", "board://pin/\\\"\\u0001"]
    {
        check(missing, "resources/read", &format!("\"uri\":\"{missing}\""), [old, old, old, old, new]);
    }
    let malformed = r#""error":{"code":-32602}"#;
    for wrong in ["\"uri\":5", "\"uri\":null", "\"uri\":[\"board://led\"]", "\"name\":\"board://led\""] {
        check(wrong, "resources/read", wrong, [malformed; 5]);
    }
}

#[test]
fn prompts() {
    let get = |params: &str, expected: [&str; 5]| check(params, "prompts/get", params, expected);
    let greeting = r#""result":{"description":"Say hello.","messages":[{"role":"user","content":{"type":"text","text":"hello"}},{"role":"assistant","content":{"text":"hello yourself"}}]}"#;
    get(r#""name":"greet""#, [greeting; 5]);
    get(r#""name":"greet","arguments":{"unknown":"x"}"#, [greeting; 5]);
    get(
        r#""name":"diagnose","arguments":{"symptom":"a \"b\" \u00e9"}"#,
        [r#""result":{"messages":[{"content":{"text":"a \"b\" é/-"}}]}"#; 5],
    );
    get(
        r#""name":"diagnose","arguments":{"detail":"d","symptom":"s"}"#,
        [r#""result":{"messages":[{"content":{"text":"s/d"}}]}"#; 5],
    );
    let wrong = r#""error":{"code":-32602}"#;
    for params in [
        r#""name":"diagnose""#,
        r#""name":"diagnose","arguments":{}"#,
        r#""name":"diagnose","arguments":null"#,
        r#""name":"diagnose","arguments":{"symptom":5}"#,
        r#""name":"diagnose","arguments":{"symptom":null}"#,
        r#""name":"diagnose","arguments":{"symptom":"s","detail":5}"#,
        r#""name":"diagnose","arguments":[]"#,
        r#""name":"nope""#,
        r#""name":7"#,
        r#""arguments":{}"#,
    ] {
        get(params, [wrong; 5]);
    }
    let image = r#"{"content":{"type":"image","data":"cG5n"}}"#;
    let resource = r#"{"content":{"type":"resource","resource":{"uri":"board://led","text":"on"}}}"#;
    let audio = r#"{"content":{"type":"audio","data":"d2F2"}}"#;
    let text = r#"{"content":{"type":"text"}}"#;
    let link = r#"{"content":{"type":"resource_link","uri":"board://led"}}"#;
    let of = |audio: &str, link: &str| format!("\"result\":{{\"messages\":[{image},{audio},{resource},{link}]}}");
    let (oldest, older, new) = (of(text, text), of(audio, text), of(audio, link));
    get(r#""name":"show""#, [&oldest, &older, &new, &new, &new]);
}

#[test]
fn completions() {
    let complete = |params: &str, expected: &str| check(params, "completion/complete", params, [expected; 5]);
    let prompt = r#""ref":{"type":"ref/prompt","name":"diagnose"}"#;
    complete(
        &format!(r#"{prompt},"argument":{{"name":"symptom","value":"no"}}"#),
        r#""result":{"completion":{"values":["no light","no power"],"total":2,"hasMore":false}}"#,
    );
    complete(
        &format!(r#"{prompt},"argument":{{"name":"symptom","value":"\u0068o"}}"#),
        r#""result":{"completion":{"values":["hot"]}}"#,
    );
    complete(
        &format!(r#"{prompt},"argument":{{"name":"detail","value":"s"}}"#),
        r#""result":{"completion":{"values":[],"total":0}}"#,
    );
    complete(
        &format!(
            r#"{prompt},"argument":{{"name":"detail","value":"s"}},"context":{{"arguments":{{"symptom":"hot"}}}}"#
        ),
        r#""result":{"completion":{"values":["smoke","smell"]}}"#,
    );
    complete(
        r#""ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"x","value":""}"#,
        r#""result":{"completion":{"values":[],"total":0,"hasMore":false}}"#,
    );
    complete(
        r#""ref":{"type":"ref/resource","uri":"board://pin/{n}"},"argument":{"name":"n","value":"14"}"#,
        r#""result":{"completion":{"values":["14","140","141","142","143","144","145","146","147","148","149"]}}"#,
    );
    complete(
        r#""ref":{"type":"ref/resource","uri":"file:///{+path}"},"argument":{"name":"path","value":""}"#,
        r#""result":{"completion":{"values":[]}}"#,
    );
    complete(
        r#""ref":{"type":"ref/resource","uri":"board://led"},"argument":{"name":"path","value":""}"#,
        r#""result":{"completion":{"values":[]}}"#,
    );
    for wrong in [
        r#""ref":{"type":"ref/prompt","name":"nope"},"argument":{"name":"x","value":""}"#,
        r#""ref":{"type":"ref/resource","uri":"board://none"},"argument":{"name":"x","value":""}"#,
        r#""ref":{"type":"ref/resource"},"argument":{"name":"x","value":""}"#,
        r#""ref":{"type":"ref/tool","name":"echo"},"argument":{"name":"x","value":""}"#,
        r#""ref":{},"argument":{"name":"x","value":""}"#,
        r#""ref":"diagnose","argument":{"name":"x","value":""}"#,
        r#""argument":{"name":"x","value":""}"#,
        &format!(r#"{prompt},"argument":{{"name":"symptom"}}"#),
        &format!(r#"{prompt},"argument":{{"value":"x"}}"#),
        &format!(r#"{prompt},"argument":{{"name":1,"value":"x"}}"#),
        prompt,
    ] {
        complete(wrong, r#""error":{"code":-32602}"#);
    }
}

/// At most 100 values, and how many there are.
#[test]
fn completions_are_bounded() {
    let reply = modern("many", r#"
        > {"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"board://pin/{n}"},"argument":{"name":"n","value":""},$META}}
    "#).replies().pop().expect("a reply");
    let completion = &reply["result"]["completion"];
    assert_eq!(completion["values"].as_array().map(Vec::len), Some(100));
    assert_eq!((&completion["total"], &completion["hasMore"]), (&150.into(), &true.into()));
}
