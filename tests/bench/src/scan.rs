//! The scanner beside other ways to check a message and find its envelope: instructions and time for each byte.
//!
//! `scan` prints the table; instructions come from running itself under `valgrind --tool=callgrind` (a dash where
//! there is none). `scan run CONTESTANT CLASS SHAPE ROUNDS` is one measurement, for a profiler.

use crate::corpus::Corpus;
use crate::counted;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use umcp::json::scan::{Key, Scanner, Window};

const CLASSES: [&str; 2] = ["small", "large"];
const SHAPES: [&str; 3] = ["compact", "spaced", "escaped"];
/// `nothing` is the loop around all others, and subtracted from them; `copy` is the part of `umcp` that brings the
/// message into its buffer.
const CONTESTANTS: [&str; 6] = ["umcp", "copy", "ignored", "envelope", "value", "sonic"];

pub(crate) fn main(args: &[&str]) -> ExitCode {
    match args {
        [] => table(),
        ["run", contestant, class, shape, rounds] => {
            let (Some(corpus), Ok(rounds)) = (Corpus::load(class, shape), rounds.parse()) else { return usage() };
            let Some(mut contestant) = contestant_named(contestant) else { return usage() };
            for _ in 0..rounds {
                round(&corpus, &mut contestant);
            }
        }
        _ => return usage(),
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!(
        "usage: umcp-bench scan [run nothing|umcp|copy|ignored|envelope|value|sonic small|large compact|spaced|escaped ROUNDS]"
    );
    ExitCode::from(2)
}

fn table() {
    println!(
        "umcp: validate UTF-8 and grammar, canonicalise in place, find the envelope; with the copy into the buffer, which `copy` shows apart"
    );
    println!(
        "serde_json: ignored = IgnoredAny, envelope = struct of borrowed RawValues, value = Value; sonic = sonic_rs, struct of LazyValues\n"
    );
    println!(
        "{:<6} {:<8} {:<9} {:>12} {:>10} {:>18}",
        "class", "shape", "", "instr/byte", "ns/byte", "times the envelope"
    );
    for class in CLASSES {
        for shape in SHAPES {
            let Some(corpus) = Corpus::load(class, shape) else { continue };
            let base = instructions("nothing", class, shape);
            let times = times(&corpus);
            let envelope = times[3];
            for (contestant, time) in CONTESTANTS.iter().zip(times) {
                let rate = instructions(contestant, class, shape)
                    .zip(base)
                    .map(|(count, base)| count.saturating_sub(base) as f64 / (ROUNDS * corpus.bytes()) as f64);
                let rate = rate.map_or("-".into(), |rate| format!("{rate:.2}"));
                println!("{class:<6} {shape:<8} {contestant:<9} {rate:>12} {time:>10.3} {:>18.2}", envelope / time);
            }
            println!("{:>6} {} messages, {} bytes\n", "", corpus.messages.len(), corpus.bytes());
        }
    }
}

/// Rounds in a counted run.
const ROUNDS: usize = 3;

/// The instructions of a run of its own.
fn instructions(contestant: &str, class: &str, shape: &str) -> Option<u64> {
    counted(&["scan", "run", contestant, class, shape, &ROUNDS.to_string()])
}

/// Nanoseconds a byte for each contestant, the best of several turns, which alternate so that a busy machine
/// disturbs all alike.
fn times(corpus: &Corpus) -> [f64; CONTESTANTS.len()] {
    let mut best = [f64::INFINITY; CONTESTANTS.len()];
    for _ in 0..12 {
        for (name, best) in CONTESTANTS.iter().zip(&mut best) {
            let Some(mut contestant) = contestant_named(name) else { continue };
            let (started, mut rounds) = (Instant::now(), 0);
            while started.elapsed() < Duration::from_millis(20) {
                round(corpus, &mut contestant);
                rounds += 1;
            }
            *best = best.min(started.elapsed().as_nanos() as f64 / (rounds * corpus.bytes()) as f64);
        }
    }
    best
}

type Contestant = Box<dyn FnMut(&[u8]) -> bool>;

fn round(corpus: &Corpus, contestant: &mut Contestant) {
    for message in &corpus.messages {
        assert!(black_box(contestant(black_box(message))), "refused: {}", message.escape_ascii());
    }
}

fn contestant_named(name: &str) -> Option<Contestant> {
    let mut buf = vec![0; 1 << 20];
    let mut scanner = Scanner::new(&SERVER, Scanner::DEFAULT_DEPTH);
    Some(match name {
        "nothing" => Box::new(|_| true),
        "copy" => Box::new(move |message| {
            copy(message, &mut buf);
            black_box(&mut buf);
            true
        }),
        "umcp" => Box::new(move |message| {
            let mut w = Window { end: copy(message, &mut buf), ..Window::default() };
            scanner.reset();
            let result = scanner.finish(&mut buf, &mut w);
            black_box(scanner.spans());
            result.is_ok()
        }),
        "ignored" => Box::new(|message| serde_json::from_slice::<serde::de::IgnoredAny>(message).is_ok()),
        "envelope" => Box::new(|message| black_box(serde_json::from_slice::<Envelope<'_>>(message)).is_ok()),
        "value" => Box::new(|message| black_box(serde_json::from_slice::<serde_json::Value>(message)).is_ok()),
        "sonic" => Box::new(|message| black_box(sonic_rs::from_slice::<SonicEnvelope<'_>>(message)).is_ok()),
        _ => return None,
    })
}

fn copy(message: &[u8], buf: &mut [u8]) -> usize {
    let len = message.len().min(buf.len());
    buf[..len].copy_from_slice(&message[..len]);
    len
}

/// What a server wants to find.
pub(crate) static SERVER: [Key; 6] = [
    Key::leaf("id", 0),
    Key::leaf("jsonrpc", 1),
    Key::leaf("method", 2),
    Key::node("params", 3, &PARAMS),
    Key::leaf("result", 4),
    Key::leaf("error", 5),
];
static PARAMS: [Key; 5] = [
    Key::leaf("name", 6),
    Key::leaf("uri", 7),
    Key::leaf("arguments", 8),
    Key::leaf("cursor", 9),
    Key::node("_meta", 10, &META),
];
static META: [Key; 4] = [
    Key::leaf("io.modelcontextprotocol/protocolVersion", 11),
    Key::leaf("io.modelcontextprotocol/clientCapabilities", 12),
    Key::leaf("progressToken", 13),
    Key::leaf("io.modelcontextprotocol/logLevel", 14),
];

#[derive(serde::Deserialize)]
#[allow(dead_code, reason = "only found, never read")]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a serde_json::value::RawValue>,
    jsonrpc: Option<&'a serde_json::value::RawValue>,
    method: Option<&'a serde_json::value::RawValue>,
    params: Option<&'a serde_json::value::RawValue>,
    result: Option<&'a serde_json::value::RawValue>,
    error: Option<&'a serde_json::value::RawValue>,
}

#[derive(serde::Deserialize)]
#[allow(dead_code, reason = "only found, never read")]
struct SonicEnvelope<'a> {
    #[serde(borrow)]
    id: Option<sonic_rs::LazyValue<'a>>,
    #[serde(borrow)]
    jsonrpc: Option<sonic_rs::LazyValue<'a>>,
    #[serde(borrow)]
    method: Option<sonic_rs::LazyValue<'a>>,
    #[serde(borrow)]
    params: Option<sonic_rs::LazyValue<'a>>,
    #[serde(borrow)]
    result: Option<sonic_rs::LazyValue<'a>>,
    #[serde(borrow)]
    error: Option<sonic_rs::LazyValue<'a>>,
}
