//! Arguments that are taken as they arrive: what time and the end of a connection do to them. (What they are is in `server_upload.rs`.)

use umcp::time::Duration;

use crate::request::{META, Request, post};
use crate::rig::{Memory, Rig, SIZES};

/// A call that brings as many bytes.
fn upload(len: usize) -> Request {
    let data = "x".repeat(len);
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"store",{META},"arguments":{{"data":"{data}"}}}}}}"#
    );
    post("tools/call", body).with("Mcp-Name", "store")
}

#[test]
fn an_upload_has_a_time_for_each_piece() {
    let bytes = upload(9_000).bytes();
    let mut memory = Memory::new(SIZES);
    let mut rig = Rig::new(&mut memory);
    for piece in bytes[..8_000].chunks(1_000) {
        rig.receive(piece);
        rig.wait(14_000);
        assert!(rig.out.is_empty());
    }
    assert!(rig.app.taken > Some(4_000) && rig.connection.is_uploading());
    // Nothing more comes.
    rig.wait(30_000);
    let replies = rig.replies();
    assert_eq!((replies[0].status, replies[0].closes()), (408, true));
    assert_eq!((rig.app.taken, rig.app.void, rig.app.ran), (None, 1, 0));
    assert!(!rig.connection.is_uploading());
}

#[test]
fn what_the_application_cannot_take_holds_the_peer_back() {
    let bytes = upload(5_000).bytes();
    let mut memory = Memory::new(SIZES);
    let mut rig = Rig::new(&mut memory);
    rig.app.is_full = true;
    assert!(!rig.receive(&bytes), "there is no room for all of it");
    for _ in 0..100 {
        // The peer is not to blame.
        let again = rig.connection.poll_at(&rig.site).unwrap();
        assert_eq!(again, rig.now + Duration::from_millis(10));
        rig.wait(1_000);
        assert!(rig.connection.receive_buffer().is_empty() && rig.out.is_empty());
    }
    assert_eq!(rig.app.taken, None);
    rig.app.is_full = false;
    rig.wait(10);
    assert!(!rig.connection.receive_buffer().is_empty());
    let taken = rig.app.taken.unwrap();
    assert!(taken > 1_000, "{taken}");

    // It holds back once more, and the peer is gone.
    rig.app.is_full = true;
    rig.receive(&bytes[3_000..]);
    rig.connection.abort();
    rig.settle();
    assert_eq!((rig.app.taken, rig.app.void, rig.app.ran), (None, 1, 0));
}

#[test]
fn an_upload_that_breaks_off_is_void() {
    let whole = upload(4_000).bytes();
    let longer = upload(20_000).bytes();
    let unmeasured = upload(20_000).chunked(500).bytes();
    let end: fn(&mut Rig<'_>) = |rig| rig.eof();
    let abort: fn(&mut Rig<'_>) = |rig| {
        rig.connection.abort();
        rig.settle();
    };
    let nothing: fn(&mut Rig<'_>) = |_| {};
    for (name, bytes, then, void, status) in [
        ("the peer ends", &whole[..3_500], end, 1, None),
        ("the peer is gone", &whole[..3_500], abort, 1, None),
        ("it is longer than the limit, as its head says", &longer[..], nothing, 0, Some(413)),
        ("it is longer than the limit, as is seen at last", &unmeasured[..], nothing, 1, Some(413)),
        ("it is whole", &whole[..], nothing, 0, Some(200)),
    ] {
        let mut memory = Memory::new(SIZES);
        let mut rig = Rig::new(&mut memory);
        rig.receive(bytes);
        assert!(status.is_some() || rig.app.taken > Some(1_000), "{name}: it has begun");
        then(&mut rig);
        assert_eq!((rig.app.taken, rig.app.void), (None, void), "{name}");
        assert_eq!(rig.replies().first().map(|reply| reply.status), status, "{name}");
    }
}
