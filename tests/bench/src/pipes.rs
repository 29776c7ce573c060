//! A server over pipes: CPU and wall time for each `tools/call echo`, and peak memory.
//!
//! `pipes UMCP RMCP` compares two commands, each a program that serves an `echo` tool on standard input and output: ours (`umcp serve`
//! is added by itself), and the example server of `tests/peers/rmcp`. They take turns, so that a busy machine disturbs both alike.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};

use crate::turns::{CALLS, Figures, Meter, WARM_UP, compare};

const IN_FLIGHT: [usize; 2] = [1, 16];

pub(crate) fn main(args: &[&str]) -> ExitCode {
    let [umcp, rmcp] = args else {
        eprintln!("usage: umcp-bench pipes PATH_OF_UMCP PATH_OF_RMCP_SERVER");
        return ExitCode::from(2);
    };
    let servers = [("umcp", vec![umcp, "serve"]), ("rmcp", vec![rmcp])];
    match compare("over pipes", "in flight", &servers, &IN_FLIGHT, turn) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("umcp-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// One server, warmed up, and `CALLS` calls of which `in_flight` are under way at a time.
fn turn(command: &[&str], in_flight: usize) -> std::io::Result<Figures> {
    let mut server = Server::start(command)?;
    server.calls(in_flight, WARM_UP)?;
    let meter = Meter::start(server.child.id())?;
    server.calls(in_flight, CALLS)?;
    let figures = meter.stop()?;
    drop(server.stdin);
    server.child.wait()?;
    Ok(figures)
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
