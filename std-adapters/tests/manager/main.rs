//! Several servers: slow ones, dead ones, ones that change their minds, and many.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::result_large_err, reason = "a test fails by panicking")]

mod rig;

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use umcp::mcp::List;
use umcp_std::ManagerError;
use umcp_std::manager::{Found, Status, THREADS};

use rig::{Fleet, PATIENCE, PRIVATE, PUBLIC, STALE, call, names};

#[test]
fn many_are_connected_side_by_side_on_few_threads() {
    let mut fleet = Fleet::new();
    let servers: Vec<String> = (10..40).map(|number| format!("s{number}")).collect();
    for server in &servers {
        fleet = fleet.server(server, &[server]);
        fleet.set(server, "delay", "0.1");
    }
    let manager = fleet.manager();
    let start = Instant::now();
    manager.start();
    let (mut most, mut connected) = (0, 0);
    while connected < servers.len() {
        assert!(start.elapsed() < PATIENCE, "{manager:?}");
        let states: Vec<Status> = servers.iter().map(|server| manager.status(server).unwrap()).collect();
        most = most.max(states.iter().filter(|state| matches!(state, Status::Connecting)).count());
        connected = states.iter().filter(|state| matches!(state, Status::Connected)).count();
        thread::sleep(Duration::from_millis(1));
    }
    assert!((2..=THREADS).contains(&most), "{most} at once");
    assert_eq!(names(&manager), (servers.clone(), 0));
    assert_eq!(call(&manager, "s39").unwrap(), "this is s39");
    assert_eq!(manager.close().len(), servers.len());
    assert!(servers.iter().all(|server| fleet.count(server, "start") == 1));
}

#[test]
fn what_fails_is_named_and_holds_nobody_up() {
    let fleet = Fleet::new()
        .server("good", &["echo"])
        .entry("absent", json!({ "command": "umcp-no-such-program" }))
        .entry("deadly", json!({ "command": "sh", "args": ["-c", "echo its last words >&2; exit 7"] }))
        .entry("pigeon", json!({ "type": "pigeon" }))
        .entry("remote", json!({ "url": "http://127.0.0.1:1/mcp" }));
    let manager = fleet.manager();
    manager.start();
    let listing = manager.tools();
    assert_eq!(listing.entries.iter().map(|listed| listed.name.as_str()).collect::<Vec<_>>(), ["echo"]);
    let problems: Vec<(&str, String)> =
        listing.problems.iter().map(|problem| (problem.server().unwrap(), problem.to_string())).collect();
    let expected = [
        ("absent", "there is no program of this name"),
        ("deadly", "its last words"),
        ("pigeon", "`pigeon` is unknown"),
        ("remote", "cannot reach 127.0.0.1:1"),
    ];
    for ((server, text), (expected_server, expected)) in problems.iter().zip(expected) {
        assert_eq!(*server, expected_server);
        assert!(text.contains(&format!("server `{server}`")) && text.contains(expected), "{text}");
    }
    assert_eq!(problems.len(), expected.len());
    assert_eq!(call(&manager, "echo").unwrap(), "this is good");
    assert!(matches!(manager.status("absent"), Ok(Status::Gone(ManagerError::NotConnected { .. }))));
    // The one that is looked for may be one of theirs.
    let Err(ManagerError::Unknown { problems, .. }) = call(&manager, "other") else { panic!() };
    assert_eq!(problems.len(), expected.len());
    assert!(matches!(manager.ask("nobody", |client| client.ping()), Err(ManagerError::Config(_))));
    assert!(matches!(manager.ask("pigeon", |client| client.ping()), Err(ManagerError::Config(_))));
}

