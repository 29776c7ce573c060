//! Benchmarks. `cargo run --release -p umcp-bench -- NAME [ARGS]`; each is one file.

mod call;
mod corpus;
mod http;
mod pipes;
mod scan;
mod sizes;
mod turns;

fn main() -> std::process::ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["scan", rest @ ..] => scan::main(rest),
        ["sizes"] => sizes::main(),
        ["pipes", rest @ ..] => pipes::main(rest),
        ["http", rest @ ..] => http::main(rest),
        ["floor"] => http::floor(),
        ["call", rest @ ..] => call::main(rest),
        _ => {
            eprintln!("usage: umcp-bench scan|call|pipes|http|sizes");
            std::process::ExitCode::from(2)
        }
    }
}

/// The instructions that this program takes with these arguments, counted in a run of its own; `None` without valgrind.
fn counted(args: &[&str]) -> Option<u64> {
    let mut command = std::process::Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(std::env::current_exe().ok()?);
    let output = command.args(args).output().ok()?;
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    report.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok())
}
