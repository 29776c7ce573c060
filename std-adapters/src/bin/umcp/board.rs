//! The simulated board: what `umcp serve` offers.

use serde::{Deserialize, Serialize};
use umcp::json::Decimal;
use umcp::mcp::{Fault, Level};
use umcp::server::{
    Argument, Call, CallHandle, Calls, Catalog, Complete, Endpoint, Get, NotOpen, Outcome, Prompt, Read, Resource,
    Template, ToolAnnotations,
};
use umcp::time::{Duration, Instant};
use umcp::tool;

const LED: &str = "board://led";
const PINS: usize = 16;
const LOG_LINES: usize = 8;
const SYMPTOMS: [&str; 4] = ["hot", "no light", "no power", "resets"];

/// Each flash is reported.
const MIN_PERIOD_MS: u32 = umcp::server::MIN_PROGRESS_INTERVAL.as_millis();

/// A board with an LED, a thermometer and some pins.
#[derive(Debug, Default)]
pub(crate) struct Board {
    led: bool,
    readings: i64,
    log: Vec<String>,
    blinks: Vec<Blink>,
}

/// A `blink` call that is running.
#[derive(Debug)]
struct Blink {
    call: CallHandle,
    done: u16,
    times: u16,
    period: Duration,
    next: Option<Instant>,
}

pub(crate) static CATALOG: Catalog<Board> = Catalog::new("umcp-board", env!("CARGO_PKG_VERSION"))
    .title("Simulated board")
    .instructions("A simulated board: switch its LED, read its temperature, let it blink.")
    .logging()
    .tools(&[
        tool!("blink", "Blink the LED; reports progress after each flash.", blink(&mut Board, BlinkArguments)),
        tool!("echo", "Give back a text.", echo(&mut Board, Echo)).annotations(READ_ONLY),
        tool!("led_set", "Turn the LED on or off.", led_set(&mut Board, LedSet)).annotations(ToolAnnotations {
            read_only: Some(false),
            destructive: Some(false),
            idempotent: Some(true),
            open_world: Some(false),
        }),
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
    struct BlinkArguments {
        /// How often.
        times: u16 in 1..=1000,
        /// Milliseconds from one flash to the next.
        period_ms: u32 in MIN_PERIOD_MS..=60_000,
    }

    struct Echo<'a> {
        /// The text.
        text: &'a str,
    }

    struct LedSet {
        /// Whether it shines.
        on: bool,
    }
}

fn echo(_: &mut Board, Echo { text }: Echo<'_>, call: Call<'_>) -> Outcome {
    call.text(text)
}

fn led_set(board: &mut Board, LedSet { on }: LedSet, mut call: Call<'_>) -> Outcome {
    board.led = on;
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
    // A triangle wave from 20.0 to 22.5, so that readings differ and can be foretold.
    board.readings += 1;
    let phase = board.readings % 50;
    call.structured(&Temperature { celsius: Decimal::new(200 + phase.min(50 - phase), 1) })
}

fn blink(board: &mut Board, arguments: BlinkArguments, call: Call<'_>) -> Outcome {
    let BlinkArguments { times, period_ms } = arguments;
    let period = Duration::from_millis(period_ms);
    board.note("blinking");
    call.defer(|call| board.blinks.push(Blink { call, done: 0, times, period, next: None }))
}

fn read_led(board: &mut Board, read: Read<'_>) -> Outcome {
    read.text(if board.led { "on" } else { "off" })
}

fn read_log(board: &mut Board, read: Read<'_>) -> Outcome {
    read.text(&board.log.join("\n"))
}

fn read_pin(board: &mut Board, read: Read<'_>) -> Outcome {
    match read.variable("n").and_then(|n| n.parse::<usize>().ok()) {
        // The LED hangs on pin 13.
        Some(13) => read.text(if board.led { "high" } else { "low" }),
        Some(n) if n < PINS => read.text("low"),
        _ => Err(Fault::UnknownResource),
    }
}

fn complete_pin(_: &mut Board, complete: Complete<'_>) -> Outcome {
    let pins: Vec<String> = (0..PINS).map(|n| n.to_string()).collect();
    complete.matching(pins.iter().map(String::as_str))
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
    fn note(&mut self, what: &str) {
        if self.log.len() == LOG_LINES {
            self.log.remove(0);
        }
        self.log.push(what.to_owned());
    }

    /// Goes on with what is blinking; says when it wants to be called again.
    pub(crate) fn tick(
        calls: &mut impl Calls,
        endpoint: &mut Endpoint<Board>,
        board: &mut Board,
        now: Instant,
    ) -> Option<Instant> {
        board.blinks.retain_mut(|blink| blink.step(calls, endpoint, now));
        board.blinks.iter().filter_map(|blink| blink.next).min()
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
        let text = format!("blinked {times} times");
        calls.complete(endpoint, self.call, |reply| reply.text(&text)) == Err(NotOpen::Busy)
    }
}
