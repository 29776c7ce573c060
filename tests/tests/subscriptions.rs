//! Subscriptions: acknowledged first, told what was asked for and supported and nothing else, ended properly.

use umcp::server::Endpoint;
use umcp_tests::board::{FULL, NO_LOGGING, READ_ONLY, SMALL, TEMPLATES_ONLY};
use umcp_tests::player::{Memory, Player, Sizes};
use umcp_tests::script::{legacy, modern};

#[test]
fn acknowledged_first_and_only_what_is_supported() {
    modern("everything", r#"
        > {"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["board://led","board://pin/3","board://led"]},$META}}
        < {"method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"},"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["board://led","board://pin/3"]}}}
        ! updated board://led
        < {"method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"},"uri":"board://led"}}
        ! changed tools
        < {"method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}
        ! changed prompts
        < {"method":"notifications/prompts/list_changed"}
        ! changed resources
        < {"method":"notifications/resources/list_changed"}
        ! changed resourceTemplates
        < {"method":"notifications/resources/list_changed"}
        ! updated board://pin/3
        < {"method":"notifications/resources/updated","params":{"uri":"board://pin/3"}}
        ! updated board://pin/4
        ! updated board://photo
    "#).check();
    modern("nothing, false, unknown, unchanging, missing", r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":false,"x":null,"resourceSubscriptions":["board://log","board://none","file:///x","",""]},$META}}
        < {"method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":"$absent","promptsListChanged":"$absent","resourcesListChanged":"$absent","resourceSubscriptions":"$absent"}}}
        ! changed tools
        ! changed prompts
        ! updated board://log
    "#).check();
    modern("a list that this server does not announce", r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["board://led"]},$META}}
        < {"method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true,"promptsListChanged":"$absent","resourceSubscriptions":"$absent"}}}
        ! changed prompts
        ! changed tools
        < {"method":"notifications/tools/list_changed"}
    "#).catalog(&NO_LOGGING).check();
}

#[test]
fn whichever_way_something_can_change_it_is_told() {
    modern("a template alone", r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["board://pin/3","board://led"]},$META}}
        < {"method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":"$absent","resourceSubscriptions":["board://pin/3"]}}}
        ! updated board://pin/3
        < {"method":"notifications/resources/updated","params":{"uri":"board://pin/3"}}
    "#).catalog(&TEMPLATES_ONLY).check();
    modern("a server where nothing can", r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["board://led"]},$META}}
        < {"method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":"$absent","resourceSubscriptions":"$absent"}}}
        ! changed tools
        ! updated board://led
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},$META}}
        < {"id":1,"error":{"code":-32600}}
        > {"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":5},$META}}
        < {"id":2,"error":{"code":-32602}}
    "#).catalog(&SMALL).check();
    legacy(
        "2025-06-18",
        "nor is there a method for it",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"board://led"}}
        < {"id":1,"error":{"code":-32601}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/unsubscribe","params":{"uri":"board://led"}}
        < {"id":2,"error":{"code":-32601}}
    "#,
    )
    .catalog(&SMALL)
    .check();
}

#[test]
fn a_malformed_filter_is_refused() {
    for filter in [
        "5",
        "[]",
        "\"x\"",
        r#"{"toolsListChanged":1}"#,
        r#"{"resourcesListChanged":null}"#,
        r#"{"promptsListChanged":"yes"}"#,
        r#"{"resourceSubscriptions":{}}"#,
        r#"{"resourceSubscriptions":[5]}"#,
    ] {
        let script = format!(
            r#"
            > {{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{{"notifications":{filter},$META}}}}
            < {{"id":1,"error":{{"code":-32602}}}}
        "#
        );
        modern(filter, &script).check();
    }
    modern(
        "a missing filter, and the legacy era, which has no such method",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{$META}}
        < {"id":1,"error":{"code":-32602}}
        > {"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":null,$META}}
        < {"id":2,"error":{"code":-32602}}
    "#,
    )
    .check();
    legacy(
        "2025-11-25",
        "there is no such method",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{}}}
        < {"id":1,"error":{"code":-32601}}
    "#,
    )
    .check();
}

