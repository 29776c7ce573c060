//! Calls that are answered later: their table, progress, log messages, cancellation, and the end of the stream.

use umcp_tests::script::{legacy, modern};

/// What a handler returns after it has answered, or deferred, changes nothing.
#[test]
fn answered_once() {
    modern(
        "an answer, then an error",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"regret",$META}}
        < {"id":1,"result":{"content":[{"text":"said"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"on"},$META}}
        < {"id":2,"result":{"content":[{"text":"on"}]}}
        * served tools/call
        * served tools/call
    "#,
    )
    .check();
    modern(
        "deferred, then an error",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"waver",$META}}
        ! open 0
        ! complete 0 done
        < {"id":1,"result":{"content":[{"text":"done"}]}}
        * served tools/call
        * open 0 = true
        * complete 0 done = done
    "#,
    )
    .check();
}

#[test]
fn answered_later() {
    modern("others are served meanwhile; each kind of request has its kind of answer", r#"
        > {"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"later",$META}}
        > {"jsonrpc":"2.0","id":"b","method":"resources/read","params":{"uri":"board://slow",$META}}
        > {"jsonrpc":"2.0","id":"c","method":"prompts/get","params":{"name":"later",$META}}
        > {"jsonrpc":"2.0","id":"d","method":"tools/call","params":{"name":"echo","arguments":{"text":"now"},$META}}
        < {"id":"d","result":{"content":[{"text":"now"}]}}
        ! contents 1 slowly
        < {"id":"b","result":{"resultType":"complete","contents":[{"uri":"board://slow","text":"slowly"}],"ttlMs":7,"cacheScope":"public"}}
        ! complete 0 at last
        < {"id":"a","result":{"resultType":"complete","content":[{"text":"at last"}],"ttlMs":"$absent"}}
        ! complete 0 again
        ! messages 2 said
        < {"id":"c","result":{"messages":[{"role":"assistant","content":{"text":"said"}}]}}
        * served tools/call
        * served resources/read
        * served prompts/get
        * served tools/call
        * contents 1 slowly = done
        * complete 0 at last = done
        * complete 0 again = Ended
        * messages 2 said = done
    "#).check();
    modern(
        "badly",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"later",$META}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"later",$META}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"later",$META}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"later",$META}}
        ! fail 0 sorry
        < {"id":1,"result":{"isError":true,"content":[{"text":"sorry"}]}}
        ! error 1
        < {"id":2,"error":{"code":17}}
        ! long 2 9000
        < {"id":3,"error":{"code":-32603,"data":{"limit":8191}}}
        ! structured 3
        < {"id":4,"result":{"structuredContent":[]}}
        ! open 3
        * served tools/call
        * served tools/call
        * served tools/call
        * served tools/call
        * fail 0 sorry = done
        * error 1 = done
        * long 2 9000 = done
        * structured 3 = done
        * open 3 = false
    "#,
    )
    .check();
}

/// However small the transmit buffer, whoever waits is told.
#[test]
fn an_error_leaves_in_pieces() {
    for transmit in [16, 64, 128] {
        modern(
            "a long id and a long error",
            r#"
            > {"jsonrpc":"2.0","id":"$i(62)","method":"tools/call","params":{"name":"later",$META}}
            ! error 0
            < {"id":"$i(62)","error":{"code":17,"message":"$any"}}
            > {"jsonrpc":"2.0","id":"$i(62)","method":"tools/call","params":{"name":"later",$META}}
            ! complete 1 does not fit
            < {"id":"$i(62)","error":{"code":-32603}}
            ! open 1
            * served tools/call
            * error 0 = done
            * served tools/call
            * complete 1 does not fit = done
            * open 1 = false
        "#,
        )
        .transmit(transmit)
        .check();
    }
}

#[test]
fn the_table_is_full() {
    modern(
        "refused with a reason; there is room again when one has ended",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"later",$META}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"later",$META}}
        < {"id":2,"error":{"code":-32603}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"bored"}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"later",$META}}
        ! complete 0 too late
        ! complete 1 in time
        < {"id":3,"result":{}}
        * served tools/call
        * served tools/call Busy
        * cancelled 0
        * served tools/call
        * complete 0 too late = Ended
        * complete 1 in time = done
    "#,
    )
    .small_tables()
    .check();
    modern("an id or a token that is too long to be kept", r#"
        > {"jsonrpc":"2.0","id":"$i(62)","method":"tools/call","params":{"name":"later",$META}}
        > {"jsonrpc":"2.0","id":"$i(63)","method":"tools/call","params":{"name":"later",$META}}
        < {"id":"$i(63)","error":{"code":-32600}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"later","_meta":{"progressToken":"$t(63)",$BARE}}}
        < {"id":3,"error":{"code":-32600}}
        * served tools/call
        * served tools/call IdTooLong
        * served tools/call IdTooLong
    "#).check();
}

