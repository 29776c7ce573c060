//! Batches, which only revision 2025-03-26 has: one array back, with the answers that are there at once.

use umcp_tests::script::{Case, legacy};

fn batch<'s>(why: &'s str, script: &'s str) -> Case<'s> {
    legacy("2025-03-26", why, script)
}

#[test]
fn one_array_back() {
    batch("requests, notifications, answers, and what is none of them", r#"
        > [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":9,"result":{}}, {"jsonrpc":"2.0","id":"b","method":"no/such"},5,[{"jsonrpc":"2.0","id":2,"method":"ping"}],{"id":3},{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo","arguments":{"text":"h\u0069"}}},{}]
        < [{"id":1,"result":{}},{"id":"b","error":{"code":-32601}},{"id":"$absent","error":{"code":-32600}},{"id":"$absent","error":{"code":-32600}},{"id":3,"error":{"code":-32600}},{"id":4,"result":{"content":[{"text":"hi"}]}},{"id":"$absent","error":{"code":-32600}}]
        > {"jsonrpc":"2.0","id":5,"method":"ping"}
        < {"id":5,"result":{}}
    "#).check();
    batch(
        "of one",
        r#"
        >  [ { "jsonrpc" : "2.0" , "id" : 1 , "method" : "ping" } ]
        < [{"id":1,"result":{}}]
    "#,
    )
    .check();
    batch(
        "the empty array is no batch",
        r#"
        > []
        > [ ]
        < {"id":"$absent","error":{"code":-32600}}
        * served - NotAMessage(Batch)
        * ignored noise
    "#,
    )
    .check();
    batch(
        "an array that is no JSON, and one that is too deep",
        r#"
        > [{"jsonrpc":"2.0","id":1,"method":"ping"},]
        < {"id":"$absent","error":{"code":-32700}}
        > {"jsonrpc":"2.0","id":1,"method":"ping"}
        < {"id":1,"result":{}}
        > [{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":$[(60)$](60)}}]
        < {"id":"$absent","error":{"code":-32600}}
    "#,
    )
    .check();
    batch(
        "too long an array",
        r#"
        > [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"$x(600)"}]
        < {"id":"$absent","error":{"code":-32600,"data":{"limit":511}}}
        > {"jsonrpc":"2.0","id":1,"method":"ping"}
        < {"id":1,"result":{}}
    "#,
    )
    .receive(512)
    .check();
}

/// Where nobody waits for an answer none is sent, and what stands behind is served at once.
#[test]
fn nothing_back() {
    batch("only notifications and answers", r#"
        > [{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}]
        > [{"jsonrpc":"2.0","id":9,"result":{}}]
        > {"jsonrpc":"2.0","id":1,"method":"ping"}
        < {"id":1,"result":{}}
        * ignored notification
        * ignored notification
        * ignored response
        * served ping
    "#).check();
}

#[test]
fn a_deferred_member_is_answered_by_itself() {
    batch("and the others in the array", r#"
        > [{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"later","_meta":{"progressToken":1}}},{"jsonrpc":"2.0","id":2,"method":"ping"}]
        > [{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"later"}}]
        < [{"id":2,"result":{}}]
        ! progress 0 1
        < {"method":"notifications/progress","params":{"progressToken":1}}
        ! complete 1 b
        < {"id":3,"result":{"content":[{"text":"b"}]}}
        ! complete 0 a
        < {"id":1,"result":{"content":[{"text":"a"}]}}
    "#).check();
    batch("opened and cancelled in one", r#"
        > [{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"later"}},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}},{"jsonrpc":"2.0","id":1,"method":"ping"}]
        < [{"id":1,"result":{}}]
        * served tools/call
        * cancelled 0
        * served ping
    "#).check();
}

/// Notifications have no place in an array of answers.
#[test]
fn no_notification_in_between() {
    batch("neither progress nor log messages, and news waits", r#"
        > {"jsonrpc":"2.0","id":0,"method":"logging/setLevel","params":{"level":"debug"}}
        < {"id":0,"result":{}}
        > {"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"board://led"}}
        < {"id":1,"result":{}}
        > [{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"touch","arguments":{"uri":"board://led"}}},{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"steps","_meta":{"progressToken":1}}},{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"chatty"}}]
        < [{"id":2,"result":{}},{"id":3,"result":{"content":[{"text":"silent"}]}},{"id":4,"result":{"content":[{"text":"0"}]}}]
        < {"method":"notifications/resources/updated","params":{"uri":"board://led"}}
    "#).check();
}

/// 2025-03-26, Lifecycle: the initialize request MUST NOT be part of a batch. And revision 2026-07-28 has none.
#[test]
fn what_may_not_be_in_a_batch() {
    batch("a handshake and modern requests are refused, each by itself", r#"
        > [{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}},{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},$META}},{"jsonrpc":"2.0","id":3,"method":"ping"}]
        < [{"id":1,"error":{"code":-32600}},{"id":2,"error":{"code":-32600}},{"id":3,"result":{}}]
        ! changed tools
        < {"method":"notifications/tools/list_changed","params":"$absent"}
        > [{"jsonrpc":"2.0","id":4,"method":"ping"}]
        < [{"id":4,"result":{}}]
    "#).check();
}

/// Answers that are longer than the transmit buffer leave in pieces, inside the array as outside.
#[test]
fn lists_in_batches() {
    for transmit in [340, 500, 20_000] {
        batch("twice, with something small between", r#"
            > [{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":3,"method":"prompts/list"},{"jsonrpc":"2.0","id":"$i(400)","method":"$m(400)"}]
            < [{"id":1,"result":{"tools":"$any"}},{"id":2,"result":{}},{"id":3,"result":{"prompts":"$any"}},{"id":"$i(400)","error":{"code":-32601}}]
            > {"jsonrpc":"2.0","id":5,"method":"ping"}
            < {"id":5,"result":{}}
        "#).transmit(transmit).check();
    }
}

#[test]
fn other_revisions_have_none() {
    for revision in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        legacy(
            revision,
            "one error for all of it",
            r#"
            > [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]
            < {"id":"$absent","error":{"code":-32600}}
            > {"jsonrpc":"2.0","id":3,"method":"ping"}
            < {"id":3,"result":{}}
        "#,
        )
        .check();
    }
}
