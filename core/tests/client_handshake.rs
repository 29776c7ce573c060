//! Which era? Transcripts of the probe and the handshake.
#![cfg(feature = "client")]
#![cfg_attr(not(feature = "legacy"), allow(unused_imports, dead_code, reason = "part of it is for the legacy era"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod client_support;

use client_support::Step::{At, Do, Eof, In, Is, Out, Raw};
use client_support::{CONNECTED, META, MODERN, PROBE, config, play};
use umcp::client::{Config, Options, Refused, Verdict};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const LEGACY: &str = r#"{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}}"#;
const OLD: &str = "connected 2025-06-18 old 1";

#[test]
fn a_modern_server() {
    play(config(), &[Out(PROBE), In(MODERN), Is(CONNECTED), Eof, Is("closed")]);
    // It may speak more than one version.
    let versions = r#"{"result":{"supportedVersions":["2027-01-01","2026-07-28"]},"id":1,"jsonrpc":"2.0"}"#;
    play(config(), &[Out(PROBE), In(versions), Is("connected 2026-07-28  ")]);
}

#[test]
fn no_common_version() {
    let newer = r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2027-01-01"]}}"#;
    play(config(), &[Out(PROBE), In(newer), Is(r#"failed NoCommonVersion ["2027-01-01"]"#), Eof, Is("closed")]);
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["2027-01-01"],"requested":"2026-07-28"}}}"#;
    play(config(), &[Out(PROBE), In(error), Is(r#"failed NoCommonVersion -32022: no["2027-01-01"]"#)]);
}

#[test]
fn a_modern_error_is_never_a_reason_to_fall_back() {
    let again = |id: u32| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32022,"message":"x","data":{{"supported":["2026-07-28"]}}}}}}"#
        )
    };
    let second = PROBE.replace(":1,", ":2,");
    let answer = MODERN.replace(r#""id":1"#, r#""id":2"#);
    play(config(), &[Out(PROBE), In(&again(1)), Out(&second), In(&answer), Is(CONNECTED)]);
    // Not for ever.
    play(config(), &[Out(PROBE), In(&again(1)), Out(&second), In(&again(2)), Is("failed ProbeRefused -32022: x")]);
    for code in [-32020, -32021] {
        let error = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"m"}}}}"#);
        play(config(), &[Out(PROBE), In(&error), Is(&format!("failed ProbeRefused {code}: m"))]);
    }
}

#[cfg(feature = "legacy")]
mod legacy {
    use super::*;

