//! Log messages: only where they are asked for, and only of a server that declares them.

use umcp_tests::board::NO_LOGGING;
use umcp_tests::script::{legacy, modern};

const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

#[test]
fn a_request_asks_for_its_own() {
    for (rank, least) in LEVELS.into_iter().enumerate() {
        let told: String = LEVELS[rank..]
            .iter()
            .map(|level| format!("< {{\"method\":\"notifications/message\",\"params\":{{\"level\":\"{level}\",\"logger\":\"board\",\"data\":\"{level}\"}}}}\n"))
            .collect();
        let script = format!(
            r#"
            > {{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"chatty","_meta":{{"io.modelcontextprotocol/logLevel":"{least}",$BARE}}}}}}
            {told}
            < {{"method":"notifications/message","params":{{"level":"emergency","data":{{"n":1}}}}}}
            < {{"id":1,"result":{{"content":[{{"text":"{}"}}]}}}}
            > {{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"chatty",$META}}}}
            < {{"id":2,"result":{{"content":[{{"text":"0"}}]}}}}
        "#,
            9 - rank
        );
        modern(least, &script).check();
    }
}

#[test]
fn a_level_that_is_none_is_refused() {
    for level in ["\"verbose\"", "\"INFO\"", "\"\"", "5", "null", "{}"] {
        let script = format!(
            r#"
            > {{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"chatty","_meta":{{"io.modelcontextprotocol/logLevel":{level},$BARE}}}}}}
            < {{"id":1,"error":{{"code":-32602}}}}
        "#
        );
        modern(level, &script).check();
        modern(level, &script).catalog(&NO_LOGGING).check();
        let script = format!(
            r#"
            > {{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{{"level":{level}}}}}
            < {{"id":1,"error":{{"code":-32602}}}}
        "#
        );
        legacy("2025-11-25", level, &script).check();
    }
}

#[test]
fn what_is_not_declared_is_not_sent() {
    modern("2026-07-28, Logging: a server that emits log messages MUST declare it", r#"
        > {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$META}}
        < {"id":1,"result":{"capabilities":{"logging":"$absent"}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"chatty","_meta":{"io.modelcontextprotocol/logLevel":"debug",$BARE}}}
        < {"id":2,"result":{"content":[{"text":"0"}]}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"later","_meta":{"io.modelcontextprotocol/logLevel":"debug",$BARE}}}
        ! log 0 alert red
        * served server/discover
        * served tools/call
        * served tools/call
        * log 0 alert red = false
    "#).catalog(&NO_LOGGING).check();
}

#[test]
fn a_deferred_call_keeps_its_level() {
    modern("until it is answered", r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"later","_meta":{"io.modelcontextprotocol/logLevel":"warning",$BARE}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"later",$META}}
        ! log 0 info quiet
        ! log 0 warning loud
        < {"method":"notifications/message","params":{"level":"warning","data":"loud"}}
        ! log 1 emergency nobody
        ! complete 0 done
        < {"id":1,"result":{}}
        ! log 0 emergency late
        * served tools/call
        * served tools/call
        * log 0 info quiet = false
        * log 0 warning loud = true
        * log 1 emergency nobody = false
        * complete 0 done = done
        * log 0 emergency late = Ended
    "#).check();
}

#[test]
fn a_legacy_connection_has_one_level() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        legacy(
            revision,
            "none until it is set; it does not reach modern requests, nor survive a handshake",
            r#"
            > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"chatty"}}
            < {"id":1,"result":{"content":[{"text":"0"}]}}
            > {"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"alert"}}
            < {"id":2,"result":{}}
            > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"chatty"}}
            < {"method":"notifications/message","params":{"level":"alert"}}
            < {"method":"notifications/message","params":{"level":"emergency"}}
            < {"method":"notifications/message","params":{"level":"emergency","data":{"n":1}}}
            < {"id":3,"result":{"content":[{"text":"3"}]}}
            > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"chatty",$META}}
            < {"id":4,"result":{"content":[{"text":"0"}]}}
            > {"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}
            < {"id":5,"result":{"protocolVersion":"2025-06-18"}}
            > {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"chatty"}}
            < {"id":6,"result":{"content":[{"text":"0"}]}}
        "#,
        )
        .check();
    }
}
