//! Ids, tokens, subscriptions, time and bounds.

use umcp::time::Duration;

use super::{play, play_with};
use crate::bridge::limits::Limits;

#[test]
fn ids_are_given_back_as_they_were() {
    play(&[
        ("line a", &[]),
        ("exchange b", &[]),
        (r#"a: {~,"id":"0","method":"x"}"#, &[r#"s: {~,"id":1,"method":"x"}"#]),
        (r#"a: {~,"id":0,"method":"x"}"#, &[r#"s: {~,"id":2,"method":"x"}"#]),
        (r#"b: {"method":"x","id":"0",~}"#, &[r#"s: {"method":"x","id":3,~}"#]),
        (r#"a: {~,"id":12345678901234567890,"method":"x"}"#, &[r#"s: {~,"id":4,"method":"x"}"#]),
        (r#"s: {~,"id":2,"result":{"n":1.50}}"#, &[r#"a! {~,"id":0,"result":{"n":1.50}}"#]),
        (r#"s: {~,"result":{},"id":3}"#, &[r#"b! {~,"result":{},"id":"0"}"#]),
        (r#"s: {~,"id":"1","result":{}}"#, &[]),
        (
            r#"s: {~,"id":1,"error":{"code":-5,"message":"m","data":[1]}}"#,
            &[r#"a! {~,"id":"0","error":{"code":-5,"message":"m","data":[1]}}"#],
        ),
        (r#"s: {~,"id":1,"result":{}}"#, &[]),
        (r#"s: {~,"id":4,"result":{}}"#, &[r#"a! {~,"id":12345678901234567890,"result":{}}"#]),
        // An answer that is malformed is the client's to judge.
        (r#"a: {~,"id":5,"method":"x"}"#, &[r#"s: {~,"id":5,"method":"x"}"#]),
        (r#"s: {"id":5,"error":"e"}"#, &[r#"a! {"id":5,"error":"e"}"#]),
    ]);
}

#[test]
fn an_id_in_use_is_refused() {
    play(&[
        ("line a", &[]),
        (r#"a: {~,"id":1,"method":"x"}"#, &[r#"s: {~,"id":1,"method":"x"}"#]),
        (
            r#"a: {~,"id":1,"method":"x"}"#,
            &[
                r#"a! {~,"id":1,"error":{"code":-32600,"message":"Invalid Request: the id of a request that is still open"}}"#,
            ],
        ),
        (r#"s: {~,"id":1,"result":{}}"#, &[r#"a! {~,"id":1,"result":{}}"#]),
        (r#"a: {~,"id":1,"method":"x"}"#, &[r#"s: {~,"id":3,"method":"x"}"#]),
    ]);
}

#[test]
fn progress_finds_its_request() {
    play(&[
        ("exchange a", &[]),
        ("exchange b", &[]),
        (
            r#"a: {~,"id":1,"method":"x","params":{^,"progressToken":"t"}}}"#,
            &[r#"s: {~,"id":1,"method":"x","params":{^,"progressToken":1}}}"#],
        ),
        (
            r#"b: {~,"id":1,"method":"x","params":{^,"progressToken":"t"}}}"#,
            &[r#"s: {~,"id":2,"method":"x","params":{^,"progressToken":2}}}"#],
        ),
        (
            r#"a: {~,"id":3,"method":"x","params":{^,"progressToken":{}}}}"#,
            &[r#"s: {~,"id":3,"method":"x","params":{^,"progressToken":{}}}}"#],
        ),
        (
            r#"s: {~,"method":"notifications/progress","params":{"progress":0.10,"progressToken":2}}"#,
            &[r#"b. {~,"method":"notifications/progress","params":{"progress":0.10,"progressToken":"t"}}"#],
        ),
        (r#"s: {~,"method":"notifications/progress","params":{"progress":1,"progressToken":"2"}}"#, &[]),
        (r#"s: {~,"method":"notifications/progress","params":{"progress":1,"progressToken":3}}"#, &[]),
        (r#"s: {~,"id":2,"result":{}}"#, &[r#"b! {~,"id":1,"result":{}}"#]),
        (r#"s: {~,"method":"notifications/progress","params":{"progress":1,"progressToken":2}}"#, &[]),
    ]);
}

#[test]
fn cancelling() {
    let cancel =
        |id: &str| format!(r#"{{~,"method":"notifications/cancelled","params":{{"requestId":{id},"reason":"r"}}}}"#);
    play(&[
        ("line a", &[]),
        ("session b", &[]),
        (r#"a: {~,"id":7,"method":"x"}"#, &[r#"s: {~,"id":1,"method":"x"}"#]),
        (&format!("b: {}", cancel("7")), &[]),
        (&format!("a: {}", cancel("\"7\"")), &[]),
        (&format!("a: {}", cancel("7")), &[&format!("s: {}", cancel("1")), "a! "]),
        (r#"s: {~,"id":1,"result":{}}"#, &[]),
        (&format!("a: {}", cancel("7")), &[]),
        (r#"b: {~,"id":7,"method":"x"}"#, &[r#"s: {~,"id":2,"method":"x"}"#]),
        (
            "gone b",
            &[r#"s: {~,"method":"notifications/cancelled","params":{"requestId":2,"reason":"the client has gone"}}"#],
        ),
        (r#"s: {~,"id":2,"result":{}}"#, &[]),
    ]);
}

#[test]
fn subscriptions_are_told_apart() {
    let news = |id: &str, method: &str| {
        format!(
            r#"{{~,"method":"{method}","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}},"uri":"u"}}}}"#
        )
    };
    let end = |id: &str, subscription: &str| {
        format!(
            r#"{{~,"id":{id},"result":{{"resultType":"complete","_meta":{{"io.modelcontextprotocol/subscriptionId":{subscription}}}}}}}"#
        )
    };
    let acknowledged = "notifications/subscriptions/acknowledged";
    play(&[
        ("line a", &[]),
        ("exchange b", &[]),
        (
            r#"a: {~,"id":"L","method":"subscriptions/listen","params":{^}}}"#,
            &[r#"s: {~,"id":1,"method":"subscriptions/listen","params":{^}}}"#],
        ),
        (
            r#"b: {~,"id":1,"method":"subscriptions/listen","params":{^}}}"#,
            &[r#"s: {~,"id":2,"method":"subscriptions/listen","params":{^}}}"#],
        ),
        (&format!("s: {}", news("2", acknowledged)), &[&format!("b. {}", news("1", acknowledged))]),
        (&format!("s: {}", news("1", acknowledged)), &[&format!("a. {}", news("\"L\"", acknowledged))]),
        ("wait 1000000000", &[]),
        (&format!("s: {}", news("1", "n")), &[&format!("a. {}", news("\"L\"", "n"))]),
        (&format!("s: {}", news("\"1\"", "n")), &[]),
        (&format!("s: {}", news("3", "n")), &[]),
        (&format!("s: {}", end("1", "1")), &[&format!("a! {}", end("\"L\"", "\"L\""))]),
        (&format!("s: {}", news("1", "n")), &[]),
        // Torn down without a result: over HTTP the stream ends.
        (r#"s: {~,"method":"notifications/cancelled","params":{"requestId":2}}"#, &[]),
        (&format!("s: {}", news("2", "n")), &[]),
        ("wait 1000", &["b! "]),
        (
            r#"a: {~,"id":"M","method":"subscriptions/listen","params":{^}}}"#,
            &[r#"s: {~,"id":3,"method":"subscriptions/listen","params":{^}}}"#],
        ),
        (
            r#"s: {~,"method":"notifications/cancelled","params":{"requestId":3}}"#,
            &[r#"a. {~,"method":"notifications/cancelled","params":{"requestId":"M"}}"#],
        ),
        (&format!("s: {}", end("3", "3")), &[&format!("a! {}", end("\"M\"", "\"M\""))]),
    ]);
}

#[test]
fn time_is_counted_from_when_it_is_fair() {
    let gone = |id: &str| {
        format!(
            r#"a! {{~,"id":{id},"error":{{"code":-32603,"message":"srv has not answered within 100 ms; the request was cancelled"}}}}"#
        )
    };
    let cancelled = |id: &str| {
        format!(
            r#"s: {{~,"method":"notifications/cancelled","params":{{"requestId":{id},"reason":"no answer in time"}}}}"#
        )
    };
    let limits = Limits { answer: Some(Duration::from_millis(100)), ..Limits::DEFAULT };
    play_with(
        limits,
        &[
            ("line a", &[]),
            (
                r#"a: {~,"id":1,"method":"x","params":{^,"progressToken":1}}}"#,
                &[r#"s: {~,"id":1,"method":"x","params":{^,"progressToken":1}}}"#],
            ),
            ("wait 99", &[]),
            (
                r#"s: {~,"method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#,
                &[r#"a. {~,"method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#],
            ),
            ("wait 99", &[]),
            ("wait 1", &[&cancelled("1"), &gone("1")]),
            (r#"s: {~,"id":1,"result":{}}"#, &[]),
            // An answer that takes long to arrive.
            (r#"a: {~,"id":2,"method":"x"}"#, &[r#"s: {~,"id":2,"method":"x"}"#]),
            ("arriving 90", &[]),
            ("arriving 90", &[]),
            (r#"s: {~,"id":2,"result":{}}"#, &[r#"a! {~,"id":2,"result":{}}"#]),
            // An answer that breaks off.
            (r#"a: {~,"id":3,"method":"x"}"#, &[r#"s: {~,"id":3,"method":"x"}"#]),
            ("arriving 90", &[]),
            ("wait 99", &[]),
            ("wait 1", &[&cancelled("3"), &gone("3")]),
            // A line that takes nothing.
            ("stalls", &[]),
            (r#"a: {~,"id":4,"method":"initialize"}"#, &[r#"s: {~,"id":4,"method":"initialize"}"#]),
            ("wait 99", &[]),
            ("wait 1", &[&gone("4")]),
        ],
    );
}

#[test]
fn an_answer_that_is_no_message_ends_its_call_and_a_question_is_refused() {
    let deep = "[".repeat(130) + &"]".repeat(130);
    let answers = [
        (format!(r#"s: {{~,"id":1,"result":{{"a":{deep}}}}}"#), "nested more than 128 levels deep"),
        (
            format!(r#"s: {{~,"error":{{"code":1,"message":"m","data":{deep}}},"id":1}}"#),
            "nested more than 128 levels deep",
        ),
        (r#"s: {~,"id":1,"result":{},"id":1}"#.to_owned(), "a member appears twice"),
        (r#"s: {~,"id":1,"result":{},"result":{}}"#.to_owned(), "a member appears twice"),
    ];
    for (said, why) in &answers {
        let told = format!(
            r#"a! {{~,"id":"x","error":{{"code":-32603,"message":"srv has answered with what is no message: {why}"}}}}"#
        );
        play(&[
            ("line a", &[]),
            (r#"a: {~,"id":"x","method":"tools/call"}"#, &[r#"s: {~,"id":1,"method":"tools/call"}"#]),
            (said, &[&told]),
            // Once.
            (said, &[]),
        ]);
    }
    let question = format!(r#"s: {{~,"id":"q","method":"sampling/createMessage","params":{{"a":{deep}}}}}"#);
    play(&[
        ("line a", &[]),
        (
            &question,
            &[
                r#"s: {~,"id":"q","error":{"code":-32600,"message":"Invalid Request: nested more than 128 levels deep"}}"#,
            ],
        ),
        (r#"s: {~,"id":5,"id":6,"method":"ping"}"#, &[]),
        (r#"s: {~,"method":"notifications/message","method":"x"}"#, &[]),
    ]);
}

#[test]
fn bounds_are_told() {
    let limits = Limits { requests: 2, questions: 1, subscriptions: 1, ..Limits::DEFAULT };
    play_with(
        limits,
        &[
            ("line a", &[]),
            (r#"a: {~,"id":1,"method":"x"}"#, &[r#"s: {~,"id":1,"method":"x"}"#]),
            (r#"a: {~,"id":2,"method":"x"}"#, &[r#"s: {~,"id":2,"method":"x"}"#]),
            (
                r#"a: {~,"id":3,"method":"x"}"#,
                &[
                    r#"a! {~,"id":3,"error":{"code":-32603,"message":"too many requests are in flight: at most 2; try again when one has ended","data":{"limit":2}}}"#,
                ],
            ),
            (r#"s: {~,"id":8,"method":"roots/list"}"#, &[r#"a? {~,"id":8,"method":"roots/list"}"#]),
            (
                r#"s: {~,"id":9,"method":"roots/list"}"#,
                &[r#"s: {~,"id":9,"error":{"code":-32603,"message":"too many requests to clients are open"}}"#],
            ),
            (
                "long: 2",
                &[r#"a! {~,"id":2,"error":{"code":-32603,"message":"srv has answered with more than 4194304 bytes"}}"#],
            ),
            ("long: 2", &[]),
            ("long: \"1\"", &[]),
            (
                r#"a: {~,"id":4,"method":"resources/subscribe","params":{"uri":"u"}}"#,
                &[r#"s: {~,"id":4,"method":"resources/subscribe","params":{"uri":"u"}}"#],
            ),
            (r#"s: {~,"id":4,"result":{}}"#, &[r#"a! {~,"id":4,"result":{}}"#]),
            (
                r#"a: {~,"id":5,"method":"resources/subscribe","params":{"uri":"v"}}"#,
                &[
                    r#"a! {~,"id":5,"error":{"code":-32603,"message":"too many subscriptions: at most 1","data":{"limit":1}}}"#,
                ],
            ),
        ],
    );
}

#[test]
fn logs_go_to_whoever_asked() {
    let log = r#"{~,"method":"notifications/message","params":{"level":"info","data":1}}"#;
    let asks = r#"{~,"id":1,"method":"x","params":{^,"io.modelcontextprotocol/logLevel":"info"}}}"#;
    play(&[
        ("exchange a", &[]),
        ("exchange b", &[]),
        ("exchange c", &[]),
        (&format!("s: {log}"), &[]),
        (&format!("a: {asks}"), &[&format!("s: {asks}")]),
        (r#"b: {~,"id":1,"method":"x","params":{^}}}"#, &[r#"s: {~,"id":2,"method":"x","params":{^}}}"#]),
        (&format!("s: {log}"), &[&format!("a. {log}")]),
        ("line d", &[]),
        (&format!("s: {log}"), &[&format!("a. {log}"), &format!("d. {log}")]),
        (r#"s: {~,"id":1,"result":{}}"#, &[r#"a! {~,"id":1,"result":{}}"#]),
        (&format!("s: {log}"), &[&format!("d. {log}")]),
    ]);
}

#[test]
fn noise_before_a_message_is_passed_over() {
    let result = r#"{~,"id":1,"result":{}}"#;
    for noise in [
        "boot v1.2 \u{0}\u{1} ready> ",
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"half"#,
        r#"{"a":{"jsonrpc":"2.0"}"#,
        "[",
        "{",
        "\"",
    ] {
        play(&[
            ("line a", &[]),
            (r#"a: {~,"id":9,"method":"x"}"#, &[r#"s: {~,"id":1,"method":"x"}"#]),
            ("s: garbage", &[]),
            ("s: {}", &[]),
            ("s: 7", &[]),
            ("s: ", &[]),
            (&format!("s: {noise}{result}"), &[r#"a! {~,"id":9,"result":{}}"#]),
        ]);
    }
    // Nested in another message that is whole, it is part of it.
    play(&[
        ("line a", &[]),
        (r#"a: {~,"id":9,"method":"x"}"#, &[r#"s: {~,"id":1,"method":"x"}"#]),
        (
            r#"s: noise {~,"id":1,"result":{"x":{"jsonrpc":"2.0","id":1,"result":{}}}}"#,
            &[r#"a! {~,"id":9,"result":{"x":{"jsonrpc":"2.0","id":1,"result":{}}}}"#],
        ),
    ]);
    // Whose it was is known only where there is one client.
    let error = r#"{~,"error":{"code":-32700,"message":"m"}}"#;
    play(&[
        ("exchange a", &[]),
        (&format!("s: {error}"), &[]),
        ("gone a", &[]),
        ("line b", &[]),
        (&format!("s: {error}"), &[&format!("b. {error}")]),
    ]);
}
