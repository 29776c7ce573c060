//! A server over pipes: CPU and wall time for each `tools/call echo`, and peak memory.
//!
//! `pipes UMCP RMCP` compares two commands, each a program that serves an `echo` tool on standard input and output: ours (`umcp serve`
//! is added by itself), and the example server of `tests/peers/rmcp`. They take turns, so that a busy machine disturbs both alike.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::time::Instant;

const CALLS: usize = 4_000;
const TURNS: usize = 5;
const IN_FLIGHT: [usize; 2] = [1, 16];

pub(crate) fn main(args: &[&str]) -> ExitCode {
    let [umcp, rmcp] = args else {
        eprintln!("usage: umcp-bench pipes PATH_OF_UMCP PATH_OF_RMCP_SERVER");
        return ExitCode::from(2);
    };
    match table(umcp, rmcp) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("umcp-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn table(umcp: &str, rmcp: &str) -> std::io::Result<()> {
    println!("tools/call echo over pipes, {CALLS} calls a turn, the median of {TURNS} turns\n");
    println!("{:<10} {:>9} {:>16} {:>16} {:>12}", "", "in flight", "CPU us/call", "wall us/call", "peak KiB");
    let servers = [("umcp", vec![umcp, "serve"]), ("rmcp", vec![rmcp])];
    for in_flight in IN_FLIGHT {
        let mut figures = [const { Vec::new() }; 2];
        for _ in 0..TURNS {
            for ((_, command), figures) in servers.iter().zip(&mut figures) {
                figures.push(turn(command, in_flight)?);
            }
        }
        let medians = figures.map(|figures| Figures {
            cpu: median(figures.iter().map(|figures| figures.cpu)),
            wall: median(figures.iter().map(|figures| figures.wall)),
            peak: median(figures.iter().map(|figures| figures.peak)),
        });
        for ((name, _), Figures { cpu, wall, peak }) in servers.iter().zip(&medians) {
            println!("{name:<10} {in_flight:>9} {cpu:>16.2} {wall:>16.2} {peak:>12.0}");
        }
        let [ours, theirs] = medians;
        println!(
            "{:<10} {in_flight:>9} {:>15.1}x {:>15.1}x {:>11.1}x\n",
            "ratio",
            theirs.cpu / ours.cpu,
            theirs.wall / ours.wall,
            theirs.peak / ours.peak
        );
    }
    Ok(())
}

struct Figures {
    cpu: f64,
    wall: f64,
    peak: f64,
}

fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

/// One server, warmed up, and `CALLS` calls of which `in_flight` are under way at a time.
fn turn(command: &[&str], in_flight: usize) -> std::io::Result<Figures> {
    let mut server = Server::start(command)?;
    server.calls(in_flight, 200)?;
    let (cpu, started) = (server.cpu()?, Instant::now());
    server.calls(in_flight, CALLS)?;
    let wall = started.elapsed().as_secs_f64() * 1e6 / CALLS as f64;
    let cpu = (server.cpu()? - cpu) * 1e6 / CALLS as f64;
    let peak = server.peak_kib()?;
    drop(server.stdin);
    server.child.wait()?;
    Ok(Figures { cpu, wall, peak })
}

struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next_id: u64,
}

impl Server {
    fn start(command: &[&str]) -> std::io::Result<Server> {
        let mut child = Command::new(command[0])
            .args(&command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::Error::other("no pipes"));
        };
        Ok(Server { child, stdin, stdout: BufReader::new(stdout), next_id: 1 })
    }

    fn calls(&mut self, in_flight: usize, calls: usize) -> std::io::Result<()> {
        let (mut sent, mut answered, mut line) = (0, 0, String::new());
        while answered < calls {
            let mut batch = String::new();
            while sent < calls && sent - answered < in_flight {
                batch.push_str(&request(self.next_id));
                self.next_id += 1;
                sent += 1;
            }
            self.stdin.write_all(batch.as_bytes())?;
            // One at a time: an answer, then the next request. Several: as many as are out, so that requests arrive together.
            for _ in 0..sent - answered {
                line.clear();
                if self.stdout.read_line(&mut line)? == 0 {
                    return Err(std::io::Error::other("the server has gone"));
                }
                if !line.contains("hello, small world") {
                    return Err(std::io::Error::other(format!("not an echo: {line}")));
                }
            }
            answered = sent;
        }
        Ok(())
    }

    /// Seconds of CPU so far, user and system, from the scheduler's own account in nanoseconds of all its threads.
    fn cpu(&self) -> std::io::Result<f64> {
        let mut nanoseconds = 0.0;
        for task in std::fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let text = std::fs::read_to_string(task?.path().join("schedstat"))?;
            nanoseconds += text.split_whitespace().next().and_then(|first| first.parse::<f64>().ok()).unwrap_or(0.0);
        }
        Ok(nanoseconds / 1e9)
    }

    fn peak_kib(&self) -> std::io::Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        Ok(line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(f64::NAN))
    }
}

fn request(id: u64) -> String {
    format!(
        concat!(
            r#"{{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"hello, small world"}},"_meta":{{"#,
            r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}},"#,
            r#""io.modelcontextprotocol/clientInfo":{{"name":"bench","version":"1"}}}}}}}}"#,
            "\n"
        ),
        id
    )
}
