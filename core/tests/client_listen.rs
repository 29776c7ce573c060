//! Subscriptions: transcripts of a modern server.
#![cfg(feature = "client")]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod client_support;

use client_support::Step::{At, Do, Eof, In, Is, Out};
use client_support::{Action, CONNECTED, MODERN, PROBE, Step, config, play};
use umcp::client::{ListenFilter, Options, Refused};

const FILTER: ListenFilter<'static> =
    ListenFilter { tools: true, prompts: true, resources: true, uris: &["a://1", "a://2"] };
const LISTEN: &str = r#"{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["a://1","a://2"]},%M}}"#;
const BEGUN: &str = r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2},"notifications":{"toolsListChanged":true}}}"#;
const SAID: &str = r#"begun 2 {"toolsListChanged":true}"#;
const CANCELLED: &str = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;

fn modern(steps: &[Step<'_>]) {
    play(config(), &[&[Out(PROBE), In(MODERN), Is(CONNECTED)], steps].concat());
}

fn note(name: &str, id: &str, uri: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/{name}","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}{uri}}}}}"#
    )
}

fn listen(conn: &mut umcp::client::Connection<'_>, now: umcp::time::Instant) {
    conn.listen(&FILTER, Options::DEFAULT, now).expect("sent");
}

#[test]
fn a_subscription_from_beginning_to_end() {
    modern(&[
        Do(listen),
        Out(LISTEN),
        In(BEGUN),
        Is(SAID),
        // It has no deadline any longer.
        At(1_000_000),
        In(&note("tools/list_changed", "2", "")),
        Is("changed 2 Tools"),
        In(&note("prompts/list_changed", "2", "")),
        Is("changed 2 Prompts"),
        In(&note("resources/list_changed", "2", "")),
        Is("changed 2 Resources"),
        In(&note("resources/updated", "2", r#","uri":"a:\/\/1""#)),
        Is("updated 2 a://1"),
        In(&note("resources/updated", "2", "")),
        Is("ignored MalformedNotification"),
        In(&note("tools/list_changed", "3", "")),
        Is("ignored UnknownSubscription"),
        In(&note("tools/list_changed", "\"2\"", "")),
        Is("ignored UnknownSubscription"),
        In(BEGUN),
        Is("ignored UnknownSubscription"),
        In(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#),
        Is("changed - Tools"),
        In(r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete"}}"#),
        Is("ended 2 Graceful"),
        In(&note("tools/list_changed", "2", "")),
        Is("ignored UnknownSubscription"),
    ]);
}

#[test]
fn nothing_comes_before_the_acknowledgement() {
    modern(&[
        Do(listen),
        Out(LISTEN),
        In(&note("tools/list_changed", "2", "")),
        Is("ignored UnknownSubscription"),
        In(BEGUN),
        Is(SAID),
        In(&note("tools/list_changed", "2", "")),
        Is("changed 2 Tools"),
    ]);
}

#[test]
fn the_ways_it_ends() {
    let torn = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
    modern(&[
        Do(listen),
        Out(LISTEN),
        In(BEGUN),
        Is(SAID),
        In(torn),
        Is("ended 2 TornDown"),
        In(torn),
        Is("ignored UnknownSubscription"),
    ]);
    modern(&[Do(listen), Out(LISTEN), In(torn), Is("ended 2 TornDown")]);
    modern(&[Do(listen), Out(LISTEN), In(BEGUN), Is(SAID), Eof, Is("ended 2 Lost"), Is("closed")]);
    modern(&[Do(listen), Out(LISTEN), Eof, Is("ended 2 Lost"), Is("closed")]);
    let error = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}"#;
    modern(&[Do(listen), Out(LISTEN), In(error), Is("error 2 -32601: no")]);
    let early = r#"{"jsonrpc":"2.0","id":2,"result":{}}"#;
    modern(&[Do(listen), Out(LISTEN), In(early), Is("ended 2 Graceful")]);
    modern(&[
        Do(listen),
        Out(LISTEN),
        At(30_000),
        Is("timeout 2"),
        Out(CANCELLED),
        In(BEGUN),
        Is("ignored UnknownSubscription"),
    ]);
    modern(&[Do(listen), Out(LISTEN), In(r#"{"jsonrpc":"2.0","id":2}"#), Is("lost 2 NotAnAnswer(Shape)")]);
}

#[test]
fn the_caller_closes_it() {
    let close: Action = |conn, now| {
        let handle = conn.listen(&FILTER, Options::DEFAULT, now).expect("sent");
        conn.close_listen(handle, FILTER.uris, now).expect("open");
        assert_eq!(conn.close_listen(handle, FILTER.uris, now), Err(Refused::NothingHeld), "once");
    };
    modern(&[
        Do(close),
        Is("ended 2 Closed"),
        Out(LISTEN),
        Out(CANCELLED),
        In(BEGUN),
        Is("ignored UnknownSubscription"),
        At(60_000),
    ]);
}

#[test]
fn the_table_is_full() {
    modern(&[
        Do(|conn, now| {
            let filter = ListenFilter { tools: true, ..ListenFilter::default() };
            let handles = [(); 2].map(|()| conn.listen(&filter, Options::DEFAULT, now).expect("room"));
            assert_eq!(conn.listen(&filter, Options::DEFAULT, now), Err(Refused::TableFull));
            assert!(handles.iter().all(|handle| conn.is_open(*handle)));
        }),
        Out(&LISTEN.replace(
            r#","promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["a://1","a://2"]"#,
            "",
        )),
        Out(&LISTEN.replace(":2,", ":3,").replace(
            r#","promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["a://1","a://2"]"#,
            "",
        )),
    ]);
}