#[test]
fn a_saved_list_stands_in_while_a_slow_server_starts() {
    let fleet = Fleet::new().server("slow", &["first"]);
    fleet.set("slow", "hints", PUBLIC);
    assert_eq!(names(&fleet.manager()), (vec!["first".to_owned()], 0));
    // Later it is slow, and has other tools.
    fleet.set("slow", "delay", "0.7");
    fleet.tools("slow", &["first", "second"]);
    let manager = fleet.manager();
    manager.start();
    let start = Instant::now();
    let listing = manager.tools();
    assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
    assert_eq!(listing.entries.len(), 1);
    assert_eq!(listing.entries[0].entry.json(), r#"{"name":"first","max":1e400}"#, "as the server wrote it");
    assert_eq!(call(&manager, "first").unwrap(), "this is slow");
    assert!(start.elapsed() > Duration::from_millis(500), "the call has waited");
    assert_eq!(names(&manager).0, ["first", "second"], "what is connected is asked anew");
    assert_eq!((fleet.count("slow", "start"), fleet.count("slow", "list")), (2, 2));
}

#[test]
fn lists_that_do_not_stand_in() {
    // Hints, what is done to the file, and whether the list stands in.
    type Spoil = fn(&Fleet);
    let brief = r#","ttlMs":50,"cacheScope":"public""#;
    let table: &[(&str, Spoil, bool)] = &[
        (PUBLIC, |_| {}, true),
        (PRIVATE, |_| {}, false),
        (STALE, |_| {}, false),
        ("", |_| {}, false),
        (brief, |_| thread::sleep(Duration::from_millis(80)), false),
        (PUBLIC, |fleet| fs::write(fleet.saved(), "{").unwrap(), false),
        (PUBLIC, |fleet| edit(fleet, "\"version\":1", "\"version\":2"), false),
        (PUBLIC, |fleet| edit(fleet, "\"entry\":\"", "\"entry\":\"0"), false),
        (PUBLIC, |fleet| edit(fleet, "{\\\"name\\\"", "{\\\"name"), false),
        (PUBLIC, |fleet| edit(fleet, "\"since\":1", "\"since\":9"), false),
        (PUBLIC, |fleet| edit(fleet, "{\\\"name\\\":", "{ \\\"name\\\" :"), true),
    ];
    for (index, (hints, spoil, stands_in)) in table.iter().enumerate() {
        let fleet = Fleet::new().server("one", &["tool"]);
        fleet.set("one", "hints", hints);
        assert_eq!(names(&fleet.manager()).0, ["tool"]);
        assert_eq!(fs::exists(fleet.saved()).unwrap(), hints.contains("public") && *hints != STALE, "row {index}");
        spoil(&fleet);
        assert_eq!(names(&fleet.manager()).0, ["tool"]);
        assert_eq!(fleet.count("one", "start") == 1, *stands_in, "row {index}");
    }
}

fn edit(fleet: &Fleet, from: &str, to: &str) {
    let text = fs::read_to_string(fleet.saved()).unwrap();
    assert!(text.contains(from), "no {from} in {text}");
    fs::write(fleet.saved(), text.replace(from, to)).unwrap();
}

#[test]
fn a_list_is_kept_until_its_server_says_that_it_has_changed() {
    let fleet = Fleet::new().server("one", &["first"]);
    fleet.set("one", "hints", PUBLIC);
    fleet.set("one", "call", "content called; printf '{\"name\":\"second\"}' >tools; changed");
    let manager = fleet.manager();
    manager.start();
    fleet.wait_for("one", "list");
    for _ in 0..3 {
        assert_eq!(names(&manager).0, ["first"]);
    }
    assert_eq!(fleet.count("one", "list"), 1);
    assert_eq!(call(&manager, "first").unwrap(), "called");
    thread::sleep(Duration::from_millis(100));
    assert_eq!(names(&manager).0, ["second"]);
    assert_eq!(manager.find(List::Tools, "second").unwrap().server, "one");
    assert!(matches!(manager.find(List::Tools, "first"), Err(ManagerError::Unknown { .. })));
    assert!(fs::read_to_string(fleet.saved()).unwrap().contains("second"), "the file has the new list");
    // It becomes private: the file forgets it.
    fleet.set("one", "hints", PRIVATE);
    assert_eq!(call(&manager, "second").unwrap(), "called");
    thread::sleep(Duration::from_millis(100));
    assert_eq!(names(&manager).0, ["second"]);
    assert!(!fs::read_to_string(fleet.saved()).unwrap().contains("second"));
}

#[test]
fn a_server_that_dies_ends_each_request_once_and_stays_away_until_it_is_wanted() {
    let fleet = Fleet::new().server("one", &["tool"]).server("two", &["other"]);
    fleet.set("one", "call", "sleep 0.3; echo its last words >&2; exit 3");
    let manager = fleet.manager();
    assert_eq!(names(&manager).0, ["tool", "other"]);
    let errors: Vec<String> = thread::scope(|scope| {
        let callers: Vec<_> = (0..4).map(|_| scope.spawn(|| call(&manager, "one/tool"))).collect();
        fleet.wait_for("one", "call");
        assert_eq!(call(&manager, "other").unwrap(), "this is two", "the others go on");
        callers.into_iter().map(|caller| caller.join().unwrap().unwrap_err()).map(lost).collect()
    });
    assert_eq!(errors.len(), 4);
    assert!(
        errors.iter().all(|text| text.contains("server `one` was lost") && text.contains("its last words")),
        "{errors:?}"
    );
    lost(call(&manager, "one/tool").unwrap_err());
    assert_eq!(manager.tools().problems.len(), 1);
    assert_eq!((fleet.count("one", "call"), fleet.count("one", "start")), (1, 1));
    fleet.set("one", "call", "content again");
    manager.reconnect("one").unwrap();
    assert_eq!(call(&manager, "tool").unwrap(), "again");
    assert_eq!(fleet.count("one", "start"), 2);
}

fn lost(error: ManagerError) -> String {
    assert!(matches!(error, ManagerError::Lost { .. }), "{error}");
    error.to_string()
}

#[test]
fn names_that_several_servers_have_are_qualified() {
    let fleet = Fleet::new().server("a", &["both", "mine"]).server("a/b", &["both"]).server("c", &["c", "b/both"]);
    let manager = fleet.manager();
    assert_eq!(names(&manager).0, ["a/both", "mine", "a/b/both", "c", "b/both"]);
    let found = |server: &str, name: &str| Ok(Found { server: server.into(), name: name.into() });
    let table = [
        ("mine", found("a", "mine")),
        ("a/mine", found("a", "mine")),
        ("a/both", found("a", "both")),
        ("a/b/both", found("a/b", "both")),
        ("b/both", found("c", "b/both")),
        ("both", Err("`both` is ambiguous; ask for one of: a/both, a/b/both")),
        ("c/mine", Err("no server has `c/mine` in its list of tools; SERVER/NAME asks one server")),
        ("", Err("no server has `` in its list of tools; SERVER/NAME asks one server")),
    ];
    for (name, expected) in table {
        let found = manager.find(List::Tools, name).map_err(|error| error.to_string());
        assert_eq!(found, expected.map_err(str::to_owned), "{name}");
    }
    assert_eq!(call(&manager, "a/b/both").unwrap(), "this is a/b");
}

#[test]
fn stopping_ends_what_waits() {
    let fleet = Fleet::new().server("calm", &["wait"]).server("slow", &["later"]);
    fleet.set("calm", "call", "sleep 9");
    fleet.set("slow", "delay", "9");
    let manager = fleet.manager();
    manager.reconnect("calm").unwrap();
    let start = Instant::now();
    thread::scope(|scope| {
        let waits = [scope.spawn(|| call(&manager, "calm/wait")), scope.spawn(|| call(&manager, "slow/later"))];
        fleet.wait_for("calm", "call");
        fleet.wait_for("slow", "start");
        manager.stopper().stop();
        for wait in waits {
            let error = wait.join().unwrap().unwrap_err();
            assert!(matches!(error, ManagerError::Stopped), "{error}");
        }
    });
    assert!(matches!(call(&manager, "calm/wait"), Err(ManagerError::Stopped)));
    assert!(matches!(manager.reconnect("calm"), Err(ManagerError::Stopped)));
    drop(manager);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}
