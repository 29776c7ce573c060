//! Asking the client for more: `input_required` in the modern era.

use umcp_tests::script::{legacy, modern};

#[test]
fn one_round_trip() {
    modern("asked, answered, with the state; on each of the three methods that may", r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"form",$ALL}}
        < {"id":1,"result":{"resultType":"input_required","inputRequests":{"who":{"method":"elicitation/create","params":{"mode":"form","message":"Your name?","requestedSchema":{"type":"object"}}}},"requestState":"s-1","content":"$absent"}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"form","inputResponses":{"who":{"action":"accept","content":{"name":"Ann"}},"more":{}},"requestState":"s-1",$ALL}}
        < {"id":2,"result":{"resultType":"complete","content":[{"text":"hello Ann s-1"}]}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"form","inputResponses":{"who":{"action":"decline"}},$ALL}}
        < {"id":3,"result":{"resultType":"input_required"}}
        > {"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"board://ask",$ALL}}
        < {"id":4,"result":{"resultType":"input_required","ttlMs":"$absent","cacheScope":"$absent"}}
        > {"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"ask",$ALL}}
        < {"id":5,"result":{"resultType":"input_required"}}
        > {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"state",$META}}
        < {"id":6,"result":{"resultType":"input_required","requestState":"a \"state\"","inputRequests":"$absent"}}
        > {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"state","requestState":"back",$META}}
        < {"id":7,"result":{"content":[{"text":"back"}]}}
        > {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"sample",$ALL}}
        < {"id":8,"result":{"inputRequests":{"model":{"method":"sampling/createMessage","params":{"maxTokens":10}},"where":{"method":"roots/list"}}}}
        > {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"visit",$ALL}}
        < {"id":9,"result":{"inputRequests":{"page":{"method":"elicitation/create","params":{"mode":"url","url":"https://example.com/in"}}}}}
    "#).check();
}

/// A server must not ask what the client did not declare, and says everything that is missing.
#[test]
fn only_what_the_client_can_do() {
    let table = [
        ("form", "{}", r#"{"elicitation":{"form":{},"url":"$absent"},"roots":"$absent"}"#),
        ("form", r#"{"elicitation":{"url":{}}}"#, r#"{"elicitation":{"form":{}}}"#),
        ("visit", r#"{"elicitation":{"form":{}}}"#, r#"{"elicitation":{"url":{},"form":"$absent"}}"#),
        ("visit", r#"{"elicitation":{}}"#, r#"{"elicitation":{"url":{}}}"#),
        ("sample", "{}", r#"{"sampling":{},"roots":{},"elicitation":"$absent"}"#),
        ("sample", r#"{"roots":{}}"#, r#"{"sampling":{},"roots":"$absent"}"#),
        ("sample", r#"{"sampling":{}}"#, r#"{"roots":{},"sampling":"$absent"}"#),
        ("roots", r#"{"roots":true}"#, r#"{"roots":{}}"#),
    ];
    for (tool, declared, missing) in table {
        let script = format!(
            r#"
            > {{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{declared}}}}}}}
            < {{"id":1,"error":{{"code":-32021,"data":{{"requiredCapabilities":{missing}}}}}}}
        "#
        );
        modern(declared, &script).check();
    }
    modern("an elicitation capability that names no mode means forms", r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"form","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}
        < {"id":1,"result":{"resultType":"input_required"}}
    "#).check();
    modern(
        "what an earlier request declared counts for nothing",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"roots",$ALL}}
        < {"id":1,"result":{"resultType":"input_required"}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"roots",$META}}
        < {"id":2,"error":{"code":-32021}}
    "#,
    )
    .check();
}

#[test]
fn legacy_revisions_have_no_such_answer() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        legacy(
            revision,
            "whatever was declared",
            r#"
            > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"form"}}
            < {"id":1,"error":{"code":-32600}}
            > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"state"}}
            < {"id":2,"error":{"code":-32603}}
            > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"form",$ALL}}
            < {"id":3,"result":{"resultType":"input_required"}}
        "#,
        )
        .capabilities(r#"{"roots":{},"sampling":{},"elicitation":{"form":{},"url":{}}}"#)
        .check();
    }
}
