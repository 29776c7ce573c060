//! The owning client with an argument that is read as it leaves.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::io::{self, Read};

use umcp::client::{NotTaken, Upload};
use umcp::io::Failure;
use umcp_std::Process;

/// A reader that fails after its text.
struct Broken<'t>(&'t [u8]);

impl Read for Broken<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() { Err(io::Error::other("unplugged")) } else { self.0.read(buf) }
    }
}

#[test]
fn from_a_reader() {
    let mut client = Process::new(env!("CARGO_BIN_EXE_umcp")).args(["serve"]).connect("t", "1").unwrap();
    let text = "grüße \"x\"\n".repeat(20);
    let reply = client.call_from("echo", &(), Upload::text("text", None), &mut text.as_bytes()).unwrap();
    assert_eq!(reply.text().unwrap().to_string(), text);
    let reply = client.call_from("echo", &(), Upload::bytes("text", Some(3)), &mut &b"\0\x01\x02"[..]).unwrap();
    assert_eq!(reply.text().unwrap().to_string(), "AAEC");
    // What fails leaves the connection unharmed.
    let failed = client.call_from("echo", &(), Upload::text("text", None), &mut Broken(b"abc")).unwrap_err();
    assert!(failed.to_string().contains("could not be read: unplugged"), "{failed}");
    let failed = client.call_from("echo", &(), Upload::text("text", Some(4)), &mut &b"abc"[..]).unwrap_err();
    let why = NotTaken::TooShort { missing: 1 };
    assert!(matches!(failed.failure(), Some(Failure::Upload(found)) if *found == why), "{failed}");
    let reply = client.call_from("echo", &(), Upload::text("text", Some(3)), &mut &b"abc"[..]).unwrap();
    assert_eq!(reply.text().unwrap().to_string(), "abc");
}
