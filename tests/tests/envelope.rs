//! What is a message, what is not, and who is answered.

use umcp_tests::script::{legacy, modern};

/// Ids, and where they stand.
#[test]
fn ids_are_echoed_as_they_were() {
    modern("every kind of id", r#"
        > {"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"},$META}}
        < {"jsonrpc":"2.0","id":0,"result":{"resultType":"complete","content":[{"type":"text","text":"hi"}],"isError":"$absent"}}
        > {"jsonrpc":"2.0","id":-7,"method":"prompts/list","params":{$META}}
        < {"id":-7,"result":{"prompts":"$any"}}
        > {"jsonrpc":"2.0","id":9007199254740993,"method":"prompts/list","params":{$META}}
        < {"id":9007199254740993,"result":{}}
        > {"jsonrpc":"2.0","id":"","method":"prompts/list","params":{$META}}
        < {"id":"","result":{}}
        > {"jsonrpc":"2.0","id":"1","method":"prompts/list","params":{$META}}
        < {"id":"1","result":{}}
        > {"jsonrpc":"2.0","id":"a\u0000\"\\\u00e9\ud83d\ude00","method":"prompts/list","params":{$META}}
        < {"id":"a\u0000\"\\é😀","result":{}}
        > {"params":{"arguments":{"text":"last"},"name":"echo",$META},"method":"tools/call","x":[{"id":9}],"id":11,"jsonrpc":"2.0"}
        < {"id":11,"result":{"content":[{"text":"last"}]}}
        > { "jsonrpc" : "2.0" , "\u0069d" : 12 , "meth\u006fd" : "tools\/call" , "params" : { "n\u0061me" : "ech\u006f" , "arguments" : { "text" : "esc" } , $META } }
        < {"id":12,"result":{"content":[{"text":"esc"}]}}
        * served tools/call
        * served prompts/list
        * served prompts/list
        * served prompts/list
        * served prompts/list
        * served prompts/list
        * served tools/call
        * served tools/call
    "#).check();

    modern("an id longer than the transmit buffer gets its error, and its list", r#"
        > {"jsonrpc":"2.0","id":"$i(300)","method":"no/such","params":{$META}}
        < {"id":"$i(300)","error":{"code":-32601,"data":{"method":"no/such"}}}
        > {"jsonrpc":"2.0","id":"$i(300)","method":"prompts/list","params":{$META}}
        < {"id":"$i(300)","result":{"prompts":"$any"}}
        > {"jsonrpc":"2.0","id":"$i(300)","method":"server/discover","params":{$META}}
        < {"id":"$i(300)","error":{"code":-32603,"data":{"limit":127}}}
        > {"jsonrpc":"2.0","id":"$i(300)","method":"tools/call","params":{"name":"later",$META}}
        < {"id":"$i(300)","error":{"code":-32600}}
        > {"jsonrpc":"2.0","id":"$i(300)","method":"subscriptions/listen","params":{"notifications":{},$META}}
        < {"id":"$i(300)","error":{"code":-32600}}
        > {"jsonrpc":"2.0","id":"$i(300)","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}
        < {"id":"$i(300)","error":{"code":-32603}}
        > {"jsonrpc":"2.0","id":"$i(300)","method":5}
        < {"id":"$i(300)","error":{"code":-32600}}
    "#).transmit(128).check();
}

/// An id that can be read is in the error; an error without one is sent once in a row.
#[test]
fn what_is_no_message_is_refused() {
    for (line, expected) in [
        // Invalid, but the id can be read.
        (r#"{"id":4,"method":"server/discover","params":{$META}}"#, r#"{"id":4,"error":{"code":-32600}}"#),
        (
            r#"{"jsonrpc":"1.0","id":4,"method":"server/discover","params":{$META}}"#,
            r#"{"id":4,"error":{"code":-32600}}"#,
        ),
        (r#"{"jsonrpc":2.0,"id":4,"method":"server/discover"}"#, r#"{"id":4,"error":{"code":-32600}}"#),
        (r#"{"jsonrpc":"2.0","id":4,"method":5,"params":{$META}}"#, r#"{"id":4,"error":{"code":-32600}}"#),
        (r#"{"jsonrpc":"2.0","id":4,"method":null}"#, r#"{"id":4,"error":{"code":-32600}}"#),
        (r#"{"jsonrpc":"2.0","id":4,"method":"tools/list","params":[1]}"#, r#"{"id":4,"error":{"code":-32600}}"#),
        (r#"{"jsonrpc":"2.0","id":4,"method":"tools/list","params":"x"}"#, r#"{"id":4,"error":{"code":-32600}}"#),
        (r#"{"jsonrpc":"2.0","id":4}"#, r#"{"id":4,"error":{"code":-32600}}"#),
        (
            r#"{"jsonrpc":"2.0","id":4,"method":"tools/list","method":"tools/call"}"#,
            r#"{"id":4,"error":{"code":-32600}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"_meta":{},"_meta":{}}}"#,
            r#"{"id":4,"error":{"code":-32600}}"#,
        ),
        // Invalid, and there is no id that could be echoed.
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"server/discover","params":{$META}}"#,
            r#"{"id":"$absent","error":{"code":-32600}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1e3,"method":"server/discover","params":{$META}}"#,
            r#"{"id":"$absent","error":{"code":-32600}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"server/discover","params":{$META}}"#,
            r#"{"id":"$absent","error":{"code":-32600}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":true,"method":"server/discover","params":{$META}}"#,
            r#"{"id":"$absent","error":{"code":-32600}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":{},"method":"server/discover","params":{$META}}"#,
            r#"{"id":"$absent","error":{"code":-32600}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":[1],"method":"server/discover","params":{$META}}"#,
            r#"{"id":"$absent","error":{"code":-32600}}"#,
        ),
        (r#"{"status":200,"message":"Success"}"#, r#"{"id":"$absent","error":{"code":-32600}}"#),
        ("[]", r#"{"id":"$absent","error":{"code":-32600}}"#),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$META}}]"#,
            r#"{"id":"$absent","error":{"code":-32600}}"#,
        ),
        ("5", r#"{"id":"$absent","error":{"code":-32600}}"#),
        ("\"x\"", r#"{"id":"$absent","error":{"code":-32600}}"#),
        ("null", r#"{"id":"$absent","error":{"code":-32600}}"#),
        ("not json", r#"{"id":"$absent","error":{"code":-32700}}"#),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{$META,}}"#,
            r#"{"id":"$absent","error":{"code":-32700}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"n":01,$META}}"#,
            r#"{"id":"$absent","error":{"code":-32700}}"#,
        ),
        (r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"} {}"#, r#"{"id":"$absent","error":{"code":-32700}}"#),
        (r#"{"jsonrpc":"2.0","id":7"#, r#"{"id":"$absent","error":{"code":-32700}}"#),
        (r#"{"jsonrpc":"2.0","id":7,"method":"tools/li"#, r#"{"id":"$absent","error":{"code":-32700}}"#),
    ] {
        let script = format!("> {line}\n< {expected}\n> {GOOD}\n< {GOOD_REPLY}");
        modern(line, &script).check();
        legacy("2025-06-18", line, &script).check();
    }
}

const GOOD: &str = r#"{"jsonrpc":"2.0","id":"good","method":"prompts/list","params":{$META}}"#;
const GOOD_REPLY: &str = r#"{"id":"good","result":{"prompts":"$any"}}"#;

#[test]
fn a_run_of_noise_is_answered_once() {
    modern(
        "a run ends with a message",
        r#"
        > not json
        > {"x":1}
        > [1]
        > {"jsonrpc":"2.0","id":null,"method":"a"}
        > {"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{$META}}
        > again
        > {"jsonrpc":"2.0","method":"notifications/whatever"}
        > and again
        > and again
        < {"id":"$absent","error":{"code":-32700}}
        < {"id":1,"result":{}}
        < {"id":"$absent","error":{"code":-32700}}
        < {"id":"$absent","error":{"code":-32700}}
        * served - NotJson
        * ignored noise
        * ignored noise
        * ignored noise
        * served prompts/list
        * served - NotJson
        * ignored notification
        * served - NotJson
        * ignored noise
    "#,
    )
    .check();
    modern(
        "an error with an id is always sent",
        r#"
        > noise
        > {"id":1,"method":"a"}
        > {"id":2,"method":"a"}
        > noise
        < {"id":"$absent","error":{"code":-32700}}
        < {"id":1,"error":{"code":-32600}}
        < {"id":2,"error":{"code":-32600}}
    "#,
    )
    .check();
}

#[test]
fn lines_end_in_more_than_one_way() {
    modern(
        "a byte-order mark, CRLF, blank lines, and nothing behind the last line",
        r#"
        >x EFBBBF
        >x 0A 0D0A 2020200D0A
        >> {"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{$META}}
        >x 0D0A
        < {"id":1,"result":{}}
        >x FFFE0A
        < {"id":"$absent","error":{"code":-32700}}
        > {"jsonrpc":"2.0","id":2,"method":"prompts/list","params":{$META}}
        < {"id":2,"result":{}}
        >> {"jsonrpc":"2.0","id":3
        ! eof
        * served prompts/list
        * served - NotJson
        * served prompts/list
        * ignored torso
        * closed
    "#,
    )
    .check();
    modern(
        "a second mark is noise",
        r#"
        >x EFBBBFEFBBBF
        > {"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{$META}}
        < {"id":"$absent","error":{"code":-32700}}
    "#,
    )
    .check();
    modern(
        "a raw newline inside a string makes two bad lines",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a
        > b"},$META}}
        < {"id":"$absent","error":{"code":-32700}}
        * served - NotJson
        * ignored noise
    "#,
    )
    .check();
}

#[test]
fn a_notification_is_never_answered() {
    modern(
        "known, unknown, malformed",
        r#"
        > {"jsonrpc":"2.0","method":"notifications/whatever","params":{}}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        > {"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"},$META}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled"}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":1}}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}
        > {"jsonrpc":"2.0","method":"notifications/whatever","params":[1]}
        > {"jsonrpc":"2.0","method":"notifications/whatever","params":{"a":$[(40)$](40)}}
        * ignored notification
        * ignored notification
        * ignored notification
        * ignored notification
        * ignored notification
        * ignored notification
        * ignored notification
        * ignored notification
        * ignored notification
        * ignored notification
    "#,
    )
    .check();
}

#[test]
fn an_answer_is_never_answered() {
    let script = r#"
        > {"jsonrpc":"2.0","id":55,"result":{}}
        > {"jsonrpc":"2.0","id":55,"error":{"code":1,"message":"m"}}
        > {"jsonrpc":"2.0","error":{"code":1,"message":"m"}}
        > {"jsonrpc":"2.0","id":55,"result":{},"error":{}}
        > {"id":55,"result":{}}
        > {"jsonrpc":"2.0","id":1.5,"result":{}}
        > {"jsonrpc":"2.0","result":{}}
        > {"jsonrpc":"2.0","id":true,"error":{}}
        > {"jsonrpc":"2.0","id":55,"result":{"a":$[(40)$](40)}}
        * ignored response
        * ignored response
        * ignored response
        * ignored response
        * ignored response
        * ignored response
        * ignored response
        * ignored response
        * ignored response
    "#;
    modern("of any shape", script).check();
    legacy("2025-11-25", "of any shape", script).check();
}

#[test]
fn too_deep() {
    modern("the id is found before it and behind it; the next message is served", r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":$[(100)1$](100),$META}}
        > {"jsonrpc":"2.0","method":"tools/list","params":{"a":$[(100)1$](100),$META},"id":"late"}
        > $[(100)$](100)
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi","more":$[(29)$](29)},$META}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi","more":$[(30)$](30)},$META}}
        < {"id":1,"error":{"code":-32600}}
        < {"id":"late","error":{"code":-32600}}
        < {"id":"$absent","error":{"code":-32600}}
        < {"id":2,"result":{}}
        < {"id":3,"error":{"code":-32600}}
        * served - TooDeep
        * served - TooDeep
        * served - TooDeep
        * served tools/call
        * served - TooDeep
    "#).check();
}

#[test]
fn too_long() {
    // In a buffer of 257 bytes, a message of 256 fits: its end does not count.
    let frame = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":""},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let room = 256 - frame.len();
    for (extra, expected) in
        [(0, r#"{"id":1,"result":{}}"#), (1, r#"{"id":1,"error":{"code":-32600,"data":{"limit":256}}}"#)]
    {
        let script = format!(
            "> {{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"echo\",\"arguments\":{{\"text\":\"$x({})\"}},$META}}}}\n< {expected}",
            room + extra
        );
        modern("exactly the limit, and one more", &script).receive(257).check();
    }
    modern(
        "the id first, in the middle, last, not at all; white space is not counted",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"$x(700)"}}}
        > {"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"text":"$x(700)"}},"id":"late"}
        > {"jsonrpc":"2.0","id":2,"method":"tools/list",$ (900)"params":{$META}}
        > {"jsonrpc":"2.0","method":"tools/list","params":{"a":{"id":3},"cursor":"$x(700)"},"\u0069d":"a\u0062"}
        > {"jsonrpc":"2.0","method":"tools/list","params":{"cursor":"$x(700)"}}
        > {"jsonrpc":"2.0","id":4,"method":"prompts/list","params":{$META}}
        < {"id":1,"error":{"code":-32600,"data":{"limit":255}}}
        < {"id":"late","error":{"code":-32600}}
        < {"id":2,"result":{}}
        < {"id":"ab","error":{"code":-32600}}
        < {"id":4,"result":{}}
    "#,
    )
    .receive(256)
    .check();
    modern(
        "what nobody asks for takes no room, wherever it stands",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"x":"$x(700)","name":"echo","y":[{"z":"$x(700)"}],"arguments":{"text":"hi"},$META}}
        > {"a":"$x(700)","jsonrpc":"2.0","id":2,"method":"tools/call","params":{$META,"arguments":{"text":"hi"},"name":"echo"},"b":{"id":"$x(700)"}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"_meta":{"x/icons":["$x(700)"],"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"icons":[{"src":"data:$x(700)"}],"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},"name":"echo","arguments":{"text":"hi"}}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"later",$META}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"$x(700)","requestId":4}}
        > {"jsonrpc":"2.0","id":4,"method":"prompts/list","params":{$META,"x":"$x(700)"}}
        > {"jsonrpc":"2.0","id":5,"method":"prompts/list","params":{$META,"cursor":"$x(700)"}}
        > {"jsonrpc":"2.0","id":6,"method":"prompts/list","params":{$META,"x":{"cursor":"1"},"y":"$x(700)"}}
        < {"id":1,"result":{"content":[{"text":"hi"}]}}
        < {"id":2,"result":{"content":[{"text":"hi"}]}}
        < {"id":3,"result":{"content":[{"text":"hi"}]}}
        < {"id":4,"result":{"prompts":"$any"}}
        < {"id":5,"error":{"code":-32600,"data":{"limit":383,"part":"cursor"}}}
        < {"id":6,"result":{"prompts":"$any"}}
    "#,
    )
    .receive(384)
    .check();
    modern(
        "too long to be read, and still seen to be a notification or an answer, which nobody answers; or neither, or with a lost id",
        r#"
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"$x(700)"}}
        > {"params":{"requestId":1,"reason":"$x(700)"},"method":"notifications/cancelled","jsonrpc":"2.0"}
        > {"jsonrpc":"2.0","id":1,"result":{"text":"$x(700)"}}
        > {"result":{"text":"$x(700)"},"id":1,"jsonrpc":"2.0"}
        > {"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"$x(700)"}}
        > {"jsonrpc":"2.0","text":"$x(700)"}
        < {"id":"$absent","error":{"code":-32600}}
        > {"jsonrpc":"2.0","id":3,"method":"prompts/list","params":{$META}}
        < {"id":3,"result":{}}
        > {"jsonrpc":"2.0","id":"$x(700)","method":"tools/list"}
        < {"id":"$absent","error":{"code":-32600}}
        > {"jsonrpc":"2.0","id":4,"method":"prompts/list","params":{$META}}
        < {"id":4,"result":{}}
    "#,
    )
    .receive(256)
    .check();
    modern(
        "too long and no JSON is no JSON",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"$x(700)",}
        < {"id":"$absent","error":{"code":-32700}}
        > {"jsonrpc":"2.0","id":4,"method":"prompts/list","params":{$META}}
        < {"id":4,"result":{}}
    "#,
    )
    .receive(256)
    .check();
}