    #[test]
    fn whatever_else_answers_the_probe_means_legacy() {
        let answers = [
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"initialize first"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":""}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{}}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}"#,
            r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":"2026-07-28"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","supportedVersions":["2026-07-28"]}}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"id":1,"result":{"supportedVersions":["2026-07-28"]}}"#,
        ];
        for answer in answers {
            play(config(), &[Out(PROBE), In(answer), Out(INITIALIZE), In(LEGACY), Is(OLD), Out(INITIALIZED)]);
        }
    }

    #[test]
    fn silence_means_legacy_and_a_late_answer_is_ignored() {
        let late_error = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"?"}}"#;
        play(
            config(),
            &[
                Out(PROBE),
                At(4_999),
                At(5_000),
                Out(INITIALIZE),
                In(late_error),
                Is("ignored Anonymous"),
                In(MODERN),
                Is("ignored Late"),
                In(LEGACY),
                Is(OLD),
                Out(INITIALIZED),
            ],
        );
    }

    #[test]
    fn noise_decides_nothing() {
        play(
            config(),
            &[
                Out(PROBE),
                In("Server version: 1.0"),
                Is("ignored Noise"),
                In("[db] connected"),
                Is("ignored Noise"),
                In(r#"{"status":200,"message":"Success","results":[]}"#),
                Is("ignored NotAMessage(Version)"),
                Raw(b"\xFF\xFE\n"),
                Is("ignored Noise"),
                In(""),
                In("7"),
                Is("ignored NotAMessage(NotAnObject)"),
                In("[]"),
                Is("ignored NotAMessage(Batch)"),
                In(r#"{"jsonrpc":"2.0","id":5,"method":"ping"}"#),
                Is("ignored ServerRequest"),
                In(MODERN),
                Is(CONNECTED),
            ],
        );
    }

    #[test]
    fn versions_of_the_handshake() {
        for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
            let answer = LEGACY.replace("2025-06-18", version);
            let config = Config { verdict: Some(Verdict::Legacy), ..config() };
            let (first, answer) = (INITIALIZE.replace(":2,", ":1,"), answer.replace(r#""id":2"#, r#""id":1"#));
            let connected = OLD.replace("2025-06-18", version);
            play(config, &[Out(&first), In(&answer), Is(&connected), Out(INITIALIZED)]);
        }
        for version in ["2026-07-28", "1.0", ""] {
            let answer = LEGACY.replace("2025-06-18", version);
            let failed = format!("failed NoCommonVersion {version:?}");
            play(config(), &[Out(PROBE), At(5_000), Out(INITIALIZE), In(&answer), Is(&failed), Eof, Is("closed")]);
        }
    }

    #[test]
    fn a_handshake_that_fails() {
        let table = [
            (r#"{"jsonrpc":"2.0","id":2,"result":{}}"#, "failed Handshake(Malformed) "),
            (r#"{"jsonrpc":"2.0","id":2,"result":[]}"#, "failed Handshake(Malformed) "),
            (r#"{"jsonrpc":"2.0","id":2}"#, "failed Handshake(NotAnAnswer(Shape)) "),
        ];
        for (answer, failed) in table {
            play(config(), &[Out(PROBE), At(5_000), Out(INITIALIZE), In(answer), Is(failed)]);
        }
        // initialize is not cancelled.
        play(
            config(),
            &[Out(PROBE), At(5_000), Out(INITIALIZE), At(34_999), At(35_000), Is("failed HandshakeTimedOut ")],
        );
    }

    #[test]
    fn a_handshake_that_is_refused() {
        let not_modern = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"?"}}"#;
        let refused = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"no"}}"#;
        let failed = "failed HandshakeRefused -32603: no";
        play(config(), &[Out(PROBE), In(not_modern), Out(INITIALIZE), In(refused), Is(failed)]);
    }

    #[test]
    fn a_modern_server_that_was_slow_to_answer_is_asked_once_more() {
        let refused =
            r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}}"#;
        let probe = PROBE.replace(":1,", ":3,");
        let answer = MODERN.replace(r#""id":1"#, r#""id":3"#);
        let slow = [Out(PROBE), At(5_000), Out(INITIALIZE)];
        let late = [In(MODERN), Is("ignored Late")];
        let again = [In(refused), Out(&probe), In(&answer), Is(CONNECTED)];
        play(config(), &[&slow[..], &late, &again].concat());
        play(config(), &[&slow[..], &again].concat());
        // It may have refused at length.
        let at_length = refused.replace(r#""no""#, &format!("{:?}", "n".repeat(2_000)));
        play(config(), &[&slow[..], &[In(&at_length)], &again[1..]].concat());
        // Not for ever, whether it answers or not.
        let (second, third) = (INITIALIZE.replace(":2,", ":4,"), refused.replace(":2,", ":4,"));
        let error = r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"?"}}"#;
        let failed = "failed HandshakeRefused -32022: no";
        let gone = [Out(&second), In(&third), Is(failed)];
        play(config(), &[&slow[..], &again[..2], &[In(error)], &gone].concat());
        play(config(), &[&slow[..], &again[..2], &[At(10_000)], &gone].concat());
    }

    #[test]
    fn a_legacy_verdict_that_no_longer_holds() {
        let config = Config { verdict: Some(Verdict::Legacy), ..config() };
        let (first, probe) = (INITIALIZE.replace(":2,", ":1,"), PROBE.replace(":1,", ":2,"));
        let refused = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no handshake here"}}"#;
        let answer = MODERN.replace(r#""id":1"#, r#""id":2"#);
        play(config, &[Out(&first), In(refused), Out(&probe), In(&answer), Is(CONNECTED)]);
    }

    #[test]
    fn a_server_that_exits_on_the_probe() {
        play(config(), &[Out(PROBE), Eof, Is("probe exited"), Is("closed")]);
        let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"m"}}"#;
        play(config(), &[Out(PROBE), In(error), Out(INITIALIZE), Eof, Is("probe exited"), Is("closed")]);
        // Straight with initialize, a second exit is an exit.
        let config = Config { verdict: Some(Verdict::Legacy), ..config() };
        play(config, &[Out(&INITIALIZE.replace(":2,", ":1,")), Eof, Is("closed")]);
    }
}

#[test]
fn a_modern_verdict_spares_the_probe() {
    let config = Config { verdict: Some(Verdict::Modern), ..config() };
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{%M}}"#;
    play(
        config,
        &[
            Is("connected 2026-07-28  "),
            Do(|conn, now| {
                conn.list(umcp::mcp::List::Tools, None, Options::DEFAULT, now).expect("ready");
            }),
            Out(ping),
        ],
    );
}

#[test]
fn nothing_is_sent_before_its_time() {
    play(
        config(),
        &[
            Out(PROBE),
            Do(|conn, now| assert_eq!(conn.call("x", &(), Options::DEFAULT, now), Err(Refused::NotReady))),
            In(MODERN),
            Is(CONNECTED),
            Eof,
            Is("closed"),
            Do(|conn, now| assert_eq!(conn.call("x", &(), Options::DEFAULT, now), Err(Refused::Closed))),
        ],
    );
}

#[test]
fn the_ways_a_first_message_does_not_fit() {
    use client_support::Rig;
    use umcp::client::Memory;
    let mut memory: Memory<512, 100> = Memory::new();
    let mut rig = Rig::new(memory.lend(), config());
    let needed = PROBE.replace("%M", META).len() + 1;
    assert_eq!(rig.next_event(), Some(format!("failed Capacity {{ needed: {needed} }} ")));
    assert_eq!(rig.next_sent(), None);
    // An answer that is too long shows a server that knows the method.
    let mut memory: Memory<100, 512> = Memory::new();
    let mut rig = Rig::new(memory.lend(), config());
    rig.feed([MODERN.as_bytes(), b"\n"].concat().as_slice());
    assert_eq!(rig.next_event().as_deref(), Some("failed Handshake(TooLong { limit: 99 }) "));
}
