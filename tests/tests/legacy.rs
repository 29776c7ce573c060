//! The handshake revisions: negotiation, what only they have, questions to the client.

use umcp_tests::board::SMALL;
use umcp_tests::script::{legacy, modern};

const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

#[test]
fn the_handshake() {
    let answers = [
        ("2024-11-05", "2024-11-05", r#""title":"$absent","icons":"$absent""#, "\"$absent\""),
        ("2025-03-26", "2025-03-26", r#""title":"$absent","icons":"$absent""#, "{}"),
        ("2025-06-18", "2025-06-18", r#""title":"Proving ground","icons":"$absent","description":"$absent""#, "{}"),
        (
            "2025-11-25",
            "2025-11-25",
            r#""title":"Proving ground","icons":[{}],"description":"A server that uses everything.","websiteUrl":"https://example.com/proof""#,
            "{}",
        ),
        // One that is not known, even a newer one, is answered with the newest that has a handshake.
        ("2026-07-28", "2025-11-25", "\"name\":\"proof\"", "{}"),
        ("1999-01-01", "2025-11-25", "\"name\":\"proof\"", "{}"),
        ("", "2025-11-25", "\"name\":\"proof\"", "{}"),
        ("2025-03-26\\u0000", "2025-11-25", "\"name\":\"proof\"", "{}"),
    ];
    for (asked, answered, info, completions) in answers {
        let script = format!(
            r#"
            > {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{asked}","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}}}}}
            < {{"id":0,"result":{{"protocolVersion":"{answered}","capabilities":{{"completions":{completions},"logging":{{}},"prompts":{{"listChanged":true}},"resources":{{"listChanged":true,"subscribe":true}},"tools":{{"listChanged":true}}}},"serverInfo":{{"name":"proof","version":"1.2.3",{info}}},"instructions":"Call anything.","resultType":"$absent","ttlMs":"$absent"}}}}
            > {{"jsonrpc":"2.0","method":"notifications/initialized"}}
            > {{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"who"}}}}
            < {{"id":1,"result":{{"content":[{{"text":"0 {answered} "}}]}}}}
        "#
        );
        modern(asked, &script).check();
    }
}

#[test]
fn a_malformed_handshake_is_refused() {
    for params in [
        "",
        r#","params":{}"#,
        r#","params":null"#,
        r#","params":{"protocolVersion":"2025-11-25"}"#,
        r#","params":{"capabilities":{}}"#,
        r#","params":{"protocolVersion":5,"capabilities":{}}"#,
        r#","params":{"protocolVersion":"2025-11-25","capabilities":[]}"#,
        r#","params":{"protocolVersion":null,"capabilities":null}"#,
    ] {
        let script = format!(
            r#"
            > {{"jsonrpc":"2.0","id":1,"method":"initialize"{params}}}
            < {{"id":1,"error":{{"code":-32602}}}}
            > {{"jsonrpc":"2.0","id":2,"method":"ping"}}
            < {{"id":2,"error":{{"code":-32602}}}}
            > {{"jsonrpc":"2.0","id":3,"method":"initialize","params":{{"protocolVersion":"2025-06-18","capabilities":{{}}}}}}
            < {{"id":3,"result":{{"protocolVersion":"2025-06-18"}}}}
        "#
        );
        modern(params, &script).check();
    }
}

#[test]
fn one_pipe_two_eras() {
    modern(
        "a probe that fails, a handshake, and modern requests in between",
        r#"
        > {"jsonrpc":"2.0","id":"x","method":"server/discover"}
        < {"id":"x","error":{"code":-32602}}
        > {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}
        < {"id":0,"result":{"protocolVersion":"2025-06-18"}}
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who",$META}}
        < {"id":1,"result":{"resultType":"complete","content":[{"text":"0 2026-07-28 "}]}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"who"}}
        < {"id":2,"result":{"resultType":"$absent","content":[{"text":"0 2025-06-18 "}]}}
        > {"jsonrpc":"2.0","id":3,"method":"server/discover"}
        < {"id":3,"error":{"code":-32601}}
        > {"jsonrpc":"2.0","id":4,"method":"ping","params":{$META}}
        < {"id":4,"error":{"code":-32601}}
        > {"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{}}}
        < {"id":5,"result":{"protocolVersion":"2024-11-05"}}
        > {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"who"}}
        < {"id":6,"result":{"content":[{"text":"0 2024-11-05 "}]}}
    "#,
    )
    .check();
}

#[test]
fn ping_and_its_kin() {
    for revision in REVISIONS {
        legacy(
            revision,
            "empty results are empty",
            r#"
            > {"jsonrpc":"2.0","id":"p","method":"ping"}
            < {"id":"p","result":{"_meta":"$absent","resultType":"$absent"}}
            > {"jsonrpc":"2.0","id":1,"method":"ping","params":null}
            < {"id":1,"result":{}}
            > {"jsonrpc":"2.0","id":2,"method":"ping","params":{"_meta":{"progressToken":1,"x/y":2}}}
            < {"id":2,"result":{}}
            > {"jsonrpc":"2.0","id":3,"method":"no/such"}
            < {"id":3,"error":{"code":-32601,"data":{"method":"no/such"}}}
            > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"nope"}}
            < {"id":4,"error":{"code":-32602}}
            > {"jsonrpc":"2.0","method":"notifications/roots/list_changed"}
        "#,
        )
        .check();
    }
}

