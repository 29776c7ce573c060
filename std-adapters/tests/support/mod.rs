//! Boards on lines: the simulated one behind a socket or a pseudo-terminal.
#![allow(dead_code, reason = "each suite uses its part of this")]

use std::fs::{File, OpenOptions};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::process::{Child, Command, Stdio};
use std::thread;

pub(crate) const UMCP: &str = env!("CARGO_BIN_EXE_umcp");

/// Serves each connection by a board of its own, until the test program ends.
pub(crate) fn tcp_board() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut board = serve(stream.unwrap().into());
            thread::spawn(move || board.wait());
        }
    });
    port
}

/// The same on a Unix socket.
pub(crate) fn unix_board(path: &str) {
    let listener = UnixListener::bind(path).unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut board = serve(stream.unwrap().into());
            thread::spawn(move || board.wait());
        }
    });
}

/// A pseudo-terminal: our side of it, the path of the device, and what keeps the device open as long as it is kept.
pub(crate) fn pty() -> (File, String, File) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let path = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    // Raw from the start, as a real line is: it would echo what the board says first.
    let device = OpenOptions::new().read(true).write(true).open(&path).unwrap();
    let mut termios = rustix::termios::tcgetattr(&device).unwrap();
    termios.make_raw();
    rustix::termios::tcsetattr(&device, rustix::termios::OptionalActions::Now, &termios).unwrap();
    (File::from(ours), path, device)
}

/// A board on our side of a pseudo-terminal.
pub(crate) fn serve(end: OwnedFd) -> Child {
    let output = end.try_clone().unwrap();
    Command::new(UMCP).arg("serve").stdin(Stdio::from(end)).stdout(Stdio::from(output)).spawn().unwrap()
}
