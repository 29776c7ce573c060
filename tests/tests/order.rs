//! The validation order: a request that is wrong in two ways reports the one that comes first; and every fault there is.

use umcp_tests::board::{BARE, GUARDED};
use umcp_tests::script::{legacy, modern};

/// Each line is wrong in the way it is named for and in some of the ways of the lines behind it.
#[test]
fn the_earlier_fault_is_reported() {
    let table = [
        ("envelope before era", r#"{"jsonrpc":"1.0","id":1,"method":"no/such"}"#, -32600),
        (
            "the era's handshake does not exist where a request describes itself",
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{$META}}"#,
            -32601,
        ),
        ("era before everything else", r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#, -32602),
        ("era: params that are null are none", r#"{"jsonrpc":"2.0","id":1,"method":"no/such","params":null}"#, -32602),
        (
            "era: only an unreserved key",
            r#"{"jsonrpc":"2.0","id":1,"method":"no/such","params":{"_meta":{"progressToken":1}}}"#,
            -32602,
        ),
        (
            "_meta: capabilities missing, before the version",
            r#"{"jsonrpc":"2.0","id":1,"method":"no/such","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}}"#,
            -32602,
        ),
        (
            "_meta: the version missing",
            r#"{"jsonrpc":"2.0","id":1,"method":"no/such","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}}"#,
            -32602,
        ),
        (
            "_meta: only the client's name",
            r#"{"jsonrpc":"2.0","id":1,"method":"no/such","params":{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}}"#,
            -32602,
        ),
        (
            "_meta: only a log level",
            r#"{"jsonrpc":"2.0","id":1,"method":"no/such","params":{"_meta":{"io.modelcontextprotocol/logLevel":"info"}}}"#,
            -32602,
        ),
        (
            "_meta: the version is null",
            r#"{"jsonrpc":"2.0","id":1,"method":"no/such","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":null,"io.modelcontextprotocol/clientCapabilities":{}}}}"#,
            -32602,
        ),
        (
            "_meta: the version is a number",
            r#"{"jsonrpc":"2.0","id":1,"method":"no/such","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":20260728,"io.modelcontextprotocol/clientCapabilities":{}}}}"#,
            -32602,
        ),
        (
            "_meta: capabilities are an array",
            r#"{"jsonrpc":"2.0","id":1,"method":"no/such","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01","io.modelcontextprotocol/clientCapabilities":[]}}}"#,
            -32602,
        ),
        (
            "_meta: capabilities are null",
            r#"{"jsonrpc":"2.0","id":1,"method":"no/such","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":null}}}"#,
            -32602,
        ),
        (
            "_meta: a token is a fraction",
            r#"{"jsonrpc":"2.0","id":1,"method":"no/such","params":{"_meta":{"progressToken":1.5,$BARE}}}"#,
            -32602,
        ),
        (
            "_meta: a token is null",
            r#"{"jsonrpc":"2.0","id":1,"method":"no/such","params":{"_meta":{"progressToken":null,$BARE}}}"#,
            -32602,
        ),
        (
            "version before method",
            r#"{"jsonrpc":"2.0","id":1,"method":"no/such","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
            -32022,
        ),
        (
            "method before params",
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/calls","params":{"name":5,$META}}"#,
            -32601,
        ),
        ("a method of the other era", r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{$META}}"#, -32601),
        ("another", r#"{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"x",$META}}"#, -32601),
        ("another", r#"{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":5,$META}}"#, -32601),
        ("another", r#"{"jsonrpc":"2.0","id":1,"method":"resources/unsubscribe","params":{"uri":5,$META}}"#, -32601),
        ("a method of no revision", r#"{"jsonrpc":"2.0","id":1,"method":"","params":{$META}}"#, -32601),
    ];
    for (why, line, code) in table {
        let script = format!("> {line}\n< {{\"id\":1,\"error\":{{\"code\":{code}}}}}");
        modern(why, &script).check();
        // Behind the door it is the same, and nobody is asked to open it.
        modern(why, &script).catalog(&GUARDED).check();
    }
}

#[test]
fn faults_say_what_they_are_about() {
    modern("data", r#"
        > {"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25","io.modelcontextprotocol/clientCapabilities":{}}}}
        < {"id":1,"error":{"code":-32022,"data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}}
        > {"jsonrpc":"2.0","id":2,"method":"no/such","params":{$META}}
        < {"id":2,"error":{"code":-32601,"data":{"method":"no/such"}}}
        > {"jsonrpc":"2.0","id":3,"method":"x","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}}
        < {"id":3,"error":{"code":-32602,"data":{"member":"io.modelcontextprotocol/protocolVersion"}}}
        > {"jsonrpc":"2.0","id":4,"method":"x","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
        < {"id":4,"error":{"code":-32602,"data":{"member":"io.modelcontextprotocol/clientCapabilities"}}}
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"nope\"\u0001",$META}}
        < {"id":5,"error":{"code":-32602,"data":{"name":"nope\"\u0001"}}}
        > {"jsonrpc":"2.0","id":6,"method":"prompts/get","params":{"name":"nope",$META}}
        < {"id":6,"error":{"code":-32602,"data":{"name":"nope"}}}
        > {"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"board://none",$META}}
        < {"id":7,"error":{"code":-32602,"data":{"uri":"board://none"}}}
        > {"jsonrpc":"2.0","id":8,"method":"prompts/get","params":{"name":"diagnose",$META}}
        < {"id":8,"error":{"code":-32602,"data":{"argument":"symptom"}}}
        > {"jsonrpc":"2.0","id":9,"method":"no/such"}
        < {"id":9,"error":{"code":-32602}}
        * served - UnsupportedVersion
        * served - UnknownMethod
        * served - MetaMissing("io.modelcontextprotocol/protocolVersion")
        * served - MetaMissing("io.modelcontextprotocol/clientCapabilities")
        * served tools/call UnknownTool
        * served prompts/get UnknownPrompt
        * served resources/read UnknownResource
        * served prompts/get MissingArgument("symptom")
        * served - NotInitialized
    "#).check();
}

#[test]
fn params_are_checked_before_the_door_is() {
    modern("wrong params and a caller nobody knows", r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5,"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"nobody"},$BARE}}}
        < {"id":1,"error":{"code":-32602}}
        > {"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":5,"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"nobody"},$BARE}}}
        < {"id":2,"error":{"code":-32602}}
        > {"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{"ref":{},"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"nobody"},$BARE}}}
        < {"id":3,"error":{"code":-32602}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo","arguments":{"text":5},"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"nobody"},$BARE}}}
        < {"id":4,"error":{"code":-32600,"message":"Unauthorized"}}
        * served tools/call Params("Invalid params: `name` must be a string")
        * served subscriptions/listen Params("Invalid params: `notifications` must be a subscription filter")
        * served completion/complete Params("Invalid params: `argument` must have a `name` and a `value` that are strings")
        * served tools/call Unauthorized
    "#).catalog(&GUARDED).check();
}

#[test]
fn nobody_passes_the_door_unasked() {
    modern("refused before the handler runs; the principal reaches it", r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"secret",$META}}
        < {"id":1,"error":{"code":-32600,"message":"Forbidden"}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"board://log",$META}}
        < {"id":2,"error":{"code":-32600}}
        > {"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"ask",$META}}
        < {"id":3,"error":{"code":9,"message":"not today"}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"nobody"},$BARE}}}
        < {"id":4,"error":{"code":-32600,"message":"Unauthorized"}}
        > {"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{"notifications":{},"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"c","deaf":1},$BARE}}}
        < {"id":5,"error":{"code":-32600}}
        > {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"who","_meta":{"io.modelcontextprotocol/clientInfo":{"name":"c"},$BARE}}}
        < {"id":6,"result":{"content":[{"text":"7 2026-07-28 c"}]}}
        * served tools/call Forbidden
        * served resources/read Forbidden
        * served prompts/get Application { code: 9, message: "not today" }
        * served tools/list Unauthorized
        * served subscriptions/listen Forbidden
        * served tools/call
    "#).catalog(&GUARDED).check();
    legacy(
        "2025-11-25",
        "subscribing is asked about too",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"board://log"}}
        < {"id":1,"error":{"code":-32600,"message":"Forbidden"}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"board://led"}}
        < {"id":2,"result":{}}
    "#,
    )
    .catalog(&GUARDED)
    .check();
    modern(
        "without a hook the caller is nobody",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who",$META}}
        < {"id":1,"result":{"content":[{"text":"0 2026-07-28 "}]}}
    "#,
    )
    .check();
}

