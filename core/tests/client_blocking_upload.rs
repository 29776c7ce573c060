//! The blocking client with an argument that never exists whole.
#![cfg(feature = "client")]
#![allow(clippy::expect_used, clippy::panic, clippy::result_large_err, reason = "a test fails by panicking")]

use std::collections::VecDeque;

use serde_json::{Value as Json, json};
use umcp::client::{Config, Memory, NotTaken, Refused, Upload, Verdict};
use umcp::io::{Client, Failure, Moved, Piece, Wire};
use umcp::json::{Value, escaped_len};
use umcp::time::{Duration, Instant};

/// A server that answers every request with what `answer` says; or early, once it has heard so many bytes of one.
struct Script {
    answer: Json,
    early: usize,
    line: Vec<u8>,
    arriving: VecDeque<u8>,
    heard: Vec<Result<Json, String>>,
    now: Instant,
    /// How many bytes it takes at a time.
    takes: usize,
}

impl Script {
    fn reply(&mut self) {
        let mut answer = self.answer.clone();
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = json!(1);
        self.arriving.extend(answer.to_string().bytes().chain([b'\n']));
    }
}

impl Wire for Script {
    type Error = std::convert::Infallible;

    fn transfer(&mut self, out: &[u8], into: &mut [u8], until: Instant) -> Result<Moved, Self::Error> {
        let sent = out.len().min(self.takes);
        for byte in &out[..sent] {
            if *byte == b'\n' {
                let line = String::from_utf8(std::mem::take(&mut self.line)).expect("UTF-8");
                let message: Result<Json, String> = serde_json::from_str(&line).map_err(|_| line);
                if self.early == 0 && message.as_ref().is_ok_and(|message| !message["id"].is_null()) {
                    self.reply();
                }
                self.heard.push(message);
            } else {
                self.line.push(*byte);
                if self.early > 0 && self.line.len() == self.early {
                    self.reply();
                }
            }
        }
        let received = into.len().min(self.arriving.len()).min(50);
        for place in &mut into[..received] {
            *place = self.arriving.pop_front().expect("counted");
        }
        if received == 0 && sent == 0 {
            self.now = self.now.max(until.min(self.now + Duration::from_secs(1)));
        }
        Ok(Moved { sent, received, ..Moved::default() })
    }

    fn now(&mut self) -> Instant {
        self.now
    }
}

type Agent<'b> = Client<'b, Script>;

