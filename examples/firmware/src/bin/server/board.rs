//! What the board offers: the same as `umcp serve`, in fixed memory.

use heapless::{String, Vec};
use serde::{Deserialize, Serialize};
use umcp::json::{Decimal, Writer};
use umcp::mcp::{Fault, Level};
use umcp::server::{
    Argument, Call, CallHandle, Calls, Catalog, Complete, Endpoint, Get, MIN_PROGRESS_INTERVAL, NotOpen, Outcome,
    Prompt, Read, Resource, Template, ToolAnnotations,
};
use umcp::time::{Duration, Instant};
use umcp::tool;
use umcp_firmware::machine;

/// How many calls of `blink` may run at once.
pub(crate) const BLINKS: usize = 2;

const LED: &str = "board://led";
const LED_PIN: &str = "13";
const PINS: [&str; 16] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", LED_PIN, "14", "15"];
const SYMPTOMS: [&str; 4] = ["hot", "no light", "no power", "resets"];

/// The log: how many entries, and how many bytes the longest may have.
const LOG_LINES: usize = 8;
const LOG_LINE: usize = 8;

/// A board with an LED, a thermometer and some pins.
#[derive(Default)]
pub(crate) struct Board {
    led: bool,
    readings: u8,
    log: Vec<&'static str, LOG_LINES>,
    blinks: Vec<Blink, BLINKS>,
}

/// A `blink` call that is running.
struct Blink {
    call: CallHandle,
    done: u16,
    times: u16,
    period: Duration,
    next: Option<Instant>,
}

pub(crate) static CATALOG: Catalog<Board> = Catalog::new("umcp-firmware", env!("CARGO_PKG_VERSION"))
    .title("Board")
    .instructions("A board: switch its LED, read its temperature, let it blink.")
    .logging()
    .tools(&[
        tool!("blink", "Blink the LED; reports progress after each flash.", blink(&mut Board, Flashes)),
        tool!("echo", "Give back a text.", echo(&mut Board, Echo)).annotations(READ_ONLY),
        tool!("led_set", "Turn the LED on or off.", led_set(&mut Board, SetLed)),
        tool!("temperature_read", "Read the temperature in degrees Celsius.", temperature_read)
            .output_schema(r#"{"type":"object","properties":{"celsius":{"type":"number"}},"required":["celsius"]}"#)
            .annotations(READ_ONLY),
    ])
    .resources(&[
        Resource::new(LED, "led", read_led).description("Whether the LED shines.").mime_type("text/plain").changes(),
        Resource::new("board://log", "log", read_log)
            .description("The last things that happened.")
            .mime_type("text/plain"),
    ])
    .templates(&[Template::new("board://pin/{n}", "pin", read_pin)
        .description("The level of a pin, 0 to 15.")
        .mime_type("text/plain")
        .complete(complete_pin)])
    .prompts(&[Prompt::new(
        "diagnose",
        "Find out what is wrong with the board.",
        &[Argument::new("symptom").required().description("What can be seen.")],
        diagnose,
    )
    .complete(complete_symptom)]);

const READ_ONLY: ToolAnnotations =
    ToolAnnotations { read_only: Some(true), destructive: None, idempotent: None, open_world: Some(false) };

umcp::arguments! {
    struct Flashes {
        /// How often.
        times: u16 in 1..=1_000,
        /// Milliseconds from one flash to the next.
        period_ms: u32 in 5..=60_000,
    }

    struct Echo<'a> {
        /// The text.
        text: &'a str,
    }

    struct SetLed {
        /// Whether it shines.
        on: bool,
    }
}

fn echo(_: &mut Board, Echo { text }: Echo<'_>, call: Call<'_>) -> Outcome {
    call.text(text)
}

fn led_set(board: &mut Board, SetLed { on }: SetLed, mut call: Call<'_>) -> Outcome {
    board.shine(on);
    board.note(if on { "led on" } else { "led off" });
    call.updated(LED);
    call.log(Level::Info, "led", if on { "switched on" } else { "switched off" });
    call.text(if on { "on" } else { "off" })
}

fn temperature_read(board: &mut Board, call: Call<'_>) -> Outcome {
    #[derive(Serialize)]
    struct Temperature {
        celsius: Decimal,
    }
    // A triangle wave from 20.0 to 22.5, so that readings differ and can be foretold: put your sensor here.
    board.readings = (board.readings + 1) % 50;
    let tenths = 200 + i64::from(board.readings.min(50 - board.readings));
    call.structured(&Temperature { celsius: Decimal::new(tenths, 1) })
}