#[test]
fn what_is_not_offered_is_not_there() {
    for method in [
        "tools/list",
        "tools/call",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
        "prompts/get",
        "completion/complete",
    ] {
        let script = format!(
            r#"
            > {{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{$META}}}}
            < {{"id":1,"error":{{"code":-32601,"data":{{"method":"{method}"}}}}}}
        "#
        );
        modern(method, &script).catalog(&BARE).check();
    }
    for method in ["logging/setLevel", "resources/subscribe", "resources/unsubscribe"] {
        let script = format!(
            r#"
            > {{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"level":"info","uri":"x:y"}}}}
            < {{"id":1,"error":{{"code":-32601}}}}
        "#
        );
        legacy("2025-11-25", method, &script).catalog(&BARE).check();
    }
    modern("what every server has", r#"
        > {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$META}}
        < {"id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":"$absent","logging":"$absent","completions":"$absent"},"instructions":"$absent","ttlMs":0,"cacheScope":"public"}}
        > {"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["x:y"]},$META}}
        < {"method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2},"notifications":{"toolsListChanged":"$absent","resourceSubscriptions":"$absent"}}}
    "#).catalog(&BARE).check();
}

#[test]
fn discovery_tells_everything() {
    modern("all of it", r#"
        > {"jsonrpc":"2.0","id":"d","method":"server/discover","params":{$META}}
        < {"id":"d","result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"completions":{},"logging":{},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true}},"instructions":"Call anything.","ttlMs":60000,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"proof","version":"1.2.3","title":"Proving ground","description":"A server that uses everything.","websiteUrl":"https://example.com/proof","icons":[{"src":"https://example.com/icon.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"}]}}}}
    "#).check();
}

#[test]
fn handlers_fail_in_their_own_ways() {
    modern(
        "each answered once, with what it is",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fail",$META}}
        < {"id":1,"result":{"isError":true,"content":[{"type":"text","text":"no luck"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"broken",$META}}
        < {"id":2,"error":{"code":17,"message":"out of ink"}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"internal",$META}}
        < {"id":3,"error":{"code":-32603}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"half","_meta":{"progressToken":"t",$BARE}}}
        < {"method":"notifications/progress","params":{"progressToken":"t","progress":1}}
        < {"id":4,"error":{"code":-32603}}
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":7},$META}}
        < {"id":5,"result":{"isError":true}}
        > {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"echo",$META}}
        < {"id":6,"result":{"isError":true}}
        > {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":null,$META}}
        < {"id":7,"result":{"isError":true}}
        > {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"echo","arguments":[],$META}}
        < {"id":8,"error":{"code":-32602}}
        > {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"arguments":{},$META}}
        < {"id":9,"error":{"code":-32602}}
        > {"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"nothing",$ALL}}
        < {"id":10,"error":{"code":-32603}}
        > {"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"disorder",$ALL}}
        < {"id":11,"error":{"code":-32603}}
        > {"jsonrpc":"2.0","id":"11b","method":"tools/call","params":{"name":"muddle",$META}}
        < {"id":"11b","error":{"code":-32603}}
        > {"jsonrpc":"2.0","id":"11c","method":"tools/call","params":{"name":"twice",$META}}
        < {"id":"11c","error":{"code":-32603}}
        > {"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"long","arguments":{"bytes":9000},$META}}
        < {"id":12,"error":{"code":-32603,"data":{"limit":8191}}}
        > {"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"name":"empty","arguments":{},$META}}
        < {"id":13,"result":{"content":[]}}
    "#,
    )
    .check();
}

#[test]
fn an_id_names_one_open_request() {
    modern(
        "a deferred call and a subscription hold their ids, and give them back",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"later",$META}}
        > {"jsonrpc":"2.0","id":"1","method":"prompts/list","params":{$META}}
        < {"id":"1","result":{}}
        > {"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{$META}}
        < {"id":1,"error":{"code":-32600}}
        > {"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{},$META}}
        < {"method":"notifications/subscriptions/acknowledged"}
        > {"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{},$META}}
        < {"id":2,"error":{"code":-32600}}
        ! complete 0 done
        < {"id":1,"result":{"content":[{"text":"done"}]}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}
        > {"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{$META}}
        < {"id":1,"result":{}}
        > {"jsonrpc":"2.0","id":2,"method":"prompts/list","params":{$META}}
        < {"id":2,"result":{}}
    "#,
    )
    .check();
}