/// A client with buffers of 256 bytes. What the server has heard.
fn with<T>(
    answer: Json,
    early: usize,
    takes: usize,
    work: impl FnOnce(&mut Agent<'_>) -> T,
) -> (T, Vec<Result<Json, String>>) {
    let mut memory: Memory<256, 256> = Memory::new();
    let config = Config { verdict: Some(Verdict::Modern), ..Config::new("t", "1") };
    let (line, arriving, heard) = (Vec::new(), VecDeque::new(), Vec::new());
    let script = Script { answer, early, line, arriving, heard, now: Instant::ZERO, takes };
    let mut client = Client::connect(memory.lend(), config, script).expect("connected");
    let done = work(&mut client);
    let script = client.into_parts().0;
    assert!(script.line.is_empty(), "the line has ended");
    (done, script.heard)
}

/// Gives out these bytes, so many at a time.
fn source(bytes: &[u8], step: usize) -> impl FnMut(&mut [u8]) -> Option<usize> {
    let mut rest = bytes.to_vec();
    move |buf| {
        let count = rest.len().min(buf.len()).min(step);
        buf[..count].copy_from_slice(&rest[..count]);
        rest.drain(..count);
        Some(count)
    }
}

fn done() -> Json {
    json!({"result": {"content": [{"type": "text", "text": "done"}], "resultType": "complete"}})
}

#[test]
fn texts_and_bytes_however_they_come() {
    let text = "grüße → 𝄞 \"x\\y\"\n\u{1}".repeat(40);
    let bytes: Vec<u8> = text.bytes().chain(0..=255).collect();
    let encoded = {
        let mut buf = vec![0; 4_096];
        let mut w = umcp::json::Writer::new(&mut buf);
        w.base64(&bytes);
        serde_json::from_slice::<String>(w.written()).expect("JSON")
    };
    for step in [1, 2, 3, 5, 7, 64, 191, 192, usize::MAX] {
        for takes in [1, 7, usize::MAX] {
            for announced in [false, true] {
                let length = |length: usize| announced.then_some(length as u64);
                let upload = Upload::text("log", length(escaped_len(&text)));
                let (said, heard) = with(done(), 0, takes, |client| {
                    let reply = client.call_from("save", &json!({"slot": 1}), upload, source(text.as_bytes(), step));
                    reply.expect("called").text().expect("text").to_string()
                });
                assert_eq!(said, "done");
                let [Ok(message)] = heard.as_slice() else { panic!("{heard:?}") };
                assert_eq!(message["params"]["arguments"], json!({"slot": 1, "log": text}));

                let upload = Upload::bytes("image", length(bytes.len()));
                let ((), heard) = with(done(), 0, takes, |client| {
                    let mut items = 0;
                    let arguments = Value::new(br#"{"slot":2}"#);
                    let each = |piece: Piece<'_>| items += usize::from(matches!(piece, Piece::Item { .. }));
                    client.call_raw_items_from("save", arguments, upload, source(&bytes, step), each).expect("called");
                    assert_eq!(items, 1);
                });
                let [Ok(message)] = heard.as_slice() else { panic!("{heard:?}") };
                assert_eq!(message["params"]["arguments"], json!({"slot": 2, "image": encoded}));
            }
        }
    }
}

type Failed = Failure<std::convert::Infallible>;

/// What becomes of a call; the next one is unharmed. How often the source was asked.
fn failed(
    answer: Json,
    early: usize,
    upload: Upload<'_>,
    mut source: impl FnMut(&mut [u8]) -> Option<usize>,
) -> (Failed, usize, bool) {
    let ((failure, asked), heard) = with(answer, early, 50, |client| {
        let mut asked = 0;
        let counted = |buf: &mut [u8]| {
            asked += 1;
            source(buf)
        };
        let failure = client.call_from("save", &(), upload, counted).expect_err("it fails");
        let next = client.call("next", &());
        assert!(matches!(next, Err(Failure::TimedOut)), "it has answered number 1: {next:?}");
        (failure, asked)
    });
    let next = heard.iter().flatten().find(|message| message["params"]["name"] == "next");
    assert!(next.is_some(), "{heard:?}");
    let noise = heard.first().is_some_and(Result::is_err);
    (failure, asked, noise)
}

#[test]
fn sources_that_fail() {
    let long = vec![b'x'; 2_000];
    let bytes = |length| Upload::bytes("image", length);
    let text = |length| Upload::text("image", length);
    let (failure, _, noise) = failed(done(), 0, bytes(None), {
        let mut source = source(&long, 100);
        let mut left = 5;
        move |buf| {
            left -= 1;
            if left == 0 { None } else { source(buf) }
        }
    });
    assert_eq!((failure, noise), (Failure::Stopped, true));
    for (upload, bytes, why) in [
        (bytes(Some(1_999)), &long[..], NotTaken::TooLong { left: 79 }),
        (bytes(Some(2_001)), &long[..], NotTaken::TooShort { missing: 1 }),
        (text(Some(1_999)), &long[..], NotTaken::TooLong { left: 79 }),
        (text(Some(2_001)), &long[..], NotTaken::TooShort { missing: 1 }),
        (text(None), b"abc\xffdef", NotTaken::NotUtf8),
        (text(None), b"abc\xe2\x82", NotTaken::NotUtf8),
        (text(None), b"\xe2\x82\x82\x82", NotTaken::NotUtf8),
        (text(Some(3)), b"abc\xe2", NotTaken::NotUtf8),
    ] {
        let (failure, ..) = failed(done(), 0, upload, source(bytes, usize::MAX));
        assert_eq!(failure, Failure::Upload(why), "{upload:?}");
    }
}

#[test]
fn an_early_error_ends_the_asking() {
    let no = json!({"error": {"code": -32602, "message": "no"}});
    let endless = |buf: &mut [u8]| {
        buf.fill(b'x');
        Some(buf.len())
    };
    let (failure, asked, noise) = failed(no, 400, Upload::text("image", None), endless);
    assert_eq!((failure, noise), (Failure::Remote { code: -32602 }, false));
    assert!(asked < 10, "{asked}");
}

#[test]
fn questions_are_not_answered() {
    let asks = json!({"result": {"resultType": "input_required", "requestState": "s"}});
    let (failure, ..) = failed(asks, 0, Upload::text("image", None), source(b"x", 1));
    assert_eq!(failure, Failure::Rounds { budget: 0 });
}

#[test]
fn a_server_that_takes_nothing_and_one_that_is_slow() {
    let (failure, heard) = with(done(), 0, 0, |client| {
        client.options.timeout = Duration::from_millis(3_000);
        client.call_from("save", &(), Upload::text("image", None), source(b"x", 1)).expect_err("it fails")
    });
    assert_eq!((failure, heard.len()), (Failure::TimedOut, 0));
    let (failure, _) = with(done(), 0, 50, |client| {
        client.call_from("save", &json!([1]), Upload::text("image", None), source(b"x", 1)).expect_err("it fails")
    });
    assert_eq!(failure, Failure::Refused(Refused::Arguments));
}
