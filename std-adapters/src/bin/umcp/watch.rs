//! A wire that is watched: it counts, shows each message, and says on a terminal what a long wait waits for.

use std::cell::RefCell;
use std::io::{self, IsTerminal, Write as _};
use std::rc::Rc;

use umcp::io::{Moved, Wire};
use umcp::time::{Duration, Instant};

use crate::mask;
use crate::place::AnyWire;
use crate::table::printable;

/// How long a wait lasts before it is spoken of, and how often it is then.
const PATIENCE: Duration = Duration::from_millis(1_000);

/// What is shown and counted; shared by the wire and whoever reads the figures.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// Show each message on standard error.
    pub(crate) verbose: bool,
    /// What is being waited for, in words.
    pub(crate) waiting_for: String,
    /// Texts that must not be shown.
    pub(crate) secrets: Vec<String>,
    pub(crate) sent: Side,
    pub(crate) received: Side,
}

/// How much of a message is kept to be shown.
const SHOWN: usize = 64 << 10;
/// How much of a line that is no message is remembered.
const NOISE: usize = 80;

/// One direction of the wire.
#[derive(Debug, Default)]
pub(crate) struct Side {
    /// The beginning of the message that is crossing.
    line: Vec<u8>,
    /// How long it is so far.
    length: usize,
    /// The beginning of the first line that cannot be a message.
    pub(crate) noise: Option<String>,
    pub(crate) bytes: u64,
    pub(crate) messages: u64,
    pub(crate) largest: usize,
}

impl Side {
    /// Takes note of bytes that have crossed, and calls `each` for every message that they complete.
    pub(crate) fn take(&mut self, bytes: &[u8], mut each: impl FnMut(&[u8])) {
        self.bytes += bytes.len() as u64;
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.length += piece.len();
            let room = SHOWN.saturating_sub(self.line.len());
            self.line.extend_from_slice(piece.get(..room).unwrap_or(piece));
            if piece.ends_with(b"\n") {
                self.end_of_line(&mut each);
            }
        }
    }

    /// Ends what has been taken of a line: bodies over HTTP do not end in newlines.
    fn cut(&mut self, mut each: impl FnMut(&[u8])) {
        if self.length > 0 {
            self.end_of_line(&mut each);
        }
    }

    fn end_of_line(&mut self, each: &mut impl FnMut(&[u8])) {
        let message = self.line.trim_ascii();
        if !message.is_empty() {
            self.messages += 1;
            self.largest = self.largest.max(self.length.saturating_sub(1));
            if !message.starts_with(b"{") && !message.starts_with(b"[") {
                let beginning = message.get(..NOISE).unwrap_or(message);
                self.noise.get_or_insert_with(|| String::from_utf8_lossy(beginning).into_owned());
            }
            each(message);
        }
        self.line.clear();
        self.length = 0;
    }
}

/// Shows one message: which way it went, how it is labelled, and what it says.
pub(crate) fn show(arrow: &str, label: &str, message: &[u8], secrets: &[String]) {
    let text = match mask::masked(message, secrets) {
        Some(text) => text,
        None if message.len() >= SHOWN - 1 => "(a long message)".to_owned(),
        None => format!("(no JSON) {}", mask::hidden(&String::from_utf8_lossy(message), secrets)),
    };
    let _ = writeln!(io::stderr().lock(), "{arrow} {label}{}", printable(&text));
}

/// Shows a line of a head, or of an event stream.
fn show_header(arrow: &str, line: &[u8], secrets: &[String]) {
    let line = String::from_utf8_lossy(line);
    let shown = match line.split_once(": ") {
        Some((name, value)) => format!("{name}: {}", mask::hidden(value, secrets)),
        None => mask::hidden(&line, secrets),
    };
    let _ = writeln!(io::stderr().lock(), "{arrow} {}", printable(&shown));
}

/// A server under watch. It is shared, so that it can be asked why it ended when its connection is gone.
#[derive(Debug)]
pub(crate) struct Watched {
    inner: Rc<RefCell<AnyWire>>,
    watch: Rc<RefCell<Watch>>,
    speaks: bool,
    /// Since when nothing has arrived.
    quiet_since: Option<Instant>,
    spoken: bool,
}

impl Watched {
    pub(crate) fn new(inner: Rc<RefCell<AnyWire>>, watch: Rc<RefCell<Watch>>) -> Watched {
        let speaks = io::stderr().is_terminal();
        Watched { inner, watch, speaks, quiet_since: None, spoken: false }
    }

    fn speak(&mut self, now: Instant) {
        let quiet = now.since(*self.quiet_since.get_or_insert(now));
        if quiet >= PATIENCE {
            let seconds = quiet.as_millis() / 1_000;
            let _ = write!(io::stderr().lock(), "\rwaiting for {} … {seconds} s ", self.watch.borrow().waiting_for);
            self.spoken = true;
        }
    }

    fn fall_silent(&mut self) {
        self.quiet_since = None;
        if std::mem::take(&mut self.spoken) {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}

impl Wire for Watched {
    type Error = io::Error;

    fn now(&mut self) -> Instant {
        self.inner.borrow_mut().now()
    }

    fn transfer(&mut self, out: &[u8], into: &mut [u8], until: Instant) -> io::Result<Moved> {
        let now = self.inner.borrow_mut().now();
        if self.speaks && !self.watch.borrow().waiting_for.is_empty() {
            self.speak(now);
        }
        let until = if self.speaks { until.min(now + PATIENCE) } else { until };
        let moved = self.inner.borrow_mut().transfer(out, into, until)?;
        if moved.received > 0 || moved.closed || moved.interrupted {
            self.fall_silent();
        }
        let watch = &mut *self.watch.borrow_mut();
        let (verbose, secrets) = (watch.verbose, &watch.secrets);
        let http = matches!(&*self.inner.borrow(), AnyWire::Http(_));
        let shown = |arrow: &'static str| {
            move |message: &[u8]| match verbose {
                true if http && !message.starts_with(b"{") => show_header(arrow, message, secrets),
                true => show(arrow, "", message, secrets),
                false => {}
            }
        };
        watch.sent.take(out.get(..moved.sent).unwrap_or_default(), shown("→"));
        watch.received.take(into.get(..moved.received).unwrap_or_default(), shown("←"));
        if http {
            watch.sent.cut(shown("→"));
            watch.received.cut(shown("←"));
        }
        Ok(moved)
    }

    fn open_stream(&mut self, until: Instant) -> io::Result<()> {
        self.inner.borrow_mut().open_stream(until)
    }

    fn errand(&mut self, post: &[u8], until: Instant) -> io::Result<bool> {
        self.inner.borrow_mut().errand(post, until)
    }

    fn close_stream(&mut self) {
        self.inner.borrow_mut().close_stream();
    }
}
