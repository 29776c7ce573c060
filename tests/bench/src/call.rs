//! What one `tools/call` of 300 bytes costs a server, in instructions, from the first byte in to the last byte out.
//!
//! `call` prints the table; instructions come from running itself under `valgrind --tool=callgrind` (a dash where
//! there is none). `call run STAGE ROUNDS` is one measurement, for a profiler.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant as Clock;

use umcp::client::{self, Config, Happened, Options, Verdict};
use umcp::frame::Line;
use umcp::json::Writer;
use umcp::json::scan::{Scanner, Window};
use umcp::server::{Call, Catalog, Connection, Endpoint, Memory, Outcome};
use umcp::time::Instant;
use umcp::tool;

use crate::counted;

/// A call as the TypeScript client sends it, 300 bytes with its newline.
const CALL: &str = concat!(
    r#"{"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello, small world of many devices"},"_meta":{"#,
    r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"2.4"},"#,
    r#""io.modelcontextprotocol/clientCapabilities":{}}},"jsonrpc":"2.0","id":12345}"#,
    "\n"
);

/// What it is answered with, behind its id.
const ANSWER: &str = concat!(
    r#""result":{"resultType":"complete","content":[{"type":"text","text":"hello, small world of many devices"}],"#,
    r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bench","version":"1.0.0"}}}}"#,
    "\n"
);

const STAGES: [(&str, &str); 5] = [
    ("scan", "find the line, scan it, find the members"),
    ("empty", "a whole call of a tool that only answers \"ok\""),
    ("echo", "a whole call of a tool that reads its argument and gives it back"),
    ("write", "the answer alone, written by hand"),
    ("client", "the client's side: such a call written, and its answer read"),
];

const ROUNDS: usize = 2_000;

fn ok(_: &mut (), call: Call<'_>) -> Outcome {
    call.text("ok")
}

umcp::arguments! {
    struct Echo<'a> { text: &'a str }
}

fn echo(_: &mut (), Echo { text }: Echo<'_>, call: Call<'_>) -> Outcome {
    call.text(text)
}

static EMPTY: Catalog<()> = Catalog::new("bench", "1.0.0").tools(&[tool!("echo", "", ok)]);
static ECHO: Catalog<()> = Catalog::new("bench", "1.0.0").tools(&[tool!("echo", "", echo(&mut (), Echo))]);

pub(crate) fn main(args: &[&str]) -> ExitCode {
    match args {
        [] => table(),
        ["run", stage, rounds] => {
            let Ok(rounds) = rounds.parse() else { return usage() };
            if !run(stage, rounds) {
                return usage();
            }
        }
        _ => return usage(),
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: umcp-bench call [run nothing|scan|empty|echo|write|client ROUNDS]");
    ExitCode::from(2)
}

fn table() {
    println!("one tools/call of {} bytes, in memory\n", CALL.len());
    println!("{:<7} {:>14} {:>10}  what", "", "instructions", "ns");
    let count = |stage: &str| counted(&["call", "run", stage, &ROUNDS.to_string()]);
    let base = count("nothing");
    for (stage, what) in STAGES {
        let each = count(stage).zip(base).map(|(count, base)| count.saturating_sub(base) / ROUNDS as u64);
        let each = each.map_or("-".into(), |each| each.to_string());
        let started = Clock::now();
        run(stage, ROUNDS * 100);
        let ns = started.elapsed().as_nanos() as f64 / (ROUNDS * 100) as f64;
        println!("{stage:<7} {each:>14} {ns:>10.0}  {what}");
    }
}

fn run(stage: &str, rounds: usize) -> bool {
    match stage {
        "nothing" => (0..rounds).for_each(|_| {
            black_box(CALL);
        }),
        "scan" => scan(rounds),
        "empty" => serve(&EMPTY, rounds),
        "echo" => serve(&ECHO, rounds),
        "write" => write(rounds),
        "client" => ask(rounds),
        _ => return false,
    }
    true
}

fn serve(catalog: &'static Catalog<()>, rounds: usize) {
    let mut memory = Memory::<2048, 2048>::new();
    let mut conn = Connection::line(memory.lend());
    let mut endpoint = Endpoint::new(catalog);
    for _ in 0..rounds {
        conn.receive_buffer()[..CALL.len()].copy_from_slice(black_box(CALL).as_bytes());
        conn.commit(CALL.len());
        conn.serve(&mut endpoint, &mut (), Instant::ZERO);
        let sent = black_box(conn.transmit()).len();
        assert!(sent > 100);
        conn.transmitted(sent);
    }
}

/// What a server finds in a call, in the order of its own table.
fn scan(rounds: usize) {
    let mut buf = [0; 2048];
    let mut scanner = Scanner::new(&crate::scan::SERVER, Scanner::DEFAULT_DEPTH);
    for _ in 0..rounds {
        buf[..CALL.len()].copy_from_slice(black_box(CALL).as_bytes());
        let payload = Line::new().split(&buf[..CALL.len()]).map_or(0, |run| run.payload);
        let mut window = Window { end: payload, ..Window::default() };
        scanner.reset();
        assert!(scanner.finish(&mut buf, &mut window).is_ok());
        black_box(scanner.spans());
    }
}

/// The other end: the request of each round, and its answer.
fn ask(rounds: usize) {
    let mut memory = client::Memory::<2048, 2048>::new();
    let config = Config { verdict: Some(Verdict::Modern), ..Config::new("c", "2.4") };
    let mut conn = client::Connection::line(memory.lend(), config);
    assert_eq!(conn.advance(Instant::ZERO), Happened::Connected);
    for round in 1..=rounds {
        let arguments = black_box([("text", "hello, small world of many devices")]);
        let arguments = std::collections::BTreeMap::from(arguments);
        let handle = conn.call("echo", &arguments, Options::DEFAULT, Instant::ZERO);
        assert_eq!(handle.map(|handle| handle.id() as usize), Ok(round));
        let sent = black_box(conn.transmit()).len();
        assert!(sent > 250);
        conn.transmitted(sent);
        let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{round},{ANSWER}");
        conn.receive_buffer()[..answer.len()].copy_from_slice(black_box(&answer).as_bytes());
        conn.commit(answer.len());
        assert!(matches!(conn.advance(Instant::ZERO), Happened::Response(_)));
        assert_eq!(conn.advance(Instant::ZERO), Happened::NeedData);
    }
}

fn write(rounds: usize) {
    let mut buf = [0; 2048];
    for _ in 0..rounds {
        let mut w = Writer::new(black_box(&mut buf));
        w.literal(r#"{"jsonrpc":"2.0","id":"#)
            .raw(black_box(b"12345"))
            .literal(r#","result":{"resultType":"complete","#);
        w.literal(r#""content":[{"type":"text","text":"#).string(black_box("hello, small world of many devices"));
        w.literal(r#"}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"#).string(black_box("bench"));
        w.literal(r#","version":"#).string(black_box("1.0.0")).literal("}}}}\n");
        assert!(w.finish().is_ok());
    }
}
