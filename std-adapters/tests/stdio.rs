//! Standard input and output of all kinds. A process has them only once, so each test starts this very program again, in
//! a role; that is why it has its own `main`.
#![cfg_attr(unix, allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking"))]

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
fn main() {
    match std::env::args().nth(1).as_deref().and_then(role) {
        Some(role) => role::play(role),
        None => tests::run(),
    }
}

#[cfg(unix)]
fn role(name: &str) -> Option<role::Role> {
    let (_, role) = role::ROLES.iter().find(|(known, _)| *known == name)?;
    Some(*role)
}

/// What a child of a test does.
#[cfg(unix)]
mod role {
    use std::thread;
    use std::time::Duration as StdDuration;

    use umcp::io::{Moved, Wire};
    use umcp::time::{Duration, Instant};
    use umcp_std::Stdio;

    pub(super) type Role = fn(Stdio);

    pub(super) const ROLES: &[(&str, Role)] =
        &[("echo", echo), ("echo-interruptible", echo_interruptible), ("alone", alone), ("unheard", unheard)];

    pub(super) fn play(role: Role) {
        role(Stdio::new().unwrap());
    }

    /// Says back what it hears, until that ends.
    fn echo(mut wire: Stdio) {
        let mut buffer = [0; 16 * 1024];
        loop {
            let heard = wire.transfer(&[], &mut buffer, Instant::NEVER).unwrap();
            let mut out = &buffer[..heard.received];
            while !out.is_empty() {
                out = &out[wire.transfer(out, &mut [], Instant::NEVER).unwrap().sent..];
            }
            if heard.closed {
                return wire.flush().unwrap();
            }
        }
    }

    /// The same, but it cannot wait in `read(2)`.
    fn echo_interruptible(mut wire: Stdio) {
        let _interrupter = wire.interrupter().unwrap();
        echo(wire);
    }

    /// Nobody speaks to it: time and interruption end its waits.
    fn alone(mut wire: Stdio) {
        let until = wire.now() + Duration::from_millis(50);
        assert_eq!(wire.transfer(&[], &mut [0], until).unwrap(), Moved::default());
        assert!(wire.now() >= until);

        let interrupter = wire.interrupter().unwrap();
        thread::spawn(move || {
            thread::sleep(StdDuration::from_millis(50));
            interrupter.interrupt();
        });
        let interrupted = Moved { interrupted: true, ..Moved::default() };
        assert_eq!(wire.transfer(&[], &mut [0], Instant::NEVER).unwrap(), interrupted);
        assert!(wire.now() < until + Duration::from_millis(150));
    }

    /// Nobody reads what it says: its output fills up, and then every write ends at its time.
    fn unheard(mut wire: Stdio) {
        let mut sent = 0;
        loop {
            let until = wire.now() + Duration::from_millis(50);
            let moved = wire.transfer(&[b'x'; 100_000], &mut [], until).unwrap();
            assert!(wire.now() < until + Duration::from_millis(500), "blocked after {sent} bytes");
            if moved == Moved::default() {
                break;
            }
            sent += moved.sent;
        }
        assert!(sent >= 16 * 1024, "{sent}");
    }
}

#[cfg(unix)]
mod tests {
    use std::fs::{self, File};
    use std::io::{self, Read, Write};
    use std::net::Shutdown;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::process::{Child, Command, Stdio};
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::fs::OFlags;
    use rustix::pty::OpenptFlags;
    use umcp::io::Wire;
    use umcp_std::Process;

    const TESTS: &[(&str, fn())] = &[
        ("pipes, and a megabyte each way", pipes),
        ("sockets, blocking and not", sockets),
        ("files", files),
        ("nothing at all", nothing),
        ("a terminal, which is left as it was", terminal),
        ("a client that reads no longer", nobody_reads),
        ("time and interruption", time_and_interruption),
        ("a full output", full_output),
        ("latency", latency),
    ];

    pub(super) fn run() {
        for (name, test) in TESTS {
            test();
            println!("test {name} ... ok");
        }
    }

    fn start(role: &str, stdin: impl Into<Stdio>, stdout: impl Into<Stdio>) -> Child {
        let program = std::env::current_exe().unwrap();
        Command::new(program).arg(role).stdin(stdin).stdout(stdout).spawn().unwrap()
    }

