//! Benchmarks. `cargo run --release -p umcp-bench -- NAME [ARGS]`; each is one file.

mod corpus;
mod scan;

fn main() -> std::process::ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["scan", rest @ ..] => scan::main(rest),
        _ => {
            eprintln!("usage: umcp-bench scan");
            std::process::ExitCode::from(2)
        }
    }
}