fn blink(board: &mut Board, Flashes { times, period_ms }: Flashes, call: Call<'_>) -> Outcome {
    // A call that was cancelled a moment ago makes room for this one.
    board.blinks.retain(|blink| call.is_open(blink.call));
    if board.blinks.is_full() {
        return call.fail("it is blinking already: try again when that has ended");
    }
    board.note("blinking");
    let period = Duration::from_millis(period_ms).max(MIN_PROGRESS_INTERVAL);
    // The answer comes later, from `tick`; meanwhile the buffers are free for other calls.
    call.defer(|call| {
        let _ = board.blinks.push(Blink { call, done: 0, times, period, next: None });
    })
}

fn read_led(board: &mut Board, read: Read<'_>) -> Outcome {
    read.text(if board.led { "on" } else { "off" })
}

fn read_log(board: &mut Board, read: Read<'_>) -> Outcome {
    let mut text: String<{ LOG_LINES * (LOG_LINE + 1) }> = String::new();
    for line in &board.log {
        let separator = if text.is_empty() { "" } else { "\n" };
        // A line that does not fit is left out.
        let _ = text.push_str(separator).and_then(|()| text.push_str(line));
    }
    read.text(&text)
}

fn read_pin(board: &mut Board, read: Read<'_>) -> Outcome {
    match read.variable("n") {
        Some(LED_PIN) => read.text(if board.led { "high" } else { "low" }),
        Some(pin) if PINS.contains(&pin) => read.text("low"),
        _ => Err(Fault::UnknownResource),
    }
}

fn complete_pin(_: &mut Board, complete: Complete<'_>) -> Outcome {
    complete.matching(PINS)
}

fn diagnose(board: &mut Board, mut get: Get<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Arguments<'a> {
        symptom: &'a str,
    }
    let Arguments { symptom } = get.args()?;
    let led = if board.led { "on" } else { "off" };
    get.user(|w| {
        w.string_part("The board shows this: ").string_part(symptom);
        w.string_part(". Its LED is ").string_part(led).string_part(". Find out what is wrong, step by step.");
    })
}

fn complete_symptom(_: &mut Board, complete: Complete<'_>) -> Outcome {
    complete.matching(SYMPTOMS)
}

impl Board {
    fn shine(&mut self, on: bool) {
        self.led = on;
        machine::led(on);
    }

    fn note(&mut self, what: &'static str) {
        if self.log.is_full() {
            self.log.rotate_left(1);
            self.log.pop();
        }
        let _ = self.log.push(what);
    }

    /// Goes on with what is blinking; never waits.
    pub(crate) fn tick(&mut self, calls: &mut impl Calls, endpoint: &mut Endpoint<Board>, now: Instant) {
        let Board { blinks, led, .. } = self;
        blinks.retain_mut(|blink| blink.step(calls, endpoint, now));
        // The lamp itself flashes with the last digit of what has been counted, and is back where it was afterwards.
        let flash = blinks.iter().any(|blink| blink.done % 2 == 1);
        machine::led(*led != flash);
    }
}

impl Blink {
    /// `false`: it is over, or nobody wants it any longer.
    fn step(&mut self, calls: &mut impl Calls, endpoint: &mut Endpoint<Board>, now: Instant) -> bool {
        let due = *self.next.get_or_insert(now + self.period);
        if now < due {
            return calls.is_open(self.call);
        }
        if self.done < self.times {
            let progress = Decimal::from_i64(i64::from(self.done + 1));
            let total = Decimal::from_i64(i64::from(self.times));
            match calls.progress(self.call, progress, Some(total), None, now) {
                Err(NotOpen::Ended) => return false,
                // The report has not left yet: try again as soon as it has.
                Err(NotOpen::Busy) => return true,
                Ok(_) => self.done += 1,
            }
        }
        if self.done < self.times {
            self.next = Some(due.max(now) + self.period);
            return true;
        }
        let times = self.times;
        let completed = calls.complete(endpoint, self.call, |reply| {
            let blinked = |w: &mut Writer<'_>| {
                w.string_part("blinked ");
                digits(w, times);
                w.string_part(" times");
            };
            reply.content().text_with(blinked).done()
        });
        completed == Err(NotOpen::Busy)
    }
}

/// A number as part of a text, without the formatting of `core::fmt`, which is larger than everything else here.
fn digits(w: &mut Writer<'_>, number: u16) {
    let mut rest = number;
    for power in [10_000, 1_000, 100, 10, 1] {
        let mut digit = b'0';
        while rest >= power {
            (rest, digit) = (rest - power, digit + 1);
        }
        if number >= power || power == 1 {
            w.string_char(char::from(digit));
        }
    }
}