#[test]
fn several_and_their_ends() {
    modern("each has its own news; a cancelled one has none; there is room again", r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},$META}}
        > {"jsonrpc":"2.0","id":"1","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["board://led"]},$META}}
        < {"method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}
        < {"method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"1"}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"touch","arguments":{"uri":"board://led"},$META}}
        < {"id":2,"result":{"content":[{"text":"touched"}]}}
        < {"method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"1"},"uri":"board://led"}}
        ! changed tools
        < {"method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}
        < {"method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"1"}}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"grow","arguments":{"list":"tools"},$META}}
        < {"id":3,"result":{}}
        < {"method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"1"}}}
    "#).check();
    modern("the table is full", r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},$META}}
        > {"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{},$META}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        > {"jsonrpc":"2.0","id":3,"method":"subscriptions/listen","params":{"notifications":{},$META}}
        < {"method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}
        < {"id":2,"error":{"code":-32603}}
        < {"method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":3}}}
        * served subscriptions/listen
        * served subscriptions/listen Busy
        * served subscriptions/listen
        * served subscriptions/listen
    "#).small_tables().check();
    modern("more URIs than are kept: the acknowledgement tells which", r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["board://pin/$1(200)","board://pin/$2(200)","board://led"]},$META}}
        < {"params":{"notifications":{"resourceSubscriptions":["board://pin/$1(200)","board://led"]}}}
    "#).check();
}

/// A graceful end: the response to the request, and, since the server tears it down, the notification.
#[test]
fn the_server_ends_them() {
    // In the smaller one the acknowledgement fits, but the end does not.
    for transmit in [230, 4096] {
        modern("in pieces where the buffer is small", r#"
            > {"jsonrpc":"2.0","id":"$i(62)","method":"subscriptions/listen","params":{"notifications":{},$META}}
            > {"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{},$META}}
            < {"method":"notifications/subscriptions/acknowledged"}
            < {"method":"notifications/subscriptions/acknowledged"}
            ! end
            < {"id":"$i(62)","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"$i(62)","io.modelcontextprotocol/serverInfo":{"name":"proof"}}}}
            < {"method":"notifications/cancelled","params":{"requestId":"$i(62)"}}
            < {"id":2,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}
            < {"method":"notifications/cancelled","params":{"requestId":2}}
            ! end
            ! changed tools
            > {"jsonrpc":"2.0","id":2,"method":"prompts/list","params":{$META}}
            < {"id":2,"result":{}}
        "#).transmit(transmit).check();
    }
}

#[test]
fn news_that_waits_is_told_once() {
    let mut memory = Memory::new(Sizes::default());
    let mut player = Player::new(&FULL, &mut memory, usize::MAX);
    player.receive(LISTEN);
    for _ in 0..5 {
        player.endpoint.resource_updated("board://led");
        player.endpoint.list_changed(umcp::mcp::List::Tools);
        player.endpoint.resource_updated("board://pin/1");
    }
    player.settle();
    assert_eq!(
        methods(&player.out),
        [
            "notifications/subscriptions/acknowledged",
            "notifications/resources/updated board://led",
            "notifications/tools/list_changed",
            "notifications/resources/updated board://pin/1",
        ]
    );
}

/// More resources change than are remembered one by one: nobody who listens to one misses it.
#[test]
fn no_change_is_missed_in_a_flood() {
    for flood in [10, 16, 17, 40] {
        let mut memory = Memory::new(Sizes::default());
        let mut player = Player::new(&FULL, &mut memory, usize::MAX);
        player.receive(LISTEN);
        player.endpoint.resource_updated("board://pin/1");
        for n in 0..flood {
            player.endpoint.resource_updated(&format!("board://pin/{}", 100 + n));
        }
        player.endpoint.list_changed(umcp::mcp::List::Tools);
        player.settle();
        let told = methods(&player.out);
        assert!(told.contains(&"notifications/resources/updated board://pin/1".to_owned()), "{flood}: {told:?}");
        assert!(told.contains(&"notifications/tools/list_changed".to_owned()), "{flood}: {told:?}");
        assert!(told.len() <= 4, "{flood}: {told:?}");
    }
}

/// A tool called on one connection reaches those who listen on another.
#[test]
fn two_connections_on_one_endpoint() {
    let (mut memory_a, mut memory_b) = (Memory::new(Sizes::default()), Memory::new(Sizes::default()));
    let mut a = Player::new(&FULL, &mut memory_a, usize::MAX);
    let mut b = Player::new(&FULL, &mut memory_b, usize::MAX);
    b.receive(LISTEN);
    let mut shared = std::mem::replace(&mut b.endpoint, Endpoint::new(&FULL));
    std::mem::swap(&mut a.endpoint, &mut shared);
    a.receive(TOUCH);
    std::mem::swap(&mut a.endpoint, &mut shared);
    b.endpoint = shared;
    b.settle();
    assert_eq!(methods(&a.out), ["result"]);
    assert_eq!(
        methods(&b.out),
        ["notifications/subscriptions/acknowledged", "notifications/resources/updated board://led"]
    );
}

const LISTEN: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["board://led","board://pin/1"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
"#;
const TOUCH: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"touch","arguments":{"uri":"board://led"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
"#;

/// What each line is, and the URI it is about.
fn methods(out: &[u8]) -> Vec<String> {
    let describe = |line: &[u8]| {
        let message: serde_json::Value = serde_json::from_slice(line).expect("JSON");
        let method = message["method"].as_str().unwrap_or("result");
        message["params"]["uri"].as_str().map_or(method.to_owned(), |uri| format!("{method} {uri}"))
    };
    out.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).map(describe).collect()
}

#[test]
fn legacy_connections_subscribe_one_by_one() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        legacy(
            revision,
            "subscribed, told, unsubscribed; lists without asking",
            r#"
            ! updated board://led
            ! changed tools
            < {"method":"notifications/tools/list_changed","params":"$absent"}
            > {"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"board://led"}}
            < {"id":1,"result":{}}
            > {"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"board://pin/9"}}
            < {"id":2,"result":{}}
            > {"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"board://log"}}
            < {"id":3,"result":{}}
            > {"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"board://none"}}
            < {"id":4,"error":{"code":-32002,"data":{"uri":"board://none"}}}
            > {"jsonrpc":"2.0","id":5,"method":"resources/subscribe","params":{"uri":5}}
            < {"id":5,"error":{"code":-32602}}
            > {"jsonrpc":"2.0","id":6,"method":"resources/unsubscribe","params":{}}
            < {"id":6,"error":{"code":-32602}}
            ! updated board://led
            < {"method":"notifications/resources/updated","params":{"uri":"board://led","_meta":"$absent"}}
            ! updated board://log
            ! updated board://pin/9
            < {"method":"notifications/resources/updated","params":{"uri":"board://pin/9"}}
            > {"jsonrpc":"2.0","id":7,"method":"resources/unsubscribe","params":{"uri":"board://led"}}
            < {"id":7,"result":{}}
            > {"jsonrpc":"2.0","id":8,"method":"resources/unsubscribe","params":{"uri":"board://led"}}
            < {"id":8,"result":{}}
            ! updated board://led
            ! updated board://pin/9
            < {"method":"notifications/resources/updated","params":{"uri":"board://pin/9"}}
            ! changed resources
            < {"method":"notifications/resources/list_changed"}
            ! changed prompts
            < {"method":"notifications/prompts/list_changed"}
            ! end
            ! changed prompts
            < {"method":"notifications/prompts/list_changed"}
        "#,
        )
        .check();
    }
    legacy(
        "2025-06-18",
        "more than is kept is refused, and the rest goes on",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"board://pin/$1(200)"}}
        < {"id":1,"result":{}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"board://pin/$2(200)"}}
        < {"id":2,"error":{"code":-32603}}
        > {"jsonrpc":"2.0","id":3,"method":"resources/unsubscribe","params":{"uri":"board://pin/$1(200)"}}
        < {"id":3,"result":{}}
        > {"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"board://pin/$2(200)"}}
        < {"id":4,"result":{}}
    "#,
    )
    .check();
    legacy(
        "2025-06-18",
        "a table that a modern subscription has filled",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},$META}}
        < {"method":"notifications/subscriptions/acknowledged"}
        > {"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"board://led"}}
        < {"id":2,"error":{"code":-32603}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        > {"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"board://led"}}
        < {"id":3,"result":{}}
        ! changed resources
        ! updated board://led
        < {"method":"notifications/resources/updated","params":{"uri":"board://led"}}
    "#,
    )
    .catalog(&READ_ONLY)
    .small_tables()
    .check();
    legacy("2025-06-18", "both eras on one pipe", r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"board://led"}}
        > {"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["board://led"]},$META}}
        < {"id":1,"result":{"_meta":"$absent","resultType":"$absent"}}
        < {"method":"notifications/subscriptions/acknowledged"}
        ! updated board://led
        < {"method":"notifications/resources/updated","params":{"uri":"board://led","_meta":"$absent"}}
        < {"method":"notifications/resources/updated","params":{"uri":"board://led","_meta":{"io.modelcontextprotocol/subscriptionId":2}}}
    "#).check();
}