    #[track_caller]
    fn succeeds(mut child: Child) {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(10) {
            if let Some(status) = child.try_wait().unwrap() {
                assert!(status.success(), "{status}");
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        panic!("it does not end");
    }

    fn pipes() {
        for role in ["echo", "echo-interruptible"] {
            let mut wire = Process::new(std::env::current_exe().unwrap()).arg(role).spawn().unwrap();
            let said: Vec<u8> = (0..1_048_576_u32).map(|at| at.to_le_bytes()[1]).collect();
            let mut heard = Vec::new();
            let mut out = said.as_slice();
            let mut buffer = [0; 4096];
            let until = wire.now() + umcp::time::Duration::from_secs(10);
            while heard.len() < said.len() {
                let moved = wire.transfer(out, &mut buffer, until).unwrap();
                assert!(moved.sent + moved.received > 0, "{moved:?}");
                out = &out[moved.sent..];
                heard.extend_from_slice(&buffer[..moved.received]);
            }
            assert!(heard == said);
            let closed = wire.close(umcp_std::process::CloseTimeouts::default());
            assert_eq!(closed.status.unwrap().code(), Some(0));
        }
    }

    fn sockets() {
        for nonblocking in [false, true] {
            let (mut ours, theirs) = UnixStream::pair().unwrap();
            theirs.set_nonblocking(nonblocking).unwrap();
            let output = theirs.try_clone().unwrap();
            let child = start("echo", OwnedFd::from(theirs), OwnedFd::from(output));
            for said in ["one\n", "two\n"] {
                ours.write_all(said.as_bytes()).unwrap();
                let mut heard = [0; 4];
                ours.read_exact(&mut heard).unwrap();
                assert_eq!(heard, said.as_bytes());
            }
            ours.shutdown(Shutdown::Write).unwrap();
            succeeds(child);
        }
    }

    fn files() {
        let path = std::env::temp_dir().join(format!("umcp-stdio-{}", std::process::id()));
        let input = File::open(std::env::current_exe().unwrap()).unwrap();
        succeeds(start("echo", input, File::create(&path).unwrap()));
        assert!(fs::read(&path).unwrap() == fs::read(std::env::current_exe().unwrap()).unwrap());
        fs::remove_file(&path).unwrap();
    }

    fn nothing() {
        succeeds(start("echo", Stdio::null(), Stdio::null()));
        let program = std::env::current_exe().unwrap();
        for redirections in ["<&-", "<&- >&-", "</dev/null >&-"] {
            let script = format!("exec \"$0\" echo {redirections}");
            succeeds(Command::new("sh").args(["-c", &script]).arg(&program).spawn().unwrap());
        }
    }

    fn terminal() {
        let ours = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        rustix::pty::grantpt(&ours).unwrap();
        rustix::pty::unlockpt(&ours).unwrap();
        let name = rustix::pty::ptsname(&ours, Vec::new()).unwrap();
        let theirs = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
        let flags = rustix::fs::fcntl_getfl(&theirs).unwrap();
        for role in ["echo", "echo-interruptible"] {
            let child = start(role, theirs.try_clone().unwrap(), theirs.try_clone().unwrap());
            let mut ours = File::from(ours.try_clone().unwrap());
            // The terminal shows what is typed, the child says it again; then Ctrl-D.
            ours.write_all(b"ping\n").unwrap();
            let mut seen = [0; 12];
            ours.read_exact(&mut seen).unwrap();
            assert_eq!(&seen, b"ping\r\nping\r\n");
            assert_eq!(rustix::fs::fcntl_getfl(&theirs).unwrap(), flags);
            assert!(!flags.contains(OFlags::NONBLOCK));
            ours.write_all(&[4]).unwrap();
            succeeds(child);
        }
    }

    fn nobody_reads() {
        let (input, mut ours) = io::pipe().unwrap();
        let (gone, output) = io::pipe().unwrap();
        drop(gone);
        let child = start("echo", input, output);
        ours.write_all(b"hello?\n").unwrap();
        succeeds(child);
    }

    fn time_and_interruption() {
        let (input, _ours) = io::pipe().unwrap();
        succeeds(start("alone", input, Stdio::null()));
    }

    fn full_output() {
        let (_ours, output) = io::pipe().unwrap();
        succeeds(start("unheard", Stdio::null(), output));
        let (_ours, output) = UnixStream::pair().unwrap();
        succeeds(start("unheard", Stdio::null(), OwnedFd::from(output)));
    }

    /// Not a benchmark: it only shows that nothing waits for a timer.
    fn latency() {
        for role in ["echo", "echo-interruptible"] {
            let mut wire = Process::new(std::env::current_exe().unwrap()).arg(role).spawn().unwrap();
            let rounds: u32 = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1_000);
            let start = Instant::now();
            for _ in 0..rounds {
                let mut buffer = [0; 256];
                wire.transfer(&[b'x'; 200], &mut [], umcp::time::Instant::NEVER).unwrap();
                let mut received = 0;
                while received < 200 {
                    let moved = wire.transfer(&[], &mut buffer, umcp::time::Instant::NEVER).unwrap();
                    assert!(!moved.closed);
                    received += moved.received;
                }
            }
            let each = start.elapsed() / rounds;
            println!("{role}: {each:?} for a round trip of 200 bytes");
            assert!(each < Duration::from_millis(1));
        }
    }
}
