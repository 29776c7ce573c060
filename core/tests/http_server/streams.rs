//! Replies that take their time: calls that are answered later, and subscriptions.

use serde_json::Value;
use umcp::json::Decimal;
use umcp::mcp::{Fault, List};
use umcp::server::{Calls, NotOpen};

use crate::reply::Reply;
use crate::request::{call, call_with_progress, echo, listen};
use crate::rig::{Memory, Rig, SIZES, Sizes};

fn methods(reply: &Reply) -> Vec<String> {
    let name = |message: &Value| {
        message["method"].as_str().unwrap_or("answer").trim_start_matches("notifications/").to_owned()
    };
    reply.messages().iter().map(name).collect()
}

fn complete(rig: &mut Rig<'_>, text: &str) -> Result<(), NotOpen> {
    let handle = *rig.app.calls.last().unwrap();
    let done = rig.connection.complete(&mut rig.endpoint, handle, |reply| reply.text(text));
    rig.settle();
    done
}

fn progress(rig: &mut Rig<'_>, value: i64) -> Result<bool, NotOpen> {
    let handle = *rig.app.calls.last().unwrap();
    rig.now = rig.now + umcp::time::Duration::from_millis(10);
    let told = rig.connection.progress(handle, Decimal::from_i64(value), None, None, rig.now);
    rig.settle();
    told
}

/// A deferred call that says nothing on the way is answered by one JSON text.
#[test]
fn deferred_then_json() {
    for drain in [usize::MAX, 1, 7] {
        let mut memory = Memory::new(SIZES);
        let mut rig = Rig::new(&mut memory);
        rig.drain = drain;
        rig.receive(&call("later", "{}").bytes());
        assert_eq!((rig.out.len(), rig.connection.open_calls()), (0, 1));
        // The next request waits for its turn.
        rig.receive(&echo().bytes());
        assert_eq!(rig.app.ran, 1);
        assert_eq!(complete(&mut rig, "at last"), Ok(()));
        let replies = rig.replies();
        assert_eq!(replies.len(), 2);
        assert_eq!(replies[0].message()["result"]["content"][0]["text"], "at last");
        assert_eq!((rig.app.ran, rig.connection.open_calls()), (2, 0));
        assert_eq!(complete(&mut rig, "again"), Err(NotOpen::Ended));
        assert_eq!(rig.replies().len(), 2);
    }
}

/// One that fails is answered with the status of its fault, if nothing has been said yet.
#[test]
fn deferred_then_a_fault() {
    for (before, fault, status, code) in [
        (0, Fault::Internal, 200, -32603),
        (0, Fault::UnknownResource, 400, -32602),
        (0, Fault::Forbidden, 403, -32600),
        (1, Fault::UnknownResource, 200, -32602),
        (1, Fault::Unauthorized, 200, -32600),
    ] {
        for transmit in [64, 2048] {
            let mut memory =
                Memory::new(Sizes { transmit: if before > 0 { transmit.max(128) } else { transmit }, ..SIZES });
            let mut rig = Rig::new(&mut memory);
            rig.receive(&call_with_progress("later").bytes());
            for value in 0..before {
                assert_eq!(progress(&mut rig, value), Ok(true));
            }
            let handle = rig.app.calls[0];
            rig.connection.complete(&mut rig.endpoint, handle, |_| Err(fault)).unwrap();
            rig.settle();
            let replies = rig.replies();
            assert!(replies.len() == 1 && replies[0].whole, "{replies:?}");
            assert_eq!(replies[0].status, status, "{fault:?}");
            assert_eq!(replies[0].messages().pop().unwrap()["error"]["code"], code, "{fault:?}");
            assert_eq!(rig.connection.open_calls(), 0);
        }
    }
}

#[test]
fn deferred_with_progress() {
    for drain in [usize::MAX, 1, 13] {
        let mut memory = Memory::new(SIZES);
        let mut rig = Rig::new(&mut memory);
        rig.drain = drain;
        rig.receive(&call_with_progress("later").bytes());
        for value in 1..4 {
            assert_eq!(progress(&mut rig, value), Ok(true));
            let replies = rig.replies();
            assert_eq!(methods(&replies[0]), vec!["progress"; usize::try_from(value).unwrap()]);
        }
        complete(&mut rig, "done").unwrap();
        let replies = rig.replies();
        assert_eq!(methods(&replies[0]), ["progress", "progress", "progress", "answer"]);
        assert!(replies[0].whole && rig.connection.is_idle());
    }
}

/// While a report has not left, another is put off, not mixed into it.
#[test]
fn a_slow_reader_of_progress() {
    let mut memory = Memory::new(SIZES);
    let mut rig = Rig::new(&mut memory);
    rig.receive(&call_with_progress("later").bytes());
    rig.stalled = true;
    assert_eq!(progress(&mut rig, 1), Ok(true));
    assert_eq!(progress(&mut rig, 2), Err(NotOpen::Busy));
    assert_eq!(complete(&mut rig, "no"), Err(NotOpen::Busy));
    rig.stalled = false;
    rig.settle();
    assert_eq!(progress(&mut rig, 3), Ok(true));
    complete(&mut rig, "yes").unwrap();
    assert_eq!(methods(&rig.replies()[0]), ["progress", "progress", "answer"]);
}