const ABLE: &str = r#"{"roots":{},"sampling":{},"elicitation":{"form":{}}}"#;

#[test]
fn questions_to_the_client() {
    legacy(
        "2025-11-25",
        "asked on behalf of a call, one at a time; answered or refused",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"later"}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"later"}}
        ! ask 0 roots
        < {"id":"q1","method":"roots/list","params":"$absent"}
        ! ask 0 sampling
        ! ask 1 sampling
        < {"id":"q2","method":"sampling/createMessage","params":{"maxTokens":5,"messages":[{}]}}
        > {"jsonrpc":"2.0","id":1,"result":{"roots":[]}}
        > {"jsonrpc":"2.0","id":"q3","result":{"roots":[]}}
        > {"jsonrpc":"2.0","id":"q01","result":{"roots":[]}}
        > {"jsonrpc":"2.0","id":"q1.1","result":{"roots":[]}}
        > {"jsonrpc":"2.0","id":"q1.02","result":{"roots":[]}}
        > {"jsonrpc":"2.0","id":"q1.","result":{"roots":[]}}
        > {"jsonrpc":"2.0","id":"q2","error":{"code":-1,"message":"no"}}
        > {"jsonrpc":"2.0","id":"q1","result":{"roots":[]}}
        > {"jsonrpc":"2.0","id":"q1","result":{"roots":[]}}
        ! ask 0 elicitation
        < {"id":"q1.2","method":"elicitation/create","params":{"message":"Your name?","requestedSchema":{}}}
        ! complete 0 without waiting
        < {"id":1,"result":{"content":[{"text":"without waiting"}]}}
        > {"jsonrpc":"2.0","id":"q1.2","result":{"action":"accept"}}
        ! ask 0 roots
        * served tools/call
        * served tools/call
        * ask 0 roots = done
        * ask 0 sampling = Busy
        * ask 1 sampling = done
        * ignored response
        * ignored response
        * ignored response
        * ignored response
        * ignored response
        * ignored response
        * refused 1 {"code":-1,"message":"no"}
        * answered 0 {"roots":[]}
        * ignored response
        * ask 0 elicitation = done
        * complete 0 without waiting = done
        * ignored response
        * ask 0 roots = Ended
    "#,
    )
    .capabilities(ABLE)
    .check();
    legacy(
        "2025-11-25",
        "not what the client did not declare",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"later"}}
        ! ask 0 roots
        ! ask 0 sampling
        ! ask 0 elicitation
        * served tools/call
        * ask 0 roots = Unsupported
        * ask 0 sampling = done
        * ask 0 elicitation = Unsupported
        < {"id":"q1","method":"sampling/createMessage"}
    "#,
    )
    .capabilities(r#"{"sampling":{},"roots":null}"#)
    .check();
    legacy(
        "2025-11-25",
        "a modern call is never asked about",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"later",$ALL}}
        ! ask 0 roots
        * served tools/call
        * ask 0 roots = Unsupported
    "#,
    )
    .capabilities(ABLE)
    .check();
    legacy(
        "2025-06-18",
        "a cancelled call takes its question with it",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"later"}}
        ! ask 0 roots
        < {"id":"q1","method":"roots/list"}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        > {"jsonrpc":"2.0","id":"q1","result":{"roots":[]}}
        * served tools/call
        * ask 0 roots = done
        * cancelled 0
        * ignored response
    "#,
    )
    .capabilities(ABLE)
    .check();
}

#[test]
fn a_question_longer_than_the_buffer() {
    // The answer to the handshake of a server that offers nothing but a tool fits where the question does not.
    legacy(
        "2025-06-18",
        "is not asked; a shorter one may be",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"later"}}
        ! ask 0 sampling
        ! ask 0 roots
        < {"id":"q1.2","method":"roots/list"}
        * served tools/call
        * ask 0 sampling = TooLong
        * ask 0 roots = done
    "#,
    )
    .capabilities(ABLE)
    .catalog(&SMALL)
    .transmit(142)
    .check();
}

/// Whoever waits for an answer is told that it cannot be read, and nobody is sent an error in answer to an answer.
#[test]
fn an_answer_too_long_or_too_deep() {
    legacy(
        "2025-06-18",
        "the call that waits for it is told",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"later"}}
        ! ask 0 roots
        < {"id":"q1","method":"roots/list"}
        > {"jsonrpc":"2.0","id":"q1","result":{"roots":"$x(900)"}}
        ! ask 0 roots
        < {"id":"q1.2","method":"roots/list"}
        > {"jsonrpc":"2.0","id":"q1.2","result":{"roots":$[(60)$](60)}}
        > {"jsonrpc":"2.0","id":"q1.2","result":{"roots":$[(60)$](60)}}
        ! ask 0 roots
        < {"id":"q1.3","method":"roots/list"}
        > {"jsonrpc":"2.0","result":{"roots":"$x(900)"},"id":"q1.3"}
        * served tools/call
        * ask 0 roots = done
        * refused 0 {"code":-32600,"message":"the answer was too long or too deep to be read"}
        * ask 0 roots = done
        * refused 0 {"code":-32600,"message":"the answer was too long or too deep to be read"}
        * ignored response
        * ask 0 roots = done
        * refused 0 {"code":-32600,"message":"the answer was too long or too deep to be read"}
    "#,
    )
    .capabilities(ABLE)
    .receive(512)
    .check();
}
