//! Handshakes, and what only legacy clients do.

use super::play;

#[test]
fn one_handshake_for_all() {
    let initialize = |id: &str, who: &str| {
        format!(r#"{{~,"id":{id},"method":"initialize","params":{{"protocolVersion":"2025-11-25","who":"{who}"}}}}"#)
    };
    let result = |id: &str| format!(r#"{{~,"id":{id},"result":{{"protocolVersion":"2025-06-18","x":[]}}}}"#);
    let initialized = r#"{~,"method":"notifications/initialized"}"#;
    play(&[
        ("session a", &[]),
        ("session b", &[]),
        ("session c", &[]),
        (&format!("a: {}", initialize("0", "a")), &[&format!("s: {}", initialize("1", "a"))]),
        (&format!("b: {}", initialize("\"b\"", "b")), &[]),
        (&format!("s: {}", result("1")), &[&format!("b! {}", result("\"b\"")), &format!("a! {}", result("0"))]),
        (&format!("b: {initialized}"), &[&format!("s: {initialized}")]),
        (&format!("a: {initialized}"), &[]),
        (&format!("c: {}", initialize("9", "c")), &[&format!("c! {}", result("9"))]),
        // Whoever knows only older revisions is told so; newer ones, the one that is spoken.
        ("session o", &[]),
        (
            r#"o: {~,"id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#,
            &[r#"o! {~,"id":1,"result":{"protocolVersion":"2025-03-26","x":[]}}"#],
        ),
        (r#"o: [{~,"id":1,"method":"ping"}]"#, &[r#"s: {~,"id":6,"method":"ping"}"#]),
        (r#"s: {~,"id":6,"result":{}}"#, &[r#"o! [{~,"id":1,"result":{}}]"#]),
        ("gone o", &[]),
        // Messages without an owner go to all of them.
        (
            r#"s: {~,"method":"notifications/tools/list_changed"}"#,
            &[
                r#"a. {~,"method":"notifications/tools/list_changed"}"#,
                r#"b. {~,"method":"notifications/tools/list_changed"}"#,
                r#"c. {~,"method":"notifications/tools/list_changed"}"#,
            ],
        ),
        // The server asks whom it knows, or who waits.
        (r#"s: {~,"id":1,"method":"roots/list"}"#, &[r#"a? {~,"id":1,"method":"roots/list"}"#]),
        (r#"b: {~,"id":1,"result":{}}"#, &[]),
        (r#"a: {~,"id":"1","result":{}}"#, &[]),
        (r#"a: {~,"id":1,"result":{"roots":[]}}"#, &[r#"s: {~,"id":1,"result":{"roots":[]}}"#]),
        (r#"a: {~,"id":1,"result":{"roots":[]}}"#, &[]),
        (r#"c: {~,"id":2,"method":"x"}"#, &[r#"s: {~,"id":7,"method":"x"}"#]),
        (
            r#"s: {~,"id":"q","method":"sampling/createMessage"}"#,
            &[r#"c? {~,"id":"q","method":"sampling/createMessage"}"#],
        ),
        // While it waits for the client, nothing times out.
        ("wait 10000000", &[]),
        (
            r#"c: {~,"id":"q","error":{"code":-1,"message":"no"}}"#,
            &[r#"s: {~,"id":"q","error":{"code":-1,"message":"no"}}"#],
        ),
        (
            r#"s: {~,"id":"r","method":"sampling/createMessage"}"#,
            &[r#"c? {~,"id":"r","method":"sampling/createMessage"}"#],
        ),
        (
            r#"s: {~,"method":"notifications/cancelled","params":{"requestId":"r"}}"#,
            &[r#"c. {~,"method":"notifications/cancelled","params":{"requestId":"r"}}"#],
        ),
        (r#"c: {~,"id":"r","result":{}}"#, &[]),
        (r#"s: {~,"id":"t","method":"elicitation/create"}"#, &[r#"c? {~,"id":"t","method":"elicitation/create"}"#]),
        (
            "gone c",
            &[
                r#"s: {~,"method":"notifications/cancelled","params":{"requestId":7,"reason":"the client has gone"}}"#,
                r#"s: {~,"id":"t","error":{"code":-32603,"message":"the client has gone"}}"#,
            ],
        ),
        ("gone a", &[]),
        (r#"s: {~,"id":2,"method":"roots/list"}"#, &[r#"b? {~,"id":2,"method":"roots/list"}"#]),
        ("gone b", &[r#"s: {~,"id":2,"error":{"code":-32603,"message":"the client has gone"}}"#]),
        (
            r#"s: {~,"id":3,"method":"roots/list"}"#,
            &[r#"s: {~,"id":3,"error":{"code":-32603,"message":"there is no client that could be asked"}}"#],
        ),
        (r#"s: {~,"id":4,"method":"ping"}"#, &[r#"s: {~,"id":4,"result":{}}"#]),
    ]);
}

#[test]
fn a_handshake_that_fails_is_the_next_ones_chance() {
    let initialize =
        |id: &str, who: &str| format!(r#"{{~,"id":{id},"method":"initialize","params":{{"who":"{who}"}}}}"#);
    play(&[
        ("session a", &[]),
        ("session b", &[]),
        ("session c", &[]),
        (&format!("a: {}", initialize("0", "a")), &[&format!("s: {}", initialize("1", "a"))]),
        (&format!("b: {}", initialize("0", "b")), &[]),
        (&format!("c: {}", initialize("0", "c")), &[]),
        ("gone b", &[]),
        (
            r#"s: {~,"id":1,"error":{"code":-32602,"message":"m"}}"#,
            &[&format!("s: {}", initialize("3", "c")), r#"a! {~,"id":0,"error":{"code":-32602,"message":"m"}}"#],
        ),
        ("gone c", &[]),
        (&format!("a: {}", initialize("1", "a")), &[]),
        (
            r#"s: {~,"id":3,"result":{"protocolVersion":"2025-03-26"}}"#,
            &[r#"a! {~,"id":1,"result":{"protocolVersion":"2025-03-26"}}"#],
        ),
    ]);
}

#[test]
fn a_handshake_is_repeated_when_the_line_is_back() {
    let initialize = |id: &str| format!(r#"{{~,"id":{id},"method":"initialize","params":{{}}}}"#);
    let initialized = r#"{~,"method":"notifications/initialized"}"#;
    play(&[
        ("line a", &[]),
        (&format!("a: {}", initialize("0")), &[&format!("s: {}", initialize("1"))]),
        (r#"s: {~,"id":1,"result":{}}"#, &[r#"a! {~,"id":0,"result":{}}"#]),
        (&format!("a: {initialized}"), &[&format!("s: {initialized}")]),
        (r#"a: {~,"id":2,"method":"x"}"#, &[r#"s: {~,"id":2,"method":"x"}"#]),
        (r#"s: {~,"id":"q","method":"roots/list"}"#, &[r#"a? {~,"id":"q","method":"roots/list"}"#]),
        (
            "lost",
            &[
                r#"a. {~,"method":"notifications/cancelled","params":{"requestId":"q","reason":"the server has gone"}}"#,
                r#"a! {~,"id":2,"error":{"code":-32603,"message":"srv: the line was lost; whether the request was carried out is not known"}}"#,
            ],
        ),
        ("lost", &[]),
        (
            r#"a: {~,"id":3,"method":"x"}"#,
            &[r#"a! {~,"id":3,"error":{"code":-32603,"message":"srv: the line was lost"}}"#],
        ),
        (r#"a: {~,"method":"n"}"#, &[]),
        (r#"a: {~,"id":"q","result":{}}"#, &[]),
        ("opened", &[&format!("s: {}", initialize("4"))]),
        (r#"a: {~,"id":4,"method":"x"}"#, &[]),
        (r#"s: {~,"id":2,"result":{}}"#, &[]),
        (r#"s: {~,"id":4,"result":{}}"#, &[&format!("s: {initialized}"), r#"s: {~,"id":5,"method":"x"}"#]),
        (r#"s: {~,"id":5,"result":{}}"#, &[r#"a! {~,"id":4,"result":{}}"#]),
        // The server refuses, or says nothing.
        ("lost", &[]),
        ("opened", &[&format!("s: {}", initialize("6"))]),
        (r#"a: {~,"id":5,"method":"x"}"#, &[]),
        ("wait 5000", &[r#"s: {~,"id":7,"method":"x"}"#]),
        (
            "lost",
            &[
                r#"a! {~,"id":5,"error":{"code":-32603,"message":"srv: the line was lost; whether the request was carried out is not known"}}"#,
            ],
        ),
        ("opened", &[]),
    ]);
}

#[test]
fn a_handshake_is_repeated_when_the_server_may_have_been_reset() {
    let initialize = |id: &str| format!(r#"{{~,"id":{id},"method":"initialize","params":{{}}}}"#);
    let initialized = r#"{~,"method":"notifications/initialized"}"#;
    play(&[
        ("session a", &[]),
        ("exchange m", &[]),
        ("s: noise before there is anything to repeat", &[]),
        (&format!("a: {}", initialize("0")), &[&format!("s: {}", initialize("1"))]),
        (r#"s: {~,"id":1,"result":{}}"#, &[r#"a! {~,"id":0,"result":{}}"#]),
        (&format!("a: {initialized}"), &[&format!("s: {initialized}")]),
        // It starts, and says so. A modern client does not care.
        ("s: boot v1", &[]),
        (r#"m: {~,"id":1,"method":"x","params":{^}}}"#, &[r#"s: {~,"id":2,"method":"x","params":{^}}}"#]),
        (r#"a: {~,"id":1,"method":"x"}"#, &[&format!("s: {}", initialize("4"))]),
        (r#"s: {~,"id":4,"result":{}}"#, &[&format!("s: {initialized}"), r#"s: {~,"id":3,"method":"x"}"#]),
        // It does so without a word.
        (
            "wait 60000",
            &[
                r#"s: {~,"method":"notifications/cancelled","params":{"requestId":2,"reason":"no answer in time"}}"#,
                r#"m! {~,"id":1,"error":{"code":-32603,"message":"srv has not answered within 60000 ms; the request was cancelled"}}"#,
                r#"s: {~,"method":"notifications/cancelled","params":{"requestId":3,"reason":"no answer in time"}}"#,
                r#"a! {~,"id":1,"error":{"code":-32603,"message":"srv has not answered within 60000 ms; the request was cancelled"}}"#,
            ],
        ),
        (r#"a: {~,"id":2,"method":"x"}"#, &[&format!("s: {}", initialize("6"))]),
        // It was not reset after all, and has no use for a second handshake.
        (r#"s: {~,"id":6,"error":{"code":-1,"message":"m"}}"#, &[r#"s: {~,"id":5,"method":"x"}"#]),
        (r#"s: {~,"id":5,"result":{}}"#, &[r#"a! {~,"id":2,"result":{}}"#]),
        (r#"a: {~,"id":3,"method":"x"}"#, &[r#"s: {~,"id":7,"method":"x"}"#]),
        ("session b", &[]),
        (&format!("b: {}", initialize("0")), &[r#"b! {~,"id":0,"result":{}}"#]),
    ]);
}

#[test]
fn resources_are_unsubscribed_from_by_the_last() {
    let ask = |id: &str, verb: &str, uri: &str| {
        format!(r#"{{~,"id":{id},"method":"resources/{verb}","params":{{"uri":"{uri}"}}}}"#)
    };
    let done = |id: &str| format!(r#"{{~,"id":{id},"result":{{}}}}"#);
    let updated = |uri: &str| format!(r#"{{~,"method":"notifications/resources/updated","params":{{"uri":"{uri}"}}}}"#);
    play(&[
        ("session a", &[]),
        ("session b", &[]),
        (r#"a: {~,"id":0,"method":"initialize"}"#, &[r#"s: {~,"id":1,"method":"initialize"}"#]),
        (&format!("s: {}", done("1")), &[&format!("a! {}", done("0"))]),
        (r#"b: {~,"id":0,"method":"initialize"}"#, &[&format!("b! {}", done("0"))]),
        (&format!("a: {}", ask("1", "subscribe", "u")), &[&format!("s: {}", ask("3", "subscribe", "u"))]),
        (&format!("s: {}", done("3")), &[&format!("a! {}", done("1"))]),
        (&format!("s: {}", updated("u")), &[&format!("a. {}", updated("u"))]),
        (&format!("s: {}", updated("u/1")), &[&format!("a. {}", updated("u/1")), &format!("b. {}", updated("u/1"))]),
        (&format!("b: {}", ask("1", "subscribe", "u")), &[&format!("s: {}", ask("4", "subscribe", "u"))]),
        (&format!("s: {}", done("4")), &[&format!("b! {}", done("1"))]),
        (&format!("a: {}", ask("2", "unsubscribe", "u")), &[&format!("a! {}", done("2"))]),
        (&format!("s: {}", updated("u")), &[&format!("b. {}", updated("u"))]),
        (&format!("b: {}", ask("2", "unsubscribe", "u")), &[&format!("s: {}", ask("6", "unsubscribe", "u"))]),
        (&format!("s: {}", done("6")), &[&format!("b! {}", done("2"))]),
    ]);
}

#[test]
fn batches_go_one_by_one_and_come_back_together() {
    play(&[
        ("line a", &[]),
        (
            r#"a: [{~,"id":1,"method":"x"},{~,"method":"n"},{~,"id":"2","method":"y"},{~,"id":1,"method":"z"},7]"#,
            &[r#"s: {~,"id":2,"method":"x"}"#, r#"s: {~,"method":"n"}"#, r#"s: {~,"id":3,"method":"y"}"#],
        ),
        (r#"s: {~,"id":3,"result":{}}"#, &[]),
        (
            r#"s: {~,"id":2,"result":{}}"#,
            &[
                r#"a! [{~,"id":1,"error":{"code":-32600,"message":"Invalid Request: the id of a request that is still open"}},{~,"error":{"code":-32600,"message":"Invalid Request: a message is a JSON object"}},{~,"id":"2","result":{}},{~,"id":1,"result":{}}]"#,
            ],
        ),
        (r#"a: [{~,"method":"n"}]"#, &[r#"s: {~,"method":"n"}"#]),
        // A server that answers together.
        (r#"a: {~,"id":1,"method":"x"}"#, &[r#"s: {~,"id":6,"method":"x"}"#]),
        (r#"a: {~,"id":2,"method":"x"}"#, &[r#"s: {~,"id":7,"method":"x"}"#]),
        (
            r#"s: [{~,"id":7,"result":{}},{~,"id":6,"result":{}}]"#,
            &[r#"a! {~,"id":2,"result":{}}"#, r#"a! {~,"id":1,"result":{}}"#],
        ),
        (r#"a: [{~,"id":1,"method":"x"}]"#, &[r#"s: {~,"id":9,"method":"x"}"#]),
        (
            r#"a: {~,"method":"notifications/cancelled","params":{"requestId":1}}"#,
            &[r#"s: {~,"method":"notifications/cancelled","params":{"requestId":9}}"#, "a! "],
        ),
        (r#"a: [{~,"id":1,"method":"x"}]"#, &[r#"s: {~,"id":11,"method":"x"}"#]),
        (
            "lost",
            &[
                r#"a! [{~,"id":1,"error":{"code":-32603,"message":"srv: the line was lost; whether the request was carried out is not known"}}]"#,
            ],
        ),
    ]);
}