/// The peer's close cancels the call, whether it closes both sides or only its own.
#[test]
fn the_peer_goes() {
    for aborted in [false, true] {
        for started in [false, true] {
            let mut memory = Memory::new(SIZES);
            let mut rig = Rig::new(&mut memory);
            rig.receive(&call_with_progress("later").bytes());
            if started {
                progress(&mut rig, 1).unwrap();
            }
            let said = rig.out.len();
            if aborted {
                rig.connection.abort();
            } else {
                rig.connection.eof();
            }
            rig.settle();
            assert!(rig.events.last().unwrap().starts_with("Cancelled"), "{:?}", rig.events);
            assert!(rig.connection.is_closed() && rig.connection.open_calls() == 0);
            assert_eq!(complete(&mut rig, "too late"), Err(NotOpen::Ended));
            assert_eq!(rig.out.len(), said, "nothing more is said about it");
            // The memory is as good as new.
            rig.connection.reset();
            rig.out.clear();
            rig.receive(&echo().bytes());
            assert_eq!(rig.replies()[0].status, 200);
        }
    }
}

/// What had arrived before the peer closed its side is answered.
#[test]
fn half_closed() {
    let mut memory = Memory::new(SIZES);
    let mut rig = Rig::new(&mut memory);
    rig.stalled = true;
    let bytes = [echo().bytes(), echo().bytes()].concat();
    rig.receive(&bytes);
    rig.connection.eof();
    rig.stalled = false;
    rig.settle();
    assert_eq!(rig.replies().len(), 2);
    assert!(rig.connection.is_closed());
    // A torso is not.
    for at in 1..echo().bytes().len() {
        let mut memory = Memory::new(SIZES);
        let mut rig = Rig::new(&mut memory);
        rig.receive(&echo().bytes()[..at]);
        rig.eof();
        assert!(rig.out.is_empty() && rig.connection.is_closed() && rig.app.ran == 0, "{at}");
    }
}

#[test]
fn a_subscription() {
    for drain in [usize::MAX, 1] {
        let mut memory = Memory::new(SIZES);
        let mut rig = Rig::new(&mut memory);
        rig.drain = drain;
        rig.receive(&listen().bytes());
        assert_eq!(methods(&rig.replies()[0]), ["subscriptions/acknowledged"]);
        rig.endpoint.resource_updated("board://led");
        rig.endpoint.resource_updated("board://else");
        rig.endpoint.list_changed(List::Tools);
        rig.endpoint.list_changed(List::Prompts);
        rig.settle();
        rig.connection.close();
        rig.settle();
        let replies = rig.replies();
        let [reply] = &replies[..] else { panic!("{replies:?}") };
        let expected = ["subscriptions/acknowledged", "resources/updated", "tools/list_changed", "answer"];
        assert_eq!(methods(reply), expected);
        assert!(reply.whole && reply.status == 200 && reply.is_events());
        for message in reply.messages() {
            let holder = message.get("params").unwrap_or(&message["result"]);
            assert_eq!(holder["_meta"]["io.modelcontextprotocol/subscriptionId"], 1, "{message}");
        }
        assert!(rig.connection.is_lingering());
        rig.eof();
        assert!(rig.connection.is_closed());
    }
}

/// A server that stops while news is on its way still sends the final result.
#[test]
fn a_subscription_ends_behind_its_news() {
    for transmit in [128, 160, 2048] {
        let mut memory = Memory::new(Sizes { transmit, ..SIZES });
        let mut rig = Rig::new(&mut memory);
        rig.receive(&listen().bytes());
        rig.stalled = true;
        rig.endpoint.resource_updated("board://led");
        rig.settle();
        rig.connection.close();
        rig.settle();
        rig.stalled = false;
        rig.settle();
        let replies = rig.replies();
        assert_eq!(methods(&replies[0]).last().map(String::as_str), Some("answer"), "{replies:?}");
        assert!(replies[0].whole);
    }
}

/// News that comes while a subscriber reads nothing is told once.
#[test]
fn news_for_a_slow_reader() {
    let mut memory = Memory::new(SIZES);
    let mut rig = Rig::new(&mut memory);
    rig.receive(&listen().bytes());
    rig.stalled = true;
    for _ in 0..1_000 {
        rig.endpoint.resource_updated("board://led");
        rig.settle();
    }
    rig.stalled = false;
    rig.settle();
    let told = methods(&rig.replies()[0]);
    assert_eq!(told, ["subscriptions/acknowledged", "resources/updated", "resources/updated"]);
}

/// A server that stops: idle connections close, a request that is arriving is served, an open call may be completed.
#[test]
fn a_server_that_stops() {
    let mut memory = Memory::new(SIZES);
    let mut rig = Rig::new(&mut memory);
    rig.connection.close();
    rig.settle();
    assert!(rig.connection.is_closed());

    let mut memory = Memory::new(SIZES);
    let mut rig = Rig::new(&mut memory);
    let bytes = echo().bytes();
    rig.receive(&bytes[..bytes.len() - 3]);
    rig.connection.close();
    rig.settle();
    rig.receive(&bytes[bytes.len() - 3..]);
    assert!(rig.replies()[0].closes() && rig.replies()[0].status == 200);

    let mut memory = Memory::new(SIZES);
    let mut rig = Rig::new(&mut memory);
    rig.receive(&call("later", "{}").bytes());
    rig.connection.close();
    rig.settle();
    complete(&mut rig, "done").unwrap();
    assert!(rig.replies()[0].closes() && rig.connection.is_lingering());
    rig.connection.reset();
    rig.out.clear();
    rig.receive(&echo().bytes());
    assert!(!rig.replies()[0].closes(), "another server's connection in the same memory");
}