#[test]
fn cancelled() {
    modern(
        "never answered, and no trace is left; a string is not a number",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"later","_meta":{"progressToken":1,$BARE}}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        ! progress 0 5
        ! log 0 error late
        ! complete 0 late
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"new"},$META}}
        < {"id":1,"result":{"content":[{"text":"new"}]}}
        * served tools/call
        * ignored notification
        * cancelled 0
        * ignored notification
        * progress 0 5 = Ended
        * log 0 error late = Ended
        * complete 0 late = Ended
        * served tools/call
    "#,
    )
    .check();
    modern(
        "an id is the same however it is escaped",
        r#"
        > {"jsonrpc":"2.0","id":"a\u0062\/","method":"tools/call","params":{"name":"later",$META}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\u0061b/"}}
        * served tools/call
        * cancelled 0
    "#,
    )
    .check();
    modern(
        "what is answered already cannot be cancelled, nor what was never asked",
        r#"
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}
        > {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"},$META}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}
        < {"id":9,"result":{}}
    "#,
    )
    .check();
}

#[test]
fn the_stream_ends() {
    modern("open calls are cancelled, subscriptions forgotten, everything before is served", r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"later",$META}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"later",$META}}
        > {"jsonrpc":"2.0","id":3,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},$META}}
        > {"jsonrpc":"2.0","id":4,"method":"prompts/list","params":{$META}}
        < {"method":"notifications/subscriptions/acknowledged"}
        < {"id":4,"result":{}}
        ! eof
        ! changed tools
        ! complete 0 too late
        * served tools/call
        * served tools/call
        * served subscriptions/listen
        * served prompts/list
        * cancelled 1
        * cancelled 0
        * closed
        * complete 0 too late = Ended
    "#).check();
}

#[test]
fn progress_only_where_it_is_asked_for() {
    modern(
        "no token, no progress",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"steps",$META}}
        < {"id":1,"result":{"content":[{"text":"silent"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"later",$META}}
        ! progress 0 1
        * served tools/call
        * served tools/call
        * progress 0 1 = false
    "#,
    )
    .check();
    modern("within a call it increases, and precedes the result", r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"steps","_meta":{"progressToken":0,$BARE}}}
        < {"method":"notifications/progress","params":{"progressToken":0,"progress":1,"total":3,"message":"one"}}
        < {"method":"notifications/progress","params":{"progressToken":0,"progress":2.5,"total":"$absent","message":"$absent"}}
        < {"id":1,"result":{"content":[{"text":"told"}]}}
    "#).check();
    modern("of a deferred call: it increases, is not told too often, and ends with it", r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"later","_meta":{"progressToken":"$t(62)",$BARE}}}
        ! progress 0 0.5 3 half
        < {"method":"notifications/progress","params":{"progressToken":"$t(62)","progress":0.5,"total":3,"message":"half"}}
        ! progress 0 0.6
        ! wait 5
        ! progress 0 0.5
        ! progress 0 0.6
        < {"method":"notifications/progress","params":{"progress":0.6}}
        ! wait 4
        ! progress 0 0.7
        ! wait 1
        ! progress 0 0.7
        < {"method":"notifications/progress","params":{"progress":0.7}}
        ! complete 0 done
        < {"id":1,"result":{}}
        ! wait 10
        ! progress 0 1
        * served tools/call
        * progress 0 0.5 3 half = true
        * progress 0 0.6 = false
        * progress 0 0.5 = false
        * progress 0 0.6 = true
        * progress 0 0.7 = false
        * progress 0 0.7 = true
        * complete 0 done = done
        * progress 0 1 = Ended
    "#).check();
    legacy(
        "2024-11-05",
        "the oldest revision knows no message beside the number",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"steps","_meta":{"progressToken":0}}}
        < {"method":"notifications/progress","params":{"progress":1,"total":3,"message":"$absent"}}
        < {"method":"notifications/progress","params":{"progress":2.5}}
        < {"id":1,"result":{"content":[{"text":"told"}]}}
    "#,
    )
    .check();
    legacy(
        "2025-03-26",
        "the next one does",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"steps","_meta":{"progressToken":0}}}
        < {"method":"notifications/progress","params":{"progress":1,"total":3,"message":"one"}}
        < {"method":"notifications/progress","params":{"progress":2.5}}
        < {"id":1,"result":{"content":[{"text":"told"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"steps","_meta":{"progressToken":{}}}}
        < {"id":2,"error":{"code":-32602}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"steps","_meta":5}}
        < {"id":3,"error":{"code":-32602}}
    "#,
    )
    .check();
}
