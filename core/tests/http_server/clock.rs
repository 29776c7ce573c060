//! What time does, on a clock that moves when told to.

use umcp::server::Calls;
use umcp::time::{Duration, Instant};

use crate::request::{call, call_with_progress, echo, listen};
use crate::rig::{Memory, Rig, SIZES};

/// The time that is left until the connection wants to be looked at.
fn left(rig: &Rig<'_>) -> Option<u32> {
    rig.connection.poll_at(&rig.site).map(|at| at.since(rig.now).as_millis())
}

#[test]
fn a_request_that_does_not_arrive() {
    let bytes = echo().bytes();
    let head = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    for at in [1, 10, head - 1, head, head + 1, bytes.len() - 1] {
        // All at once, or byte by byte, each of which comes in time: the request has a time, not the byte.
        for trickles in [false, true] {
            let mut memory = Memory::new(SIZES);
            let mut rig = Rig::new(&mut memory);
            if trickles {
                rig.receive(&bytes[..1]);
                let pause = 29_000 / u32::try_from(at).unwrap();
                for byte in &bytes[1..at] {
                    rig.wait(pause);
                    rig.receive(&[*byte]);
                }
                rig.wait(30_000 - pause * u32::try_from(at - 1).unwrap() - 1);
            } else {
                rig.receive(&bytes[..at]);
                assert_eq!(left(&rig), Some(30_000));
                rig.wait(29_999);
            }
            assert!(rig.out.is_empty());
            assert_eq!(left(&rig), Some(1));
            rig.wait(1);
            let replies = rig.replies();
            assert_eq!((replies[0].status, replies[0].closes()), (408, true), "{at}");
            assert!(rig.connection.is_lingering() && rig.app.ran == 0);
        }
    }
}

#[test]
fn an_idle_connection() {
    let mut memory = Memory::new(SIZES);
    let mut rig = Rig::new(&mut memory);
    rig.settle();
    assert_eq!(left(&rig), Some(60_000));
    rig.wait(59_999);
    rig.receive(&echo().bytes());
    rig.wait(59_999);
    assert!(!rig.connection.is_closed());
    // Time that goes back is ignored.
    rig.now = Instant::ZERO;
    rig.settle();
    rig.now = Instant::from_millis(1_000 + 59_999 + 60_000);
    let said = rig.out.len();
    rig.settle();
    assert!(rig.connection.is_closed());
    assert_eq!(rig.out.len(), said, "nothing is said on an idle connection");
    assert_eq!(left(&rig), None);
}

/// A request that came in time is served, even by a server that looks late.
#[test]
fn a_late_look_at_an_idle_connection() {
    let mut memory = Memory::new(SIZES);
    let mut rig = Rig::new(&mut memory);
    rig.settle();
    let bytes = echo().bytes();
    rig.connection.receive_buffer()[..bytes.len()].copy_from_slice(&bytes);
    rig.connection.commit(bytes.len());
    rig.wait(100_000);
    assert_eq!(rig.replies()[0].status, 200);
}

#[test]
fn a_peer_that_takes_nothing() {
    for trickles in [false, true] {
        let mut memory = Memory::new(SIZES);
        let mut rig = Rig::new(&mut memory);
        rig.stalled = true;
        rig.receive(&echo().bytes());
        assert_eq!(left(&rig), Some(30_000));
        for second in 0..29 {
            if trickles && second % 7 == 0 {
                // What it sends meanwhile earns it nothing.
                rig.receive(b"P");
            }
            rig.wait(1_000);
        }
        assert!(!rig.connection.is_closed());
        rig.wait(1_000);
        assert!(rig.connection.is_closed() && rig.connection.transmit().is_empty());
    }
    // Whatever it takes earns it another while.
    let mut memory = Memory::new(SIZES);
    let mut rig = Rig::new(&mut memory);
    rig.stalled = true;
    rig.receive(&echo().bytes());
    for _ in 0..5 {
        rig.wait(29_000);
        rig.connection.transmitted(1);
        rig.settle();
    }
    assert!(!rig.connection.is_closed());
}

/// A call that is open, or a stream, is kept alive by comments.
#[test]
fn keep_alive_comments() {
    for drain in [usize::MAX, 1] {
        let mut memory = Memory::new(SIZES);
        let mut rig = Rig::new(&mut memory);
        rig.drain = drain;
        rig.receive(&listen().bytes());
        assert_eq!(left(&rig), Some(15_000));
        for count in 0..10 {
            assert_eq!(rig.replies()[0].comments(), count);
            rig.wait(14_999);
            assert_eq!(rig.replies()[0].comments(), count);
            rig.wait(1);
        }
        rig.connection.close();
        rig.settle();
        assert_eq!((rig.replies()[0].messages().len(), rig.replies()[0].comments()), (2, 10));
    }
}

