//! A reply that breaks off, or stands still, at every position: the request ends once, and rightly.

use umcp::client::Options;
use umcp::http::client::Memory;
use umcp::time::Duration;

use crate::modern::known;
use crate::rig::{Rig, events, json};

#[test]
fn at_every_position() {
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#;
    let plain = json("200 OK", answer);
    let streamed = events(&format!(": c\n\nid: 5\ndata: {{}}\n\nevent: message\ndata: {answer}\n\n"));
    let until_close = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{answer}").into_bytes();
    for (reply, whole_at) in [(&plain, plain.len()), (&streamed, streamed.len() - 7), (&until_close, until_close.len())]
    {
        for at in 0..=reply.len() {
            for stalls in [false, true] {
                let mut memory: Memory<512, 1024> = Memory::new();
                let mut rig = Rig::new(memory.lend(), known());
                rig.settle();
                rig.act(|conn, now| {
                    let options = Options { timeout: Duration::from_millis(500), ..Options::DEFAULT };
                    conn.send(|engine| engine.call("t1", &(), options, now)).expect("sent");
                });
                rig.log.clear();
                rig.feed(&reply[..at]);
                if stalls {
                    rig.at(500);
                } else {
                    rig.eof();
                }
                rig.log.retain(|line| line != "close" && !line.starts_with("ignored"));
                let is_whole = at >= whole_at && !(stalls && core::ptr::eq(reply, &until_close));
                let cut_message =
                    !stalls && core::ptr::eq(reply, &until_close) && at > until_close.len() - answer.len() - 1;
                let expected = match () {
                    () if is_whole => r#"response 1 {"content":[]}"#,
                    () if stalls => "timeout 1",
                    // That the body is not whole cannot be known, but that it has no response.
                    () if cut_message => "lost 1 NoResponse",
                    () => "lost 1 Closed",
                };
                assert_eq!(rig.log, [expected], "{at} of {}, {stalls}", String::from_utf8_lossy(reply));
                assert_eq!(rig.conn.in_flight(), None);
                assert!(!rig.conn.is_busy());
                assert_eq!(rig.conn.poll_at().filter(|_| stalls), None);
            }
        }
    }
}
