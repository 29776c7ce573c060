//! The shape of firmware: one loop, no threads, no waiting. A server on a serial line that is polled, with a tool that answers later.
//!
//! Here the serial line ends in this same program, and the clock counts the turns of the loop; on a board they are the UART and a timer.

use std::collections::VecDeque;
use std::convert::Infallible;

use umcp::io::nb::{self, Serial, pump};
use umcp::json::Decimal;
use umcp::server::{Call, CallHandle, Catalog, Connection, Endpoint, Memory, Outcome};
use umcp::time::{Duration, Instant};
use umcp::tool;

#[derive(Default)]
struct Board {
    led: bool,
    blinking: Option<Blinking>,
}

#[derive(Clone, Copy)]
struct Blinking {
    call: CallHandle,
    left: u8,
    done: u8,
    period: Duration,
    next: Instant,
}

umcp::arguments! {
    struct Blink {
        /// How often.
        times: u8 in 1..=20,
        /// Milliseconds from one flash to the next.
        period_ms: u32 in 5..=1000 = 10,
    }
}

fn blink(board: &mut Board, Blink { times, period_ms }: Blink, call: Call<'_>) -> Outcome {
    // A call that was cancelled a moment ago is no longer open.
    if board.blinking.is_some_and(|blinking| call.is_open(blinking.call)) {
        return call.fail("it is blinking already: try again when it has ended");
    }
    // The answer comes later; meanwhile the buffers are free for other calls.
    let period = Duration::from_millis(period_ms);
    call.defer(|call| board.blinking = Some(Blinking { call, left: times, done: 0, period, next: Instant::ZERO }))
}

static CATALOG: Catalog<Board> =
    Catalog::new("super-loop", "1.0.0").tools(&[tool!("blink", "Blink the LED.", blink(&mut Board, Blink))]);

impl Board {
    /// One look at what is going on; never waits.
    fn tick(&mut self, conn: &mut Connection<'_>, endpoint: &mut Endpoint<Board>, now: Instant) {
        let Some(mut blinking) = self.blinking else { return };
        if !conn.is_open(blinking.call) {
            self.blinking = None; // it was cancelled
        } else if blinking.left == 0 {
            if conn.is_idle() && conn.complete(endpoint, blinking.call, |reply| reply.text("done")).is_ok() {
                self.blinking = None;
            }
        } else if now >= blinking.next {
            self.led = !self.led;
            blinking.left -= 1;
            blinking.done += 1;
            blinking.next = now + blinking.period;
            // Progress is told to whoever asked for it; if there is no room just now, it is left out.
            let _ = conn.progress(blinking.call, Decimal::from_i64(i64::from(blinking.done)), None, None, now);
            self.blinking = Some(blinking);
        }
    }
}

/// A serial line in memory.
#[derive(Default)]
struct Line {
    to_board: VecDeque<u8>,
    from_board: Vec<u8>,
}

impl Serial for Line {
    type Error = Infallible;

    fn read(&mut self) -> nb::Result<u8, Infallible> {
        self.to_board.pop_front().ok_or(nb::Error::WouldBlock)
    }

    fn write(&mut self, byte: u8) -> nb::Result<(), Infallible> {
        self.from_board.push(byte);
        Ok(())
    }
}

/// Runs the board until the line is quiet, and returns what it has said.
fn run(requests: &str) -> Result<String, Infallible> {
    let mut uart = Line { to_board: requests.bytes().collect(), ..Line::default() };
    let mut board = Board::default();
    let mut endpoint = Endpoint::new(&CATALOG);

    let mut memory = Memory::<512, 512, 2, 1>::new(); // receive, transmit, tables: all there will ever be
    let mut conn = Connection::line(memory.lend());
    for millis in 0..1_000 {
        let now = Instant::from_millis(millis);
        pump(&mut conn, &mut uart)?; // moves what can move, never waits
        conn.serve(&mut endpoint, &mut board, now); // handlers run here
        board.tick(&mut conn, &mut endpoint, now);
        // On a board: wait for an interrupt.
    }
    Ok(String::from_utf8_lossy(&uart.from_board).into_owned())
}

const META: &str = r#""_meta":{"progressToken":"p","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

fn main() -> Result<(), Infallible> {
    let request = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"blink","arguments":{{"times":3}},{META}}}}}"#
    );
    print!("{}", run(&(request + "\n"))?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_then_the_answer() {
        let request = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"blink\",\"arguments\":{{\"times\":2}},{META}}}}}\n"
        );
        let Ok(said) = run(&request);
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines.len(), 3, "{said}");
        assert!(lines[0].contains(r#""progress":1"#) && lines[1].contains(r#""progress":2"#), "{said}");
        assert!(lines[2].contains(r#""id":1"#) && lines[2].contains("done"), "{said}");
    }
}