#[test]
fn a_quiet_call_becomes_a_stream() {
    let mut memory = Memory::new(SIZES);
    let mut rig = Rig::new(&mut memory);
    rig.receive(&call("later", "{}").bytes());
    assert_eq!(left(&rig), Some(15_000));
    rig.wait(15_000);
    let replies = rig.replies();
    assert!(replies[0].is_events() && replies[0].comments() == 1);
    let handle = rig.app.calls[0];
    rig.connection.complete(&mut rig.endpoint, handle, |_| Err(umcp::mcp::Fault::UnknownResource)).unwrap();
    rig.settle();
    let replies = rig.replies();
    assert!(replies[0].whole && replies[0].status == 200);
    assert_eq!(replies[0].message()["error"]["code"], -32602);
}

/// Whoever takes JSON only is not sent a stream, however long it takes.
#[test]
fn a_quiet_call_that_takes_json_only() {
    let mut memory = Memory::new(SIZES);
    let mut rig = Rig::new(&mut memory);
    rig.receive(&call_with_progress("later").set("Accept", "application/json").bytes());
    for _ in 0..10 {
        assert_eq!(left(&rig), Some(15_000));
        rig.wait(15_000);
    }
    assert!(rig.out.is_empty());
    let handle = rig.app.calls[0];
    rig.connection.complete(&mut rig.endpoint, handle, |reply| reply.text("x")).unwrap();
    rig.settle();
    assert_eq!(rig.replies()[0].message()["id"], 1);
}

/// A reply that was long in coming has all the time that any other has to leave.
#[test]
fn a_late_reply_is_not_overdue() {
    for wait in [10_000, 20_000, 59_000, 200_000] {
        let mut memory = Memory::new(SIZES);
        let mut rig = Rig::new(&mut memory);
        rig.site.keep_alive = Duration::from_secs(100);
        rig.receive(&call("later", "{}").bytes());
        let handle = rig.app.calls[0];
        // The application completes it before the connection has been looked at again.
        rig.connection.complete(&mut rig.endpoint, handle, |reply| reply.text("x")).unwrap();
        rig.wait(wait);
        assert_eq!(rig.replies().len(), 1, "{wait}");
        assert_eq!(rig.replies()[0].message()["id"], 1, "{wait}");
    }
}

/// Behind a refusal what still comes is read and dropped, for a while and up to a limit.
#[test]
fn lingering() {
    let refused = || echo().body(vec![b'x'; 20_000]).bytes();
    for trickles in [false, true] {
        let mut memory = Memory::new(SIZES);
        let mut rig = Rig::new(&mut memory);
        assert!(rig.receive(&refused()));
        assert!(rig.connection.is_lingering());
        for _ in 0..19 {
            if trickles {
                rig.receive(b"more");
            }
            rig.wait(100);
        }
        assert!(rig.connection.is_lingering());
        rig.wait(100);
        assert!(rig.connection.is_closed(), "what comes does not make it longer");
    }
    let mut memory = Memory::new(SIZES);
    let mut rig = Rig::new(&mut memory);
    rig.receive(&refused());
    let mut taken = 0;
    while rig.receive(&[b'y'; 1_000]) {
        taken += 1_000;
        assert!(taken < 300_000);
    }
    assert!(taken > 200_000 && rig.connection.is_closed());
    let mut memory = Memory::new(SIZES);
    let mut rig = Rig::new(&mut memory);
    rig.receive(&refused());
    rig.eof();
    assert!(rig.connection.is_closed());
}

/// `poll_at` never asks for what it was given already: a loop that waits for it does not spin.
#[test]
fn polls_are_never_in_vain() {
    for request in [echo(), listen(), call("later", "{}"), echo().body("{").line("POST / HTTP/1.1")] {
        let mut memory = Memory::new(SIZES);
        let mut rig = Rig::new(&mut memory);
        rig.receive(&request.bytes());
        let mut looks = 0;
        while let Some(at) = rig.connection.poll_at(&rig.site)
            && looks < 100
        {
            assert!(at > rig.now, "{looks}");
            rig.now = at;
            rig.settle();
            looks += 1;
        }
    }
}
